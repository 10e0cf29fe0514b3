package extract

import (
	"context"
	"errors"
	"sync"
)

// ErrBudget says that the next request could cost more than the run may still spend.
var ErrBudget = errors.New("credit budget of the run is spent")

// Budget is what a run may spend, in credits. What is reserved and what is spent together
// never exceed the cap.
//
// A claim keeps credits for an operation that will need them later. It binds only operations
// of a lower rank, so that no two can wait for each other: the pages of a listing come before
// status searches, and both before lookups, which are many and always at hand.
type Budget struct {
	mu       sync.Mutex
	cap      int // 0 is no cap
	spent    int
	reserved int
	claims   map[string]int // by operation name
	changed  chan struct{}
}

// rank is the order in which operations come to their credits; those without a place come last.
var rank = map[string]int{ByType.Name: -2, ByStatus.Name: -1}

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

// Reserve sets credits aside for a request. While requests in the air may still turn out
// cheaper than reserved, or others' claims may shrink, it waits; then it returns ErrBudget. What
// is free never waits: a request that holds a reservation may be waiting for its answer.
func (b *Budget) Reserve(ctx context.Context, operation string, credits int) error {
	if credits == 0 {
		return ctx.Err()
	}
	for {
		b.mu.Lock()
		others := 0
		for name, claim := range b.claims {
			if rank[name] < rank[operation] {
				others += claim
			}
		}
		fits := b.cap == 0 || b.spent+b.reserved+others+credits <= b.cap
		hope := b.spent+credits <= b.cap && b.reserved+others > 0
		changed := b.changed
		if fits {
			b.reserved += credits
			b.claims[operation] = max(0, b.claims[operation]-credits)
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

// Settle ends a reservation with what the request is counted as.
func (b *Budget) Settle(reserved, charged int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved -= reserved
	b.spent += charged
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
