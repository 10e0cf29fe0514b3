package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/transform"
)

// harvest asks what was decided and says how that ended. An error means that our own side
// can take no more answers.
func (p *Pipeline) harvest(ctx context.Context, w work, segment *journal.Segment) (journal.End, error) {
	budget := w.budget()
	service := p.Service
	service.Log = p.Log.With("run", w.plan.Run)
	client := extract.NewClient(service, budget, segment)
	if err := recentSends(p.journal(), p.Now(), client.Inherit); err != nil {
		return journal.End{State: StateInterrupted, Reason: err.Error()}, err
	}
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if w.job.Deadline > 0 {
		var release context.CancelFunc
		limited, release = context.WithTimeoutCause(limited, w.job.Deadline-p.Now().Sub(w.started), errDeadline)
		defer release()
	}
	h := &harvest{work: w, client: client, budget: budget, flight: p.Service.InFlight(), log: service.Log, cancel: cancel}
	h.prepare(limited)
	p.watch(h, func() { h.run(limited) })
	h.interrupted(ctx, limited)
	if h.stop != StopKey && h.broken == nil {
		h.lastBalance(limited)
	}
	return h.end(), h.broken
}

// lastBalance asks for the balance after the run. Publishing never waits long for it, and the end
// of a run that was stopped still less.
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

// prepare asks the free calls, which also tell whether the key is good, and fills the lanes.
func (h *harvest) prepare(ctx context.Context) {
	if _, err := h.client.Balance(ctx); err != nil {
		h.log.Warn("balance before the run not read", "error", err)
		if extract.Judge(err) == extract.StopRun {
			h.judge(extract.Credits, err, func() {})
		}
	}
	if len(h.cover) > 0 && ctx.Err() == nil {
		h.probe(ctx)
	}
	h.listing = newListing(h.decision, h.unfiltered())
	h.lookups = newLookups(h.work)
	h.sweep, h.sightings = newQueue(), transform.NewRoll()
	for _, s := range h.sweeps {
		h.sweep.push(false, s.Request())
	}
	if h.lookups.wanted || len(h.checks) > 0 {
		h.listing.roll, h.listing.met = transform.NewRoll(), func(v transform.Listed) { h.lookups.meet(v, extract.Sweep{}) }
	}
	h.queues = map[string]*queue{extract.ByType.Name: h.listing.queue, extract.ByStatus.Name: h.sweep,
		h.lookups.operation.Name: h.lookups.queue}
}

// probe reads the accepted lists and fits the decision to them: a new value is asked too, a
// removed one is not.
func (h *harvest) probe(ctx context.Context) {
	lists, err := h.client.ReadAccepted(ctx)
	if err != nil {
		h.log.Warn("accepted values not read: the known lists are used", "error", err)
		if extract.Judge(err) == extract.StopRun {
			h.judge(extract.ByType, err, func() {})
		}
		return
	}
	for _, v := range without(lists.Types, extract.Types) {
		h.gained("type", v, partition{typ: v, expected: -1})
	}
	for _, v := range without(lists.Countries, extract.Countries) {
		h.gained("country", v, partition{country: v, expected: -1})
	}
	for _, v := range without(extract.Types, lists.Types) {
		h.lost("type", v, func(p partition) bool { return strings.EqualFold(p.typ, v) })
	}
	for _, v := range without(extract.Countries, lists.Countries) {
		h.lost("country", v, func(p partition) bool { return strings.EqualFold(p.country, v) })
	}
}

// gained adds a partition to the side of its kind, if that side is asked whole.
func (h *harvest) gained(list, value string, p partition) {
	h.news = append(h.news, fmt.Sprintf("%s %q is accepted now", list, value))
	for _, side := range []*[]partition{&h.cover, &h.checks} {
		if h.unfiltered() && len(*side) > 0 && (*side)[0].kind() == p.kind() {
			*side = append(*side, p)
		}
	}
}

func (h *harvest) lost(list, value string, is func(partition) bool) {
	h.news = append(h.news, fmt.Sprintf("%s %q is no longer accepted", list, value))
	h.cover, h.checks = slices.DeleteFunc(h.cover, is), slices.DeleteFunc(h.checks, is)
}

