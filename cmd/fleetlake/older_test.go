package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/warehouse"
)

// TestAFileOfAnOlderProgramSaysSo: between an upgrade and the next run the published file lacks tables of the program;
// who asks for one learns why, and what brings it.
func TestAFileOfAnOlderProgramSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 60, Limits: unlimitedLanes(-1)})
	w.write("fleetlake.yaml", "jobs: {nightly: {list: {by: country, countries: [Panama]}, sweep: {statuses: []}, lookup: {want: []}}}\nbudget: {per_run: 500}\n"+
		"api: {limits: {by-type: 1000000}}\n")
	w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
	path := warehouse.Path(filepath.Join(w.dir, "fleetlake-data"))
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"DROP TABLE voyages", "DELETE FROM internal.schema_migrations WHERE name = '0051_voyages.sql'"} {
		if _, err := db.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][]string{{"query", "FROM voyages"}, {"export", filepath.Join(w.dir, "lake")}, {"verify"}, {"doctor"}} {
		if o := w.fleetlake(c...); !strings.Contains(o.stdout+o.stderr, "older version of fleetlake published") || !strings.Contains(o.stdout+o.stderr, "next run") {
			t.Errorf("%s does not say that an older program made the file:\n%s%s", c[0], o.stdout, o.stderr)
		}
	}
	if o := w.fleetlake("query", "SELECT none FROM vessels"); strings.Count(o.stderr, "older version") != 1 {
		t.Errorf("a statement that is at fault: %s", o.stderr)
	}
	w.must(exitDone, "rebuild")
	if o := w.must(exitDone, "query", "FROM voyages"); strings.Contains(o.stdout+o.stderr, "older version") {
		t.Errorf("after a rebuild: %s", o.stderr)
	}
}
