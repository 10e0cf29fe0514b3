package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/google/go-cmp/cmp"
)

// dataFiles returns the keys of the data files of the current snapshot.
func (e *export) dataFiles(name string) (keys []string) {
	e.t.Helper()
	t, err := openTarget(context.Background(), e.dir, s3Options{})
	if err != nil {
		e.t.Fatal(err)
	}
	s, err := readState(context.Background(), t, name, e.table(name))
	if err != nil {
		e.t.Fatal(err)
	}
	for _, f := range s.files {
		keys = append(keys, f.path)
	}
	slices.Sort(keys)
	return keys
}

func sevenNights(t testing.TB) (*export, []manifestFile) {
	e := newExport(t)
	var nights []manifestFile
	for i := range 7 {
		nights = append(nights, e.night(fmt.Sprintf("run-%d", i), fmt.Sprintf("2026-11-%02d", i+1), 1+i%3, 2+i, 30-i, 700))
	}
	e.publish().do("register")
	return e, nights
}

func TestCompactionKeepsEveryRowInTheOrderOfTheTable(t *testing.T) {
	e, _ := sevenNights(t)
	e.history("run-6", "PA")
	e.publish().do("register")
	before := e.read("facts.listings")
	e.do("compact")
	if diff := cmp.Diff(before, e.read("facts.listings")); diff != "" {
		t.Fatalf("rows differ:\n%s", diff)
	}
	files := e.dataFiles("facts.listings")
	if len(files) != 1 || !strings.HasPrefix(files[0], "_iceberg/facts/listings/data/fleetlake-") {
		t.Fatalf("files %v", files)
	}
	if ids := e.column(files[0], "vessel_id"); !slices.IsSorted(ids) || len(ids) != len(before) {
		t.Errorf("%d of %d rows, in the order %v", len(ids), len(before), ids)
	}
	e.same("facts.listings")
	current := e.table("facts.listings").CurrentSnapshot()
	if p := current.Summary.Properties; current.Summary.Operation != "replace" || p["fleetlake.run"] != "run-0,run-1,run-2,run-3,run-4,run-5,run-6" {
		t.Errorf("summary %v", current.Summary)
	}
	if e.table("facts.listings").NameMapping() != nil {
		t.Error("the table got a mapping of names, which grows stale with new columns")
	}
	if files := e.dataFiles("history.registration"); len(files) != 1 || strings.HasPrefix(files[0], "_iceberg") {
		t.Errorf("the history table was rewritten: %v", files)
	}
}

// column reads a column of a Parquet file as text.
func (e *export) column(key, name string) (values []string) {
	e.t.Helper()
	f, err := file.OpenParquetFile(directory(e.dir).path(key), false)
	if err != nil {
		e.t.Fatal(err)
	}
	defer f.Close()
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		e.t.Fatal(err)
	}
	rows, err := r.ReadTable(context.Background())
	if err != nil {
		e.t.Fatal(err)
	}
	defer rows.Release()
	batches := array.NewTableReader(rows, 0)
	defer batches.Release()
	for batches.Next() {
		b := batches.RecordBatch()
		for i := range int(b.NumRows()) {
			values = append(values, b.Column(b.Schema().FieldIndices(name)[0]).ValueStr(i))
		}
	}
	return values
}

func TestAfterACompactionRegisterStillKnowsItsNights(t *testing.T) {
	e, nights := sevenNights(t)
	e.do("compact")
	e.expireAll() // the summaries of the nights are gone
	if n := len(e.summaries("facts.listings")); n != 1 {
		t.Fatalf("%d snapshots are left", n)
	}
	e.do("register")
	if n := len(e.summaries("facts.listings")); n != 1 {
		t.Fatalf("register added a night that the compacted file has: %v", e.summaries("facts.listings"))
	}
	e.night("run-7", "2026-11-08", 5)
	e.publish().do("register")
	e.wantFiles("facts.listings", 1, 1)

	// A night in the compacted file is derived anew: one snapshot exchanges it.
	e.unlist(nights[3])
	e.night("run-3", "2026-11-04", 1, 2, 3, 4, 5, 6)
	e.publish().do("register")
	if n := len(e.summaries("facts.listings")); n != 3 {
		t.Errorf("snapshots %v", e.summaries("facts.listings"))
	}
	e.same("facts.listings")
	e.do("compact")
	e.wantFiles("facts.listings", 1, 0)
	e.same("facts.listings")
	e.do("register")
	e.same("facts.listings")
}

