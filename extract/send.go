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
	attemptsOfBusy = 16               // where the service says that it is busy: every second answer may be that
	refusals       = 2                // and of one whose value is refused
	loneWait       = 2 * time.Minute  // before a request is given up that fails while no others are left to ask
	backoffBase    = time.Second      // full jitter: up to 1, 2, 4 s
	backoffMost    = 30 * time.Second // before any one retry
)

// Send sends an admitted request and returns when the answer is on disk. What may work
// later it tries again, each time through outage, budget and lane: a few times while others are
// answered, and as long as the patience lasts while none is. Cancelling ctx ends the tries; a
// request in the air is waited for, within a grace.
func (c *Client) Send(ctx context.Context, ticket Ticket, r api.Request) (Answer, error) {
	g := c.outages[r.Operation.Name]
	var f failures
	expected := 0 // credits that are kept for its further tries
	defer func() { c.budget.Release(r.Operation.Name, expected) }()
	for try := 1; ; try++ {
		sent := time.Now()
		a, charge, err := c.attempt(ctx, ticket, r, try)
		var refused *Error
		switch {
		case err != nil && !errors.As(err, &refused): // it was not sent, or its answer is not on disk
			g.left(ticket)
			return a, err
		case err == nil:
			c.known(r, a)
			g.answered(sent)
			return a, nil
		case refused.verdict() != Wait && c.believed(ctx, r, refused):
			g.answered(sent)
			return a, err
		}
		c.failed(ctx, ticket, r, sent, refused, charge)
		f.add(g, time.Now())
		if mayRetry(err) {
			expected += furtherTries(try) * r.Operation.Credits
		}
		if c.hopeless(refused, f) {
			return a, err
		}
		again := pause(ctx, rand.N(min(backoffMost, backoffBase<<min(try-1, 10))))
		if again == nil {
			ticket, again = c.Admit(ctx, r.Operation)
		}
		if again == nil {
			expected = max(0, expected-r.Operation.Credits)
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

// failures are those of one request.
type failures struct {
	first   time.Time // when the first was received
	all     int
	between int // each after another request was answered
	answers int // that others had at the last of them

	proof time.Time // when a request that was sent after the first was seen to be answered: it was no outage, or one that is over
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

// hopeless reports whether a request is not tried again:
//
//   - It failed a few times, and others were answered in between.
//   - It fails still, some time after another that was sent later was answered. Where nothing else is
//     left to ask, only this tells it from an outage of the operation.
//   - It is a lookup and the last of its lane, and the free call is answered: a vessel that is asked
//     for tomorrow is worth no longer wait.
//
// A value that is refused is given up sooner, and also where nothing else is asked. A service that
// says that it is busy for a moment is asked more often: that costs nothing, or little.
func (c *Client) hopeless(err *Error, f failures) bool {
	g := c.outages[err.Operation]
	if err.Outcome == OutcomeRejected {
		return f.between >= refusals || g.repeated()
	}
	most := attempts
	if err.NotSent || err.Outcome == OutcomeLimited || err.Status == http.StatusServiceUnavailable {
		most = attemptsOfBusy
	}
	return f.between >= most ||
		f.since >= attempts && time.Since(f.proof) >= loneWait ||
		g.operation.IsLookup() && f.all >= attempts && time.Since(f.first) >= loneWait && g.alone()
}

// failed holds the operation after a request that got no answer. One that a stopped run gave up
// tells nothing that is not known already.
func (c *Client) failed(ctx context.Context, t Ticket, r api.Request, sent time.Time, err *Error, charge journal.Charge) {
	g := c.outages[r.Operation.Name]
	if ctx.Err() != nil && err.Status == 0 && g.away() {
		g.left(t)
		return
	}
	first := g.failed(sent, t.probe, r.Key(), err, charge == journal.ChargeUnknown)
	switch lane := c.lanes[r.Operation.Name]; {
	case err.Outcome != OutcomeLimited:
	case first:
		lane.Limited(time.Now(), err.RetryAfter)
	default:
		lane.StillLimited(time.Now(), err.RetryAfter)
	}
}

// once sends a request once, whatever state its operation is in.
func (c *Client) once(ctx context.Context, r api.Request) (Answer, error) {
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
