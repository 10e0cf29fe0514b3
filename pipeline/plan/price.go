package plan

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
	Pace        = 0.98 // of a lane's limit is what a plan counts on
	Growth      = 10   // a listing may be one page in so many longer than last time
	unseenRows  = 100  // vessels that a partition is taken to hold before it was ever seen
	MostNights  = 30   // the age beyond which a partition is worth no more
)

// allowance is what a run may spend, and which cap says so.
type allowance struct {
	Credits int
	Limited bool // false: there is no cap
	Why     string
}

// The caps, in the words of reports.
const (
	CapOfNight   = "the cap of the night (budget.per_run)"
	CapOfDay     = "the cap of the day (budget.per_day)"
	CapOfMonth   = "the cap of the month (budget.per_month)"
	BalanceFloor = "the balance above its floor (budget.floor)"
)

// allow finds the tightest cap: of the night, the day, the month, or the balance above its floor.
func allow(job Job, f Inputs) allowance {
	a := allowance{}
	tighten := func(credits int, why string) {
		if credits = max(0, credits); !a.Limited || credits < a.Credits {
			a = allowance{credits, true, why}
		}
	}
	if job.Budget > 0 {
		tighten(job.Budget-f.SpentNight, CapOfNight)
	}
	if job.PerDay > 0 {
		tighten(job.PerDay-f.SpentDay, CapOfDay)
	}
	if job.PerMonth > 0 {
		tighten(job.PerMonth-f.SpentMonth, CapOfMonth)
	}
	if f.BalanceKnown {
		tighten(f.Balance-job.Floor, BalanceFloor)
	}
	return a
}

// lanePrice is what a plan asks of one operation.
type lanePrice struct {
	Operation api.Operation
	Requests  int // expected
	Credits   journal.Price
}

// LookupsLeft names lookups that are left out.
const LookupsLeft = "lookups"

// NoTime is why a lane leaves work out.
const NoTime = "there is no time before the deadline"

// LeftOut is work that a plan has no credits or no time for.
type LeftOut struct {
	What  string `json:"what"`
	Count int    `json:"count"`
	Of    int    `json:"of"`
	Why   string `json:"why"`
}

// String is one line of a report.
func (l LeftOut) String() string {
	return fmt.Sprintf("%d of %d %s are left out: %s", l.Count, l.Of, l.What, ReasonFor(l.Why))
}

// ReasonFor makes a reason of the name of a cap.
func ReasonFor(why string) string {
	switch why {
	case CapOfNight, CapOfDay, CapOfMonth:
		return why + " does not reach"
	case BalanceFloor:
		return "they would bring the balance below its floor (budget.floor)"
	}
	return why
}

// Search is a partition of a search as the fitting sees it.
type Search struct {
	Lane     api.Operation
	requests int     // expected
	billed   int     // those of them that are to find credits before it is asked
	Worth    float64 // by credit
	keep     func()
	what     string
	entry    journal.Partition

	Partition Partition // what it is, or
	Sweep     StatusSearch
}

// fit keeps what the allowance can pay and the lanes can carry before the deadline, the most
// worth by credit first, and prices it. Searches come before lookups, because a vessel on a
// page costs a tenth of the cheapest lookup; a share is kept for lookups all the same.
func (d *Plan) fit(job Job, f Inputs, perMinute func(api.Operation) int) {
	d.Allowance = allow(job, f)
	o := job.Lookup.Operation()
	if d.Allowance.Limited {
		d.Kept = min(d.Allowance.Credits/lookupShare, len(d.Lookups)*o.Credits)
	}
	money := remaining{d.Allowance.Credits - d.Kept, d.Allowance.Limited}
	room := map[string]int{}
	d.capacity = map[string]int{}
	for _, o := range api.Operations {
		room[o.Name] = capacity(job.Deadline, perMinute(o))
		d.capacity[o.Name] = room[o.Name]
	}
	d.fitSearches(f.Now, &money, room)
	money.credits += d.Kept
	d.fitLookups(job, f, money, room)
	d.Price = d.prices(job, f)
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
	return int(deadline.Minutes() * float64(perMinute) * Pace)
}

