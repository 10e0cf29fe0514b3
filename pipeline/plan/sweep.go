package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// Causes that leave out a status search that the plan may space (sweep.every: auto).
const (
	TooFewMoved credits.Cause = "fewer vessels are expected to have come or left than a search costs credits"
	GainsLess   credits.Cause = "lookups gain more for the credits"
)

// A search that was never made comes before the others, and within one of so many credits before lookups,
// too: nobody knows what it would gain. One that was not made for longestSweep comes first within a
// tenth of the credits, so that none waits for ever.
const (
	longestSweep = MostNights * 24 * time.Hour
	newShare     = 2
	oldShare     = 10
)

// spaced is a status search of a job that leaves it to the plan when each is made.
type spaced struct {
	StatusSearch
	gain  float64 // days for which it makes the statuses of vessels right, by credit
	moved float64 // vessels that are expected to have come or left since it was last made
	days  float64 // since then; infinite if it was never made
	first bool    // waited for longestSweep, and comes before the others
}

// space weighs a search. The vessels that it found leave at a rate that earlier searches showed, and
// others come instead: its result goes out of date like a dataset that is looked up.
func space(s StatusSearch, rates Rates, now time.Time) spaced {
	vessels, days := float64(s.Expected+1), math.Inf(1) // one more: somebody may have come to an empty zone
	if s.Expected < 0 {
		vessels = unseenRows
	}
	if !s.At.IsZero() {
		days = now.Sub(s.At).Hours() / 24
	}
	gained, right := gain(days, rates.Leave(s.Sweep), 0)
	return spaced{s, vessels * gained / float64(api.ByStatus.Credits), vessels * (1 - right), days, false}
}

func (s spaced) isNew() bool { return math.IsInf(s.days, 1) }
func (s spaced) isOld() bool { return !s.isNew() && s.days*24 >= longestSweep.Hours() }

// Leave returns the share of the vessels in a status and zone that leave it in a day.
func (r Rates) Leave(s api.Sweep) float64 {
	return r.PerDay(StatusDataset, inputs.Target{Category: strings.ToLower(s.Status), Flag: strings.ToLower(s.Zone)})
}

// StatusDataset is the name under which spans of stays are learnt: their category is the status, their
// flag the zone.
const StatusDataset = "status"

// spaceSweeps chooses the searches of a job that leaves it to the plan when each is made. A search is
// worth its credits when as many vessels are expected to have come or left; of these, those are made
// that gain more by credit than lookups which the credits could pay instead. It returns the credits
// that are left.
func (d *Plan) spaceSweeps(job Job, f Inputs, budget credits.Limit, room map[string]int) credits.Limit {
	all := d.weighed(f, budget)
	c := spacing{allowance: d.Allowance.Why, credits: budget, kept: d.Kept, room: room[api.ByStatus.Name],
		lookup: job.Lookup.Operation().Credits, gains: d.lookupGains(job, budget)}
	if most, limited := budget.Plus(d.Kept).Get(); limited {
		c.ahead = credits.AtMost(most / newShare)
	}
	left := map[credits.Cause]int{}
	d.Sweeps = nil
	for _, s := range all {
		why := c.choose(s)
		if why == "" {
			d.Sweeps = append(d.Sweeps, s.StatusSearch)
			continue
		}
		left[why]++
		entry := s.Entry()
		entry.Skipped = why.Reason()
		if why == TooFewMoved {
			entry.Skipped = fmt.Sprintf("about %.0f vessels have come or left since it was last made: it is made "+
				"again when %d have", s.moved, api.ByStatus.Credits)
		}
		if why == d.Allowance.Why {
			d.Waiting = append(d.Waiting, Search{Lane: api.ByStatus, requests: 1, billed: 1,
				Worth: Worth(s.Expected, NightsOld(s.At, f.Now)), what: StatusSearches, entry: entry,
				Sweep: s.StatusSearch})
		}
		d.Skipped = append(d.Skipped, entry)
	}
	for _, why := range []credits.Cause{TooFewMoved, NoTime, d.Allowance.Why, GainsLess} {
		if left[why] > 0 {
			d.LeftOut = append(d.LeftOut, LeftOut{StatusSearches, left[why], len(all), why})
		}
	}
	room[api.ByStatus.Name] = c.room
	return c.credits
}

