package pipeline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

const (
	lookupShare = 10   // lookups keep one credit in so many, however much there is to list
	pace        = 0.98 // of a lane's limit is what a plan counts on
	growth      = 10   // a listing may be one page in so many longer than last time
	unseenRows  = 100  // vessels that a partition is taken to hold before it was ever seen
	mostNights  = 30   // the age beyond which a partition is worth no more
)

// allowance is what a run may spend, and which cap says so.
type allowance struct {
	credits int
	limited bool // false: there is no cap
	why     string
}

// The caps, in the words of reports.
const (
	capOfNight   = "the cap of the night (budget.per_run)"
	capOfDay     = "the cap of the day (budget.per_day)"
	capOfMonth   = "the cap of the month (budget.per_month)"
	balanceFloor = "the balance above its floor (budget.floor)"
)

// allow finds the tightest cap: of the night, the day, the month, or the balance above its floor.
func allow(job Job, f inputs) allowance {
	a := allowance{}
	tighten := func(credits int, why string) {
		if credits = max(0, credits); !a.limited || credits < a.credits {
			a = allowance{credits, true, why}
		}
	}
	if job.Budget > 0 {
		tighten(job.Budget-f.spentNight, capOfNight)
	}
	if job.PerDay > 0 {
		tighten(job.PerDay-f.spentDay, capOfDay)
	}
	if job.PerMonth > 0 {
		tighten(job.PerMonth-f.spentMonth, capOfMonth)
	}
	if f.balanceKnown {
		tighten(f.balance-job.Floor, balanceFloor)
	}
	return a
}

// lanePrice is what a plan asks of one operation.
type lanePrice struct {
	operation api.Operation
	requests  int // expected
	credits   journal.Price
}

// lookupsLeft names lookups that are left out.
const lookupsLeft = "lookups"

// noTime is why a lane leaves work out.
const noTime = "there is no time before the deadline"

// LeftOut is work that a plan has no credits or no time for.
type LeftOut struct {
	What  string `json:"what"`
	Count int    `json:"count"`
	Of    int    `json:"of"`
	Why   string `json:"why"`
}

// String is one line of a report.
func (l LeftOut) String() string {
	return fmt.Sprintf("%d of %d %s are left out: %s", l.Count, l.Of, l.What, reasonFor(l.Why))
}

// reasonFor makes a reason of the name of a cap.
func reasonFor(why string) string {
	switch why {
	case capOfNight, capOfDay, capOfMonth:
		return why + " does not reach"
	case balanceFloor:
		return "they would bring the balance below its floor (budget.floor)"
	}
	return why
}

// search is a partition of a search as the fitting sees it.
type search struct {
	lane     api.Operation
	requests int     // expected
	billed   int     // those of them that are to find credits before it is asked
	worth    float64 // by credit
	keep     func()
	what     string
	entry    journal.Partition

	partition partition // what it is, or
	sweep     statusSearch
}

// fit keeps what the allowance can pay and the lanes can carry before the deadline, the most
// worth by credit first, and prices it. Searches come before lookups, because a vessel on a
// page costs a tenth of the cheapest lookup; a share is kept for lookups all the same.
func (d *decision) fit(job Job, f inputs, perMinute func(api.Operation) int) {
	d.allowance = allow(job, f)
	o := job.Lookup.operation()
	if d.allowance.limited {
		d.kept = min(d.allowance.credits/lookupShare, len(d.lookups)*o.Credits)
	}
	money := remaining{d.allowance.credits - d.kept, d.allowance.limited}
	room := map[string]int{}
	d.capacity = map[string]int{}
	for _, o := range api.Operations {
		room[o.Name] = capacity(job.Deadline, perMinute(o))
		d.capacity[o.Name] = room[o.Name]
	}
	d.fitSearches(f.now, &money, room)
	money.credits += d.kept
	d.fitLookups(job, f, money, room)
	d.price = d.prices(job, f)
}

