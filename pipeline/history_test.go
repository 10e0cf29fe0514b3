package pipeline

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
)

// TestHistory plays nights of evolving fleets with all kinds of faults, at the documented limits in
// virtual time, and compares each row of the warehouse's history with the truth of the simulator and
// with its answers. FLEETLAKE_HISTORY_NIGHTS and FLEETLAKE_HISTORY_SEEDS make it longer: 60 nights of
// 4 fleets take some minutes.
func TestHistory(t *testing.T) {
	nights, seeds := number("FLEETLAKE_HISTORY_NIGHTS", long(8, 12)), number("FLEETLAKE_HISTORY_SEEDS", 2)
	if testing.Short() {
		nights, seeds = 6, 1
	}
	zstd, err := compress.GetCodec(compress.Codecs.Zstd) // all bubbles share its encoder, which no bubble may create
	if err != nil {
		t.Fatal(err)
	}
	zstd.Encode(make([]byte, 64), []byte("x"))
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { playHistory(t, uint64(seed), nights) })
		})
	}
}

// long is how many cases a test plays: fewer in the short form that `go test ./...` runs, all of them
// with FLEETLAKE_LONG.
func long(short, all int) int {
	if os.Getenv("FLEETLAKE_LONG") == "" {
		return short
	}
	return all
}

func number(name string, standard int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return standard
}

// history is a fleet, its harvest night after night, and what is known of both.
type history struct {
	t     *testing.T
	r     *rand.Rand
	sim   *simulator.Simulator
	p     *Pipeline
	job   plan.Job
	start time.Time
	apart *Pipeline
}

// playHistory plays the nights, checks the tables, and makes the same tables from the journal alone,
// in another order.
func playHistory(t *testing.T, seed uint64, nights int) {
	start := time.Now().UTC()
	sim, err := simulator.New(simulator.Config{Seed: seed, Vessels: 400, Start: start, Key: "k", Credits: 100_000_000,
		Rates: simulator.Rates{Built: .002, Scrapped: .002, Unlisted: .006, Renamed: .004, Reflagged: .006, Identified: .06, Corrected: .05, Sold: .03, Moved: .1}})
	if err != nil {
		t.Fatal(err)
	}
	service, stop := connect(t, sim, "k")
	defer stop()
	h := &history{t: t, r: rand.New(rand.NewPCG(seed, 4)), sim: sim, start: start, p: &Pipeline{Dir: t.TempDir(), Service: service}, apart: &Pipeline{Dir: t.TempDir(), Service: service}}
	h.job = plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "cheapest", MaxAge: 20 * time.Hour},
		Sweep:  plan.Sweep{Statuses: []string{"moored", "at-anchor", "aground"}, Zones: []string{"china-coast", "north-sea", "east-mediterranean", "us-gulf"}},
		Lookup: plan.Lookup{Want: []string{"particulars"}, MaxAge: 72 * time.Hour, MaxRequests: 40}}
	if seed%2 == 1 {
		h.job.Lookup.Want = plan.Datasets // whole profiles
	}
	for day := range nights {
		time.Sleep(time.Until(start.AddDate(0, 0, day).Add(2 * time.Hour))) // by the clock of the bubble
		sim.SetDay(day)
		h.night(day, nights)
	}
	h.replay()
	m := newModel(h, nights)
	m.check()
	if !t.Failed() {
		h.again(m.nights)
	}
}

// night plays one night of a random kind. The first two cover the whole fleet, so that later nights
// have something to miss.
func (h *history) night(day, nights int) {
	kind := h.r.IntN(8)
	if day < 2 {
		kind = 0
	}
	job := h.job
	var faults simulator.Faults
	switch kind {
	case 2, 3:
		faults = h.faults()
	case 4: // a cap ends the run
		job.Budget = 200 + h.r.IntN(1500)
	case 5: // the deadline does
		job.Deadline = time.Duration(1+h.r.IntN(6)) * time.Minute
	case 6: // it is interrupted, and resumed in the same night
		h.run(h.p, job, day, faults, time.Duration(1+h.r.IntN(300))*time.Second)
		if h.r.IntN(3) == 0 {
			return // or never resumed
		}
	case 7: // it is published nights later
		if day+1 < nights {
			h.run(h.apart, job, day, nil, 0)
			return
		}
	}
	h.run(h.p, job, day, faults, 0)
	if len(h.segments(h.apart)) > 0 && h.r.IntN(3) == 0 {
		h.replay()
	}
}

