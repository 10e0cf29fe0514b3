package warehouse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/fleetlake/fleetlake/transform"
)

// runAt is a run of a night in November 2026.
func runAt(day int) Run {
	at := time.Date(2026, 11, day, 2, 0, 0, 0, time.UTC)
	return Run{ID: at.Format("20060102T150405.000Z") + "-0000", Job: "nightly", Date: at.Format(time.DateOnly), Started: at, Finished: at.Add(time.Hour), State: "done", Requests: 3, Report: "{}"}
}

// update publishes a run whose step runs SQL. A first run without any, in an empty directory, is copied from
// that of another test.
func update(t *testing.T, dir string, day int, sql ...string) error {
	t.Helper()
	if there, _ := os.ReadDir(dir); len(sql)+len(there) == 0 {
		return firstRun(t, dir, day)
	}
	return publish(t.Context(), dir, day, sql...)
}

// publish is update without a copy.
func publish(ctx context.Context, dir string, day int, sql ...string) error {
	b := Build{Dir: dir, RunID: runAt(day).ID, Comments: comments()}
	if _, err := os.Stat(Path(dir)); err == nil {
		b.From = Path(dir)
	}
	b.Steps = append(b.Steps, func(ctx context.Context, tx *Tx) error {
		if err := tx.addRun(ctx, runAt(day)); err != nil {
			return err
		}
		for _, text := range sql {
			if err := tx.exec(ctx, "test", text); err != nil {
				return err
			}
		}
		return nil
	})
	return Update(ctx, b)
}

// firstRuns are the files of data directories with one run, by its day.
var firstRuns struct {
	sync.Mutex
	files map[int]map[string][]byte
}

// firstRun makes a data directory with one run.
func firstRun(t *testing.T, dir string, day int) error {
	t.Helper()
	firstRuns.Lock()
	defer firstRuns.Unlock()
	if firstRuns.files[day] == nil {
		from, files := t.TempDir(), map[string][]byte{}
		if err := publish(t.Context(), from, day); err != nil {
			return err
		}
		for _, path := range []string{fingerprintsPath(""), filepath.Join("warehouse", "versions", runAt(day).ID+".duckdb")} {
			content, err := os.ReadFile(filepath.Join(from, path))
			must(t, err)
			files[path] = content
		}
		if firstRuns.files == nil {
			firstRuns.files = map[int]map[string][]byte{}
		}
		firstRuns.files[day] = files
	}
	must(t, os.MkdirAll(versions(dir), 0o755))
	must(t, os.MkdirAll(filepath.Join(dir, "work"), 0o755))
	for path, content := range firstRuns.files[day] {
		must(t, os.WriteFile(filepath.Join(dir, path), content, 0o644))
	}
	version := filepath.Join(versions(dir), runAt(day).ID+".duckdb")
	return errors.Join(os.Chmod(version, publishedMode), os.Link(version, Path(dir)))
}

// comments are those that a load gives to a build.
func comments() (all []Comment) {
	for _, c := range transform.Comments() {
		all = append(all, Comment{c.Dataset, c.Column, c.Text})
	}
	return all
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func opened(t *testing.T, dir string) *Warehouse {
	t.Helper()
	w, err := Open(t.Context(), Path(dir), Options{})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

func published(t *testing.T, dir string) string {
	t.Helper()
	w, err := Open(t.Context(), Path(dir), Options{})
	must(t, err)
	defer w.Close()
	runs, err := w.Runs(t.Context(), 0)
	must(t, err)
	var days []string
	for _, r := range runs {
		days = append(days, r.Date[8:])
	}
	return strings.Join(days, " ")
}

// left lists the files of a directory.
func left(t *testing.T, path string) []string {
	t.Helper()
	entries, err := os.ReadDir(path)
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestUpdateFailsWithoutTrace(t *testing.T) {
	boom := errors.New("boom")
	cases := map[string]func(b *Build) context.Context{
		"a step fails": func(b *Build) context.Context {
			b.Steps = append(b.Steps, func(context.Context, *Tx) error { return boom })
			return t.Context()
		},
		"the check fails": func(b *Build) context.Context {
			b.Check = func(context.Context, *Warehouse) error { return boom }
			return t.Context()
		},
		"the context is cancelled before the rename": func(b *Build) context.Context {
			ctx, cancel := context.WithCancelCause(t.Context())
			b.Check = func(context.Context, *Warehouse) error { cancel(boom); return nil }
			return ctx
		},
		"an invariant is violated": func(b *Build) context.Context {
			b.Steps = append(b.Steps, func(ctx context.Context, tx *Tx) error {
				return tx.exec(ctx, "test", "INSERT INTO registration (vessel_id, valid_from) VALUES ('IMO1', now()), ('IMO1', now())")
			})
			return t.Context()
		},
		"the file to build on is damaged": func(b *Build) context.Context {
			b.From = filepath.Join(b.Dir, "damaged.duckdb")
			must(t, os.WriteFile(b.From, []byte(strings.Repeat("not a database ", 1000)), 0o644))
			return t.Context()
		},
	}
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, update(t, dir, 20))
			b := Build{Dir: dir, RunID: runAt(21).ID, From: Path(dir)}
			if err := Update(prepare(&b), b); err == nil {
				t.Fatal("no error")
			}
			if got := published(t, dir); got != "20" {
				t.Errorf("published runs of %s, want 20", got)
			}
			if names := left(t, filepath.Join(dir, "work")); len(names) > 0 {
				t.Errorf("left in work: %v", names)
			}
		})
	}
}

