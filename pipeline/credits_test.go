package pipeline

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// newFixture returns a simulated service with a journal, for a job without caps.
func newFixture(t *testing.T, config simulator.Config, job plan.Job) *fixture {
	t.Helper()
	config.Key = "k"
	config.Limits = map[string]int{}
	for _, o := range api.Operations {
		config.Limits[o.Name] = -1
	}
	sim, err := simulator.New(config)
	if err != nil {
		t.Fatal(err)
	}
	service, stop := connect(t, sim, "k")
	t.Cleanup(stop)
	service.Limits = map[string]int{}
	for _, o := range api.Operations {
		service.Limits[o.Name] = 1_000_000
	}
	s := &fixture{t: t, sim: sim, p: &Pipeline{Dir: t.TempDir(), Service: service}, job: job,
		totals: map[string]inputs.Total{}, targets: map[string]*inputs.Target{}, seen: map[string]bool{}, refused: map[string]bool{}}
	s.p.fill()
	return s
}

// newcomer returns the job of the default configuration.
func newcomer() plan.Job {
	job := plan.Job{Name: "nightly", Location: time.UTC, Budget: 5000, Deadline: 4 * time.Hour, List: plan.List{By: "cheapest", MaxAge: 20 * time.Hour},
		Sweep: plan.Sweep{Zones: api.Zones}, Lookup: plan.Lookup{Want: []string{"particulars"}, MaxAge: 720 * time.Hour}}
	for _, s := range api.Statuses {
		job.Sweep.Statuses = append(job.Sweep.Statuses, s.Name)
	}
	return job
}

// lastEnd returns the end of the newest run of a date.
func (s *fixture) lastEnd(date string) journal.End {
	s.t.Helper()
	paths, err := journal.Segments(filepath.Join(s.p.segments(), date))
	if err != nil || len(paths) == 0 {
		s.t.Fatal(err, len(paths))
	}
	_, end, err := journal.Bounds(paths[len(paths)-1])
	if err != nil || end == nil {
		s.t.Fatal(err, end)
	}
	return *end
}

// keepTargets keeps so many of the vessels that can be looked up, adds others that the service does not know
// any more, and returns the MMSIs of these.
func (s *fixture) keepTargets(known, gone int) (mmsis []string) {
	for _, id := range slices.Sorted(maps.Keys(s.targets))[known:] {
		delete(s.targets, id)
	}
	for i := range gone {
		mmsi := fmt.Sprint(201000001 + i)
		s.targets["MMSI"+mmsi] = &inputs.Target{VesselID: "MMSI" + mmsi, MMSI: mmsi, IsVessel: true}
		mmsis = append(mmsis, mmsi)
	}
	return mmsis
}

// billed returns the credits of an operation so far.
func (s *fixture) billed(o api.Operation) int { return s.sim.Bill().Operations[o.Name].Credits }

// TestFirstNightOfANewcomerIsDone has 2,000 vessels, the default cap of 5,000, and prices that
// are not known before the night: the list costs less than its first pages were priced, and the
// freed credits go to the status searches that the plan left out, before any lookup.
func TestFirstNightOfANewcomerIsDone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, simulator.Config{Seed: 3, Vessels: 2000, Credits: 1_000_000}, newcomer())
		date := time.Now().UTC().Format(time.DateOnly)
		_, d, _ := s.run(date, 0)
		if len(d.Waiting) == 0 {
			t.Fatal("the plan left nothing out: this fleet tests nothing")
		}
		end := s.lastEnd(date)
		if end.State != report.StateDone || end.Reason != "" {
			t.Errorf("%s: %s %q", end.State, end.Reason, end.LeftOut)
		}
		if got := s.billed(api.ByStatus); got != 2490 {
			t.Errorf("%d credits of status searches, want 2490", got)
		}
		if spent := s.sim.Bill().Spent; spent > 5000 || spent < 4900 {
			t.Errorf("%d credits spent of 5000: lookups take what is left", spent)
		}
	})
}

// TestACapThatReachesForNothingEndsTheRun: no search gets credits, so that no queue becomes idle and
// is closed for that, and the run ends all the same.
func TestACapThatReachesForNothingEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := newcomer()
		job.Budget, job.PerDay = 0, 5
		s := newFixture(t, simulator.Config{Seed: 3, Vessels: 100, Credits: 1_000_000}, job)
		start := time.Now()
		date := start.UTC().Format(time.DateOnly)
		s.run(date, 0)
		if took := time.Since(start); took > time.Minute {
			t.Errorf("the run took %v", took)
		}
		if end := s.lastEnd(date); end.State != report.StatePartial || end.Stop != string(report.StopBudget) || !strings.HasPrefix(end.Reason, "273 of 273 partitions of the list are left out: the cap of the day") {
			t.Errorf("the run ended %+v", end)
		}
	})
}

