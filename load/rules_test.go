package load

import (
	"maps"
	"testing"

	"github.com/fleetlake/fleetlake/transform"
)

// rule is the expected rows of a table after some nights.
type rule struct {
	nights []run
	sql    string
	want   string
}

// night is a run of tables; a date alone is a night without rows.
func night(date string, tables ...map[string][]row) run {
	r := run{date: date, rows: map[string][]row{}}
	for _, t := range tables {
		for name, rows := range t {
			r.rows[name] = append(r.rows[name], rows...)
		}
	}
	return r
}

func listings(rows ...row) map[string][]row    { return map[string][]row{"listings": rows} }
func sightings(rows ...row) map[string][]row   { return map[string][]row{"sightings": rows} }
func particulars(rows ...row) map[string][]row { return map[string][]row{"particulars": rows} }
func positions(rows ...row) map[string][]row   { return map[string][]row{"positions": rows} }
func said(rows ...row) map[string][]row        { return map[string][]row{"voyages": rows} }

// covered are complete partitions: all of a kind, or single sweeps.
func covered(kind string, but ...string) map[string][]row {
	var rows []row
	for _, r := range transform.ReferenceTables() {
		if (kind != "country" || r.Name != "countries") && (kind != "type" || r.Name != "vessel_types") {
			continue
		}
		for _, cells := range r.Rows {
			state := "complete"
			if len(but) > 0 && cells[0] == but[0] {
				state = "suspect"
			}
			rows = append(rows, row{"operation": "by-type", "kind": kind, "value": cells[0], "state": state, "received_rows": 1})
		}
	}
	return map[string][]row{"coverage": rows}
}

func swept(values ...string) map[string][]row {
	var rows []row
	for _, v := range values {
		rows = append(rows, row{"operation": "by-status", "kind": "status", "value": v, "state": "complete", "received_rows": 1})
	}
	return map[string][]row{"coverage": rows}
}

// with returns a row with other values.
func with(base row, changes row) row {
	r := maps.Clone(base)
	maps.Copy(r, changes)
	return r
}

var (
	ever = row{"imo": 9811000, "mmsi": "353136000", "name": "EVER GIVEN", "callsign": "H3RC", "flag": "PA", "country": "Panama",
		"ship_type": "Cargo", "vessel_type": "Container Ship", "category": "cargo", "is_vessel": true}
	nameless = row{"mmsi": "244660000", "name": "WATERLAND", "flag": "NL", "country": "Netherlands"}
)

