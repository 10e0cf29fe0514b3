package load

import "testing"

// TestANewFlagWithoutAnIMONumber: a vessel that has no IMO number, and gets another MMSI with another flag, is one
// vessel if more than her name and type show it, and otherwise a case for a person.
func TestANewFlagWithoutAnIMONumber(t *testing.T) {
	norway := row{"mmsi": "257000903", "name": "NORDLYS", "callsign": "LAAA", "flag": "NO", "country": "Norway", "vessel_type": "Fishing Vessel", "category": "fishing", "is_vessel": true}
	denmark := with(norway, row{"mmsi": "219000111", "flag": "DK", "country": "Denmark"})
	silent := with(denmark, row{"callsign": nil})
	at := func(r row, night string) row { return with(r, row{"seen_at": night + " 02:30"}) }
	sized := func(r row, length float64) map[string][]row {
		return particulars(with(r, row{"length_m": length, "beam_m": 9.0}))
	}
	const (
		ids     = "SELECT vessel_id, mmsi, flag FROM vessels ORDER BY ALL"
		flags   = "SELECT vessel_id, flag_before, flag_after, day(snapshot_date) FROM reflaggings"
		stays   = "SELECT vessel_id, from_date, to_date, absent_on FROM listed ORDER BY ALL"
		review  = "SELECT kind, vessel_id, other_vessel_ids, value, detail FROM identity_review ORDER BY ALL"
		fleet   = "SELECT n.night, count(*) FROM (SELECT DISTINCT snapshot_date AS night FROM runs) AS n, fleet_on(n.night) GROUP BY n.night ORDER BY n.night"
		daily   = "SELECT snapshot_date, sum(listed) FROM fleet_daily GROUP BY ALL ORDER BY ALL"
		aliases = "SELECT alias_id, vessel_id, until FROM vessel_aliases"
	)
	oneNight := []run{night("01", listings(norway)), night("02", listings(denmark), covered("country")), night("03", listings(denmark), covered("country"))}
	bothFlags := []run{night("01", listings(norway)), night("02", listings(norway, at(denmark, "02")), covered("country")), night("03", listings(denmark), covered("country")), night("04", listings(denmark), covered("country"))}
	late := []run{night("01", listings(norway), sized(norway, 21)), night("02", listings(silent), covered("country")), night("03", listings(silent), covered("country")),
		night("04", listings(silent), covered("country"), sized(silent, 21)), night("05", listings(silent), covered("country"))}
	// of three ships of one name and type, one after the other, the third gets the flag that the first had
	second := with(denmark, row{"callsign": "OXAA"})
	third := with(norway, row{"mmsi": "265000222", "flag": "SE", "country": "Sweden", "callsign": "SAAA"})
	back := with(third, row{"mmsi": "257000999", "flag": "NO", "country": "Norway"})
	flagSince := []run{night("01", listings(norway)), night("02", listings(second), covered("country"), sized(second, 21)), night("03", listings(second), covered("country")),
		night("04", listings(third), covered("country")), night("05", listings(third), covered("country")), night("12", listings(third), covered("country")),
		night("13", listings(back), covered("country")), night("14", listings(back), covered("country"), sized(back, 21)), night("15", listings(back), covered("country"))}
	unseen := []run{night("01", listings(norway)), night("02", withdrawn("country", "Norway")), night("12", withdrawn("country", "Norway"), listings(denmark))}
	check(t, map[string]rule{
		"the call sign shows it on the night of the change": {nights: oneNight, sql: ids, want: "MMSI257000903 219000111 DK"},
		"it is a new flag": {nights: oneNight, sql: flags, want: "MMSI257000903 NO DK 2"},
		"and one stay":     {nights: oneNight, sql: stays, want: "MMSI257000903 01 - -"},
		"under both flags on that night, on the next":               {nights: bothFlags, sql: ids, want: "MMSI257000903 219000111 DK"},
		"then it is a new flag, too":                                {nights: bothFlags, sql: flags, want: "MMSI257000903 NO DK 3"},
		"and one stay, too":                                         {nights: bothFlags, sql: stays, want: "MMSI257000903 01 - -"},
		"the id of that night is an alias":                          {nights: bothFlags, sql: aliases, want: "MMSI219000111 MMSI257000903 -"},
		"the fleet has her once on each night":                      {nights: bothFlags, sql: fleet, want: "01 1\n02 1\n03 1\n04 1"},
		"so have the nightly counts":                                {nights: bothFlags, sql: daily, want: "01 1\n02 1\n03 1\n04 1"},
		"her size shows it, when it is known":                       {nights: late, sql: ids, want: "MMSI257000903 219000111 DK"},
		"then she never left":                                       {nights: late, sql: stays, want: "MMSI257000903 01 - -"},
		"and counts once since":                                     {nights: late, sql: daily, want: "01 1\n02 1\n03 1\n04 1\n05 1"},
		"and in the fleet":                                          {nights: late, sql: fleet, want: "01 1\n02 1\n03 1\n04 1\n05 1"},
		"who has changed her flag since she came keeps that change": {nights: flagSince, sql: flags, want: "MMSI265000222 SE NO 13"},
		"and is a case for a person": {
			nights: flagSince, sql: "SELECT detail, vessel_id, other_vessel_ids FROM identity_review WHERE value = '257000999'", want: "may be one vessel under two flags: the same name, type MMSI219000111 MMSI265000222",
		},
		"another size is another vessel": {
			nights: []run{night("01", listings(norway), sized(norway, 21)), night("02", listings(silent), covered("country"), sized(silent, 35)), night("03", listings(silent), covered("country"))},
			sql:    "SELECT vessel_id FROM vessels UNION ALL SELECT vessel_id FROM identity_review ORDER BY ALL", want: "MMSI219000111\nMMSI257000903",
		},
		"name and type alone are a case for a person": {
			nights: []run{night("01", listings(norway)), night("02", listings(silent), covered("country")), night("03", listings(silent), covered("country"))},
			sql:    review, want: "perhaps one vessel MMSI219000111 MMSI257000903 219000111 may be one vessel under two flags: the same name, type",
		},
		"and two vessels": {
			nights: []run{night("01", listings(norway)), night("02", listings(silent), covered("country")), night("03", listings(silent), covered("country"))},
			sql:    ids, want: "MMSI219000111 219000111 DK\nMMSI257000903 257000903 NO",
		},
		"so is one of two that have the name": {
			nights: []run{night("01", listings(norway, with(norway, row{"mmsi": "257000904"}))), night("02", listings(denmark), covered("country"))},
			sql:    "SELECT count(*) FROM vessels", want: "3",
		},
		"nobody who stands on both lists for longer": {
			nights: []run{night("01", listings(norway)), night("02", listings(norway, denmark), covered("country")), night("03", listings(norway, denmark), covered("country")), night("04", listings(denmark), covered("country"))},
			sql:    ids, want: "MMSI219000111 219000111 DK\nMMSI257000903 257000903 NO",
		},
		"nobody who may still be on the list": {
			nights: []run{night("01", listings(norway)), night("02", listings(denmark))},
			sql:    ids, want: "MMSI219000111 219000111 DK\nMMSI257000903 257000903 NO",
		},
		"whose country is accepted no more is a case for a person": {
			nights: unseen, sql: review, want: "perhaps one vessel MMSI219000111 MMSI257000903 219000111 may be one vessel under two flags: the same name, type, call sign",
		},
		"and another vessel": {nights: unseen, sql: ids, want: "MMSI219000111 219000111 DK\nMMSI257000903 257000903 NO"},
		"on the first night of that, too": {
			nights: []run{night("01", listings(norway)), night("02", withdrawn("country", "Norway"), listings(denmark))},
			sql:    "SELECT kind, vessel_id, other_vessel_ids FROM identity_review UNION ALL SELECT 'vessel', vessel_id, mmsi FROM vessels ORDER BY ALL",
			want:   "perhaps one vessel MMSI219000111 MMSI257000903\nvessel MMSI219000111 219000111\nvessel MMSI257000903 257000903",
		},
		"a third flag": {
			nights: append(oneNight[:3:3], night("04", listings(with(denmark, row{"mmsi": "265000222", "flag": "SE", "country": "Sweden"})), covered("country"))),
			sql:    "SELECT vessel_id, flag_before, flag_after, day(snapshot_date) FROM reflaggings ORDER BY ALL", want: "MMSI257000903 DK SE 4\nMMSI257000903 NO DK 2",
		},
		"the imo number of the new flag is hers": {
			nights: append(bothFlags[:4:4], night("05", listings(with(denmark, row{"imo": 9811000})))),
			sql:    "SELECT vessel_id, flag_before, flag_after FROM reflaggings UNION ALL SELECT vessel_id, mmsi, flag FROM vessels", want: "IMO9811000 NO DK\nIMO9811000 219000111 DK",
		},
		"the imo number was known before": {
			nights: []run{night("01", listings(with(norway, row{"imo": 9811000}))), night("02", listings(denmark), covered("country")), night("03", listings(denmark), covered("country"))},
			sql:    "SELECT vessel_id, flag_before, flag_after FROM reflaggings UNION ALL SELECT vessel_id, mmsi, flag FROM vessels", want: "IMO9811000 NO DK\nIMO9811000 219000111 DK",
		},
		"her new mmsi was another's, who left": {
			nights: []run{night("01", listings(norway, with(denmark, row{"name": "OLD", "callsign": "OXXX"}))), night("02", listings(norway), covered("country")), night("03", listings(norway), covered("country")),
				night("04", listings(denmark), covered("country")), night("05", listings(denmark), covered("country"))},
			sql: "SELECT vessel_id, mmsi, name FROM vessels ORDER BY ALL", want: "MMSI219000111 219000111 OLD\nMMSI257000903 219000111 NORDLYS",
		},
		"and she stood under both flags": {
			nights: []run{night("01", listings(norway, with(denmark, row{"name": "OLD", "callsign": "OXXX"}))), night("02", listings(norway), covered("country")), night("03", listings(norway), covered("country")),
				night("04", listings(norway, at(denmark, "04")), covered("country")), night("05", listings(denmark), covered("country")), night("06", listings(denmark), covered("country"))},
			sql: "SELECT vessel_id, mmsi, name FROM vessels UNION ALL SELECT alias_id, '', vessel_id FROM vessel_aliases ORDER BY ALL", want: "MMSI219000111 219000111 OLD\nMMSI219000111.2  MMSI257000903\nMMSI257000903 219000111 NORDLYS",
		},
		"her old mmsi is given to another": {
			nights: append(oneNight[:3:3], night("04", listings(denmark, with(norway, row{"name": "OTHER", "callsign": "LXXX"})))),
			sql:    "SELECT vessel_id, name FROM vessels ORDER BY ALL", want: "MMSI257000903 NORDLYS\nMMSI257000903.2 OTHER",
		},
	})
}
