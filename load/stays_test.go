package load

import "testing"

func TestListed(t *testing.T) {
	const stays = "SELECT vessel_id, from_date, to_date, last_date, missing_since, absent_on, proof FROM listed ORDER BY ALL"
	sighted := with(ever, row{"callsign": nil, "navigational_status": "drifting"}).only("imo", "mmsi", "navigational_status")
	check(t, map[string]rule{
		"a vessel that is listed again continues its stay": {
			nights: []run{night("20", listings(ever)), night("21", listings(ever))},
			sql:    stays,
			want:   "IMO9811000 20 - 21 - - -",
		},
		"a night without proof of absence ends no stay": {
			nights: []run{night("20", listings(ever)), night("21", listings(nameless))},
			sql:    stays,
			want:   "IMO9811000 20 - 20 - - -\nMMSI244660000 21 - 21 - - -",
		},
		"a night that covered every country and misses it ends no stay alone": {
			nights: []run{night("20", listings(ever)), night("21", covered("country"))},
			sql:    stays,
			want:   "IMO9811000 20 - 20 21 - -",
		},
		"a second night that covered every country ends it": {
			nights: []run{night("20", listings(ever)), night("21", covered("country")), night("22", covered("country"))},
			sql:    stays,
			want:   "IMO9811000 20 20 20 21 22 missing twice",
		},
		"one that covered every type counts with one that covered every country": {
			nights: []run{night("20", listings(ever)), night("21", covered("type")), night("22"), night("23", covered("country"))},
			sql:    stays,
			want:   "IMO9811000 20 20 20 21 23 missing twice",
		},
		"a list that has the vessel again continues the stay, and the next miss is the first": {
			nights: []run{night("20", listings(ever)), night("21", covered("country")), night("22", listings(ever), covered("country")), night("23", covered("country"))},
			sql:    stays,
			want:   "IMO9811000 20 - 22 23 - -",
		},
		"one country that is suspect misses nobody": {
			nights: []run{night("20", listings(ever)), night("21", covered("country", "Zimbabwe")), night("22", covered("country", "Zimbabwe"))},
			sql:    stays,
			want:   "IMO9811000 20 - 20 - - -",
		},
		"the countries miss no vessel without a country": {
			nights: []run{night("20", listings(with(ever, row{"country": nil, "flag": nil}))), night("21", covered("country")), night("22", covered("country"))},
			sql:    stays,
			want:   "IMO9811000 20 - 20 - - -",
		},
		"the types miss no vessel without a type": {
			nights: []run{night("20", listings(nameless)), night("21", covered("type")), night("22", covered("type"))},
			sql:    stays,
			want:   "MMSI244660000 20 - 20 - - -",
		},
		"a vessel that was sighted is not missing": {
			nights: []run{night("20", listings(ever)), night("21", covered("country"), sightings(sighted)), night("22", covered("country"))},
			sql:    stays,
			want:   "IMO9811000 20 - 20 22 - -",
		},
		"a sighting takes back what a list missed before": {
			nights: []run{night("20", listings(ever)), night("21", covered("country")), night("22", sightings(sighted)), night("23", covered("country"))},
			sql:    stays,
			want:   "IMO9811000 20 - 20 23 - -",
		},
		"a vessel whose position was bought on the night that misses it is not gone": {
			nights: []run{night("20", listings(ever)), night("21", covered("country"), positions(with(ever, row{"position_at": "21 01:00", "latitude": 30.0, "longitude": 32.5}).only("imo", "mmsi", "position_at", "latitude", "longitude")))},
			sql:    stays,
			want:   "IMO9811000 20 - 20 21 - -",
		},
		"a vessel that lookups find is gone when two lists miss it": {
			nights: []run{night("20", listings(ever)), night("21", covered("country"), particulars(ever)), night("22", covered("country"), particulars(ever))},
			sql:    stays,
			want:   "IMO9811000 20 20 20 21 22 missing twice",
		},
		"a lookup that no longer finds a missing vessel ends its stay": {
			nights: []run{night("20", listings(ever), lookup("ok", "20")), night("21", covered("country")), night("22", lookup("not_found", "22"))},
			sql:    stays,
			want:   "IMO9811000 20 20 20 21 22 not found by lookup",
		},
		"on the night that misses it, too": {
			nights: []run{night("20", listings(ever), lookup("ok", "20")), night("21", covered("country"), lookup("not_found", "21"))},
			sql:    stays,
			want:   "IMO9811000 20 20 20 21 21 not found by lookup",
		},
		"an MMSI that nobody has any more proves nothing": {
			nights: []run{night("20", listings(with(ever, row{"imo": nil})), lookupOf("353136000", "ok", "20")), night("21", covered("country"), lookupOf("353136000", "not_found", "21"))},
			sql:    stays,
			want:   "MMSI353136000 20 - 20 21 - -",
		},
		"a lookup that never found the vessel proves nothing": {
			nights: []run{night("20", listings(ever), lookup("not_found", "20")), night("21", covered("country")), night("22", lookup("not_found", "22"))},
			sql:    stays,
			want:   "IMO9811000 20 - 20 21 - -",
		},
		"nor does one of a vessel that no list missed": {
			nights: []run{night("20", listings(ever), lookup("ok", "20")), night("21"), night("22", lookup("not_found", "22"))},
			sql:    stays,
			want:   "IMO9811000 20 - 20 - - -",
		},
		"nor one that is answered later that night": {
			nights: []run{night("20", listings(ever), lookup("ok", "20")), night("21", covered("country")), night("22", lookup("not_found", "22"), lookup("ok", "22"))},
			sql:    stays,
			want:   "IMO9811000 20 - 20 21 - -",
		},
		"two runs of a night cover together what neither covers alone, and are one night": {
			nights: []run{
				night("20", listings(ever)), night("21", covered("country")),
				{id: "20261122T020000.000Z-0001", date: "22", rows: covered("country", "Zimbabwe")},
				{id: "20261122T030000.000Z-0002", date: "22", rows: map[string][]row{"coverage": {{"operation": "by-type", "kind": "country", "value": "ZIMBABWE", "state": "complete", "received_rows": 1}}}},
			},
			sql:  stays,
			want: "IMO9811000 20 20 20 21 22 missing twice",
		},
		"two complete lists of one night are one": {
			nights: []run{
				night("20", listings(ever)),
				{id: "20261121T020000.000Z-0001", date: "21", rows: covered("country")},
				{id: "20261121T030000.000Z-0002", date: "21", rows: covered("country")},
			},
			sql:  stays,
			want: "IMO9811000 20 - 20 21 - -",
		},
		"the list misses a vessel whose country has none left": {
			nights: []run{night("20", listings(ever), covered("country")), night("21", emptied("Panama")), night("22", emptied("Panama"))},
			sql:    stays,
			want:   "IMO9811000 20 20 20 21 22 missing twice",
		},
		"a vessel that comes back opens another stay": {
			nights: []run{night("20", listings(ever)), night("21", covered("country")), night("22", covered("country")), night("23", listings(ever))},
			sql:    stays,
			want:   "IMO9811000 20 20 20 21 22 missing twice\nIMO9811000 23 - 23 - - -",
		},
		"a vessel is listed while its stay is open": {
			nights: []run{night("20", listings(ever, nameless)), night("21", covered("country"), listings(nameless)), night("22", covered("country"), listings(nameless))},
			sql:    "SELECT vessel_id, listed FROM vessels ORDER BY ALL",
			want:   "IMO9811000 false\nMMSI244660000 true",
		},
	})
}

