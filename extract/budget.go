package extract

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/fleetlake/fleetlake/extract/api"
)

// ErrBudget reports that the next request could cost more than the run may still spend.
var ErrBudget = errors.New("credit budget of the run is spent")

// Budget is what a run may spend, in credits. Reserved and spent credits together never exceed
// the cap. It is safe for concurrent use.
//
// A claim keeps credits for an operation that will need them later. It binds only operations
// of a lower rank, so that no two can wait for each other: the pages of a listing come before
// status searches, and both before lookups, of which there are always more. Lookups also leave
// alone what searches may still need, except for the share that is kept for lookups.
type Budget struct {
	mu              sync.Mutex
	cap             int // 0 is no cap
	spent           int
	unknown         int // the part of spent that may not have been billed
	everUnknown     int // credits that were ever unknown
	reserved        int
	claims          map[string]int // by operation name
	forSearches     int            // what lookups leave for searches that wait, and for lists that may grow
	waiting         bool           // searches wait for credits
	undecided       bool           // a search gave credits back, and which search gets them is not decided yet
	forLookups      int            // what searches leave for lookups, those already made included
	lookupsReserved int            // reserved for lookups so far
	onWait          func()         // called when a lookup begins to wait
	changed         chan struct{}
}

// rank is the order in which operations receive credits; an operation without a rank is a lookup
// and comes last.
var rank = map[string]int{api.ByType.Name: -2, api.ByStatus.Name: -1}

// NewBudget returns a budget with a cap in credits, of which some are already spent. A cap of 0
// is no cap.
func NewBudget(most, spent int) *Budget {
	return &Budget{cap: most, spent: spent, claims: map[string]int{}, onWait: func() {}, changed: make(chan struct{})}
}

// OnWait sets what Reserve calls each time that a lookup begins to wait for credits: whoever keeps them for
// searches, and waits for lookups to end, must not wait for this one. It is set before the first Reserve.
func (b *Budget) OnWait(f func()) { b.onWait = f }

// Claim sets how many credits an operation still needs, the next request included. It
// replaces the operation's earlier claim.
func (b *Budget) Claim(operation string, credits int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.claims[operation] = credits
	b.wake()
}

// Grant adds credits to the claim of a search and returns true, unless others have a claim to
// them.
func (b *Budget) Grant(operation string, credits int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cap > 0 && credits > max(0, b.free()) {
		return false
	}
	b.claims[operation] += credits
	return true
}

// ClaimRetry adds to the claim of a search what it needs to be sent again, even beyond the cap:
// lookups leave these credits alone until the search reserves or releases them. It does nothing
// for a lookup.
func (b *Budget) ClaimRetry(operation string, credits int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if rank[operation] < 0 {
		b.claims[operation] += credits
	}
}

// Release reduces the claim of a search by credits that it does not need after all.
func (b *Budget) Release(operation string, credits int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if credits == 0 {
		return
	}
	b.claims[operation] = max(0, b.claims[operation]-credits)
	b.undecided = true
	b.wake()
}

// KeepForSearches sets how many credits lookups leave alone beside the claims, and whether
// searches wait for credits. While they wait, and once an outcome was unknown, lookups beyond
// their share wait too: credits that turn out not to have been billed go to the searches first.
// Lookups beyond their share also wait, from when a search gave credits back until the next call:
// the searches that wait come first.
func (b *Budget) KeepForSearches(credits int, waiting bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forSearches, b.waiting, b.undecided = credits, waiting, false
	b.wake()
}

// KeepForLookups sets how many credits are for the lookups of the whole run, so that no search is
// granted them.
func (b *Budget) KeepForLookups(credits int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forLookups = credits
	b.wake()
}

// ReservedForLookups returns the credits that were reserved for lookups so far, spent ones included.
func (b *Budget) ReservedForLookups() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lookupsReserved
}

// Free returns the credits that a search could be granted now; math.MaxInt without a cap.
func (b *Budget) Free() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cap == 0 {
		return math.MaxInt
	}
	return b.free()
}

