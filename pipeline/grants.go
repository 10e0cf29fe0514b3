package pipeline

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// candidate is a search that needs credits: a partition or a status search of the plan, one that the
// plan left out, or the rest of a partition that turned out to be longer than planned.
type candidate struct {
	operation api.Operation
	kind      string // its name in reports
	requests  int
	credits   int     // the most that it costs; below 0 if it returns credits
	worth     float64 // per credit
	rest      bool    // the rest of a partition whose first page is paid for
	queue     func()  // queues its requests, when its credits are granted
	drop      func()  // records that it gets no credits; may be nil
}

// grants decides which searches get the credits of the run. The searches of the plan come first.
// Those that it left out for lack of credits wait, and so does the rest of a partition that is longer
// than planned. Each time a price becomes known, the waiting search with the highest value per credit
// gets credits first. While it may still fit, because first pages in flight may cost less than
// planned, no search of less value gets credits, and lookups get no more than their share.
type grants struct {
	budget  *extract.Budget
	listing *listing
	queues  map[string]*queue // of the two searches, by operation
	keep    func() int        // returns the credits that are kept for lookups now
	refund  func()            // returns to the budget the credits that turn out not to have been billed
	awaits  func() bool       // reports whether a lookup of their share has not ended, which may cost nothing

	mu      sync.Mutex
	waiting []candidate     // the most valuable first
	dropped map[string]int  // searches that got no credits, by kind
	unasked map[string]int  // searches whose lane ended before they got credits, by kind
	open    map[string]bool // queues that are kept open, by operation

	settling bool // one call of settle is running, and does the work of the others
}

// newGrants keeps the queues of the searches open while they may get more credits.
func newGrants(b *extract.Budget, l *listing, sweep *queue, keep func() int) *grants {
	g := &grants{budget: b, listing: l, keep: keep, refund: func() {}, awaits: func() bool { return false },
		dropped: map[string]int{}, unasked: map[string]int{}, open: map[string]bool{}}
	g.queues = map[string]*queue{api.ByType.Name: l.queue, api.ByStatus.Name: sweep}
	for name, q := range g.queues {
		g.open[name] = true
		q.keepOpen(g.settle)
	}
	l.submit = g.submit
	return g
}

// ask adds a candidate to the waiting ones.
func (g *grants) ask(w candidate) {
	i, _ := slices.BinarySearchFunc(g.waiting, w.worth, func(other candidate, worth float64) int {
		return cmp.Or(-cmp.Compare(other.worth, worth), -1) // behind those of the same value
	})
	g.waiting = slices.Insert(g.waiting, i, w)
}

// plan grants credits to the searches of the plan, and then to what else fits. A queue without
// requests is idle from the beginning, and closed at once if no candidate may still fit.
func (g *grants) plan(chosen, left []candidate) {
	defer g.settle()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.budget.KeepForLookups(g.keep())
	for _, w := range chosen {
		if g.budget.Grant(w.operation.Name, w.credits) {
			w.queue()
		} else {
			g.ask(w)
		}
	}
	for _, w := range left {
		g.ask(w)
	}
	g.decide()
}

// submit adds a candidate, or returns credits, and decides again.
func (g *grants) submit(w candidate) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if w.credits < 0 {
		g.budget.Release(api.ByType.Name, -w.credits)
	}
	if w.requests > 0 {
		g.ask(w)
	}
	g.decide()
}

// answered decides anew when a request has ended, whatever came of it: the credits that a search gave back
// are for searches that wait, before lookups get them. After a lookup, searches may have nothing more to wait for.
func (g *grants) answered(o api.Operation) {
	g.mu.Lock()
	waits := len(g.waiting) > 0
	if !o.IsLookup() {
		g.decide()
	}
	g.mu.Unlock()
	if o.IsLookup() && waits {
		g.settle()
	}
}

// decide grants credits to what fits, in the order of value.
func (g *grants) decide() {
	back, more := 0, 0
	if g.open[api.ByType.Name] {
		back, more = g.listing.unsure()
	}
	g.budget.KeepForLookups(g.keep())
	hopes := false
	g.waiting = slices.DeleteFunc(g.waiting, func(w candidate) bool {
		if hopes {
			return false
		}
		if g.open[w.operation.Name] && g.budget.Grant(w.operation.Name, w.credits) {
			w.queue()
			return true
		}
		hopes = g.open[w.operation.Name] && back > 0 && w.credits-back <= g.budget.Free()
		return false
	})
	if hopes {
		more = math.MaxInt / 4
	}
	g.budget.KeepForSearches(more, len(g.waiting) > 0)
}

