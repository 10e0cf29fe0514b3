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
type Budget struct {
	mu       sync.Mutex
	cap      int // 0 is no cap
	spent    int
	reserved int
	changed  chan struct{}
}

// NewBudget returns a budget of so many credits, of which some are spent. A cap of 0 is none.
func NewBudget(most, spent int) *Budget {
	return &Budget{cap: most, spent: spent, changed: make(chan struct{})}
}

// Reserve sets credits aside for a request. While requests in the air may still turn out
// cheaper than reserved it waits for them; then it returns ErrBudget.
func (b *Budget) Reserve(ctx context.Context, credits int) error {
	for {
		b.mu.Lock()
		fits := b.cap == 0 || b.spent+b.reserved+credits <= b.cap
		hope := b.spent+credits <= b.cap && b.reserved > 0
		changed := b.changed
		if fits {
			b.reserved += credits
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
	close(b.changed)
	b.changed = make(chan struct{})
}

// Spent returns the credits spent so far.
func (b *Budget) Spent() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}
