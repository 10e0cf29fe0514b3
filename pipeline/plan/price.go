package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/credits"
)

const (
	lookupShare = 10   // one credit in so many is kept for lookups, however much there is to list
	Pace        = 0.98 // share of a lane's rate limit that a plan counts on
	Growth      = 10   // a partition may have one page in so many more than last time
	unseenRows  = 100  // assumed number of vessels of a partition that was never covered
	MostNights  = 30   // age in nights beyond which the value of a partition no longer grows
)

// lanePrice is the expected number of requests of one operation, and their price.
type lanePrice struct {
	Operation api.Operation
	Requests  int // expected
	Credits   journal.Price
	most      credits.Limit // Credits.Most is 0 without a limit
}

// NoTime is why a lane leaves work out that its rate limit does not reach.
const NoTime credits.Cause = "there is no time before the deadline"

// MostRequests is why lookups are left out that a job may not make.
const MostRequests credits.Cause = "max_requests of the job (jobs.NAME.lookup)"

// LeftOut.What of lookups, and of those that answer with the position of a watched vessel alone.
const (
	LookupsLeft   = "lookups"
	PositionsLeft = "positions of watched vessels"
)

// LeftOut is work that a plan has no credits or no time for.
type LeftOut struct {
	What  string        `json:"what"`
	Count int           `json:"count"`
	Of    int           `json:"of"`
	Why   credits.Cause `json:"why"`
}

// String is one line of a report.
func (l LeftOut) String() string {
	return fmt.Sprintf("%d of %d %s are left out: %s", l.Count, l.Of, l.What, l.Why.Reason())
}

// Search is a partition, a check or a status search with its cost and value, as fitSearches sorts it.
type Search struct {
	Lane     api.Operation
	requests int     // expected
	billed   int     // requests that need credits before they are sent
	Worth    float64 // value per credit
	choose   func()  // adds it to the plan
	what     string
	entry    journal.Partition

	Partition Partition    // of a by-type search
	Sweep     StatusSearch // of a by-status search
}

// fit keeps what the allowance can pay and the lanes can carry before the deadline, the most
// valuable per credit first, and prices it. Searches come before lookups, because a vessel on a
// page costs a tenth of the cheapest lookup; a share of the credits is kept for lookups.
func (d *Plan) fit(job Job, f Inputs, perMinute func(api.Operation) int) {
	d.Allowance = job.Caps().Allow(f.Spent, f.balance())
	d.asked = d.fitQuestions(job, f, perMinute)
	o := job.Lookup.Operation()
	if most, limited := d.Allowance.Limit.Plus(-d.asked).Get(); limited {
		positions := min(most/lookupShare, len(d.due.positions)*PositionAlone.Credits)
		whole := math.Round(float64(most/lookupShare-positions) / float64(o.Credits)) // a part of a lookup buys nothing
		d.Kept = positions + min(int(whole), d.due.count())*o.Credits
	}
	left := d.Allowance.Limit.Plus(-d.asked - d.Kept)
	room := map[string]int{}
	d.capacity = map[string]int{}
	for _, o := range api.Operations {
		room[o.Name] = capacity(job.Deadline, perMinute(o))
		d.capacity[o.Name] = room[o.Name]
	}
	if bulk := job.Lookup.Bulk; bulk != nil {
		room[bulk.Name] = capacity(job.Deadline, perMinute(bulk.Operation))
		for _, q := range d.Questions {
			if q.Operation.Name == bulk.Name {
				room[bulk.Name] -= len(q.Requests) - q.Carried
			}
		}
	}
	d.room = map[api.Operation]int{api.ByType: room[api.ByType.Name], api.ByStatus: room[api.ByStatus.Name]}
	if job.Sweep.Auto {
		whole := d.Sweeps
		d.Sweeps = nil
		left = d.fitSearches(f.Now, left, room)
		d.Sweeps = whole
		left = d.spaceSweeps(job, f, left, room)
	} else {
		left = d.fitSearches(f.Now, left, room)
	}
	d.fitLookups(job, f, left.Plus(d.Kept), room)
	d.expect(job)
	d.Price = d.prices(job, f)
}

// capacity is the number of requests that a lane can carry before the deadline.
func capacity(deadline time.Duration, perMinute int) int {
	if deadline <= 0 {
		return math.MaxInt
	}
	return int(deadline.Minutes() * float64(perMinute) * Pace)
}