// TestSecondRunOfANightAsksWhatIsLeft ends nights at a cap. The second run sends no request twice,
// costs what its plan expected, and is done; a third sends nothing. The answers to the first run
// give the second its prices: the totals of partitions, and which checks can find a vessel.
func TestSecondRunOfANightAsksWhatIsLeft(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		vessels, most int
		change        func(*plan.Job)
		between       func(*fixture)
	}{
		"the default job":                    {vessels: 2000, most: 3000},
		"a small fleet":                      {vessels: 300, most: 3000},
		"a cap that ends within the list":    {vessels: 9000, most: 2900, change: func(j *plan.Job) { j.Lookup.Want, j.List.By = nil, "country" }},
		"a list by country, without lookups": {vessels: 2000, most: 3000, change: func(j *plan.Job) { j.Lookup.Want, j.List.By = nil, "country" }},
		"a list by type":                     {vessels: 2000, most: 3700, change: func(j *plan.Job) { j.List.By = "type" }},
		"another job has learnt meanwhile that the other side is cheaper": {vessels: 2000, most: 3000, between: func(s *fixture) {
			for _, typ := range api.Types {
				s.totals[typ] = inputs.Total{Operation: api.ByType.Name, Kind: "type", Value: typ, At: time.Now().AddDate(0, 0, -8)}
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
				s := newFixture(t, simulator.Config{Seed: 3, Vessels: c.vessels, Credits: 1_000_000}, job)
				s.secondRun(c.between)
			})
		})
	}
}

func (s *fixture) secondRun(between func(*fixture)) {
	s.t.Helper()
	date := time.Now().UTC().Format(time.DateOnly)
	s.run(date, 0)
	if end := s.lastEnd(date); end.State != report.StatePartial || end.Stop != string(report.StopBudget) || !strings.Contains(end.Reason, "budget.per_run") {
		s.t.Fatalf("the first run ended %+v", end)
	}
	s.load()
	time.Sleep(time.Second)
	if between != nil {
		between(s)
	}
	before := s.sim.Bill().Spent
	s.job.Budget = 100_000
	planned, _, _ := s.run(date, 0)
	cost := s.sim.Bill().Spent - before
	if end := s.lastEnd(date); end.State != report.StateDone || end.Reason != "" {
		s.t.Errorf("the second run ended %+v", end)
	}
	if off := cost - planned.Credits.Expected; 100*max(off, -off) > cost {
		s.t.Errorf("it cost %d, its plan said %d", cost, planned.Credits.Expected)
	}
	for key, n := range s.account(date).asked {
		if n > 1 {
			s.t.Errorf("%s was paid for %d times", key, n)
		}
	}
	if n, err := readNight(s.p.segments(), s.job.Name, date, nil); err != nil || n.done == "" {
		s.t.Errorf("the night is not done: %v", err)
	}
}

// TestLookupsGetWhatEmptyPagesGiveBack has a list whose totals are not known, so that each of its many
// countries without a vessel was planned at the price of a page, and costs nothing.
func TestLookupsGetWhatEmptyPagesGiveBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := newcomer()
		job.List.By, job.Sweep, job.Lookup.Want, job.Deadline = "country", plan.Sweep{}, nil, 0
		s := newFixture(t, simulator.Config{Seed: 3, Vessels: 600, Credits: 1_000_000}, job)
		s.run(time.Now().UTC().Format(time.DateOnly), 0)
		s.load()
		clear(s.totals)
		time.Sleep(24 * time.Hour) // of virtual time: the next night comes
		s.sim.SetDay(1)
		s.job.Budget, s.job.Lookup.Want = 2600, []string{"particulars"}
		before := s.sim.Bill().Spent
		_, d, _ := s.run(time.Now().UTC().Format(time.DateOnly), 0)
		made, spent := s.billed(api.Particulars), s.sim.Bill().Spent-before
		if len(d.Lookups) == 0 || len(d.Lookups) >= d.Due {
			t.Fatalf("%d of %d lookups are planned: this fleet tests nothing", len(d.Lookups), d.Due)
		}
		if spent > 2600 || made < d.Due && spent < 2600 {
			t.Errorf("%d of %d due lookups were made, and %d of 2600 credits spent", made, d.Due, spent)
		}
	})
}

// TestWhatLookupsGiveBackPaysForOthers has credits for ten lookups, and two vessels of three that are due do not
// exist any more: looking them up costs nothing.
func TestWhatLookupsGiveBackPaysForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := newcomer()
		job.List, job.Sweep, job.Lookup.Want = plan.List{By: "country", Countries: []string{"Panama"}}, plan.Sweep{}, nil
		s := newFixture(t, simulator.Config{Seed: 3, Vessels: 600, Credits: 1_000_000}, job)
		s.run(time.Now().UTC().Format(time.DateOnly), 0)
		s.load()
		s.job.Lookup.Watch = s.keepTargets(12, 24) // they come first
		time.Sleep(24 * time.Hour)                 // of virtual time: the next night comes
		s.job.List, s.job.Budget, s.job.Lookup.Want = plan.List{By: "none"}, 10*api.Location.Credits, []string{"position"}
		_, d, _ := s.run(time.Now().UTC().Format(time.DateOnly), 0)
		if len(d.Lookups) != 10 || d.Due != 36 {
			t.Fatalf("%d of %d lookups are planned, want 10 of 36", len(d.Lookups), d.Due)
		}
		if spent := s.billed(api.Location); spent != s.job.Budget {
			t.Errorf("%d of %d credits were spent: %+v", spent, s.job.Budget, s.lastEnd(time.Now().UTC().Format(time.DateOnly)))
		}
	})
}

