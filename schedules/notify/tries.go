package notify

import (
	"slices"
	"time"
)

// pauses lie between the tries of one event at one receiver; the last repeats until the event is given up.
var pauses = []time.Duration{
	2 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 6 * time.Hour,
}

// pauseAfter is the pause after so many tries.
func pauseAfter(tries int) time.Duration { return pauses[min(max(tries, 1), len(pauses))-1] }

// longestWait is the longest time from the begin of a try to the next.
var longestWait = tryFor + pauses[len(pauses)-1]

// try is an event that is sent, or no longer sent, to a receiver.
type try struct {
	event    Event
	receiver string // the id of its target
}

// due begins the tries that are due, and returns them, the events that are given up, and when the next try is due;
// zero without one. What it begins is stored first: a process that is killed in a try has made it, so that a receiver
// which it dies of is not asked at each start. Receivers that are no longer in the configuration are left out.
func (o *outbox) due(receivers []string, now time.Time) (begun, lost []try, next time.Time) {
	o.change(func(c *content) (changed bool) {
		begun, lost, next = nil, nil, time.Time{}
		for _, w := range c.Waiting {
			if w.Queued.After(now) { // the clock was ahead
				w.Queued, changed = now, true
			}
			for receiver, t := range w.To {
				late := t.Next.Sub(now) > longestWait // the same
				switch {
				case !slices.Contains(receivers, receiver):
					delete(w.To, receiver)
				case now.Sub(w.Queued) > KeepFor:
					delete(w.To, receiver)
					lost = append(lost, try{w.Event, receiver})
				case !t.Next.After(now) || late:
					t.Begun++
					t.Next = now.Add(tryFor + pauseAfter(t.Begun))
					begun = append(begun, try{w.Event, receiver})
				default:
					next = earlier(next, t.Next)
					continue
				}
				changed = true
			}
		}
		return c.dropTold() || changed
	})
	return begun, lost, next
}

// ended stores how a try ended: the receiver has the event, or will never take it, or gets it again after a pause.
func (o *outbox) ended(t try, settled bool, now time.Time) {
	o.change(func(c *content) bool {
		i := slices.IndexFunc(c.Waiting, func(w *waiting) bool { return w.Event.ID == t.event.ID })
		if i < 0 || c.Waiting[i].To[t.receiver] == nil {
			return false // it was given up meanwhile
		}
		if to := c.Waiting[i].To; settled {
			delete(to, t.receiver)
		} else {
			to[t.receiver].Next = now.Add(pauseAfter(to[t.receiver].Begun))
		}
		c.dropTold()
		return true
	})
}

// left returns what waits, and whether the file has it.
func (o *outbox) left() (all []try, stored bool) {
	stored = o.change(func(c *content) bool {
		all = nil
		for _, w := range c.Waiting {
			for receiver := range w.To {
				all = append(all, try{w.Event, receiver})
			}
		}
		return false
	})
	return all, stored
}

// dropTold drops the events that no receiver waits for, and reports whether there were any.
func (c *content) dropTold() bool {
	before := len(c.Waiting)
	c.Waiting = slices.DeleteFunc(c.Waiting, func(w *waiting) bool { return len(w.To) == 0 })
	return len(c.Waiting) < before
}

// earlier is the earlier of two times, of which zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
