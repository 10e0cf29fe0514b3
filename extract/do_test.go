package extract

import (
	"context"
	"sync"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// do admits a request and sends it. Its errors are those of Admit and Send.
func (c *Client) do(ctx context.Context, r api.Request) (Answer, error) {
	ticket, err := c.Admit(ctx, r.Operation)
	if err != nil {
		return Answer{}, err
	}
	return c.Send(ctx, ticket, r)
}

// credits are those that the client has spent so far.
func (c *Client) credits() int {
	b := c.budget.(*capped)
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// capped is a budget with a cap for all operations alike; 0 is none.
type capped struct {
	mu                    sync.Mutex
	most, spent, reserved int
	changed               chan struct{}
}

func newCap(most int) *capped { return &capped{most: most, changed: make(chan struct{})} }

func (b *capped) Reserve(ctx context.Context, o api.Operation) error {
	for {
		b.mu.Lock()
		fits, hopes, changed := b.most == 0 || b.spent+b.reserved+o.Credits <= b.most, b.spent+o.Credits <= b.most, b.changed
		if fits {
			b.reserved += o.Credits
		}
		b.mu.Unlock()
		switch {
		case fits:
			return nil
		case !hopes:
			return ErrBudget
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

func (b *capped) Count(o api.Operation, e journal.Entry, _ int) {
	if e.Kind == journal.KindAnswer {
		b.settle(o.Credits, e.Credits)
	}
}

func (b *capped) Cancel(o api.Operation, requests, _ int) { b.settle(requests*o.Credits, 0) }

func (b *capped) settle(reserved, spent int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved, b.spent = b.reserved-reserved, b.spent+spent
	close(b.changed)
	b.changed = make(chan struct{})
}
