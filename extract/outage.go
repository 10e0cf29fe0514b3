package extract

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

const (
	probeFirst = time.Second     // before the first probe of an outage; each failed one doubles it
	probeMost  = 2 * time.Minute // between two probes

	// DefaultPatience is the patience of a Service that sets none.
	DefaultPatience = 30 * time.Minute

	// pricedProbe is how long only the free call probes an operation whose failures may be billed.
	// After that a priced request is sent, because the free call itself may be what is broken.
	pricedProbe = 10 * time.Minute
	// briefFailure is how long a failure is too short to be reported.
	briefFailure = 5 * time.Second
)

// OutageError reports that the service gives no answer to an operation, and that the patience with
// it, or the time of the run, is over. Last, which errors.Unwrap returns, is the last failure.
type OutageError struct {
	Operation string
	Since     time.Time     // when the first request that failed was sent
	Away      time.Duration // since then
	Last      error
}

// Error says what to do: run the same command again.
func (e *OutageError) Error() string {
	return fmt.Sprintf("%s: the service gave no answer for %v, since %s (%v); run the same command again when it is back",
		e.Operation, e.Away.Round(time.Second), e.Since.UTC().Format(time.RFC3339), e.Last)
}

// Unwrap returns the last failure.
func (e *OutageError) Unwrap() error { return e.Last }

// outage keeps the requests of one operation back while the service gives no answer to it. After a
// failure one request at a time, the probe, is sent after growing delays until one is answered;
// then all continue. The last probe is sent when the patience is over, so that no shorter outage
// ends the lane.
type outage struct {
	operation api.Operation
	patience  time.Duration
	log       *slog.Logger

	mu           sync.Mutex
	answers      int       // since the run began
	latest       time.Time // when the last request was sent that was answered
	waiting      int       // requests that wait for the end of the outage
	since        time.Time // when the first request was sent that failed since the last answer; zero while there is none
	key          string    // of this request
	mixed        bool      // another request failed too
	probes       int       // probes that failed since
	probing      bool      // one is in flight
	next         time.Time // when the next may be sent
	priced       time.Time // when the last request that could be billed failed
	billed       bool      // the last failed request may have been billed
	freeAnswered bool      // the free call was answered in this outage
	skipFreeCall bool      // the next probe goes without the free call: it was answered before the last probe
	last         *Error
	tooLarge     int // answers in a row that were too large
	over         *OutageError
	changed      Changes
}

func newOutage(o api.Operation, patience time.Duration, log *slog.Logger) *outage {
	return &outage{operation: o, patience: patience, log: log}
}

// enter waits until a request may be sent, and reports whether it is a probe. The caller ends each
// probe with one call of answered, failed or notSent.
func (g *outage) enter(ctx context.Context) (probe bool, err error) {
	for {
		g.mu.Lock()
		now := time.Now()
		switch {
		case g.over != nil:
			defer g.mu.Unlock()
			return false, g.over
		case g.since.IsZero():
			g.mu.Unlock()
			return false, ctx.Err()
		case !g.probing && !now.Before(g.next) && ctx.Err() == nil:
			g.probing = true
			g.mu.Unlock()
			return true, nil
		}
		g.waiting++
		wait, changed := g.next.Sub(now), g.changed.Next()
		if g.probing {
			wait = g.patience // the end of the probe ends the wait
		}
		g.mu.Unlock()
		err = Pause(ctx, wait, changed)
		g.mu.Lock()
		g.waiting--
		g.mu.Unlock()
		if err != nil {
			return false, err
		}
	}
}

// notSent records that a request was not sent after all.
func (g *outage) notSent(t Ticket) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.probe {
		g.probing = false
	}
	g.changed.Wake()
}

// freeCallFailed records that the free call, sent before a probe, was not answered either.
func (g *outage) freeCallFailed() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.probes++
	g.probing = false
	g.delay(time.Now(), 0)
	g.changed.Wake()
}

// needsFreeCall reports whether the free call goes before the next probe, because the last probe
// may have been billed. The first and the last probe do not need it, nor a probe that comes pricedProbe
// after the last that could be billed. After a free call that was answered and a probe that was not,
// the next probe goes without: the free call may have used up the one answer of a service that
// answers only now and then.
func (g *outage) needsFreeCall() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.skipFreeCall {
		g.skipFreeCall = false
		return false
	}
	now := time.Now()
	return g.billed && g.probes > 0 && now.Before(g.since.Add(g.patience)) && now.Before(g.priced.Add(pricedProbe))
}

