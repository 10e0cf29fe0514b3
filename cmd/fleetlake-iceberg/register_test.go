package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// summaries returns the operation, runs and number of rows of each snapshot, in order.
func (e *export) summaries(name string) (all []string) {
	for _, s := range e.table(name).Metadata().Snapshots() {
		p := s.Summary.Properties
		all = append(all, string(s.Summary.Operation)+" "+p["fleetlake.run"]+" "+p["fleetlake.snapshot-date"]+" total "+p["total-records"])
	}
	return all
}

func (e *export) wantSummaries(name string, want ...string) {
	e.t.Helper()
	if diff := cmp.Diff(want, e.summaries(name)); diff != "" {
		e.t.Fatalf("snapshots of %s (-want +got):\n%s", name, diff)
	}
}

func (e *export) pinned() []string {
	e.t.Helper()
	var p pins
	text, err := os.ReadFile(filepath.Join(e.dir, pinsKey))
	if err != nil {
		e.t.Fatal(err)
	}
	if err := json.Unmarshal(text, &p); err != nil {
		e.t.Fatal(err)
	}
	return p.Files
}

func TestTwoNightsAreTwoSnapshots(t *testing.T) {
	e := newExport(t)
	one := e.night("run-1", "2026-11-19", 1, 2, 3)
	two := e.night("run-2", "2026-11-20", 2, 3, 4, 5)
	past := e.history("run-2", "PA", "LR")
	e.publish().do("register")
	e.wantSummaries("facts.listings", "append run-1 2026-11-19 total 3", "append run-2 2026-11-20 total 7")
	e.wantSummaries("history.registration", "append run-2  total 2")
	rows := e.read("facts.listings")
	if want := "run_id=run-1 vessel_id=v000001 imo=101 total=1000000 laden=false latitude=0.25 seen_at=2026-11-19T01:02:03Z snapshot_date=2026-11-19"; rows[0] != want {
		t.Errorf("first row\n got %s\nwant %s", rows[0], want)
	}
	e.fieldIDs("facts.listings")
	e.fieldIDs("history.registration")

	tbl := e.table("facts.listings")
	summary := tbl.CurrentSnapshot().Summary.Properties
	for key, want := range map[string]string{"fleetlake.version": "v1.2.3", "fleetlake.sha256": two.SHA256, "fleetlake.export": "export-1"} {
		if summary[key] != want {
			t.Errorf("summary says %s=%q, want %q", key, summary[key], want)
		}
	}
	spec := tbl.Spec()
	if tbl.Metadata().Version() != 2 || spec.NumFields() != 0 || !slices.Equal(columnsOf(tbl.SortOrder()), []int{7}) {
		t.Errorf("format %d, spec %v, sort %v", tbl.Metadata().Version(), spec, tbl.SortOrder())
	}
	if tbl.Properties()["comment"] != listings.Comment || tbl.Schema().Field(0).Doc != "the run" {
		t.Error("the comments of the manifest are missing")
	}
	if want := []string{one.Path, two.Path, past.Path}; !slices.Equal(e.pinned(), want) {
		t.Errorf("pinned %v, want %v", e.pinned(), want)
	}
}

func TestASecondRegisterChangesNothing(t *testing.T) {
	e := newExport(t)
	e.night("run-1", "2026-11-19", 1, 2)
	e.history("run-1", "PA")
	e.publish().do("register")
	before := e.files()
	out := e.do("register")
	after := e.files()
	delete(before, "_iceberg/catalog.db") // opening it may touch its header
	delete(after, "_iceberg/catalog.db")
	if !maps.Equal(before, after) {
		t.Errorf("files changed: %v", cmp.Diff(slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after))))
	}
	if !strings.Contains(out, "changed: 0 of 2 tables") {
		t.Errorf("said %q", out)
	}
}

func TestADryRunWritesNothing(t *testing.T) {
	e := newExport(t)
	e.night("run-1", "2026-11-19", 1, 2)
	before := e.publish().files()
	for _, verb := range []string{"register", "compact", "expire"} {
		e.do(verb, "--dry-run")
	}
	e.do("status")
	if diff := cmp.Diff(before, e.files()); diff != "" {
		t.Errorf("a dry run wrote:\n%s", diff)
	}
}

