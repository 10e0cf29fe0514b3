package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/warehouse"
)

// newPort is a simulated service that a job without limits of its own is run against.
func newPort(t *testing.T, config simulator.Config, job Job) *port {
	t.Helper()
	config.Key = "k"
	config.Limits = map[string]int{}
	for _, o := range extract.Operations {
		config.Limits[o.Name] = -1
	}
	sim, err := simulator.New(config)
	if err != nil {
		t.Fatal(err)
	}
	service, stop := connect(t, sim, "k")
	t.Cleanup(stop)
	service.Limits = map[string]int{}
	for _, o := range extract.Operations {
		service.Limits[o.Name] = 1_000_000
	}
	s := &port{t: t, sim: sim, p: &Pipeline{Dir: t.TempDir(), Service: service}, job: job,
		totals: map[string]warehouse.Total{}, targets: map[string]*warehouse.Target{}, seen: map[string]bool{}, refused: map[string]bool{}}
	s.p.fill()
	return s
}

// newcomer is the job of the default configuration.
func newcomer() Job {
	job := Job{Name: "nightly", Location: time.UTC, Budget: 5000, Deadline: 4 * time.Hour, List: List{By: "cheapest", MaxAge: 20 * time.Hour},
		Sweep: Sweep{Zones: extract.Zones}, Lookup: Lookup{Want: []string{"particulars"}, MaxAge: 720 * time.Hour}}
	for _, s := range extract.Statuses {
		job.Sweep.Statuses = append(job.Sweep.Statuses, s.Name)
	}
	return job
}

// lastEnd is how the newest run of a date ended.
func (s *port) lastEnd(date string) journal.End {
	s.t.Helper()
	paths, err := journal.Segments(filepath.Join(s.p.journal(), date))
	if err != nil || len(paths) == 0 {
		s.t.Fatal(err, len(paths))
	}
	_, end, err := journal.Bounds(paths[len(paths)-1])
	if err != nil || end == nil {
		s.t.Fatal(err, end)
	}
	return *end
}

// billed is what requests of an operation have cost so far.
func (s *port) billed(o extract.Operation) int { return s.sim.Bill().Operations[o.Name].Credits }

// TestFirstNightOfANewcomerIsDone has 2,000 vessels, the default cap of 5,000, and prices that
// are not known before the night: the list costs less than its first pages were priced, and
// what that frees goes to the status searches that the plan left out, before any lookup.
func TestFirstNightOfANewcomerIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPort(t, simulator.Config{Seed: 3, Vessels: 2000, Credits: 1_000_000}, newcomer())
		date := time.Now().UTC().Format(time.DateOnly)
		_, d, _ := s.run(date, 0)
		if len(d.waiting) == 0 {
			t.Fatal("the plan left nothing out: nothing is shown here")
		}
		end := s.lastEnd(date)
		if end.State != StateDone || end.Reason != "" {
			t.Errorf("%s: %s %q", end.State, end.Reason, end.LeftOut)
		}
		if got := s.billed(extract.ByStatus); got != 2490 {
			t.Errorf("%d credits of status searches, want 2490", got)
		}
		if spent := s.sim.Bill().Spent; spent > 5000 || spent < 4900 {
			t.Errorf("%d credits spent of 5000: lookups take what is left", spent)
		}
	})
}

// TestACapThatReachesForNothingEndsTheRun: where no search finds credits, nothing comes to rest
// that could close the queues, and the run ends all the same.
func TestACapThatReachesForNothingEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := newcomer()
		job.Budget, job.PerDay = 0, 5
		s := newPort(t, simulator.Config{Seed: 3, Vessels: 100, Credits: 1_000_000}, job)
		start := time.Now()
		date := start.UTC().Format(time.DateOnly)
		s.run(date, 0)
		if took := time.Since(start); took > time.Minute {
			t.Errorf("the run took %v", took)
		}
		if end := s.lastEnd(date); end.State != StatePartial || end.Stop != string(StopBudget) || !strings.HasPrefix(end.Reason, "273 of 273 partitions of the list are left out: the cap of the day") {
			t.Errorf("the run ended %+v", end)
		}
	})
}

