package extract

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
)

const (
	attempts    = 4                // of one request, the first included
	retryShare  = 10               // one request in so many may be a retry
	retryFloor  = 3                // and so many more, for short runs
	backoffBase = time.Second      // full jitter: up to 1, 2, 4 s
	backoffMost = 30 * time.Second // before any one retry
)

// Client sends requests within the lanes and the budget and keeps every answer in the
// segment. It is safe for concurrent use.
type Client struct {
	service Service
	http    *http.Client
	lanes   map[string]*Lane
	budget  *Budget
	segment *journal.Segment

	mu    sync.Mutex
	stats map[string]*Stats
}

// Stats counts the work of one operation.
type Stats struct {
	Requests int // sent, retries included
	Answers  int // with data, even if the data are none
	Retries  int
	Limited  int // 429
	Credits  int // as counted
	Unknown  int // the part of Credits that may not have been billed
}

// NewClient returns a client of a service that spends from the budget and writes into the
// segment.
func NewClient(s Service, b *Budget, segment *journal.Segment) *Client {
	s.MaxInFlight = s.InFlight()
	if s.Timeout == 0 {
		s.Timeout = time.Minute
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	c := &Client{service: s, http: newHTTP(s), budget: b, segment: segment, lanes: map[string]*Lane{}, stats: map[string]*Stats{}}
	for _, o := range Operations {
		c.lanes[o.Name] = NewLane(s.PerMinute(o))
		c.stats[o.Name] = &Stats{}
	}
	return c
}

func (c *Client) now() time.Time { return c.service.Now().UTC() }

// Lane returns the lane of an operation.
func (c *Client) Lane(o Operation) *Lane { return c.lanes[o.Name] }

// Stats returns the counts of an operation so far.
func (c *Client) Stats(o Operation) Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return *c.stats[o.Name]
}

// Do admits a request and sends it.
func (c *Client) Do(ctx context.Context, r Request) (Answer, error) {
	ticket, err := c.Admit(ctx, r.Operation)
	if err != nil {
		return Answer{}, err
	}
	return c.Send(ctx, ticket, r)
}

// Admit waits for the lane and reserves the most that one request of the operation can
// cost. Each Admit that returns nil must be followed by one Send.
func (c *Client) Admit(ctx context.Context, o Operation) (Ticket, error) {
	if c.segment.Full() {
		return Ticket{}, fmt.Errorf("no room for another answer: %w", syscall.ENOSPC)
	}
	if err := c.budget.Reserve(ctx, o.Name, o.Credits); err != nil {
		return Ticket{}, err
	}
	ticket, err := c.lanes[o.Name].Wait(ctx)
	if err != nil {
		c.budget.Settle(o.Credits, 0)
	}
	return ticket, err
}

// Send sends an admitted request and returns when the answer is on disk. What may work
// later it tries again, each time through budget and lane. Cancelling ctx ends the tries;
// a request in the air is waited for.
func (c *Client) Send(ctx context.Context, ticket Ticket, r Request) (Answer, error) {
	for try := 1; ; try++ {
		a, err := c.attempt(ctx, ticket, r, try)
		if err == nil || Judge(err) != Wait || try == attempts || !c.mayRetry(r.Operation) {
			return a, err
		}
		if pause(ctx, rand.N(min(backoffMost, backoffBase<<(try-1)))) != nil {
			return a, err
		}
		var again error
		if ticket, again = c.Admit(ctx, r.Operation); again != nil {
			return a, errors.Join(again, err)
		}
		c.count(r.Operation, func(s *Stats) { s.Retries++ })
	}
}

// attempt sends an admitted request once: intent, send, answer, settle.
func (c *Client) attempt(ctx context.Context, ticket Ticket, r Request, try int) (Answer, error) {
	e := journal.Entry{Kind: journal.KindAnswer, Operation: r.Operation.Name, Parameters: r.Parameters.Encode()}
	ctx, land, err := c.service.Brake.takeOff(ctx)
	if err == nil {
		defer land()
		err = c.intend(r, &e)
	}
	if err != nil {
		c.lanes[r.Operation.Name].Done(ticket, time.Now())
		c.budget.Settle(r.Operation.Credits, 0)
		return Answer{}, err
	}
	ctx, span := traced(ctx, r.Operation, try)
	e.Sent = c.now()
	reply, err := c.exchange(ctx, r)
	e.Received = c.now()
	c.lanes[r.Operation.Name].Done(ticket, time.Now())

	a, err := c.judge(ctx, r, reply, err, &e)
	e.At = c.now()
	kept, broken := c.segment.Append(e)
	c.budget.Settle(r.Operation.Credits, e.Credits)
	c.settled(r, e)
	told(span, kept, err, broken)
	if broken != nil {
		return Answer{}, broken
	}
	a.Entry = kept
	return a, err
}

// intend writes the intent of a priced request. The free call needs none.
func (c *Client) intend(r Request, e *journal.Entry) error {
	if r.Operation.Name == Credits.Name {
		e.Kind = journal.KindBalance
		return nil
	}
	intent, err := c.segment.Append(journal.Entry{Kind: journal.KindIntent, At: c.now(),
		Operation: e.Operation, Parameters: e.Parameters, Credits: r.Operation.Credits})
	e.Intent = intent.N
	return err
}

