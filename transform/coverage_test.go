package transform

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fleetlake/fleetlake/extract/journal"
)

// pageOf is an answer with a page of a list; from is its first vessel.
func pageOf(n int, parameters string, total, from, rows int) journal.Entry {
	var items []string
	for i := range rows {
		items = append(items, fmt.Sprintf(`{"mmsi": "%d"}`, 371_000_000+from+i))
	}
	e := answerTo(n, "by-type", parameters, fmt.Sprintf(`{"total": %d, "items": [%s], "limit": 100, "page": 1}`, total, strings.Join(items, ",")))
	if rows == 0 {
		e.Outcome = "empty"
	}
	return e
}

// tugs is an answer with a page of tugs of Panama.
func tugs(n int, parameters string, total, rows int) journal.Entry {
	var items []string
	for i := range rows {
		items = append(items, fmt.Sprintf(`{"mmsi": "%d", "country": "PANAMA", "typeSpecific": "tug"}`, 371_000_000+100*n+i))
	}
	return answerTo(n, "by-type", parameters, fmt.Sprintf(`{"total": %d, "items": [%s], "limit": 100, "page": 1}`, total, strings.Join(items, ",")))
}

// refusal is an answer without data.
func refusal(n int, operation, parameters, outcome string) journal.Entry {
	e := answerTo(n, operation, parameters, "")
	e.Outcome = outcome
	return e
}

