package pipeline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

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

// fixture is a simulated service, a journal, and what a warehouse would know of them.
type fixture struct {
	t       *testing.T
	sim     *simulator.Simulator
	p       *Pipeline
	job     plan.Job
	totals  map[string]inputs.Total
	targets map[string]*inputs.Target
	refused map[string]bool // numbers that lookups found no vessel under
	seen    map[string]bool // segments that are loaded
	random  *rand.Rand      // of a random night
}

// nightBill is the cost of one night.
type nightBill struct {
	known, unknown int // by the journal
	billed         int
	asked          map[string]int // answered requests, by key
}

// run runs the harvest half of a job for a date, and kills it after a time if that is not 0.
// It reports whether the run came to its end.
func (s *fixture) run(date string, kill time.Duration) (planned journal.Plan, d plan.Plan, ended bool) {
	s.t.Helper()
	return s.runUntil(context.Background(), date, kill)
}

// runUntil is run with a context that a person may cancel.
func (s *fixture) runUntil(ctx context.Context, date string, kill time.Duration) (planned journal.Plan, d plan.Plan, ended bool) {
	s.t.Helper()
	now := time.Now().UTC()
	before, err := readNight(s.p.segments(), s.job.Name, date, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	account, err := s.p.account(true)
	if err != nil {
		s.t.Fatal(err)
	}
	f := plan.Inputs{Now: now, Since: before.since(), Spent: account.Spent(s.job.Name, date, false, now), Tonight: before.answered, Covers: before.covers, LookedUp: before.lookups, Balance: s.sim.Bill().Balance, BalanceKnown: true, Refused: s.refused}
	for _, total := range s.totals {
		f.Totals = append(f.Totals, total)
	}
	slices.SortFunc(f.Totals, func(a, b inputs.Total) int { return strings.Compare(a.Kind+a.Value, b.Kind+b.Value) })
	for _, target := range s.targets {
		f.Targets = append(f.Targets, *target)
	}
	slices.SortFunc(f.Targets, func(a, b inputs.Target) int { return strings.Compare(a.VesselID, b.VesselID) })
	w := work{job: s.job, decided: plan.Decide(s.job, f, s.p.Service.PerMinute), targets: f.Targets, refused: f.Refused, before: before, account: account, started: now}
	w.recorded = w.record(runID(now), date, "test")
	segment, err := journal.Create(s.p.segments(), journal.Entry{Kind: journal.KindPlan, At: now, Plan: &w.recorded})
	if err != nil {
		s.t.Fatal(err)
	}
	if kill > 0 { // nothing reaches the disk after this, as after a SIGKILL
		dead := time.AfterFunc(kill, func() { segment.Close() })
		defer dead.Stop()
	}
	end, broken := s.p.spend(ctx, w, segment)
	if broken == nil {
		_, broken = segment.Append(journal.Entry{Kind: journal.KindEnd, At: time.Now().UTC(), End: &end})
	}
	if broken != nil && kill == 0 {
		s.t.Fatal(broken)
	}
	segment.Close()
	return w.recorded, w.decided, broken == nil
}

// load reads new segments, as the warehouse would.
func (s *fixture) load() {
	s.t.Helper()
	paths, err := journal.Segments(s.p.segments())
	if err != nil {
		s.t.Fatal(err)
	}
	reader := transform.NewSearchReader()
	for _, path := range paths {
		if s.seen[path] {
			continue
		}
		s.seen[path] = true
		endKilled(s.t, path)
		for e, err := range journal.Read(path) {
			if err != nil {
				s.t.Fatal(err)
			}
			if e.OK() {
				s.learnAnswer(reader, e)
			} else if e.Outcome == extract.OutcomeNotFound {
				s.refused[strings.TrimPrefix(e.Parameters, "imo_or_mmsi=")] = true
			}
		}
	}
}

// endKilled appends an end to the segment of a run that was killed, as the next start does.
func endKilled(t *testing.T, path string) {
	t.Helper()
	_, end, err := journal.Bounds(path)
	must(t, err)
	if end != nil {
		return
	}
	segment, _, err := journal.Reopen(path)
	must(t, err)
	_, err = segment.Append(journal.Entry{Kind: journal.KindEnd, End: &journal.End{State: report.StateKilled}})
	must(t, err)
	must(t, segment.Close())
}

func (s *fixture) learnAnswer(reader *transform.SearchReader, e journal.Entry) {
	a, err := extract.ReadAnswer(e)
	if err != nil {
		s.t.Fatal(err)
	}
	q := e.Parameters
	switch e.Operation {
	case api.ByType.Name:
		asked, err := url.ParseQuery(q)
		must(s.t, err)
		kind, value := "country", asked.Get("country")
		if value == "" {
			kind, value = "type", asked.Get("type_specific")
		}
		if asked.Get("page") == "1" {
			s.totals[value] = inputs.Total{Operation: e.Operation, Kind: kind, Value: value, Rows: max(a.Total, 0), At: e.At.AddDate(0, 0, -1)}
		}
	case api.Particulars.Name:
		for _, target := range s.targets {
			if target.Number() == strings.TrimPrefix(q, "imo_or_mmsi=") {
				target.ParticularsAt = e.At
			}
		}
	}
	reader.Each(e, func(v transform.Listed) {
		id := fmt.Sprint("MMSI", v.MMSI)
		if v.IMO != 0 {
			id = fmt.Sprint("IMO", v.IMO)
		}
		if known := s.targets[id]; known != nil && v.MMSI != 0 && e.Operation == api.ByType.Name {
			known.MMSI = v.MMSI.String()
		} else if known == nil {
			s.targets[id] = &inputs.Target{VesselID: id, IMO: int(v.IMO), MMSI: v.MMSI.String(), IsVessel: true}
		}
	})
}

// account reads the ledger of some runs.
func (s *fixture) account(date string) nightBill {
	s.t.Helper()
	sp := nightBill{asked: map[string]int{}}
	paths, err := journal.Segments(filepath.Join(s.p.segments(), date))
	if err != nil {
		s.t.Fatal(err)
	}
	account := credits.NewAccount()
	for _, path := range paths {
		run := credits.NewReader()
		for e, err := range journal.Read(path) {
			must(s.t, err)
			run.Add(&e)
		}
		account.AddRun(run.Run())
		for x, err := range journal.Exchanges(path) {
			if err != nil {
				s.t.Fatal(err)
			}
			if x.OK() {
				sp.asked[api.Key(x.Operation, x.Parameters)]++
			}
		}
	}
	all := account.Days("", "9999")
	sp.known, sp.unknown = all.Sure, all.Counted()-all.Sure
	return sp
}

// TestNights plays some 200 nights of random fleets, caps, faults and kills at the documented
// limits, in virtual time, and compares every bill with its plan. With FLEETLAKE_LONG they are a
// thousand.
func TestNights(t *testing.T) {
	t.Parallel()
	seeds := long(50, 250) // of four nights each: two random ones, and two in which nothing moves
	groups := 10
	for g := range groups {
		t.Run(fmt.Sprint("seeds ", g), func(t *testing.T) {
			t.Parallel()
			for seed := g; seed < seeds; seed += groups {
				synctest.Test(t, func(t *testing.T) { playNights(t, uint64(seed)) })
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

func playNights(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 99))
	config := simulator.Config{Seed: seed, Vessels: 60 + r.IntN(400), Key: "k", Credits: 2_000 + r.IntN(3_000), Window: simulator.Window(r.IntN(2)), KeepLog: true}
	sim, err := simulator.New(config)
	if err != nil {
		t.Fatal(err)
	}
	service, stop := connect(t, sim, "k")
	defer stop()
	job := plan.Job{Name: "nightly", Location: time.UTC, Budget: []int{0, 60, 150, 400}[r.IntN(4)], Deadline: []time.Duration{0, 4 * time.Hour, 6 * time.Minute}[r.IntN(3)],
		List:   plan.List{By: "country", Countries: []string{"Panama", "Liberia", "China", "Malta", "Greece", "Chad"}},
		Sweep:  plan.Sweep{Statuses: []string{"moored", "aground"}, Zones: []string{"china-coast", "north-sea"}},
		Lookup: plan.Lookup{Want: []string{"particulars"}, MaxAge: 720 * time.Hour, MaxRequests: 25}}
	s := &fixture{t: t, sim: sim, p: &Pipeline{Dir: t.TempDir(), Service: service}, job: job,
		totals: map[string]inputs.Total{}, targets: map[string]*inputs.Target{}, seen: map[string]bool{}, refused: map[string]bool{}}
	s.p.fill()
	for day := range 2 {
		sim.SetDay(day)
		s.randomNight(r, day)
		time.Sleep(26 * time.Hour)
	}
	for day := 2; day < 4; day++ { // the fleet stands still from here on
		s.quietNight(day, day == 3)
		time.Sleep(26 * time.Hour)
	}
}

// randomNight plays a night with faults, and kills some of its runs, until one comes to its end.
func (s *fixture) randomNight(r *rand.Rand, day int) {
	s.t.Helper()
	date := time.Now().UTC().Format(time.DateOnly)
	var faults simulator.Faults
	for _, kind := range []simulator.FaultKind{simulator.Unavailable, simulator.Cut, simulator.Truncated, simulator.BadGateway, simulator.LimitExceeded} {
		if r.IntN(4) == 0 {
			faults = append(faults, simulator.Fault{Kind: kind, Share: 0.1 * r.Float64(), Billed: r.IntN(2) == 0 && kind != simulator.Unavailable && kind != simulator.LimitExceeded})
		}
	}
	faults = append(faults, simulator.Fault{Kind: simulator.Slow, Share: 1, Least: 100 * time.Millisecond, Most: 5 * time.Second})
	if err := s.sim.SetFaults(faults); err != nil {
		s.t.Fatal(err)
	}
	before := s.sim.Bill().Spent
	for {
		kill := time.Duration(0)
		if r.IntN(3) == 0 {
			kill = time.Duration(1 + r.Int64N(int64(4*time.Minute)))
		}
		start := s.sim.Bill().Spent
		planned, d, ended := s.run(date, kill)
		time.Sleep(6 * time.Second) // answers that were in flight at a kill are billed by then
		if billed := s.sim.Bill().Spent - start; d.Allowance.Limit != (credits.Limit{}) && billed > planned.Credits.Most {
			s.t.Errorf("day %d: billed %d, the plan said at most %d", day, billed, planned.Credits.Most)
		}
		s.load()
		if ended {
			break
		}
	}
	s.checkBill(date, before)
}

// checkBill compares the night's bill with its ledger and its cap.
func (s *fixture) checkBill(date string, before int) nightBill {
	s.t.Helper()
	sp := s.account(date)
	sp.billed = s.sim.Bill().Spent - before
	if sp.billed < sp.known || sp.billed > sp.known+sp.unknown {
		s.t.Errorf("%s: billed %d, the ledger knows of %d and of %d that may be", date, sp.billed, sp.known, sp.unknown)
	}
	if s.job.Budget > 0 && sp.known+sp.unknown > s.job.Budget {
		s.t.Errorf("%s: spent %d with a cap of %d", date, sp.known+sp.unknown, s.job.Budget)
	}
	for key, n := range sp.asked {
		if n > 1 {
			s.t.Errorf("%s: %s was paid for %d times", date, key, n)
		}
	}
	return sp
}

// quietNight plays a night without faults. If prices are known, it costs what was expected.
func (s *fixture) quietNight(day int, known bool) {
	s.t.Helper()
	date, before, limited := time.Now().UTC().Format(time.DateOnly), s.sim.Bill().Spent, s.limited()
	if err := s.sim.SetFaults(nil); err != nil {
		s.t.Fatal(err)
	}
	s.job.Budget, s.job.Deadline = 0, 0
	s.sim.SetBalance(100_000)
	if !known {
		s.job.Lookup.MaxRequests = 0 // everybody is looked up once
	}
	planned, _, _ := s.run(date, 0)
	s.load()
	sp := s.checkBill(date, before)
	if known && sp.billed != planned.Credits.Expected {
		s.t.Errorf("day %d: billed %d, the plan expected %d of a fleet that stood still", day, sp.billed, planned.Credits.Expected)
	}
	if got := s.limited() - limited; got > 0 {
		s.t.Errorf("day %d: %d requests were answered 429", day, got)
	}
}

func (s *fixture) limited() int {
	n := 0
	for _, tally := range s.sim.Bill().Operations {
		n += tally.Limited
	}
	return n
}