// lookup is the ledger's row of a lookup of the vessel ever on a night.
func lookup(outcome, date string) map[string][]row { return lookupOf("9811000", outcome, date) }

// lookupOf is the same of any number.
func lookupOf(number, outcome, date string) map[string][]row {
	status, entry := 200, 90
	if outcome == "not_found" {
		status, entry = 404, 80
	}
	return map[string][]row{"requests": {{"entry": entry, "operation": "particulars", "parameters": "imo_or_mmsi=" + number, "sent_at": date + " 02:00", "received_at": date + " 02:00",
		"http_status": status, "credits": 1, "charge": "documented", "outcome": outcome, "rows": 1}}}
}

// emptied covers every country, and finds none in one of them.
func emptied(country string) map[string][]row {
	all := covered("country")
	for _, r := range all["coverage"] {
		if r["value"] == country {
			r["received_rows"] = 0
		}
	}
	return all
}

// only returns a row with some of its columns.
func (r row) only(columns ...string) row {
	few := row{}
	for _, c := range columns {
		few[c] = r[c]
	}
	return few
}

func TestEpisodes(t *testing.T) {
	const stays = "SELECT navigational_status, world_zone, first_date, last_date, nights FROM episodes ORDER BY ALL"
	moored := row{"imo": 9811000, "mmsi": "353136000", "navigational_status": "moored", "world_zone": "north-sea"}
	check(t, map[string]rule{
		"a sighting continues the stay": {
			nights: []run{night("20", sightings(moored), swept("moored/north-sea")), night("21", sightings(moored), swept("moored/north-sea"))},
			sql:    stays,
			want:   "moored north-sea 20 21 2",
		},
		"a complete night without the vessel ends the stay": {
			nights: []run{night("20", sightings(moored), swept("moored/north-sea")), night("21", swept("moored/north-sea")), night("22", sightings(moored), swept("moored/north-sea"))},
			sql:    stays,
			want:   "moored north-sea 20 20 1\nmoored north-sea 22 22 1",
		},
		"a night that was not covered does not": {
			nights: []run{night("20", sightings(moored), swept("moored/north-sea")), night("21", swept("moored/red-sea")), night("22", sightings(moored))},
			sql:    stays,
			want:   "moored north-sea 20 22 2",
		},
		"each search proves for itself": {
			nights: []run{
				night("20", sightings(moored, with(moored, row{"world_zone": "red-sea"}))),
				night("21", swept("moored/red-sea")),
				night("22", sightings(moored, with(moored, row{"world_zone": "red-sea"}))),
			},
			sql:  stays,
			want: "moored north-sea 20 22 2\nmoored red-sea 20 20 1\nmoored red-sea 22 22 1",
		},
		"nor if she was seen elsewhere before it": {
			nights: []run{night("20", sightings(moored, with(moored, row{"world_zone": "red-sea"}))), night("21"), night("22", sightings(moored))},
			sql:    stays,
			want:   "moored north-sea 20 22 2\nmoored red-sea 20 20 1",
		},
		"unless she was seen in another zone on it": {
			nights: []run{night("20", sightings(moored)), night("21", sightings(with(moored, row{"world_zone": "red-sea"}))), night("22", sightings(moored))},
			sql:    stays,
			want:   "moored north-sea 20 20 1\nmoored north-sea 22 22 1\nmoored red-sea 21 21 1",
		},
		"or in another status": {
			nights: []run{night("20", sightings(moored)), night("21", sightings(with(moored, row{"navigational_status": "drifting", "world_zone": nil}))), night("22"), night("23", sightings(moored))},
			sql:    stays,
			want:   "drifting - 21 21 1\nmoored north-sea 20 20 1\nmoored north-sea 23 23 1",
		},
		"a search with a filter is nowhere else": {
			nights: []run{night("20", sightings(moored)), night("21", sightings(with(moored, row{"laden": "ballast"}))), night("22", sightings(moored))},
			sql:    "SELECT first_date, last_date FROM episodes WHERE laden IS NULL",
			want:   "20 22",
		},
		"a vessel that is seen on both sides of a border stays on both": {
			nights: []run{night("20", sightings(moored, with(moored, row{"world_zone": "red-sea"}))), night("21", sightings(moored, with(moored, row{"world_zone": "red-sea"})))},
			sql:    stays,
			want:   "moored north-sea 20 21 2\nmoored red-sea 20 21 2",
		},
		"another zone is another stay": {
			nights: []run{night("20", sightings(moored, with(moored, row{"world_zone": "red-sea"})))},
			sql:    stays,
			want:   "moored north-sea 20 20 1\nmoored red-sea 20 20 1",
		},
		"searches with filters are separate, named as coverage names them": {
			nights: []run{
				night("20", sightings(with(moored, row{"laden": "ballast", "vessel_type_filter": "wood-chips carrier", "for_order": true}))),
				night("21", swept("moored/north-sea?for_order=true&laden=ballast&vessel_type=wood-chips+carrier")),
				night("22", sightings(with(moored, row{"laden": "ballast", "vessel_type_filter": "wood-chips carrier", "for_order": true}))),
			},
			sql:  "SELECT sweep, laden, for_order, vessel_type, first_date, last_date FROM episodes ORDER BY first_date",
			want: "moored/north-sea?for_order=true&laden=ballast&vessel_type=wood-chips+carrier ballast true wood-chips carrier 20 20\nmoored/north-sea?for_order=true&laden=ballast&vessel_type=wood-chips+carrier ballast true wood-chips carrier 22 22",
		},
		"two runs of a night count one night": {
			nights: []run{
				{id: "20261120T020000.000Z-0001", date: "20", rows: sightings(moored)},
				{id: "20261120T030000.000Z-0002", date: "20", rows: sightings(with(moored, row{"seen_at": "20 03:00"}))},
			},
			sql:  "SELECT nights, first_seen, last_seen FROM episodes",
			want: "1 20T02:00 20T03:00",
		},
	})
}

