package extract

import (
	"context"
	"fmt"

	"github.com/fleetlake/fleetlake/extract/api"
)

// Admit waits while the service is away, reserves the most that one request of the operation
// can cost, and waits for the lane. A caller sends the ticket of each Admit that returns nil
// with one Send. It returns ErrBudget where the budget does not suffice, an *OutageError where
// the patience is over, an error of ENOSPC where the disk is full, or the error of ctx.
func (c *Client) Admit(ctx context.Context, o api.Operation) (Ticket, error) {
	probe, err := c.enter(ctx, o)
	if err != nil {
		return Ticket{}, err
	}
	ticket, err := c.reserve(ctx, o)
	if ticket.probe = probe; err != nil {
		c.outages[o.Name].notSent(ticket)
	}
	return ticket, err
}

// enter waits while the service is away, and reports whether the request is the probe that finds
// out whether it is back. The free call goes first where a failed probe may be billed; where the
// service stopped finding vessels, a lookup of a vessel that it found before goes first.
func (c *Client) enter(ctx context.Context, o api.Operation) (probe bool, err error) {
	for g := c.outages[o.Name]; ; g.freeCallFailed() {
		probe, err = g.enter(ctx)
		switch {
		case err != nil, !probe:
			return probe, err
		case g.withinPatience() && c.findsNone(ctx, o):
			if c.foundAgain(ctx, o) {
				return true, nil
			}
			continue
		case !g.needsFreeCall():
			return true, nil
		}
		if _, err := c.Balance(ctx); err == nil || Judge(err) != Wait {
			g.freeCallAnswered()
			return true, nil
		}
	}
}

// reserve is Admit without the wait for the end of an outage. It takes a place in flight before
// the credits and the lane, so that no credits are reserved for a request that cannot be sent.
func (c *Client) reserve(ctx context.Context, o api.Operation) (ticket Ticket, err error) {
	if err := c.canKeep(); err != nil {
		return ticket, err
	}
	select {
	case c.inFlight[o.Name] <- struct{}{}:
	case <-ctx.Done():
		return ticket, ctx.Err()
	}
	if o.Credits > 0 { // the free call never waits for credits: a request that has them may need its answer
		err = c.budget.Reserve(ctx, o)
	}
	if err == nil {
		if ticket, err = c.lanes[o.Name].Wait(ctx); err != nil {
			c.budget.Cancel(o, 1, 0)
		}
	}
	if err != nil {
		<-c.inFlight[o.Name]
	}
	return ticket, err
}

// canKeep returns why an answer could not be kept: the disk is full, or the journal is no longer in its place.
func (c *Client) canKeep() error {
	if err := c.segment.Full(); err != nil {
		return fmt.Errorf("no room for another answer: %w", err)
	}
	return c.segment.InPlace()
}