// weighed returns the searches in the order in which they are chosen: as many that waited for longestSweep as
// their share of the credits pays, those that were never made, and the others, the most valuable first.
func (d *Plan) weighed(f Inputs, budget credits.Limit) []spaced {
	var all []spaced
	for _, s := range d.Sweeps {
		all = append(all, space(s, f.Rates, f.Now))
	}
	slices.SortStableFunc(all, func(a, b spaced) int { return -cmp.Compare(a.days, b.days) })
	share, place := credits.Limit{}, map[string]int{}
	if most, limited := budget.Plus(d.Kept).Get(); limited {
		share = credits.AtMost(max(api.ByStatus.Credits, most/oldShare))
	}
	for i := range all {
		switch {
		case all[i].isOld() && share.Allows(api.ByStatus.Credits):
			share = share.Plus(-api.ByStatus.Credits)
			all[i].first = true
			place[all[i].String()] = 2
		case all[i].isNew():
			place[all[i].String()] = 1
		}
	}
	slices.SortStableFunc(all, func(a, b spaced) int {
		return cmp.Or(place[b.String()]-place[a.String()], -cmp.Compare(a.gain, b.gain))
	})
	return all
}

// spacing is what is left of the credits and the time of a night for status searches.
type spacing struct {
	allowance credits.Cause
	credits   credits.Limit // of which kept are not for searches
	kept      int
	ahead     credits.Limit // for searches that come before lookups
	room      int           // requests
	lookup    int           // credits of a lookup
	gains     []float64
}

// choose takes the credits of a search, or returns why it is left out.
func (c *spacing) choose(s spaced) credits.Cause {
	cost := api.ByStatus.Credits
	instead := s.lookupsFirst(c.gains) * c.lookup
	switch {
	case s.Unpaid == 0:
		return ""
	case !s.first && s.moved < float64(cost):
		return TooFewMoved
	case c.room < 1:
		return NoTime
	case !c.credits.Allows(cost):
		return c.allowance
	case (s.first || s.isNew()) && c.ahead.Allows(cost):
		c.ahead = c.ahead.Plus(-cost)
	case !c.credits.Plus(-max(0, instead-c.kept)).Allows(cost):
		return GainsLess
	}
	c.room--
	c.credits = c.credits.Plus(-cost)
	return ""
}

// lookupGains returns what the lookups that credits can pay gain by credit, the most first; none
// without a limit.
func (d *Plan) lookupGains(job Job, budget credits.Limit) []float64 {
	left, limited := budget.Plus(d.Kept).Get()
	if !limited {
		return nil
	}
	all := make([]float64, len(d.due.vessels))
	for i, one := range d.due.vessels {
		all[i] = one.total
	}
	n := min(len(all), left/job.Lookup.Operation().Credits)
	if job.Lookup.MaxRequests > 0 {
		n = min(n, job.Lookup.MaxRequests)
	}
	descending := func(a, b float64) int { return -cmp.Compare(a, b) }
	selectFirst(all, n, descending)
	slices.SortFunc(all[:n], descending)
	return all[:n]
}

// lookupsFirst is how many lookups gain more by credit than the search.
func (s spaced) lookupsFirst(gains []float64) int {
	n, _ := slices.BinarySearchFunc(gains, s.gain, func(gain, than float64) int {
		if gain > than {
			return -1
		}
		return 1
	})
	return n
}

// notDue drops the searches that were made within the interval of a job, but not those of the night
// itself: they cost nothing again.
func (d *Plan) notDue(f Inputs, every time.Duration) {
	d.Sweeps = slices.DeleteFunc(d.Sweeps, func(s StatusSearch) bool {
		_, paid := f.Tonight[s.Request().Key()]
		tonight := paid && !f.Since.IsZero() && !s.At.Before(f.Since)
		if s.At.IsZero() || tonight || !s.At.After(f.Now.Add(-every)) {
			return false
		}
		e := s.Entry()
		e.Skipped = "covered at " + s.At.UTC().Format(time.RFC3339)
		d.Skipped = append(d.Skipped, e)
		return true
	})
}
