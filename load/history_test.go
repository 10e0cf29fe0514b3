package load

import (
	"maps"
	"slices"
	"testing"
)

// TestPartitions publishes all cases together, each with a partition of its own.
func TestPartitions(t *testing.T) {
	type search struct {
		run, state string
		rows       int
	}
	const (
		first, second = "20261120T020000.000Z-0001", "20261120T030000.000Z-0002" // runs of one night
		nextDay       = "20261121T020000.000Z-0000"
		dayAfter      = "20261122T020000.000Z-0000"
	)
	cases := map[string]struct {
		country  string
		searches []search
		want     string
	}{
		"a night that covers a partition proves who is in it": {"Panama", []search{{first, "complete", 900}, {nextDay, "complete", 910}}, "21 910 0 21"},
		"one that covers a part of it does not":               {"Liberia", []search{{first, "complete", 900}, {nextDay, "partial", 100}}, "20 900 0 20"},
		"one that does not ask changes nothing":               {"Malta", []search{{first, "complete", 900}, {nextDay, "skipped", 0}}, "20 900 0 20"},
		"an empty answer where vessels were proves nothing":   {"Cyprus", []search{{first, "complete", 2}, {nextDay, "complete", 0}}, "21 0 1 20"},
		"repeated it does": {"Greece", []search{{first, "complete", 2}, {nextDay, "complete", 0}, {dayAfter, "complete", 0}}, "22 0 2 22"},
		"an empty answer where none ever was proves that": {"Norway", []search{{first, "complete", 0}}, "20 0 1 20"},
		"the runs of a night cover it together":           {"Japan", []search{{first, "partial", 100}, {second, "complete", 900}}, "20 900 0 20"},
	}
	nights := map[string]run{}
	for _, c := range cases {
		for _, s := range c.searches {
			n := run{id: s.run, date: s.run[6:8], rows: nights[s.run].rows}
			if n.rows == nil {
				n.rows = map[string][]row{}
			}
			n.rows["coverage"] = append(n.rows["coverage"], row{"operation": "by-type", "kind": "country", "value": c.country, "state": s.state, "received_rows": s.rows})
			nights[s.run] = n
		}
	}
	dir := t.TempDir()
	publishAtOnce(t, dir, slices.Collect(maps.Values(nights))...)
	w := opened(t, dir)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := ask(t.Context(), t, w, "SELECT covered_on, rows, zeros, proven_on FROM partitions WHERE value = lower('"+c.country+"')"); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestChanges(t *testing.T) {
	const changes = "SELECT vessel_id, field, old_value, new_value, seen_before, seen_after, flapping FROM changes ORDER BY seen_after, vessel_id, field, seen_before"
	free := with(ever, row{"name": "EVER FREE"})
	check(t, map[string]rule{
		"each field that changed has a row, between the two observations": {
			nights: []run{night("20", listings(ever)), night("21", listings(ever)), night("23", listings(with(free, row{"callsign": "NEW1"})))},
			sql:    changes,
			want:   "IMO9811000 callsign H3RC NEW1 21T02:00 23T02:00 false\nIMO9811000 name EVER GIVEN EVER FREE 21T02:00 23T02:00 false",
		},
		"the first version is no change": {
			nights: []run{night("20", listings(ever))},
			sql:    changes,
			want:   "",
		},
		"a first value is a change from null": {
			nights: []run{night("20", listings(with(ever, row{"callsign": nil}))), night("21", listings(ever))},
			sql:    changes,
			want:   "IMO9811000 callsign - H3RC 20T02:00 21T02:00 false",
		},
		"an observation without a field does not narrow its change": {
			nights: []run{night("20", listings(ever)), night("21", listings(with(ever, row{"callsign": nil}))), night("22", listings(with(ever, row{"callsign": nil}))),
				night("23", listings(with(free, row{"callsign": nil}))), night("24", listings(with(free, row{"callsign": "NEW1"})))},
			sql:  changes,
			want: "IMO9811000 name EVER GIVEN EVER FREE 22T02:00 23T02:00 false\nIMO9811000 callsign H3RC NEW1 20T02:00 24T02:00 false",
		},
		"a value that was seen once between the same is kept and marked": {
			nights: []run{night("20", listings(ever)), night("21", listings(ever)), night("22", listings(free)), night("23", listings(ever))},
			sql:    changes,
			want:   "IMO9811000 name EVER GIVEN EVER FREE 21T02:00 22T02:00 true\nIMO9811000 name EVER FREE EVER GIVEN 22T02:00 23T02:00 true",
		},
		"one that was seen twice is a change and a change back": {
			nights: []run{night("20", listings(ever)), night("21", listings(free)), night("22", listings(free)), night("23", listings(ever))},
			sql:    changes,
			want:   "IMO9811000 name EVER GIVEN EVER FREE 20T02:00 21T02:00 false\nIMO9811000 name EVER FREE EVER GIVEN 22T02:00 23T02:00 false",
		},
		"two changes at once are judged by field": {
			nights: []run{night("20", listings(ever)), night("21", listings(with(free, row{"callsign": "NEW1"}))), night("22", listings(with(ever, row{"callsign": "NEW1"})))},
			sql:    changes,
			want:   "IMO9811000 callsign H3RC NEW1 20T02:00 21T02:00 false\nIMO9811000 name EVER GIVEN EVER FREE 20T02:00 21T02:00 true\nIMO9811000 name EVER FREE EVER GIVEN 21T02:00 22T02:00 true",
		},
		"a value that another answer of the night contradicts is kept and marked": {
			nights: []run{night("20", listings(ever)), night("21", listings(with(free, row{"seen_at": "21 02:10"})), particulars(with(ever, row{"seen_at": "21 02:20"})))},
			sql:    changes,
			want:   "IMO9811000 name EVER GIVEN EVER FREE 20T02:00 21T02:10 true\nIMO9811000 name EVER FREE EVER GIVEN 21T02:10 21T02:20 true",
		},
		"a later night that has it alone makes it a change": {
			nights: []run{night("20", listings(ever)), night("21", listings(with(free, row{"seen_at": "21 02:10"})), particulars(with(ever, row{"seen_at": "21 02:20"}))), night("22", listings(free))},
			sql:    changes,
			want: "IMO9811000 name EVER GIVEN EVER FREE 20T02:00 21T02:10 true\nIMO9811000 name EVER FREE EVER GIVEN 21T02:10 21T02:20 true\n" +
				"IMO9811000 name EVER GIVEN EVER FREE 21T02:20 22T02:00 false",
		},
		"the one that the night ends with is a change": {
			nights: []run{night("20", listings(ever)), night("21", listings(with(ever, row{"seen_at": "21 02:10"})), particulars(with(free, row{"seen_at": "21 02:20"})))},
			sql:    changes,
			want:   "IMO9811000 name EVER GIVEN EVER FREE 20T02:00 21T02:20 false",
		},
		"the entry of a second mmsi changes nothing": {
			nights: []run{night("20", listings(ever)), night("21", listings(ever, with(ever, row{"mmsi": "636016000", "flag": "LR", "country": "Liberia", "callsign": "A8XX"}))),
				night("22", listings(ever, with(ever, row{"mmsi": "636016000", "flag": "LR", "country": "Liberia", "callsign": "A8XX"})))},
			sql:  "SELECT field, old_value, new_value, seen_after, flapping FROM changes ORDER BY ALL",
			want: "callsign H3RC A8XX 21T02:00 false\ncountry Panama Liberia 21T02:00 false\nflag PA LR 21T02:00 false\nmmsi 353136000 636016000 21T02:00 false",
		},
		"other datasets have changes too": {
			nights: []run{night("20", particulars(with(ever, row{"gross_tonnage": 100.0, "teu": 20}))), night("21", particulars(with(ever, row{"gross_tonnage": 200.0, "updated_at": "21 01:00"})))},
			sql:    "SELECT dataset, field, old_value, new_value FROM changes",
			want:   "particulars gross_tonnage 100.0 200.0",
		},
		"the same whichever way the runs came": {
			nights: []run{
				night("20", listings(ever)),
				{id: "20261121T030000.000Z-0002", date: "21", rows: listings(with(free, row{"seen_at": "21 03:00"}))},
				{id: "20261121T020000.000Z-0001", date: "21", rows: listings(ever)},
			},
			sql:  changes,
			want: "IMO9811000 name EVER GIVEN EVER FREE 20T02:00 21T03:00 false",
		},
	})
}

// TestRespelledCompanies expects that another spelling of a company is kept, and marked, and is no sale.
func TestRespelledCompanies(t *testing.T) {
	const changes = "SELECT field, old_value, new_value, seen_after, flapping, respelled FROM changes ORDER BY seen_after, field"
	owned := func(date, owner string) run {
		return night(date, particulars(ever), map[string][]row{"management": {{"imo": 9811000, "registered_owner": owner, "manager": "EVERGREEN"}}})
	}
	check(t, map[string]rule{
		"another legal form is kept and marked": {
			nights: []run{owned("20", "SHOEI KISEN KAISHA LTD"), owned("21", "SHOEI KISEN KAISHA, LTD."), owned("22", "SHOEI KISEN KAISHA, LTD.")},
			sql:    changes,
			want:   "registered_owner SHOEI KISEN KAISHA LTD SHOEI KISEN KAISHA, LTD. 21T02:00 false true",
		},
		"and is no change of the owner": {
			nights: []run{owned("20", "SHOEI KISEN KAISHA LTD"), owned("21", "SHOEI KISEN KAISHA, LTD."), owned("22", "LUSTER MARITIME SA")},
			sql:    "SELECT company_before, company_after, snapshot_date FROM ownership_changes",
			want:   "SHOEI KISEN KAISHA, LTD. LUSTER MARITIME SA 22",
		},
		"a company of one answer, after which the one before returns in another spelling, is doubtful": {
			nights: []run{owned("20", "SHOEI KISEN KAISHA LTD"), owned("21", "LUSTER MARITIME SA"), owned("22", "SHOEI KISEN KAISHA, LTD.")},
			sql:    changes,
			want:   "registered_owner SHOEI KISEN KAISHA LTD LUSTER MARITIME SA 21T02:00 true false\nregistered_owner LUSTER MARITIME SA SHOEI KISEN KAISHA, LTD. 22T02:00 true false",
		},
	})
}

func TestTwoRegistrationsUnderPartialCoverage(t *testing.T) {
	const current = "SELECT mmsi, flag, valid_from FROM registration WHERE imo IS NOT NULL ORDER BY valid_from"
	panama, liberia := ever, with(ever, row{"mmsi": "636016000", "flag": "LR", "country": "Liberia"})
	whole := func(rows ...row) run { return night("22", covered("country"), listings(rows...)) }
	check(t, map[string]rule{
		"a night that misses the new entry does not bring the old one back": {
			nights: []run{night("20", listings(panama)), night("21", listings(panama, liberia)), night("22", listings(panama)), night("23", listings(liberia))},
			sql:    current,
			want:   "353136000 PA 20T02:00\n636016000 LR 21T02:00",
		},
		"and still gives the name": {
			nights: []run{night("20", listings(panama)), night("21", listings(panama, liberia)), night("22", listings(with(panama, row{"name": "EVER FREE"})))},
			sql:    "SELECT field, new_value, seen_before, seen_after FROM changes WHERE snapshot_date = '2026-11-22'",
			want:   "name EVER FREE 21T02:00 22T02:00",
		},
		"a night that proves the new entry gone does": {
			nights: []run{night("20", listings(panama)), night("21", listings(panama, liberia)), whole(panama)},
			sql:    current,
			want:   "353136000 PA 20T02:00\n636016000 LR 21T02:00\n353136000 PA 22T02:00",
		},
		"an old entry that one night missed is no new one": {
			nights: []run{night("20", listings(panama)), night("21", listings(liberia)), night("22", listings(panama, liberia))},
			sql:    current,
			want:   "353136000 PA 20T02:00\n636016000 LR 21T02:00",
		},
		"one that was proven gone and comes back is": {
			nights: []run{night("20", listings(panama)), night("21", listings(panama, liberia)), whole(liberia), night("23", listings(panama, liberia))},
			sql:    current,
			want:   "353136000 PA 20T02:00\n636016000 LR 21T02:00\n353136000 PA 23T02:00",
		},
		"one that a sighting reported first is in use when the list has it": {
			nights: []run{night("20", listings(panama)), night("21", listings(panama), sightings(with(liberia, row{"callsign": nil, "navigational_status": "moored"}).only("imo", "mmsi", "name", "flag", "country", "navigational_status"))),
				night("22", listings(panama, liberia))},
			sql:  current,
			want: "353136000 PA 20T02:00\n636016000 LR 22T02:00",
		},
		"the two entries of a vessel that was off the list are no new ones": {
			nights: []run{night("20", listings(panama)), night("21", listings(panama, liberia)), whole(), night("23", listings(panama, liberia))},
			sql:    current,
			want:   "353136000 PA 20T02:00\n636016000 LR 21T02:00",
		},
		"nor are they if a profile reported the newer one meanwhile": {
			nights: []run{night("20", listings(panama)), whole(), night("23", covered("country"), particulars(liberia)), night("24", listings(panama, liberia)), night("25", listings(panama, liberia))},
			sql:    current,
			want:   "353136000 PA 20T02:00\n636016000 LR 23T02:00",
		},
		"also while nothing proved the vessel gone": {
			nights: []run{night("20", listings(panama)), night("22", map[string][]row{"coverage": {{"operation": "by-type", "kind": "country", "value": "Panama", "state": "complete", "received_rows": 7}}}),
				night("23", map[string][]row{"coverage": {{"operation": "by-type", "kind": "country", "value": "Panama", "state": "complete", "received_rows": 7}}}, particulars(liberia)), night("24", listings(panama, liberia)), night("25", listings(panama, liberia))},
			sql:  current,
			want: "353136000 PA 20T02:00\n636016000 LR 23T02:00",
		},
		"one that nobody has seen is, also if the vessel was off the list": {
			nights: []run{night("20", listings(panama)), whole(), night("23", listings(panama, liberia))},
			sql:    current,
			want:   "353136000 PA 20T02:00\n636016000 LR 23T02:00",
		},
		"of two that were separate vessels, the one that was first seen last is in use": {
			nights: []run{night("20", listings(with(panama, row{"imo": nil}))), night("21", listings(with(liberia, row{"imo": nil}))), night("22", listings(panama, liberia)), night("23", listings(liberia, panama))},
			sql:    current,
			want:   "636016000 LR 22T02:00",
		},
		"the other way round too": {
			nights: []run{night("20", listings(with(liberia, row{"imo": nil}))), night("21", listings(with(panama, row{"imo": nil}))), night("22", listings(panama, liberia)), night("23", listings(liberia, panama))},
			sql:    current,
			want:   "353136000 PA 22T02:00",
		},
		"an entry that is first seen with the IMO number is no new one": {
			nights: []run{night("20", listings(with(panama, row{"imo": nil}))), night("21", listings(panama, liberia)), night("22", listings(panama, liberia)), night("23", covered("country"), listings(liberia))},
			sql:    current,
			want:   "353136000 PA 21T02:00\n636016000 LR 23T02:00",
		},
		"whichever of them the IMO number was reported with first": {
			nights: []run{night("20", listings(with(panama, row{"imo": nil}))), night("21", listings(with(panama, row{"imo": nil}), with(liberia, row{"imo": nil}))), night("22", listings(panama)), night("23", listings(panama, liberia))},
			sql:    current,
			want:   "353136000 PA 22T02:00\n636016000 LR 23T02:00",
		},
		"the claims have their first and last nights": {
			nights: []run{night("20", listings(panama)), night("21", listings(panama, liberia)), whole(liberia)},
			sql:    "SELECT mmsi, country, first_date, last_date, until FROM second_mmsi_claims",
			want:   "353136000 Panama 20 21 22",
		},
	})
}
