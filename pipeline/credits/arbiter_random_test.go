package credits

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
)

// send lets a lane send its next request, if it is its turn.
func (n *harvest) send(o api.Operation) bool {
	t := n.stuck[o]
	if t == nil {
		if len(n.queues[o]) == 0 || len(n.air) > 4 {
			return false
		}
		t = &n.queues[o][0]
		n.queues[o] = n.queues[o][1:]
		n.stuck[o] = t
		n.a.Waits(o, 1)
		n.decide()
	}
	mine := o.IsLookup() && o.Credits > n.kept()
	turn := n.a.Reserve(o)
	switch possible := n.counted() - n.hope() + o.Credits; {
	case turn == Never && (possible <= n.limit && n.hope() > 0 || n.counted()+n.reserved()+n.before(o, mine)+o.Credits <= n.limit):
		n.t.Fatalf("%s never gets its turn, and %d of %d are counted", o.Name, n.counted(), n.limit)
	case turn == Later && possible > n.limit:
		n.t.Fatalf("%s waits for what will never be", o.Name)
	case turn == Later:
		return false
	case turn == Now && n.counted()+n.reserved()+n.before(o, mine)+o.Credits > n.limit:
		n.t.Fatalf("%s takes what others have a right to", o.Name)
	case turn == Now && mine && n.blocking(nil) != nil:
		n.t.Fatalf("%s is sent before %+v, which may still fit", o.Name, *n.blocking(nil))
	}
	n.stuck[o] = nil
	n.a.Waits(o, -1)
	if turn == Never {
		n.end(o)
		return true
	}
	if o.IsLookup() {
		n.made += o.Credits
	}
	switch {
	case t.of == nil:
	case t.tries > 0:
		n.again[o] = max(0, n.again[o]-o.Credits)
	default:
		t.of.left = max(0, t.of.left-o.Credits)
	}
	n.air = append(n.air, *t)
	n.decide()
	return true
}

// before is what comes before a request of an operation.
func (n *harvest) before(o api.Operation, beyondShare bool) (credits int) {
	if o != api.ByType {
		credits = n.granted(api.ByType)
	}
	if o.IsLookup() {
		credits += n.granted(api.ByStatus)
	}
	if beyondShare {
		credits += n.expects
		for _, w := range n.wanted {
			if w.granted && !w.priced {
				credits += w.Grows
			}
		}
	}
	return credits
}

// end ends a lane: the service refuses its requests, or no credits are left for one.
func (n *harvest) end(o api.Operation) {
	n.ended[o], n.queues[o], n.again[o] = true, nil, 0
	if n.stuck[o] != nil {
		n.stuck[o] = nil
		n.a.Waits(o, -1)
	}
	if o.IsLookup() {
		n.a.Lookups(o, 0)
	} else {
		n.a.Ended(o)
		n.forget(o)
	}
	n.decide()
}

// answer answers a request in flight: with data, for less, or so that nobody knows whether it was billed.
func (n *harvest) answer() {
	i := n.r.IntN(len(n.air))
	t := n.air[i]
	n.air = slices.Delete(n.air, i, i+1)
	switch dice := n.r.IntN(10); {
	case dice == 0: // no answer
		n.unknown += t.o.Credits
		if n.r.IntN(2) == 0 {
			n.lied += t.o.Credits
		}
		t.tries++
		if t.of != nil && t.tries < 3 {
			n.a.Again(t.o, 1)
		}
		if t.tries < 3 && !n.ended[t.o] {
			if t.of != nil {
				n.again[t.o] += t.o.Credits
			}
			n.queues[t.o] = append([]try{t}, n.queues[t.o]...)
		}
	case dice == 1 && t.o.IsLookup(): // the service does not know the vessel
		n.unknown += t.o.Credits
		n.lied += t.o.Credits
	default:
		if t.of == nil || t.of.pages > 0 {
			n.sure += t.o.Credits
		}
	}
	n.a.Answered(t.o, n.counted(), n.hope()+n.lost)
	if t.of != nil && !t.of.priced {
		n.price(t.of)
	}
	if n.counted()+n.reserved() > n.limit {
		n.t.Fatalf("%d are counted and %d in flight, of %d", n.counted(), n.reserved(), n.limit)
	}
	n.decide()
}

