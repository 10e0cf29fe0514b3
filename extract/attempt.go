package extract

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// attempt sends an admitted request once: intent, send, answer, count. Beside the answer it
// returns how the charge is known; without an answer the error is an *Error, and any other error
// means that the request was not sent or that its answer is not on disk.
func (c *Client) attempt(ctx context.Context, ticket Ticket, r api.Request, try int) (Answer, journal.Charge, error) {
	e := journal.Entry{Kind: journal.KindAnswer, Operation: r.Operation.Name, Parameters: r.Parameters.Encode()}
	patience := shutdownGrace
	if r.Operation.Credits == 0 {
		patience = 0 // the free call has no answer worth waiting for
	}
	defer func() { <-c.inFlight[r.Operation.Name] }()
	ctx, end, err := c.service.InFlight.begin(ctx, patience)
	if err == nil {
		defer end()
		err = c.intend(r, &e)
	}
	if err != nil {
		c.lanes[r.Operation.Name].Done(ticket, time.Now())
		c.budget.Cancel(r.Operation, 1, 0)
		return Answer{}, "", err
	}
	ctx, span := traced(ctx, r.Operation, try)
	e.Sent = c.now()
	reply, err := c.exchange(ctx, r)
	defer reply.release()
	e.Received = c.now()
	c.lanes[r.Operation.Name].Done(ticket, time.Now())

	a, err := c.interpret(ctx, r, reply, err, &e)
	e.At = c.now()
	kept, broken := c.segment.Append(e)
	c.countAnswer(r, e)
	recordSpan(span, kept, err, broken)
	if broken != nil {
		return Answer{}, "", broken // its credits stay reserved: its intent counts
	}
	again := 0
	if mayRetry(err) {
		again = furtherTries(try)
	}
	c.budget.Count(r.Operation, kept, again)
	if err != nil {
		return Answer{}, e.Charge, err // without the body, which may be large, until the next try
	}
	a.Entry = kept
	return a, e.Charge, nil
}

// intend writes the intent of a priced request. The free call needs none.
func (c *Client) intend(r api.Request, e *journal.Entry) error {
	if r.Operation.Name == api.Credits.Name {
		e.Kind = journal.KindBalance
		return nil
	}
	if err := c.canKeep(); err != nil { // it may have waited for long since it was admitted
		return err
	}
	intent, err := c.segment.Append(journal.Entry{Kind: journal.KindIntent, At: c.now(),
		Operation: e.Operation, Parameters: e.Parameters, Credits: r.Operation.Credits})
	if err != nil {
		return err
	}
	e.Intent = intent.N
	c.budget.Count(r.Operation, intent, 0)
	return nil
}

// interpret fills the entry of an answer with its body, its outcome and its cost.
func (c *Client) interpret(ctx context.Context, r api.Request, reply reply, failed error, e *journal.Entry) (Answer, error) {
	e.Status = reply.status
	e.SetBody(reply.body)
	var err *Error
	a := Answer{Contents: api.Contents{Total: -1}}
	switch {
	case failed != nil:
		e.Error = failed.Error()
		err = &Error{Outcome: OutcomeNetwork, Message: failed.Error(), NotSent: reply.notSent}
		if large := bodyTooLarge(0); errors.As(failed, &large) {
			err.Outcome = OutcomeUnreadable // of a refusal
			if reply.status == http.StatusOK {
				err.Outcome = OutcomeTooLarge
			}
		}
	case r.WantsRefusal && reply.status == http.StatusUnprocessableEntity:
		e.Outcome, e.Charge = OutcomeProbe, journal.ChargeFree
		return a, nil
	case reply.status == http.StatusOK:
		var unread error
		if a.Contents, unread = api.Read(r.Operation, string(reply.body)); unread != nil {
			err = &Error{Outcome: OutcomeUnreadable, Message: unread.Error(), NoVessel: errors.Is(unread, api.ErrNoVessel)}
		}
	default:
		err = c.refusal(ctx, r.Operation, reply)
	}
	if err == nil {
		e.Outcome = OutcomeOK
		if a.Rows == 0 && r.Operation.Name != api.Credits.Name {
			e.Outcome = OutcomeEmpty
		}
		e.Credits, e.Charge = price(r.Operation, e, a.Rows)
		return a, nil
	}
	err.Operation, err.Status, err.key = r.Operation.Name, reply.status, reply.key
	e.Outcome = err.Outcome
	e.Credits, e.Charge = charge(r.Operation, err)
	return a, err
}

// refusal makes the error of an error status. Where one status can mean both no credits and a
// blocked operation, it asks for the balance, which is free, to distinguish them.
func (c *Client) refusal(ctx context.Context, o api.Operation, reply reply) *Error {
	words := api.Message(reply.body)
	name, unsure := outcome(o, reply.status, words)
	if unsure && o.Name != api.Credits.Name {
		if left, err := c.Balance(ctx); err == nil && left < o.Credits {
			name = OutcomeNoCredits
		}
	}
	return &Error{Outcome: name, Message: words, RetryAfter: reply.retryAfter}
}
