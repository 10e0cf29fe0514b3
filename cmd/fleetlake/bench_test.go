package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline"
)

// Other programs that the test binary can be, by the value of beFleetlake. Each gets its first argument.
var processes = map[string]func(ctx context.Context, dir string) error{
	"harvest": harvestHalf,
	"derive":  deriveHalf,
	"canned":  serveCanned,
	"unpack":  unpackJournal,
	"loop":    bareLoop,
	"duckdb":  duckdbAlone,
	"files":   compareFiles,
}

// BenchmarkHarvest runs nights of the program, as processes, against a service without limits that is
// another process: the first night of a fleet, a later one in which 0.3 % changed, and a night of lookups.
// After the first night it rebuilds lake and warehouse from the journal, which compares the two as well.
// It prints what the two halves of each cost, beside what they would cost without any of the program's
// rules: a bare loop that sends the same requests and writes and syncs the same bytes, and the best of
// several ways in which DuckDB reads the same answers into a table and a Parquet file.
//
//	go test ./cmd/fleetlake -run '^$' -bench Harvest -benchtime 1x
//	FLEETLAKE_BENCH_VESSELS=1000000 go test ./cmd/fleetlake -run '^$' -bench Harvest -benchtime 1x -timeout 0
//
// FLEETLAKE_BENCH_NIGHTS names the nights to run, such as first or first,later; FLEETLAKE_BENCH_LOOKUPS is the number of
// lookups. CPU is user and system time of the process alone. The bounds are measured once each: on a
// busy machine, compare medians of several runs.
func BenchmarkHarvest(b *testing.B) {
	vessels, lookups := benchNumber("FLEETLAKE_BENCH_VESSELS", 200_000), benchNumber("FLEETLAKE_BENCH_LOOKUPS", 100_000)
	for b.Loop() {
		n := newBenchNights(b, vessels, min(lookups, vessels))
		n.run(1, "first", "nightly")
		n.run(2, "later", "nightly")
		n.run(3, "lookups", "profiles")
	}
}

// BenchmarkMemory derives and publishes a first night with more and less memory, and with one thread and two.
//
//	go test ./cmd/fleetlake -run '^$' -bench Memory -benchtime 1x
//	FLEETLAKE_BENCH_VESSELS=1000000 go test ./cmd/fleetlake -run '^$' -bench Memory -benchtime 1x -timeout 0
func BenchmarkMemory(b *testing.B) {
	vessels := benchNumber("FLEETLAKE_BENCH_VESSELS", 200_000)
	for b.Loop() {
		n := newBenchNights(b, vessels, 0)
		base, stop := startCanned(b, vessels, 1)
		n.service = base
		n.process("harvest", n.halves, "nightly", n.first.Format(time.DateOnly))
		stop()
		fmt.Printf("\nderive and publish %d vessels, %d CPUs\n", vessels, runtime.NumCPU())
		for _, memory := range []string{"256MiB", "512MiB", "1GiB", "4GiB"} {
			for _, threads := range []string{"1", "2"} {
				for _, derived := range []string{"lake", "warehouse"} {
					if err := os.RemoveAll(filepath.Join(n.halves, "fleetlake-data", derived)); err != nil {
						b.Fatal(err)
					}
				}
				n.extra = []string{"FLEETLAKE_MEMORY=" + memory, "FLEETLAKE_THREADS=" + threads}
				c := n.process("derive", n.halves, "")
				printCost("memory "+memory+", threads "+threads, c, vessels)
				b.ReportMetric(c.cpu.Seconds(), memory+"-"+threads+"-cpu-s")
				b.ReportMetric(float64(c.peakMiB), memory+"-"+threads+"-peak-MiB")
			}
		}
	}
}

func benchNumber(name string, standard int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return standard
}

// benchNights are two data directories with the same nights: one by the program as it is, the other by
// its halves in processes of their own.
type benchNights struct {
	b             *testing.B
	vessels       int
	whole, halves string // directories of the processes; the data directories are below
	unpacked      string
	only          string // the nights to measure
	first         time.Time
	service       string   // its base URL
	extra         []string // of the environment
}

const benchConfig = `api: {limits: {by-status: 1000000000, by-type: 1000000000, info: 1000000000, location: 1000000000, particulars: 1000000000, credits: 1000000000}}
budget: {per_run: 0}
jobs:
  nightly: {list: {by: country, max_age: 0s}, sweep: {statuses: []}, lookup: {want: []}}
  profiles: {list: {by: none}, sweep: {statuses: []}, lookup: {want: [particulars, engine, management, position], max_requests: 100000}}
`

