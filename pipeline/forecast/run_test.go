package forecast

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/google/go-cmp/cmp"
)

// TestTheSameStateGivesTheSameForecast runs scenarios twice, side by side, and compares the state before
// and after.
func TestTheSameStateGivesTheSameForecast(t *testing.T) {
	s, job := large(1000)
	before := append(s.Targets[:0:0], s.Targets...)
	scenarios := []Scenario{{Job: job, Nights: following(start, 20)}, {Job: job, Nights: following(start, 20)}}
	scenarios[1].Job.Budget = 900
	first, err := Run(t.Context(), s, scenarios)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Run(t.Context(), s, scenarios)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, s.Targets); diff != "" {
		t.Errorf("the state changed: %s", diff)
	}
	if cmp.Equal(first[0].Nights, first[1].Nights) {
		t.Error("another budget changes nothing")
	}
}

// TestCapsHold forecasts under each cap, and counts what the nights spend.
func TestCapsHold(t *testing.T) {
	s, job := large(300)
	for name, set := range map[string]func(*plan.Job){
		"of the night": func(j *plan.Job) { j.Budget = 700 },
		"of the day":   func(j *plan.Job) { j.Budget, j.PerDay = 0, 700 },
		"of the month": func(j *plan.Job) { j.Budget, j.PerMonth = 0, 9000 },
	} {
		c := Scenario{Job: job, Nights: following(start, 60)}
		set(&c.Job)
		f, err := Run(t.Context(), s, []Scenario{c})
		if err != nil {
			t.Fatal(err)
		}
		months := map[time.Month]int{}
		for _, n := range f[0].Nights[1:] {
			months[n.At.Month()] += n.Credits
			if c.Job.PerMonth == 0 && (n.Credits > 700 || n.Credits < 690) {
				t.Errorf("%s: %d credits on %s", name, n.Credits, n.At)
			}
			if n.Credits != n.Spending.Questions+n.Spending.List+n.Spending.Sweep+n.Spending.Lookups {
				t.Errorf("%s: %+v", name, n)
			}
		}
		if c.Job.PerMonth > 0 && (months[time.October] > 9000 || months[time.October] < 8900) {
			t.Errorf("%s: %v", name, months)
		}
	}
}

// TestACapOfAMonthIsSpread compares a budget of a month alone with one that is spread over its nights.
func TestACapOfAMonthIsSpread(t *testing.T) {
	_, job := large(10)
	job = Spread(job, 62_000, following(start, 90))
	if job.PerMonth != 62_000 || job.Budget != 62_000/30 {
		t.Errorf("%d a month, %d a night", job.PerMonth, job.Budget)
	}
	if weekly := Spread(job, 62_000, []time.Time{start, start.AddDate(0, 0, 7), start.AddDate(0, 0, 14), start.AddDate(0, 0, 21), start.AddDate(0, 0, 28), start.AddDate(0, 0, 35)}); weekly.Budget != 62_000/5 {
		t.Errorf("%d a night", weekly.Budget)
	}
}

// TestNothingIsKnown forecasts from the priors: the fleet is listed, and then looked up.
func TestNothingIsKnown(t *testing.T) {
	s := Unknown(start)
	s.Unlisted = 3000
	_, job := large(1)
	job.Budget, job.Sweep.Every = 3000, 7*24*time.Hour
	f, err := Run(t.Context(), s, []Scenario{{Job: job, Nights: following(start, 60)}})
	if err != nil {
		t.Fatal(err)
	}
	last := f[0].Last()
	if first := f[0].Nights[0]; first.Vessels != 0 || len(s.Priors) < 5 {
		t.Errorf("%+v, %v", first, s.Priors)
	}
	for _, p := range s.Priors {
		if p.What == "" || p.Value == "" || p.Source == "" {
			t.Errorf("%+v has no source", p)
		}
	}
	if m := last.Datasets[0]; math.Abs(float64(last.Vessels)-3000) > 60 || m.Known < .99 || m.True > m.Known-.005 || m.True < .9 || m.Median > 40 {
		t.Errorf("%+v", last)
	}
	if n, ok := f[0].NightsUntilComplete("particulars"); !ok || n < 2 {
		t.Errorf("complete after %d nights: %v", n, ok)
	}
	sweeps, without := 0, 0
	for _, n := range f[0].Nights[1:29] {
		sweeps += n.Spending.Sweep
		without += countOf(n.Spending.Sweep == 0)
	}
	if sweeps < 3*2000 || sweeps > 5*2490 || without < 14 {
		t.Errorf("%d credits for status searches in four weeks, %d nights without any", sweeps, without)
	}
}