// TestSecondRunOfANightAsksWhatIsLeft cuts nights off at a cap. The second run asks nothing
// twice, costs what its plan said, and is done; a third asks nothing. What the first run's answers
// tell is priced by them: the totals of partitions, and which checks can find a vessel.
func TestSecondRunOfANightAsksWhatIsLeft(t *testing.T) {
	for name, c := range map[string]struct {
		vessels, most int
		change        func(*Job)
		between       func(*port)
	}{
		"the default job":                    {vessels: 2000, most: 3000},
		"a small fleet":                      {vessels: 300, most: 3000},
		"a cap that ends within the list":    {vessels: 9000, most: 2900, change: func(j *Job) { j.Lookup.Want, j.List.By = nil, "country" }},
		"a list by country, without lookups": {vessels: 2000, most: 3000, change: func(j *Job) { j.Lookup.Want, j.List.By = nil, "country" }},
		"a list by type":                     {vessels: 2000, most: 3700, change: func(j *Job) { j.List.By = "type" }},
		"another job has learnt meanwhile that the other side is cheaper": {vessels: 2000, most: 3000, between: func(s *port) {
			for _, typ := range extract.Types {
				s.totals[typ] = warehouse.Total{Operation: extract.ByType.Name, Kind: "type", Value: typ, At: time.Now().AddDate(0, 0, -8)}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				job := newcomer()
				job.Budget = c.most
				if c.change != nil {
					c.change(&job)
				}
				s := newPort(t, simulator.Config{Seed: 3, Vessels: c.vessels, Credits: 1_000_000}, job)
				s.secondRun(c.between)
			})
		})
	}
}

func (s *port) secondRun(between func(*port)) {
	s.t.Helper()
	date := time.Now().UTC().Format(time.DateOnly)
	s.run(date, 0)
	if end := s.lastEnd(date); end.State != StatePartial || end.Stop != string(StopBudget) || !strings.Contains(end.Reason, "budget.per_run") {
		s.t.Fatalf("the first run ended %+v", end)
	}
	s.learn()
	time.Sleep(time.Second)
	if between != nil {
		between(s)
	}
	before := s.sim.Bill().Spent
	s.job.Budget = 100_000
	plan, _, _ := s.run(date, 0)
	cost := s.sim.Bill().Spent - before
	if end := s.lastEnd(date); end.State != StateDone || end.Reason != "" {
		s.t.Errorf("the second run ended %+v", end)
	}
	if off := cost - plan.Credits.Expected; 100*max(off, -off) > cost {
		s.t.Errorf("it cost %d, its plan said %d", cost, plan.Credits.Expected)
	}
	for key, n := range s.account(date).asked {
		if n > 1 {
			s.t.Errorf("%s was paid for %d times", key, n)
		}
	}
	if n, err := readNightBut(s.p.journal(), s.job.Name, date, nil); err != nil || n.done == "" {
		s.t.Errorf("the night is not done: %v", err)
	}
}

