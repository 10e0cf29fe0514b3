package main

import (
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/warehousetest"
)

// TestThePageAnswersStatements sends statements to the form of a real process: answers, faults, files, and
// each attack, which must be refused and change nothing.
func TestThePageAnswersStatements(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 300})
	w.configure(1_000_000, "    schedule: '0 0 1 1 *'\n    missed: skip\n    list: {by: country}\n    sweep: {statuses: []}\n    lookup: {want: []}\nserve: {listen: '127.0.0.1:0'}\nqueries: {time: 20m}\n")
	w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
	d := w.serve()
	page := d.page()
	ask := func(sql, format string) (int, string) {
		t.Helper()
		status, body := get(t, page+"/ask?"+url.Values{"sql": {sql}, "format": {format}}.Encode())
		return status, html.UnescapeString(body)
	}
	for name, c := range map[string]struct {
		sql, format string
		status      int
		want        string
	}{
		"rows":              {"SELECT 42 AS n, NULL AS nothing", "", 200, `<td class="num"><bdi>42</bdi></td><td class="num"><i class="quiet">NULL</i></td>`},
		"bars":              {"SELECT flag, count(*) AS n FROM vessels GROUP BY 1 ORDER BY 2 DESC LIMIT 3", "", 200, "The answer as bars"},
		"a line":            {"SELECT DATE '2026-11-20' + i::INTEGER AS night, i * 2 AS n FROM range(5) AS t(i)", "", 200, "<polyline points="},
		"more than a page":  {"FROM range(2500)", "", 200, "and 1,500 more rows"},
		"a fault":           {"SELECT flagg\nFROM vessels", "", 400, "LINE 1: SELECT flagg"},
		"a file of another": {"FROM read_csv('/etc/passwd')", "", 400, "read_csv is refused"},
		"an update":         {"DROP TABLE runs", "", 400, "only one statement that reads"},
		"CSV":               {"SELECT 1 AS a, '' AS b, NULL AS c", "csv", 200, "a,b,c\n1,\"\",\n"},
		"a script":          {"SELECT '<script>alert(1)</script>' AS a", "", 200, "<bdi>"},
		"a large cell":      {"SELECT repeat('<', 1000000) AS a", "", 200, "… (1,000,000 bytes)"},
		"many large cells":  {"SELECT repeat('<', 1000000) AS a, i FROM range(100) AS t(i)", "", 200, "… (1,000,000 bytes)"},
		"many cells":        {"SELECT " + strings.Repeat("i,", 999) + "i FROM range(1000) AS t(i)", "", 200, "more rows, which a file has"},
		"a large row":       {"SELECT repeat('<', 20000000) AS a", "", 400, "more than 16 MiB in one row"},
		"a long one":        {"SELECT '" + strings.Repeat("x", 9000) + "'", "", 400, "more than 8192 bytes"},
	} {
		if status, body := ask(c.sql, c.format); status != c.status || !strings.Contains(body, c.want) || len(body) > 16<<20 {
			t.Errorf("%s: %d, no %q in %d bytes: %.3000s", name, status, c.want, len(body), body)
		}
	}
	if _, body := get(t, page+"/ask?sql="+url.QueryEscape("SELECT '<script>alert(1)</script>' AS a")); strings.Contains(strings.ReplaceAll(body, `<script src="/ask.js" defer></script>`, ""), "<script") {
		t.Error("a script is on the page")
	}
	const everyType = "SELECT TIMESTAMPTZ '2026-11-20 02:00:00.5+00' AS instant, 'infinity'::TIMESTAMPTZ AS never, TIMESTAMP '2026-11-20 02:00:00' AS clock, DATE '2026-11-20' AS day, TIME '01:02:03.5' AS hour, " +
		"52.0::DOUBLE AS whole, 1e20 AS large, 'nan'::DOUBLE AS nan, -0.1::FLOAT AS small, 1.50::DECIMAL(9,2) AS money, 170141183460469231731687303715884105727::HUGEINT AS huge, '\\xAA'::BLOB AS bytes, " +
		"[TIMESTAMPTZ '2026-11-20 02:00:00+00'] AS list, {'a': 1.0::DOUBLE} AS struct, INTERVAL 90 MINUTE AS span, true AS yes, NULL AS nothing, '' AS empty"
	if status, got := ask(everyType, "csv"); status != http.StatusOK || got != html.UnescapeString(w.must(exitDone, "query", "--format", "csv", everyType).stdout) {
		t.Errorf("the page and the command line write another CSV: %d\n%s", status, got)
	}
	status, file := ask("SELECT sum(i) AS n FROM range(10) AS t(i)", "parquet")
	if err := os.WriteFile(filepath.Join(w.dir, "answer.parquet"), []byte(file), 0o600); err != nil || status != http.StatusOK {
		t.Fatal(status, err)
	}
	for _, format := range []string{"csv", "parquet"} { // of an answer with a row at its end that is too large
		late := "SELECT CASE WHEN i < 60000 THEN hash(i)::VARCHAR ELSE repeat('x', 20000000) END AS s FROM range(60001) AS t(i)"
		answer, err := http.Get(page + "/ask?" + url.Values{"sql": {late}, "format": {format}}.Encode())
		if err != nil {
			continue // the connection ended before its first byte came
		}
		n, err := io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if answer.StatusCode == http.StatusOK && err == nil {
			t.Errorf("part of an answer as %s is taken for a file of %d bytes", format, n)
		}
	}
	for _, c := range []struct{ list, format, sql string }{
		{"vessels?is_vessel=true&year_built=", "csv", "SELECT * FROM vessels WHERE is_vessel AND year_built IS NULL ORDER BY name NULLS LAST, vessel_id"},
		{"coverage?kind=country&sort=value", "json", "SELECT * FROM coverage WHERE kind = 'country' ORDER BY value ASC NULLS LAST, snapshot_date DESC, run_id DESC, operation, value"},
	} {
		status, got := get(t, page+"/list/"+c.list+"&format="+c.format)
		if want := w.must(exitDone, "query", "--format", c.format, c.sql).stdout; status != http.StatusOK || got != want || len(got) < 1000 {
			t.Errorf("%s as %s: %d, %.500s, want %.500s", c.list, c.format, status, got, want)
		}
	}
	if status, got := get(t, page+"/list/vessels?flag=PA&format=parquet"); status != http.StatusOK || !strings.HasPrefix(got, "PAR1") {
		t.Errorf("a list as Parquet: %d %.20q", status, got)
	}
	attackThePage(t, w, ask)
	d.cmd.Process.Signal(syscall.SIGTERM)
	if code, _ := d.ends(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
}