// TestTheWatchListIsFresh compares the ages with and without a watch list of the whole fleet.
func TestTheWatchListIsFresh(t *testing.T) {
	s, job := large(300)
	c := Scenario{Job: job, Nights: following(start, 20)}
	c.Job.Budget = 0
	watched := c
	for _, v := range s.Targets {
		watched.Job.Lookup.Watch = append(watched.Job.Lookup.Watch, v.Number())
	}
	f, err := Run(t.Context(), s, []Scenario{c, watched})
	if err != nil {
		t.Fatal(err)
	}
	if without, with := f[0].Last().Datasets[0], f[1].Last().Datasets[0]; with.P90 > 1 || without.P90 < 5 {
		t.Errorf("90 %% are within %.1f days, without the list %.1f", with.P90, without.P90)
	}
}

func TestACancelledForecastEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, job := large(10)
	if _, err := Run(ctx, s, []Scenario{{Job: job, Nights: following(start, 9)}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestLearnChurn learns from histories of different length.
func TestLearnChurn(t *testing.T) {
	none, priors := LearnChurn(History{})
	if none != assumedChurn || len(priors) != 2 {
		t.Errorf("%v, %v", none, priors)
	}
	long, priors := LearnChurn(History{VesselDays: 1e6, Arrived: 1000, Left: 1000, Changed: 5000})
	near := func(got, want float64) bool { return math.Abs(got-want) < .01*want }
	if !near(long.Arrive, .001) || !near(long.Leave, .002) || !near(long.Change, .005) || priors != nil {
		t.Errorf("%v, %v", long, priors)
	}
	if quiet, _ := LearnChurn(History{VesselDays: 2000}); quiet.Change <= 0 || quiet.Change >= assumedChurn.Change {
		t.Errorf("after a quiet night: %v", quiet)
	}
}

// TestKnee finds where a curve bends.
func TestKnee(t *testing.T) {
	for name, c := range map[string]struct {
		fresh []float64
		want  int
	}{
		"a bend":          {[]float64{.1, .5, .9, .92, .94}, 2},
		"a straight line": {[]float64{.1, .3, .5, .7, .9}, -1},
		"flat":            {[]float64{.9, .9, .9}, -1},
		"falling":         {[]float64{.9, .5, .1}, -1},
		"one point":       {[]float64{.9}, -1},
		"convex":          {[]float64{.1, .1, .1, .9}, -1},
	} {
		var points []Point
		for i, fresh := range c.fresh {
			points = append(points, Point{PerMonth: float64(i+1) * 1000, Fresh: fresh})
		}
		if got := knee(points); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestDraw draws the curve of a small fleet: more credits never buy less.
func TestDraw(t *testing.T) {
	s, job := large(200)
	job.Budget, job.Sweep.Statuses = 800, nil
	curve, configured, err := Draw(t.Context(), s, Scenario{Job: job, Nights: following(start, 35)})
	if err != nil || len(curve.Points) != len(shares)+2 || len(configured.Nights) != 36 {
		t.Fatalf("%d points, %v", len(curve.Points), err)
	}
	names := map[string]bool{}
	for i, p := range curve.Points {
		names[p.Name] = true
		if i > 0 && (p.PerMonth < curve.Points[i-1].PerMonth-1 || p.Fresh < curve.Points[i-1].Fresh-.05) {
			t.Errorf("%+v comes after %+v", p, curve.Points[i-1])
		}
	}
	if !names["as configured"] || !names["no cap"] {
		t.Errorf("%v", names)
	}
}
