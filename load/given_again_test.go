package load

import "testing"

// TestANumberGivenAgain: an MMSI that is given to another ship brings the old one's history to nobody, at once or
// years later, and a ship that returns is the one she was.
func TestANumberGivenAgain(t *testing.T) {
	old := row{"mmsi": "257000903", "name": "NORDLYS", "callsign": "LAAA", "flag": "NO", "country": "Norway", "vessel_type": "Fishing Vessel", "category": "fishing", "is_vessel": true}
	other := with(old, row{"name": "VIKING STAR", "callsign": "LBBB", "vessel_type": "General Cargo", "category": "cargo"})
	sameType := with(old, row{"name": "VIKING STAR", "callsign": "LBBB"})
	withIMO := func(r row, imo int) row { return with(r, row{"imo": imo}) }
	gone := func(before ...map[string][]row) []run {
		return []run{night("01", before...), night("02", covered("country")), night("03", covered("country"))}
	}
	then := func(first []run, later ...run) []run { return append(first, later...) }
	const (
		ships   = "SELECT vessel_id, name, first_seen FROM vessels ORDER BY ALL"
		aliases = "SELECT alias_id, vessel_id FROM vessel_aliases"
		review  = "SELECT kind, vessel_id, other_vessel_ids, value, detail, day(since), day(last_date) FROM identity_review ORDER BY ALL"
		renamed = "SELECT vessel_id FROM renamings UNION ALL SELECT vessel_id FROM changes"
	)
	check(t, map[string]rule{
		"neither has an imo number: she is a vessel of her own": {
			nights: then(gone(listings(old)), night("06", listings(other)), night("07", listings(other))),
			sql:    ships, want: "MMSI257000903 NORDLYS 01T02:00\nMMSI257000903.2 VIKING STAR 06T02:00",
		},
		"of the same type, too": {
			nights: then(gone(listings(old)), night("06", listings(sameType))),
			sql:    ships, want: "MMSI257000903 NORDLYS 01T02:00\nMMSI257000903.2 VIKING STAR 06T02:00",
		},
		"nothing changed": {nights: then(gone(listings(old)), night("06", listings(other)), night("07", listings(other))), sql: renamed, want: ""},
		"the pair stands in identity_review": {
			nights: then(gone(listings(old)), night("06", listings(other)), night("07", listings(other))),
			sql:    review, want: "identity conflict MMSI257000903 MMSI257000903.2 257000903 another ship shows the mmsi of one that is gone 6 7",
		},
		"a third one has the next id": {
			nights: then(gone(listings(old)), night("06", listings(other), covered("country")), night("07", covered("country")), night("08", covered("country")),
				night("09", listings(with(other, row{"name": "THIRD", "callsign": "LCCC"})))),
			sql: ships, want: "MMSI257000903 NORDLYS 01T02:00\nMMSI257000903.2 VIKING STAR 06T02:00\nMMSI257000903.3 THIRD 09T02:00",
		},
		"the old one had an imo number": {
			nights: then(gone(listings(withIMO(old, 9811000))), night("06", listings(other)), night("07", listings(other))),
			sql:    ships, want: "IMO9811000 NORDLYS 01T02:00\nMMSI257000903 VIKING STAR 06T02:00",
		},
		"the new one has an imo number": {
			nights: then(gone(listings(old)), night("06", listings(withIMO(other, 9811000))), night("07", listings(other))),
			sql:    ships, want: "IMO9811000 VIKING STAR 06T02:00\nMMSI257000903 NORDLYS 01T02:00",
		},
		"and is no alias": {nights: then(gone(listings(old)), night("06", listings(withIMO(other, 9811000)))), sql: aliases, want: ""},
		"the new one shows her imo number later": {
			nights: then(gone(listings(old)), night("06", listings(other)), night("07", listings(withIMO(other, 9811000))), night("08", listings(other))),
			sql:    "SELECT vessel_id, name, last_seen FROM vessels UNION ALL SELECT alias_id, vessel_id, NULL FROM vessel_aliases ORDER BY ALL",
			want:   "IMO9811000 VIKING STAR 08T02:00\nMMSI257000903 NORDLYS 01T02:00\nMMSI257000903.2 IMO9811000 -",
		},
		"she returns under her name": {
			nights: then(gone(listings(old)), night("06", listings(old))),
			sql:    "SELECT vessel_id, from_date, to_date FROM listed ORDER BY ALL", want: "MMSI257000903 01 01\nMMSI257000903 06 -",
		},
		"under another name, with her call sign": {
			nights: then(gone(listings(old)), night("06", listings(with(old, row{"name": "OTHER"})))),
			sql:    "SELECT vessel_id, name FROM vessels", want: "MMSI257000903 OTHER",
		},
		"the old one returns when the new one has the number": {
			nights: then(gone(listings(old)), night("06", listings(other)), night("07", listings(old)), night("08", listings(other))),
			sql:    "SELECT vessel_id, name, last_seen FROM vessels ORDER BY ALL", want: "MMSI257000903 NORDLYS 07T02:00\nMMSI257000903.2 VIKING STAR 08T02:00",
		},
		"before the old one is proved gone, with all else different": {
			nights: []run{night("01", listings(old)), night("02", listings(other))},
			sql:    ships, want: "MMSI257000903 NORDLYS 01T02:00\nMMSI257000903.2 VIKING STAR 02T02:00",
		},
		"when she is proved gone, another name alone is another ship": {
			nights: then(gone(listings(with(old, row{"callsign": nil}))), night("06", listings(with(old, row{"name": "VIKING STAR", "callsign": nil})))),
			sql:    ships, want: "MMSI257000903 NORDLYS 01T02:00\nMMSI257000903.2 VIKING STAR 06T02:00",
		},
		"before that, a new name alone is a new name": {
			nights: []run{night("01", listings(old)), night("02", listings(with(old, row{"name": "VIKING STAR"})))},
			sql:    ships, want: "MMSI257000903 VIKING STAR 01T02:00",
		},
		"two at a time": {
			nights: []run{night("01", listings(old, other)), night("02", listings(other, old))},
			sql:    "SELECT vessel_id, name, first_seen, last_seen FROM vessels ORDER BY ALL", want: "MMSI257000903 NORDLYS 01T02:00 02T02:00\nMMSI257000903.2 VIKING STAR 01T02:00 02T02:00",
		},
		"two at a time, one with an imo number": {
			nights: []run{night("01", listings(withIMO(old, 9811000), other)), night("02", listings(other, withIMO(old, 9811000)))},
			sql:    "SELECT vessel_id, name, first_seen, last_seen FROM vessels ORDER BY ALL", want: "IMO9811000 NORDLYS 01T02:00 02T02:00\nMMSI257000903 VIKING STAR 01T02:00 02T02:00",
		},
		"they stand in identity_review": {
			nights: []run{night("01", listings(withIMO(old, 9811000), other)), night("02", listings(other, withIMO(old, 9811000)))},
			sql:    review, want: "identity conflict IMO9811000 MMSI257000903 257000903 two ships show this mmsi 1 2",
		},
		"a position without a name is of the one that has the number now": {
			nights: then(gone(listings(old)), night("06", listings(other)), night("07", positions(row{"mmsi": "257000903", "position_at": "07 01:00", "latitude": 30.0, "longitude": 32.5}))),
			sql:    "SELECT vessel_id FROM positions", want: "MMSI257000903.2",
		},
		"on her first night, too": {
			nights: then(gone(listings(old)), night("06", listings(other), positions(row{"mmsi": "257000903", "position_at": "06 01:00", "latitude": 30.0, "longitude": 32.5}))),
			sql:    "SELECT vessel_id FROM positions", want: "MMSI257000903.2",
		},
		"all of a profile is of the ship that it names": {
			nights: then(gone(listings(old)), night("06", listings(old)), night("07", particulars(with(other, row{"entry": 70, "length_m": 90.0})), map[string][]row{
				"engine": {{"entry": 70, "mmsi": "257000903", "engine_power_kw": 500.0}}, "positions": {{"entry": 70, "mmsi": "257000903", "position_at": "07 01:00", "latitude": 30.0, "longitude": 32.5}}})),
			sql:  "SELECT vessel_id, length_m FROM particulars UNION ALL SELECT vessel_id, engine_power_kw FROM engine UNION ALL SELECT vessel_id, latitude FROM positions ORDER BY ALL",
			want: "MMSI257000903.2 30\nMMSI257000903.2 90\nMMSI257000903.2 500",
		},
		"flags are compared within each vessel": {
			nights: then(gone(listings(old)), night("06", listings(other)), night("07", listings(with(other, row{"flag": "DK", "country": "Denmark"}))), night("08", listings(with(other, row{"flag": "DK", "country": "Denmark"})))),
			sql:    "SELECT vessel_id, flag_before, flag_after FROM reflaggings", want: "MMSI257000903.2 NO DK",
		},
	})
}