func newBenchNights(b *testing.B, vessels, lookups int) *benchNights {
	n := &benchNights{b: b, vessels: vessels, whole: b.TempDir(), halves: b.TempDir(), unpacked: b.TempDir(),
		only: cmp.Or(os.Getenv("FLEETLAKE_BENCH_NIGHTS"), "first,later,lookups"), first: time.Now().UTC()}
	for _, dir := range []string{n.whole, n.halves} {
		if err := os.WriteFile(filepath.Join(dir, "fleetlake.yaml"), []byte(strings.ReplaceAll(benchConfig, "100000}}", strconv.Itoa(lookups)+"}}")), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return n
}

// run runs a night in both directories and prints what it cost.
func (n *benchNights) run(night int, name, job string) {
	n.b.Helper()
	if !slices.Contains(strings.Split(n.only, ","), name) {
		return
	}
	base, stop := startCanned(n.b, n.vessels, night)
	defer stop()
	n.service = base
	date := n.first.AddDate(0, 0, night-1).Format(time.DateOnly)
	whole := n.process("1", n.whole, "run", job, "--date", date, "--force-date")
	harvest := n.process("harvest", n.halves, job, date)
	derive := n.process("derive", n.halves, "")
	var answers, rows, frames, syncs int
	unpack := n.process("unpack", n.halves, n.unpacked, n.lastSegment())
	if _, err := fmt.Sscan(unpack.out, &answers, &rows, &frames, &syncs); err != nil {
		n.b.Fatal(err)
	}
	loop := n.process("loop", n.halves, n.unpacked, base)
	fmt.Printf("\n%s night: %d answers with %d vessels, %d CPUs\n", name, answers, rows, runtime.NumCPU())
	printCost("the whole night", whole, rows)
	printCost("harvest", harvest, rows)
	printCost("derive and publish", derive, rows)
	printCost("bare loop", loop, rows)
	fmt.Printf("    (%d frames, %d syncs; the loop: %s)\n", frames, syncs, strings.TrimSpace(loop.out))
	best, quickest := n.duckdb(rows, map[bool]string{true: "items", false: "detail"}[job == "nightly"])
	fmt.Printf("  harvest / bare loop    %5.2f CPU  %5.2f wall\n", harvest.cpu.Seconds()/loop.cpu.Seconds(), harvest.wall.Seconds()/loop.wall.Seconds())
	fmt.Printf("  derive / DuckDB's best %5.2f CPU  %5.2f wall\n", derive.cpu.Seconds()/best.cpu.Seconds(), derive.wall.Seconds()/quickest.wall.Seconds())
	if night == 1 {
		n.rebuild(whole, rows)
	}
	n.b.ReportMetric(whole.cpu.Seconds(), name+"-cpu-s")
	n.b.ReportMetric(float64(whole.peakMiB), name+"-peak-MiB")
	n.b.ReportMetric(harvest.cpu.Seconds()/loop.cpu.Seconds(), name+"-harvest/loop")
	n.b.ReportMetric(derive.cpu.Seconds()/best.cpu.Seconds(), name+"-derive/duckdb")
	if err := os.RemoveAll(filepath.Join(n.unpacked, "pages")); err != nil {
		n.b.Fatal(err)
	}
	n.files(date)
}

// rebuild rebuilds lake and warehouse of the first night, and prints what that cost beside the night.
func (n *benchNights) rebuild(night cost, rows int) {
	rebuild := n.process("1", n.whole, "rebuild")
	if !strings.Contains(rebuild.out, "tables are identical") {
		n.b.Errorf("the rebuild made other tables:\n%s", rebuild.out)
	}
	printCost("rebuild", rebuild, rows)
	fmt.Printf("  rebuild / the night    %5.2f CPU  %5.2f wall\n", rebuild.cpu.Seconds()/night.cpu.Seconds(), rebuild.wall.Seconds()/night.wall.Seconds())
	n.b.ReportMetric(rebuild.cpu.Seconds()/night.cpu.Seconds(), "rebuild/night")
}

// duckdb measures all ways of DuckDB and returns the one with the least CPU and the one with the least
// wall time.
func (n *benchNights) duckdb(rows int, key string) (best, quickest cost) {
	for _, way := range slices.Sorted(maps.Keys(duckdbWays)) {
		for _, threads := range []string{"1", "2"} {
			c := n.process("duckdb", n.halves, n.unpacked, way, threads, key)
			if got := strings.TrimSpace(c.out); got != strconv.Itoa(rows) {
				n.b.Errorf("DuckDB, %s: %s rows, want %d", way, got, rows)
			}
			printCost("DuckDB, "+way+", threads "+threads, c, rows)
			if best.cpu == 0 || c.cpu < best.cpu {
				best = c
			}
			if quickest.wall == 0 || c.wall < quickest.wall {
				quickest = c
			}
		}
	}
	return best, quickest
}

// files prints the size of the lake files of a night beside that of DuckDB's, if they are large
// enough for it to matter.
func (n *benchNights) files(date string) {
	lake := filepath.Join(n.halves, "fleetlake-data", "lake")
	for line := range strings.Lines(n.process("files", n.halves, n.unpacked, lake, date).out) {
		var ours, theirs float64
		var table string
		if _, err := fmt.Sscan(line, &ours, &theirs, &table); err != nil {
			n.b.Fatal(err)
		}
		if ours > 100e3 {
			fmt.Printf("  lake file of %-16s %7.2f MB, DuckDB's %7.2f MB: %.2f\n", table, ours/1e6, theirs/1e6, ours/theirs)
		}
	}
}

func (n *benchNights) lastSegment() string {
	n.b.Helper()
	segments, err := journal.Segments(filepath.Join(n.halves, "fleetlake-data", "journal"))
	if err != nil || len(segments) == 0 {
		n.b.Fatalf("no segment: %v", err)
	}
	return segments[len(segments)-1]
}

// cost is what a process took.
type cost struct {
	wall, cpu time.Duration
	peakMiB   int
	out       string
}

// process runs the test binary as one of the processes; 1 is the program itself.
func (n *benchNights) process(be, dir string, args ...string) cost {
	n.b.Helper()
	c := exec.Command(os.Args[0], args...)
	var out, log bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = dir, &out, &log
	c.Env = append(append(os.Environ(), beFleetlake+"="+be, "FLEETLAKE_BASE_URL="+n.service, "FLEETLAKE_API_KEY=key"), n.extra...)
	peak := filepath.Join(n.unpacked, "peak")
	c.Env = append(c.Env, peakFile+"="+peak)
	start := time.Now()
	if err := c.Run(); err != nil {
		n.b.Fatalf("%s %v: %v\n%s", be, args, err, log.String())
	}
	return cost{time.Since(start), c.ProcessState.UserTime() + c.ProcessState.SystemTime(), peakMiB(peak), out.String()}
}

func printCost(what string, c cost, rows int) {
	fmt.Printf("  %-48s %6.2f s CPU  %6.2f s wall  %4d MiB  %8.0f rows/s\n", what, c.cpu.Seconds(), c.wall.Seconds(), c.peakMiB, float64(rows)/c.wall.Seconds())
}

// harvestHalf runs a job up to the end of its harvest: what was paid for is in the journal. Arguments: the
// job and the snapshot date.
func harvestHalf(ctx context.Context, job string) error {
	p, cfg, err := benchPipeline()
	if err != nil {
		return err
	}
	j, _, err := cfg.Job(job)
	if err != nil {
		return err
	}
	p.Progress = func(now pipeline.Progress) {
		if now.Phase == "derive" {
			exitWithPeak(0)
		}
	}
	if _, err := p.Run(ctx, j, os.Args[2]); err != nil {
		return err
	}
	return errors.New("the run ended without a second half")
}

// deriveHalf publishes what harvestHalf has paid for.
func deriveHalf(ctx context.Context, _ string) error {
	p, _, err := benchPipeline()
	if err != nil {
		return err
	}
	reports, err := p.Recover(ctx)
	if err == nil && len(reports) != 1 {
		err = fmt.Errorf("%d runs were derived, want 1", len(reports))
	}
	return err
}

// benchPipeline returns the pipeline of the configuration in the working directory.
func benchPipeline() (*pipeline.Pipeline, config.Config, error) {
	a := &app{getenv: os.Getenv, stdout: io.Discard, stderr: os.Stderr}
	cfg, err := a.config()
	if err != nil {
		return nil, cfg, err
	}
	p, err := a.pipeline(cfg, 0)
	return p, cfg, err
}
