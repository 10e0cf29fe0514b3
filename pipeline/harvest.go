package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/ledger"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/transform"
	"github.com/sourcegraph/conc/pool"
	"go.opentelemetry.io/otel/attribute"
)

// harvest sends the requests of the plan, and appends the end to the segment.
func (p *Pipeline) harvest(ctx context.Context, w work, segment *journal.Segment) (err error) {
	ctx, span := derive.StartSpan(ctx, "harvest")
	defer derive.EndSpan(span, &err)
	last, broken := p.spend(ctx, w, segment)
	ended, err := segment.Append(journal.Entry{Kind: journal.KindEnd, At: p.Now().UTC(), End: &last})
	if broken != nil {
		err = broken // a segment that takes no answers takes no end either, for the same cause
	}
	if err = errors.Join(err, segment.Close()); err == nil {
		w.account.Add(ended)
		ledger.Keep(p.segments(), segment.Path(), w.account.Latest())
	}
	return err
}

// spend sends the requests of the plan and returns how that ended. An error means that our own
// side can take no more answers.
func (p *Pipeline) spend(ctx context.Context, w work, segment *journal.Segment) (journal.End, error) {
	w.account.Begin(credits.Planned(w.recorded, w.started))
	spending := newSpending(w.account, w.recorded.Run, w.limit(), w.decided.Kept)
	service := p.Service
	service.Log = p.Log
	client := extract.NewClient(service, spending, segment)
	if err := recentSends(p.segments(), p.Now(), client.Inherit); err != nil {
		return journal.End{State: report.StateInterrupted, Reason: err.Error()}, err
	}
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if w.job.Deadline > 0 {
		var release context.CancelFunc
		limited, release = context.WithTimeoutCause(limited, w.job.Deadline-p.Now().Sub(w.started), errDeadline)
		defer release()
	}
	defer p.watchEnd(limited)()
	h := &harvest{work: w, client: client, spending: spending, log: service.Log, cancel: cancel, requests: newRequestLog()}
	h.prepare(limited, service.MostInFlight())
	p.watch(h, func() { h.run(limited, p.Service) })
	h.interrupted(ctx, limited)
	if h.stop != report.StopKey && h.broken == nil {
		h.lastBalance(limited)
	}
	end := h.end()
	counted := w.account.Run(w.recorded.Run) // nobody else has the account any more
	end.Counted = &journal.Counted{Spent: counted.Counted(), Unknown: counted.Unproved}
	return end, h.broken
}