func TestUpdateRemovesWhatACrashLeft(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "work", "duckdb.tmp"), 0o755))
	for _, name := range []string{"fleet.duckdb", "fleet.duckdb.wal", "duckdb.tmp/spilled"} {
		must(t, os.WriteFile(filepath.Join(dir, "work", name), []byte("half"), 0o644))
	}
	must(t, update(t, dir, 20))
	if names := left(t, filepath.Join(dir, "work")); len(names) > 0 {
		t.Errorf("left in work: %v", names)
	}
	if got := published(t, dir); got != "20" {
		t.Errorf("published %s, want 20", got)
	}
}

func TestUpdateAppliesARunOnce(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	if err := update(t, dir, 20); !errors.Is(err, ErrApplied) {
		t.Errorf("got %v, want %v", err, ErrApplied)
	}
}

func TestUpdateStartsAgainWithMoreMemory(t *testing.T) {
	dir := t.TempDir()
	tries := 0
	var warned []string
	b := Build{Dir: dir, RunID: "a", MemoryMiB: 16, Warn: func(notice string) { warned = append(warned, notice) }, Steps: []func(context.Context, *Tx) error{
		func(ctx context.Context, tx *Tx) error {
			tries++
			return tx.exec(ctx, "test", "CREATE TEMP TABLE wide AS SELECT list(range) AS l FROM range(3000000)")
		},
	}}
	must(t, Update(t.Context(), b))
	if tries < 2 {
		t.Errorf("the step ran %d times, want at least 2", tries)
	}
	if len(warned) != tries-1 || !strings.Contains(warned[0], "more memory than 16 MiB") {
		t.Errorf("%d tries, warned: %q", tries, warned)
	}
}

func TestVersionsAreKeptAndRolledBackTo(t *testing.T) {
	dir := t.TempDir()
	if _, err := Rollback(t.Context(), dir); !errors.Is(err, ErrNoVersion) {
		t.Errorf("without a warehouse: got %v, want %v", err, ErrNoVersion)
	}
	for day := 1; day <= 8; day++ {
		must(t, update(t, dir, day))
	}
	names := left(t, versions(dir))
	if len(names) != Versions+1 || names[0] != runAt(4).ID+".duckdb" || names[Versions] != "order" {
		t.Errorf("versions %v, want the last %d", names, Versions)
	}
	for _, want := range []string{"7 6 5 4 3 2 1", "6 5 4 3 2 1", "5 4 3 2 1", "4 3 2 1"} {
		_, err := Rollback(t.Context(), dir)
		must(t, err)
		if got := strings.ReplaceAll(published(t, dir), "0", ""); got != want {
			t.Errorf("rolled back to %s, want %s", got, want)
		}
	}
	if _, err := Rollback(t.Context(), dir); !errors.Is(err, ErrNoVersion) {
		t.Errorf("past the oldest: got %v, want %v", err, ErrNoVersion)
	}
	must(t, update(t, dir, 9))
	if got := published(t, dir); got != "09 04 03 02 01" {
		t.Errorf("after the rollback %s was published, want 09 04 03 02 01", got)
	}
}

