package plan

import (
	"slices"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/credits"
)

// Purchase is a search that a night pays for, or the rest of a partition that is longer than planned.
type Purchase struct {
	Search
	Pages int  // that cost credits
	Freed bool // the plan left the search out, and others cost less than their price
}

// bought is a search on its way to its purchase.
type bought struct {
	Search
	planned bool
	rest    int // pages of a partition whose first pages are paid for; 0 is the search itself
}

// Buy returns what a night pays for, in order, if its partitions have so many pages to pay for, by the decisions that
// the run will make. It leaves out the checks.
func (d *Plan) Buy(job Job, pages func(Partition) int) (all []Purchase) {
	a := credits.NewArbiter(d.Allowance.Limit.Plus(-d.asked), d.Kept)
	a.Lookups(PositionAlone, len(d.Positions))
	a.Lookups(job.Lookup.Operation(), d.Due)
	var asked []bought
	ask := func(b bought, s credits.Search) {
		s.ID, s.Lane, s.Planned, s.Worth = len(asked), b.Lane, b.planned, b.Worth
		asked = append(asked, b)
		a.Ask(s)
	}
	for _, s := range d.chosen() {
		ask(bought{Search: s, planned: true}, s.asks())
	}
	for _, s := range d.Waiting {
		ask(bought{Search: s}, s.asks())
	}
	spent, requests := 0, map[api.Operation]int{}
	for next := a.Decide().Granted; len(next) > 0; next = append(next, a.Decide().Granted...) {
		b, id := asked[next[0]], next[0]
		next = next[1:]
		granted, real := b.billed, b.billed
		switch {
		case b.rest > 0:
			granted, real = b.rest, b.rest
		case b.Lane == api.ByType:
			real = pages(b.Partition)
		}
		a.Priced(id)
		requests[b.Lane] += granted
		if !b.planned && b.rest == 0 && requests[b.Lane] > d.room[b.Lane] {
			requests[b.Lane] -= granted
			a.Fewer(b.Lane, granted*b.Lane.Credits) // there is no time for it
			continue
		}
		paid := min(granted, real)
		for range paid {
			a.Reserve(b.Lane)
			spent += b.Lane.Credits
			a.Answered(b.Lane, spent, 0)
		}
		a.Fewer(b.Lane, (granted-paid)*b.Lane.Credits)
		all = append(all, Purchase{b.Search, paid, !b.planned && b.rest == 0})
		if real > granted {
			rest := bought{Search: b.Search, rest: real - granted}
			rest.Worth = b.Worth * float64(max(1, b.Partition.Unpaid)) / float64(rest.rest)
			ask(rest, credits.Search{Most: rest.rest * b.Lane.Credits})
		}
	}
	return all
}

// asks is a search as it asks for credits.
func (s Search) asks() credits.Search {
	most := s.billed * s.Lane.Credits
	if s.Lane == api.ByType {
		return credits.Search{Most: most, Returns: most}
	}
	return credits.Search{Most: most}
}

// chosen returns the searches of the plan, without the checks.
func (d *Plan) chosen() (all []Search) {
	for _, p := range d.Cover {
		all = append(all, Search{Lane: api.ByType, billed: p.Unpaid, Worth: p.Worth(), what: PartitionsOfList, Partition: p})
	}
	for _, s := range d.Sweeps {
		all = append(all, Search{Lane: api.ByStatus, billed: s.Unpaid, what: StatusSearches, Sweep: s})
	}
	return all
}

// expect finds out what the night is expected to buy with the credits that its searches leave: searches that wait for
// credits, the checks, and then lookups.
func (d *Plan) expect(job Job) {
	limit, limited := d.Allowance.Limit.Get()
	if !limited {
		return
	}
	spent := d.asked
	for _, p := range d.Buy(job, func(p Partition) int { return p.billed }) {
		if spent += p.Pages * p.Lane.Credits; p.Freed {
			d.Freed = append(d.Freed, p)
			d.notLeftOut(p.what, 1)
		}
	}
	for _, p := range d.Checks {
		spent += p.billed * api.ByType.Credits
	}
	o := job.Lookup.Operation()
	left := limit - spent - len(d.Positions)*PositionAlone.Credits - len(d.Lookups)*o.Credits
	d.FreedLookups = max(0, min(len(d.Further), left/o.Credits))
	d.notLeftOut(LookupsLeft, d.FreedLookups)
}

// notLeftOut takes back that so much work is left out for lack of credits.
func (d *Plan) notLeftOut(what string, count int) {
	for i, l := range d.LeftOut {
		if l.What == what && l.Why == d.Allowance.Why {
			d.LeftOut[i].Count -= count
		}
	}
	d.LeftOut = slices.DeleteFunc(d.LeftOut, func(l LeftOut) bool { return l.Count == 0 })
}
