package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go/table"
	"github.com/google/go-cmp/cmp"
)

// The ids are out of order and have gaps, so that a table with numbers of its own would not fit.
var (
	listings = manifestTable{Comment: "vessels seen on a list", Sort: []string{"vessel_id"}, Columns: []column{
		{ID: 3, Name: "run_id", Type: "string", Comment: "the run"}, {ID: 7, Name: "vessel_id", Type: "string"}, {ID: 2, Name: "imo", Type: "int"},
		{ID: 11, Name: "total", Type: "long"}, {ID: 12, Name: "laden", Type: "boolean"}, {ID: 13, Name: "latitude", Type: "double"},
		{ID: 20, Name: "seen_at", Type: "timestamptz"}, {ID: 99, Name: "snapshot_date", Type: "date", Comment: "the night"}}}
	registration = manifestTable{Sort: []string{"vessel_id"}, Columns: []column{
		{ID: 5, Name: "vessel_id", Type: "string"}, {ID: 9, Name: "flag", Type: "string"}}}
)

// export is a target with a manifest that the tests change and publish.
type export struct {
	t   testing.TB
	dir string
	m   manifest
	n   int
}

func newExport(t testing.TB) *export {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &export{t: t, dir: dir, m: manifest{Format: format, Program: "v1.2.3", Tables: map[string]manifestTable{
		"facts.listings": listings, "history.registration": registration}}}
}

// night writes the listings of a run and lists them; vessels are the rows, "imo" their numbers plus 100.
func (e *export) night(run, date string, vessels ...int) manifestFile {
	e.t.Helper()
	return e.list(e.file("facts.listings", "facts/listings/snapshot_date="+date+"/"+run+"-", part{run, date, ""}, e.rows(run, date, vessels)))
}

func (e *export) rows(run, date string, vessels []int) [][]any {
	var rows [][]any
	slices.Sort(vessels)
	for _, v := range vessels {
		rows = append(rows, []any{run, fmt.Sprintf("v%06d", v), v + 100, v * 1_000_000, v%2 == 0, float64(v) / 4, date + "T01:02:03Z", date})
	}
	return rows
}

// month merges nights as the export's own compaction does.
func (e *export) month(month string, nights ...manifestFile) manifestFile {
	e.t.Helper()
	var rows [][]any
	var sources []part
	for _, n := range nights {
		e.unlist(n)
		sources = append(sources, n.parts()...)
	}
	for i := range nights {
		rows = append(rows, e.rows(nights[i].Run, nights[i].SnapshotDate, []int{i + 1})...)
	}
	f := e.file("facts.listings", "facts/listings/snapshot_month="+month+"/", part{}, rows)
	f.Sources = sources
	return e.list(f)
}

// history replaces the file of the derived table.
func (e *export) history(run string, flags ...string) manifestFile {
	e.t.Helper()
	var rows [][]any
	for i, flag := range flags {
		rows = append(rows, []any{fmt.Sprintf("v%06d", i), flag})
	}
	e.m.Files = slices.DeleteFunc(e.m.Files, func(f manifestFile) bool { return f.Table == "history.registration" })
	return e.list(e.file("history.registration", "history/registration/", part{Run: run}, rows))
}

func (e *export) list(f manifestFile) manifestFile {
	e.m.Files = append(e.m.Files, f)
	return f
}

func (e *export) unlist(f manifestFile) {
	e.m.Files = slices.DeleteFunc(e.m.Files, func(x manifestFile) bool { return x.Path == f.Path })
}

// publish writes current.json.
func (e *export) publish() *export {
	e.t.Helper()
	e.n++
	e.m.Export = fmt.Sprintf("export-%d", e.n)
	text, err := json.Marshal(e.m)
	if err != nil {
		e.t.Fatal(err)
	}
	e.write("current.json", text)
	return e
}

func (e *export) write(key string, content []byte) {
	e.t.Helper()
	path := filepath.Join(e.dir, filepath.FromSlash(key))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		e.t.Fatal(err)
	}
}

// file writes a Parquet file with the field ids of the table, under a name with its hash.
func (e *export) file(name, prefix string, p part, rows [][]any) manifestFile {
	e.t.Helper()
	content := parquetOf(e.t, e.m.Tables[name], rows)
	sum := sha256.Sum256(content)
	text := hex.EncodeToString(sum[:])
	key := prefix + text[:16] + ".parquet"
	e.write(key, content)
	return manifestFile{Table: name, Path: key, Rows: int64(len(rows)), Bytes: int64(len(content)), SHA256: text, Run: p.Run, SnapshotDate: p.SnapshotDate}
}

