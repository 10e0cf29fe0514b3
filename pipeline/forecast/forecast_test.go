package forecast

import (
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

var start = time.Date(2026, 9, 1, 2, 0, 0, 0, time.UTC)

const days = 24 * time.Hour

// mix is a fleet and a job over it.
type mix struct {
	name string
	sim  simulator.Config
	job  plan.Job
}

var statuses = []string{"under-way", "moored", "at-anchor"}

// mixes differ in budget, churn, size of the fleet, and wants.
func mixes() []mix {
	list := plan.List{By: "cheapest", MaxAge: 20 * time.Hour}
	zones := []string{"china-coast", "north-sea", "west-mediterranean"}
	return []mix{
		{"particulars, a tight budget", simulator.Config{Vessels: 2000, Seed: 1}, plan.Job{Budget: 2600, List: list, Lookup: plan.Lookup{Want: []string{"particulars"}, MaxAge: 30 * days}}},
		{"particulars, no cap", simulator.Config{Vessels: 2000, Seed: 2}, plan.Job{Deadline: 4 * time.Hour, List: list, Lookup: plan.Lookup{Want: []string{"particulars"}, MaxAge: 30 * days}}},
		{"management, five credits each", simulator.Config{Vessels: 2000, Seed: 3}, plan.Job{Budget: 2700, List: list, Lookup: plan.Lookup{Want: []string{"management"}, MaxAge: 30 * days}}},
		{"everything, limited by the lane", simulator.Config{Vessels: 1500, Seed: 4}, plan.Job{Deadline: 5 * time.Minute, List: plan.List{By: "country", MaxAge: 20 * time.Hour}, Lookup: plan.Lookup{Want: plan.Datasets, MaxAge: 14 * days}}},
		{"much churn", simulator.Config{Vessels: 2000, Seed: 5, Rates: simulator.Rates{Built: .003, Scrapped: .003, Unlisted: .003, Renamed: .004, Reflagged: .004, Sold: .008}}, plan.Job{Budget: 2800, List: list, Lookup: plan.Lookup{Want: []string{"particulars"}, MaxAge: 30 * days}}},
		{"a list that takes several nights", simulator.Config{Vessels: 2500, Seed: 6}, plan.Job{Budget: 1200, List: plan.List{By: "country", MaxAge: 20 * time.Hour}, Lookup: plan.Lookup{Want: []string{"particulars"}, MaxAge: 30 * days}}},
		{"status searches beside it", simulator.Config{Vessels: 1500, Seed: 7}, plan.Job{Budget: 2500, List: list, Sweep: plan.Sweep{Statuses: statuses, Zones: zones}, Lookup: plan.Lookup{Want: []string{"particulars"}, MaxAge: 20 * days}}},
		{"a budget a month", simulator.Config{Vessels: 1000, Seed: 8}, plan.Job{PerMonth: 50_000, Budget: 2500, List: list, Lookup: plan.Lookup{Want: []string{"engine", "management"}, MaxAge: 30 * days}}},
		{"a list every third night", simulator.Config{Vessels: 3000, Seed: 9, Dirt: 3}, plan.Job{Budget: 2600, List: plan.List{By: "country", MaxAge: 68 * time.Hour}, Lookup: plan.Lookup{Want: []string{"particulars"}, MaxAge: 10 * days, MaxRequests: 300}}},
		{"positions", simulator.Config{Vessels: 1000, Seed: 10}, plan.Job{Budget: 2000, List: list, Lookup: plan.Lookup{Want: []string{"position"}, MaxAge: 1 * days, MaxRequests: 120}}},
	}
}

// outcome is a forecast that was made on one night, and what the last night showed.
type outcome struct {
	expected, shown Night
	credits, spent  int // of the nights between
}

// play runs a mix for some nights, and forecasts the last of them on an earlier one.
func play(t testing.TB, m mix, made, last int) outcome {
	t.Helper()
	w, err := newNights(m.sim, m.job, start)
	if err != nil {
		t.Fatal(err)
	}
	var o outcome
	for day := range last + 1 {
		n := w.night(day)
		if day > made {
			o.spent += n.Credits
			o.shown = n
		}
		if day == made {
			f, err := Run(t.Context(), w.state(n.At), []Scenario{{Job: m.job, Nights: following(n.At, last-made)}})
			if err != nil {
				t.Fatal(err)
			}
			o.expected = f[0].Last()
			for _, n := range f[0].Nights[1:] {
				o.credits += n.Credits
			}
		}
	}
	return o
}

// following returns the nights after one.
func following(at time.Time, n int) (all []time.Time) {
	for i := range n {
		all = append(all, at.AddDate(0, 0, i+1))
	}
	return all
}

// misses lists what a forecast was wrong about: by more than 5 points of a share known, or by more than
// 15 % of a median age or of the credits.
func (o outcome) misses() (all []string) {
	off := func(what string, expected, shown, by float64) {
		if math.Abs(expected-shown) > by {
			all = append(all, fmt.Sprintf("%s: %.3f was expected, and it is %.3f", what, expected, shown))
		}
	}
	off("credits", float64(o.credits), float64(o.spent), .15*float64(o.spent))
	for i, m := range o.shown.Datasets {
		e := o.expected.Datasets[i]
		off(m.Dataset+" known", e.Known, m.Known, .05)
		off(m.Dataset+" median age", e.Median, m.Median, .15*m.Median)
	}
	return all
}

func (o outcome) print(name string) {
	fmt.Fprintf(os.Stdout, "%-34s credits %8d %8d   ships %5d %5d\n", name, o.credits, o.spent, o.expected.Vessels, o.shown.Vessels)
	for i, m := range o.shown.Datasets {
		e := o.expected.Datasets[i]
		fmt.Fprintf(os.Stdout, "  %-14s known %5.1f %5.1f   true %5.1f %5.1f   median %5.1f %5.1f   p90 %5.1f %5.1f   worst %5.1f %5.1f\n", m.Dataset, 100*e.Known, 100*m.Known, 100*e.True, 100*m.True, e.Median, m.Median, e.P90, m.P90, e.Worst, m.Worst)
	}
}

// BenchmarkForecast prints, for ten mixes, what the forecast of night 10 expects of night 90, and what
// night 90 shows.
//
//	go test ./pipeline/forecast -run '^$' -bench Forecast$ -benchtime 1x
func BenchmarkForecast(b *testing.B) {
	for b.Loop() {
		for _, m := range mixes() {
			o := play(b, m, 10, 90)
			o.print(m.name)
			for _, miss := range o.misses() {
				b.Errorf("%s: %s", m.name, miss)
			}
		}
	}
}

// TestAForecastComesTrue makes the forecast of three mixes on night 10 and compares it with night 40. The
// long form is BenchmarkForecast.
func TestAForecastComesTrue(t *testing.T) {
	for _, i := range []int{0, 4, 5} {
		m := mixes()[i]
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			m.sim.Vessels /= 4
			m.job.Budget = m.job.Budget * 2 / 5
			o := play(t, m, 10, 40)
			for _, miss := range o.misses() {
				t.Error(miss)
			}
			if testing.Verbose() {
				o.print(m.name)
			}
		})
	}
}
