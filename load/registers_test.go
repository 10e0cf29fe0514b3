package load

import "testing"

var (
	norse  = with(ever, row{"mmsi": "257000001", "flag": "NO", "country": "Norway", "register": "NIS"})
	newMan = row{"imo": 9811001, "mmsi": "271000001", "name": "NEW", "flag": "TR", "country": "Newland", "register": "Newland", "vessel_type": "Space Ship", "category": "unknown", "is_vessel": true}
)

func TestRegistersAndNewValues(t *testing.T) {
	check(t, map[string]rule{
		"a flag of convenience is that of the register": {
			nights: []run{night("20", listings(norse)), night("21", listings(with(ever, row{"mmsi": "255000001", "flag": "PT", "country": "Portugal", "register": "Madeira"}))),
				night("22", listings(with(ever, row{"mmsi": "263000001", "flag": "DE", "country": "Germany", "register": "Germany"})))},
			sql:  "SELECT flag_before, flag_after, register_before, register_after, open_registry_before, open_registry_after FROM reflaggings ORDER BY seen_after",
			want: "NO PT NIS Madeira false true\nPT DE Madeira Germany true false",
		},
		"the register of a vessel, now and then": {
			nights: []run{night("20", listings(norse)), night("21", listings(with(norse, row{"register": "Norway"})))},
			sql:    "SELECT (SELECT register FROM vessels), (SELECT register FROM fleet_on(DATE '2026-11-20')), (SELECT register FROM fleet_of(DATE '2026-11-20')), (SELECT count(*) FROM reflaggings), (SELECT old_value || ' ' || new_value FROM changes)",
			want:   "Norway NIS NIS 0 NIS Norway",
		},
		"the entry of a second mmsi has no say in the register": {
			nights: []run{night("20", listings(ever)), night("21", listings(with(ever, row{"register": "Panama"}), with(norse, row{"callsign": nil, "seen_at": "21 02:30", "mmsi": "636016000"})))},
			sql:    "SELECT flag, register FROM vessels",
			want:   "PA Panama",
		},
		"a value that only answers have is in the reference tables, since its first night": {
			nights: []run{night("20", listings(ever)), night("21", listings(newMan)), night("22", listings(newMan, with(newMan, row{"imo": 9811002, "mmsi": "271000002"})))},
			sql: `SELECT spelling, flag, since, source FROM countries WHERE source = 'answers' UNION ALL SELECT spelling, category, since, source FROM vessel_types WHERE source = 'answers'
				UNION ALL SELECT vessel_type, category, since, source FROM types WHERE source = 'answers'`,
			want: "Newland TR 21 answers\nSpace Ship unknown 21 answers\nSpace Ship unknown 21 answers",
		},
		"a country of vessels under several flags has none": {
			nights: []run{night("20", listings(newMan, with(newMan, row{"imo": 9811002, "mmsi": "353000002", "flag": "PA"})))},
			sql:    "SELECT spelling, flag FROM countries WHERE source = 'answers'",
			want:   "Newland -",
		},
		"a value that cannot be asked for does not keep a list from being whole": {
			nights: []run{night("20", listings(newMan), covered("country")), night("21", covered("country")), night("22", covered("country"))},
			sql:    "SELECT count(*) FROM listed WHERE to_date IS NULL",
			want:   "0",
		},
	})
}

// TestAnswersWithoutValuesAreNoObservations publishes rows of particulars that only say who the vessel is.
func TestAnswersWithoutValuesAreNoObservations(t *testing.T) {
	measured := with(ever, row{"length_m": 400.0})
	check(t, map[string]rule{
		"the first one makes nothing fresh": {
			nights: []run{night("20", particulars(ever))},
			sql:    "SELECT name, registration_seen_at IS NOT NULL, particulars_seen_at FROM vessels",
			want:   "EVER GIVEN true -",
		},
		"a later one leaves what was seen before": {
			nights: []run{night("20", particulars(measured)), night("21", particulars(ever)), night("22", particulars(with(ever, row{"updated_at": "22 01:00"})))},
			sql:    "SELECT length_m, particulars_seen_at, registration_seen_at FROM vessels",
			want:   "400 20T02:00 22T02:00",
		},
		"one of a night beside one with values": {
			nights: []run{night("20", particulars(with(measured, row{"seen_at": "20 02:00"}), with(ever, row{"seen_at": "20 02:30"})))},
			sql:    "SELECT length_m, particulars_seen_at FROM vessels",
			want:   "400 20T02:00",
		},
		"a position of nowhere": {
			nights: []run{night("20", listings(ever), positions(row{"imo": 9811000, "mmsi": "353136000", "latitude": 1.0, "longitude": 2.0, "position_at": "20 01:00"})), night("21", positions(row{"imo": 9811000, "mmsi": "353136000"}))},
			sql:    "SELECT position_seen_at FROM vessels",
			want:   "20T02:00",
		},
	})
}

// TestRegistrationKeepsItsOwnRawValues publishes a profile whose answer had other texts for columns of both datasets:
// the raw values of the registration do not depend on which answer comes last.
func TestRegistrationKeepsItsOwnRawValues(t *testing.T) {
	profile := with(ever, row{"length_m": 400.0, "raw": `{"name":"EVER_GIVEN","bale":"0 m³","countryIso":"XX"}`})
	check(t, map[string]rule{
		"of both": {
			nights: []run{night("20", particulars(profile))},
			sql:    "SELECT r.raw, p.raw FROM registration AS r JOIN particulars AS p USING (vessel_id)",
			want:   "map[countryIso:XX name:EVER_GIVEN] map[bale:0 m³ countryIso:XX name:EVER_GIVEN]",
		},
		"of particulars alone": {
			nights: []run{night("20", particulars(with(ever, row{"raw": `{"bale":"0 m³"}`})))},
			sql:    "SELECT raw FROM registration",
			want:   "-",
		},
	})
}
