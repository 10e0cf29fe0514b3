package pipeline

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// TestPositionsForTheFew has a nightly job that wants everything of a small fleet, and a job of its own for
// the positions of three ships, whose slots come more than once a night. On a night on which nothing but
// the positions of watched ships is due, each costs one credit, and the later slots of the other job look
// up the three alone. A number that the list never had is looked up, too, and not again by a job that lists her then.
func TestPositionsForTheFew(t *testing.T) {
	t.Parallel()
	nightly := plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "country", Countries: []string{"Panama"}, MaxAge: 20 * time.Hour},
		Lookup: plan.Lookup{Want: plan.Datasets, MaxAge: 30 * 24 * time.Hour}}
	s := newFixture(t, simulator.Config{Seed: 3, Vessels: 300, Credits: 1_000_000}, nightly)
	start := time.Now().UTC().Truncate(24 * time.Hour).Add(12 * time.Hour) // so that 22 hours later is another night
	run := func(job plan.Job, after time.Duration, again bool) (spent map[string]int) {
		t.Helper()
		at := start.Add(after)
		s.p.Now, s.p.Again = func() time.Time { return at }, again
		s.p.Service.Now = s.p.Now
		before := s.sim.Bill().Operations
		r, err := s.p.Run(t.Context(), job, at.Format(time.DateOnly))
		if err != nil || r.State != "done" {
			t.Fatalf("%+v: %v", r, err)
		}
		spent = map[string]int{}
		for name, o := range s.sim.Bill().Operations {
			if n := o.Credits - before[name].Credits; n != 0 {
				spent[name] = n
			}
		}
		return spent
	}
	first := run(nightly, 0, false)
	w, err := warehouse.Open(t.Context(), warehouse.Path(s.p.Dir), warehouse.Options{MemoryMiB: 128, Threads: 1})
	must(t, err)
	targets, err := w.Targets(t.Context())
	must(t, err)
	must(t, w.Close())
	var watch []string
	for _, target := range targets {
		if target.IMO != 0 && !target.PositionAt.IsZero() && len(watch) < 3 {
			watch = append(watch, target.Number())
		}
	}
	if len(watch) < 3 || first[api.Info.Name] < 10*api.Info.Credits {
		t.Fatalf("the fleet is too small: %d to watch, spent %v", len(watch), first)
	}
	unlisted, country := "", ""
	for _, v := range s.sim.Truth(0) {
		if v.Flag != "PA" && v.IMO != 0 {
			country, unlisted = v.Country, (&inputs.Target{IMO: v.IMO}).Number()
			break
		}
	}

	nightly.Lookup.Watch = watch
	if spent := run(nightly, 22*time.Hour, false); spent[api.Location.Name] != 3 || spent[api.Info.Name] != 0 {
		t.Errorf("the second night spent %v, want 3 credits for positions and none for info", spent)
	}
	few := plan.Job{Name: "positions", Location: time.UTC, List: plan.List{By: "none"},
		Lookup: plan.Lookup{Want: []string{"position"}, MaxAge: 4 * time.Hour, Watch: append(slices.Clone(watch), unlisted), WatchedOnly: true}}
	for _, slot := range []struct {
		after time.Duration
		want  int
	}{{23 * time.Hour, 1}, {25 * time.Hour, 0}, {27*time.Hour + time.Minute, 4}} { // the nightly job bought three an hour before the first
		spent := run(few, slot.after, true)
		if spent[api.Location.Name] != slot.want || len(spent) > 1 {
			t.Errorf("the slot after %v spent %v, want %d credits for positions", slot.after, spent, slot.want)
		}
	}

	everyOne := plan.Job{Name: "flag", Location: time.UTC, List: plan.List{By: "country", Countries: []string{country}}, Lookup: plan.Lookup{Want: []string{"position"}, MaxAge: 30 * 24 * time.Hour}}
	if spent := run(everyOne, 28*time.Hour, false); spent[api.Location.Name] == 0 {
		t.Errorf("a list with the vessel and others of her flag spent %v", spent)
	}
	listed, bought := false, 0
	published(t, s.p.Dir, fmt.Sprintf("SELECT (SELECT bool_or(imo = %[1]s) FROM vessels), (SELECT count(*) FROM requests WHERE vessel_number = %[1]s)", unlisted), &listed, &bought)
	if !listed || bought != 2 {
		t.Errorf("the vessel is listed: %v, and was looked up %d times, want twice, before that", listed, bought)
	}
}