func TestANightDerivedAnewReplacesItsFile(t *testing.T) {
	e := newExport(t)
	e.night("run-1", "2026-11-19", 1, 2)
	old := e.night("run-2", "2026-11-20", 3, 4)
	e.night("run-3", "2026-11-21", 5)
	e.publish().do("register")
	e.unlist(old)
	e.night("run-2", "2026-11-20", 3, 4, 6)
	e.publish().do("register")
	e.wantSummaries("facts.listings", "append run-1 2026-11-19 total 2", "append run-2 2026-11-20 total 4",
		"append run-3 2026-11-21 total 5", "overwrite run-2 2026-11-20 total 6")
	e.same("facts.listings")
}

func TestARunThatLeftTheExportLeavesTheTable(t *testing.T) {
	e := newExport(t)
	e.night("run-1", "2026-11-19", 1, 2)
	gone := e.night("run-2", "2026-11-20", 3, 4)
	e.publish().do("register")
	e.unlist(gone)
	e.publish().do("register")
	e.same("facts.listings")
	if n := len(e.read("facts.listings")); n != 2 {
		t.Errorf("%d rows, want those of run-1", n)
	}
}

func TestTheExportsMonthlyFileTakesThePlaceOfItsNightsAtOnce(t *testing.T) {
	e := newExport(t)
	a, b := e.night("run-1", "2026-10-01", 1), e.night("run-2", "2026-10-02", 2)
	e.night("run-3", "2026-11-01", 3)
	e.publish().do("register")
	month := e.month("2026-10", a, b)
	e.publish().do("register")
	e.same("facts.listings")
	snapshots := len(e.summaries("facts.listings"))
	if snapshots != 4 {
		t.Errorf("%d snapshots, want 3 nights and one exchange: %v", snapshots, e.summaries("facts.listings"))
	}
	// A night of the month is derived anew: the export writes another monthly file.
	e.unlist(month)
	e.month("2026-10", e.night("run-1", "2026-10-01", 1), e.night("run-2", "2026-10-02", 2, 9))
	e.m.Files[len(e.m.Files)-1].Path += ".again.parquet"
	if err := os.Rename(filepath.Join(e.dir, month.Path), filepath.Join(e.dir, e.m.Files[len(e.m.Files)-1].Path)); err != nil {
		t.Fatal(err)
	}
	e.publish().do("register")
	if got := len(e.summaries("facts.listings")); got != 5 || len(e.read("facts.listings")) != 3 {
		t.Errorf("%d snapshots and %d rows, want 5 and 3", got, len(e.read("facts.listings")))
	}
}

func TestNewColumnsArriveWithTheirIDs(t *testing.T) {
	e := newExport(t)
	e.night("run-1", "2026-11-19", 1)
	e.publish().do("register")
	wide := listings
	wide.Columns = append(slices.Clone(listings.Columns), column{ID: 150, Name: "note", Type: "string", Comment: "new"}, column{ID: 140, Name: "again", Type: "long"})
	e.m.Tables["facts.listings"] = wide
	rows := e.rows("run-2", "2026-11-20", []int{2})
	rows[0] = append(rows[0], "hello", 42)
	e.list(e.file("facts.listings", "facts/listings/snapshot_date=2026-11-20/run-2-", part{Run: "run-2", SnapshotDate: "2026-11-20"}, rows))
	e.publish().do("register")
	e.fieldIDs("facts.listings")
	got := e.read("facts.listings")
	if !strings.HasSuffix(got[0], "note=(null) again=(null)") || !strings.HasSuffix(got[1], "note=hello again=42") {
		t.Errorf("rows %v", got)
	}
	// A column that leaves the manifest stays in the table, and its id with it.
	e.m.Tables["facts.listings"] = listings
	e.publish().do("register")
	if _, found := e.table("facts.listings").Schema().FindFieldByID(150); !found {
		t.Error("the column was dropped")
	}
}

