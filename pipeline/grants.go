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

// wish is work of a search that waits for credits: a partition or a status search that the plan
// left out, or the rest of a partition that turned out to be longer than planned.
type wish struct {
	operation api.Operation
	what      string // as reports call it
	requests  int
	credits   int     // the most that it costs; below 0 of a wish that gives credits back
	worth     float64 // by credit
	rest      bool    // of a partition that is begun
	queue     func()  // queues its requests, with its credits granted
	drop      func()  // notes that it is not asked; may be nil
}

// grants decides which searches are asked with the credits that the run has. What the plan
// chose comes first. What it left out for lack of credits waits, and so does the rest of a
// partition that is longer than planned; each time a price becomes known, the wish that is
// worth most by credit is granted first. While it may still come to fit, because first pages
// in the air may cost less than planned, nothing of less worth is granted, and lookups get no
// more than their share.
type grants struct {
	budget  *extract.Budget
	listing *listing
	queues  map[string]*queue // of the two searches, by operation
	keep    func() int        // credits that are kept for lookups now
	refund  func()            // gives back to the budget what turns out not to have been billed

	mu      sync.Mutex
	waiting []wish         // the most worth first
	dropped map[string]int // searches that there were no credits for, by what they are
	unasked map[string]int // searches whose lane ended before they were granted
	open    map[string]bool

	settling bool // one call of settle is at work; others leave what there is to do to it
}

// newGrants opens the queues of the searches: each stays open while more may be granted.
func newGrants(b *extract.Budget, l *listing, sweep *queue, keep func() int) *grants {
	g := &grants{budget: b, listing: l, keep: keep, refund: func() {},
		dropped: map[string]int{}, unasked: map[string]int{}, open: map[string]bool{}}
	g.queues = map[string]*queue{api.ByType.Name: l.queue, api.ByStatus.Name: sweep}
	for name, q := range g.queues {
		g.open[name] = true
		q.keepOpen(g.settle)
	}
	l.want = g.want
	return g
}

// ask asks for credits, without a decision yet.
func (g *grants) ask(w wish) {
	i, _ := slices.BinarySearchFunc(g.waiting, w.worth, func(other wish, worth float64) int {
		return cmp.Or(-cmp.Compare(other.worth, worth), -1) // behind those of the same worth
	})
	g.waiting = slices.Insert(g.waiting, i, w)
}

// plan grants what the plan chose, and then what else fits. A queue that gets nothing is at rest
// from the beginning, and closed at once if nothing may come to fit.
func (g *grants) plan(chosen, left []wish) {
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

// want takes in a wish, or what is given back, and decides anew.
func (g *grants) want(w wish) {
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

// searched decides anew when a search has ended, whatever came of it: the credits that it gave back
// are for searches that wait, before lookups get them.
func (g *grants) searched(o api.Operation) {
	if o.IsLookup() {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.decide()
}

// decide grants what fits, in the order of worth.
func (g *grants) decide() {
	back, more := 0, 0
	if g.open[api.ByType.Name] {
		back, more = g.listing.unsure()
	}
	g.budget.KeepForLookups(g.keep())
	hopes := false
	g.waiting = slices.DeleteFunc(g.waiting, func(w wish) bool {
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

// settle is called when a queue is at rest. When both are, every price is known: what does not
// fit now is left out, and the queues are closed.
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

// step does the next thing that there is to do, and reports whether there may be more.
func (g *grants) step() bool {
	list, sweep := api.ByType.Name, api.ByStatus.Name
	if g.open[list] && g.queues[list].atRest() {
		if g.listing.rested() {
			return false
		}
		g.budget.Claim(list, 0) // nothing that was granted is still to be asked
	}
	before := len(g.waiting)
	g.decide()
	if len(g.waiting) < before {
		return true
	}
	atRest := func(name string) bool { return !g.open[name] || g.queues[name].atRest() }
	if g.open[list] && atRest(list) && !g.waits(list) {
		if g.askChecks() {
			return true
		}
		g.shut(list)
		return true
	}
	if g.open[sweep] && atRest(sweep) && !g.waits(sweep) {
		g.shut(sweep)
		return true
	}
	if atRest(list) && atRest(sweep) && len(g.waiting) > 0 {
		free := g.budget.Free()
		g.mu.Unlock() // the balance is asked for meanwhile, and lanes may end
		g.refund()
		g.mu.Lock()
		if g.budget.Free() > free || !atRest(list) || !atRest(sweep) {
			return true
		}
		g.dropAll(func(wish) bool { return true }, true)
		return true
	}
	return false
}

// askChecks asks for the first pages of the checks, once the cover is complete.
func (g *grants) askChecks() bool {
	checks := g.listing.check()
	for _, p := range checks {
		g.ask(wish{operation: api.ByType, what: plan.ListChecks, requests: 1, credits: p.Unpaid * api.ByType.Credits,
			queue: func() { g.listing.start(p) }})
	}
	return len(checks) > 0
}

// waits reports whether a wish of an operation is not decided yet.
func (g *grants) waits(operation string) bool {
	return slices.ContainsFunc(g.waiting, func(w wish) bool { return w.operation.Name == operation })
}

// ended says that a lane asks no more, for whatever reason: its wishes are left out.
func (g *grants) ended(operation string) {
	g.mu.Lock()
	if g.open[operation] {
		g.shut(operation)
	}
	g.dropAll(func(w wish) bool { return w.operation.Name == operation }, false)
	g.mu.Unlock()
	g.settle()
}

// noLookups says that no lookup will be made any more: what was kept for them is free.
func (g *grants) noLookups() {
	g.mu.Lock()
	g.keep = func() int { return 0 }
	g.mu.Unlock()
	g.settle()
}

// shut closes a queue, and gives back what its operation did not need.
func (g *grants) shut(operation string) {
	g.open[operation] = false
	g.budget.Claim(operation, 0)
	g.queues[operation].keepNoLonger()
}

// dropAll takes wishes out that are not granted: because they do not fit, or because their lane
// has ended.
func (g *grants) dropAll(which func(wish) bool, credits bool) {
	g.waiting = slices.DeleteFunc(g.waiting, func(w wish) bool {
		switch {
		case !which(w):
			return false
		case credits && w.drop != nil:
			w.drop()
		case credits:
			g.dropped[w.what]++
		case !w.rest:
			g.unasked[w.what]++
		}
		if w.what == plan.PartitionsOfList {
			g.listing.incomplete()
		}
		return true
	})
}

// leftOut counts the searches that were not begun for lack of credits, by what they are.
func (g *grants) leftOut() map[string]int { return g.dropped }