// judge fills the entry with what came, what it means and what it cost.
func (c *Client) judge(ctx context.Context, r Request, reply reply, failed error, e *journal.Entry) (Answer, error) {
	e.Status = reply.status
	e.SetBody(reply.body)
	var err *Error
	a := Answer{Total: -1}
	switch {
	case failed != nil:
		e.Error = failed.Error()
		err = &Error{Outcome: OutcomeNetwork, Message: failed.Error(), NotSent: reply.notSent}
		if errors.Is(failed, errBodyTooLarge) {
			err.Outcome = OutcomeUnreadable
		}
	case r.probe && reply.status == http.StatusUnprocessableEntity:
		e.Outcome, e.Charge = OutcomeProbe, journal.ChargeFree
		return a, nil
	case reply.status == http.StatusOK:
		var unread error
		if a, unread = read(r.Operation, reply.body); unread != nil {
			err = &Error{Outcome: OutcomeUnreadable, Message: unread.Error()}
		}
	default:
		err = c.refusal(ctx, r.Operation, reply)
	}
	if err == nil {
		e.Outcome = OutcomeOK
		if a.Rows == 0 && r.Operation.Name != Credits.Name {
			e.Outcome = OutcomeEmpty
		}
		e.Credits, e.Charge = price(r.Operation, e, a.Rows)
		return a, nil
	}
	err.Operation, err.Status = r.Operation.Name, reply.status
	e.Outcome = err.Outcome
	e.Credits, e.Charge = charge(r.Operation, err)
	return a, err
}

// refusal names an error status. Where one status stands for no credits and for a blocked
// operation alike, the free balance tells them apart.
func (c *Client) refusal(ctx context.Context, o Operation, reply reply) *Error {
	words := message(reply.body)
	name, unsure := outcome(o, reply.status, words)
	if unsure && o.Name != Credits.Name {
		if left, err := c.Balance(ctx); err == nil && left < o.Credits {
			name = OutcomeNoCredits
		}
	}
	if name == OutcomeLimited {
		c.lanes[o.Name].Limited(time.Now(), reply.retryAfter)
	}
	return &Error{Outcome: name, Message: words, RetryAfter: reply.retryAfter}
}

// Balance asks the free call for the credits that are left.
func (c *Client) Balance(ctx context.Context) (int, error) {
	a, err := c.Do(ctx, Request{Operation: Credits})
	if err != nil {
		return 0, err
	}
	body, err := a.Entry.RawBody()
	if err != nil {
		return 0, err
	}
	return ParseBalance(body)
}

// price is what an answer with data costs by the interface text: a page of the type/country
// search only when it holds a vessel, everything else always.
func price(o Operation, e *journal.Entry, rows int) (int, journal.Charge) {
	if o.Credits == 0 || (o.Name == ByType.Name && rows == 0) {
		return 0, journal.ChargeFree
	}
	return o.Credits, journal.ChargePriced
}

// charge is what a request without data counts as. Refusals of key and values are free by
// the interface text, and so is a list that is not returned because the database is away; of
// other refusals it says nothing, and they are taken as free. What broke off, on the way or in
// the service, or is not what was promised, may have been billed and counts as spent.
func charge(o Operation, err *Error) (int, journal.Charge) {
	switch {
	case o.Credits == 0, err.NotSent, err.Outcome == OutcomeUnauthorized, err.Status == http.StatusUnprocessableEntity,
		err.Status == http.StatusServiceUnavailable && o.Name == ByType.Name:
		return 0, journal.ChargeFree
	case err.Status >= 300 && err.Status < 500:
		return 0, journal.ChargeAssumed
	}
	return o.Credits, journal.ChargeUnknown
}

// settled counts an answer.
func (c *Client) settled(r Request, e journal.Entry) {
	c.count(r.Operation, func(s *Stats) {
		s.Requests++
		s.Credits += e.Credits
		switch {
		case e.OK():
			s.Answers++
		case e.Outcome == OutcomeLimited:
			s.Limited++
		}
		if e.Charge == journal.ChargeUnknown {
			s.Unknown += e.Credits
		}
	})
}

// mayRetry holds retries to a tenth of the requests.
func (c *Client) mayRetry(o Operation) bool {
	s := c.Stats(o)
	return s.Retries < s.Requests/retryShare+retryFloor
}

func (c *Client) count(o Operation, f func(*Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(c.stats[o.Name])
}

// pause waits, or returns ctx's error.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Inherit takes over the slots of a request that an earlier process sent.
func (c *Client) Inherit(e journal.Entry) {
	lane, ok := c.lanes[e.Operation]
	switch {
	case !ok:
	case e.Kind == journal.KindIntent: // it may have been sent just after
		lane.Inherit(e.At, e.At)
	case e.Kind == journal.KindAnswer, e.Kind == journal.KindBalance:
		lane.Inherit(e.Sent, e.Received)
	}
}
