package extract

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

const balanceTimeout = 15 * time.Second // the free call is never worth a longer wait

// Balance returns the credits that are left at the service. It sends the free call once, with a
// short timeout. Where the balance proves that requests of unknown outcome were not billed, their
// credits return to the budget. Errors are those of Admit and Send.
func (c *Client) Balance(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, balanceTimeout)
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

// Await sends the free calls until one is answered, for as long as the patience lasts, and returns
// the error of the last balance. So nothing that may be billed is sent while the service is away,
// and the opening balance is known, by which requests of unknown outcome can be settled later.
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
			return err // only the balance has no answer, or the time is over
		}
	}
}

// settle computes from a balance which credits of unknown outcome were not billed, and records
// them in its entry as negative credits. before is the count of the budget when the balance was
// requested; asked reports whether a priced request had been admitted by then.
func (c *Client) settle(e *journal.Entry, body []byte, before counted, asked bool) {
	left, err := api.ParseBalance(body)
	switch {
	case err != nil:
	case c.openingBalance != nil:
		if n := c.budget.unbilled(before, *c.openingBalance-left); n > 0 {
			e.Credits, e.Charge = -n, journal.ChargeUnknown
		}
	case !asked:
		c.openingBalance = &left
	}
}

// balanceBefore is the balance before the first priced request; nil if it is not known.
func (c *Client) balanceBefore() *int {
	c.settling.Lock()
	defer c.settling.Unlock()
	return c.openingBalance
}

// anyPriced reports whether a priced request was admitted.
func (c *Client) anyPriced() bool {
	c.budget.mu.Lock()
	defer c.budget.mu.Unlock()
	return c.budget.spent+c.budget.reserved > 0 || c.budget.everUnknown > 0
}

// SettleUnknown compares the balance with the budget, where requests of unknown outcome count as
// spent, and returns to the budget the credits of those that were not billed.
func (c *Client) SettleUnknown(ctx context.Context) {
	if c.unknown() > 0 {
		c.settleUnknown(ctx)
	}
}

// settleUnknown finds out whether requests of unknown outcome were billed, and reports whether
// credits returned to the budget. A request in flight may be billed already and hide one that was
// not, so it asks again when nothing is in flight. While the service is away it asks again after
// growing delays, for as long as the patience lasts.
func (c *Client) settleUnknown(ctx context.Context) bool {
	if c.balanceBefore() == nil {
		return false // there is no earlier balance to compare with
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

// Ping sends the free call once, outside any run and its journal. It returns the balance in
// credits and the service's clock, zero if the answer has no date. Its error is an *Error, or
// that of an answer without a balance.
func Ping(ctx context.Context, s Service) (credits int, clock time.Time, err error) {
	if s.Timeout == 0 {
		s.Timeout = time.Minute
	}
	c := &Client{service: s, transport: newTransport(s), redactor: newRedactor(s.Key), large: make(chan struct{}, 1)}
	got, err := c.exchange(ctx, api.Request{Operation: api.Credits})
	defer got.release()
	if err != nil {
		return 0, clock, &Error{Operation: api.Credits.Name, Outcome: OutcomeNetwork, Message: err.Error(), NotSent: got.notSent}
	}
	if got.status != http.StatusOK {
		words := api.Message(got.body)
		name, _ := outcome(api.Credits, got.status, words)
		return 0, got.date, &Error{Operation: api.Credits.Name, Outcome: name, Status: got.status, Message: words}
	}
	credits, err = api.ParseBalance(got.body)
	return credits, got.date, err
}