func TestBaseIsFromBeforeTheNight(t *testing.T) {
	dir := t.TempDir()
	base := func(date string) string {
		path, runs, err := FindBases(dir).Before(t.Context(), date)
		must(t, err)
		return fmt.Sprint(filepath.Base(path), " ", len(runs))
	}
	if got, want := base("2026-11-20"), ". 0"; got != want {
		t.Errorf("without a warehouse: %s, want %s", got, want)
	}
	for day := 20; day <= 22; day++ {
		must(t, update(t, dir, day))
	}
	for date, want := range map[string]string{
		"2026-11-23": "fleet.duckdb 3",
		"2026-11-22": runAt(21).ID + ".duckdb 2",
		"2026-11-21": runAt(20).ID + ".duckdb 1",
		"2026-11-20": ". 0",
	} {
		if got := base(date); got != want {
			t.Errorf("before %s: %s, want %s", date, got, want)
		}
	}
}

// TestWhatABuildLeavesIsKnown: what the process knows of the files that it built is what is in them, and it knows
// the latest alone. A file that another program changed is another.
func TestWhatABuildLeavesIsKnown(t *testing.T) {
	dir := t.TempDir()
	for day := 1; day <= Versions; day++ {
		must(t, publish(t.Context(), dir, day))
	}
	paths, err := publishedFiles(dir)
	must(t, err)
	for _, path := range paths {
		print, err := fingerprint(path)
		must(t, err)
		got, known := finished.of(print)
		runs, latest, err := runsOf(t.Context(), path)
		must(t, err)
		if !known || !maps.Equal(got.runs, runs) || got.latest != latest {
			t.Errorf("%s: known %v, %+v, want %v and %s", path, known, got, runs, latest)
		}
	}
	writer(t, Path(dir), "DELETE FROM runs WHERE run_id = (SELECT max(run_id) FROM runs);CHECKPOINT")()
	if runs, err := FindBases(dir).Published(t.Context()); err != nil || len(runs) != Versions-1 {
		t.Errorf("%d runs of a changed file, %v, want %d", len(runs), err, Versions-1)
	}
	if n := len(finished.files); n > 2*Versions {
		t.Errorf("%d files are known, want at most %d", n, 2*Versions)
	}
}

func TestTheVersionThatANightIsBuiltOnIsKept(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 1))
	base := filepath.Join(versions(dir), runAt(1).ID+".duckdb")
	for day := 2; day <= 9; day++ {
		must(t, Update(t.Context(), Build{Dir: dir, RunID: runAt(day).ID, From: base}))
	}
	if _, err := os.Stat(base); err != nil {
		t.Error(err)
	}
}

func TestMigrate(t *testing.T) {
	one := fstest.MapFS{"0001_a.sql": {Data: []byte("CREATE TABLE a (x INTEGER)")}}
	cases := map[string]struct {
		then fstest.MapFS
		want string // part of the error; empty is none
	}{
		"the same steps again":                 {then: one},
		"one more step":                        {then: fstest.MapFS{"0001_a.sql": one["0001_a.sql"], "0002_b.sql": {Data: []byte("CREATE TABLE b (x INTEGER)")}}},
		"a step that was changed":              {then: fstest.MapFS{"0001_a.sql": {Data: []byte("CREATE TABLE a (x BIGINT)")}}, want: "`fleetlake rebuild`"},
		"a file of a newer program":            {then: fstest.MapFS{}, want: "a newer version of fleetlake made this warehouse"},
		"a file of an older program":           {then: fstest.MapFS{"0001_tables.sql": one["0001_a.sql"]}, want: "`fleetlake rebuild`"},
		"a step that fails leaves the old one": {then: fstest.MapFS{"0001_a.sql": one["0001_a.sql"], "0002_b.sql": {Data: []byte("CREATE TABLE c (x INTEGER); CREATE TABLE a (x INTEGER)")}}, want: "0002_b.sql"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			db, err := open(t.Context(), filepath.Join(t.TempDir(), "x.duckdb"))
			must(t, err)
			defer db.Close()
			must(t, migrated(t.Context(), db, one))
			err = migrated(t.Context(), db, c.then)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want something about %q", err, c.want)
			}
			done, err := applied(t.Context(), db)
			must(t, err)
			if _, ok := done["0002_b.sql"]; ok != (c.want == "" && len(c.then) == 2) {
				t.Errorf("applied: %v", done)
			}
			if _, err := db.Exec("SELECT * FROM c"); err == nil {
				t.Error("half a step is there")
			}
		})
	}
}

