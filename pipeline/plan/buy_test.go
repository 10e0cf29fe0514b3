package plan

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
	"github.com/google/go-cmp/cmp"
)

// TestWhatIsBoughtWithCreditsThatComeFree has countries of which two are known to be empty: each needs the credits of a
// page before it is asked for, and costs nothing.
func TestWhatIsBoughtWithCreditsThatComeFree(t *testing.T) {
	now := time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC)
	f := Inputs{Now: now}
	for i := range 30 {
		f.Targets = append(f.Targets, inputs.Target{IMO: 9000000 + i, IsVessel: true})
	}
	for country, rows := range map[string]int{"malta": 150, "cuba": 50, "chad": 0, "togo": 0} {
		f.Totals = append(f.Totals, inputs.Total{Operation: api.ByType.Name, Kind: api.KindCountry, Value: country, Rows: rows, At: now.AddDate(0, 0, -2)})
	}
	f.Totals = append(f.Totals, inputs.Total{Operation: api.ByStatus.Name, Kind: api.KindStatus, Value: "moored/north-sea", Rows: 1, At: now.AddDate(0, 0, -2)})
	type outcome struct {
		Expected, Most int
		Freed, LeftOut []string
		Lookups        int
	}
	for name, c := range map[string]struct {
		most   int
		lookup []string
		want   outcome
		note   string
	}{
		"everything fits":                   {60, nil, outcome{40, 60, nil, nil, 0}, ""},
		"one is bought with what is free":   {50, nil, outcome{40, 50, []string{"Togo"}, nil, 0}, "1 partitions of the list wait for credits that other searches are expected to free"},
		"both, one after the other, cannot": {40, nil, outcome{40, 40, nil, []string{"2 partitions of the list"}, 0}, "searches that are left out for lack of credits are made after all"},
		"lookups are made with what is free": {60, []string{"particulars"}, outcome{60, 60, []string{"Togo"}, []string{"10 of 30 lookups"}, 20},
			"1 partitions of the list and 10 lookups wait for credits that other searches are expected to free"},
	} {
		t.Run(name, func(t *testing.T) {
			job := Job{Budget: c.most, List: List{By: "country", Countries: []string{"Malta", "Cuba", "Chad", "Togo"}}, Sweep: Sweep{Statuses: []string{"moored"}, Zones: []string{"north-sea"}},
				Lookup: Lookup{Want: c.lookup}}
			d := Decide(job, f, func(o api.Operation) int { return o.PerMinute })
			price := d.Total()
			got := outcome{Expected: price.Expected, Most: price.Most, Lookups: len(d.Lookups) + d.FreedLookups}
			for _, p := range d.Freed {
				got.Freed = append(got.Freed, p.Partition.Name().Value)
			}
			for _, l := range d.LeftOut {
				line, _, _ := strings.Cut(l.String(), " are left out")
				got.LeftOut = append(got.LeftOut, strings.Replace(line, " of 4", "", 1))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
			if notes := d.Notes(job, f); c.note != "" && !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, c.note) }) {
				t.Errorf("the notes are %q, want %q", notes, c.note)
			}
		})
	}
}

// TestALongerPartitionIsBoughtBeforeALesserSearch has a partition of three pages that was planned with one, and one that is empty by now.
func TestALongerPartitionIsBoughtBeforeALesserSearch(t *testing.T) {
	d := Plan{Allowance: credits.Allowance{Limit: credits.AtMost(40)}, room: map[api.Operation]int{api.ByType: 99, api.ByStatus: 99},
		Cover: []Partition{{Country: "Malta", Expected: 90, Nights: 1, Pages: 1, Unpaid: 1, billed: 1},
			{Country: "Cuba", Expected: 150, Nights: 1, Pages: 2, Unpaid: 2, billed: 2}},
		Waiting: []Search{{Lane: api.ByStatus, requests: 1, billed: 1, Worth: 10, what: StatusSearches}, {Lane: api.ByStatus, requests: 1, billed: 1, Worth: 90, what: StatusSearches}}}
	var pages []int
	for _, p := range d.Buy(Job{}, func(p Partition) int { return map[string]int{"Malta": 3}[p.Country] }) {
		pages = append(pages, p.Pages)
	}
	if diff := cmp.Diff([]int{1, 0, 1, 2}, pages); diff != "" {
		t.Errorf("purchases (-want +got):\n%s", diff)
	}
}

// TestWhatComesFreeBuysNothingThatHasNoTime has credits for a status search, and no time in its lane.
func TestWhatComesFreeBuysNothingThatHasNoTime(t *testing.T) {
	for room, want := range []int{0, 1} {
		d := Plan{Allowance: credits.Allowance{Limit: credits.AtMost(40)}, room: map[api.Operation]int{api.ByStatus: room},
			Waiting: []Search{{Lane: api.ByStatus, requests: 1, billed: 1, what: StatusSearches}}}
		if got := len(d.Buy(Job{}, nil)); got != want {
			t.Errorf("with time for %d searches %d are bought", room, got)
		}
	}
}

// TestALesserSearchWaitsForPrices has a partition that waits and fits only if the second of the plan is empty by now,
// and a status search of less value.
func TestALesserSearchWaitsForPrices(t *testing.T) {
	for cuba, want := range map[int][]int{0: {1, 0, 2, 1}, 2: {1, 2, 1}} {
		d := Plan{Allowance: credits.Allowance{Limit: credits.AtMost(40)}, room: map[api.Operation]int{api.ByType: 99, api.ByStatus: 99},
			Cover: []Partition{{Country: "Malta", Unpaid: 1}, {Country: "Cuba", Unpaid: 2}},
			Waiting: []Search{{Lane: api.ByType, requests: 2, billed: 2, Worth: 50, what: PartitionsOfList, Partition: Partition{Country: "Togo"}},
				{Lane: api.ByStatus, requests: 1, billed: 1, Worth: 5, what: StatusSearches}}}
		var pages []int
		for _, p := range d.Buy(Job{}, func(p Partition) int { return map[string]int{"Malta": 1, "Cuba": cuba, "Togo": 2}[p.Country] }) {
			pages = append(pages, p.Pages)
		}
		if diff := cmp.Diff(want, pages); diff != "" {
			t.Errorf("%d pages of Cuba: purchases (-want +got):\n%s", cuba, diff)
		}
	}
}

// TestLookupsAreExpectedBehindTheChecks has credits for 30 lookups beside a check that lists a vessel.
func TestLookupsAreExpectedBehindTheChecks(t *testing.T) {
	d := Plan{Allowance: credits.Allowance{Limit: credits.AtMost(40)}, Checks: []Partition{{Unpaid: 1, billed: 1}, {Unpaid: 1}}, Further: make([]string, 50)}
	if d.expect(Job{Lookup: Lookup{Want: []string{"particulars"}}}); d.FreedLookups != 30 {
		t.Errorf("%d lookups are expected, want 30", d.FreedLookups)
	}
}