// fitSearches keeps partitions and sweeps in the order of their worth. What finds no credits
// waits: prices that turn out lower may yet make room for it. A check is not worth waiting for.
func (d *Plan) fitSearches(now time.Time, money *remaining, room map[string]int) {
	all := d.searches(now)
	of, left := map[string]int{}, map[[2]string]int{}
	d.Cover, d.Sweeps, d.Checks = nil, nil, nil
	for _, s := range all {
		of[s.what]++
		switch {
		case room[s.Lane.Name] < s.requests:
			s.entry.Skipped = ReasonFor(NoTime)
		case !money.pay(s.billed * s.Lane.Credits):
			s.entry.Skipped = ReasonFor(d.Allowance.Why)
			if s.what != ListChecks {
				d.Waiting = append(d.Waiting, s)
			}
			left[[2]string{s.what, d.Allowance.Why}]++
			d.Skipped = append(d.Skipped, s.entry)
			continue
		default:
			room[s.Lane.Name] -= s.requests
			s.keep()
			continue
		}
		left[[2]string{s.what, NoTime}]++
		d.Skipped = append(d.Skipped, s.entry)
	}
	for _, what := range []string{PartitionsOfList, StatusSearches, ListChecks} {
		for _, why := range []string{NoTime, d.Allowance.Why} {
			if n := left[[2]string{what, why}]; n > 0 {
				d.LeftOut = append(d.LeftOut, LeftOut{what, n, of[what], why})
			}
		}
	}
}

// searches returns all searches, the most worth by credit first.
func (d *Plan) searches(now time.Time) (all []Search) {
	for _, p := range d.Cover {
		all = append(all, Search{Lane: api.ByType, requests: p.Unpaid, billed: p.Unpaid, Worth: p.Worth(), keep: func() { d.Cover = append(d.Cover, p) },
			what: PartitionsOfList, entry: p.Entry(), Partition: p})
	}
	for _, s := range d.Sweeps {
		all = append(all, Search{Lane: api.ByStatus, requests: s.Unpaid, billed: s.Unpaid, Worth: Worth(s.Expected, NightsOld(s.At, now)), keep: func() { d.Sweeps = append(d.Sweeps, s) },
			what: StatusSearches, entry: s.Entry(), Sweep: s})
	}
	for _, p := range d.Checks {
		entry := p.Entry()
		entry.Check = true
		all = append(all, Search{Lane: api.ByType, requests: p.Unpaid, billed: p.billed, keep: func() { d.Checks = append(d.Checks, p) },
			what: ListChecks, entry: entry})
	}
	slices.SortStableFunc(all, func(a, b Search) int { return -cmp.Compare(a.Worth, b.Worth) })
	return all
}

// Worth is what covering a partition brings: its vessels, times the nights that what is known
// of them is old.
func Worth(expected int, nights float64) float64 {
	if expected < 0 {
		expected = unseenRows
	}
	return float64(expected) * nights
}

// Worth is what covering a partition brings by page that is still to be asked.
func (p Partition) Worth() float64 { return Worth(p.Expected, p.Nights) / float64(max(1, p.Unpaid)) }

// NightsOld is how many nights old a coverage is, as far as that counts.
func NightsOld(at, now time.Time) float64 {
	if at.IsZero() {
		return MostNights
	}
	return min(MostNights, now.Sub(at).Hours()/24)
}

// fitLookups keeps the lookups that are most worth, and says how many the run can make.
func (d *Plan) fitLookups(job Job, f Inputs, money remaining, room map[string]int) {
	o, due := job.Lookup.Operation(), len(d.Lookups)
	d.Due = due
	n, why := room[o.Name], NoTime
	if most := max(0, job.Lookup.MaxRequests-f.LookedUp); job.Lookup.MaxRequests > 0 && most < n {
		n, why = most, "max_requests of the job (jobs.NAME.lookup)"
	}
	d.Room, d.capacity[o.Name] = n, n
	if money.limited && money.credits/o.Credits < n {
		n, why = money.credits/o.Credits, d.Allowance.Why
	}
	if n < due {
		d.Lookups = d.Lookups[:n]
		d.LeftOut = append(d.LeftOut, LeftOut{LookupsLeft, due - n, due, why})
	}
}

