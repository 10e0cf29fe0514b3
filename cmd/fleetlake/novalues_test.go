package main

import (
	"fmt"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
)

// TestWhatHasNoValuesIsNotFresh looks up particulars every night, of a fleet that has buoys and beacons, of which
// the service knows none: they are not seen, and not asked again as soon as ships are.
func TestWhatHasNoValuesIsNotFresh(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400, Seed: 5, Dirt: -1, Rates: simulator.Rates{Built: -1, Scrapped: -1, Unlisted: -1, Renamed: -1, Reflagged: -1, Identified: -1}})
	w.configure(1_000_000, `
    deadline: 1h
    list: {by: country, max_age: 0s}
    sweep: {statuses: []}
    lookup: {want: [particulars], max_age: 1s}
`)
	const empty = "SELECT count(DISTINCT vessel_id) FROM issues WHERE dataset = 'particulars' AND reason = 'no values' AND snapshot_date = '%s'"
	without := 0
	for i, date := range []string{"2026-11-20", "2026-11-21"} {
		w.must(exitDone, "run", "nightly", "--date", date)
		n := w.number(fmt.Sprintf(empty, date))
		if i == 0 {
			without = n
		}
		if without < 2 || i > 0 && n > 0 {
			t.Errorf("on %s %d answers have no value, of %d vessels without particulars", date, n, without)
		}
		if known := w.number(fmt.Sprintf("SELECT count(*) FROM requests WHERE operation = 'particulars' AND snapshot_date = '%s'", date)) - n; known < 300 {
			t.Errorf("on %s %d other lookups, want those of all ships", date, known)
		}
	}
	if n := w.number("SELECT count(*) FROM vessels WHERE particulars_seen_at IS NOT NULL AND vessel_id IN (SELECT vessel_id FROM issues WHERE reason = 'no values')"); n > 0 {
		t.Errorf("%d vessels without a value count as seen", n)
	}
}
