package export

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse"
)

// night is one run of a fleet, as a load.Source. Ships are listed in the order of their numbers.
type night struct {
	date  string // YYYY-MM-DD
	id    string // "" is made of the date
	ships int
	speed float64 // of every position, so that a night can be derived anew with other rows
}

func (n night) run() warehouse.Run {
	at, err := time.Parse(time.DateOnly, n.date)
	if err != nil {
		panic(err)
	}
	id := n.id
	if id == "" {
		id = at.Format("20060102") + "T020000.000Z-0000"
	}
	return warehouse.Run{ID: id, Job: "nightly", Date: n.date, Started: at.Add(2 * time.Hour), Finished: at.Add(3 * time.Hour), State: "done"}
}

// Rows implements load.Source.
func (n night) Rows(t transform.Table) int {
	switch t.Name {
	case "listings", "positions", "sightings", "requests":
		return n.ships
	case "coverage":
		return 1
	}
	return 0
}

// Write implements load.Source.
func (n night) Write(t transform.Table, emit func(arrow.Record) error) error {
	b := array.NewRecordBuilder(memory.DefaultAllocator, t.Schema)
	defer b.Release()
	for i := range n.Rows(t) {
		for c, f := range t.Schema.Fields() {
			appendValue(b.Field(c), n.value(t.Name, f.Name, i))
		}
	}
	record := b.NewRecord()
	defer record.Release()
	return emit(record)
}

func (n night) value(table, column string, i int) any {
	at := n.run().Started.Add(time.Duration(i) * time.Second)
	if table == "coverage" {
		return map[string]any{"run_id": n.run().ID, "snapshot_date": n.date, "operation": "by-type", "kind": "country", "value": "Panama", "pages": 1, "received_rows": n.ships, "expected_rows": n.ships, "state": "complete"}[column]
	}
	if table == "requests" {
		return map[string]any{"run_id": n.run().ID, "entry": i, "snapshot_date": n.date, "operation": "by-type", "sent_at": at, "received_at": at, "http_status": 200, "credits": 10, "charge": "known", "outcome": "ok", "rows": 1}[column]
	}
	imo := 9000000 + i
	return map[string]any{
		"run_id": n.run().ID, "entry": i, "snapshot_date": n.date, "seen_at": at, "vessel_id": fmt.Sprintf("IMO%d", imo), "imo": imo, "mmsi": fmt.Sprint(353000000 + i),
		"name": fmt.Sprintf("SHIP %d", i), "flag": "PA", "country": "Panama", "operation": "position", "position_at": at, "latitude": float64(i%90) + 0.25, "longitude": -3.5, "speed_kn": n.speed,
		"navigational_status": "moored", "world_zone": "red-sea",
	}[column]
}

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
		b.Append(arrow.Timestamp(v.(time.Time).UnixMicro()))
	default:
		panic(fmt.Sprintf("no literal for %T", b))
	}
}

// published makes a data directory with nights.
func published(t testing.TB, nights ...night) string {
	t.Helper()
	dir := t.TempDir()
	publish(t, dir, nights...)
	return dir
}

// publish publishes nights at once.
func publish(t testing.TB, dir string, nights ...night) {
	t.Helper()
	var all []load.Manifest
	for _, n := range nights {
		m, err := load.Write(dir, n.run(), n)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	if err := load.Publish(t.Context(), dir, load.Options{}, all...); err != nil {
		t.Fatal(err)
	}
}

// rebuilt replaces what a data directory has by other nights, as a rebuild does.
func rebuilt(t testing.TB, dir string, nights ...night) {
	t.Helper()
	for _, part := range []string{"lake", "warehouse"} {
		if err := os.RemoveAll(filepath.Join(dir, part)); err != nil {
			t.Fatal(err)
		}
	}
	publish(t, dir, nights...)
}

// derivedAnew gives nights other lake files, and leaves the warehouse: that is faster.
func derivedAnew(t testing.TB, dir string, nights ...night) {
	t.Helper()
	for _, n := range nights {
		m, err := load.Write(dir, n.run(), n)
		if err != nil {
			t.Fatal(err)
		}
		rewriteManifest(t, dir, n.run().ID, func(f *load.File) {
			for _, anew := range m.Files {
				if anew.Table == f.Table {
					*f = anew
				}
			}
		})
	}
}

// nights returns nights from a date on.
func nights(from string, n, ships int) (all []night) {
	at, err := time.Parse(time.DateOnly, from)
	if err != nil {
		panic(err)
	}
	for i := range n {
		all = append(all, night{date: at.AddDate(0, 0, i).Format(time.DateOnly), ships: ships, speed: 10 + float64(i)})
	}
	return all
}

// prepared is a data directory with five nights of two months, made once.
var prepared struct {
	once sync.Once
	dir  string
}

func TestMain(m *testing.M) {
	if flag.Parse(); testing.Short() {
		fmt.Println("left out: the tests of this package publish nights, which takes longer than -short allows")
		return
	}
	code := m.Run()
	if prepared.dir != "" {
		os.RemoveAll(prepared.dir)
	}
	os.Exit(code)
}

// fiveNights are those of the prepared directory: three of October, two of November.
func fiveNights() []night { return nights("2026-10-29", 5, 20) }

// fiveNightsDir returns a copy of the prepared directory.
func fiveNightsDir(t testing.TB) string {
	t.Helper()
	prepared.once.Do(func() {
		dir, err := os.MkdirTemp("", "fleetlake-export-test-")
		if err != nil {
			t.Fatal(err)
		}
		prepared.dir = dir
		publish(t, dir, fiveNights()...)
	})
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(dir, os.DirFS(prepared.dir)); err != nil {
		t.Fatal(err)
	}
	return dir
}