func TestPositions(t *testing.T) {
	at := row{"imo": 9811000, "mmsi": "353136000", "position_at": "20 01:00", "latitude": 30.0, "longitude": 32.5, "navigational_status": "aground", "destination": "ROTTERDAM"}
	check(t, map[string]rule{
		"a position that is reported twice is stored once": {
			nights: []run{night("20", listings(ever), positions(at)), night("21", positions(at))},
			sql:    "SELECT position_at, latitude FROM positions",
			want:   "20T01:00 30",
		},
		"a position without a time has none, and the answer's beside it": {
			nights: []run{night("20", listings(ever), positions(with(at, row{"position_at": nil})))},
			sql:    "SELECT v.position_at, p.position_at, p.seen_at, v.latitude, v.position_seen_at, v.navigational_status, v.navigational_status_at FROM positions AS p JOIN vessels AS v USING (vessel_id)",
			want:   "- - 20T02:00 30 20T02:00 aground -",
		},
		"a position without a time that is repeated is stored once, and again after another": {
			nights: []run{
				night("20", listings(ever), positions(with(at, row{"position_at": nil}))), night("21", positions(with(at, row{"position_at": nil}))),
				night("22", positions(with(at, row{"position_at": nil, "latitude": 31.0}))), night("23", positions(with(at, row{"position_at": nil}))),
			},
			sql:  "SELECT list(latitude || ' ' || day(snapshot_date) ORDER BY p.seen_at)::VARCHAR FROM positions AS p JOIN runs USING (run_id)",
			want: "[30.0 20, 31.0 22, 30.0 23]",
		},
		"other values of the same position are a row each": {
			nights: []run{
				night("20", listings(ever), positions(with(at, row{"speed_kn": 1.0}))), night("21", positions(with(at, row{"speed_kn": 2.0}))),
				night("22", positions(with(at, row{"speed_kn": 2.0, "destination": "OSLO"}))), night("23", positions(with(at, row{"speed_kn": 2.0, "destination": "OSLO"}))),
				night("24", positions(with(at, row{"speed_kn": 2.0, "destination": "OSLO", "draught_m": 9.5}))),
			},
			sql:  "SELECT list(concat_ws(' ', speed_kn, destination, draught_m) ORDER BY seen_at)::VARCHAR, (SELECT speed_kn FROM vessels) FROM positions",
			want: "[1.0 ROTTERDAM, 2.0 ROTTERDAM, 2.0 OSLO, 2.0 OSLO 9.5] 2",
		},
		"what a later answer leaves out is no other value": {
			nights: []run{night("20", listings(ever), positions(at)), night("21", positions(with(at, row{"destination": nil, "navigational_status": nil})))},
			sql:    "SELECT count(*), any_value(destination) FROM positions",
			want:   "1 ROTTERDAM",
		},
		"an older position that returns is compared with what was stored of its time": {
			nights: []run{
				night("20", listings(ever), positions(at)), night("21", positions(with(at, row{"position_at": "21 01:00"}))),
				night("22", positions(at)), night("23", positions(with(at, row{"speed_kn": 3.0}))),
			},
			sql:  "SELECT count(*), count(speed_kn), max(position_at), (SELECT speed_kn FROM vessels) FROM positions",
			want: "3 1 21T01:00 -",
		},
		"a position without a time does not hide when another was observed": {
			nights: []run{night("20", listings(ever), positions(at)), night("21", positions(with(at, row{"position_at": nil, "latitude": 31.0})))},
			sql:    "SELECT v.latitude, v.position_at, l.dated_at FROM vessels AS v JOIN internal.latest AS l USING (vessel_id)",
			want:   "31 - 20T01:00",
		},
		"an answer without coordinates stores no position, but counts as answered": {
			nights: []run{night("20", listings(ever), positions(with(at, row{"latitude": nil})))},
			sql:    "SELECT (SELECT count(*) FROM positions), position_at, position_seen_at FROM vessels",
			want:   "0 - 20T02:00",
		},
		"vessels have the latest, also when an older one comes later": {
			nights: []run{night("20", listings(ever), positions(at)), night("21", positions(with(at, row{"position_at": "19 23:00", "latitude": 29.0})))},
			sql:    "SELECT latitude, longitude, position_at, position_seen_at FROM vessels",
			want:   "30 32.5 20T01:00 21T02:00",
		},
		"the status of an answer without coordinates counts, now and then": {
			nights: []run{
				night("20", listings(ever), positions(at)), night("21", positions(with(at, row{"latitude": nil, "position_at": "21 01:00", "navigational_status": "moored"}))), night("22"),
			},
			sql:  "SELECT v.navigational_status, v.navigational_status_at, a.navigational_status, f.navigational_status, v.position_at FROM vessels AS v JOIN vessels_as_of(DATE '2026-11-20') AS a USING (vessel_id) JOIN vessels_as_of(DATE '2026-11-22') AS f USING (vessel_id)",
			want: "moored 21T01:00 aground moored 20T01:00",
		},
		"the status is that of the sighting if it is later": {
			nights: []run{night("20", listings(ever), positions(at), sightings(row{"imo": 9811000, "mmsi": "353136000", "navigational_status": "under-way", "world_zone": "red-sea"}))},
			sql:    "SELECT navigational_status, world_zone, navigational_status_at, sighting_seen_at FROM vessels",
			want:   "under-way red-sea 20T02:00 20T02:00",
		},
		"the status is that of the position if it is later": {
			nights: []run{night("20", listings(ever), sightings(row{"imo": 9811000, "mmsi": "353136000", "navigational_status": "under-way", "world_zone": "red-sea"})), night("21", positions(with(at, row{"position_at": "21 01:00"})))},
			sql:    "SELECT navigational_status, world_zone, navigational_status_at FROM vessels",
			want:   "aground red-sea 21T01:00",
		},
		"a worldwide search removes the zone": {
			nights: []run{
				night("20", sightings(row{"imo": 9811000, "navigational_status": "under-way", "world_zone": "red-sea"})),
				night("21", sightings(row{"imo": 9811000, "navigational_status": "drifting"})),
			},
			sql:  "SELECT navigational_status, world_zone FROM vessels",
			want: "drifting -",
		},
	})
}