// withinPatience reports whether the patience lasts.
func (g *outage) withinPatience() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Now().Before(g.since.Add(g.patience))
}

// freeCallAnswered records that the free call, sent before a probe, was answered.
func (g *outage) freeCallAnswered() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.freeAnswered, g.skipFreeCall = true, true
}

// answered ends an outage: a request that was sent at that time has its answer.
func (g *outage) answered(sent time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answers++
	g.tooLarge = 0
	g.latest = latest(g.latest, sent)
	if g.since.IsZero() {
		return
	}
	if g.probes > 0 {
		g.log.Info("the service answers again", "endpoint", g.operation.Name, "away", time.Since(g.since).Round(time.Second))
	}
	g.since, g.mixed, g.probes, g.probing, g.last, g.freeAnswered, g.skipFreeCall = time.Time{}, false, 0, false, nil, false, false
	g.changed.Wake()
}

// failsByItself records an answer that is too large, and reports whether this is the failure of its request alone. A
// service that gives only such answers fails as one that gives none.
func (g *outage) failsByItself(t Ticket) bool {
	g.mu.Lock()
	g.tooLarge++
	alone := g.tooLarge <= tooLargeInARow
	g.mu.Unlock()
	if alone {
		g.notSent(t) // neither the begin nor the end of an outage
	}
	return alone
}

// failed records a request that got no answer, and reports whether it began an outage.
func (g *outage) failed(sent time.Time, probe bool, key string, err *Error, billed bool) (first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	first = g.since.IsZero()
	switch {
	case first:
		g.since, g.key, g.probes, g.next = sent, key, 0, now
		g.delay(now, err.RetryAfter)
	case probe:
		g.probes++
		g.delay(now, err.RetryAfter)
		if g.probes == 1 {
			g.log.Warn("the service is away: one request at a time asks whether it is back", "endpoint", g.operation.Name,
				"since", g.since.UTC().Format(time.RFC3339), "patience", g.patience, "error", err)
		}
	}
	g.mixed = g.mixed || key != g.key
	if g.last, g.billed = err, billed; billed {
		g.priced = now
	}
	if !sent.Before(g.since.Add(g.patience)) {
		g.over = &OutageError{Operation: g.operation.Name, Since: g.since, Away: now.Sub(g.since), Last: err}
	}
	if probe {
		g.probing = false
	}
	g.changed.Wake()
	return first
}

// delay sets when the next probe may be sent: not before the service's Retry-After, and at the
// latest when the patience is over.
func (g *outage) delay(now time.Time, retryAfter time.Duration) {
	d := min(probeMost, probeFirst<<min(g.probes, 10))
	d = max(d/2+rand.N(d/2+1), retryAfter)
	g.next = now.Add(d)
	if end := g.since.Add(g.patience); now.Before(end) && g.next.After(end) {
		g.next = end
	}
}

// sameFailsAgain reports whether one request alone has failed repeatedly since the last answer.
func (g *outage) sameFailsAgain() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.mixed && g.probes >= refusals
}

// onlyOneFails reports whether one request alone has failed and no other waits, while the free
// call is answered.
func (g *outage) onlyOneFails() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.mixed && g.waiting == 0 && g.freeAnswered
}

// answeredAfter reports whether a request that was sent after a time has its answer.
func (g *outage) answeredAfter(t time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.latest.After(t)
}

func (g *outage) away() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.since.IsZero()
}

func (g *outage) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.answers
}

// Away returns since when the service gives no answer to an operation, and the last failure. It
// returns the zero time while the service answers, and after a single failure.
func (c *Client) Away(o api.Operation) (since time.Time, why string) {
	g := c.outages[o.Name]
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.since.IsZero() || g.probes == 0 && g.over == nil {
		return time.Time{}, ""
	}
	return g.since, g.last.Error()
}

// Unanswered returns the longest outage that lasts when a run ends, or nil. It leaves out failures
// of the last seconds, and the free call unless no other operation was ever answered.
func (c *Client) Unanswered() *OutageError {
	var found *OutageError
	answers := 0
	for _, o := range c.service.Operations() { // the free call comes last
		g := c.outages[o.Name]
		g.mu.Lock()
		answers += g.answers
		lasting := !g.since.IsZero() && (g.probes > 0 || time.Since(g.since) >= briefFailure)
		if lasting && (found == nil || g.since.Before(found.Since)) && (o.Credits > 0 || answers == 0) {
			found = &OutageError{Operation: o.Name, Since: g.since, Away: time.Since(g.since), Last: g.last}
		}
		g.mu.Unlock()
	}
	return found
}
