package export

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/load/store"
	"github.com/google/go-cmp/cmp"
)

// compact compacts and fails the test if that fails.
func compact(t testing.TB, dir string, s store.Store, o Options) Report {
	t.Helper()
	r, err := Compact(t.Context(), dir, s, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAClosedMonthIsOneFile(t *testing.T) {
	dir := fiveNightsDir(t)
	for name, open := range targets(t) {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			export(t, dir, s, Options{})
			before := tree(t, s)
			plan := compact(t, dir, s, Options{DryRun: true})
			if diff := cmp.Diff(before, tree(t, s)); diff != "" {
				t.Errorf("the dry run wrote: %s", diff)
			}
			r := compact(t, dir, s, Options{})
			tables := 6 // listings, sightings, positions, requests, coverage and vessels
			if r.Files != tables || len(plan.Uploads) != tables || r.Export == "" {
				t.Errorf("it merged %+v, planned %+v", r, plan)
			}
			m := current(t, s)
			for _, table := range []string{"facts.positions", "facts.vessels"} {
				paths := listed(m, table)
				if len(paths) != 3 || !strings.Contains(paths[0], "/snapshot_month=2026-10/") {
					t.Errorf("%s: %v", table, paths)
				}
			}
			merged := m.Files[slices.IndexFunc(m.Files, func(f File) bool { return f.Table == "facts.positions" })]
			if merged.First != "2026-10-29" || merged.Last != "2026-10-31" || len(merged.Sources) != 3 || merged.Rows != 60 {
				t.Errorf("the merged file is %+v", merged)
			}
			equalRows(t, dir, s)
			if again := compact(t, dir, s, Options{}); again.Files != 0 || again.Export != "" {
				t.Errorf("again it did %+v", again)
			}
			if again := export(t, dir, s, Options{}); again.Files != 0 || again.Export != "" {
				t.Errorf("an export after it did %+v", again)
			}
			if !strings.Contains(string(content(t, s, "ddl/bigquery.sql")), merged.Path) {
				t.Error("the statements do not name the merged file")
			}
		})
	}
}

// TestAMergedFileHasTheIDsAndTheOrderOfItsSources reads the Parquet schema of both.
func TestAMergedFileHasTheIDsAndTheOrderOfItsSources(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	export(t, dir, s, Options{Tables: []string{"facts"}})
	w := reader(t, dir)
	schema := func(table string) string {
		path := "'" + whole(t, s, current(t, s))["facts."+table][0] + "'"
		return answer(t, w, "SELECT name, field_id, type FROM parquet_schema("+path+") WHERE num_children IS NULL") +
			answer(t, w, "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet("+path+"))")
	}
	before := map[string]string{}
	for _, table := range []string{"positions", "vessels", "coverage"} {
		before[table] = schema(table)
	}
	compact(t, dir, s, Options{})
	for table, want := range before {
		if diff := cmp.Diff(want, schema(table)); diff != "" {
			t.Errorf("%s: %s", table, diff)
		}
	}
	path := whole(t, s, current(t, s))["facts.positions"][0]
	if got := answer(t, w, "SELECT count(*) FROM (SELECT vessel_id < lag(vessel_id) OVER () AS less FROM read_parquet('"+path+"')) WHERE less"); got != "[0]\n" {
		t.Errorf("%s rows are out of order", got)
	}
}

// TestANightDerivedAnewTakesItsMonthApart changes a night of a merged month.
func TestANightDerivedAnewTakesItsMonthApart(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	export(t, dir, s, Options{})
	compact(t, dir, s, Options{})
	other := fiveNights()
	other[1].speed = 77
	derivedAnew(t, dir, other[1])
	if r := compact(t, dir, s, Options{}); r.Files != 0 {
		t.Errorf("it merged a month that the lake has otherwise: %+v", r)
	}
	export(t, dir, s, Options{Since: "2026-11-01"}) // does not select it
	if paths := listed(current(t, s), "facts.positions"); len(paths) != 3 {
		t.Errorf("positions: %v", paths)
	}
	export(t, dir, s, Options{})
	m := current(t, s)
	if paths := listed(m, "facts.positions"); len(paths) != 5 || strings.Contains(paths[0], "snapshot_month") {
		t.Errorf("positions: %v", paths)
	}
	if paths := listed(m, "facts.listings"); len(paths) != 3 {
		t.Errorf("listings, which did not change: %v", paths)
	}
	equalRows(t, dir, s)
	compact(t, dir, s, Options{})
	equalRows(t, dir, s)
	if paths := listed(current(t, s), "facts.positions"); len(paths) != 3 {
		t.Errorf("merged again: %v", paths)
	}
	s.onceEach(t)
}

