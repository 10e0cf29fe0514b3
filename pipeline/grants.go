package pipeline

import (
	"slices"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// candidate is a search that asks for credits, and what the harvest does when it gets them.
type candidate struct {
	credits.Search
	kind  string             // its name in reports
	page  *paging            // the partition of a by-type search
	rest  int                // so many further pages of it, whose first page is paid for; 0 is the partition itself
	sweep *plan.StatusSearch // of a by-status search
}

// searches carries out the decisions on the searches of a run. Its methods run under the lock of spending, except
// where it says otherwise.
type searches struct {
	listing *listing
	queues  map[api.Operation]*queue // of the two searches; each is kept open while it may get more credits
	lookups map[api.Operation]*queue

	asked   []candidate     // by id
	lacking map[string]bool // searches that got no credits, by searchKey
}

func newSearches() searches {
	return searches{queues: map[api.Operation]*queue{}, lookups: map[api.Operation]*queue{}, lacking: map[string]bool{}}
}

// begin asks for the searches of a plan, in order, and then for those that it left out. The queues stay open until
// nothing more can follow.
func (s *spending) begin(l *listing, sweep *queue, lookups map[api.Operation]*queue, wanted []candidate) {
	s.event(func(a *credits.Arbiter) {
		s.work.listing, s.work.lookups = l, lookups
		s.work.queues = map[api.Operation]*queue{api.ByType: l.queue, api.ByStatus: sweep}
		for _, q := range s.work.queues {
			q.open()
		}
		a.Expect(l.checksToCome())
		for _, c := range wanted {
			s.work.ask(a, c)
		}
	})
}

// ask adds a candidate, and notes its id.
func (w *searches) ask(a *credits.Arbiter, c candidate) {
	c.ID = len(w.asked)
	if c.page != nil && c.rest == 0 {
		c.page.id = c.ID
	}
	w.asked = append(w.asked, c)
	a.Ask(c.Search)
}

// decide carries out what the arbiter decides, until nothing follows any more.
func (w *searches) decide(a *credits.Arbiter) {
	for {
		w.count(a)
		d := a.Decide()
		for _, id := range d.Granted {
			w.start(w.asked[id])
		}
		for _, drop := range d.Dropped {
			w.drop(a, w.asked[drop.ID], drop.Why)
		}
		if len(d.Granted)+len(d.Dropped) == 0 && !w.follow(a) {
			return
		}
	}
}

// count tells the arbiter which lanes are idle, and how many lookups wait.
func (w *searches) count(a *credits.Arbiter) {
	for o, q := range w.queues {
		a.Idle(o, q.isIdle() && !(o == api.ByType && w.listing.skipLostPages()))
	}
	for o, q := range w.lookups {
		a.Lookups(o, q.waiting())
	}
}

// follow asks for the checks once the cover is complete, and closes a queue to which no search can add requests any
// more. It reports whether it did.
func (w *searches) follow(a *credits.Arbiter) bool {
	for _, o := range []api.Operation{api.ByType, api.ByStatus} {
		q := w.queues[o]
		if q == nil || !q.isIdle() || a.Waiting(o) {
			continue
		}
		if o == api.ByType {
			checks := w.listing.check()
			a.Expect(0)
			if len(checks) > 0 {
				for _, p := range checks {
					w.ask(a, candidate{Search: credits.Search{Lane: o, Most: p.Unpaid * o.Credits}, kind: plan.ListChecks, page: p})
				}
				return true
			}
		}
		w.close(a, o)
		return true
	}
	return false
}

// close ends the lane of a search when the requests in its queue are sent.
func (w *searches) close(a *credits.Arbiter, o api.Operation) {
	if q := w.queues[o]; q != nil {
		delete(w.queues, o)
		q.close()
	}
	a.Ended(o)
}

// start queues the requests of a candidate that got its credits.
func (w *searches) start(c candidate) {
	switch {
	case c.sweep != nil:
		w.queues[api.ByStatus].push(false, c.sweep.Request())
	case c.rest > 0:
		w.listing.grant(c.page, c.rest)
	default:
		w.listing.start(c.page)
	}
}

// drop records that a candidate gets no credits.
func (w *searches) drop(a *credits.Arbiter, c candidate, why credits.Why) {
	switch {
	case why == credits.NoCredits && c.rest > 0:
		w.listing.cutShort(c.page)
	case why == credits.NoCredits && c.sweep != nil:
		w.lacking[c.sweep.Request().Key()] = true
	case why == credits.NoCredits:
		w.lacking[keyOf(c.page.Type, c.page.Country)] = true
	}
	if c.kind == plan.PartitionsOfList {
		w.listing.incomplete()
		a.Expect(0)
	}
}

// listed takes in what the answer to a page says of the price of its partition. It takes the lock.
func (s *spending) listed(n need) {
	if n == (need{}) {
		return
	}
	s.event(func(a *credits.Arbiter) {
		if n.first {
			a.Priced(n.of.id)
		}
		a.Fewer(api.ByType, n.fewer*api.ByType.Credits)
		if n.more > 0 {
			kind := plan.PartitionsOfList
			if n.of.check {
				kind = plan.ListChecks
			}
			s.work.ask(a, candidate{Search: credits.Search{Lane: api.ByType, Most: n.unpaid * api.ByType.Credits,
				Worth: n.worth}, kind: kind, page: n.of, rest: n.more})
		}
	})
}

// setAside keeps credits for the questions of the plan by an operation. It takes the lock.
func (s *spending) setAside(o api.Operation, most int) {
	s.event(func(a *credits.Arbiter) { a.SetAside(o, most) })
}

// ended records that a lane sends no more requests: its candidates are left out, and searches may use what was kept
// for its lookups. It takes the lock.
func (s *spending) ended(o api.Operation) {
	s.event(func(a *credits.Arbiter) {
		if o.IsLookup() {
			delete(s.work.lookups, o)
			a.Lookups(o, 0)
			return
		}
		s.work.close(a, o)
	})
}

// requestEnded records that the queue of a lane may be idle now. It takes the lock.
func (s *spending) requestEnded() { s.event(func(*credits.Arbiter) {}) }

// candidates returns the searches of the plan, and those that it left out for lack of credits.
func (h *harvest) candidates() (all []candidate) {
	list := func(p *paging, planned bool) candidate {
		most := p.Unpaid * api.ByType.Credits
		c := candidate{Search: credits.Search{Lane: api.ByType, Planned: planned, Most: most, Worth: p.Worth(),
			Returns: most}, kind: plan.PartitionsOfList, page: p}
		switch {
		case p.Expected < 0:
			c.Grows = unseenPages * api.ByType.Credits
		case p.Unpaid > 0:
			c.Grows = max(1, max(1, p.Pages)/plan.Growth) * api.ByType.Credits
		}
		return c
	}
	sweep := func(s plan.StatusSearch, planned bool) candidate {
		worth := plan.Worth(s.Expected, plan.NightsOld(s.At, h.work.started))
		return candidate{Search: credits.Search{Lane: api.ByStatus, Planned: planned,
			Most: s.Unpaid * api.ByStatus.Credits, Worth: worth}, kind: plan.StatusSearches, sweep: &s}
	}
	for _, p := range h.listing.cover {
		all = append(all, list(p, true))
	}
	for _, s := range h.work.decided.Sweeps {
		all = append(all, sweep(s, true))
	}
	for _, s := range h.work.decided.Waiting {
		if s.Lane == api.ByType {
			all = append(all, list(h.listing.addWaiting(s.Partition), false))
		} else {
			all = append(all, sweep(s.Sweep, false))
		}
	}
	return slices.Clip(all)
}

// unseenPages is the assumed number of pages of a partition that was never listed, until its first
// page reports the total: 2,000 vessels.
const unseenPages = 20