func parquetOf(t testing.TB, of manifestTable, rows [][]any) []byte {
	t.Helper()
	schema, err := table.SchemaToArrowSchema(schemaOf(of), nil, true, false)
	if err != nil {
		t.Fatal(err)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for _, row := range rows {
		for i, value := range row {
			appendAny(t, b.Field(i), value)
		}
	}
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &out, nil, pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	batch := b.NewRecordBatch()
	defer batch.Release()
	if err := w.WriteBuffered(batch); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func appendAny(t testing.TB, to array.Builder, value any) {
	switch to := to.(type) {
	case *array.StringBuilder:
		to.Append(value.(string))
	case *array.Int32Builder:
		to.Append(int32(value.(int)))
	case *array.Int64Builder:
		to.Append(int64(value.(int)))
	case *array.Float64Builder:
		to.Append(value.(float64))
	case *array.BooleanBuilder:
		to.Append(value.(bool))
	case *array.Date32Builder:
		day, err := time.Parse(time.DateOnly, value.(string))
		if err != nil {
			t.Fatal(err)
		}
		to.Append(arrow.Date32FromTime(day))
	case *array.TimestampBuilder:
		at, err := time.Parse(time.RFC3339, value.(string))
		if err != nil {
			t.Fatal(err)
		}
		to.Append(arrow.Timestamp(at.UnixMicro()))
	default:
		t.Fatalf("no value for %T", to)
	}
}

// do runs a verb as the command line does and returns what it printed; it must succeed.
func (e *export) do(verb string, args ...string) string {
	e.t.Helper()
	out, errs, code := e.try(verb, args...)
	if code != 0 {
		e.t.Fatalf("%s %v: exit %d: %s", verb, args, code, errs)
	}
	return out
}

func (e *export) try(verb string, args ...string) (out, errs string, code int) {
	var o, r bytes.Buffer
	code = run(context.Background(), append([]string{verb, e.dir}, args...), &o, &r)
	return o.String(), r.String(), code
}

// table loads a table as another program would.
func (e *export) table(name string) *table.Table {
	e.t.Helper()
	ctx := context.Background()
	t, err := openTarget(ctx, e.dir, s3Options{})
	if err != nil {
		e.t.Fatal(err)
	}
	c, err := openCatalog(ctx, t, catalogOptions{name: "fleetlake"}, false)
	if err != nil || c.Catalog == nil {
		e.t.Fatal(c, err)
	}
	defer c.close()
	tbl, err := c.LoadTable(ctx, identifier(name))
	if err != nil {
		e.t.Fatal(err)
	}
	return tbl
}

// read returns the rows of a table by a scan of the library, as text, in order.
func (e *export) read(name string) []string {
	e.t.Helper()
	scan := e.table(name).Scan()
	defer scan.Close()
	rows, err := scan.ToArrowTable(context.Background())
	if err != nil {
		e.t.Fatal(err)
	}
	defer rows.Release()
	reader := array.NewTableReader(rows, 0)
	defer reader.Release()
	var lines []string
	for reader.Next() {
		batch := reader.RecordBatch()
		for i := range int(batch.NumRows()) {
			var cells []string
			for j := range int(batch.NumCols()) {
				cells = append(cells, batch.ColumnName(j)+"="+batch.Column(j).ValueStr(i))
			}
			lines = append(lines, strings.Join(cells, " "))
		}
	}
	slices.Sort(lines)
	return lines
}

// same fails unless a table has exactly the rows of the files that the manifest lists.
func (e *export) same(name string) {
	e.t.Helper()
	fresh := &export{t: e.t, dir: e.t.TempDir(), m: e.m}
	fresh.dir, _ = filepath.EvalSymlinks(fresh.dir)
	for _, f := range e.m.Files {
		content, err := os.ReadFile(filepath.Join(e.dir, f.Path))
		if err != nil {
			e.t.Fatal(err)
		}
		fresh.write(f.Path, content)
	}
	fresh.publish().do("register")
	if diff := cmp.Diff(fresh.read(name), e.read(name)); diff != "" {
		e.t.Fatalf("%s differs from a table of the same files (-want +got):\n%s", name, diff)
	}
	e.fieldIDs(name)
}

// fieldIDs compares the ids of the table with those of the manifest.
func (e *export) fieldIDs(name string) {
	e.t.Helper()
	have := map[string]int{}
	for _, f := range e.table(name).Schema().Fields() {
		have[f.Name] = f.ID
	}
	for _, c := range e.m.Tables[name].Columns {
		if have[c.Name] != c.ID {
			e.t.Errorf("%s.%s has id %d, the manifest says %d", name, c.Name, have[c.Name], c.ID)
		}
	}
}

// files returns every file of the target, by key, with its content.
func (e *export) files() map[string]string {
	e.t.Helper()
	all := map[string]string{}
	for o, err := range directory(e.dir).list(context.Background(), "") {
		if err != nil {
			e.t.Fatal(err)
		}
		content, err := os.ReadFile(filepath.Join(e.dir, o.key))
		if err != nil {
			e.t.Fatal(err)
		}
		all[o.key] = string(content)
	}
	return all
}
