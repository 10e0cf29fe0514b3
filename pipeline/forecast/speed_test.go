package forecast

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// large is a state of many vessels, each looked up some days ago, and the job of the defaults over it.
func large(vessels int) (State, plan.Job) {
	categories := []string{"cargo", "tanker", "passenger", "fishing", "tug"}
	s := State{Now: start, Churn: assumedChurn}
	for i := range vessels {
		at := start.Add(-time.Duration(i%40*24) * time.Hour)
		if i%10 == 0 {
			at = time.Time{}
		}
		s.Targets = append(s.Targets, inputs.Target{VesselID: fmt.Sprintf("IMO%07d", i), IMO: 1_000_000 + i, IsVessel: true, Listed: true, Category: categories[i%5],
			Name: "ANY NAME", Flag: "PA", VesselType: "Tug", ParticularsAt: at, EngineAt: at, ManagementAt: at, PositionAt: at, FirstSeen: start.AddDate(0, 0, -60), ChangedAt: start.AddDate(0, 0, -60), Versions: 1})
	}
	job := plan.Job{Budget: 40_000, Deadline: 4 * time.Hour, List: plan.List{By: "cheapest", MaxAge: 20 * time.Hour},
		Sweep: plan.Sweep{Zones: api.Zones}, Lookup: plan.Lookup{Want: []string{"particulars"}, MaxAge: 30 * 24 * time.Hour}}
	for _, status := range api.Statuses {
		job.Sweep.Statuses = append(job.Sweep.Statuses, status.Name)
	}
	w := newWorld(State{Unlisted: vessels}, job)
	for _, k := range w.kinds {
		for i, p := range k.names {
			w.cover(api.ByType.Name, p, k.sizes[i], start)
		}
	}
	s.Totals = w.totals
	return s, job
}

// BenchmarkLarge measures a forecast of five budgets over ninety nights for 200,000 vessels, and a target.
//
//	go test ./pipeline/forecast -run '^$' -bench Large -benchtime 1x
func BenchmarkLarge(b *testing.B) {
	s, job := large(200_000)
	nights := following(start, 90)
	b.Run("five budgets", func(b *testing.B) {
		for b.Loop() {
			var all []Scenario
			for _, budget := range []int{25_000, 30_000, 40_000, 60_000, 0} {
				c := Scenario{Job: job, Nights: nights}
				c.Job.Budget = budget
				all = append(all, c)
			}
			forecasts, err := Run(b.Context(), s, all)
			if err != nil {
				b.Fatal(err)
			}
			for i, f := range forecasts {
				fmt.Fprintf(os.Stdout, "%d a night: %+v\n", all[i].Job.Budget, f.Last().Datasets)
			}
		}
	})
	b.Run("a target", func(b *testing.B) {
		for b.Loop() {
			target, err := ParseTarget("particulars p90 <= 45d")
			if err != nil {
				b.Fatal(err)
			}
			least, err := LeastBudget(b.Context(), s, Scenario{Job: job, Nights: nights}, target)
			if err != nil && !errors.Is(err, ErrOutOfReach) {
				b.Fatal(err)
			}
			fmt.Fprintf(os.Stdout, "%d credits a month, %d a night: %+v\n", least.PerMonth, least.PerRun, least.Forecast.Last().Datasets)
		}
	})
}