func TestCoverage(t *testing.T) {
	planned := func(kind, value string, expected int) journal.Partition {
		operation := "by-type"
		if kind == "status" {
			operation = "by-status"
		}
		return journal.Partition{Operation: operation, Kind: kind, Value: value, Expected: expected}
	}
	panama := planned("country", "Panama", -1)
	const p1, p2, p3 = "country=Panama&page=1", "country=Panama&page=2", "country=Panama&page=3"
	const moored = "navigational_status=moored&world_zone=north-sea"
	const none = `{"vessels": []}`
	const aground = "navigational_status=aground&world_zone="
	ships := func(from, to int) string {
		var all []string
		for i := from; i <= to; i++ {
			all = append(all, fmt.Sprintf(`{"mmsi": "%d"}`, 371_000_000+i))
		}
		return `{"vessels": [` + strings.Join(all, ",") + `]}`
	}
	two := `{"vessels": [{"mmsi": "371000001"}, {"mmsi": "371000002"}]}`

	for name, c := range map[string]struct {
		plan []journal.Partition
		// earlier answers are of another run of the night.
		earlier []journal.Entry
		entries []journal.Entry
		want    string // kind value: pages expected received state (reason)
	}{
		"all pages": {
			[]journal.Partition{panama}, nil,
			[]journal.Entry{pageOf(1, p1, 205, 0, 100), pageOf(2, p2, 205, 100, 100), pageOf(3, p3, 205, 200, 5)},
			"country Panama: 3 205 205 complete ()",
		},
		"a few ships may all have left a register": {
			[]journal.Partition{planned("country", "Chad", 3)}, nil, []journal.Entry{pageOf(1, "country=Chad&page=1", 0, 0, 0)},
			"country Chad: 1 0 0 complete ()",
		},
		"four are too many to be gone at once": {
			[]journal.Partition{planned("country", "Chad", 4)}, nil, []journal.Entry{pageOf(1, "country=Chad&page=1", 0, 0, 0)},
			"country Chad: 1 4 0 suspect (silent zero)",
		},
		"a check that finds as many as the other searches": {
			[]journal.Partition{panama, {Operation: "by-type", Kind: "type", Value: "Tug", Expected: -1, Check: true}}, nil,
			[]journal.Entry{tugs(1, p1, 3, 3), tugs(2, "page=1&type_specific=Tug", 3, 3)},
			"country Panama: 1 3 3 complete ()\ntype Tug: 1 3 3 complete (the cover showed as many)",
		},
		"a check whose total on its first page is enough": {
			[]journal.Partition{panama, {Operation: "by-type", Kind: "type", Value: "TUG", Expected: -1, Check: true}}, nil,
			[]journal.Entry{tugs(1, p1, 101, 100), tugs(2, p2, 101, 1), tugs(3, "page=1&type_specific=TUG", 101, 100)},
			"country Panama: 2 101 101 complete ()\ntype TUG: 1 101 101 complete (the cover showed as many)",
		},
		"a check that finds more than the other searches": {
			[]journal.Partition{panama, {Operation: "by-type", Kind: "type", Value: "Tug", Expected: -1, Check: true}}, nil,
			[]journal.Entry{tugs(1, p1, 3, 3), tugs(2, "page=1&type_specific=Tug", 102, 100)},
			"country Panama: 1 3 3 complete ()\ntype Tug: 1 102 100 partial (1 of 2 pages)",
		},
		"pages of an earlier run count": {
			[]journal.Partition{panama}, []journal.Entry{pageOf(1, p1, 105, 0, 100)},
			[]journal.Entry{pageOf(1, p2, 105, 100, 5)},
			"country Panama: 2 105 105 complete ()",
		},
		"a page that was never asked": {
			[]journal.Partition{panama}, nil, []journal.Entry{pageOf(1, p1, 205, 0, 100), pageOf(2, p3, 205, 200, 5)},
			"country Panama: 2 205 105 partial (2 of 3 pages)",
		},
		"a page that failed": {
			[]journal.Partition{panama}, nil, []journal.Entry{pageOf(1, p1, 105, 0, 100), refusal(2, "by-type", p2, "unavailable")},
			"country Panama: 1 105 100 partial (1 of 2 pages)",
		},
		"a page that failed and was asked again": {
			[]journal.Partition{panama}, nil,
			[]journal.Entry{refusal(1, "by-type", p1, "limited"), pageOf(2, p1, 5, 0, 5), refusal(3, "by-type", p1, "network")},
			"country Panama: 1 5 5 complete ()",
		},
		"nothing but failures": {
			[]journal.Partition{panama}, nil, []journal.Entry{refusal(1, "by-type", p1, "unavailable")},
			"country Panama: 0 null 0 failed (unavailable)",
		},
		"an answer that is no JSON": {
			[]journal.Partition{panama}, nil, []journal.Entry{answerTo(1, "by-type", p1, "<html>")},
			"country Panama: 0 null 0 failed (unreadable)",
		},
		"an intent without an answer": {
			[]journal.Partition{panama}, nil, []journal.Entry{{N: 1, Kind: journal.KindIntent, Operation: "by-type", Parameters: p1, Credits: 10}},
			"country Panama: 0 null 0 failed (unknown)",
		},
		"the total moved": {
			[]journal.Partition{panama}, nil, []journal.Entry{pageOf(1, p1, 105, 0, 100), pageOf(2, p2, 106, 100, 6)},
			"country Panama: 2 106 106 suspect (total moved from 105 to 106)",
		},
		"a short page": {
			[]journal.Partition{panama}, nil, []journal.Entry{pageOf(1, p1, 105, 0, 99), pageOf(2, p2, 105, 100, 5)},
			"country Panama: 2 105 104 suspect (short page 1)",
		},
		"a page in the middle that turned up empty": {
			[]journal.Partition{panama}, nil, []journal.Entry{pageOf(1, p1, 205, 0, 100), pageOf(2, p2, 0, 0, 0), pageOf(3, p3, 205, 200, 5)},
			"country Panama: 3 205 105 suspect (short page 2)",
		},
		"a repeated page": {
			[]journal.Partition{panama}, nil, []journal.Entry{pageOf(1, p1, 200, 0, 100), pageOf(2, p2, 200, 0, 100)},
			"country Panama: 2 200 200 suspect (page 2 repeats page 1)",
		},
		"more vessels than the total": {
			[]journal.Partition{panama}, nil, []journal.Entry{pageOf(1, p1, 4, 0, 5)},
			"country Panama: 1 4 5 suspect (5 of 4 vessels)",
		},
		"a page past the end leaves the total alone": {
			[]journal.Partition{panama}, nil, []journal.Entry{pageOf(1, p1, 5, 0, 5), pageOf(2, p2, 0, 0, 0)},
			"country Panama: 1 5 5 complete ()",
		},
		"vessels past the end": {
			[]journal.Partition{panama}, nil, []journal.Entry{pageOf(1, p1, 5, 0, 5), pageOf(2, p2, 5, 5, 1)},
			"country Panama: 1 5 6 suspect (vessels past the end)",
		},
		"none, as before": {
			[]journal.Partition{planned("country", "Panama", 0)}, nil, []journal.Entry{pageOf(1, p1, 0, 0, 0)},
			"country Panama: 1 0 0 complete ()",
		},
		"none, and not known": {
			[]journal.Partition{panama}, nil, []journal.Entry{pageOf(1, p1, 0, 0, 0)},
			"country Panama: 1 0 0 complete ()",
		},
		"none where there were some": {
			[]journal.Partition{planned("country", "Panama", 8000)}, nil, []journal.Entry{pageOf(1, p1, 0, 0, 0)},
			"country Panama: 1 8000 0 suspect (silent zero)",
		},
		"none of most searches that had vessels": {
			[]journal.Partition{planned("status", "moored/north-sea", 6), planned("status", "moored/black-sea", 4), planned("status", "sailing/north-sea", 0), planned("status", "sailing/black-sea", 5), planned("country", "Chad", 3)}, nil,
			[]journal.Entry{answerTo(1, "by-status", moored, none), answerTo(2, "by-status", "navigational_status=moored&world_zone=black-sea", none), answerTo(3, "by-status", "navigational_status=sailing&world_zone=north-sea", none),
				answerTo(4, "by-status", "navigational_status=sailing&world_zone=black-sea", two), pageOf(5, "country=Chad&page=1", 0, 0, 0)},
			"status moored/black-sea: 1 4 0 failed (silent zero, as most partitions that had vessels)\nstatus moored/north-sea: 1 6 0 failed (silent zero, as most partitions that had vessels)\n" +
				"status sailing/black-sea: 1 5 2 complete ()\nstatus sailing/north-sea: 1 0 0 failed (silent zero, as most partitions that had vessels)\ncountry Chad: 1 0 0 complete ()",
		},
		"none of as many searches as have vessels": {
			[]journal.Partition{planned("status", "moored/north-sea", 9), planned("status", "moored/black-sea", 9), planned("status", "sailing/north-sea", 0), planned("status", "sailing/black-sea", 5)}, nil,
			[]journal.Entry{answerTo(1, "by-status", moored, none), answerTo(2, "by-status", "navigational_status=moored&world_zone=black-sea", none), answerTo(3, "by-status", "navigational_status=sailing&world_zone=north-sea", two),
				answerTo(4, "by-status", "navigational_status=sailing&world_zone=black-sea", two)},
			"status moored/black-sea: 1 9 0 complete ()\nstatus moored/north-sea: 1 9 0 complete ()\nstatus sailing/black-sea: 1 5 2 complete ()\nstatus sailing/north-sea: 1 0 2 complete ()",
		},
		"none of searches that had nine vessels": {
			[]journal.Partition{planned("status", "moored/north-sea", 5), planned("status", "moored/black-sea", 4)}, nil,
			[]journal.Entry{answerTo(1, "by-status", moored, none), answerTo(2, "by-status", "navigational_status=moored&world_zone=black-sea", none)},
			"status moored/black-sea: 1 4 0 complete ()\nstatus moored/north-sea: 1 5 0 complete ()",
		},
		"none of a search, and others that were not asked": {
			[]journal.Partition{planned("status", "moored/north-sea", 6), planned("status", "moored/black-sea", 9)}, nil, []journal.Entry{answerTo(1, "by-status", moored, none)},
			"status moored/black-sea: 0 9 0 skipped (not asked)\nstatus moored/north-sea: 1 6 0 complete ()",
		},
		"none of registers that had four vessels": {
			[]journal.Partition{planned("country", "Chad", 2), planned("country", "Mali", 2)}, nil, []journal.Entry{pageOf(1, "country=Chad&page=1", 0, 0, 0), pageOf(2, "country=Mali&page=1", 0, 0, 0)},
			"country Chad: 1 2 0 failed (silent zero, as most partitions that had vessels)\ncountry Mali: 1 2 0 failed (silent zero, as most partitions that had vessels)",
		},
		"planned and not asked": {
			[]journal.Partition{planned("country", "Panama", 8000)}, nil, nil,
			"country Panama: 0 8000 0 skipped (not asked)",
		},
		"left out": {
			[]journal.Partition{{Operation: "by-type", Kind: "country", Value: "Panama", Expected: -1, Skipped: "fresh enough"}}, nil, nil,
			"country Panama: 0 null 0 skipped (fresh enough)",
		},
		"asked without a plan": {
			nil, nil, []journal.Entry{pageOf(1, "country=malta&page=1", 1, 0, 1)},
			"country malta: 1 1 1 complete ()",
		},
		"casing does not matter": {
			[]journal.Partition{panama}, nil, []journal.Entry{pageOf(1, "country=+PANAMA", 1, 0, 1)},
			"country Panama: 1 1 1 complete ()",
		},
		"both filters": {
			nil, nil, []journal.Entry{pageOf(1, "country=Panama&page=1&type_specific=Bulk+Carrier", 1, 0, 1)},
			"type+country Bulk Carrier|Panama: 1 1 1 complete ()",
		},
		"a type": {
			[]journal.Partition{planned("type", "Bulk Carrier", 1)}, nil, []journal.Entry{pageOf(1, "page=1&type_specific=Bulk+Carrier", 1, 0, 1)},
			"type Bulk Carrier: 1 1 1 complete ()",
		},
		"the probe is no partition": {
			nil, nil, []journal.Entry{refusal(1, "by-type", "type_specific=%3F", "probe")}, "",
		},
		"lookups have no partition": {
			nil, nil, []journal.Entry{answerTo(1, "info", "imo_or_mmsi=9218301", payload(t, "info-flat"))}, "",
		},
		"a status in a zone": {
			[]journal.Partition{planned("status", "moored/north-sea", 2)}, nil, []journal.Entry{answerTo(1, "by-status", moored, two)},
			"status moored/north-sea: 1 2 2 complete ()",
		},
		"a status with filters, planned in another order": {
			[]journal.Partition{planned("status", "moored/north-sea?laden=ballast&for_order=true", -1)}, nil,
			[]journal.Entry{answerTo(1, "by-status", moored+"&for_order=true&laden=ballast", two)},
			"status moored/north-sea?laden=ballast&for_order=true: 1 null 2 complete ()",
		},
		"a status worldwide that fell silent": {
			[]journal.Partition{planned("status", "aground", 12)}, nil,
			[]journal.Entry{answerTo(1, "by-status", "navigational_status=aground", `{"vessels": []}`)},
			"status aground: 1 12 0 suspect (silent zero)",
		},
		"a service that ignores a zone answers for two zones with the same vessels": {
			[]journal.Partition{planned("status", "aground/red-sea", -1), planned("status", "aground/north-sea", -1)}, nil,
			[]journal.Entry{answerTo(1, "by-status", aground+"red-sea", two), answerTo(2, "by-status", aground+"north-sea", two)},
			"status aground/north-sea: 1 null 2 suspect (the service ignores the zone)\nstatus aground/red-sea: 1 null 2 suspect (the service ignores the zone)",
		},
		"and so it does if an earlier run of the night asked": {
			[]journal.Partition{planned("status", "aground/red-sea", -1)}, []journal.Entry{answerTo(2, "by-status", aground+"north-sea", two)},
			[]journal.Entry{answerTo(1, "by-status", aground+"red-sea", two)},
			"status aground/north-sea: 1 null 2 suspect (the service ignores the zone)\nstatus aground/red-sea: 1 null 2 suspect (the service ignores the zone)",
		},
		"a ship that goes from one zone to the next meanwhile is none": {
			nil, nil, []journal.Entry{answerTo(1, "by-status", aground+"red-sea", ships(1, 5)), answerTo(2, "by-status", aground+"north-sea", ships(5, 9))},
			"status aground/north-sea: 1 null 5 complete ()\nstatus aground/red-sea: 1 null 5 complete ()",
		},
		"the filters are of different searches": {
			nil, nil, []journal.Entry{answerTo(1, "by-status", aground+"red-sea", two), answerTo(2, "by-status", aground+"north-sea&laden=laden", two)},
			"status aground/north-sea?laden=laden: 1 null 2 complete ()\nstatus aground/red-sea: 1 null 2 complete ()",
		},
		"a zone that the interface requires is never ignored": {
			nil, nil, []journal.Entry{answerTo(1, "by-status", moored, two), answerTo(2, "by-status", "navigational_status=moored&world_zone=red-sea", two)},
			"status moored/north-sea: 1 null 2 complete ()\nstatus moored/red-sea: 1 null 2 complete ()",
		},
		"a zone with as many as the world had": {
			[]journal.Partition{{Operation: "by-status", Kind: "status", Value: "aground/red-sea", Expected: -1, World: 10}}, nil,
			[]journal.Entry{answerTo(1, "by-status", aground+"red-sea", ships(1, 9))},
			"status aground/red-sea: 1 null 9 suspect (the service ignores the zone)",
		},
		"a zone with fewer": {
			[]journal.Partition{{Operation: "by-status", Kind: "status", Value: "aground/red-sea", Expected: -1, World: 10}}, nil,
			[]journal.Entry{answerTo(1, "by-status", aground+"red-sea", ships(1, 8))},
			"status aground/red-sea: 1 null 8 complete ()",
		},
		"all few ships of the world may be in one zone": {
			[]journal.Partition{{Operation: "by-status", Kind: "status", Value: "aground/red-sea", Expected: -1, World: 9}}, nil,
			[]journal.Entry{answerTo(1, "by-status", aground+"red-sea", ships(1, 9))},
			"status aground/red-sea: 1 null 9 complete ()",
		},
		"a status that was refused": {
			[]journal.Partition{planned("status", "aground", 12)}, nil, []journal.Entry{refusal(1, "by-status", "navigational_status=aground", "blocked")},
			"status aground: 0 12 0 failed (blocked)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := batchOf(t, nil)
			for _, e := range c.earlier {
				b.AddEarlier(e)
			}
			entries := night(c.entries...)
			entries[0].Plan.Partitions = c.plan
			for _, e := range entries {
				b.Add(journal.Exchange{Entry: e})
			}
			var got []string
			for _, r := range rowsIn(t, b, Coverage) {
				expected, ok := r["expected_rows"]
				if !ok {
					expected = "null"
				}
				got = append(got, fmt.Sprintf("%s %s: %s %s %s %s (%s)", r["kind"], r["value"], r["pages"], expected, r["received_rows"], r["state"], r["reason"]))
			}
			if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnEarlierPlanCountsForPartitionsThatTheCurrentOneLacks(t *testing.T) {
	b := batchOf(t, nil)
	plan := func(expected int) journal.Entry {
		e := night()[0]
		e.Plan.Partitions = []journal.Partition{{Operation: "by-type", Kind: "country", Value: "Panama", Expected: expected}}
		return e
	}
	b.AddEarlier(plan(8000))
	b.AddEarlier(pageOf(1, "country=Panama&page=1", 0, 0, 0))
	b.Add(journal.Exchange{Entry: night()[0]})
	if got := rowsIn(t, b, Coverage)[0]["state"]; got != suspect {
		t.Errorf("silent zero of the earlier run is %s", got)
	}
	b.Add(journal.Exchange{Entry: plan(0)})
	if got := rowsIn(t, b, Coverage)[0]["state"]; got != complete {
		t.Errorf("with the run's own plan it is %s", got)
	}
}
