package turns

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Errors of Take, beside those of the context.
var (
	ErrFull = errors.New("as many wait as may")
	ErrLate = errors.New("no turn within the time")
)

// Turns are places that clients share.
type Turns struct {
	most, queue int // places, and clients that may wait for one

	mu      sync.Mutex
	taken   int
	of      map[string]client // those that have a place or wait
	waiting []*waiter         // who came first is first
}

// client counts the places of a client.
type client struct{ taken, waiting int }

// waiter waits for a place.
type waiter struct {
	client string
	turn   chan struct{}    // closed when it has the place
	tell   func(before int) // nil without somebody who asked
	told   int              // the last that tell was told; -1 before the first
}

// New returns so many places, for which so many may wait at a time.
func New(most, queue int) *Turns {
	return &Turns{most: most, queue: queue, of: map[string]client{}}
}

// mayTake reports whether a client with so many places may have one more of those that are free. This is the rule of the
// package.
func mayTake(has, free int) bool { return has < free }

// Take waits for a place for the client of ctx, as long as it may; wait below 0 is without end, and 0 not at all. leave
// gives the place back. Its errors are ErrFull, ErrLate and those of the context.
func (t *Turns) Take(ctx context.Context, wait time.Duration) (leave func(), err error) {
	return t.TakeAndTell(ctx, wait, nil)
}

// TakeAndTell is Take, and tells how many came before this one and still wait, when it begins to wait and whenever that
// changes. tell must not block: all who come or leave wait for it.
func (t *Turns) TakeAndTell(ctx context.Context, wait time.Duration, tell func(before int)) (leave func(), err error) {
	w := &waiter{client: Client(ctx), turn: make(chan struct{}), tell: tell, told: -1}
	if err := t.enter(w, wait != 0); err != nil {
		return nil, err
	}
	var late <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		late = timer.C
	}
	leave = sync.OnceFunc(func() { t.leave(w.client) })
	select {
	case <-w.turn:
		return leave, nil
	default:
	}
	select {
	case <-w.turn:
		return leave, nil
	case <-late:
		err = ErrLate
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if t.giveUp(w) {
		return nil, err
	}
	return leave, nil // it got its turn in the same moment
}

// enter gives a waiter its place, or lets it wait.
func (t *Turns) enter(w *waiter, mayWait bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	of := t.of[w.client]
	if !mayTake(of.taken, t.most-t.taken) && (!mayWait || !mayTake(of.waiting, t.queue-len(t.waiting))) {
		return ErrFull
	}
	of.waiting++
	t.of[w.client] = of
	t.waiting = append(t.waiting, w)
	t.serve()
	return nil
}

// leave gives a place of a client back.
func (t *Turns) leave(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken--
	t.count(name, -1, 0)
	t.serve()
}

// giveUp ends a wait; false if it has its turn.
func (t *Turns) giveUp(w *waiter) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.waiting, w)
	if i < 0 {
		return false
	}
	t.waiting = slices.Delete(t.waiting, i, i+1)
	t.count(w.client, 0, -1)
	t.tell()
	return true
}

// serve gives free places to those who may have one, who waited longest first.
func (t *Turns) serve() {
	for {
		next := slices.IndexFunc(t.waiting, func(w *waiter) bool { return mayTake(t.of[w.client].taken, t.most-t.taken) })
		if next < 0 {
			t.tell()
			return
		}
		w := t.waiting[next]
		t.waiting = slices.Delete(t.waiting, next, next+1)
		t.taken++
		t.count(w.client, 1, -1)
		close(w.turn)
	}
}

// tell tells those who wait how many are before them, where that has changed.
func (t *Turns) tell() {
	for before, w := range t.waiting {
		if w.tell != nil && w.told != before {
			w.told = before
			w.tell(before)
		}
	}
}

// count changes the counts of a client, and forgets one that has nothing.
func (t *Turns) count(name string, taken, waiting int) {
	of := t.of[name]
	of.taken, of.waiting = of.taken+taken, of.waiting+waiting
	if t.of[name] = of; of == (client{}) {
		delete(t.of, name)
	}
}

// Counts returns how many places are taken, and how many wait for one.
func (t *Turns) Counts() (taken, waiting int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken, len(t.waiting)
}
