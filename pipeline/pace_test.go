package pipeline

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// TestLanesAreBusySideBySide runs a whole night at the documented limits in virtual time, with
// answers that take up to five seconds, against both ways of counting requests. No request
// is refused, every busy lane uses its rate, and the run takes as long as its busiest lane.
func TestLanesAreBusySideBySide(t *testing.T) {
	t.Parallel()
	for name, window := range map[string]simulator.Window{"fixed windows": simulator.FixedWindow, "moving windows": simulator.MovingWindow} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { busyNight(t, window) })
		})
	}
}

func busyNight(t *testing.T, window simulator.Window) {
	sim, err := simulator.New(simulator.Config{Seed: 8, Vessels: 3000, Key: "k", Window: window, KeepLog: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.SetFaults(simulator.Faults{{Kind: simulator.Slow, Least: 100 * time.Millisecond, Most: 5 * time.Second}}); err != nil {
		t.Fatal(err)
	}
	service, stop := connect(t, sim, "k")
	defer stop()
	var statuses []string
	for _, s := range api.Statuses {
		statuses = append(statuses, s.Name)
	}
	s := &fixture{t: t, sim: sim, p: &Pipeline{Dir: t.TempDir(), Service: service}, totals: map[string]inputs.Total{}, targets: map[string]*inputs.Target{},
		job: plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "country"}, Sweep: plan.Sweep{Statuses: statuses, Zones: api.Zones},
			Lookup: plan.Lookup{Want: []string{"particulars"}, MaxRequests: 700}}}
	s.p.fill()
	start := time.Now()
	s.run(start.UTC().Format(time.DateOnly), 0)
	took := time.Since(start)

	busiest := time.Duration(0)
	for _, o := range []api.Operation{api.ByStatus, api.ByType, api.Particulars} {
		tally := sim.Bill().Operations[o.Name]
		if tally.Limited > 0 {
			t.Errorf("%s: %d requests were answered 429", o.Name, tally.Limited)
		}
		bound := time.Duration(tally.Requests) * time.Minute / time.Duration(o.PerMinute)
		busiest = max(busiest, bound)
		var first, last time.Time
		for _, r := range sim.Log() {
			if r.Operation == o.Name {
				if first.IsZero() || r.Received.Before(first) {
					first = r.Received
				}
				if r.Received.After(last) {
					last = r.Received
				}
			}
		}
		even := time.Duration(tally.Requests-1) * time.Minute / time.Duration(o.PerMinute)
		share := even.Seconds() / last.Sub(first).Seconds()
		t.Logf("%s: %d requests in %v, %.1f %% of the allowed rate", o.Name, tally.Requests, last.Sub(first), 100*share)
		if share < 0.98 {
			t.Errorf("%s: %.1f %% of the allowed rate, want 98", o.Name, 100*share)
		}
	}
	if took > busiest*103/100 {
		t.Errorf("the run took %v, its busiest lane needs %v", took, busiest)
	}
}
