package plan

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// located returns vessels whose positions were last seen two days ago.
func located(n int) (all []inputs.Target) {
	for i := range n {
		all = append(all, inputs.Target{IMO: 1_000_000 + i, IsVessel: true, PositionAt: tonight.AddDate(0, 0, -2)})
	}
	return all
}

// TestPositionsInBulk: a bulk location search asks for the positions of up to 50 vessels where it is cheaper than to look
// them up one by one, and within every bound.
func TestPositionsInBulk(t *testing.T) {
	everything := []string{"particulars", "engine", "management", "position"}
	for name, c := range map[string]struct {
		vessels  int
		price    int
		last     inputs.Bulk
		want     []string
		watched  int
		missed   int // vessels that the last bulk answer about them left out
		tonight  int // vessels that a bulk answer of the night has
		budget   int
		requests int
		deadline time.Duration
		bulk     string // how many vessels each request names
		lookups  int
		alone    int // positions of watched vessels that are looked up
		cost     int
	}{
		"cheaper":                            {vessels: 120, price: 5, last: inputs.BulkLocates, bulk: "50 50 20", cost: 15},
		"a few that are cheaper one by one":  {vessels: 105, price: 5, last: inputs.BulkLocates, bulk: "50 50", lookups: 5, cost: 15},
		"one more, and it is cheaper":        {vessels: 106, price: 5, last: inputs.BulkLocates, bulk: "50 50 6", cost: 15},
		"as dear as lookups":                 {vessels: 120, price: 50, last: inputs.BulkLocates, lookups: 120, cost: 120},
		"nearly as dear":                     {vessels: 120, price: 49, last: inputs.BulkLocates, bulk: "50 50", lookups: 20, cost: 118},
		"the first shows what answers have":  {vessels: 120, price: 5, last: inputs.BulkUntried, bulk: "50", lookups: 70, cost: 75},
		"answers without positions":          {vessels: 120, price: 5, last: inputs.BulkIsOpaque, lookups: 120, cost: 120},
		"free":                               {vessels: 60, price: 0, last: inputs.BulkLocates, bulk: "50 10"},
		"not in the last answer":             {vessels: 120, price: 5, last: inputs.BulkLocates, missed: 10, bulk: "50 50 10", lookups: 10, cost: 25},
		"in an answer of the night":          {vessels: 120, price: 5, last: inputs.BulkLocates, tonight: 50, bulk: "50 20", cost: 10},
		"a cap of the credits":               {vessels: 120, price: 5, last: inputs.BulkLocates, budget: 13, bulk: "50 50", lookups: 3, cost: 13},
		"a cap below its price":              {vessels: 120, price: 5, last: inputs.BulkLocates, budget: 4, lookups: 4, cost: 4},
		"a cap of the requests":              {vessels: 120, price: 5, last: inputs.BulkLocates, requests: 2, bulk: "50 50", cost: 10},
		"no time for more":                   {vessels: 120, price: 5, last: inputs.BulkLocates, deadline: 5 * time.Second, bulk: "50", lookups: 1, cost: 6},
		"of watched vessels alone":           {vessels: 120, price: 5, last: inputs.BulkLocates, want: everything, watched: 60, bulk: "50 10", cost: 10},
		"of a few watched vessels":           {vessels: 120, price: 5, last: inputs.BulkLocates, want: everything, watched: 4, alone: 4, cost: 4},
		"other datasets are of single ships": {vessels: 120, price: 5, last: inputs.BulkLocates, want: everything},
	} {
		operation := rawOperation(api.BulkLocation, c.price, map[string]string{"imo_or_mmsi": api.Vessels})
		job := Job{List: List{By: "none"}, Budget: c.budget, Deadline: c.deadline, Lookup: Lookup{Want: c.want, MaxAge: 30 * 24 * time.Hour, MaxRequests: c.requests, Bulk: &operation}}
		f := Inputs{Now: tonight, Targets: located(c.vessels), Bulk: c.last, Tonight: map[string]PastAnswer{}}
		if c.want == nil {
			job.Lookup.Want, job.Lookup.MaxAge = []string{"position"}, 24*time.Hour
		}
		for i := range f.Targets {
			t := &f.Targets[i]
			t.ParticularsAt, t.EngineAt, t.ManagementAt, t.FirstSeen = tonight, tonight, tonight, tonight
			if i < c.watched {
				job.Lookup.Watch = append(job.Lookup.Watch, t.Number())
			}
			if i < c.missed {
				f.NoteAsked(api.BulkLocation, "imo_or_mmsi="+t.Number(), tonight.AddDate(0, 0, -1))
			}
			if i < c.tonight {
				f.Tonight[api.Key(api.BulkLocation, "imo_or_mmsi="+t.Number())] = PastAnswer{Rows: 1}
			}
		}
		d := Decide(job, f, documented)
		var counts []string
		named := map[string]int{}
		for _, q := range d.Questions {
			for _, r := range q.Requests {
				numbers := strings.Split(api.NumberOf(r.Parameters), ",")
				counts = append(counts, fmt.Sprint(len(numbers)))
				for _, number := range numbers {
					named[number]++
				}
			}
		}
		for _, number := range append(append([]string{}, d.Lookups...), d.Positions...) {
			named[number]++
		}
		for number, n := range named {
			if n > 1 {
				t.Errorf("%s: %s is asked for %d times", name, number, n)
			}
		}
		if got := strings.Join(counts, " "); got != c.bulk || len(d.Lookups) != c.lookups || len(d.Positions) != c.alone {
			t.Errorf("%s: %q in bulk, %d lookups and %d positions alone, want %q, %d and %d", name, got, len(d.Lookups), len(d.Positions), c.bulk, c.lookups, c.alone)
		}
		if got := d.Total(); got.Expected != c.cost {
			t.Errorf("%s: %d credits, want %d", name, got.Expected, c.cost)
		}
	}
}

// TestPositionsInBulkHaveTheirCredits: what a bulk search takes of a cap is neither given to searches as well, nor taken
// from those that the plan has chosen.
func TestPositionsInBulkHaveTheirCredits(t *testing.T) {
	operation := rawOperation(api.BulkLocation, 5, map[string]string{"imo_or_mmsi": api.Vessels})
	job := Job{Budget: 100, List: List{By: "country", Countries: api.Countries[:12]}, Lookup: Lookup{Want: []string{"position"}, MaxAge: 24 * time.Hour, Bulk: &operation}}
	d := Decide(job, Inputs{Now: tonight, Targets: located(120), Bulk: inputs.BulkLocates}, documented)
	if len(d.InBulk) != 100 || len(d.Cover) != 9 || len(d.Lookups) != 0 {
		t.Errorf("%d positions in bulk, %d partitions and %d lookups, want 100, 9 and none", len(d.InBulk), len(d.Cover), len(d.Lookups))
	}
	if bought := d.Buy(job, func(Partition) int { return 1 }); len(bought) != 9 {
		t.Errorf("a night buys %d partitions, want the 9 that it planned: %+v", len(bought), bought)
	}
	if price := d.Total(); price.Expected != 100 || len(d.Freed) != 0 {
		t.Errorf("%+v for a cap of 100, with %d searches that others pay for", price, len(d.Freed))
	}
}
