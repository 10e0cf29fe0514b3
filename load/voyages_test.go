package load

import "testing"

// TestVoyages: a voyage is what lookups and status searches say of it, in versions. No value is of another destination,
// port or status than the row says.
func TestVoyages(t *testing.T) {
	ship := row{"imo": 9811000, "mmsi": "353136000"}
	voyage := with(ship, row{"position_at": "20 01:00", "operation": "location"})
	to := func(more row) map[string][]row { return said(with(voyage, more)) }
	seen := func(more row) map[string][]row { return sightings(with(ship, more)) }
	check(t, map[string]rule{
		"an answer without coordinates keeps its voyage": {
			nights: []run{night("20", listings(ever), to(row{"destination": "OSLO", "locode": "NOOSL", "eta": "25 06:00", "draught_m": 9.5}))},
			sql:    "SELECT destination, locode, eta, draught_m, voyage_seen_at, position_at, latitude FROM vessels",
			want:   "OSLO NOOSL 25T06:00 9.5 20T02:00 - -",
		},
		"what says the same continues the version": {
			nights: []run{night("20", listings(ever), to(row{"destination": "OSLO"})), night("21", to(row{"destination": "OSLO"}))},
			sql:    "SELECT count(*), any_value(valid_from), any_value(last_seen), any_value(last_looked_up) FROM voyages",
			want:   "1 20T02:00 21T02:00 21T02:00",
		},
		"an answer that leaves values out keeps them": {
			nights: []run{night("20", listings(ever), to(row{"destination": "OSLO", "eta": "25 06:00", "last_port": "KIEL", "draught_m": 9.5})), night("21", to(row{"destination": "OSLO"}))},
			sql:    "SELECT count(*), any_value(eta), any_value(last_port), any_value(draught_m) FROM voyages",
			want:   "1 25T06:00 KIEL 9.5",
		},
		"a new destination has no ETA and no LOCODE of the old one": {
			nights: []run{night("20", listings(ever), to(row{"destination": "OSLO", "locode": "NOOSL", "eta": "25 06:00", "last_port": "KIEL"})), night("21", to(row{"destination": "BERGEN"}))},
			sql:    "SELECT destination, locode, eta, last_port, valid_from FROM voyages WHERE valid_to IS NULL",
			want:   "BERGEN - - KIEL 21T02:00",
		},
		"nor if both are answered in one night": {
			nights: []run{night("20", listings(ever), said(with(voyage, row{"destination": "OSLO", "locode": "NOOSL", "eta": "25 06:00", "draught_m": 9.5}),
				with(voyage, row{"seen_at": "20 03:00", "destination": "BERGEN"})))},
			sql:  "SELECT destination, locode, eta, draught_m, valid_from FROM voyages",
			want: "BERGEN - - 9.5 20T03:00",
		},
		"a status search proves status, zone and load, and tells of no destination": {
			nights: []run{night("20", listings(ever), to(row{"destination": "OSLO"})), night("21", seen(row{"navigational_status": "at-anchor", "world_zone": "red-sea", "laden": "laden", "for_order": false}))},
			sql:    "SELECT destination, navigational_status, world_zone, laden, for_order, laden_at, for_order_at, voyage_seen_at, sighting_seen_at FROM vessels",
			want:   "OSLO at-anchor red-sea laden false 21T02:00 21T02:00 20T02:00 21T02:00",
		},
		"and so does the voyage": {
			nights: []run{night("20", listings(ever), to(row{"destination": "OSLO"})), night("21", seen(row{"navigational_status": "at-anchor", "world_zone": "red-sea", "laden": "laden", "for_order": false}))},
			sql:    "SELECT destination, navigational_status, world_zone, laden, for_order, operation, last_looked_up, last_seen FROM voyages WHERE valid_to IS NULL",
			want:   "OSLO at-anchor red-sea laden false by-status 20T02:00 21T02:00",
		},
		"a status that is older than the sighting changes nothing": {
			nights: []run{night("20", listings(ever), seen(row{"navigational_status": "at-anchor", "world_zone": "red-sea"})),
				night("21", to(row{"position_at": "19 23:00", "navigational_status": "under-way", "destination": "OSLO"}))},
			sql:  "SELECT navigational_status, world_zone, destination FROM voyages WHERE valid_to IS NULL",
			want: "at-anchor red-sea OSLO",
		},
		"a newer status has no zone of the old one": {
			nights: []run{night("20", listings(ever), seen(row{"navigational_status": "at-anchor", "world_zone": "red-sea"})),
				night("21", to(row{"position_at": "21 01:00", "navigational_status": "under-way"}))},
			sql:  "SELECT navigational_status, world_zone FROM voyages WHERE valid_to IS NULL",
			want: "under-way -",
		},
		"the voyage of an earlier night is that of then": {
			nights: []run{night("20", listings(ever)), night("21", to(row{"destination": "OSLO", "eta": "25 06:00"})), night("22", to(row{"destination": "BERGEN"}))},
			sql: "SELECT (SELECT destination FROM vessels_as_of(DATE '2026-11-20')), a.destination, a.eta, a.voyage_seen_at, f.destination, f.eta, (SELECT destination FROM fleet_of(DATE '2026-11-20')) " +
				"FROM vessels_as_of(DATE '2026-11-21') AS a, fleet_of(DATE '2026-11-22') AS f",
			want: "- OSLO 25T06:00 21T02:00 BERGEN - -",
		},
		"a voyage has no changes": {
			nights: []run{night("20", listings(ever), to(row{"destination": "OSLO"})), night("21", to(row{"destination": "BERGEN"}))},
			sql:    "SELECT count(*) FROM changes WHERE dataset = 'voyages'",
			want:   "0",
		},
		"a zone that the service ignored is given to no vessel": {
			nights: []run{night("20", listings(ever), seen(row{"navigational_status": "aground", "world_zone": "red-sea"}),
				map[string][]row{"coverage": {{"operation": "by-status", "kind": "status", "value": "aground/red-sea", "state": "suspect", "reason": "the service ignores the zone", "received_rows": 1}}})},
			sql:  "SELECT v.navigational_status, v.world_zone, e.world_zone, e.sweep FROM vessels AS v JOIN episodes AS e USING (vessel_id)",
			want: "aground - - aground",
		},
	})
}