// AtBest returns the credits that searches could be granted if nothing in flight, none of the lookups to come and no
// request of unknown outcome cost any; math.MaxInt without a cap.
func (b *Budget) AtBest() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cap == 0 {
		return math.MaxInt
	}
	best := b.cap - b.spent + b.unknown
	for _, claim := range b.claims {
		best -= claim
	}
	return best
}

// InFlight reports whether credits are reserved for a request.
func (b *Budget) InFlight() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reserved > 0
}

// HasShare reports whether a lookup needs not wait for its credits: they are of the share that is kept for lookups.
func (b *Budget) HasShare(o api.Operation) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lookupsReserved+o.Credits <= b.forLookups && o.Credits <= b.cap-b.spent-b.reserved-b.others(o.Name, o.Credits)
}

func (b *Budget) free() int {
	free := b.cap - b.spent - b.reserved - max(0, b.forLookups-b.lookupsReserved)
	for _, claim := range b.claims {
		free -= claim
	}
	return free
}

// Reserve sets credits aside for a request. It waits while requests in flight may turn out
// cheaper than reserved, or while others' claims may shrink; after that it returns ErrBudget. A
// free call never waits, because a request with a reservation may need its answer.
func (b *Budget) Reserve(ctx context.Context, operation string, credits int) error {
	if credits == 0 {
		return ctx.Err()
	}
	for waits := false; ; {
		b.mu.Lock()
		others := b.others(operation, credits)
		fits := b.cap == 0 || credits <= b.cap-b.spent-b.reserved-others
		hope := b.spent+credits <= b.cap && b.reserved+others > 0
		changed := b.changed
		if fits {
			b.reserved += credits
			b.claims[operation] = max(0, b.claims[operation]-credits)
			if rank[operation] == 0 {
				b.lookupsReserved += credits
			}
		}
		b.mu.Unlock()
		switch {
		case fits:
			return nil
		case !hope:
			return ErrBudget
		case !waits && rank[operation] == 0:
			waits = true
			b.onWait()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// others returns the credits that an operation must leave to others.
func (b *Budget) others(operation string, credits int) (n int) {
	for name, claim := range b.claims {
		if rank[name] < rank[operation] {
			n += claim
		}
	}
	if rank[operation] == 0 && b.lookupsReserved+credits > b.forLookups {
		n += b.forSearches
		if b.waiting && (b.everUnknown > 0 || b.undecided) {
			n += math.MaxInt / 4
		}
	}
	return n
}

// idle waits until nothing is reserved. It returns false if ctx ends before.
func (b *Budget) idle(ctx context.Context) bool {
	for {
		b.mu.Lock()
		idle, changed := b.reserved == 0, b.changed
		b.mu.Unlock()
		if idle {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-changed:
		}
	}
}

// cheaper says that a search has ended and costs less than was reserved for it.
func (b *Budget) cheaper() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.undecided = true
}

// Settle replaces a reservation by the credits that the request is counted as.
func (b *Budget) Settle(reserved, charged int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved -= reserved
	b.spent += charged
	b.wake()
}

// MarkUnknown records that so many of the settled credits may not have been billed.
func (b *Budget) MarkUnknown(credits int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unknown += credits
	b.everUnknown += credits
}

// counted is the count of a budget at one moment, in credits.
type counted struct{ spent, unknown, everUnknown int }

// counted returns the count now.
func (b *Budget) counted() counted {
	b.mu.Lock()
	defer b.mu.Unlock()
	return counted{b.spent, b.unknown, b.everUnknown}
}

// unbilled returns how many credits of unknown outcome were not billed, if the balance fell by
// fell credits; at is the count when the balance was requested. The fall beyond the known credits
// is the most that can have been billed of the unknown ones: requests in flight, and other users
// of the key, only add to it.
func (b *Budget) unbilled(at counted, fell int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	billed := max(0, fell-(at.spent-at.unknown)) + b.everUnknown - at.everUnknown
	return max(0, b.unknown-billed)
}

// refund returns to the budget credits of unknown outcome that were not billed.
func (b *Budget) refund(credits int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unknown -= credits
	b.spent -= credits
	b.wake()
}

func (b *Budget) wake() {
	close(b.changed)
	b.changed = make(chan struct{})
}
