package credits

import (
	"slices"

	"github.com/fleetlake/fleetlake/extract/api"
)

// Decision is what follows from the events so far.
type Decision struct {
	Granted []int // searches that may begin, in this order
	Dropped []Drop
}

// Drop is a search that gets no credits, and why.
type Drop struct {
	ID  int
	Why Why
}

// Why is the reason of a drop.
type Why int

// The reasons.
const (
	NoCredits Why = iota // nothing that is still to come can pay for it
	LaneEnded            // its lane sends no more requests
)

// Turn says when a request may be sent.
type Turn int

// The turns.
const (
	Now Turn = iota
	Later
	Never
)

// Decide grants credits to the searches that fit, in their order, and drops those that never will.
func (a *Arbiter) Decide() (d Decision) {
	d.Dropped, a.dropped = a.dropped, nil
	a.blocked = false
	looked, kept := 0, 0
	for ; looked < len(a.waiting) && !a.blocked; looked++ {
		s := a.waiting[looked]
		if a.fits(s.Most) {
			a.grant(s)
			d.Granted = append(d.Granted, s.ID)
			continue
		}
		a.blocked = a.returns > 0 && a.fits(s.Most-a.returns)
		a.waiting[kept] = s
		kept++
	}
	a.waiting = slices.Delete(a.waiting, kept, looked)
	if !a.searched() {
		return d
	}
	a.waiting = slices.DeleteFunc(a.waiting, func(s Search) bool {
		if a.mayFit(s) {
			return false
		}
		d.Dropped = append(d.Dropped, Drop{s.ID, NoCredits})
		return true
	})
	return d
}

func (a *Arbiter) grant(s Search) {
	a.granted[s.Lane.Name] += s.Most
	a.idle[s.Lane] = false
	if s.Returns+s.Grows > 0 {
		a.unsure[s.ID] = s
		a.returns, a.grows = a.returns+s.Returns, a.grows+s.Grows
	}
}

// fits reports whether credits are left that nobody else has a right to.
func (a *Arbiter) fits(credits int) bool {
	return a.limit.Allows(a.counted + a.reserved + a.claims(api.Lookups[0]) + a.kept() + credits)
}

// claims returns the credits that come before those of an operation.
func (a *Arbiter) claims(o api.Operation) (credits int) {
	for _, lane := range slices.Concat(a.questions, api.Searches) {
		if lane == o {
			break
		}
		credits += a.granted[lane.Name]
	}
	return credits
}

// kept returns what is left of the share of lookups, in whole lookups of those that wait.
func (a *Arbiter) kept() (credits int) {
	left := max(0, a.share-a.lookedUp)
	for _, o := range api.Lookups {
		n := min((left-credits)/o.Credits, a.lookups[o.Name])
		credits += n * o.Credits
	}
	return credits
}

// searched reports whether no search is under way, so that every price is known.
func (a *Arbiter) searched() bool {
	return !slices.ContainsFunc(api.Searches, func(lane api.Operation) bool { return !a.idle[lane] && !a.ended[lane] })
}

// mayFit reports whether a search that waits when no other is under way may fit later: lookups may cost less than
// their price, and requests of unknown outcome may not have been billed.
func (a *Arbiter) mayFit(s Search) bool {
	lookups := a.reserved > 0 || slices.ContainsFunc(api.Lookups, func(o api.Operation) bool {
		return a.lookups[o.Name] > 0 && a.limit.Allows(a.counted+a.claims(o)+o.Credits)
	})
	return lookups && a.limit.Allows(a.counted-a.hope()+s.Most) || a.fits(s.Most-a.hope())
}

// hope returns the credits that a balance may still prove not to have been billed.
func (a *Arbiter) hope() int { return a.open - a.lost }

// Waiting reports whether a search of a lane waits for credits.
func (a *Arbiter) Waiting(lane api.Operation) bool {
	return slices.ContainsFunc(a.waiting, func(s Search) bool { return s.Lane == lane })
}

// Pays reports whether a request of an operation could be paid now, beside all that is granted and kept.
func (a *Arbiter) Pays(o api.Operation) bool { return a.fits(o.Credits) }

// Reserve sets credits aside for a request if it is its turn now. Later, it may be, when requests in flight turn out
// cheaper, others leave what was granted to them, or a balance tells; never, if none of this can be enough.
func (a *Arbiter) Reserve(o api.Operation) Turn {
	before, searches := a.claims(o), false
	if o.IsLookup() && o.Credits > a.kept() {
		before += a.grows + a.expected
		searches = a.blocked || slices.ContainsFunc(a.waiting,
			func(s Search) bool { return a.hope() > 0 && a.fits(s.Most-a.hope()) })
	}
	switch {
	case !searches && a.limit.Allows(a.counted+a.reserved+before+o.Credits):
		a.reserve(o)
		return Now
	case a.limit.Allows(a.counted+o.Credits) && (a.reserved+before > 0 || searches),
		a.hope() > 0 && a.limit.Allows(a.counted-a.hope()+o.Credits):
		return Later
	}
	return Never
}

func (a *Arbiter) reserve(o api.Operation) {
	a.reserved += o.Credits
	if o.IsLookup() {
		a.lookedUp += o.Credits
	} else {
		a.setAside(o, -o.Credits)
	}
}

// NeedsOutcomes reports whether something waits that nothing but requests of unknown outcome can pay for, if it turns
// out that they were not billed.
func (a *Arbiter) NeedsOutcomes() bool {
	if a.hope() == 0 || a.reserved > 0 || a.blocked {
		return false
	}
	search := a.searched() && slices.ContainsFunc(a.waiting, func(s Search) bool { return a.fits(s.Most - a.hope()) })
	return search || slices.ContainsFunc(slices.Concat(a.questions, api.Operations), func(o api.Operation) bool {
		return a.wanting[o.Name] > 0 && a.claims(o) == 0 && a.limit.Allows(a.counted-a.hope()+o.Credits)
	})
}
