package extract

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// window is the minute that limits speak of, and a thousandth for clocks that differ.
	window = time.Minute + time.Minute/1000
	// arrival is how long after it was sent a request is counted at the latest, as long as
	// the service has never answered 429.
	arrival = time.Second
	// calm is how long a lane must go without a 429 to win a slot back.
	calm = 10 * time.Minute
	// debt is how many sends a lane may be behind its even spacing and catch up on.
	debt = 3
	// grain is the shortest wait worth a timer: faster lanes are held by their slots alone.
	grain = time.Millisecond
)

// Lane is the rate limit of one operation. It owns as many slots as requests are allowed in a minute.
//
// A slot is taken when a request is sent and comes free a window after the service has
// surely counted it: when its answer was received, or a second after it was sent, whichever
// came first. So no fixed or moving minute ever holds more than the limit, however long
// answers take. A lane that was answered 429 all the same believes in answers only: then a
// request may have been counted at any time until its answer. Sends are also spaced evenly.
type Lane struct {
	mu      sync.Mutex
	limit   int
	slots   int         // what 429s have left of the limit
	strict  bool        // a slot comes free by its answer only
	inAir   int         // slots of requests that wait for an answer and hold no place in free
	free    []time.Time // when the other taken slots come free, ascending
	next    time.Time   // the earliest even-spaced send
	held    time.Time   // no send before this
	limited time.Time   // the last 429, or when the last slot was won back
	changed chan struct{}
}

// NewLane returns a lane of so many requests a minute.
func NewLane(perMinute int) *Lane {
	return &Lane{limit: perMinute, slots: perMinute, changed: make(chan struct{})}
}

// Wait returns when the next request may be sent, and takes its slot. Every Wait that
// returns nil is answered by one Done, which is given the same ticket.
func (l *Lane) Wait(ctx context.Context) (Ticket, error) {
	for {
		if err := ctx.Err(); err != nil {
			return Ticket{}, err
		}
		ticket, delay, changed := l.take(time.Now())
		if delay == 0 {
			return ticket, nil
		}
		timer := time.NewTimer(delay)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-changed:
		}
		timer.Stop()
	}
}

// Ticket is the slot of a request in the air.
type Ticket struct {
	free  time.Time // zero while only the answer frees it
	probe bool      // it asks whether the service is back
}

// Done says that the answer of a request was received, or that none will come.
func (l *Lane) Done(t Ticket, received time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := received.Add(window)
	if t.free.IsZero() {
		l.inAir--
	} else if i, ok := slices.BinarySearchFunc(l.free, t.free, time.Time.Compare); ok {
		l.free = slices.Delete(l.free, i, i+1)
		if !l.strict && t.free.Before(at) {
			at = t.free
		}
	} else if !l.strict {
		at = t.free // its slot came free while it was in the air
	}
	l.occupy(at)
	l.wake()
}

// Limited says that the service answered 429: the lane rests for a minute, or as long as
// the service asks, and goes on with one slot less.
func (l *Lane) Limited(now time.Time, retryAfter time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest(now, retryAfter)
	l.slots = max(1, l.slots-1)
}

// StillLimited says that it answers 429 again, with no other answer since. The lane rests and
// keeps its slots: it has not sent too much since.
func (l *Lane) StillLimited(now time.Time, retryAfter time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest(now, retryAfter)
}

func (l *Lane) rest(now time.Time, retryAfter time.Duration) {
	l.held = latest(l.held, now.Add(max(time.Minute, retryAfter)))
	l.strict = true
	l.limited = now
}

// Inherit takes the slot of a request that an earlier process sent.
func (l *Lane) Inherit(sent, received time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.occupy(latest(sent, received).Add(window))
	l.next = latest(l.next, sent.Add(l.spacing()))
}

// PerMinute returns the limit that the lane keeps now.
func (l *Lane) PerMinute() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.slots
}

// take takes a slot and returns 0, or returns how long to wait, and what is closed when
// waiting longer makes no sense.
func (l *Lane) take(now time.Time) (Ticket, time.Duration, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.slots < l.limit && now.Sub(l.limited) >= calm {
		l.slots++
		l.limited = now
	}
	i, _ := slices.BinarySearchFunc(l.free, now, func(t, now time.Time) int { return t.Compare(now.Add(1)) })
	l.free = slices.Delete(l.free, 0, i)

	at := latest(l.next, l.held)
	if over := l.inAir + len(l.free) - l.slots; over >= 0 {
		if over >= len(l.free) {
			return Ticket{}, calm, l.changed // every slot is in the air: an answer will wake us
		}
		at = latest(at, l.free[over])
	}
	if delay := at.Sub(now); delay >= grain || (delay > 0 && l.spacing() >= grain) {
		return Ticket{}, delay, l.changed
	}
	l.next = latest(l.next, now.Add(-debt*l.spacing())).Add(l.spacing())
	if l.strict {
		l.inAir++
		return Ticket{}, 0, nil
	}
	t := Ticket{free: now.Add(arrival + window)}
	l.occupy(t.free)
	return t, 0, nil
}

func (l *Lane) spacing() time.Duration { return time.Minute / time.Duration(l.slots) }

// occupy takes a slot until a time.
func (l *Lane) occupy(t time.Time) {
	i, _ := slices.BinarySearchFunc(l.free, t, time.Time.Compare)
	l.free = slices.Insert(l.free, i, t)
}

func (l *Lane) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
