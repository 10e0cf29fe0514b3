package simulator

import (
	"encoding/json"
	"testing"

	"github.com/fleetlake/fleetlake/extract"
)

// TestLocationsTellWhatProfilesTell compares each member of a location with that of the
// profile: of the same day, they are the same but for how a missing value is written,
// and for what does not move, of which the profile tells no speed.
func TestLocationsTellWhatProfilesTell(t *testing.T) {
	s := fleet(t, Config{Vessels: 3000, Limits: noLimits(), Dirt: 2})
	s.SetDay(4)
	shapes, envelopes := make(map[string]int), make(map[bool]int)
	for _, v := range s.Truth(4) {
		place, flat := lookup(t, s, extract.Location, v.MMSI)
		info, _ := lookup(t, s, extract.Info, v.MMSI)
		envelopes[flat]++
		for member := range place {
			if place.text(member) != info.text(member) && (v.IsShip || len(info[member]) > 0) {
				t.Errorf("%s %s: %s, the profile has %s", v.VesselID, member, place[member], info[member])
			}
		}
		for _, member := range []string{"name", "mmsi", "latitude", "longitude", "speed"} {
			if place.text(member) == "" {
				t.Errorf("%s: no %s in %v", v.VesselID, member, place)
			}
		}
		shapes[shapeOf(place)]++
	}
	if shapes["whole"] < 1500 || shapes["core"] < 300 || shapes["bare"] < 40 || len(shapes) != 3 {
		t.Errorf("shapes %v", shapes)
	}
	if envelopes[true] < 1000 || envelopes[false] < 1000 {
		t.Errorf("flat: %v, want a mixture", envelopes)
	}
}

// shapeOf names what a location tells.
func shapeOf(r record) string {
	has := func(member string) bool { return len(r[member]) > 0 }
	switch {
	case has("imo") && has("navigationalStatus") && has("positionReceived") && has("dataSource"):
		return "whole"
	case !has("imo") && has("heading") && has("positionReceived") && has("dataSource"):
		return "core"
	case has("imo") && has("destination") && !has("positionReceived") && !has("updateTime"):
		return "bare"
	}
	return "none"
}

// TestCleanLocationsSayWhen holds a clean fleet to whole and core locations, each of which
// says when it was received, in a shape that changes from day to day.
func TestCleanLocationsSayWhen(t *testing.T) {
	s := fleet(t, Config{Vessels: 400, Limits: noLimits(), Dirt: -1, Rates: Rates{Scrapped: -1}})
	changed := 0
	for _, v := range s.Truth(0) {
		var shapes [2]string
		for day := range shapes {
			s.SetDay(day)
			r, _ := lookup(t, s, extract.Location, v.MMSI)
			if shapes[day] = shapeOf(r); shapes[day] == "bare" || shapes[day] == "none" {
				b, err := json.Marshal(r)
				t.Errorf("%s: %s %v", v.VesselID, b, err)
			}
		}
		changed += one(shapes[0] != shapes[1])
	}
	if changed < 60 {
		t.Errorf("%d of 400 vessels change their shape from one day to the next", changed)
	}
}
