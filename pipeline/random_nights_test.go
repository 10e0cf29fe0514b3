package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
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
)

// TestNoCreditIsBetterSpent plays random nights: prices that are known late, caps of every kind,
// answers that fail, and runs that end at their cap or are killed, and resumed. After each run that
// came to its end, it compares what the run left out with what it paid for:
//
//   - the cap is kept, and nothing is paid for twice
//   - no search that is left out for lack of credits would have fitted into the credits that were
//     left, that lookups took beyond their share, or that went to searches of less value that the
//     plan had left out too
//   - the run is done exactly if every search of the job has all its answers; a reason that names
//     a cap names the tightest one, and only if the searches that are left out would cost more than was
//     left; a reason that names the service is given only if a search was sent and not answered
//
// It plays 60 nights, and 200 with FLEETLAKE_LONG; FLEETLAKE_NIGHTS sets how many.
func TestNoCreditIsBetterSpent(t *testing.T) {
	t.Parallel()
	nights := number("FLEETLAKE_NIGHTS", long(60, 200))
	const groups = 4
	var seen tally
	t.Run("nights", func(t *testing.T) {
		for g := range groups {
			t.Run(fmt.Sprint(g), func(t *testing.T) {
				t.Parallel()
				for seed := g; seed < nights/2; seed += groups {
					synctest.Test(t, func(t *testing.T) {
						s := randomFixture(t, uint64(seed))
						for day := range 2 {
							s.sim.SetDay(day)
							s.cappedNight(&seen)
							time.Sleep(26 * time.Hour)
						}
					})
					if t.Failed() {
						t.Fatalf("seed %d", seed)
					}
				}
			})
		}
	})
	t.Logf("runs: %d in which a search waited, %d cut short by a cap, %d by the service, %d killed, %d done",
		seen.waited.Load(), seen.cut.Load(), seen.failed.Load(), seen.killed.Load(), seen.done.Load())
	if min(seen.waited.Load(), seen.cut.Load(), seen.killed.Load(), seen.done.Load()) < 5 {
		t.Error("the nights are too alike to test anything")
	}
}

// tally counts runs by how they went.
type tally struct{ waited, cut, failed, killed, done atomic.Int64 }

// randomPort returns a random fleet and job.
func randomFixture(t *testing.T, seed uint64) *fixture {
	r := rand.New(rand.NewPCG(seed, 7))
	some := func(all []string, most int) []string {
		all = slices.Clone(all)
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return all[:1+r.IntN(most)]
	}
	job := plan.Job{Name: "nightly", Location: time.UTC,
		List:  plan.List{By: "country", Countries: some([]string{"Panama", "Liberia", "China", "Malta", "Greece", "Chad", "Togo", "Norway", "Japan", "Tuvalu"}, 10)},
		Sweep: plan.Sweep{Statuses: some([]string{"moored", "aground", "at-anchor", "drifting"}, 4), Zones: some(api.Zones, 6)}}
	if r.IntN(3) > 0 {
		job.Lookup = plan.Lookup{Want: []string{"particulars"}, MaxAge: 720 * time.Hour}
	}
	vessels := 50 + r.IntN(1500)
	if r.IntN(20) == 0 { // all partitions, and their checks
		job.List, vessels = plan.List{By: "cheapest"}, 50+r.IntN(200)
	}
	s := newFixture(t, simulator.Config{Seed: seed, Vessels: vessels, Credits: 1_000_000}, job)
	s.random = r
	return s
}

// caps set one limit of what a night may spend, in so many credits more than it has spent.
var caps = map[credits.Cause]func(s *fixture, spent, more int){
	credits.CapOfNight:   func(s *fixture, spent, more int) { s.job.Budget = spent + more },
	credits.CapOfDay:     func(s *fixture, spent, more int) { s.job.PerDay = spent + more },
	credits.CapOfMonth:   func(s *fixture, spent, more int) { s.job.PerMonth = spent + more },
	credits.BalanceFloor: func(s *fixture, _, more int) { s.job.Floor = s.sim.Bill().Balance - more },
	"the balance": func(s *fixture, _, more int) { // without a floor
		s.job.Floor = 0
		s.sim.SetBalance(more)
	},
}

