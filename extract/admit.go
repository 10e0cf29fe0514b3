package extract

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/fleetlake/fleetlake/extract/api"
)

// Admit waits while the service is away, reserves the most that one request of the operation
// can cost, and waits for the lane. Each Admit that returns nil must be followed by one Send.
func (c *Client) Admit(ctx context.Context, o api.Operation) (Ticket, error) {
	probe, err := c.enter(ctx, o)
	if err != nil {
		return Ticket{}, err
	}
	ticket, err := c.reserve(ctx, o)
	if errors.Is(err, ErrBudget) && c.settleUnknown(ctx) {
		ticket, err = c.reserve(ctx, o)
	}
	if ticket.probe = probe; err != nil {
		c.outages[o.Name].left(ticket)
	}
	return ticket, err
}

// enter waits while the service is away, and returns whether the request is the one that asks
// whether it is back. Where its failure may be billed, the free call asks first; where the service
// knew no vessel any more, one that it knew before.
func (c *Client) enter(ctx context.Context, o api.Operation) (probe bool, err error) {
	for g := c.outages[o.Name]; ; g.missed() {
		probe, err = g.enter(ctx)
		switch {
		case err != nil, !probe:
			return probe, err
		case g.patient() && c.lost(o):
			if c.foundAgain(ctx, o) {
				return true, nil
			}
			continue
		case !g.free():
			return true, nil
		}
		if _, err := c.Balance(ctx); err == nil || Judge(err) != Wait {
			g.answersFreely()
			return true, nil
		}
	}
}

// reserve is an Admit that an outage does not hold.
func (c *Client) reserve(ctx context.Context, o api.Operation) (ticket Ticket, err error) {
	if c.segment.Full() {
		return ticket, fmt.Errorf("no room for another answer: %w", syscall.ENOSPC)
	}
	select {
	case c.seats[o.Name] <- struct{}{}:
	case <-ctx.Done():
		return ticket, ctx.Err()
	}
	if err = c.budget.Reserve(ctx, o.Name, o.Credits); err == nil {
		if ticket, err = c.lanes[o.Name].Wait(ctx); err != nil {
			c.budget.Settle(o.Credits, 0)
		}
	}
	if err != nil {
		<-c.seats[o.Name]
	}
	return ticket, err
}