func TestColumnsThatCannotBeChangedAreRefused(t *testing.T) {
	for name, change := range map[string]struct {
		to   column
		want string
	}{
		"another type under an old id": {column{2, "imo", "string", ""}, "cannot change"},
		"an old name under another id": {column{200, "imo", "int", ""}, "two columns imo"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newExport(t)
			e.night("run-1", "2026-11-19", 1)
			e.publish().do("register")
			other := listings
			other.Columns = slices.Clone(listings.Columns)
			other.Columns[2] = change.to
			e.m.Tables["facts.listings"] = other
			_, errs, code := e.publish().try("register")
			if code != 1 || !strings.Contains(errs, change.want) {
				t.Errorf("exit %d: %s", code, errs)
			}
			if len(e.read("facts.listings")) != 1 {
				t.Error("the table was changed")
			}
		})
	}
}

func TestHistoryIsReplacedInOneSnapshot(t *testing.T) {
	e := newExport(t)
	e.history("run-1", "PA", "LR")
	e.publish().do("register")
	e.history("run-2", "PA", "MT", "CY")
	e.publish().do("register")
	e.wantSummaries("history.registration", "append run-1  total 2", "overwrite run-2  total 3")
	e.same("history.registration")
	e.history("run-3", "PA", "MT", "CY") // the same content: the same file
	e.publish().do("register")
	e.wantSummaries("history.registration", "append run-1  total 2", "overwrite run-2  total 3")
}

func TestAFileThatDiffersFromTheManifestIsRefused(t *testing.T) {
	e := newExport(t)
	e.night("run-1", "2026-11-19", 1)
	e.m.Files[0].Rows = 7
	_, errs, code := e.publish().try("register")
	if code != 1 || !strings.Contains(errs, "has 1 rows") || !strings.Contains(errs, "export verify") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

func TestBadManifestsAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(e *export)
		want  string
	}{
		"another format":          {func(e *export) { e.m.Format = 3 }, "format 3"},
		"a path out of its table": {func(e *export) { e.m.Files[0].Path = "facts/listings/../../secret" }, "not below its folder"},
		"a night in two files":    {func(e *export) { f := e.m.Files[0]; f.Path += "x"; e.list(f) }, "in two files"},
		"an id used twice": {func(e *export) {
			x := listings
			x.Columns = append(slices.Clone(x.Columns), column{2, "other", "int", ""})
			e.m.Tables["facts.listings"] = x
		}, "used twice"},
		"an unknown type": {func(e *export) {
			x := listings
			x.Columns = append(slices.Clone(x.Columns), column{70, "other", "decimal", ""})
			e.m.Tables["facts.listings"] = x
		}, `type "decimal" is unknown`},
	} {
		t.Run(name, func(t *testing.T) {
			e := newExport(t)
			e.night("run-1", "2026-11-19", 1)
			c.spoil(e)
			if _, errs, code := e.publish().try("register"); code != 1 || !strings.Contains(errs, c.want) {
				t.Errorf("exit %d: %s", code, errs)
			}
			if _, err := os.Stat(filepath.Join(e.dir, "_iceberg")); err == nil {
				t.Error("something was written")
			}
		})
	}
}

func TestATargetWithoutAnExportSaysWhatToDo(t *testing.T) {
	e := newExport(t)
	if _, errs, code := e.try("register"); code != 1 || !strings.Contains(errs, "run `fleetlake export") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// TestAMovedLakeSaysWhatToDo moves the directory of the export with its catalog.
func TestAMovedLakeSaysWhatToDo(t *testing.T) {
	e := newExport(t)
	e.night("run-1", "2026-11-19", 1, 2)
	e.publish().do("register")
	old := e.dir
	e.dir = filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(old, e.dir); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"register", "status"} {
		if _, errs, code := e.try(verb); code != 1 || !strings.Contains(errs, old) || !strings.Contains(errs, "fleetlake-iceberg register "+e.dir) {
			t.Errorf("%s: exit %d: %s", verb, code, errs)
		}
	}
	if err := os.Remove(filepath.Join(e.dir, "_iceberg/catalog.db")); err != nil {
		t.Fatal(err)
	}
	e.do("register")
	e.same("facts.listings")
}
