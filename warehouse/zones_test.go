package warehouse_test

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/google/go-cmp/cmp"
)

// zones are time zones of readers: on both sides of UTC, with and without summer time, and one that
// is no whole number of hours away.
var zones = []string{"UTC", "America/New_York", "Asia/Kathmandu"}

// sameInEveryZone compares what sessions of other programs read, each in a time zone of its own: a
// published file and its lake mean the same instants everywhere.
func sameInEveryZone(t *testing.T, dir string) {
	path := filepath.Join(t.TempDir(), "fleet.duckdb") // the process has the published file open with other settings
	if err := os.Link(warehouse.Path(dir), path); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{
		"days":    "SELECT count(*) FILTER (epoch_us(day::TIMESTAMP) IN (SELECT epoch_us(sent_at) // 86400000000 * 86400000000 FROM requests)) AS some, count(*) AS all FROM credits_daily",
		"ledger":  "SELECT * FROM credits_daily ORDER BY ALL",
		"latest":  "SELECT count(*) AS some, count(*) AS all FROM vessels WHERE last_seen > now() - to_microseconds((SELECT epoch_us(now()) - epoch_us(max(finished_at)) FROM runs)) - INTERVAL 8 HOUR",
		"fleet":   "SELECT * FROM fleet_on(DATE '2026-11-21') ORDER BY ALL",
		"of":      "SELECT * FROM fleet_of('2026-11-21') ORDER BY ALL",
		"nights":  "SELECT n.night, f.* FROM (SELECT DISTINCT snapshot_date AS night FROM runs) AS n, fleet_on(n.night) AS f ORDER BY ALL",
		"no zone": "SELECT * FROM vessels_as_of('2026-11-21 01:30:00') ORDER BY ALL",
		"night":   "SELECT * FROM vessels_as_of(DATE '2026-11-21') ORDER BY ALL",
		"moment":  "SELECT * FROM vessels_as_of('2026-11-21T01:30:00Z') ORDER BY ALL",
		"changed": "SELECT * FROM changes_between('2026-11-21T01:30:00Z', '2026-11-23T01:30:00+00') ORDER BY ALL",
	}
	for name, on := range map[string]string{"requests": "run_id, entry, sent_at, received_at", "positions": "run_id, entry, seen_at"} {
		files := filepath.Join(dir, "lake", name, "*", "*.parquet")
		texts["lake's "+name] = fmt.Sprintf("SELECT (SELECT count(*) FROM read_parquet('%s') JOIN %s USING (%s)) AS some, (SELECT count(*) FROM %[2]s) AS all", files, name, on)
	}
	texts["lake's vessels"] = fmt.Sprintf(`SELECT (SELECT count(*) FROM read_parquet('%s') JOIN vessels USING (vessel_id, last_seen, first_seen, registration_seen_at)) AS some, (SELECT count(*) FROM vessels) AS all`,
		filepath.Join(dir, "lake", "vessels", "snapshot_date="+demoNight(demoDays[len(demoDays)-1]).Format(time.DateOnly), "*.parquet"))
	queries, err := filepath.Glob("queries/*.sql")
	if err != nil || len(queries) == 0 {
		t.Fatalf("no queries: %v", err)
	}
	for _, q := range queries {
		b, err := os.ReadFile(q)
		if err != nil {
			t.Fatal(err)
		}
		texts[q] = string(b)
	}
	answers := map[string]map[string][]string{}
	for _, zone := range zones {
		answers[zone] = answersIn(t, path, zone, texts)
		if diff := cmp.Diff(answers["UTC"], answers[zone]); diff != "" {
			t.Errorf("%s (-UTC +there):\n%s", zone, diff)
		}
	}
	for name, rows := range answers["UTC"] {
		if !strings.Contains(texts[name], " AS some, ") {
			continue
		}
		if n := strings.Fields(rows[0]); n[0] == "0" || n[0] != n[1] {
			t.Errorf("%s: %s of %s", name, n[0], n[1])
		}
	}
}

// answersIn returns the rows of each text, as a session in a time zone reads them.
func answersIn(t *testing.T, path, zone string, texts map[string]string) map[string][]string {
	t.Helper()
	db, err := sql.Open("duckdb", path+"?access_mode=read_only")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("SET TimeZone = '" + zone + "'"); err != nil {
		t.Fatal(err)
	}
	answers := map[string][]string{}
	for name, text := range texts {
		rows, err := db.Query(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		answers[name] = textOf(t, rows)
		if len(answers[name]) == 0 && !strings.HasPrefix(name, "queries/") {
			t.Errorf("%s in %s: no rows", name, zone)
		}
	}
	return answers
}

func textOf(t *testing.T, rows *sql.Rows) (lines []string) {
	t.Helper()
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	values, places := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		places[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintln(values...)))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestTheMachinesTimeZoneIsIgnored runs tests of queries and of the ledger in a process whose machine
// is not in UTC.
func TestTheMachinesTimeZoneIsIgnored(t *testing.T) {
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^(TestQueryReads|TestLedgerByDay|TestLedgerByOutcome)$", "-test.v")
	c.Env = append(slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "TZ=") }), "TZ=Asia/Kathmandu")
	out, err := c.CombinedOutput()
	if err != nil || strings.Count(string(out), "\n--- PASS") != 3 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestEveryInstantHasAZone: a TIMESTAMP without one would be taken for the reader's local time.
func TestEveryInstantHasAZone(t *testing.T) {
	dir := t.TempDir()
	none := warehouse.Build{Dir: dir, RunID: "20261120T020000.000Z-0000"}
	if err := warehouse.Update(t.Context(), none); err != nil {
		t.Fatal(err)
	}
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	tables, err := w.Dictionary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	instants := 0
	for _, table := range tables {
		for _, c := range table.Columns {
			if c.Type == "TIMESTAMP WITH TIME ZONE" {
				instants++
			} else if strings.HasPrefix(c.Type, "TIMESTAMP") {
				t.Errorf("%s.%s is a %s", table.Name, c.Name, c.Type)
			}
		}
	}
	if instants < 40 {
		t.Errorf("%d instants", instants)
	}
}