// fitSearches keeps partitions and status searches in the order of their value. A search without
// credits waits, because others may cost less than their price. A check does not wait. It returns the
// credits that are left.
func (d *Plan) fitSearches(now time.Time, budget credits.Limit, room map[string]int) credits.Limit {
	all := d.searches(now)
	type omitted struct {
		what string
		why  credits.Cause
	}
	of, left := map[string]int{}, map[omitted]int{}
	d.Cover, d.Sweeps, d.Checks = nil, nil, nil
	for _, s := range all {
		of[s.what]++
		switch {
		case room[s.Lane.Name] < s.requests:
			s.entry.Skipped = NoTime.Reason()
		case !budget.Allows(s.billed * s.Lane.Credits):
			s.entry.Skipped = d.Allowance.Why.Reason()
			if s.what != ListChecks {
				d.Waiting = append(d.Waiting, s)
			}
			left[omitted{s.what, d.Allowance.Why}]++
			d.Skipped = append(d.Skipped, s.entry)
			continue
		default:
			room[s.Lane.Name] -= s.requests
			budget = budget.Plus(-s.billed * s.Lane.Credits)
			s.choose()
			continue
		}
		left[omitted{s.what, NoTime}]++
		d.Skipped = append(d.Skipped, s.entry)
	}
	for _, what := range []string{PartitionsOfList, StatusSearches, ListChecks} {
		for _, why := range []credits.Cause{NoTime, d.Allowance.Why} {
			if n := left[omitted{what, why}]; n > 0 {
				d.LeftOut = append(d.LeftOut, LeftOut{what, n, of[what], why})
			}
		}
	}
	return budget
}

// searches returns all searches, the most valuable per credit first.
func (d *Plan) searches(now time.Time) (all []Search) {
	for _, p := range d.Cover {
		all = append(all, Search{Lane: api.ByType, requests: p.Unpaid, billed: p.Unpaid, Worth: p.Worth(),
			choose: func() { d.Cover = append(d.Cover, p) },
			what:   PartitionsOfList, entry: p.Entry(), Partition: p})
	}
	for _, s := range d.Sweeps {
		all = append(all, Search{Lane: api.ByStatus, requests: s.Unpaid, billed: s.Unpaid,
			Worth: Worth(s.Expected, NightsOld(s.At, now)), choose: func() { d.Sweeps = append(d.Sweeps, s) },
			what: StatusSearches, entry: s.Entry(), Sweep: s})
	}
	for _, p := range d.Checks {
		entry := p.Entry()
		entry.Check = true
		all = append(all, Search{Lane: api.ByType, requests: p.Unpaid, billed: p.billed,
			choose: func() { d.Checks = append(d.Checks, p) },
			what:   ListChecks, entry: entry})
	}
	slices.SortStableFunc(all, func(a, b Search) int { return -cmp.Compare(a.Worth, b.Worth) })
	return all
}

// Worth is the value of covering a partition: its vessels times the age of their last coverage in
// nights.
func Worth(expected int, nights float64) float64 {
	if expected < 0 {
		expected = unseenRows
	}
	return float64(expected) * nights
}

// Worth is the value of covering the partition per page that is still to be paid for.
func (p Partition) Worth() float64 { return Worth(p.Expected, p.Nights) / float64(max(1, p.Unpaid)) }

// NightsOld returns the age of a coverage in nights, at most MostNights, which is also the age of none (zero).
func NightsOld(at, now time.Time) float64 {
	if at.IsZero() {
		return MostNights
	}
	return min(MostNights, now.Sub(at).Hours()/24)
}

// fitLookups keeps the positions of watched vessels, the watched numbers that are not known yet, and then
// the lookups with the highest scores, and sets how many the run can make.
func (d *Plan) fitLookups(job Job, f Inputs, budget credits.Limit, room map[string]int) {
	most := math.MaxInt
	if job.Lookup.MaxRequests > 0 {
		most = max(0, job.Lookup.MaxRequests-f.LookedUp)
	}
	if bulk := job.Lookup.Bulk; bulk != nil {
		budget = d.fitBulk(job, f, budget, room[bulk.Name], most)
		most -= (len(d.InBulk) + api.MostInBulk - 1) / api.MostInBulk
	}
	fit := func(due int, o api.Operation, what string) int {
		n, why := room[o.Name], NoTime
		if most < n {
			n, why = most, MostRequests
		}
		d.capacity[o.Name] = n
		if left, limited := budget.Get(); limited && left/o.Credits < n {
			n, why = left/o.Credits, d.Allowance.Why
		}
		if n < due {
			d.LeftOut = append(d.LeftOut, LeftOut{what, due - n, due, why})
		}
		n = min(n, due)
		most, budget = most-n, budget.Plus(-n*o.Credits)
		return n
	}
	o := job.Lookup.Operation()
	d.Positions = best(d.due.positions, fit(len(d.due.positions), PositionAlone, PositionsLeft), f.Targets)
	d.Due = d.due.count()
	n := fit(d.Due, o, LookupsLeft)
	d.Room = d.capacity[o.Name]
	unknown := d.due.unknown[:min(d.Room, len(d.due.unknown))]
	chosen := append(unknown, best(d.due.vessels, min(d.Due, d.Room)-len(unknown), f.Targets)...)
	d.Lookups, d.Further, d.due = chosen[:n:n], chosen[n:], dueLookups{}
}