// TestALateNightJoinsItsMonth publishes a run of a month that is merged.
func TestALateNightJoinsItsMonth(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	export(t, dir, s, Options{})
	compact(t, dir, s, Options{})
	publish(t, dir, night{date: "2026-10-30", id: "20261103T120000.000Z-0001", ships: 3})
	export(t, dir, s, Options{})
	equalRows(t, dir, s)
	compact(t, dir, s, Options{})
	equalRows(t, dir, s)
	if paths := listed(current(t, s), "facts.positions"); len(paths) != 3 {
		t.Errorf("positions: %v", paths)
	}
}

// TestFilesOfEarlierProgramsAreMerged merges a lake file without snapshot_date and without another
// column.
func TestFilesOfEarlierProgramsAreMerged(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	path := filepath.Join(dir, "lake", "positions", "snapshot_date=2026-10-30", "20261030T020000.000Z-0000.parquet")
	older := filepath.Join(t.TempDir(), "older.parquet")
	if _, err := db.Exec("COPY (SELECT * EXCLUDE (snapshot_date, extra) FROM read_parquet('" + path + "', hive_partitioning = false)) TO '" + older + "' (FORMAT parquet)"); err != nil {
		t.Fatal(err)
	}
	size, sum, err := digestOf(older)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(older, path); err != nil {
		t.Fatal(err)
	}
	rewriteManifest(t, dir, "20261030T020000.000Z-0000", func(f *load.File) {
		if f.Table == "positions" {
			f.Bytes, f.SHA256 = size, sum
		}
	})
	export(t, dir, s, Options{})
	compact(t, dir, s, Options{Tables: []string{"positions"}})
	merged := whole(t, s, current(t, s))["facts.positions"][0]
	got := answer(t, reader(t, dir), "SELECT snapshot_date::VARCHAR, count(*), count(extra) FROM read_parquet('"+merged+"') GROUP BY 1 ORDER BY 1")
	if want := "[\"2026-10-29\",20,0]\n[\"2026-10-30\",20,0]\n[\"2026-10-31\",20,0]\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// rewriteManifest changes the files of a manifest of the lake.
func rewriteManifest(t testing.TB, dir, run string, change func(*load.File)) {
	t.Helper()
	path := filepath.Join(dir, "lake", "_manifests", run+".json")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var m load.Manifest
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	for i := range m.Files {
		change(&m.Files[i])
	}
	if b, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// at returns a clock that stands at a day of November 2026.
func at(day int) func() time.Time {
	return func() time.Time { return time.Date(2026, 11, day, 12, 0, 0, 0, time.UTC) }
}

// TestExpiryHonoursGraceAndPins supersedes files on the 10th and looks at what expiries remove later.
func TestExpiryHonoursGraceAndPins(t *testing.T) {
	dir := fiveNightsDir(t)
	for name, open := range targets(t) {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			export(t, dir, s, Options{Now: at(3)})
			old := current(t, s)
			compact(t, dir, s, Options{Now: at(10)})
			now := current(t, s).paths()
			var superseded []string
			for _, path := range slices.Sorted(maps.Keys(old.paths())) {
				if _, listed := now[path]; !listed {
					superseded = append(superseded, path)
				}
			}
			pinned := superseded[0]
			put(t, s, pinsKey+"iceberg.json", fmt.Sprintf(`{"files": [%q, "facts/none"]}`, pinned))
			put(t, s, "facts/positions/snapshot_date=2026-10-29/mine.parquet", "mine")
			for _, step := range []struct {
				day     int
				dry     bool
				removed int
				waiting int
			}{{16, false, 0, len(superseded) - 1}, {18, true, len(superseded) - 1, 0}, {18, false, len(superseded) - 1, 0}, {18, false, 0, 0}} {
				got, err := Expire(t.Context(), s, ExpireOptions{Now: at(step.day), DryRun: step.dry})
				if err != nil || got.Files != step.removed || got.Waiting != step.waiting || got.Pinned != 1 || len(got.Removed) != step.removed {
					t.Errorf("on day %d: %+v, %v; want %d removed and %d waiting", step.day, got, err, step.removed, step.waiting)
				}
				if _, there := tree(t, s)[superseded[1]]; there != (step.day < 18 || step.dry) {
					t.Errorf("on day %d %s is there: %v", step.day, superseded[1], there)
				}
			}
			if string(content(t, s, "facts/positions/snapshot_date=2026-10-29/mine.parquet")) != "mine" || len(content(t, s, pinned)) == 0 {
				t.Error("it removed what is pinned or of others")
			}
			equalRows(t, dir, s)
		})
	}
}

