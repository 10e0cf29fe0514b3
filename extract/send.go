package extract

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

const (
	attempts       = 4                // of a request that fails while others are answered, the first included
	attemptsOfBusy = 16               // of one that the service is too busy for, as it may be every second time
	refusals       = 2                // of one whose value is refused
	tooLargeInARow = 3                // answers that are too large, before it is the service that fails and not the requests
	loneWait       = 2 * time.Minute  // before a failing request is given up while no other is left to send
	backoffBase    = time.Second      // full jitter: up to 1, 2, 4 s
	backoffMost    = 30 * time.Second // before any one retry
)

// Send sends an admitted request and returns when its answer is on disk. It retries a request that
// may work later, each time through outage, budget and lane: a few times while others are
// answered, and as long as the patience lasts while none is. Cancelling ctx ends the retries; Send
// waits for a request in flight, within a grace.
//
// It returns an *Error for a request without data, an *OutageError where the patience is over, and
// otherwise the error of ctx, of the budget or of the journal.
func (c *Client) Send(ctx context.Context, ticket Ticket, r api.Request) (Answer, error) {
	g := c.outages[r.Operation.Name]
	var f failures
	renewed := false
	kept := 0 // further tries that credits are kept for
	defer func() { c.budget.Cancel(r.Operation, 0, kept) }()
	for try := 1; ; try++ {
		sent := time.Now()
		a, charge, err := c.attempt(ctx, ticket, r, try)
		var refused *Error
		switch {
		case err != nil && !errors.As(err, &refused): // it was not sent, or its answer is not on disk
			g.notSent(ticket)
			return a, err
		case err == nil:
			c.noteFound(ctx, r, a)
			g.answered(sent)
			return a, nil
		case !renewed && c.keys.renewed(refused):
			renewed = true
			g.answered(sent)
			var not error
			if ticket, not = c.Admit(ctx, r.Operation); not != nil {
				return a, fmt.Errorf("%w; before that: %w", not, err)
			}
			kept = max(0, kept-1)
			try-- // the service did not look at it
			continue
		case refused.Outcome == OutcomeTooLarge && g.failsByItself(ticket):
			return a, err
		case refused.Outcome != OutcomeTooLarge && refused.verdict() != Wait && c.takesForUnknown(ctx, r, refused):
			g.answered(sent)
			return a, err
		}
		c.failed(ctx, ticket, r, sent, refused, charge)
		f.add(g, time.Now())
		if mayRetry(err) {
			kept += furtherTries(try)
		}
		if c.hopeless(refused, f) {
			return a, err
		}
		again := Pause(ctx, rand.N(min(backoffMost, backoffBase<<min(try-1, 10))), nil)
		if again == nil {
			ticket, again = c.Admit(ctx, r.Operation)
		}
		if again == nil {
			kept = max(0, kept-1)
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

// mayRetry reports whether a request failed in a way in which another try may succeed.
func mayRetry(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.verdict() == Wait
}

// furtherTries returns for how many more tries credits are kept after a failed one: after the
// first for all that may follow while others are answered, then in an outage for one at a time.
func furtherTries(try int) int {
	switch {
	case try == 1:
		return attempts - 1
	case try < attempts:
		return 0
	}
	return 1
}

// failures counts the failures of one request.
type failures struct {
	first   time.Time // when the first was received
	all     int
	between int // those after which another request was answered
	answers int // of other requests, at the last of them

	proof time.Time // when a request sent after the first failure had its answer, so that it is no outage, or a past one
	since int       // failures since then
}

func (f *failures) add(g *outage, now time.Time) {
	if f.all++; f.all == 1 {
		f.first, f.answers = now, -1
	}
	if n := g.count(); n != f.answers {
		f.between, f.answers = f.between+1, n
	}
	switch {
	case !f.proof.IsZero():
		f.since++
	case g.answeredAfter(f.first):
		f.proof = now
	}
}

// hopeless reports whether to give a request up:
//
//   - It failed a few times, and others were answered in between.
//   - It still fails some time after a request that was sent later was answered. Where no other
//     request is left, only this distinguishes it from an outage of the operation.
//   - It is the last of its lane, and the free call is answered; and it is a lookup, which the next run
//     can make, so that a longer wait is not worth it, or its answers come and cannot be read, so that
//     it is not the service that is away.
//
// A request with a refused value is given up sooner, and also where no other is sent. One that the
// service is too busy for is retried more often, because that costs nothing, or little.
func (c *Client) hopeless(err *Error, f failures) bool {
	g := c.outages[err.Operation]
	if err.Outcome == OutcomeRejected {
		return f.between >= refusals || g.sameFailsAgain()
	}
	most := attempts
	if err.NotSent || err.Outcome == OutcomeLimited || err.Status == http.StatusServiceUnavailable {
		most = attemptsOfBusy
	}
	return f.between >= most ||
		f.since >= most && time.Since(f.proof) >= loneWait ||
		(g.operation.StandsAlone() || err.cannotBeRead()) && f.all >= most && time.Since(f.first) >= loneWait && g.onlyOneFails()
}

// failed records a request without an answer in the outage and the lane of its operation. A
// request that a stopped run gave up during an outage is no new evidence.
func (c *Client) failed(ctx context.Context, t Ticket, r api.Request, sent time.Time, err *Error, charge journal.Charge) {
	g := c.outages[r.Operation.Name]
	if ctx.Err() != nil && err.Status == 0 && g.away() {
		g.notSent(t)
		return
	}
	first := g.failed(sent, t.probe, r.Key(), err, charge == journal.ChargeUnknown)
	switch lane := c.lanes[r.Operation.Name]; {
	case err.Outcome != OutcomeLimited:
	case first:
		lane.Limited(time.Now(), err.RetryAfter)
	default:
		lane.stillLimited(time.Now(), err.RetryAfter)
	}
}

// once sends a request once, and with a key that is new once more, without waiting for the end of an outage.
func (c *Client) once(ctx context.Context, r api.Request) (a Answer, err error) {
	for renewed := false; ; renewed = true {
		ticket, err := c.reserve(ctx, r.Operation)
		if err != nil {
			return Answer{}, err
		}
		a, _, err = c.attempt(ctx, ticket, r, 1)
		if refused, ok := errors.AsType[*Error](err); !ok || renewed || !c.keys.renewed(refused) {
			return a, c.failedOnce(r, err)
		}
	}
}

// failedOnce takes in the error of a request that is not tried again, and returns it.
func (c *Client) failedOnce(r api.Request, err error) error {
	if mayRetry(err) {
		c.budget.Cancel(r.Operation, 0, furtherTries(1))
	}
	var refused *Error
	if errors.As(err, &refused) && refused.Outcome == OutcomeLimited {
		c.lanes[r.Operation.Name].Limited(time.Now(), refused.RetryAfter)
	}
	return err
}