// wantFiles checks how many files of compact and of the export a table has.
func (e *export) wantFiles(name string, compacted, exported int) {
	e.t.Helper()
	got := map[bool]int{}
	for _, key := range e.dataFiles(name) {
		got[strings.HasPrefix(key, "_iceberg/")]++
	}
	if got[true] != compacted || got[false] != exported {
		e.t.Fatalf("%d compacted and %d exported files, want %d and %d", got[true], got[false], compacted, exported)
	}
}

func TestARunThatLeftTheExportLeavesACompactedFileToo(t *testing.T) {
	e, nights := sevenNights(t)
	e.do("compact")
	e.unlist(nights[6])
	e.publish().do("register")
	e.wantFiles("facts.listings", 0, 6)
	e.same("facts.listings")
}

func TestFewFilesWaitForACompaction(t *testing.T) {
	e := newExport(t)
	for i := range 4 {
		e.night(fmt.Sprintf("run-%d", i), fmt.Sprintf("2026-11-%02d", i+1), i)
	}
	e.publish().do("register")
	e.do("compact")
	e.wantFiles("facts.listings", 0, 4)
	e.do("compact", "--min-files", "4")
	e.wantFiles("facts.listings", 1, 0)
}

func TestACompactionReadsFilesOlderThanAColumn(t *testing.T) {
	e := newExport(t)
	e.night("run-1", "2026-11-01", 1)
	wide := listings
	wide.Columns = append(slices.Clone(listings.Columns), column{ID: 150, Name: "note", Type: "string"})
	e.m.Tables["facts.listings"] = wide
	rows := e.rows("run-2", "2026-11-02", []int{2})
	rows[0] = append(rows[0], "hello")
	e.list(e.file("facts.listings", "facts/listings/snapshot_date=2026-11-02/run-2-", part{Run: "run-2", SnapshotDate: "2026-11-02"}, rows))
	e.publish().do("register")
	e.do("compact", "--min-files", "2")
	e.wantFiles("facts.listings", 1, 0)
	e.same("facts.listings")
}

// TestTheOrderOfACompactedFileIsDeclared, and that of one with a file in another order is not.
func TestTheOrderOfACompactedFileIsDeclared(t *testing.T) {
	for name, c := range map[string]struct {
		backward bool // the rows of the second
		want     int  // columns of the order
	}{
		"both in order": {false, 1},
		"one is not":    {true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := newExport(t)
			e.night("run-1", "2026-11-01", 1, 2)
			rows := e.rows("run-2", "2026-11-02", []int{1, 2, 3})
			if c.backward {
				slices.Reverse(rows)
			}
			e.list(e.file("facts.listings", "facts/listings/night=2026-11-02/run-2-", part{Run: "run-2", SnapshotDate: "2026-11-02"}, rows))
			e.publish().do("register")
			before := e.read("facts.listings")
			e.do("compact", "--min-files", "2")
			f, err := file.OpenParquetFile(directory(e.dir).path(e.dataFiles("facts.listings")[0]), false)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			for i, group := range f.MetaData().GetRowGroups() {
				if len(group.GetSortingColumns()) != c.want {
					t.Errorf("group %d declares %v", i, group.GetSortingColumns())
				}
			}
			if diff := cmp.Diff(before, e.read("facts.listings")); diff != "" {
				t.Errorf("rows differ:\n%s", diff)
			}
		})
	}
}

