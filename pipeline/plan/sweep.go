package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Causes that leave out a status search that the plan may space (sweep.every: auto).
const (
	TooFewMoved Cause = "fewer vessels are expected to have come or left than a search costs credits"
	GainsLess   Cause = "lookups gain more for the credits"
)

// longestSweep is how long a search waits at the most, while a share of the credits lasts: then it
// comes before those that gain more.
const longestSweep = MostNights * 24 * time.Hour

// spaced is a status search of a job that leaves it to the plan when each is made.
type spaced struct {
	StatusSearch
	gain    float64 // days for which it makes the statuses of vessels right, by credit
	moved   float64 // vessels that are expected to have come or left since it was last made
	overdue bool
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
	return spaced{s, vessels * gained / float64(api.ByStatus.Credits), vessels * (1 - right), days*24 >= longestSweep.Hours() && !s.At.IsZero()}
}

// Leave returns the share of the vessels in a status and zone that leave it in a day.
func (r Rates) Leave(s api.Sweep) float64 {
	return r.PerDay(StatusDataset, warehouse.Target{Category: strings.ToLower(s.Status), Flag: strings.ToLower(s.Zone)})
}

// StatusDataset is the name under which spans of stays are learnt: their category is the status, their
// flag the zone.
const StatusDataset = "status"

// spaceSweeps chooses the searches of a job that leaves it to the plan when each is made. A search is
// worth its credits when as many vessels are expected to have come or left; of these, those are made
// that gain more by credit than lookups which the credits could pay instead. A search that waited for
// longestSweep comes first, within a share of the credits. It returns the credits that are left.
func (d *Plan) spaceSweeps(job Job, f Inputs, credits Limit, room map[string]int) Limit {
	var all []spaced
	for _, s := range d.Sweeps {
		all = append(all, space(s, f.Rates, f.Now))
	}
	slices.SortStableFunc(all, func(a, b spaced) int {
		if a.overdue != b.overdue {
			return cmp.Compare(place(b.overdue), place(a.overdue))
		}
		return -cmp.Compare(a.gain, b.gain)
	})
	lookups, overdue := d.lookupGains(job, credits), AtMost(math.MaxInt)
	of, cost := len(all), api.ByStatus.Credits
	if most, limited := credits.Plus(d.Kept).Get(); limited {
		overdue = AtMost(max(cost, most/lookupShare))
	}
	left := map[Cause]int{}
	d.Sweeps = nil
	for _, s := range all {
		entry := s.Entry()
		first := s.overdue && overdue.Allows(cost)
		instead := s.lookupsFirst(lookups) * job.Lookup.Operation().Credits
		if first {
			overdue, instead = overdue.Plus(-cost), 0
		}
		switch {
		case s.Unpaid == 0:
			d.Sweeps = append(d.Sweeps, s.StatusSearch)
			continue
		case !first && s.moved < float64(cost):
			left[TooFewMoved]++
			entry.Skipped = fmt.Sprintf("about %.0f vessels have come or left since it was last made: it is made again when %d have", s.moved, cost)
		case room[api.ByStatus.Name] < 1:
			left[NoTime]++
			entry.Skipped = NoTime.Reason()
		case !credits.Allows(cost):
			left[d.Allowance.Why]++
			entry.Skipped = d.Allowance.Why.Reason()
			d.Waiting = append(d.Waiting, Search{Lane: api.ByStatus, requests: 1, billed: 1, Worth: Worth(s.Expected, NightsOld(s.At, f.Now)), what: StatusSearches, entry: entry, Sweep: s.StatusSearch})
		case !credits.Plus(-max(0, instead-d.Kept)).Allows(cost):
			left[GainsLess]++
			entry.Skipped = GainsLess.Reason()
		default:
			room[api.ByStatus.Name]--
			credits = credits.Plus(-cost)
			d.Sweeps = append(d.Sweeps, s.StatusSearch)
			continue
		}
		d.Skipped = append(d.Skipped, entry)
	}
	for _, why := range []Cause{TooFewMoved, NoTime, d.Allowance.Why, GainsLess} {
		if left[why] > 0 {
			d.LeftOut = append(d.LeftOut, LeftOut{StatusSearches, left[why], of, why})
		}
	}
	return credits
}

func place(first bool) int {
	if first {
		return 1
	}
	return 0
}

// lookupGains returns what the lookups that credits can pay gain by credit, the most first; none
// without a limit.
func (d *Plan) lookupGains(job Job, credits Limit) []float64 {
	left, limited := credits.Plus(d.Kept).Get()
	if !limited {
		return nil
	}
	all := make([]float64, len(d.due))
	for i, one := range d.due {
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

// notDue drops the searches that were made within the interval of a job.
func (d *Plan) notDue(f Inputs, every time.Duration) {
	d.Sweeps = slices.DeleteFunc(d.Sweeps, func(s StatusSearch) bool {
		tonight := !f.Since.IsZero() && !s.At.Before(f.Since)
		if s.At.IsZero() || tonight || !s.At.After(f.Now.Add(-every)) {
			return false
		}
		e := s.Entry()
		e.Skipped = "covered at " + s.At.UTC().Format(time.RFC3339)
		d.Skipped = append(d.Skipped, e)
		return true
	})
}