// price makes the price of a partition known: its other pages are queued, more are asked for, or fewer needed.
func (n *harvest) price(w *wanted) {
	w.priced = true
	n.a.Priced(w.ID)
	planned := w.Most / 10
	if n.ended[w.Lane] {
		return
	}
	for range min(planned, w.pages) - 1 {
		n.queues[w.Lane] = append(n.queues[w.Lane], try{o: w.Lane, of: w})
	}
	if fewer := 10 * (planned - max(1, w.pages)); fewer > 0 {
		n.a.Fewer(w.Lane, fewer)
		w.left -= fewer
	}
	if w.pages > planned {
		rest := &wanted{Search: Search{ID: len(n.wanted), Lane: w.Lane, Most: 10 * (w.pages - planned), Worth: w.Worth}, pages: w.pages - planned, priced: true}
		n.wanted[rest.ID] = rest
		n.a.Ask(rest.Search)
	}
}

// balance reads a quiet balance, which tells of all outcomes, or of none.
func (n *harvest) balance() {
	if n.r.IntN(4) == 0 {
		n.lost = n.unknown
		n.a.NoOutcome()
	} else {
		n.sure += n.unknown - n.lied
		n.unknown, n.lied, n.lost = 0, 0, 0
		n.a.Count(n.counted(), 0)
	}
	n.decide()
}

// play plays a night to its end.
func (n *harvest) play() {
	for step := 0; ; step++ {
		if step > 10_000 {
			n.t.Fatal("the night does not end")
		}
		lanes := slices.Clone(api.Operations)
		n.r.Shuffle(len(lanes), func(i, j int) { lanes[i], lanes[j] = lanes[j], lanes[i] })
		switch {
		case n.r.IntN(200) == 0:
			n.end(lanes[0])
		case n.news > 0 && n.r.IntN(10) == 0:
			n.news--
			n.ask(false)
			n.decide()
		case n.expects > 0 && n.r.IntN(20) == 0:
			n.expects = 0
			n.a.Expect(0)
			n.decide()
		case len(n.air) > 0 && n.r.IntN(2) == 0:
			n.answer()
		case slices.ContainsFunc(lanes, func(o api.Operation) bool { return !n.ended[o] && n.send(o) }):
		case len(n.air) > 0:
			n.answer()
		case n.a.NeedsOutcomes():
			n.balance()
		case n.expects > 0:
			n.expects = 0
			n.a.Expect(0)
			n.decide()
		default:
			n.atEnd()
			return
		}
	}
}

// atEnd checks that nothing waits, and that nothing that waited could be paid for.
func (n *harvest) atEnd() {
	for _, w := range n.wanted {
		if !w.granted && !w.dropped {
			n.t.Errorf("%+v waits for ever, with %d credits free", *w, n.free())
		}
	}
	for o, t := range n.stuck {
		if t != nil {
			n.t.Errorf("%s waits for ever, with %d credits free", o.Name, n.free())
		}
	}
	if billed := n.counted() - n.lied; billed > n.limit || n.counted() > n.limit {
		n.t.Errorf("%d are billed and %d counted, of %d", billed, n.counted(), n.limit)
	}
}

// TestRandomNightsOfTheArbiter plays nights in which searches turn out shorter and longer than planned, requests fail
// and are sent again, outcomes are unknown, and lanes end. Each decision is checked against an account of their own:
// never more than the limit, nothing free that would pay for what waits, the better search first, and an end.
func TestRandomNightsOfTheArbiter(t *testing.T) {
	for seed := range uint64(10_000) {
		n := newHarvest(t, seed)
		n.play()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestTheBestChoice compares what is granted where every price is known with the best of all choices: that which has
// the most valuable search that any choice can have, then the next, and so on.
func TestTheBestChoice(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 3000 {
		limit := r.IntN(150)
		a := NewArbiter(AtMost(limit), 0)
		all := make([]Search, 1+r.IntN(8))
		for id := range all {
			all[id] = Search{ID: id, Lane: api.Searches[r.IntN(2)], Planned: r.IntN(3) == 0, Most: 10 * r.IntN(7), Worth: float64(r.IntN(4))}
			a.Ask(all[id])
		}
		slices.SortStableFunc(all, func(x, y Search) int {
			if better(&wanted{Search: x}, &wanted{Search: y}) {
				return -1
			}
			return 1
		})
		var best []bool
		for choice := range 1 << len(all) {
			cost, has := 0, make([]bool, len(all))
			for i, s := range all {
				if has[i] = choice&(1<<i) != 0; has[i] {
					cost += s.Most
				}
			}
			if cost <= limit && (best == nil || before(has, best)) {
				best = has
			}
		}
		granted := a.Decide().Granted
		for i, s := range all {
			if slices.Contains(granted, s.ID) != best[i] {
				t.Fatalf("of %+v with %d credits %v are granted, want %v", all, limit, granted, best)
			}
		}
	}
}

// before reports whether the first search that only one of two choices has is of the first.
func before(a, b []bool) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i]
		}
	}
	return false
}
