package load

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse"
)

// row is a row of a lake table by column. Columns that it leaves out are null; run_id and
// snapshot_date are filled in, vessel_id follows from imo and mmsi, and seen_at is a text like
// "20 02:00" in November 2026.
type row map[string]any

// run is the rows of one run, as literals. It is a Source.
type run struct {
	id   string // "" is made of the date and the hour
	date string // "20" is 2026-11-20
	rows map[string][]row
}

func (r run) row() warehouse.Run {
	at := moment(r.date + " 02:00")
	return warehouse.Run{ID: r.runID(), Job: "nightly", Date: "2026-11-" + r.date, Started: at, Finished: at.Add(time.Hour), State: "done"}
}

func (r run) runID() string {
	if r.id != "" {
		return r.id
	}
	return "202611" + r.date + "T020000.000Z-0000"
}

func moment(s string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", "2026-11-"+s)
	if err != nil {
		panic(err)
	}
	return t
}

func (r run) Rows(t transform.Table) int { return len(r.rows[t.Name]) }

func (r run) Write(t transform.Table, emit func(arrow.Record) error) error {
	b := array.NewRecordBuilder(memory.DefaultAllocator, t.Schema)
	defer b.Release()
	rows := slices.Clone(r.rows[t.Name])
	for i := range rows {
		rows[i] = r.complete(t, rows[i], i)
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(strings.Compare(text(a["vessel_id"]), text(b["vessel_id"])), strings.Compare(text(a["seen_at"]), text(b["seen_at"])))
	})
	for _, row := range rows {
		for i, f := range t.Schema.Fields() {
			appendValue(b.Field(i), row[f.Name])
			delete(row, f.Name)
		}
		for name := range row {
			return fmt.Errorf("%s has no column %s", t.Name, name)
		}
	}
	record := b.NewRecord()
	defer record.Release()
	return emit(record)
}

// complete fills in what every row of a table has.
func (r run) complete(t transform.Table, from row, i int) row {
	full := row{"run_id": r.runID(), "snapshot_date": r.row().Date}
	has := func(column string) bool { return t.Schema.HasField(column) }
	if has("entry") {
		full["entry"] = i
	}
	if has("seen_at") {
		full["seen_at"] = r.date + " 02:00"
	}
	for k, v := range from {
		full[k] = v
	}
	if _, given := full["vessel_id"]; has("imo") && !given {
		full["vessel_id"] = "MMSI" + text(full["mmsi"])
		if full["imo"] != nil {
			full["vessel_id"] = "IMO" + text(full["imo"])
		}
	}
	switch t.Name {
	case transform.Sightings.Name:
		full["sweep"] = sweepOf(full).String()
	case transform.Coverage.Name:
		if s, ok := (api.Partition{Kind: text(full["kind"]), Value: text(full["value"])}).Sweep(); ok {
			for column, value := range map[string]string{"navigational_status": s.Status, "world_zone": s.Zone, "vessel_type_filter": s.VesselType, "laden": s.Laden} {
				if value != "" {
					full[column] = value
				}
			}
			if s.ForOrder != "" {
				full["for_order"] = s.ForOrder == "true"
			}
		}
	}
	return full
}

// sweepOf returns the status search of a sighting.
func sweepOf(sighting row) (s api.Sweep) {
	for column, field := range map[string]*string{"navigational_status": &s.Status, "world_zone": &s.Zone, "vessel_type_filter": &s.VesselType, "laden": &s.Laden, "for_order": &s.ForOrder} {
		if v := sighting[column]; v != nil {
			*field = text(v)
		}
	}
	return s
}

func text(v any) string { return fmt.Sprint(v) }

func appendValue(b array.Builder, v any) {
	if v == nil {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.StringBuilder:
		b.Append(v.(string))
	case *array.Int32Builder:
		b.Append(int32(v.(int)))
	case *array.Float64Builder:
		b.Append(v.(float64))
	case *array.BooleanBuilder:
		b.Append(v.(bool))
	case *array.Date32Builder:
		at, err := time.Parse(time.DateOnly, v.(string))
		if err != nil {
			panic(err)
		}
		b.Append(arrow.Date32FromTime(at))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(moment(v.(string)).UnixMicro()))
	default:
		panic(fmt.Sprintf("no literal for %T", b))
	}
}

// publish publishes runs, one publish each.
func publish(t *testing.T, dir string, runs ...run) {
	t.Helper()
	for _, r := range runs {
		if err := Publish(t.Context(), dir, Options{}, write(t, dir, r)); err != nil {
			t.Fatal(err)
		}
	}
}

// publishAtOnce publishes runs with one publish, which is faster.
func publishAtOnce(t *testing.T, dir string, runs ...run) {
	t.Helper()
	if err := publishAll(t.Context(), dir, runs); err != nil {
		t.Fatal(err)
	}
}

func publishAll(ctx context.Context, dir string, runs []run) error {
	var all []Manifest
	for _, r := range runs {
		m, err := Write(dir, r.row(), r)
		if err != nil {
			return err
		}
		all = append(all, m)
	}
	return Publish(ctx, dir, Options{}, all...)
}

// Directories in which runs were published at once. The tests that only read them share them.
var (
	voyagesAtOnce    = publishedOnce(voyages)
	lifeAtOnce       = publishedOnce(life)
	fourNightsAtOnce = publishedOnce(fourNights)
	oneNightAtOnce   = publishedOnce(func() []run { return []run{night("20", listings(ever))} })
)

// oneNight returns a copy of a directory in which a night was published, with one vessel, ever. The test may
// change it.
func oneNight(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(dir, os.DirFS(oneNightAtOnce(t))); err != nil {
		t.Fatal(err)
	}
	versions, err := filepath.Glob(filepath.Join(dir, "warehouse", "versions", "*.duckdb"))
	if err != nil || len(versions) != 1 {
		t.Fatalf("versions %q: %v", versions, err)
	}
	if err := os.Remove(warehouse.Path(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(versions[0], warehouse.Path(dir)); err != nil { // as publishing leaves it
		t.Fatal(err)
	}
	return dir
}

// sharedDirs is where these directories are; TestMain makes and removes it.
var sharedDirs string

// publishedOnce returns a function that publishes runs when it is called first, and returns their directory.
func publishedOnce(runs func() []run) func(t *testing.T) string {
	once := sync.OnceValues(func() (dir string, err error) {
		if dir, err = os.MkdirTemp(sharedDirs, ""); err == nil {
			err = publishAll(context.Background(), dir, runs())
		}
		return dir, err
	})
	return func(t *testing.T) string {
		t.Helper()
		dir, err := once()
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
}

func write(t *testing.T, dir string, r run) Manifest {
	t.Helper()
	m, err := Write(dir, r.row(), r)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// query returns the answer of a query as lines, columns separated by a blank; null is "-".
func query(t *testing.T, dir, sql string) string {
	t.Helper()
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return ask(t.Context(), t, w, sql)
}

func ask(ctx context.Context, t *testing.T, w *warehouse.Warehouse, sql string) string {
	t.Helper()
	rows, err := w.Query(ctx, sql)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var lines []string
	for values, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		cells := make([]string, len(values))
		for i, v := range values {
			cells[i] = cell(v)
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	return strings.Join(lines, "\n")
}

func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case time.Time:
		if v.Equal(v.Truncate(24 * time.Hour)) {
			return v.Format("02")
		}
		return v.Format("02T15:04")
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}
