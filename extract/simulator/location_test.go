package simulator

import (
	"encoding/json"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
)

// TestLocationsAgreeWithProfiles compares each member of a location with that of the
// profile. On the same day they are equal, except for how a missing value is written, and
// except for vessels that do not move, for which the profile has no speed.
func TestLocationsAgreeWithProfiles(t *testing.T) {
	s := fleet(t, Config{Vessels: 3000, Limits: noLimits(), Dirt: 2})
	s.SetDay(4)
	shapes, envelopes := make(map[string]int), make(map[bool]int)
	for _, v := range s.Truth(4) {
		location, flat := lookup(t, s, api.Location, v.MMSI)
		info, _ := lookup(t, s, api.Info, v.MMSI)
		envelopes[flat]++
		for member := range location {
			if location.text(member) != info.text(member) && (v.IsShip || len(info[member]) > 0) {
				t.Errorf("%s %s: %s, the profile has %s", v.VesselID, member, location[member], info[member])
			}
		}
		shape := locationShape(location)
		for _, member := range []string{"name", "mmsi", "latitude", "longitude", "speed"} {
			if location.text(member) == "" && !(member == "mmsi" && shape == "without a number") {
				t.Errorf("%s: no %s in %v", v.VesselID, member, location)
			}
		}
		shapes[shape]++
	}
	if shapes["full"] < 1500 || shapes["reduced"] < 300 || shapes["minimal"] < 40 || shapes["without a number"] < 40 || len(shapes) != 4 {
		t.Errorf("shapes %v", shapes)
	}
	if envelopes[true] < 1000 || envelopes[false] < 1000 {
		t.Errorf("flat: %v, want a mixture", envelopes)
	}
}

// locationShape names which members a location has.
func locationShape(r record) string {
	has := func(member string) bool { return len(r[member]) > 0 }
	switch {
	case has("imo") && has("navigationalStatus") && has("positionReceived") && has("dataSource"):
		return "full"
	case !has("imo") && has("heading") && has("positionReceived") && has("dataSource"):
		return "reduced"
	case has("imo") && has("destination") && !has("positionReceived") && !has("updateTime"):
		return "minimal"
	case !has("imo") && !has("mmsi") && has("destination") && !has("positionReceived") && !has("updateTime"):
		return "without a number"
	}
	return "none"
}

// TestCleanLocationsHaveATime expects only full and reduced locations from a clean fleet. Each
// says when it was received, and its shape changes from day to day.
func TestCleanLocationsHaveATime(t *testing.T) {
	s := fleet(t, Config{Vessels: 400, Limits: noLimits(), Dirt: -1, Rates: Rates{Scrapped: -1}})
	changed := 0
	for _, v := range s.Truth(0) {
		var shapes [2]string
		for day := range shapes {
			s.SetDay(day)
			r, _ := lookup(t, s, api.Location, v.MMSI)
			if shapes[day] = locationShape(r); shapes[day] == "minimal" || shapes[day] == "none" {
				b, err := json.Marshal(r)
				t.Errorf("%s: %s %v", v.VesselID, b, err)
			}
		}
		changed += countIf(shapes[0] != shapes[1])
	}
	if changed < 60 {
		t.Errorf("%d of 400 vessels change their shape from one day to the next", changed)
	}
}
