package transform

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestATimeOfAPositionIsTheServices: a position has the time that the service gives it, and else none.
func TestATimeOfAPositionIsTheServices(t *testing.T) {
	const place = `"imo": "9074729", "latitude": "1.5", "longitude": "103.25", "speed": "0.1"`
	for name, c := range map[string]struct{ operation, members, want string }{
		"received":                             {"location", `"positionReceived": "2026-11-19 23:01", "updateTime": "2026-11-19 23:20"`, "2026-11-19 23:01:00Z positionReceived"},
		"an update of the position alone":      {"location", `"updateTime": "2026-11-19 23:20"`, "2026-11-19 23:20:00Z updateTime"},
		"the service says that it has none":    {"location", `"positionReceived": "-", "updateTime": "2026-11-19 23:20"`, "2026-11-19 23:20:00Z updateTime"},
		"a refused time and an update":         {"location", `"positionReceived": "yesterday", "updateTime": "2026-11-19 23:20"`, " "},
		"an update of a profile, of anything":  {"info", `"updateTime": "2026-11-19 23:20"`, " "},
		"received, in a profile":               {"info", `"positionReceived": "2026-11-19 23:01"`, "2026-11-19 23:01:00Z positionReceived"},
		"neither: never the time of reception": {"location", `"destination": "OSLO"`, " "},
	} {
		b := batchOf(t, night(answerTo(1, c.operation, "imo_or_mmsi=9074729", "{"+place+", "+c.members+"}")))
		if diff := cmp.Diff([]string{c.want}, columnsOf(t, b, Positions, "position_at", "position_at_from")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestAVoyageNeedsNoCoordinates: what an answer says of the voyage is a row of its own, with coordinates or without, and
// the values that no rule accepts are issues once.
func TestAVoyageNeedsNoCoordinates(t *testing.T) {
	whole := payload(t, "location")
	without := strings.NewReplacer(`"latitude": "-35.65115",`, `"latitude": "91",`, `"longitude": "-103.16366",`, "", "CNHKG", "Hong_Kong", "13.3 m.", "133 m.").Replace(whole)
	nothing := `{"detail": {"imo": "9074729", "latitude": "1.5", "longitude": "103.25", "speed": "0.1", "updateTime": "2026-11-19 23:20"}}`
	b := batchOf(t, night(answerTo(1, "location", "imo_or_mmsi=9074720", whole), answerTo(2, "location", "imo_or_mmsi=9074720", without), answerTo(3, "location", "imo_or_mmsi=9074729", nothing)))
	want := []string{
		`1 2026-11-19 23:01:30Z CNHKG HKHKG 2026-12-07 04:00:00Z CLVAP 13.3 under-way {"lastPort":"Valparaiso, Chile","navigationalStatus":"Underway using Engine"}`,
		`2 2026-11-19 23:01:30Z HONG KONG HKHKG 2026-12-07 04:00:00Z CLVAP  under-way {"destination":"Hong_Kong","draught":"133 m. ( max 16.0)","lastPort":"Valparaiso, Chile","navigationalStatus":"Underway using Engine"}`,
	}
	if diff := cmp.Diff(want, columnsOf(t, b, Voyages, "entry", "position_at", "destination", "locode", "eta", "last_port_locode", "draught_m", "navigational_status", "raw")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"position imo 9074720", "position draught_m 133 m. ( max 16.0)", "position imo 9074720"}, columnsOf(t, b, Issues, "dataset", "field", "raw_value")); diff != "" {
		t.Error(diff)
	}
	if got := columnsOf(t, b, Positions, "entry"); len(got) != 3 {
		t.Errorf("positions of the answers %v", got)
	}
}