// TestWhatLookupsGiveBackPaysForASearch has credits for three countries of four beside those that are kept for
// lookups. The lookups are slower than the searches, and of vessels that the service does not know any more:
// they cost nothing, which the balance says when they have ended, and the fourth country fits. So it does when
// the service refuses the first of them and the others are not sent. Lookups that are sent again, because no
// answer came, and that are beyond their share then, do not wait for a country that waits for them.
func TestWhatLookupsGiveBackPaysForASearch(t *testing.T) {
	positions, watched := []string{"position"}, []string{"particulars", "position"}
	slow := simulator.Fault{Kind: simulator.Slow, Operation: api.Location.Name, Share: 1, Least: 5 * time.Second, Most: 9 * time.Second}
	blocked := simulator.Fault{Kind: simulator.Blocked, Operation: api.Location.Name}
	cut := simulator.Fault{Kind: simulator.Cut, Operation: api.Location.Name, Next: 4}
	for what, c := range map[string]struct {
		want   []string
		faults simulator.Faults
	}{
		"lookups":                              {positions, simulator.Faults{slow}},
		"positions of watched vessels":         {watched, simulator.Faults{slow}},
		"lookups that are refused":             {positions, simulator.Faults{slow, blocked}},
		"refused positions of watched vessels": {watched, simulator.Faults{slow, blocked}},
		"lookups that are sent again":          {positions, simulator.Faults{slow, cut}},
		"positions that are sent again":        {watched, simulator.Faults{slow, cut}},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				job := newcomer()
				job.List, job.Sweep, job.Lookup.Want = plan.List{By: "country", Countries: []string{"Panama", "Liberia", "Malta", "Greece"}}, plan.Sweep{}, nil
				s := newFixture(t, simulator.Config{Seed: 3, Vessels: 600, Credits: 1_000_000}, job)
				s.run(time.Now().UTC().Format(time.DateOnly), 0)
				s.load()
				s.keepTargets(1, 3)
				time.Sleep(24 * time.Hour) // of virtual time: the next night comes
				for _, target := range s.targets {
					target.ParticularsAt, s.job.Lookup.Watch = time.Now(), append(s.job.Lookup.Watch, target.Number())
				}
				date, before := time.Now().UTC().Format(time.DateOnly), s.billed(api.ByType)
				s.p.Service.MaxInFlight = 2
				s.job.Budget, s.job.Lookup.Want, s.job.Lookup.WatchedOnly = 43, c.want, true
				if err := s.sim.SetFaults(c.faults); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				_, d, _ := s.run(date, 0)
				if took := time.Since(began); took > time.Hour {
					t.Errorf("it took %v: %+v", took, s.lastEnd(date))
				}
				if len(d.Cover) != 3 || len(d.Lookups)+len(d.Positions) != 4 {
					t.Fatalf("%d countries and %d lookups are planned, want 3 and 4", len(d.Cover), len(d.Lookups)+len(d.Positions))
				}
				if spent := s.billed(api.ByType) - before; spent != 40 {
					t.Errorf("%d credits were spent on the list, want 40 of 43: %+v", spent, s.lastEnd(date))
				}
			})
		})
	}
}

// TestTheShareOfLookupsIsWholeLookups has a cap for some of twelve countries, and more lookups due than it pays for.
// The tenth of the cap that is kept for lookups pays for whole ones: what is over goes to the countries.
func TestTheShareOfLookupsIsWholeLookups(t *testing.T) {
	countries := []string{"Panama", "Liberia", "Malta", "Greece", "China", "Singapore", "Bahamas", "Norway", "Japan", "Cyprus", "Italy", "India"}
	for most := 45; most <= 75; most++ { // a tenth of it is 4 to 7 credits
		synctest.Test(t, func(t *testing.T) {
			job := newcomer()
			job.List, job.Sweep, job.Lookup.Want = plan.List{By: "country", Countries: countries}, plan.Sweep{}, nil
			s := newFixture(t, simulator.Config{Seed: 3, Vessels: 600, Credits: 1_000_000}, job)
			s.run(time.Now().UTC().Format(time.DateOnly), 0)
			s.load()
			time.Sleep(24 * time.Hour) // of virtual time: the next night comes
			listed := s.billed(api.ByType)
			s.job.Budget, s.job.Lookup.Want = most, []string{"particulars", "engine"}
			s.run(time.Now().UTC().Format(time.DateOnly), 0)
			listed = s.billed(api.ByType) - listed
			share := (most/10 + 2) / 5 * 5
			if want := min(12, (most-share)/10) * 10; listed != want {
				t.Errorf("cap %d: %d credits for the list, want %d", most, listed, want)
			}
			if spent := listed + s.billed(api.Info); spent > most || spent <= most-api.Info.Credits {
				t.Errorf("cap %d: %d credits were spent", most, spent)
			}
		})
	}
}