// lastBalance requests the balance after the run. Publishing waits for it for 15 seconds at most, and
// a run that was stopped for 5.
func (h *harvest) lastBalance(ctx context.Context) {
	most := 15 * time.Second
	if ctx.Err() != nil {
		most = 5 * time.Second
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
	defer cancel()
	if _, err := h.client.Balance(ctx); err != nil {
		h.log.Warn("balance after the run not read", "error", err)
	}
}

var errDeadline = errors.New("deadline of the run is over")

// harvest is the first half of a run: lanes side by side, each with a bounded number of requests in
// flight, until each is drained, the budget is spent, or one must stop.
type harvest struct {
	work     work
	client   *extract.Client
	spending *spending
	log      *slog.Logger
	cancel   context.CancelCauseFunc
	news     []string // values that the accepted lists of the service gained or lost

	listing   *listing
	lookups   *lookupQueue
	positions *queue // of watched vessels of which nothing else is due
	sweep     *queue
	sightings *transform.SearchReader
	lanes     []lane
	requests  *requestLog

	mu     sync.Mutex
	stop   report.Stop // the gravest reason why the run sent fewer requests than planned
	reason string
	failed string // the error of the last search that had no answer
	large  string // of the last search whose answer was too large
	broken error  // why our own side can take no more answers: the disk
}

// gravity orders the reasons to stop; a graver reason replaces a lesser one.
var gravity = map[report.Stop]int{report.StopNone: 0, report.StopService: 1, report.StopBlocked: 2,
	report.StopDeadline: 3, report.StopBudget: 4, report.StopCredits: 5, report.StopKey: 6, report.StopSignal: 7}

// lane is the work of one operation of a harvest.
type lane struct {
	operation api.Operation
	queue     *queue
	feeds     *queue                            // of another lane, that this one adds requests to; may be nil
	read      func(api.Request, extract.Answer) // takes in an answer
	ended     func()                            // called when the lane sends no more requests
}

// lanesOfRun returns the two searches, which feed the lookups, the lookups, and the positions of watched
// vessels, if they are bought alone.
func (h *harvest) lanesOfRun() []lane {
	lanes := []lane{
		{operation: api.ByStatus, queue: h.sweep, feeds: h.lookups.queue, read: h.sighted, ended: func() {
			h.spending.ended(api.ByStatus)
			h.lookups.searched()
		}},
		{operation: api.ByType, queue: h.listing.queue, feeds: h.lookups.queue, read: h.listed, ended: func() {
			h.spending.ended(api.ByType)
			h.lookups.listed()
			h.lookups.searched()
		}},
		{operation: h.lookups.operation, queue: h.lookups.queue, read: func(api.Request, extract.Answer) {},
			ended: func() { h.spending.ended(h.lookups.operation) }},
	}
	if h.work.job.Lookup.PositionsAlone() {
		lanes = append(lanes, lane{operation: plan.PositionAlone, queue: h.positions,
			read: func(api.Request, extract.Answer) {}, ended: func() { h.spending.ended(plan.PositionAlone) }})
	}
	return lanes
}

// listed takes in a page of the list.
func (h *harvest) listed(r api.Request, a extract.Answer) { h.spending.listed(h.listing.answer(r, a)) }

// run works the lanes side by side and returns when no more requests will be sent. Meanwhile the balance is watched.
func (h *harvest) run(ctx context.Context, s extract.Service) {
	background, end := context.WithCancel(ctx)
	balance := pool.New()
	balance.Go(func() { h.watchBalance(background) })
	balance.Go(func() { h.settleOutcomes(background, clock(s), cmp.Or(s.Patience, extract.DefaultPatience)) })
	defer balance.Wait()
	defer end()
	for _, l := range h.lanes {
		if l.feeds != nil {
			l.feeds.open() // before any lane can find its queue drained
		}
	}
	lanes := pool.New()
	for _, l := range h.lanes {
		lanes.Go(func() { h.runLane(ctx, l) })
	}
	lanes.Wait()
}

// runLane drains one lane.
func (h *harvest) runLane(ctx context.Context, l lane) {
	if l.feeds != nil {
		defer l.feeds.close()
	}
	ctx, end := h.laneSpan(ctx, l.operation)
	defer end()
	h.drain(ctx, l)
	l.ended()
}

// drain sends the requests of one lane. Requests that an earlier run of the night has an answer to are
// not sent. A lane that gives up sends no new ones; those in flight end by themselves. Requests whose
// answers turned out to be wrong are sent again.
func (h *harvest) drain(run context.Context, l lane) {
	o, q := l.operation, l.queue
	ctx, giveUp := context.WithCancel(run)
	defer giveUp()
	// unbounded: the client bounds the requests in flight, and not those that wait for the service to come back
	inFlight := pool.New()
	defer inFlight.Wait()
	for {
		r, ok := q.pop(ctx)
		again := h.client.LookupsToRepeat(ctx, o)
		h.requests.repeat(o, len(again))
		q.push(true, again...)
		switch {
		case !ok && len(again) > 0 && ctx.Err() == nil:
			continue
		case !ok:
			return
		}
		h.requests.take(o, 1)
		if t, ok := h.work.before.answered[r.Key()]; ok {
			h.requests.carry(o, r)
			l.read(r, extract.Answer{Entry: t.Entry, Contents: api.Contents{Rows: t.Rows, Total: t.Total}})
			q.admits.Store(false)
			q.close()
			h.spending.requestEnded()
			continue
		}
		ticket, err := h.client.Admit(ctx, o)
		q.admits.Store(false)
		if err != nil {
			h.handle(r, err, giveUp)
			giveUp()
			h.requests.take(o, -1)
			q.push(true, r) // queued requests are counted as left out
			q.close()
			continue // with the answers that are carried over
		}
		inFlight.Go(func() {
			defer h.spending.requestEnded()
			defer q.close()
			a, err := h.client.Send(run, ticket, r)
			h.requests.sent(o, r, err)
			if err == nil {
				l.read(r, a)
				return
			}
			h.handle(r, err, giveUp)
		})
	}
}

// handle acts on an error: it skips the request, ends the lane, or ends the run. It ignores a
// cancellation, whose reason is recorded where it begins.
func (h *harvest) handle(r api.Request, err error, giveUp func()) {
	o := r.Operation
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return
	}
	switch extract.Judge(err) {
	case extract.Wait:
		h.log.Warn("a request is left out: it failed again and again", "endpoint", o.Name, "error", err)
		if !o.StandsAlone() {
			h.mu.Lock()
			h.failed = fmt.Sprintf("a request failed again and again: %v", err)
			h.mu.Unlock()
		}
	case extract.Skip:
		if extract.TooLarge(err) {
			h.tooLarge(r, err)
		}
	case extract.StopLane:
		stop, reason := stopOf(err)
		h.requests.end(o, h.laneEnd(stop))
		if stop != report.StopBudget || !o.StandsAlone() { // a run makes as many lookups as fit its credits
			h.stopped(stop, reason)
		}
		giveUp()
	case extract.StopRun:
		h.stopRun(err)
		h.cancel(err)
	}
}

// tooLarge records an answer that is too large. Another try would be paid for, and be as large.
func (h *harvest) tooLarge(r api.Request, err error) {
	h.log.Warn("a request is left out: its answer is too large",
		"endpoint", r.Operation.Name, "parameters", r.Parameters.Encode(), "error", err)
	if !r.Operation.StandsAlone() {
		h.mu.Lock()
		h.large = fmt.Sprintf("%v (%s)", err, r.Parameters.Encode())
		h.mu.Unlock()
	}
}

// stopRun records why no request will work any more.
func (h *harvest) stopRun(err error) {
	if e := (*extract.Error)(nil); errors.As(err, &e) {
		h.stopped(stopOf(err))
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken == nil { // the other requests in flight meet the same cause
		h.broken = err
	}
}

func (h *harvest) stopped(why report.Stop, reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if gravity[why] > gravity[h.stop] {
		h.stop, h.reason = why, reason
	}
}

// laneSpan starts the span of one operation's lane, and returns what ends it.
func (h *harvest) laneSpan(ctx context.Context, o api.Operation) (context.Context, func()) {
	ctx, span := derive.StartSpan(ctx, "lane "+o.Name, attribute.String("fleetlake.operation", o.Name))
	return ctx, func() {
		if span.IsRecording() {
			s := h.client.Stats(o)
			span.SetAttributes(attribute.Int("fleetlake.requests", s.Requests),
				attribute.Int("fleetlake.retries", s.Retries), attribute.Int("fleetlake.credits.spent", s.Credits))
		}
		span.End()
	}
}
