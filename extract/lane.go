package extract

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// window is the minute of a rate limit, and a thousandth more for clocks that differ.
	window = time.Minute + time.Minute/1000
	// countedWithin is the time after sending in which the service counts a request, as long as
	// it has never answered 429.
	countedWithin = time.Second
	// recoverAfter is how long a lane must be without a 429 to get a slot back.
	recoverAfter = 10 * time.Minute
	// mostBehind is how many sends a lane may be behind its even spacing and catch up on.
	mostBehind = 3
	// shortestWait is the shortest wait worth a timer: only slots limit faster lanes.
	shortestWait = time.Millisecond
)

// Lane is the rate limit of one operation. It has as many slots as requests are allowed in a
// minute. It is safe for concurrent use.
//
// A request takes a slot when it is sent. The slot becomes free a window after the service has
// surely counted the request: when its answer was received, or a second after it was sent,
// whichever came first. So no fixed or moving minute ever has more requests than the limit,
// however long answers take. After a 429 the lane counts from answers only, because a request may
// have been counted at any time until its answer. Sends are also spaced evenly.
type Lane struct {
	mu        sync.Mutex
	limit     int
	slots     int         // the limit, less the slots that 429s took away
	strict    bool        // only its answer frees a slot
	inFlight  int         // slots of requests in flight that are not in free
	free      []time.Time // when the other taken slots become free, ascending
	next      time.Time   // the earliest send by even spacing
	restUntil time.Time   // no send before this
	limited   time.Time   // the last 429, or when the lane last got a slot back
	changed   Changes
}

// newLane returns a lane of so many requests a minute.
func newLane(perMinute int) *Lane {
	return &Lane{limit: perMinute, slots: perMinute}
}

// Wait returns when the next request may be sent, and takes its slot. The caller calls Done once,
// with the same ticket, after each Wait that returns nil. Its only error is that of ctx.
func (l *Lane) Wait(ctx context.Context) (Ticket, error) {
	for {
		if err := ctx.Err(); err != nil {
			return Ticket{}, err
		}
		ticket, delay, changed := l.take(time.Now())
		if delay == 0 {
			return ticket, nil
		}
		Pause(ctx, delay, changed)
	}
}

// Ticket is the slot of a request in flight.
type Ticket struct {
	free  time.Time // when the slot becomes free; zero while only the answer frees it
	probe bool      // the request finds out whether the service is back
}

// Done records that the answer of a request was received, or that none will come.
func (l *Lane) Done(t Ticket, received time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := received.Add(window)
	if t.free.IsZero() {
		l.inFlight--
	} else if i, ok := slices.BinarySearchFunc(l.free, t.free, time.Time.Compare); ok {
		l.free = slices.Delete(l.free, i, i+1)
		if !l.strict && t.free.Before(at) {
			at = t.free
		}
	} else if !l.strict {
		at = t.free // its slot became free while it was in flight
	}
	l.occupy(at)
	l.changed.Wake()
}

// Limited records that the service answered 429: the lane rests for a minute, or as long as
// the service asks, and continues with one slot less.
func (l *Lane) Limited(now time.Time, retryAfter time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest(now, retryAfter)
	l.slots = max(1, l.slots-1)
}

// stillLimited records that the service answered 429 again, with no other answer since. The lane
// rests and keeps its slots, because it has not sent too much since.
func (l *Lane) stillLimited(now time.Time, retryAfter time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest(now, retryAfter)
}

func (l *Lane) rest(now time.Time, retryAfter time.Duration) {
	l.restUntil = latest(l.restUntil, now.Add(max(time.Minute, retryAfter)))
	l.strict = true
	l.limited = now
}

// Inherit takes the slot of a request that an earlier process sent. One that is dated later than now
// counts as sent now: the clock was set back since, and nobody knows how long ago it was.
func (l *Lane) Inherit(sent, received time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	sent, received = earliest(sent, now), earliest(received, now)
	l.occupy(latest(sent, received).Add(window))
	l.next = latest(l.next, sent.Add(l.spacing()))
}

// PerMinute returns the limit that the lane keeps now.
func (l *Lane) PerMinute() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.slots
}

// take takes a slot and returns 0, or returns how long to wait, and a channel that closes when a
// slot may have become free earlier.
func (l *Lane) take(now time.Time) (Ticket, time.Duration, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.slots < l.limit && now.Sub(l.limited) >= recoverAfter {
		l.slots++
		l.limited = now
	}
	i, _ := slices.BinarySearchFunc(l.free, now, func(t, now time.Time) int { return t.Compare(now.Add(1)) })
	l.free = slices.Delete(l.free, 0, i)

	at := latest(l.next, l.restUntil)
	if over := l.inFlight + len(l.free) - l.slots; over >= 0 {
		if over >= len(l.free) {
			return Ticket{}, recoverAfter, l.changed.Next() // every slot is in flight: an answer ends the wait
		}
		at = latest(at, l.free[over])
	}
	if delay := at.Sub(now); delay >= shortestWait || (delay > 0 && l.spacing() >= shortestWait) {
		return Ticket{}, delay, l.changed.Next()
	}
	l.next = latest(l.next, now.Add(-mostBehind*l.spacing())).Add(l.spacing())
	if l.strict {
		l.inFlight++
		return Ticket{}, 0, nil
	}
	t := Ticket{free: now.Add(countedWithin + window)}
	l.occupy(t.free)
	return t, 0, nil
}

func (l *Lane) spacing() time.Duration { return time.Minute / time.Duration(l.slots) }

// occupy takes a slot until a time.
func (l *Lane) occupy(t time.Time) {
	i, _ := slices.BinarySearchFunc(l.free, t, time.Time.Compare)
	l.free = slices.Insert(l.free, i, t)
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