// settle is called when a queue is idle. When both are, every price is known: candidates that do not
// fit are left out, and the queues are closed. What may still cost less are the lookups of their share: as
// long as these could leave enough for a candidate, it waits.
func (g *grants) settle() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.settling {
		return
	}
	g.settling = true
	for g.step() {
	}
	g.settling = false
	if g.open[api.ByType.Name] || g.open[api.ByStatus.Name] {
		return
	}
	g.budget.KeepForSearches(0, false)
}

// step does the next thing to do, and reports whether there may be more.
func (g *grants) step() bool {
	list, sweep := api.ByType.Name, api.ByStatus.Name
	if g.open[list] && g.queues[list].isIdle() {
		if g.listing.skipLostPages() {
			return false
		}
		g.budget.Claim(list, 0) // no request is left for the granted credits
	}
	before := len(g.waiting)
	g.decide()
	if len(g.waiting) < before {
		return true
	}
	idle := func(name string) bool { return !g.open[name] || g.queues[name].isIdle() }
	if g.open[list] && idle(list) && !g.waits(list) {
		if g.askChecks() {
			return true
		}
		g.closeQueue(list)
		return true
	}
	if g.open[sweep] && idle(sweep) && !g.waits(sweep) {
		g.closeQueue(sweep)
		return true
	}
	if idle(list) && idle(sweep) && len(g.waiting) > 0 {
		best := g.budget.AtBest()
		if slices.ContainsFunc(g.waiting, func(w candidate) bool { return w.credits <= best }) && g.awaits() {
			return false
		}
		free := g.budget.Free()
		g.mu.Unlock() // refund requests the balance, and lanes may end meanwhile
		g.refund()
		g.mu.Lock()
		if g.budget.Free() > free || !idle(list) || !idle(sweep) {
			return true
		}
		g.dropAll(func(candidate) bool { return true }, true)
		return true
	}
	return false
}

// askChecks adds the first pages of the checks to the candidates, once the cover is complete.
func (g *grants) askChecks() bool {
	checks := g.listing.check()
	for _, p := range checks {
		g.ask(candidate{operation: api.ByType, kind: plan.ListChecks, requests: 1, credits: p.Unpaid * api.ByType.Credits,
			queue: func() { g.listing.start(p) }})
	}
	return len(checks) > 0
}

// waits reports whether a candidate of an operation is waiting.
func (g *grants) waits(operation string) bool {
	return slices.ContainsFunc(g.waiting, func(w candidate) bool { return w.operation.Name == operation })
}

// ended records that a lane has ended, for whatever reason: its candidates are left out.
func (g *grants) ended(operation string) {
	g.mu.Lock()
	if g.open[operation] {
		g.closeQueue(operation)
	}
	g.dropAll(func(w candidate) bool { return w.operation.Name == operation }, false)
	g.mu.Unlock()
	g.settle()
}

// noLookups records that the lookup lane has ended: the searches may use the credits that were kept for it.
func (g *grants) noLookups() {
	g.mu.Lock()
	g.keep = func() int { return 0 }
	g.mu.Unlock()
	g.settle()
}

// closeQueue closes a queue, and returns the credits that its operation did not need.
func (g *grants) closeQueue(operation string) {
	g.open[operation] = false
	g.budget.Claim(operation, 0)
	g.queues[operation].release()
}

// dropAll removes the candidates that which selects: for lack of credits, or because their lane has
// ended.
func (g *grants) dropAll(which func(candidate) bool, credits bool) {
	g.waiting = slices.DeleteFunc(g.waiting, func(w candidate) bool {
		switch {
		case !which(w):
			return false
		case credits && w.drop != nil:
			w.drop()
		case credits:
			g.dropped[w.kind]++
		case !w.rest:
			g.unasked[w.kind]++
		}
		if w.kind == plan.PartitionsOfList {
			g.listing.incomplete()
		}
		return true
	})
}

// leftOut counts the searches that were not begun for lack of credits, by kind.
func (g *grants) leftOut() map[string]int { return g.dropped }
