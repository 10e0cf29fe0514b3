package extract

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

const balanceTimeout = 15 * time.Second // the free call is never worth a longer wait

// Balance returns the credits that are left at the service. It sends the free call once, with a short timeout.
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
	left, err := api.ParseBalance(body)
	if err == nil {
		c.balanceRead.Store(true)
	}
	return left, err
}

// Await sends the free calls until one is answered, for as long as the patience lasts, and returns
// the error of the last balance. So nothing that may be billed is sent while the service is away,
// and the opening balance is known, with which later ones are compared.
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
		if _, other := c.ReadAccepted(ctx); other == nil || !time.Now().Before(until) || Pause(ctx, delay, nil) != nil {
			return err // only the balance has no answer, or the time is over
		}
	}
}

// Ping sends the free call once, outside any run and its journal. It returns the balance in
// credits and the service's clock, zero if the answer has no date. Its error is an *Error, or
// that of an answer without a balance.
func Ping(ctx context.Context, s Service) (credits int, clock time.Time, err error) {
	if s.Timeout == 0 {
		s.Timeout = time.Minute
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	c := &Client{service: s, transport: newTransport(s), keys: newKeys(s), large: make(chan struct{}, 1)}
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
	credits, err = api.ParseBalance(string(got.body))
	return credits, got.date, err
}