// remaining is money that is left for a plan.
type remaining struct {
	credits int
	limited bool
}

func (p *remaining) pay(credits int) bool {
	if p.limited && p.credits < credits {
		return false
	}
	p.credits -= credits
	return true
}

// capacity is the number of requests that a lane can carry before the deadline.
func capacity(deadline time.Duration, perMinute int) int {
	if deadline <= 0 {
		return math.MaxInt
	}
	return int(deadline.Minutes() * float64(perMinute) * pace)
}

// fitSearches keeps partitions and sweeps in the order of their worth. What finds no credits
// waits: prices that turn out lower may yet make room for it. A check is not worth waiting for.
func (d *decision) fitSearches(now time.Time, money *remaining, room map[string]int) {
	all := d.searches(now)
	of, left := map[string]int{}, map[[2]string]int{}
	d.cover, d.sweeps, d.checks = nil, nil, nil
	for _, s := range all {
		of[s.what]++
		switch {
		case room[s.lane.Name] < s.requests:
			s.entry.Skipped = reasonFor(noTime)
		case !money.pay(s.billed * s.lane.Credits):
			s.entry.Skipped = reasonFor(d.allowance.why)
			if s.what != listChecks {
				d.waiting = append(d.waiting, s)
			}
			left[[2]string{s.what, d.allowance.why}]++
			d.skipped = append(d.skipped, s.entry)
			continue
		default:
			room[s.lane.Name] -= s.requests
			s.keep()
			continue
		}
		left[[2]string{s.what, noTime}]++
		d.skipped = append(d.skipped, s.entry)
	}
	for _, what := range []string{partitionsOfList, statusSearches, listChecks} {
		for _, why := range []string{noTime, d.allowance.why} {
			if n := left[[2]string{what, why}]; n > 0 {
				d.leftOut = append(d.leftOut, LeftOut{what, n, of[what], why})
			}
		}
	}
}

// searches returns all searches, the most worth by credit first.
func (d *decision) searches(now time.Time) (all []search) {
	for _, p := range d.cover {
		all = append(all, search{lane: api.ByType, requests: p.unpaid, billed: p.unpaid, worth: p.worth(), keep: func() { d.cover = append(d.cover, p) },
			what: partitionsOfList, entry: p.entry(), partition: p})
	}
	for _, s := range d.sweeps {
		all = append(all, search{lane: api.ByStatus, requests: s.unpaid, billed: s.unpaid, worth: worth(s.expected, nightsOld(s.at, now)), keep: func() { d.sweeps = append(d.sweeps, s) },
			what: statusSearches, entry: s.entry(), sweep: s})
	}
	for _, p := range d.checks {
		entry := p.entry()
		entry.Check = true
		all = append(all, search{lane: api.ByType, requests: p.unpaid, billed: p.billed, keep: func() { d.checks = append(d.checks, p) },
			what: listChecks, entry: entry})
	}
	slices.SortStableFunc(all, func(a, b search) int { return -cmp.Compare(a.worth, b.worth) })
	return all
}

// worth is what covering a partition brings: its vessels, times the nights that what is known
// of them is old.
func worth(expected int, nights float64) float64 {
	if expected < 0 {
		expected = unseenRows
	}
	return float64(expected) * nights
}

// worth is what covering a partition brings by page that is still to be asked.
func (p partition) worth() float64 { return worth(p.expected, p.nights) / float64(max(1, p.unpaid)) }

// nightsOld is how many nights old a coverage is, as far as that counts.
func nightsOld(at, now time.Time) float64 {
	if at.IsZero() {
		return mostNights
	}
	return min(mostNights, now.Sub(at).Hours()/24)
}

