package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// TestAPlanExpectsWhatTheNightCosts has caps between what the searches of a known fleet cost and the most that they
// could cost. The plan expects what the night then costs, and leaves out what the night leaves out.
func TestAPlanExpectsWhatTheNightCosts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		vessels int
		caps    []int
		want    []string
	}{
		{600, []int{3100, 3620, 3800, 4200, 4700}, nil},
		{2000, []int{3300, 4400, 4700, 5100, 5500, 6500}, []string{"particulars"}},
	} {
		for _, most := range c.caps {
			t.Run(fmt.Sprintf("%d vessels, %d credits", c.vessels, most), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					job := newcomer()
					job.Budget, job.List.By, job.Lookup.Want = 0, "country", nil
					s := newFixture(t, simulator.Config{Seed: 8, Vessels: c.vessels, Credits: 1_000_000}, job)
					s.run(time.Now().UTC().Format(time.DateOnly), 0)
					s.load()
					time.Sleep(24 * time.Hour) // of virtual time: the next night comes
					s.sim.SetDay(1)
					before, date := s.sim.Bill().Spent, time.Now().UTC().Format(time.DateOnly)
					for i, w := range plan.Decide(s.job, plan.Inputs{Now: time.Now()}, s.p.Service.PerMinute).Sweeps {
						name := w.Partition() // every third finds nobody, and costs as much
						s.totals[name.Value] = inputs.Total{Operation: api.ByStatus.Name, Kind: name.Kind, Value: name.Value, Rows: i % 3 * 20, At: time.Now().AddDate(0, 0, -1)}
					}
					s.job.Budget, s.job.Lookup.Want = most, c.want
					promised := s.forecast()
					planned, d, _ := s.run(date, 0)
					cost, end := s.sim.Bill().Spent-before, s.lastEnd(date)
					if off := cost - planned.Credits.Expected; 50*max(off, -off) > cost {
						t.Errorf("it cost %d, and its plan expected %d", cost, planned.Credits.Expected)
					}
					if off := cost - promised; 50*max(off, -off) > cost {
						t.Errorf("it cost %d, and the forecast promised %d", cost, promised)
					}
					left := 0
					for _, l := range d.LeftOut {
						if l.What != plan.LookupsLeft && l.What != plan.ListChecks {
							left += l.Count
						}
					}
					if (left == 0) != (end.State == report.StateDone) {
						t.Errorf("%q are left out, %d were freed, and it ended %+v", d.LeftOut, len(d.Freed), end)
					}
				})
			})
		}
	}
}

// forecast returns the credits of the coming night, as a forecast promises them.
func (s *fixture) forecast() int {
	s.t.Helper()
	state := forecast.State{Now: time.Now(), Refused: s.refused, SpentAt: time.Now()}
	for _, total := range s.totals {
		state.Totals = append(state.Totals, total)
	}
	for _, target := range s.targets {
		state.Targets = append(state.Targets, *target)
		state.Targets[len(state.Targets)-1].Listed = true
	}
	slices.SortFunc(state.Targets, func(a, b inputs.Target) int { return strings.Compare(a.VesselID, b.VesselID) })
	f, err := forecast.Run(s.t.Context(), state, []forecast.Scenario{{Job: s.job, Nights: []time.Time{time.Now()}}})
	must(s.t, err)
	return f[0].Last().Credits
}
