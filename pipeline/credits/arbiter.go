package credits

import (
	"cmp"
	"slices"

	"github.com/fleetlake/fleetlake/extract/api"
)

// Search is a search that asks for credits: a partition, a status search, a check, or the rest of a partition that
// is longer than planned.
type Search struct {
	ID      int
	Lane    api.Operation
	Planned bool    // it is in the plan, and comes before those that the plan left out, in the order of the plan
	Most    int     // credits
	Worth   float64 // per credit
	Returns int     // the part of Most that may come back, until its first page is answered
	Grows   int     // what it may need beyond Most, until its first page is answered
}

// Arbiter decides which request of a run gets the next credit. Each event of a harvest is a call; Decide returns
// what follows from those so far, and Reserve whether a request may be sent. It holds to this:
//
//   - What is counted as spent and what requests in flight may cost at most never exceed the limit together.
//   - The searches of the plan come first, then the others, the most valuable per credit first. While a search may
//     still fit because others may turn out cheaper, no lesser one gets credits.
//   - Searches come before lookups. A share is kept for lookups that wait. Lookups beyond it leave alone what
//     searches were granted or may still need, what a search needs to be sent again, and what would pay for a
//     search that waits if it turned out not to have been billed.
//   - No two wait for each other: the list waits only for requests in flight, status searches for the list too, and
//     lookups for both.
//   - Nothing waits for ever: a search is dropped, and a reservation refused, when nothing that is still to come can
//     pay for it.
type Arbiter struct {
	limit    Limit
	counted  int            // as the account counts it
	open     int            // the part of counted that a balance may prove not to have been billed
	lost     int            // the part of open of which no balance will tell
	reserved int            // the most that requests in flight cost
	granted  map[string]int // by search: not reserved yet, and kept for further tries, even beyond the limit

	share    int            // credits of the run that searches leave to lookups
	lookedUp int            // credits that were reserved for lookups
	lookups  map[string]int // lookups that wait, by operation
	wanting  map[string]int // reservations that wait

	questions []api.Operation // whose requests the plan has set credits aside for: they come before the searches

	waiting  []Search // in the order in which they get credits
	unsure   map[int]Search
	returns  int  // of all that are unsure
	grows    int  // of all that are unsure
	expected int  // credits for checks that are not asked yet
	blocked  bool // a search waits that may still fit, because others may turn out cheaper
	idle     map[api.Operation]bool
	ended    map[api.Operation]bool
	dropped  []Drop
}

// NewArbiter returns the arbiter of a run that may spend so much, and that keeps a share of it for lookups.
func NewArbiter(limit Limit, share int) *Arbiter {
	return &Arbiter{limit: limit, share: share, granted: map[string]int{}, lookups: map[string]int{}, wanting: map[string]int{},
		unsure: map[int]Search{}, idle: map[api.Operation]bool{}, ended: map[api.Operation]bool{}}
}

// Ask adds a search that waits for credits.
func (a *Arbiter) Ask(s Search) {
	if a.ended[s.Lane] {
		a.dropped = append(a.dropped, Drop{s.ID, LaneEnded})
		return
	}
	i, _ := slices.BinarySearchFunc(a.waiting, s, func(other, s Search) int {
		switch {
		case other.Planned != s.Planned && s.Planned:
			return 1
		case other.Planned != s.Planned, s.Planned:
			return -1
		}
		return cmp.Or(-cmp.Compare(other.Worth, s.Worth), -1) // behind those of the same value
	})
	a.waiting = slices.Insert(a.waiting, i, s)
}

// SetAside keeps credits for the questions that a plan asks by an operation, before all searches.
func (a *Arbiter) SetAside(o api.Operation, credits int) {
	a.questions = append(a.questions, o)
	a.granted[o.Name] += credits
}

// Expect sets how many credits the checks will ask for that follow a complete list.
func (a *Arbiter) Expect(credits int) { a.expected = credits }

// Priced says that the first page of a search is answered, so that nothing of its price is open any more.
func (a *Arbiter) Priced(id int) {
	if s, ok := a.unsure[id]; ok {
		a.returns, a.grows = a.returns-s.Returns, a.grows-s.Grows
		delete(a.unsure, id)
	}
}

// Fewer returns credits that a search was granted and does not need.
func (a *Arbiter) Fewer(lane api.Operation, credits int) { a.setAside(lane, -credits) }

// Again keeps credits for further tries of a search that failed, even beyond the limit; below 0 it returns those of
// tries that will not be made. Nothing is kept for a lookup that failed: it waits like any other.
func (a *Arbiter) Again(o api.Operation, tries int) { a.setAside(o, tries*o.Credits) }

func (a *Arbiter) setAside(lane api.Operation, credits int) {
	if !a.ended[lane] {
		a.granted[lane.Name] = max(0, a.granted[lane.Name]+credits)
	}
}

// Idle says whether a search lane has no request that waits or is in flight.
func (a *Arbiter) Idle(lane api.Operation, idle bool) {
	if a.idle[lane] = idle; idle {
		a.forget(lane)
	}
}

// Ended says that a search lane sends no more requests.
func (a *Arbiter) Ended(lane api.Operation) {
	a.ended[lane] = true
	a.forget(lane)
	a.waiting = slices.DeleteFunc(a.waiting, func(s Search) bool {
		if s.Lane == lane {
			a.dropped = append(a.dropped, Drop{s.ID, LaneEnded})
		}
		return s.Lane == lane
	})
}

// forget returns what a lane was granted: no request of it is left.
func (a *Arbiter) forget(lane api.Operation) {
	a.granted[lane.Name] = 0
	for id, s := range a.unsure {
		if s.Lane == lane {
			a.Priced(id)
		}
	}
}

// Lookups says how many lookups of an operation wait to be sent.
func (a *Arbiter) Lookups(o api.Operation, waiting int) { a.lookups[o.Name] = waiting }

// Waits says that so many more reservations of an operation wait, fewer if below 0.
func (a *Arbiter) Waits(o api.Operation, more int) { a.wanting[o.Name] += more }

// Count takes over what the account counts as spent, and how much of it a balance may prove not to have been billed.
func (a *Arbiter) Count(counted, open int) {
	a.counted, a.open, a.lost = counted, open, min(a.lost, open)
}

// Answered replaces a reservation by what the account counts now.
func (a *Arbiter) Answered(o api.Operation, counted, open int) {
	a.reserved -= o.Credits
	a.Count(counted, open)
}

// Cancel returns a reservation of a request that was not sent.
func (a *Arbiter) Cancel(o api.Operation) {
	a.reserved -= o.Credits
	if o.IsLookup() {
		a.lookedUp -= o.Credits
	}
}

// NoOutcome says that no balance will tell of the requests of unknown outcome so far.
func (a *Arbiter) NoOutcome() { a.lost = a.open }
