package pipeline

import (
	"context"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/credits"
)

// spending is the credits of a run while it harvests. It holds the one lock over the account, the arbiter and what
// follows from a decision, so that a credit that comes back is decided on before anybody else can take it.
type spending struct {
	mu      sync.Mutex
	run     string
	account *credits.Account
	arbiter *credits.Arbiter
	work    searches
	early   map[int]early   // entries whose predecessors are on their way to the disk, by number
	next    int             // the number of the entry that the account takes in next
	changed extract.Changes // after each event
	doubt   bool            // a request was of unknown outcome, and none was answered since
	answers chan struct{}   // has an element when the service answers again after that

	unprovable int // credits of unknown outcome of which no balance will tell
}

// early is an entry that came before its predecessor.
type early struct {
	operation api.Operation
	entry     journal.Entry
}

// newSpending returns the spending of a run whose account has begun, and whose segment has its plan alone.
func newSpending(account *credits.Account, run string, limit credits.Limit, share int) *spending {
	return &spending{run: run, account: account, arbiter: credits.NewArbiter(limit, share), work: newSearches(),
		early: map[int]early{}, next: 1,
		answers: make(chan struct{}, 1)}
}

// event changes the arbiter, carries out what it decides, and lets those look again that wait.
func (s *spending) event(change func(*credits.Arbiter)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.arbiter)
	s.work.decide(s.arbiter)
	s.changed.Wake()
}

// Reserve is that of extract.Budget.
func (s *spending) Reserve(ctx context.Context, o api.Operation) error {
	turn, changed := s.reserve(o)
	if turn == credits.Later { // searches that wait for lookups do not wait for this one
		s.event(func(a *credits.Arbiter) { a.Waits(o, 1) })
		defer s.event(func(a *credits.Arbiter) { a.Waits(o, -1) })
		turn, changed = s.reserve(o)
	}
	for ; turn == credits.Later; turn, changed = s.reserve(o) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
	if turn == credits.Never {
		return extract.ErrBudget
	}
	return nil
}

func (s *spending) reserve(o api.Operation) (credits.Turn, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.work.count(s.arbiter)
	return s.arbiter.Reserve(o), s.changed.Next()
}

// Count is that of extract.Budget. The account takes in the entries in the order of the segment.
func (s *spending) Count(o api.Operation, e journal.Entry, again int) {
	s.event(func(a *credits.Arbiter) {
		a.Again(o, again)
		s.early[e.N] = early{o, e}
		for {
			next, here := s.early[s.next]
			if !here {
				return
			}
			delete(s.early, s.next)
			s.next++
			s.add(next)
		}
	})
}

// add takes in the next entry of the segment.
func (s *spending) add(next early) {
	s.account.Add(next.entry)
	spent := s.account.Run(s.run)
	if _, provable := s.account.QuietAt(); !provable {
		s.unprovable = spent.Unproved
	}
	counted, open := spent.Counted(), spent.Unproved-s.unprovable
	s.doubt = s.doubt || next.entry.Charge == journal.ChargeUnknown
	if s.doubt && next.entry.OK() {
		s.doubt = false
		select {
		case s.answers <- struct{}{}:
		default: // a reading of the balance is asked for already
		}
	}
	if next.entry.Kind == journal.KindAnswer {
		s.arbiter.Answered(next.operation, counted, open)
	} else {
		s.arbiter.Count(counted, open)
	}
}

// Cancel is that of extract.Budget.
func (s *spending) Cancel(o api.Operation, requests, again int) {
	if requests == 0 && again == 0 {
		return
	}
	s.event(func(a *credits.Arbiter) {
		for range requests {
			a.Cancel(o)
		}
		a.Again(o, -again)
	})
}

// pays reports whether a request of an operation could still be paid.
func (s *spending) pays(o api.Operation) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.arbiter.Pays(o)
}

// needsOutcomes reports whether something waits that only credits of unknown outcome can pay for, when a balance
// can tell of them, and whether one can. Changed is closed after the next event.
func (s *spending) needsOutcomes() (needs bool, at time.Time, provable bool, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, provable = s.account.QuietAt()
	return s.arbiter.NeedsOutcomes(), at, provable, s.changed.Next()
}

// affords returns how many more lookups of an operation the credits pay for.
func (s *spending) affords(o api.Operation) credits.Limit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.arbiter.Affords(o)
}
