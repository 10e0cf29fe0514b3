package extract

import (
	"context"
	"errors"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

const balanceMost = 15 * time.Second // the free call is never worth a longer wait

// Balance asks the free call for the credits that are left: once, and not for long. What it shows
// of requests whose outcome was unknown is given back to the budget.
func (c *Client) Balance(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, balanceMost)
	defer cancel()
	a, err := c.once(ctx, api.Request{Operation: api.Credits})
	if err != nil {
		return 0, err
	}
	body, err := a.Entry.RawBody()
	if err != nil {
		return 0, err
	}
	return api.ParseBalance(body)
}

// Await asks the free calls until one is answered, for as long as the patience lasts, and returns
// what became of the balance. While the service is away nothing is asked that it may bill, and
// the first balance is what outcomes that are not known can be settled by.
func (c *Client) Await(ctx context.Context) error {
	until := time.Now().Add(c.service.Patience)
	for delay := probeFirst; ; delay = min(2*delay, probeMost) {
		sent := time.Now()
		_, err := c.Balance(ctx)
		var refused *Error
		switch {
		case err == nil:
			c.outages[api.Credits.Name].answered(sent)
			return nil
		case Judge(err) != Wait || !errors.As(err, &refused):
			return err
		}
		c.outages[api.Credits.Name].failed(sent, false, "", refused, false)
		if _, other := c.ReadAccepted(ctx); other == nil || !time.Now().Before(until) || pause(ctx, delay) != nil {
			return err // only the balance is away, or the time is over
		}
	}
}

// settle notes in the entry of a balance what it shows of requests of unknown outcome: those that
// were not billed are taken back, as negative credits. before was counted before the balance was
// asked for; asked tells whether a priced request had been admitted then.
func (c *Client) settle(e *journal.Entry, body []byte, before counted, asked bool) {
	left, err := api.ParseBalance(body)
	switch {
	case err != nil:
	case c.first != nil:
		if n := c.budget.unbilled(before, *c.first-left); n > 0 {
			e.Credits, e.Charge = -n, journal.ChargeUnknown
		}
	case !asked:
		c.first = &left
	}
}

// before is the balance before the first priced request; nil if it is not known.
func (c *Client) before() *int {
	c.settling.Lock()
	defer c.settling.Unlock()
	return c.first
}

// asked reports whether a priced request was admitted.
func (c *Client) asked() bool {
	c.budget.mu.Lock()
	defer c.budget.mu.Unlock()
	return c.budget.spent+c.budget.reserved > 0 || c.budget.doubted > 0
}

// SettleUnknown asks the balance which requests of unknown outcome were not billed, and gives back
// to the budget what these are counted as.
func (c *Client) SettleUnknown(ctx context.Context) {
	if c.unknown() > 0 {
		c.settleUnknown(ctx)
	}
}

// settleUnknown finds out whether requests of unknown outcome were billed, when the budget is
// spent only if they were, and reports whether credits came free. What is in flight may be billed
// already and hide it, so it asks again when nothing is. While the service is away it asks again
// after growing delays, for as long as the patience lasts.
func (c *Client) settleUnknown(ctx context.Context) bool {
	if c.before() == nil {
		return false // the balance has nothing to be compared with
	}
	until, idle := time.Now().Add(c.service.Patience), false
	for delay := probeFirst; c.unknown() > 0; {
		before := c.unknown()
		_, err := c.Balance(ctx)
		switch {
		case err == nil && c.unknown() < before:
			return true
		case err == nil && (idle || !c.budget.idle(ctx)):
			return false
		case err == nil:
			idle = true
		case Judge(err) != Wait || !time.Now().Before(until) || pause(ctx, delay) != nil:
			return false
		default:
			delay = min(2*delay, probeMost)
		}
	}
	return true
}

// unknown returns the credits that are counted as spent and may not have been billed.
func (c *Client) unknown() int { return c.budget.counted().unknown }