func TestRegistration(t *testing.T) {
	const versions = "SELECT name, callsign, valid_from, valid_to, first_seen, last_seen FROM registration ORDER BY vessel_id, valid_from"
	check(t, map[string]rule{
		"the same observation keeps the version and is seen later": {
			nights: []run{night("20", listings(ever)), night("21", listings(ever))},
			sql:    versions,
			want:   "EVER GIVEN H3RC 20T02:00 - 20T02:00 21T02:00",
		},
		"another value closes the version and opens the next": {
			nights: []run{night("20", listings(ever)), night("21", listings(with(ever, row{"name": "EVER FREE"})))},
			sql:    versions,
			want:   "EVER GIVEN H3RC 20T02:00 21T02:00 20T02:00 20T02:00\nEVER FREE H3RC 21T02:00 - 21T02:00 21T02:00",
		},
		"a value that comes back is a third version": {
			nights: []run{night("20", listings(ever)), night("21", listings(with(ever, row{"name": "EVER FREE"}))), night("22", listings(ever))},
			sql:    "SELECT name, valid_from, valid_to FROM registration ORDER BY valid_from",
			want:   "EVER GIVEN 20T02:00 21T02:00\nEVER FREE 21T02:00 22T02:00\nEVER GIVEN 22T02:00 -",
		},
		"a null says nothing and keeps what was known": {
			nights: []run{night("20", listings(ever)), night("21", listings(with(ever, row{"callsign": nil, "vessel_type": nil, "category": nil, "is_vessel": nil})))},
			sql:    "SELECT callsign, vessel_type, category, is_vessel, valid_to, last_seen FROM registration",
			want:   "H3RC Container Ship cargo true - 21T02:00",
		},
		"a value that was not known before is a version": {
			nights: []run{night("20", listings(with(ever, row{"callsign": nil}))), night("21", listings(ever))},
			sql:    "SELECT callsign, valid_from, valid_to FROM registration ORDER BY valid_from",
			want:   "- 20T02:00 21T02:00\nH3RC 21T02:00 -",
		},
		"a flag without its country does not overrule the flag of the known country": {
			nights: []run{night("20", listings(ever)), night("21", listings(with(ever, row{"flag": "KP", "country": nil})))},
			sql:    "SELECT flag, country, valid_to FROM registration",
			want:   "PA Panama -",
		},
		"a country code of the service makes no version": {
			nights: []run{night("20", listings(ever)), night("21", listings(with(ever, row{"country_iso": "KP"})))},
			sql:    "SELECT count(*) FROM registration",
			want:   "1",
		},
		"several observations of a night make one, of the latest values": {
			nights: []run{
				night("20", listings(ever)),
				night("21", listings(with(ever, row{"name": "EVER FREE", "seen_at": "21 02:10"}), with(ever, row{"seen_at": "21 02:20"})),
					particulars(with(ever, row{"callsign": "NEW1", "seen_at": "21 02:15", "name": nil}))),
			},
			sql:  versions,
			want: "EVER GIVEN H3RC 20T02:00 - 20T02:00 21T02:20",
		},
		"a value that one row of a night leaves out comes from another": {
			nights: []run{night("20", listings(with(ever, row{"callsign": nil, "seen_at": "20 02:30"})), particulars(with(ever, row{"seen_at": "20 02:10"})))},
			sql:    "SELECT callsign, source, valid_from FROM registration",
			want:   "H3RC listings 20T02:30",
		},
		"an observation that is older than the version changes nothing": {
			nights: []run{night("20", listings(ever)), night("21", listings(with(ever, row{"name": "OLD", "seen_at": "20 01:00"})))},
			sql:    "SELECT name, last_seen FROM registration",
			want:   "EVER GIVEN 20T02:00",
		},
		"a sighting names a vessel that nothing else has reported": {
			nights: []run{night("20", sightings(with(nameless, row{"navigational_status": "drifting"})))},
			sql:    "SELECT vessel_id, name, flag, source FROM registration",
			want:   "MMSI244660000 WATERLAND NL sightings",
		},
		"a sighting does not overrule a listing": {
			nights: []run{night("20", listings(nameless)), night("21", sightings(with(nameless, row{"name": "OTHER", "navigational_status": "drifting"})))},
			sql:    "SELECT name, source FROM registration",
			want:   "WATERLAND listings",
		},
		"a sighting that shows the number of a vessel does not overrule its listing": {
			nights: []run{night("20", listings(nameless)), night("21", sightings(with(nameless, row{"imo": 9811000, "name": "OTHER", "navigational_status": "drifting"}))),
				night("22", sightings(with(nameless, row{"imo": 9811000, "name": "OTHER", "navigational_status": "drifting"})))},
			sql:  "SELECT vessel_id, name, source, valid_to FROM registration ORDER BY valid_from",
			want: "MMSI244660000 WATERLAND listings 21T02:00\nIMO9811000 WATERLAND listings -",
		},
		"a listing continues the version of a sighting": {
			nights: []run{night("20", sightings(with(nameless, row{"navigational_status": "drifting"}))), night("21", listings(with(nameless, row{"callsign": "PH12"})))},
			sql:    "SELECT name, callsign, source, valid_to FROM registration ORDER BY valid_from",
			want:   "WATERLAND - sightings 21T02:00\nWATERLAND PH12 listings -",
		},
	})
}

func TestTwoMMSIsOfOneVessel(t *testing.T) {
	const current = "SELECT mmsi, flag, valid_from FROM registration ORDER BY valid_from"
	panama, liberia := ever, with(ever, row{"mmsi": "636016000", "flag": "LR", "country": "Liberia"})
	marshalls := with(ever, row{"mmsi": "538001000", "flag": "PA"}) // its digits stand for another flag
	check(t, map[string]rule{
		"the one whose digits agree with its flag is in use": {
			nights: []run{night("20", listings(marshalls, panama))},
			sql:    current,
			want:   "353136000 PA 20T02:00",
		},
		"of two that agree the one that is new is in use, and stays in use": {
			nights: []run{night("20", listings(liberia)), night("21", listings(liberia, panama)), night("22", listings(liberia, panama)), night("23", listings(panama, liberia))},
			sql:    current,
			want:   "636016000 LR 20T02:00\n353136000 PA 21T02:00",
		},
		"of two that are new the greater is in use, and stays in use": {
			nights: []run{night("20", listings(panama, liberia)), night("21", listings(panama, liberia)), night("22", listings(liberia, panama))},
			sql:    current,
			want:   "636016000 LR 20T02:00",
		},
		"the other one is a claim with an interval": {
			nights: []run{night("20", listings(panama, liberia)), night("21", listings(panama, liberia))},
			sql:    "SELECT vessel_id, mmsi, first_seen, last_seen FROM mmsi_claims ORDER BY mmsi",
			want:   "IMO9811000 353136000 20T02:00 21T02:00\nIMO9811000 636016000 20T02:00 21T02:00",
		},
		"one that only a sighting reports is a claim": {
			nights: []run{night("20", listings(liberia), sightings(row{"imo": 9811000, "mmsi": "353136000", "navigational_status": "moored", "world_zone": "red-sea"}))},
			sql:    "SELECT mmsi, last_date FROM second_mmsi_claims",
			want:   "353136000 20",
		},
		"the vessel is there once": {
			nights: []run{night("20", listings(panama, liberia))},
			sql:    "SELECT count(*) FROM vessels",
			want:   "1",
		},
	})
}