// attackThePage sends statements that would do more than read: one of each group, and with FLEETLAKE_LONG all.
func attackThePage(t *testing.T, w *world, ask func(sql, format string) (int, string)) {
	t.Helper()
	published := warehouse.Path(filepath.Join(w.dir, "fleetlake-data"))
	before, err := os.ReadFile(published)
	if err != nil {
		t.Fatal(err)
	}
	target := t.TempDir()
	secret := filepath.Join(w.dir, "secret.csv")
	w.write("secret.csv", "a\n1\n")
	n := 0
	for name, all := range warehousetest.Attacks {
		for i, text := range all {
			if i > 0 && os.Getenv("FLEETLAKE_LONG") == "" {
				break // package warehouse sends all of them to what the processes call, and schedules/flight some more
			}
			n++
			text = strings.NewReplacer("FILE", filepath.Join(target, "written"), "SECRET", secret, "DATA", published, "DIR", target).Replace(text)
			if status, body := ask(text, ""); status != http.StatusBadRequest || !strings.Contains(body, `class="problem"`) {
				_, said, _ := strings.Cut(body, `id="answer"`)
				t.Errorf("%s: %q: %d %.300s", name, text, status, said)
			}
		}
	}
	left, err := os.ReadDir(target)
	if after, readErr := os.ReadFile(published); readErr != nil || string(after) != string(before) || err != nil || len(left) > 0 {
		t.Errorf("after %d attacks: the file changed, or %v was written: %v, %v", n, left, readErr, err)
	}
	if status, body := ask("SELECT 1 AS n", ""); status != http.StatusOK || !strings.Contains(body, "<bdi>1</bdi>") || n < len(warehousetest.Attacks) {
		t.Errorf("after %d attacks: %d %s", n, status, body)
	}
}