// TestRetentionDropsOldNights keeps two days of facts, and exports again.
func TestRetentionDropsOldNights(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	export(t, dir, s, Options{Now: at(3)})
	got, err := Expire(t.Context(), s, ExpireOptions{Now: at(3), KeepFacts: 48 * time.Hour})
	if err != nil || got.FactsSince != "2026-10-31" || got.Unlisted != 12 || got.Files != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
	nights := func() (dates []string) {
		for _, r := range current(t, s).Runs {
			dates = append(dates, r.SnapshotDate)
		}
		return dates
	}
	if diff := cmp.Diff([]string{"2026-10-31", "2026-11-01", "2026-11-02"}, nights()); diff != "" {
		t.Error(diff)
	}
	if r := export(t, dir, s, Options{Now: at(4)}); r.Files != 0 || len(nights()) != 3 {
		t.Errorf("an export brings them back: %+v", r)
	}
	if got, err := Expire(t.Context(), s, ExpireOptions{Now: at(11)}); err != nil || got.Files != 12 {
		t.Errorf("a week later: %+v, %v", got, err)
	}
	if v, err := Verify(t.Context(), dir, s, VerifyOptions{}); err != nil || !v.OK || v.Superseded != 0 {
		t.Errorf("verify: %+v, %v", v, err)
	}
	export(t, dir, s, Options{Since: "2026-10-30"})
	if got := nights(); len(got) != 4 {
		t.Errorf("--since brings back %v", got)
	}
}

// TestOldManifestsThinOut keeps those that list a file which is still there.
func TestOldManifestsThinOut(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	for i, tables := range []string{"facts.positions", "facts.listings", "facts.vessels"} {
		export(t, dir, s, Options{Now: at(3 + i), Tables: []string{tables}})
	}
	export(t, dir, s, Options{Now: at(6), Warehouse: true})
	if n := len(keys(t, s, manifestsKey)); n != 4 {
		t.Fatalf("%d manifests", n)
	}
	if got, err := Expire(t.Context(), s, ExpireOptions{Now: at(14)}); err != nil || got.Manifests != 3 || got.Files != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
	if n := len(keys(t, s, manifestsKey)); n != 2 {
		t.Errorf("%d manifests are left, want the one before and the new one", n)
	}
}

// TestAnExportDoesNotRelyOnWhatAnExpiryRemoves wants a file again that an expiry has announced.
func TestAnExportDoesNotRelyOnWhatAnExpiryRemoves(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	export(t, dir, s, Options{Now: at(3)})
	compact(t, dir, s, Options{Now: at(4)})
	s.before = func(operation, _ string) error {
		if operation == "delete" {
			return errKilled
		}
		return nil
	}
	if _, err := Expire(t.Context(), s, ExpireOptions{Now: at(20)}); err == nil {
		t.Fatal("the expiry was not stopped")
	}
	s.before = nil
	derivedAnew(t, dir, night{date: "2026-10-29", ships: 20, speed: 5}) // takes the month apart: files are wanted that the expiry removes
	if _, err := Run(t.Context(), dir, s, Options{}); err == nil || !strings.Contains(err.Error(), "export expire") {
		t.Errorf("got %v", err)
	}
	if _, err := Expire(t.Context(), s, ExpireOptions{Now: at(20)}); err != nil {
		t.Fatal(err)
	}
	export(t, dir, s, Options{})
	equalRows(t, dir, s)
	if m := current(t, s); len(m.Expiring) != 0 {
		t.Errorf("it still announces %v", m.Expiring)
	}
}

// TestABadPinStopsAnExpiry has a pin that cannot be read.
func TestABadPinStopsAnExpiry(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	export(t, dir, s, Options{Now: at(3)})
	put(t, s, pinsKey+"iceberg.json", "{")
	if _, err := Expire(t.Context(), s, ExpireOptions{Now: at(30)}); err == nil || !strings.Contains(err.Error(), "iceberg.json") {
		t.Errorf("got %v", err)
	}
}

// TestTheReadmeCountsThePositions runs the line for DuckDB of the README in the exported directory.
func TestTheReadmeCountsThePositions(t *testing.T) {
	dir := fiveNightsDir(t)
	target := filepath.Join(t.TempDir(), "out")
	s := watch(t, target, store.Options{})
	export(t, dir, s, Options{})
	compact(t, dir, s, Options{})
	_, after, ok := strings.Cut(string(content(t, s, "README.md")), "```sql\n")
	text, _, closed := strings.Cut(after, "```")
	if !ok || !closed {
		t.Fatal("the README has no statement")
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	t.Chdir(target)
	var n int
	set, count, _ := strings.Cut(text, ";\n")
	if _, err := db.ExecContext(context.Background(), set); err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRow(count).Scan(&n); err != nil || n != 100 {
		t.Errorf("it counts %d positions, %v", n, err)
	}
}