func TestIdentity(t *testing.T) {
	mmsiOnly := with(ever, row{"imo": nil})
	other := with(ever, row{"imo": 9400000, "name": "OTHER"})
	check(t, map[string]rule{
		"a row with only an mmsi joins the vessel that has it tonight": {
			nights: []run{night("20", listings(ever), sightings(with(nameless, row{"mmsi": "353136000", "navigational_status": "drifting"})))},
			sql:    "SELECT vessel_id FROM episodes UNION ALL SELECT vessel_id FROM vessels",
			want:   "IMO9811000\nIMO9811000",
		},
		"a row with only an mmsi joins the vessel that had it before": {
			nights: []run{night("20", listings(ever)), night("21", listings(mmsiOnly))},
			sql:    "SELECT vessel_id, last_seen FROM vessels",
			want:   "IMO9811000 21T02:00",
		},
		"it is a separate vessel if no vessel has the mmsi": {
			nights: []run{night("20", listings(nameless))},
			sql:    "SELECT vessel_id, imo, mmsi FROM vessels",
			want:   "MMSI244660000 - 244660000",
		},
		"it is a separate vessel if two have the mmsi": {
			nights: []run{night("20", listings(ever, other)), night("21", listings(mmsiOnly))},
			sql:    "SELECT vessel_id FROM vessels ORDER BY ALL",
			want:   "IMO9400000\nIMO9811000\nMMSI353136000",
		},
		"it is a separate vessel if the holder has another mmsi tonight": {
			nights: []run{night("20", listings(ever)), night("21", listings(mmsiOnly, with(ever, row{"mmsi": "636016000"})))},
			sql:    "SELECT vessel_id, mmsi FROM vessels ORDER BY ALL",
			want:   "IMO9811000 636016000\nMMSI353136000 353136000",
		},
		"a vessel whose imo is reported late is linked and no separate vessel": {
			nights: []run{night("20", listings(mmsiOnly)), night("21", listings(ever)), night("22", listings(mmsiOnly))},
			sql:    "SELECT alias_id, vessel_id, since, until, (SELECT string_agg(vessel_id) FROM vessels) FROM vessel_aliases",
			want:   "MMSI353136000 IMO9811000 21T02:00 - IMO9811000",
		},
		"the history of an alias ends and is not rewritten": {
			nights: []run{night("20", listings(mmsiOnly)), night("21", listings(ever))},
			sql: `SELECT r.vessel_id, r.valid_from, r.valid_to, l.from_date, l.to_date, l.absent_on
			      FROM registration AS r JOIN listed AS l USING (vessel_id) ORDER BY r.valid_from`,
			want: "MMSI353136000 20T02:00 21T02:00 20 20 -\nIMO9811000 21T02:00 - 21 - -",
		},
		"an mmsi that was passed on ends the alias": {
			nights: []run{night("20", listings(mmsiOnly)), night("21", listings(ever)), night("22", listings(with(ever, row{"mmsi": "636016000"}))), night("23", listings(mmsiOnly))},
			sql:    "SELECT a.until, (SELECT string_agg(vessel_id ORDER BY vessel_id) FROM vessels) FROM vessel_aliases AS a",
			want:   "23T02:00 IMO9811000,MMSI353136000",
		},
		"two imo numbers with one mmsi are a conflict, recorded once": {
			nights: []run{night("20", listings(ever, other)), night("21", listings(ever, other))},
			sql:    "SELECT vessel_id, field, raw_value, snapshot_date, last_date FROM identity_conflicts ORDER BY ALL",
			want:   "IMO9400000 mmsi 353136000 20 21\nIMO9811000 mmsi 353136000 20 21",
		},
	})
}

func TestDatasets(t *testing.T) {
	sized := with(ever, row{"length_m": 399.9, "operation": "particulars"})
	check(t, map[string]rule{
		"particulars have versions of their own": {
			nights: []run{night("20", particulars(sized)), night("21", particulars(with(sized, row{"length_m": 400.0, "name": "EVER FREE"}))), night("22", particulars(with(sized, row{"length_m": nil, "beam_m": 58.8, "updated_at": "22 01:00"})))},
			sql:    "SELECT length_m, beam_m, valid_from, valid_to FROM particulars ORDER BY valid_from",
			want:   "399.9 - 20T02:00 21T02:00\n400 - 21T02:00 22T02:00\n400 58.8 22T02:00 -",
		},
		"when the service touched its record makes no version": {
			nights: []run{night("20", particulars(sized)), night("21", particulars(with(sized, row{"updated_at": "21 01:00"})))},
			sql:    "SELECT count(*), max(last_seen) FROM particulars",
			want:   "1 21T02:00",
		},
		"engine and management are kept alike": {
			nights: []run{night("20", listings(ever), map[string][]row{
				"engine":     {{"imo": 9811000, "engine_power_kw": 59300.0}},
				"management": {{"imo": 9811000, "manager": "EVERGREEN"}},
			})},
			sql:  "SELECT e.engine_power_kw, v.manager, v.engine_seen_at, v.management_seen_at, v.particulars_seen_at FROM engine AS e JOIN vessels AS v USING (vessel_id)",
			want: "59300 EVERGREEN 20T02:00 20T02:00 -",
		},
		"a profile without values does not count as seen": {
			nights: []run{night("20", particulars(ever))},
			sql:    "SELECT particulars_seen_at FROM vessels",
			want:   "-",
		},
	})
}
