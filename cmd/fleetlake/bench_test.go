package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	_ "github.com/marcboeker/go-duckdb/v2"
)

// Other programs that the test binary can be, by the value of beFleetlake.
var processes = map[string]func(ctx context.Context, dir string) error{
	"derive": func(ctx context.Context, dir string) error {
		p := &pipeline.Pipeline{Dir: dir, Log: slog.New(slog.DiscardHandler)}
		_, err := p.Recover(ctx)
		return err
	},
	"duckdb": duckdbAlone,
}

// duckdbAlone has DuckDB read the answers as they came and write the same rows as a table
// and as Parquet: what the derive half would cost without any of its rules.
func duckdbAlone(ctx context.Context, dir string) error {
	db, err := sql.Open("duckdb", filepath.Join(dir, "alone.duckdb")+"?memory_limit=2GB&threads=2&preserve_insertion_order=false")
	if err != nil {
		return err
	}
	defer db.Close()
	for _, statement := range []string{
		`CREATE TABLE listings AS SELECT unnest(items, recursive := true) FROM read_json('` + filepath.Join(dir, "pages.ndjson") + `',
			format = 'newline_delimited', maximum_object_size = 1048576, columns = {items: 'STRUCT("name" VARCHAR, mmsi VARCHAR, imo VARCHAR, callsign VARCHAR,
			country VARCHAR, countryIso VARCHAR, shipType VARCHAR, typeSpecific VARCHAR)[]'})`,
		`COPY listings TO '` + filepath.Join(dir, "alone.parquet") + `' (FORMAT parquet, COMPRESSION zstd)`,
		`CHECKPOINT`,
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// cost is what a process took.
type cost struct {
	wall, cpu time.Duration
	peakMiB   int
}

func costOf(b *testing.B, env []string, dir string, args ...string) cost {
	b.Helper()
	c := exec.Command(os.Args[0], args...)
	c.Env, c.Dir, c.Stderr = env, dir, os.Stderr
	start := time.Now()
	if err := c.Run(); err != nil {
		b.Fatalf("%v: %v", args, err)
	}
	usage := c.ProcessState.SysUsage().(*syscall.Rusage)
	return cost{time.Since(start), c.ProcessState.UserTime() + c.ProcessState.SystemTime(), int(usage.Maxrss >> 10)}
}

// BenchmarkHarvest lists a fleet from a loopback server without limits, into journal, lake and
// published warehouse, in a separate process. It then derives the same again from the
// journal, and compares with DuckDB reading the same JSON by itself.
//
//	go test ./cmd/fleetlake -run '^$' -bench Harvest -benchtime 1x
//	FLEETLAKE_BENCH_VESSELS=1000000 go test ./cmd/fleetlake -run '^$' -bench Harvest -benchtime 1x
func BenchmarkHarvest(b *testing.B) {
	vessels := 200_000
	if n, err := strconv.Atoi(os.Getenv("FLEETLAKE_BENCH_VESSELS")); err == nil {
		vessels = n
	}
	for b.Loop() {
		benchHarvest(b, vessels)
	}
}

func benchHarvest(b *testing.B, vessels int) {
	w := newWorld(b, simulator.Config{Vessels: vessels, Credits: 1 << 30, CacheMiB: 512})
	w.sim.Warm()
	w.configure(1_000_000_000, "\n    list: {by: country, max_age: 0s}\n    sweep: {statuses: []}\n    lookup: {want: []}\n")
	whole := costOf(b, w.env, w.dir, "run", "nightly")
	data := filepath.Join(w.dir, "fleetlake-data")
	rows := unpack(b, data, filepath.Join(data, "pages.ndjson"))
	for _, derived := range []string{"lake", "warehouse"} {
		if err := os.RemoveAll(filepath.Join(data, derived)); err != nil {
			b.Fatal(err)
		}
	}
	derive := costOf(b, append(os.Environ(), beFleetlake+"=derive"), w.dir, data)
	alone := costOf(b, append(os.Environ(), beFleetlake+"=duckdb"), w.dir, data)
	fmt.Printf("\n%d listings, %d CPUs, %s/%s\n", rows, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	for _, line := range []struct {
		name string
		cost
	}{{"harvest, derive and publish", whole}, {"derive and publish alone", derive}, {"DuckDB alone, same JSON", alone}} {
		fmt.Printf("  %-28s %6.2f s wall  %6.2f s CPU  %4d MiB peak  %8.0f rows/s\n", line.name, line.wall.Seconds(), line.cpu.Seconds(), line.peakMiB, float64(rows)/line.wall.Seconds())
	}
	fmt.Printf("  derive / DuckDB alone        %6.2f wall    %6.2f CPU\n", derive.wall.Seconds()/alone.wall.Seconds(), derive.cpu.Seconds()/alone.cpu.Seconds())
	b.ReportMetric(float64(rows)/whole.wall.Seconds(), "rows/s")
	b.ReportMetric(whole.cpu.Seconds(), "cpu-s")
	b.ReportMetric(float64(whole.peakMiB), "peak-MiB")
	b.ReportMetric(derive.cpu.Seconds()/alone.cpu.Seconds(), "derive/duckdb-cpu")
}

// unpack writes the bodies of all pages to a file, one a line, and returns the number of vessels.
func unpack(b *testing.B, data, path string) int {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	segments, err := journal.Segments(filepath.Join(data, "journal"))
	if err != nil {
		b.Fatal(err)
	}
	rows := 0
	for _, segment := range segments {
		for e, err := range journal.Read(segment) {
			if err != nil {
				b.Fatal(err)
			}
			if e.OK() && e.Operation == "by-type" {
				if _, err := io.WriteString(f, e.Body+"\n"); err != nil {
					b.Fatal(err)
				}
				rows += countItems(e.Body)
			}
		}
	}
	return rows
}

// countItems counts the vessels of a page by a key that each has once.
func countItems(body string) int {
	n := 0
	for i := 0; i+15 < len(body); i++ {
		if body[i:i+15] == `"typeSpecific":` {
			n++
		}
	}
	return n
}