// faults returns a few faults of every kind.
func (h *history) faults() simulator.Faults {
	var faults simulator.Faults
	for _, kind := range []simulator.FaultKind{simulator.Unavailable, simulator.Cut, simulator.Truncated, simulator.BadGateway, simulator.HTMLPage,
		simulator.MovingTotal, simulator.RepeatedPage, simulator.ShortPage} {
		if h.r.IntN(3) == 0 {
			faults = append(faults, simulator.Fault{Kind: kind, Share: .15 * h.r.Float64()})
		}
	}
	for _, zone := range h.job.Sweep.Zones {
		switch h.r.IntN(6) {
		case 0:
			faults = append(faults, simulator.Fault{Kind: simulator.Truncated, Operation: api.ByStatus.Name, Match: zone})
		case 1:
			faults = append(faults, simulator.Fault{Kind: simulator.SilentZero, Operation: api.ByStatus.Name, Match: zone})
		}
	}
	// A silent zero can be detected where vessels were listed before: in the large flags.
	for _, country := range []string{"Panama", "Liberia", "China", "Marshall+Islands"} {
		if h.r.IntN(3) == 0 {
			faults = append(faults, simulator.Fault{Kind: simulator.SilentZero, Operation: api.ByType.Name, Match: "country=" + country + "&"})
		}
	}
	return faults
}

// run runs a job for a day, and interrupts it after a time if that is not 0.
func (h *history) run(p *Pipeline, job plan.Job, day int, faults simulator.Faults, interrupt time.Duration) {
	h.t.Helper()
	if err := h.sim.SetFaults(faults); err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if interrupt > 0 {
		ctx, cancel = context.WithTimeout(ctx, interrupt)
		defer cancel()
	}
	if _, err := p.Run(ctx, job, h.date(day)); err != nil {
		h.t.Fatalf("day %d: %v", day, err)
	}
	for _, path := range h.segments(p) { // files are dated by the real clock, which is far ahead
		if err := os.Chtimes(path, h.start, h.start); err != nil {
			h.t.Fatal(err)
		}
	}
}

func (h *history) date(day int) string { return h.start.AddDate(0, 0, day).Format(time.DateOnly) }

func (h *history) segments(p *Pipeline) []string {
	h.t.Helper()
	paths, err := journal.Segments(filepath.Join(p.Dir, "journal"))
	if err != nil {
		h.t.Fatal(err)
	}
	return paths
}

// replay places the nights that were set apart into the journal, and publishes them.
func (h *history) replay() {
	h.t.Helper()
	for _, path := range h.segments(h.apart) {
		h.place(path, h.p)
		if err := os.Remove(path); err != nil {
			h.t.Fatal(err)
		}
	}
	if _, err := h.p.Recover(context.Background()); err != nil {
		h.t.Fatal(err)
	}
}

// place copies a segment to another journal.
func (h *history) place(path string, p *Pipeline) {
	h.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		h.t.Fatal(err)
	}
	to := filepath.Join(p.Dir, "journal", filepath.Base(filepath.Dir(path)), filepath.Base(path))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o644); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Chtimes(to, h.start, h.start); err != nil {
		h.t.Fatal(err)
	}
}

// historical lists the tables that must be identical when they are made again from the journal.
var historical = []string{"registration", "particulars", "engine", "management", "positions", "listed", "episodes", "internal.latest",
	"vessel_aliases", "identity_conflicts", "second_mmsi_claims", "coverage", "issues"}

// again publishes the journal into an empty directory, the segments in random portions, and compares
// every table.
func (h *history) again(nights []string) {
	h.t.Helper()
	other := &Pipeline{Dir: h.t.TempDir(), Service: h.p.Service}
	paths := h.segments(h.p)
	h.r.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	for portion := range slices.Chunk(paths, 1+len(paths)/3) {
		for _, path := range portion {
			for _, of := range paths { // a run resumes the earlier ones of its night: they are placed with it
				if filepath.Dir(of) == filepath.Dir(path) && of <= path {
					h.place(of, other)
				}
			}
		}
		if _, err := other.Recover(context.Background()); err != nil {
			h.t.Fatal(err)
		}
	}
	got, want := h.hashes(other), h.hashes(h.p)
	for _, table := range slices.Sorted(maps.Keys(want)) {
		if got[table] != want[table] {
			h.t.Errorf("%s differs when it is made again in another order", table)
		}
	}
}

// hashes returns a hash of the rows of each table, in any order.
func (h *history) hashes(p *Pipeline) map[string]string {
	h.t.Helper()
	sums := map[string]string{}
	for _, table := range historical {
		sums[table] = strings.Join(h.ask(p, "SELECT count(*), coalesce(bit_xor(hash(t)), 0)::VARCHAR FROM "+table+" AS t")[0], " ")
	}
	return sums
}

// ask returns the rows of a query as texts; null is empty.
func (h *history) ask(p *Pipeline, text string) [][]string {
	h.t.Helper()
	w, err := warehouse.Open(context.Background(), warehouse.Path(p.Dir), warehouse.Options{})
	if err != nil {
		h.t.Fatal(err)
	}
	defer w.Close()
	rows, err := w.Query(context.Background(), text)
	if err != nil {
		h.t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	var all [][]string
	for values, err := range rows.All() {
		if err != nil {
			h.t.Fatal(err)
		}
		cells := make([]string, len(values))
		for i, v := range values {
			switch v := v.(type) {
			case nil:
			case time.Time:
				cells[i] = v.Format(time.DateOnly)
			default:
				cells[i] = fmt.Sprint(v)
			}
		}
		all = append(all, cells)
	}
	return all
}