// cappedNight runs a night under growing caps until it is done, or a few times.
func (s *fixture) cappedNight(seen *tally) {
	s.t.Helper()
	date := time.Now().UTC().Format(time.DateOnly)
	s.job.Budget, s.job.PerDay, s.job.PerMonth, s.job.Floor = 0, 0, 0, 0
	s.sim.SetBalance(1_000_000)
	kind := []credits.Cause{credits.CapOfNight, credits.CapOfNight, credits.CapOfDay, credits.CapOfMonth, credits.BalanceFloor, "the balance"}[s.random.IntN(6)]
	must(s.t, s.sim.SetFaults(s.someFaults()))
	more := s.random.IntN(600)
	for range 3 {
		spent := s.account(date)
		caps[kind](s, spent.known+spent.unknown, max(1, more)) // a cap of 0 is none
		kill := time.Duration(0)
		if s.random.IntN(4) == 0 {
			kill = time.Duration(1 + s.random.Int64N(int64(time.Second)))
		}
		planned, d, ended := s.run(date, kill)
		time.Sleep(time.Second) // run ids begin with the start of the run
		s.load()
		if len(d.Waiting) > 0 {
			seen.waited.Add(1)
		}
		if !ended {
			seen.killed.Add(1)
			continue
		}
		end := s.lastEnd(date)
		s.judgeRun(date, planned, d, end)
		switch report.Stop(end.Stop) {
		case report.StopBudget, report.StopCredits:
			seen.cut.Add(1)
		case report.StopService:
			seen.failed.Add(1)
		}
		if end.State == report.StateDone {
			seen.done.Add(1)
			return
		}
		more = s.random.IntN(600)
	}
}

// someFaults make answers take their time, and in every third night some of them fail.
func (s *fixture) someFaults() simulator.Faults {
	faults := simulator.Faults{{Kind: simulator.Slow, Share: 1, Least: time.Millisecond, Most: 200 * time.Millisecond}}
	if s.random.IntN(3) > 0 {
		return faults
	}
	for _, kind := range []simulator.FaultKind{simulator.Unavailable, simulator.ServerError, simulator.HTMLPage, simulator.Cut} {
		if s.random.IntN(2) == 0 {
			share := []float64{0.05, 0.3}[s.random.IntN(2)]
			faults = append(faults, simulator.Fault{Kind: kind, Share: share * s.random.Float64(), Billed: kind != simulator.Unavailable && s.random.IntN(2) == 0})
		}
	}
	return faults
}

// bought is the answers of a night to each search, and what its newest run paid.
type bought struct {
	answers map[string]plan.PastAnswer // of the night, by request key
	cost    map[string]int             // of the newest run's answers, by request key
	failed  map[string]int             // requests of the newest run that had no answer: their first entry without data
	tries   map[string]int             // how often they were sent
	spent   int                        // by the newest run, before its last balance was read
	lookups map[int]int                // the part of it that surely went to lookups, by the entry of the intent
}

// readBills reads the answers of a night, and what its newest run paid for them.
func (s *fixture) readBills(date string) (b bought) {
	s.t.Helper()
	paths, err := journal.Segments(filepath.Join(s.p.segments(), date))
	must(s.t, err)
	b.answers = map[string]plan.PastAnswer{}
	for _, path := range paths {
		b.cost, b.failed, b.spent, b.lookups = map[string]int{}, map[string]int{}, 0, map[int]int{}
		b.tries = map[string]int{}
		account := credits.NewAccount()
		account.Begin(credits.Run{ID: path})
		for e, err := range journal.Read(path) {
			must(s.t, err)
			if account.Add(e); e.Kind == journal.KindAnswer {
				b.spent = account.Run(path).Counted()
				s.keep(&b, date, e)
			}
		}
	}
	return b
}

func (s *fixture) keep(b *bought, date string, e journal.Entry) {
	s.t.Helper()
	key := api.Key(e.Operation, e.Parameters)
	if e.Operation == api.Particulars.Name && e.Charge != journal.ChargeUnknown {
		b.lookups[e.Intent] = e.Credits
	}
	if !e.OK() {
		if b.tries[key]++; b.failed[key] == 0 {
			b.failed[key] = e.N
		}
		return
	}
	if _, twice := b.answers[key]; twice {
		s.t.Errorf("%s: %s was paid for twice", date, key)
	}
	a, err := extract.ReadAnswer(e)
	must(s.t, err)
	b.answers[key], b.cost[key] = plan.PastAnswer{Rows: a.Rows, Total: a.Total}, e.Credits
}

