package extract

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/fleetlake/fleetlake/extract/api"
)

// ErrBudget says that the next request could cost more than the run may still spend.
var ErrBudget = errors.New("credit budget of the run is spent")

// Budget is what a run may spend, in credits. What is reserved and what is spent together
// never exceed the cap.
//
// A claim keeps credits for an operation that will need them later. It binds only operations
// of a lower rank, so that no two can wait for each other: the pages of a listing come before
// status searches, and both before lookups, which are many and always at hand. What searches
// may still come to need is held from lookups, except for the share that is kept for these.
type Budget struct {
	mu          sync.Mutex
	cap         int // 0 is no cap
	spent       int
	unknown     int // the part of spent that may not have been billed
	doubted     int // credits that were ever unknown
	reserved    int
	claims      map[string]int // by operation name
	forSearches int            // what lookups leave to searches that wait, and to lists that may grow
	waiting     bool           // searches wait for credits
	undecided   bool           // a search gave credits back, and it is not decided yet what for
	forLookups  int            // what searches leave to lookups, those that were made included
	taken       int            // what lookups were given so far
	changed     chan struct{}
}

// rank is the order in which operations come to their credits; those without a place are
// lookups and come last.
var rank = map[string]int{api.ByType.Name: -2, api.ByStatus.Name: -1}

// NewBudget returns a budget of so many credits, of which some are spent. A cap of 0 is none.
func NewBudget(most, spent int) *Budget {
	return &Budget{cap: most, spent: spent, claims: map[string]int{}, changed: make(chan struct{})}
}

// Claim says how many credits an operation still needs, the next request included. It
// replaces the operation's earlier claim.
func (b *Budget) Claim(operation string, credits int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.claims[operation] = credits
	b.wake()
}

// Grant adds to the claim of a search, if nobody else has a claim to the credits.
func (b *Budget) Grant(operation string, credits int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cap > 0 && credits > max(0, b.free()) {
		return false
	}
	b.claims[operation] += credits
	return true
}

// Expect adds to the claim of a search what it needs to ask a second time, whether or not it is
// there: lookups leave it alone until the search has it, or is given up and releases it.
func (b *Budget) Expect(operation string, credits int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if rank[operation] < 0 {
		b.claims[operation] += credits
	}
}

// Release takes credits off a claim of a search: they are not needed after all.
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

// KeepForSearches sets how many credits lookups leave alone beside the claims, and whether searches wait for
// credits. While they do, lookups beyond their share wait too once an outcome was unknown: what
// turns out not to have been billed is for the searches first. What a search gave back is kept from
// lookups until this is called again: the searches that wait come first.
func (b *Budget) KeepForSearches(credits int, waiting bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forSearches, b.waiting, b.undecided = credits, waiting, false
	b.wake()
}

// KeepForLookups sets how many credits no search is granted, because they are for lookups: all those of
// the run together.
func (b *Budget) KeepForLookups(credits int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forLookups = credits
	b.wake()
}

// Taken returns what was reserved for lookups so far.
func (b *Budget) Taken() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.taken
}

// Free returns the credits that a search could be granted now; without a cap they have no end.
func (b *Budget) Free() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cap == 0 {
		return math.MaxInt
	}
	return b.free()
}

func (b *Budget) free() int {
	free := b.cap - b.spent - b.reserved - max(0, b.forLookups-b.taken)
	for _, claim := range b.claims {
		free -= claim
	}
	return free
}

// Reserve sets credits aside for a request. While requests in the air may still turn out
// cheaper than reserved, or others' claims may shrink, it waits; then it returns ErrBudget. What
// is free never waits: a request that holds a reservation may be waiting for its answer.
func (b *Budget) Reserve(ctx context.Context, operation string, credits int) error {
	if credits == 0 {
		return ctx.Err()
	}
	for {
		b.mu.Lock()
		others := b.others(operation, credits)
		fits := b.cap == 0 || credits <= b.cap-b.spent-b.reserved-others
		hope := b.spent+credits <= b.cap && b.reserved+others > 0
		changed := b.changed
		if fits {
			b.reserved += credits
			b.claims[operation] = max(0, b.claims[operation]-credits)
			if rank[operation] == 0 {
				b.taken += credits
			}
		}
		b.mu.Unlock()
		switch {
		case fits:
			return nil
		case !hope:
			return ErrBudget
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// others is what an operation leaves to others.
func (b *Budget) others(operation string, credits int) (n int) {
	for name, claim := range b.claims {
		if rank[name] < rank[operation] {
			n += claim
		}
	}
	if rank[operation] == 0 && b.taken+credits > b.forLookups {
		n += b.forSearches
		if b.waiting && (b.doubted > 0 || b.undecided) {
			n += math.MaxInt / 4
		}
	}
	return n
}

// idle waits until nothing is reserved, and reports whether that came to be.
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

// Settle ends a reservation with what the request is counted as.
func (b *Budget) Settle(reserved, charged int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved -= reserved
	b.spent += charged
	b.wake()
}

// Doubt says that so many of the credits that were settled may not have been billed.
func (b *Budget) Doubt(credits int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unknown += credits
	b.doubted += credits
}

// counted is what a budget counts at one moment, in credits.
type counted struct{ spent, unknown, doubted int }

// counted returns what is counted now.
func (b *Budget) counted() counted {
	b.mu.Lock()
	defer b.mu.Unlock()
	return counted{b.spent, b.unknown, b.doubted}
}

// unbilled returns how many unknown credits were not billed. The balance fell by so many credits;
// at was counted before the balance was asked for. What it fell by beside the known credits is
// the most that was billed of the unknown ones: requests that were in flight, and others who use
// the key, can only make it more.
func (b *Budget) unbilled(at counted, fell int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	billed := max(0, fell-(at.spent-at.unknown)) + b.doubted - at.doubted
	return max(0, b.unknown-billed)
}

// refund takes back unknown credits that were not billed.
func (b *Budget) refund(credits int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unknown -= credits
	b.spent -= credits
	b.wake()
}

// Spent returns the credits spent so far.
func (b *Budget) Spent() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

func (b *Budget) wake() {
	close(b.changed)
	b.changed = make(chan struct{})
}