// TestAnIMONumberOfAnotherShip: a ship that shows another's IMO number, on a night or for longer, is neither that ship nor
// changes her.
func TestAnIMONumberOfAnotherShip(t *testing.T) {
	hers := with(ever, row{"callsign": "H3RC"})
	other := row{"mmsi": "257000903", "name": "VIKING STAR", "callsign": "LBBB", "flag": "NO", "country": "Norway", "vessel_type": "Fishing Vessel", "category": "fishing", "is_vessel": true}
	sameType := with(other, row{"vessel_type": ever["vessel_type"], "category": ever["category"]})
	slip := func(r row) row { return with(r, row{"imo": 9811000}) }
	before := []run{night("01", listings(hers)), night("02", listings(hers))}
	known := []run{night("01", listings(hers, sameType)), night("02", listings(hers, sameType))}
	then := func(first []run, later ...run) []run { return append(first[:len(first):len(first)], later...) }
	const (
		ships   = "SELECT vessel_id, imo, mmsi, name FROM vessels ORDER BY ALL"
		changes = "SELECT vessel_id, field, new_value FROM changes ORDER BY ALL"
		review  = "SELECT kind, vessel_id, other_vessel_ids, value, detail, day(since), day(last_date) FROM identity_review ORDER BY ALL"
		two     = "IMO9811000 9811000 353136000 EVER GIVEN\nMMSI257000903 - 257000903 VIKING STAR"
	)
	check(t, map[string]rule{
		"beside her":         {nights: then(before, night("03", listings(hers, slip(other)))), sql: ships, want: two},
		"without her":        {nights: then(before, night("03", listings(slip(other)))), sql: ships, want: two},
		"nothing changed":    {nights: then(before, night("03", listings(hers, slip(other))), night("04", listings(hers))), sql: changes, want: ""},
		"for a person":       {nights: then(before, night("03", listings(hers, slip(other))), night("04", listings(hers, slip(other)))), sql: review, want: "imo number of another IMO9811000 MMSI257000903 9811000 another ship shows this imo number 3 4"},
		"of the same type":   {nights: then(known, night("03", listings(hers, slip(sameType)))), sql: ships, want: two},
		"her own afterwards": {nights: then(before, night("03", listings(hers, slip(other))), night("04", listings(hers, with(other, row{"imo": 9074729})))), sql: ships, want: "IMO9074729 9074729 257000903 VIKING STAR\nIMO9811000 9811000 353136000 EVER GIVEN"},
		"of a ship that has her own": {
			nights: then([]run{night("01", listings(hers, with(sameType, row{"imo": 9074729}))), night("02", listings(hers, with(sameType, row{"imo": 9074729})))}, night("03", listings(hers, slip(sameType)))),
			sql:    ships, want: "IMO9074729 9074729 257000903 VIKING STAR\nIMO9811000 9811000 353136000 EVER GIVEN",
		},
		"a profile, too": {
			nights: then(before, night("03", listings(hers), particulars(with(slip(other), row{"entry": 70, "length_m": 20.0})), map[string][]row{"engine": {{"entry": 70, "imo": 9811000, "mmsi": "257000903", "engine_power_kw": 500.0}}})),
			sql:    "SELECT vessel_id, length_m FROM particulars UNION ALL SELECT vessel_id, engine_power_kw FROM engine ORDER BY ALL", want: "MMSI257000903 20\nMMSI257000903 500",
		},
		"a sale with a new flag and name is none": {
			nights: then(before, night("03", listings(with(hers, row{"name": "OTHER", "callsign": "ELXX", "mmsi": "636016000", "flag": "LR", "country": "Liberia"})))),
			sql:    ships, want: "IMO9811000 9811000 636016000 OTHER",
		},
		"nor is a ship that is seen after a long time": {
			nights: then(before, night("12", listings(slip(other)))), sql: ships, want: "IMO9811000 9811000 257000903 VIKING STAR",
		},
		"nor what a single night said of her": {
			nights: []run{night("01", listings(hers)), night("02", listings(slip(other)))}, sql: ships, want: "IMO9811000 9811000 257000903 VIKING STAR",
		},
	})
}