// prices prices each lane. Where totals are known the expected price is exact as long as
// nothing moved, and what the night has answers to costs nothing. The most is bounded by the
// allowance, and by what the lane can carry.
func (d *Plan) prices(job Job, f Inputs) []lanePrice {
	list := lanePrice{Operation: api.ByType}
	unknown := false
	for _, p := range d.Cover {
		n := p.billed
		list.Requests += p.Unpaid
		list.Credits.Expected += n * api.ByType.Credits
		if p.Unpaid > 0 {
			list.Credits.Most += (n + max(1, n/Growth)) * api.ByType.Credits
		}
		unknown = unknown || p.Expected < 0 && !f.begun(p)
	}
	for _, p := range d.Checks {
		list.Requests += p.Unpaid
		list.Credits.Expected += p.billed * api.ByType.Credits
		list.Credits.Most += p.Unpaid * max(Pages(p.Expected), 1) * api.ByType.Credits
		unknown = unknown || p.Expected < 0 && !f.begun(p)
	}
	if list.Credits.Least = list.Credits.Expected; unknown {
		list.Credits.Least = 0
		list.Credits.Most = d.bound(api.ByType)
	}
	o := job.Lookup.Operation()
	lookups := lanePrice{Operation: o, Requests: len(d.Lookups)}
	lookups.Credits = exactly(len(d.Lookups) * o.Credits)
	if len(job.Lookup.Want) > 0 && len(d.Cover)+len(d.Sweeps) > 0 { // vessels that are met for the first time join
		lookups.Credits.Most = d.bound(o)
	}
	sweeps := lanePrice{Operation: api.ByStatus}
	for _, s := range d.Sweeps {
		sweeps.Requests += s.Unpaid
	}
	sweeps.Credits = exactly(sweeps.Requests * api.ByStatus.Credits)
	return []lanePrice{list, sweeps, lookups}
}

// bound is the most that a lane can spend whatever it meets; 0 where nothing bounds it.
func (d *Plan) bound(o api.Operation) int {
	most := 0
	if n := d.capacity[o.Name]; n < math.MaxInt/api.ByType.Credits {
		most = n * o.Credits
	}
	if d.Allowance.Limited && (most == 0 || d.Allowance.Credits < most) {
		most = d.Allowance.Credits
	}
	return most
}

func exactly(credits int) journal.Price {
	return journal.Price{Least: credits, Expected: credits, Most: credits}
}

// Total adds the lanes up. The most is what the run is held to; 0 where nothing bounds it.
func (d *Plan) Total() journal.Price {
	var t journal.Price
	unbounded := false
	for _, l := range d.Price {
		t.Least, t.Expected, t.Most = t.Least+l.Credits.Least, t.Expected+l.Credits.Expected, t.Most+l.Credits.Most
		unbounded = unbounded || l.Credits.Most == 0 && l.Credits.Expected > 0
	}
	t.Most += t.Most / retryShareOfPlan
	if unbounded {
		t.Most = 0
	}
	if a := d.Allowance; a.Limited {
		t.Least, t.Expected = min(t.Least, a.Credits), min(t.Expected, a.Credits)
		if t.Most == 0 || a.Credits < t.Most || len(d.Waiting) > 0 {
			t.Most = a.Credits
		}
	}
	return t
}

// retryShareOfPlan is room in the most for requests whose outcome is unknown and that are
// sent again: one in so many.
const retryShareOfPlan = 10

// What reports call the searches.
const (
	PartitionsOfList = "partitions of the list"
	StatusSearches   = "status searches"
	ListChecks       = "checks for vessels without type or country"
)