func TestEverythingHasAComment(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	tables, err := opened(t, dir).Dictionary(t.Context())
	must(t, err)
	var names []string
	for _, table := range tables {
		names = append(names, table.Name)
		if table.Comment == "" {
			t.Errorf("%s has no comment", table.Name)
		}
		for _, c := range table.Columns {
			if c.Comment == "" || c.Type == "" {
				t.Errorf("%s.%s has no comment", table.Name, c.Name)
			}
		}
	}
	for _, name := range strings.Fields("vessels registration particulars engine management positions listed episodes runs coverage requests issues " +
		"vessel_aliases identity_conflicts mmsi_claims flags countries types vessel_types world_zones navigational_statuses maritime_identification_digits") {
		if !slices.Contains(names, name) {
			t.Errorf("there is no %s", name)
		}
	}
}

// TestEveryColumnOfVesselsNeedsAFieldID: a column without one would get another id in each file.
func TestEveryColumnOfVesselsNeedsAFieldID(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	columns, err := vesselColumns(t.Context(), opened(t, dir).db)
	must(t, err)
	ids := map[string]int{"snapshot_date": 100}
	for i, c := range columns {
		ids[c.Name] = i + 1
	}
	for missing, want := range map[string]string{"": "", "class_society": "the column class_society has no field id", "snapshot_date": "the column snapshot_date has no field id"} {
		known := maps.Clone(ids)
		delete(known, missing)
		b := Build{Dir: dir, RunID: runAt(21).ID, From: Path(dir), Steps: []func(context.Context, *Tx) error{func(ctx context.Context, tx *Tx) error {
			_, err := tx.WriteVessels(ctx, "2026-11-21", known, [][2]string{{"fleetlake.table", "vessels"}}, filepath.Join(dir, "vessels.parquet"))
			return err
		}}}
		if err := Update(t.Context(), b); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("without %q: %v", missing, err)
		}
	}
}

func TestInvariants(t *testing.T) {
	cases := map[string]string{
		"registration_open_once": "INSERT INTO registration (vessel_id, valid_from) VALUES ('A', '2026-01-01'), ('A', '2026-01-02')",
		"particulars_open_once":  "INSERT INTO particulars (vessel_id, valid_from) VALUES ('A', '2026-01-01'), ('A', '2026-01-02')",
		"engine_open_once":       "INSERT INTO engine (vessel_id, valid_from) VALUES ('A', '2026-01-01'), ('A', '2026-01-02')",
		"management_open_once":   "INSERT INTO management (vessel_id, valid_from) VALUES ('A', '2026-01-01'), ('A', '2026-01-02')",
		"voyages_open_once":      "INSERT INTO voyages (vessel_id, valid_from) VALUES ('A', '2026-01-01'), ('A', '2026-01-02')",
		"voyages_order":          "INSERT INTO voyages (vessel_id, valid_from, valid_to) VALUES ('A', '2026-01-02', '2026-01-02')",
		"registration_order":     "INSERT INTO registration (valid_from) VALUES ('2026-01-01')",
		"particulars_order":      "INSERT INTO particulars (vessel_id, valid_from, valid_to) VALUES ('A', '2026-01-02', '2026-01-02')",
		"engine_order":           "INSERT INTO engine (vessel_id) VALUES ('A')",
		"management_order":       "INSERT INTO management (vessel_id, valid_from, valid_to) VALUES ('A', '2026-01-02', '2026-01-01')",
		"latest_once":            "INSERT INTO internal.latest (vessel_id) VALUES ('A'), ('A')",
		"runs_once":              "INSERT INTO runs (run_id) VALUES ('A'), ('A')",
		"stays_apart":            "INSERT INTO listed (vessel_id, from_date, last_date) VALUES ('A', '2026-01-01', '2026-01-03'), ('A', '2026-01-02', '2026-01-03')",
		"stays_order":            "INSERT INTO listed (vessel_id, from_date, to_date, last_date) VALUES ('A', '2026-01-03', '2026-01-01', '2026-01-03')",
	}
	if n := len(checks()); n != len(cases) {
		t.Errorf("%d statements verify, %d are tried", n, len(cases))
	}
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	for name, sql := range cases {
		t.Run(name, func(t *testing.T) {
			if err := update(t, dir, 21, sql); err == nil || !strings.Contains(err.Error(), "verify/"+name) {
				t.Errorf("got %v, want an error of %s", err, name)
			}
		})
	}
}