// missing returns what a search still costs, by the totals of this night and the last one, what the
// newest run paid for it, and the first entry of a request without an answer; 0 if there is none.
// Credits are kept for four tries of a request: one that failed as often is owed none.
func (b bought) missing(s plan.Search) (price, paid, failed int) {
	keys := []string{s.Sweep.Request().Key()}
	if s.Lane.Name == api.ByType.Name {
		first := s.Partition.Page(1)
		n := max(1, plan.Pages(s.Partition.Expected))
		if t, ok := b.answers[first.Key()]; ok {
			n = max(1, plan.Pages(t.Total))
		}
		keys = nil
		for i := range n {
			keys = append(keys, s.Partition.Page(i+1).Key())
		}
	}
	for _, key := range keys {
		if _, ok := b.answers[key]; !ok {
			price += s.Lane.Credits
			if failed = max(failed, b.failed[key]); b.tries[key] >= 4 {
				failed = math.MaxInt
			}
		}
		paid += b.cost[key]
	}
	return price, paid, failed
}

// lookedUp returns the credits of lookups whose intents came after an entry.
func (b bought) lookedUp(since int) (credits int) {
	for n, c := range b.lookups {
		if n > since {
			credits += c
		}
	}
	return credits
}

// judgeRun checks that a run kept the promises of TestNoCreditIsBetterSpent.
func (s *fixture) judgeRun(date string, planned journal.Plan, d plan.Plan, end journal.End) {
	s.t.Helper()
	b := s.readBills(date)
	all := slices.Clone(d.Waiting)
	for _, p := range d.Cover {
		all = append(all, plan.Search{Lane: api.ByType, Partition: p, Worth: math.Inf(1)})
	}
	for _, w := range d.Sweeps {
		all = append(all, plan.Search{Lane: api.ByStatus, Sweep: w, Worth: math.Inf(1)})
	}
	if b.spent > planned.Budget {
		s.t.Errorf("%s: %d credits spent of %d", date, b.spent, planned.Budget)
	}
	unasked, failed := 0, 0
	for _, left := range all {
		price, _, since := b.missing(left)
		switch {
		case price == 0:
			continue
		case since > 0:
			if failed++; report.Stop(end.Stop) != report.StopBudget && report.Stop(end.Stop) != report.StopCredits {
				continue
			}
			price, left.Worth = left.Lane.Credits, math.Inf(1) // there was nothing left to ask again
		default:
			unasked++
		}
		lesser := 0
		for _, other := range d.Waiting {
			if _, paid, _ := b.missing(other); other.Worth < left.Worth && !math.IsInf(left.Worth, 1) {
				lesser += paid
			}
		}
		lookups := b.lookedUp(since) // a search that fails is not owed what they had before
		if free := planned.Budget - b.spent + lookups - min(d.Kept, lookups) + lesser; price <= free {
			s.t.Errorf("%s: %s %q of worth %v for %d credits is left out, and %d were free: %d of %d spent, %d by lookups, %d by lesser searches; %+v",
				date, left.Lane.Name, left.Partition.Name().Value+left.Sweep.String(), left.Worth, price, free, b.spent, planned.Budget, lookups, lesser, end)
		}
	}
	if done := end.State == report.StateDone; done != (unasked+failed == 0) {
		s.t.Errorf("%s: %s with %d searches not asked and %d not answered: %+v", date, end.State, unasked, failed, end)
	}
	s.judgeReason(date, planned, d, end, unasked, failed)
}

// judgeReason compares a reason with what was left out: it may name the tightest cap if anything was
// left out, and the service if a search was not answered.
func (s *fixture) judgeReason(date string, planned journal.Plan, d plan.Plan, end journal.End, unasked, failed int) {
	s.t.Helper()
	capped := d.Allowance.Why
	if d.Allowance.Limit.Allows(planned.Budget + 1) {
		capped = credits.MostOfPlan
	}
	name, _, _ := strings.Cut(string(capped), " above")
	justified := false
	if spent := capped == credits.MostOfPlan && report.Stop(end.Stop) == report.StopBudget; end.PlanSpent != spent {
		s.t.Errorf("%s: it stopped under %s, and says that its plan was spent: %v", date, capped, end.PlanSpent)
	}
	switch report.Stop(end.Stop) {
	case report.StopNone:
		justified = unasked == 0 && (end.Reason == "") == (failed == 0)
	case report.StopBudget, report.StopCredits:
		justified = unasked+failed > 0 && strings.Contains(end.Reason, name) && (report.Stop(end.Stop) == report.StopCredits) == (capped == credits.BalanceFloor)
	case report.StopService:
		justified = failed > 0
	}
	if !justified {
		s.t.Errorf("%s: %d searches not asked and %d not answered under %s, and it stopped for %q: %s", date, unasked, failed, capped, end.Stop, end.Reason)
	}
}
