package extract

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
)

const (
	attempts    = 4                // of a request that fails while others are answered, the first included
	refusals    = 2                // and of one whose value is refused
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

	outages  map[string]*outage
	seats    map[string]chan struct{} // of the requests of an operation that are in the air
	redactor *strings.Replacer
	large    chan struct{} // turns of large bodies

	mu    sync.Mutex
	stats map[string]*Stats

	settling sync.Mutex // held from reading a balance until what it shows is on disk
	first    *int       // the balance before the first priced request; nil if it is not known
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
	if s.Patience == 0 {
		s.Patience = DefaultPatience
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	c := &Client{service: s, http: newHTTP(s), budget: b, segment: segment, lanes: map[string]*Lane{}, stats: map[string]*Stats{},
		outages: map[string]*outage{}, seats: map[string]chan struct{}{}, redactor: newRedactor(s.Key), large: make(chan struct{}, largeBodies)}
	for _, o := range Operations {
		c.outages[o.Name] = newOutage(o, s.Patience, s.Log)
		c.seats[o.Name] = make(chan struct{}, s.MaxInFlight)
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

// Admit waits while the service is away, reserves the most that one request of the operation
// can cost, and waits for the lane. Each Admit that returns nil must be followed by one Send.
func (c *Client) Admit(ctx context.Context, o Operation) (Ticket, error) {
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
// whether it is back. Where its failure may be billed, the free call asks first.
func (c *Client) enter(ctx context.Context, o Operation) (probe bool, err error) {
	for g := c.outages[o.Name]; ; g.missed() {
		if probe, err = g.enter(ctx); err != nil || !probe || !g.free() {
			return probe, err
		}
		if _, err := c.Balance(ctx); err == nil || Judge(err) != Wait {
			return true, nil
		}
	}
}

// reserve is an Admit that an outage does not hold.
func (c *Client) reserve(ctx context.Context, o Operation) (ticket Ticket, err error) {
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

// Send sends an admitted request and returns when the answer is on disk. What may work
// later it tries again, each time through outage, budget and lane: a few times while others are
// answered, and as long as the patience lasts while none is. Cancelling ctx ends the tries; a
// request in the air is waited for, within a grace.
func (c *Client) Send(ctx context.Context, ticket Ticket, r Request) (Answer, error) {
	g := c.outages[r.Operation.Name]
	failures, answers := 0, -1 // of this request, each after another one was answered
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
		if c.hopeless(refused, failures) {
			return a, err
		}
		again := pause(ctx, rand.N(min(backoffMost, backoffBase<<min(try-1, 10))))
		if again == nil {
			ticket, again = c.Admit(ctx, r.Operation)
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
	var refused *Error
	if errors.As(err, &refused) && refused.Outcome == OutcomeLimited {
		c.lanes[r.Operation.Name].Limited(time.Now(), refused.RetryAfter)
	}
	return a, err
}

// attempt sends an admitted request once: intent, send, answer, settle.
func (c *Client) attempt(ctx context.Context, ticket Ticket, r Request, try int) (Answer, journal.Charge, error) {
	e := journal.Entry{Kind: journal.KindAnswer, Operation: r.Operation.Name, Parameters: r.Parameters.Encode()}
	patience := grace
	if r.Operation.Credits == 0 {
		patience = 0 // nothing is lost with it
	}
	defer func() { <-c.seats[r.Operation.Name] }()
	ctx, land, err := c.service.Brake.takeOff(ctx, patience)
	if err == nil {
		defer land()
		err = c.intend(r, &e)
	}
	if err != nil {
		c.lanes[r.Operation.Name].Done(ticket, time.Now())
		c.budget.Settle(r.Operation.Credits, 0)
		return Answer{}, "", err
	}
	ctx, span := traced(ctx, r.Operation, try)
	before, asked := c.budget.counted(), c.asked()
	e.Sent = c.now()
	reply, err := c.exchange(ctx, r)
	defer reply.release()
	e.Received = c.now()
	c.lanes[r.Operation.Name].Done(ticket, time.Now())

	a, err := c.judge(ctx, r, reply, err, &e)
	if e.Kind == journal.KindBalance && err == nil {
		c.settling.Lock()
		defer c.settling.Unlock()
		c.settle(&e, reply.body, before, asked)
	}
	e.At = c.now()
	kept, broken := c.segment.Append(e)
	c.budget.Settle(r.Operation.Credits, max(0, e.Credits))
	switch {
	case e.Credits < 0:
		c.budget.refund(-e.Credits)
	case e.Charge == journal.ChargeUnknown:
		c.budget.Doubt(e.Credits)
	}
	c.settled(r, e)
	told(span, kept, err, broken)
	if broken != nil {
		return Answer{}, "", broken
	}
	a.Entry = kept
	return a, e.Charge, err
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
	return &Error{Outcome: name, Message: words, RetryAfter: reply.retryAfter}
}

// price is what an answer with data costs by the interface text: a page of the type/country
// search only when it holds a vessel, everything else always.
func price(o Operation, e *journal.Entry, rows int) (int, journal.Charge) {
	if o.Credits == 0 || (o.Name == ByType.Name && rows == 0) {
		return 0, journal.ChargeFree
	}
	return o.Credits, journal.ChargePriced
}

// charge is what a request without data counts as. By the interface text every request to a
// priced operation costs credits, except these:
//
//	never sent, or the free call      free
//	401                               free: authentication failures cost nothing
//	422                               free: validation precedes billing
//	type/country search, 4xx and 503  free: it costs only when a vessel is returned
//	429, or no credits                taken as free: it is turned away unasked, or nothing is left to bill
//	everything else                   unknown: it counts as spent until the balance tells
//
// Another 5xx, a redirect, an unreadable answer and one that breaks off are unknown for the
// type/country search too: a gateway may have them in place of a page that the service returned.
func charge(o Operation, err *Error) (int, journal.Charge) {
	switch {
	case o.Credits == 0, err.NotSent, err.Status == http.StatusUnauthorized, err.Status == http.StatusUnprocessableEntity:
		return 0, journal.ChargeFree
	case o.Name == ByType.Name && (err.Status >= 400 && err.Status < 500 || err.Status == http.StatusServiceUnavailable):
		return 0, journal.ChargeFree
	case err.Outcome == OutcomeLimited, err.Outcome == OutcomeNoCredits:
		return 0, journal.ChargeAssumed
	}
	return o.Credits, journal.ChargeUnknown
}

// settled counts an answer.
func (c *Client) settled(r Request, e journal.Entry) {
	c.service.Log.Debug("request", "endpoint", e.Operation, "parameters", e.Parameters, "status", e.Status,
		"outcome", e.Outcome, "credits", e.Credits, "took", e.Received.Sub(e.Sent))
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
		return ctx.Err()
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
