package extract

import (
	"context"
	"time"
)

const balanceMost = 15 * time.Second // the free call is never worth a longer wait

// Balance asks the free call for the credits that are left: once, and not for long. What it shows
// of requests whose outcome was unknown is given back to the budget.
func (c *Client) Balance(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, balanceMost)
	defer cancel()
	before, asked := c.budget.counted(), c.asked()
	a, err := c.once(ctx, Request{Operation: Credits})
	if err != nil {
		return 0, err
	}
	body, err := a.Entry.RawBody()
	if err != nil {
		return 0, err
	}
	left, err := ParseBalance(body)
	if err != nil {
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.first != nil:
		c.budget.correct(before, *c.first-left)
	case !asked:
		c.first = &left
	}
	return left, nil
}

// asked reports whether a priced request was admitted.
func (c *Client) asked() bool {
	c.budget.mu.Lock()
	defer c.budget.mu.Unlock()
	return c.budget.spent+c.budget.reserved > 0 || c.budget.doubted > 0
}

// settleUnknown finds out whether requests of unknown outcome were billed, when the budget is
// spent only if they were, and reports whether credits came free. While the service is away it
// asks again after growing delays, for as long as the patience lasts.
func (c *Client) settleUnknown(ctx context.Context) bool {
	until := time.Now().Add(c.service.Patience)
	for delay := probeFirst; c.unknown() > 0; delay = min(2*delay, probeMost) {
		before := c.unknown()
		_, err := c.Balance(ctx)
		if err == nil {
			return c.unknown() < before
		}
		if Judge(err) != Wait || !time.Now().Before(until) || pause(ctx, delay) != nil {
			return false
		}
	}
	return true
}

// unknown returns the credits that are counted as spent and may not have been billed.
func (c *Client) unknown() int { return c.budget.counted().unknown }