// TestNoCreditIsBetterSpent plays random nights: prices that are known late, caps, runs that
// are cut off by their cap or killed, and resumed. After each run that came to its end, with
// what it left out held against what it bought:
//
//   - the cap is kept, and nothing is bought twice
//   - no search that is left out for lack of credits would have fitted into what was left, into
//     what lookups took beyond their share, or into what went to searches of less worth that the
//     plan had left out too
//   - the run is done exactly if every search of the job has all its answers, and a reason that
//     names a cap is true
//
// FLEETLAKE_NIGHTS sets how many nights are played.
func TestNoCreditIsBetterSpent(t *testing.T) {
	nights := 100
	if n, err := strconv.Atoi(os.Getenv("FLEETLAKE_NIGHTS")); err == nil {
		nights = n
	}
	const groups = 4
	var waited, cut, done atomic.Int64
	t.Run("nights", func(t *testing.T) {
		for g := range groups {
			t.Run(fmt.Sprint(g), func(t *testing.T) {
				t.Parallel()
				for seed := g; seed < nights/2; seed += groups {
					synctest.Test(t, func(t *testing.T) {
						s := randomPort(t, uint64(seed))
						for day := range 2 {
							s.sim.SetDay(day)
							s.cappedNight(day, &waited, &cut, &done)
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
	t.Logf("%d runs in which a search waited, %d cut short by a cap, %d done", waited.Load(), cut.Load(), done.Load())
	if waited.Load() < 5 || cut.Load() < 5 || done.Load() < 5 {
		t.Error("the nights are too alike to show anything")
	}
}

// randomPort is a random fleet and job.
func randomPort(t *testing.T, seed uint64) *port {
	r := rand.New(rand.NewPCG(seed, 7))
	some := func(all []string, most int) []string {
		all = slices.Clone(all)
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return all[:1+r.IntN(most)]
	}
	job := Job{Name: "nightly", Location: time.UTC,
		List:  List{By: "country", Countries: some([]string{"Panama", "Liberia", "China", "Malta", "Greece", "Chad", "Togo", "Norway", "Japan", "Tuvalu"}, 10)},
		Sweep: Sweep{Statuses: some([]string{"moored", "aground", "at-anchor", "drifting"}, 4), Zones: some(extract.Zones, 6)}}
	if r.IntN(3) > 0 {
		job.Lookup = Lookup{Want: []string{"particulars"}, MaxAge: 720 * time.Hour}
	}
	s := newPort(t, simulator.Config{Seed: seed, Vessels: 50 + r.IntN(1500), Credits: 1_000_000}, job)
	s.random = r
	return s
}

// cappedNight runs a night under growing caps until it is done, or a few times.
func (s *port) cappedNight(day int, waited, cut, done *atomic.Int64) {
	s.t.Helper()
	date := time.Now().UTC().Format(time.DateOnly)
	s.job.Budget = 10 + s.random.IntN(600)
	for range 3 {
		kill := time.Duration(0)
		if s.random.IntN(4) == 0 {
			kill = time.Duration(1 + s.random.Int64N(int64(300*time.Millisecond)))
		}
		plan, d, ended := s.run(date, kill)
		time.Sleep(time.Second) // runs are told apart by when they began
		s.learn()
		if len(d.waiting) > 0 {
			waited.Add(1)
		}
		if ended {
			end := s.lastEnd(date)
			s.judgeRun(date, plan, d, end)
			switch {
			case end.State == StateDone:
				done.Add(1)
				return
			case end.Stop == string(StopBudget):
				cut.Add(1)
			}
			s.job.Budget += s.random.IntN(600)
		}
	}
}

// bought is what a night has of each search.
type bought struct {
	answers map[string]told // of the night, by request key
	cost    map[string]int  // of the newest run, by request key
}

// books reads what a night has, and what its newest run paid for it.
func (s *port) books(date string) (b bought) {
	s.t.Helper()
	paths, err := journal.Segments(filepath.Join(s.p.journal(), date))
	must(s.t, err)
	b = bought{answers: map[string]told{}}
	for _, path := range paths {
		b.cost = map[string]int{}
		for e, err := range journal.Read(path) {
			must(s.t, err)
			if e.Kind != journal.KindAnswer || !e.OK() {
				continue
			}
			key := extract.Key(e.Operation, e.Parameters)
			if _, twice := b.answers[key]; twice {
				s.t.Errorf("%s: %s was paid for twice", date, key)
			}
			a, err := extract.Reread(e)
			must(s.t, err)
			b.answers[key], b.cost[key] = told{rows: a.Rows, total: a.Total}, e.Credits
		}
	}
	return b
}

// missing is what a search still costs, by what the night and the last one know, and what its
// newest run paid for it.
func (b bought) missing(s search) (price, paid int) {
	keys := []string{s.sweep.Request().Key()}
	if s.lane.Name == extract.ByType.Name {
		first := s.partition.page(1)
		n := max(1, pages(s.partition.expected))
		if t, ok := b.answers[first.Key()]; ok {
			n = max(1, pages(t.total))
		}
		keys = nil
		for i := range n {
			keys = append(keys, s.partition.page(i+1).Key())
		}
	}
	for _, key := range keys {
		if _, ok := b.answers[key]; !ok {
			price += s.lane.Credits
		}
		paid += b.cost[key]
	}
	return price, paid
}

// judgeRun holds the promises against what a run did.
func (s *port) judgeRun(date string, plan journal.Plan, d decision, end journal.End) {
	s.t.Helper()
	b := s.books(date)
	all := slices.Clone(d.waiting)
	for _, p := range d.cover {
		all = append(all, search{lane: extract.ByType, partition: p, worth: math.Inf(1)})
	}
	for _, w := range d.sweeps {
		all = append(all, search{lane: extract.ByStatus, sweep: w, worth: math.Inf(1)})
	}
	spent, searches := 0, 0
	for key, credits := range b.cost {
		spent += credits
		if !strings.HasPrefix(key, extract.Particulars.Name) {
			searches += credits
		}
	}
	if spent > plan.Budget {
		s.t.Errorf("%s: %d credits spent of %d", date, spent, plan.Budget)
	}
	open := 0
	for _, left := range all {
		price, _ := b.missing(left)
		if price == 0 {
			continue
		}
		open++
		lesser := 0
		for _, other := range d.waiting {
			if _, paid := b.missing(other); other.worth < left.worth && !math.IsInf(left.worth, 1) {
				lesser += paid
			}
		}
		if free := plan.Budget - searches - min(d.kept, spent-searches) + lesser; price <= free {
			s.t.Errorf("%s: a search of worth %v for %d credits is left out, and %d were free: %d of %d spent, %d by lookups, %d by lesser searches; %+v",
				date, left.worth, price, free, spent, plan.Budget, spent-searches, lesser, end)
		}
	}
	if done := end.State == StateDone; done != (open == 0) {
		s.t.Errorf("%s: %s with %d searches open: %+v", date, end.State, open, end)
	}
	if open > 0 && end.Stop != string(StopBudget) || open == 0 && end.Reason != "" {
		s.t.Errorf("%s: %d searches open, and it stopped for %q: %s", date, open, end.Stop, end.Reason)
	}
}
