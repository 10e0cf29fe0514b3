package main

import (
	"os"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
)

// TestTheCheapestCoverSeesEverybodyInAWeek lists a fleet that stands still for seven nights,
// with vessels that have no country and vessels that have no type, and compares with what both
// covers together see, and cost, each night.
func TestTheCheapestCoverSeesEverybodyInAWeek(t *testing.T) {
	if os.Getenv("FLEETLAKE_LONG") == "" {
		t.Skip("nine nights of a whole list: with FLEETLAKE_LONG=1")
	}
	t.Parallel()
	never := simulator.Rates{Built: -1, Scrapped: -1, Unlisted: -1, Renamed: -1, Reflagged: -1, Identified: -1, Corrected: -1, Sold: -1, Moved: -1}
	list := func(by string, nights int) (credits int, vessels string) {
		w := newWorld(t, simulator.Config{Vessels: 3000, Seed: 21, Rates: never, Credits: 10_000_000})
		w.configure(1_000_000, "\n    list: {by: "+by+", max_age: 0s}\n    sweep: {statuses: []}\n    lookup: {want: []}\n")
		dates := []string{"2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23", "2026-11-24", "2026-11-25", "2026-11-26"}
		for _, date := range dates[:nights] {
			w.must(exitDone, "run", "nightly", "--date", date)
		}
		return w.sim.Bill().Spent, w.csv("SELECT vessel_id FROM vessels WHERE listed ORDER BY ALL")
	}
	byCountry, seenByCountry := list("country", 1)
	byType, seenByType := list("type", 1)
	week, seen := list("cheapest", 7)
	for vessel := range lines(seenByCountry, seenByType) {
		if !lines(seen)[vessel] {
			t.Errorf("%s is seen by a whole cover, and not by the cheapest", vessel)
		}
	}
	share := float64(week) / float64(7*(byCountry+byType))
	t.Logf("both covers cost %d credits a night, the cheapest %d in seven nights: %.0f %%", byCountry+byType, week, 100*share)
	if share > 0.55 {
		t.Errorf("%.0f %% of both covers, want at most 55 %%", 100*share)
	}
}

// lines are the different lines of some texts.
func lines(texts ...string) map[string]bool {
	set := map[string]bool{}
	for _, text := range texts {
		start := 0
		for i := range text {
			if text[i] == '\n' {
				set[text[start:i]] = true
				start = i + 1
			}
		}
	}
	return set
}
