package extract

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
)

const (
	attempts    = 4                // of a request that fails while others are answered, the first included
	refusals    = 2                // and of one whose value is refused
	backoffBase = time.Second      // full jitter: up to 1, 2, 4 s
	backoffMost = 30 * time.Second // before any one retry
)

// Send sends an admitted request and returns when the answer is on disk. What may work
// later it tries again, each time through outage, budget and lane: a few times while others are
// answered, and as long as the patience lasts while none is. Cancelling ctx ends the tries; a
// request in the air is waited for, within a grace.
func (c *Client) Send(ctx context.Context, ticket Ticket, r Request) (Answer, error) {
	g := c.outages[r.Operation.Name]
	failures, answers := 0, -1 // of this request, each after another one was answered
	expected := 0              // credits that are kept for its further tries
	defer func() { c.budget.Release(r.Operation.Name, expected) }()
	for try := 1; ; try++ {
		sent := time.Now()
		a, charge, err := c.attempt(ctx, ticket, r, try)
		var refused *Error
		switch {
		case err != nil && !errors.As(err, &refused): // it was not sent, or its answer is not on disk
			g.left(ticket)
			return a, err
		case err == nil, refused.verdict() != Wait:
			g.answered()
			return a, err
		}
		c.failed(ticket, r, sent, refused, charge)
		if n := g.count(); n != answers {
			failures, answers = failures+1, n
		}
		expected += furtherTries(try) * r.Operation.Credits
		if c.hopeless(refused, failures) {
			return a, err
		}
		again := pause(ctx, rand.N(min(backoffMost, backoffBase<<min(try-1, 10))))
		if again == nil {
			ticket, again = c.Admit(ctx, r.Operation)
		}
		if again == nil {
			expected -= r.Operation.Credits
		}
		var away *OutageError
		switch {
		case errors.As(again, &away):
			return a, again
		case again != nil:
			return a, fmt.Errorf("%w; before that: %w", again, err)
		}
		c.count(r.Operation, func(s *Stats) { s.Retries++ })
	}
}

// mayRetry reports whether a request failed in a way that another try may mend.
func mayRetry(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.verdict() == Wait
}

// furtherTries is for how many tries more than before credits are kept after a failed one: after the
// first for all that may follow while others are answered, and in an outage for one at a time.
func furtherTries(try int) int {
	switch {
	case try == 1:
		return attempts - 1
	case try < attempts:
		return 0
	}
	return 1
}

// hopeless reports whether a request that failed so many times while others were answered is not
// tried again. A value that is refused is given up sooner, and also where nothing else is asked.
func (c *Client) hopeless(err *Error, failures int) bool {
	if err.Outcome == OutcomeRejected {
		return failures >= refusals || c.outages[err.Operation].alone()
	}
	return failures >= attempts
}

// failed holds the operation after a request that got no answer.
func (c *Client) failed(t Ticket, r Request, sent time.Time, err *Error, charge journal.Charge) {
	first := c.outages[r.Operation.Name].failed(sent, t.probe, r.Key(), err, charge == journal.ChargeUnknown)
	switch lane := c.lanes[r.Operation.Name]; {
	case err.Outcome != OutcomeLimited:
	case first:
		lane.Limited(time.Now(), err.RetryAfter)
	default:
		lane.StillLimited(time.Now(), err.RetryAfter)
	}
}

// once sends a request once, whatever state its operation is in.
func (c *Client) once(ctx context.Context, r Request) (Answer, error) {
	ticket, err := c.reserve(ctx, r.Operation)
	if err != nil {
		return Answer{}, err
	}
	a, _, err := c.attempt(ctx, ticket, r, 1)
	if mayRetry(err) {
		c.budget.Release(r.Operation.Name, furtherTries(1)*r.Operation.Credits)
	}
	var refused *Error
	if errors.As(err, &refused) && refused.Outcome == OutcomeLimited {
		c.lanes[r.Operation.Name].Limited(time.Now(), refused.RetryAfter)
	}
	return a, err
}