// TestAMergedFileHasFewNights, so that an engine opens only the one that has a night, and is not written again for
// each night that follows. Tables that fit into a row group stay in few files.
func TestAMergedFileHasFewNights(t *testing.T) {
	night := func(i int) string { return time.Date(2026, 11, 1+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) }
	for name, c := range map[string]struct {
		rows  int64 // of a night
		least int
		want  []int // files of each group, over six weeks with a compaction at the end of each
	}{
		"a large fleet":                 {100_000, 5, []int{7, 7, 7, 7, 7, 7}},
		"a large fleet, and more files": {100_000, 14, []int{14, 14, 14}},
		"a small table":                 {100, 5, []int{7, 8, 8, 8, 8, 8}},
	} {
		t.Run(name, func(t *testing.T) {
			var want []manifestFile
			var live []liveFile
			var got []int
			for i := range 42 {
				f := manifestFile{Path: "facts/listings/night=" + night(i) + "/x", SnapshotDate: night(i), Run: "r"}
				want = append(want, f)
				live = append(live, liveFile{path: f.Path, bytes: 10 << 20, rows: c.rows})
				if i%7 != 6 {
					continue
				}
				for _, group := range groups(want, live, c.least) {
					got = append(got, len(group))
					merged := liveFile{path: fmt.Sprint("_iceberg/", i)}
					for _, f := range group {
						merged.parts = append(merged.parts, f.parts...)
						merged.bytes, merged.rows = merged.bytes+f.bytes/5, merged.rows+f.rows
						live = slices.DeleteFunc(live, func(l liveFile) bool { return l.path == f.path })
					}
					live = append(live, merged)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("merged %v files, want %v", got, c.want)
			}
			for _, f := range live {
				if f.rows > rowGroupRows && nights(f) > max(mostNights, c.least) {
					t.Errorf("%s has %d nights in %d rows", f.path, nights(f), f.rows)
				}
			}
		})
	}
}

func TestGroupsStayBelowTheLargestSize(t *testing.T) {
	const mb = 1 << 20
	var want []manifestFile
	var live []liveFile
	for i, size := range []int64{100 * mb, 127 * mb, 300 * mb, 120 * mb, 120 * mb, 120 * mb, 120 * mb, 128 * mb} {
		f := manifestFile{Path: fmt.Sprintf("facts/listings/snapshot_date=2026-11-%02d/x", i+1), SnapshotDate: fmt.Sprintf("2026-11-%02d", i+1), Run: "r"}
		want = append(want, f)
		live = append(live, liveFile{path: f.Path, bytes: size})
	}
	var sizes [][]int64
	for _, g := range groups(want, live, 2) {
		var group []int64
		for _, f := range g {
			group = append(group, f.bytes/mb)
		}
		sizes = append(sizes, group)
	}
	if diff := cmp.Diff([][]int64{{100, 127, 120, 120}, {120, 120}}, sizes); diff != "" {
		t.Error(diff)
	}
	if g := groups(want, live, 5); len(g) != 0 {
		t.Errorf("groups of fewer than five files: %v", g)
	}
}

func TestAMergeReadsABoundedNumberOfFiles(t *testing.T) {
	var want []manifestFile
	var live []liveFile
	for i := range 2*mostFiles + 3 {
		f := manifestFile{Path: fmt.Sprintf("facts/listings/snapshot_date=2026/%04d", i), SnapshotDate: fmt.Sprintf("2026-%04d", i), Run: "r"}
		want = append(want, f)
		live = append(live, liveFile{path: f.Path, bytes: 1})
	}
	g := groups(want, live, 3)
	if len(g) != 3 || len(g[0]) != mostFiles || len(g[1]) != mostFiles || len(g[2]) != 3 {
		t.Errorf("%d groups", len(g))
	}
}

func TestATableThatAnotherEngineWroteIntoIsRefused(t *testing.T) {
	e, _ := sevenNights(t)
	content := []byte(e.files()[e.dataFiles("facts.listings")[0]])
	e.write("_iceberg/facts/listings/data/00000-spark.parquet", content)
	ctx := context.Background()
	tbl := e.table("facts.listings")
	target, _ := openTarget(ctx, e.dir, s3Options{})
	c, err := openCatalog(ctx, target, catalogOptions{name: "fleetlake"}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if tbl, err = c.LoadTable(ctx, tbl.Identifier()); err != nil {
		t.Fatal(err)
	}
	tx := tbl.NewTransaction()
	if err := tx.AddFiles(ctx, []string{target.of("_iceberg/facts/listings/data/00000-spark.parquet")}, nil, false); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	e.night("run-9", "2026-11-09", 9)
	e.history("run-9", "PA")
	e.publish()
	for _, verb := range []string{"register", "compact", "status"} {
		out, errs, code := e.try(verb)
		if code != 1 || !strings.Contains(errs, "00000-spark.parquet") || !strings.Contains(errs, "another engine changed the table") {
			t.Errorf("%s: exit %d: %s", verb, code, errs)
		}
		if verb == "status" && !strings.Contains(out, "leave it: another engine changed it") {
			t.Errorf("status says %s", out)
		}
	}
	e.same("history.registration") // the others were brought up
	if out := e.do("register", "--roll-back"); !strings.Contains(out, "rolled back") {
		t.Errorf("the way back says %s", out)
	}
	e.same("facts.listings")
	if out := e.do("register", "--roll-back"); !strings.Contains(out, "changed: 0 of 2") {
		t.Errorf("again it says %s", out)
	}
	e.same("facts.listings")
}