// fitLookups keeps the lookups that are most worth, and says how many the run can make.
func (d *decision) fitLookups(job Job, f inputs, money remaining, room map[string]int) {
	o, due := job.Lookup.operation(), len(d.lookups)
	d.due = due
	n, why := room[o.Name], noTime
	if most := max(0, job.Lookup.MaxRequests-f.lookedUp); job.Lookup.MaxRequests > 0 && most < n {
		n, why = most, "max_requests of the job (jobs.NAME.lookup)"
	}
	d.room, d.capacity[o.Name] = n, n
	if money.limited && money.credits/o.Credits < n {
		n, why = money.credits/o.Credits, d.allowance.why
	}
	if n < due {
		d.lookups = d.lookups[:n]
		d.leftOut = append(d.leftOut, LeftOut{lookupsLeft, due - n, due, why})
	}
}

// prices prices each lane. Where totals are known the expected price is exact as long as
// nothing moved, and what the night has answers to costs nothing. The most is bounded by the
// allowance, and by what the lane can carry.
func (d *decision) prices(job Job, f inputs) []lanePrice {
	list := lanePrice{operation: api.ByType}
	unknown := false
	for _, p := range d.cover {
		n := p.billed
		list.requests += p.unpaid
		list.credits.Expected += n * api.ByType.Credits
		if p.unpaid > 0 {
			list.credits.Most += (n + max(1, n/growth)) * api.ByType.Credits
		}
		unknown = unknown || p.expected < 0 && !f.begun(p)
	}
	for _, p := range d.checks {
		list.requests += p.unpaid
		list.credits.Expected += p.billed * api.ByType.Credits
		list.credits.Most += p.unpaid * max(pages(p.expected), 1) * api.ByType.Credits
		unknown = unknown || p.expected < 0 && !f.begun(p)
	}
	if list.credits.Least = list.credits.Expected; unknown {
		list.credits.Least = 0
		list.credits.Most = d.bound(api.ByType)
	}
	o := job.Lookup.operation()
	lookups := lanePrice{operation: o, requests: len(d.lookups)}
	lookups.credits = exactly(len(d.lookups) * o.Credits)
	if len(job.Lookup.Want) > 0 && len(d.cover)+len(d.sweeps) > 0 { // vessels that are met for the first time join
		lookups.credits.Most = d.bound(o)
	}
	sweeps := lanePrice{operation: api.ByStatus}
	for _, s := range d.sweeps {
		sweeps.requests += s.unpaid
	}
	sweeps.credits = exactly(sweeps.requests * api.ByStatus.Credits)
	return []lanePrice{list, sweeps, lookups}
}

// bound is the most that a lane can spend whatever it meets; 0 where nothing bounds it.
func (d *decision) bound(o api.Operation) int {
	most := 0
	if n := d.capacity[o.Name]; n < math.MaxInt/api.ByType.Credits {
		most = n * o.Credits
	}
	if d.allowance.limited && (most == 0 || d.allowance.credits < most) {
		most = d.allowance.credits
	}
	return most
}

func exactly(credits int) journal.Price {
	return journal.Price{Least: credits, Expected: credits, Most: credits}
}

// total adds the lanes up. The most is what the run is held to; 0 where nothing bounds it.
func (d *decision) total() journal.Price {
	var t journal.Price
	unbounded := false
	for _, l := range d.price {
		t.Least, t.Expected, t.Most = t.Least+l.credits.Least, t.Expected+l.credits.Expected, t.Most+l.credits.Most
		unbounded = unbounded || l.credits.Most == 0 && l.credits.Expected > 0
	}
	t.Most += t.Most / retryShareOfPlan
	if unbounded {
		t.Most = 0
	}
	if a := d.allowance; a.limited {
		t.Least, t.Expected = min(t.Least, a.credits), min(t.Expected, a.credits)
		if t.Most == 0 || a.credits < t.Most || len(d.waiting) > 0 {
			t.Most = a.credits
		}
	}
	return t
}

// retryShareOfPlan is room in the most for requests whose outcome is unknown and that are
// sent again: one in so many.
const retryShareOfPlan = 10

// What reports call the searches.
const (
	partitionsOfList = "partitions of the list"
	statusSearches   = "status searches"
	listChecks       = "checks for vessels without type or country"
)
