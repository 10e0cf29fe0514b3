package load

import "testing"

// TestKindsOfThings: what is a vessel, and of which category, is known of everything on the list, in
// each table that lists or counts it.
func TestKindsOfThings(t *testing.T) {
	typed := func(mmsi, vesselType, category string, isVessel bool) row {
		return row{"mmsi": mmsi, "vessel_type": vesselType, "category": category, "is_vessel": isVessel}
	}
	listed := []row{
		typed("353136001", "Container Ship", "cargo", true),
		typed("992351001", "Beacon, Safe Water", "aid to navigation", false),
		typed("353136002", "Other type", "other", true),
		typed("353136003", "Unspecified", "unknown", true),
		typed("992351002", "Unspecified", "unknown", true), // the type says nothing, and the MMSI that it is a buoy
		{"mmsi": "353136004"},                 // no type
		{"mmsi": "002320001"},                 // a coast station
		{"mmsi": "111232001"},                 // an aircraft
		{"mmsi": "823456789"},                 // a handheld radio
		{"mmsi": "970010001"},                 // a transmitter of emergencies
		{"mmsi": "992351003"},                 // an aid to navigation
		{"mmsi": "982320001"},                 // a craft of a ship
		{"imo": 9811000, "mmsi": "992351004"}, // a ship that was given a wrong MMSI
	}
	sighted := func(mmsi string) row {
		return row{"mmsi": mmsi, "navigational_status": "moored", "world_zone": "north-sea"}
	}
	check(t, map[string]rule{
		"of the vessels": {
			nights: []run{night("20", listings(listed...))},
			sql:    "SELECT category, is_vessel, string_agg(mmsi, ' ' ORDER BY mmsi) FROM vessels GROUP BY ALL ORDER BY ALL",
			want: "aid to navigation false 992351001\ncargo true 353136001\nother true 353136002\n" +
				"unknown false 002320001 111232001 823456789 970010001 992351002 992351003\n" +
				"unknown true 353136003 353136004 982320001 992351004",
		},
		"of the fleet of a night": {
			nights: []run{night("20", listings(listed...))},
			sql:    "SELECT category, is_vessel, listed FROM fleet_daily ORDER BY ALL",
			want:   "aid to navigation false 1\ncargo true 1\nother true 1\nunknown false 6\nunknown true 4",
		},
		"of what a status search returned": {
			nights: []run{night("20", listings(listed...), sightings(sighted("353136001"), sighted("353136004"), sighted("992351001"), sighted("992351009")),
				swept("moored/north-sea", "moored/red-sea"))},
			sql:  "SELECT world_zone, is_vessel, vessels FROM zone_daily ORDER BY ALL",
			want: "north-sea false 2\nnorth-sea true 2\nred-sea true 0",
		},
	})
}