// count is how many lookups by the operation of the job are due.
func (d dueLookups) count() int { return len(d.vessels) + len(d.unknown) }

// prices prices each lane. Where totals are known the expected price is exact while no vessel
// moves, and requests that a run of the night has answers to cost nothing. The allowance and the
// capacity of the lane bound the most.
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
	list.most = credits.AtMost(list.Credits.Most)
	least := list.Credits.Expected
	list.add(d.Freed)
	if list.Credits.Least = least; unknown {
		list.Credits.Least = 0
		list.most = d.bound(api.ByType)
	}
	o := job.Lookup.Operation()
	lookups := lanePrice{Operation: o, Requests: len(d.Lookups) + d.FreedLookups}
	lookups.Credits = exactly(len(d.Lookups) * o.Credits)
	lookups.Credits.Expected += d.FreedLookups * o.Credits
	lookups.most = credits.AtMost(lookups.Credits.Most)
	if len(job.Lookup.Want) > 0 && len(d.Cover)+len(d.Sweeps) > 0 { // the searches add vessels that they list for the first time
		lookups.most = d.bound(o)
	}
	sweeps := lanePrice{Operation: api.ByStatus}
	for _, s := range d.Sweeps {
		sweeps.Requests += s.Unpaid
	}
	sweeps.Credits = exactly(sweeps.Requests * api.ByStatus.Credits)
	sweeps.most = credits.AtMost(sweeps.Credits.Most)
	sweeps.add(d.Freed)
	list.Credits.Most, _ = list.most.Get()
	lookups.Credits.Most, _ = lookups.most.Get()
	positions := lanePrice{Operation: PositionAlone, Requests: len(d.Positions),
		Credits: exactly(len(d.Positions) * PositionAlone.Credits)}
	positions.most = credits.AtMost(positions.Credits.Most)
	all := []lanePrice{list, sweeps, lookups, positions}
	for _, q := range d.Questions {
		n := len(q.Requests) - q.Carried
		price := lanePrice{Operation: q.Operation.Operation, Requests: n, Credits: exactly(n * q.Operation.Credits)}
		if q.Operation.Ceiling {
			price.Credits.Least = 0 // what the service charges is not documented
		}
		price.most = credits.AtMost(price.Credits.Most)
		all = append(all, price)
	}
	return all
}

// add adds what the night is expected to buy with credits that others leave.
func (l *lanePrice) add(freed []Purchase) {
	for _, p := range freed {
		if p.Lane == l.Operation {
			l.Requests += p.requests
			l.Credits.Expected += p.Pages * p.Lane.Credits
			l.Credits.Most += p.billed * p.Lane.Credits
		}
	}
	if l.Credits.Most > 0 {
		l.most = credits.AtMost(l.Credits.Most)
	}
}

// bound is the most that a lane can spend in any case.
func (d *Plan) bound(o api.Operation) credits.Limit {
	var most credits.Limit
	if n := d.capacity[o.Name]; n < math.MaxInt/api.ByType.Credits {
		most = credits.AtMost(n * o.Credits)
	}
	return most.Tightest(d.Allowance.Limit)
}

func exactly(credits int) journal.Price {
	return journal.Price{Least: credits, Expected: credits, Most: credits}
}

// Total adds the prices of the lanes up. The run may not spend more than Most; 0 if nothing bounds it.
func (d *Plan) Total() journal.Price {
	var t journal.Price
	unbounded := false
	for _, l := range d.Price {
		t.Least, t.Expected, t.Most = t.Least+l.Credits.Least, t.Expected+l.Credits.Expected, t.Most+l.Credits.Most
		_, bounded := l.most.Get()
		unbounded = unbounded || !bounded && l.Credits.Expected > 0
	}
	t.Least, t.Expected = d.Allowance.Limit.Cut(t.Least), d.Allowance.Limit.Cut(t.Expected)
	most := credits.AtMost(t.Most + t.Most/retryShareOfPlan).Tightest(d.Allowance.Limit)
	// Waiting searches are made if others cost less than their price. A plan whose price is 0
	// may still need credits: the answers of the night can reveal pages that no total has announced.
	if unbounded || t.Most == 0 || len(d.Waiting) > 0 {
		most = d.Allowance.Limit
	}
	t.Most, _ = most.Get()
	return t
}

// retryShareOfPlan adds one request in so many to the most, for those whose outcome is unknown and
// that are sent again.
const retryShareOfPlan = 10

// Names of the searches in reports, the LeftOut.What of searches.
const (
	PartitionsOfList = "partitions of the list"
	StatusSearches   = "status searches"
	ListChecks       = "checks for vessels without type or country"
)
