package extract

import (
	"context"

	"github.com/fleetlake/fleetlake/extract/api"
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
func (c *Client) credits() int { return c.budget.credits() }

// credits are those that were spent so far.
func (b *Budget) credits() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}
