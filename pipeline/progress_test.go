package pipeline

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// TestProgressSaysWhatIsSo stops a night at the documented limits after five minutes, and resumes it under a cap that
// pays for few of the lookups. The bars begin with what the first run had answered, no lane shows more than its
// limit a minute, and the end that is expected moves only as far as the searches find more to ask.
func TestProgressSaysWhatIsSo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim, err := simulator.New(simulator.Config{Seed: 8, Vessels: 3000, Key: "k", Credits: 1_000_000})
		if err != nil {
			t.Fatal(err)
		}
		service, stop := connect(t, sim, "k")
		defer stop()
		job := newcomer()
		job.Sweep.Statuses, job.Budget = job.Sweep.Statuses[:1], 5200
		s := &fixture{t: t, sim: sim, p: &Pipeline{Dir: t.TempDir(), Service: service}, job: job, totals: map[string]inputs.Total{}, targets: map[string]*inputs.Target{}, seen: map[string]bool{}}
		s.p.fill()
		var seen []Progress
		s.p.Progress = func(p Progress) { seen = append(seen, p) }
		date := time.Now().UTC().Format(time.DateOnly)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		s.runUntil(ctx, date, 0)
		cancel()
		checkRates(t, seen)
		first := seen[len(seen)-1]
		time.Sleep(time.Minute)
		seen = nil
		s.run(date, 0)
		checkRates(t, seen)
		end := s.lastEnd(date)
		for i, l := range first.Lanes {
			resumed := laneNamed(seen[4], l.Operation)
			if i < 2 && (l.Done == 0 || resumed.Left < 5) || resumed.Done < l.Done {
				t.Errorf("%s: %+v when it was stopped, and %+v a second after it was resumed", l.Operation, l, resumed)
			}
		}
		lookups := laneNamed(seen[len(seen)-1], api.Particulars.Name)
		for _, w := range end.Work {
			if w.What == plan.LookupsLeft && (len(w.Left) == 0 || lookups.Done != w.Carried+w.Answered || lookups.Left != 0) {
				t.Errorf("the last bar has %+v, and the run ended with %+v", lookups, w)
			}
		}
		latest := time.Time{}
		for _, p := range seen[20:] {
			for _, l := range p.Lanes {
				if ends := p.At.Add(l.Remaining); ends.After(latest) {
					latest = ends
				}
			}
		}
		if last := seen[len(seen)-1].At; latest.Sub(last) > 5*time.Minute {
			t.Errorf("it ended at %v, and was expected to end at %v", last, latest)
		}
	})
}

func laneNamed(p Progress, operation string) LaneProgress {
	for _, l := range p.Lanes {
		if l.Operation == operation {
			return l
		}
	}
	return LaneProgress{}
}

// checkRates compares the rates of lanes with the documented limits.
func checkRates(t *testing.T, seen []Progress) {
	t.Helper()
	highest := map[string]float64{}
	for _, p := range seen {
		for _, l := range p.Lanes {
			highest[l.Operation] = max(highest[l.Operation], l.PerMinute)
		}
	}
	for operation, rate := range highest {
		if o, _ := api.OperationNamed(operation); rate > float64(o.PerMinute) || rate < 10 && !o.IsLookup() {
			t.Errorf("%s: %.1f requests a minute are shown, and its limit is %d", operation, rate, o.PerMinute)
		}
	}
}
