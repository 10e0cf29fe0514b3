package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/schedules/notify"
)

// TestNewsOfWatchedVesselsIsSentOnce watches a vessel that is reflagged and one that is not, over two
// nights, and repeats the second: by another run, after rollbacks, and by undoing them.
func TestNewsOfWatchedVesselsIsSentOnce(t *testing.T) {
	t.Parallel()
	notified := make(chan string, 10)
	receiver := newReceiver(t, notified)
	w := newWorld(t, simulator.Config{Vessels: 400, Seed: 3, Dirt: -1, Rates: simulator.Rates{Reflagged: .05, Scrapped: -1, Unlisted: -1, Renamed: -1, Identified: -1, Corrected: -1}})
	before := map[int]simulator.Vessel{}
	for _, v := range w.sim.Truth(0) {
		before[v.Hull] = v
	}
	var reflagged, same simulator.Vessel
	for _, v := range w.sim.Truth(1) {
		switch old, known := before[v.Hull]; {
		case !known || !v.StoresIMO || !v.IsShip || !v.Listed:
		case old.Flag != v.Flag:
			reflagged = v
		case v.Flag == "LR":
			same = v
		}
	}
	w.configure(1_000_000, fmt.Sprintf(`
    list: {by: country, countries: ["%s", "%s", "%s"], max_age: 0s}
    sweep: {statuses: []}
    lookup: {want: [], watch: ["%d", "%d"]}
notify: {webhook: {url: %s}}
`, before[reflagged.Hull].Country, reflagged.Country, same.Country, reflagged.IMO, same.IMO, receiver))
	w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
	w.sim.SetDay(1)
	w.must(exitDone, "run", "nightly", "--date", "2026-11-21")
	w.must(exitDone, "run", "nightly", "--date", "2026-11-21", "--again")
	w.must(exitDone, "rollback")
	w.must(exitDone, "rollback")
	w.must(exitDone, "run", "nightly", "--date", "2026-11-21")
	w.must(exitDone, "rollback", "--undo")
	w.must(exitDone, "run", "nightly", "--date", "2026-11-21", "--again")
	close(notified)
	var events []notify.Event
	for text := range notified {
		var e notify.Event
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	if len(events) != 1 || !slices.Equal(events[0].Kinds, []notify.Kind{notify.Watched}) || events[0].Date != "2026-11-21" {
		t.Fatalf("events %+v", events)
	}
	text := events[0].Text()
	if !strings.Contains(text, reflagged.VesselID) || !strings.Contains(text, "reflagged, ") || !strings.Contains(text, "from run "+events[0].Run) || strings.Contains(text, strconv.Itoa(same.IMO)) {
		t.Errorf("the event says %s", text)
	}
}
