package load

import (
	"testing"
)

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

// TestWhyAValueIsNull asks the view known_gaps why a value is null.
func TestWhyAValueIsNull(t *testing.T) {
	ids := func(imo int) row { return row{"imo": imo} }
	profile := func(imo int, more row) row { return with(ids(imo), with(row{"operation": "particulars"}, more)) }
	dir := t.TempDir()
	publishAtOnce(t, dir, night("20",
		listings(ids(9811000), ids(9811012), ids(9811024), ids(9811036), ids(9811048)),
		particulars(profile(9811012, row{"deadweight_t": 5000.0}), profile(9811024, row{"length_m": 100.0}), profile(9811036, row{"length_m": 100.0})),
		map[string][]row{
			"issues":   {{"vessel_id": "IMO9811036", "entry": 1, "dataset": "particulars", "field": "deadweight_t", "raw_value": "-5", "reason": "odd"}},
			"requests": {{"operation": "info", "parameters": "imo_or_mmsi=9811048", "outcome": "not_found"}},
		}))
	w := opened(t, dir)
	want := "IMO9811000 never asked\nIMO9811012 known\nIMO9811024 asked, not given\nIMO9811036 given, but refused\nIMO9811048 asked, no answer"
	got := ask(t.Context(), t, w, `SELECT v.vessel_id, coalesce(g.reason, 'known') FROM vessels AS v
		LEFT JOIN known_gaps AS g ON g.vessel_id = v.vessel_id AND g.field = 'deadweight_t' ORDER BY 1`)
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