// sighted counts the sweep's answers and looks for vessels that are new.
func (h *harvest) sighted(r extract.Request, a extract.Answer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.swept++
	if h.lookups.wanted && a.Rows > 0 {
		s := extract.Sweep{Status: r.Parameters.Get("navigational_status"), Zone: r.Parameters.Get("world_zone")}
		h.sightings.Each(a.Entry, func(v transform.Listed) { h.lookups.meet(v, s) })
	}
}

// interrupted notes who cancelled: the caller, or the deadline.
func (h *harvest) interrupted(caller, limited context.Context) {
	switch {
	case caller.Err() != nil:
		h.stopped(StopSignal, "stopped by request")
	case errors.Is(context.Cause(limited), errDeadline):
		h.stopped(StopDeadline, fmt.Sprintf("the deadline of %v is over", h.job.Deadline))
	}
}

// end says how the harvest ended. Lookups are as many as fit: only what is missing of the
// list and the sweep, or a service that failed, makes a run partial.
func (h *harvest) end() journal.End {
	e := journal.End{State: StateDone, Stop: string(h.stop), Reason: h.reason, News: h.news}
	planned := h.plannedOut(&e)
	cover, checks := h.listing.leftOut()
	sweeps := len(h.sweeps) - h.swept
	for _, left := range []LeftOut{
		{"partitions of the list", cover, len(h.cover), "not seen to their end"},
		{"status searches", sweeps, len(h.sweeps), "not answered"},
		{"checks for vessels without type or country", checks, len(h.checks), "not answered"},
		{lookupsLeft, h.lookups.left() + h.lookups.shed, h.lookups.queued + h.lookups.shed, "no room tonight"},
	} {
		if left.Count > 0 {
			e.LeftOut = append(e.LeftOut, left.String())
		}
	}
	switch {
	case h.broken != nil:
		e.State, e.Reason = StateInterrupted, h.broken.Error()
	case h.stop == StopSignal:
		e.State = StateInterrupted
	case cover+sweeps > 0, h.stop == StopService, h.stop == StopKey, h.stop == StopCredits:
		e.State = StatePartial
	case planned.Why != "":
		e.State, e.Stop, e.Reason = StatePartial, string(stopFor(planned.Why)), planned.String()
	case h.stop == StopBudget, h.stop == StopDeadline:
		e.Stop, e.Reason = "", "" // it ended lookups only
	}
	return e
}

// plannedOut reports what the plan left out, and returns the first search among it.
func (h *harvest) plannedOut(e *journal.End) (first LeftOut) {
	for _, l := range h.leftOut {
		if l.What == lookupsLeft {
			continue // counted at the end
		}
		e.LeftOut = append(e.LeftOut, l.String())
		if first.Why == "" {
			first = l
		}
	}
	return first
}

// stopFor is the reason to stop that belongs to a plan's words.
func stopFor(why string) Stop {
	switch why {
	case noTime:
		return StopDeadline
	case balanceFloor:
		return StopCredits
	}
	return StopBudget
}

// watch reports progress while the lanes work.
func (p *Pipeline) watch(h *harvest, work func()) {
	started := p.Now()
	report := func() {
		pr := Progress{At: p.Now(), Phase: "harvest", Lanes: h.progress(started, p.Now()), Cap: h.plan.Budget}
		for _, l := range pr.Lanes {
			pr.Credits += l.Credits
		}
		p.Progress(pr)
	}
	done := make(chan struct{})
	var ticking sync.WaitGroup
	ticking.Go(func() {
		tick := time.NewTicker(250 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				report()
			}
		}
	})
	defer ticking.Wait()
	defer close(done)
	work()
	report()
}

// without returns the values of a that b does not hold, ignoring case and outer spaces.
func without(a, b []string) []string {
	in := make(map[string]bool, len(b))
	for _, v := range b {
		in[strings.ToLower(strings.TrimSpace(v))] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(v string) bool { return in[strings.ToLower(strings.TrimSpace(v))] })
}
