package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/durable"
	"github.com/gofrs/flock"
)

// FileName is the name of the outbox in a data directory.
const FileName = "notifications.json"

// Bounds of an outbox.
const (
	queued  = 64             // events that wait; a night has a few
	keptIDs = 2000           // ids of events that were queued; a job that runs each hour has 48 a day
	keptOf  = 10_000         // pieces of news that were queued
	KeepFor = 72 * time.Hour // an event that a receiver has not got by then is given up
)

// lockWithin is how long a change of the outbox waits for another process. A change takes milliseconds.
const lockWithin = 5 * time.Second

// outbox has the events that wait to be sent, and knows those that it has had. It is a file that is replaced whole
// at each change, and shared by the processes of a data directory. Where it cannot be written, as on a full disk,
// it goes on in memory, and is written when that is possible again.
type outbox struct {
	path string      // empty for one in memory
	warn func(error) // of a file that cannot be read or written

	mu      sync.Mutex
	unsaved *content // what the file does not have; nil if it has everything
}

// content is what the file has.
type content struct {
	Began   bool       `json:"began"`             // whether what was published before the first event is among those told
	Waiting []*waiting `json:"waiting,omitempty"` // in the order in which they were queued
	Told    []string   `json:"told,omitempty"`    // the ids of events that were queued or settled, in that order
	News    []string   `json:"news,omitempty"`    // hashes of the pieces of news that events have told, in that order
}

// waiting is an event that some receivers have not got.
type waiting struct {
	Event  Event             `json:"event"`
	Queued time.Time         `json:"queued"`
	To     map[string]*tries `json:"to"` // those receivers, by the id of their target
}

// tries are those of one event at one receiver.
type tries struct {
	Begun int       `json:"begun"`
	Next  time.Time `json:"next"` // the earliest time of the next
}

// change lets f change the content, stores it if f returns true, and reports whether the file has all of it.
func (o *outbox) change(f func(*content) bool) (stored bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.lock()()
	c := o.read()
	if !f(&c) && o.unsaved == nil {
		return true
	}
	if err := o.write(c); err != nil {
		if o.path != "" && o.unsaved == nil {
			o.warn(err)
		}
		o.unsaved = &c
		return false
	}
	o.unsaved = nil
	return true
}

// lock keeps other processes from changing the file. It is no reason to lose an event if that is impossible.
func (o *outbox) lock() (unlock func()) {
	if _, err := os.Stat(filepath.Dir(o.path)); o.path == "" || err != nil {
		return func() {}
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockWithin)
	defer cancel()
	l := flock.New(o.path + ".lock")
	if _, err := l.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		o.warn(fmt.Errorf("lock %s: %w", o.path, err))
	}
	return func() { _ = l.Unlock() } // closing the file releases it in any case
}

// read returns the content of the file, with what it lacks. A file that cannot be read is written anew.
func (o *outbox) read() content {
	stored, err := o.stored()
	if err != nil && o.unsaved == nil {
		o.warn(fmt.Errorf("read the outbox of notifications: %w", err))
		o.unsaved = &content{}
	}
	if o.unsaved == nil {
		return stored
	}
	return o.unsaved.with(stored)
}

// stored returns the content of the file.
func (o *outbox) stored() (c content, err error) {
	text, err := os.ReadFile(o.path)
	if o.path == "" || errors.Is(err, fs.ErrNotExist) {
		return content{}, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		return content{}, err
	}
	return c, nil
}

// with adds what another process has stored meanwhile. What both know is as c has it.
func (c content) with(stored content) content {
	c.Began = c.Began || stored.Began
	var others []*waiting
	for _, w := range stored.Waiting {
		if !slices.Contains(c.Told, w.Event.ID) {
			others = append(others, w)
		}
	}
	c.Waiting = append(others, c.Waiting...)
	c.Told = remembered(stored.Told, c.Told, keptIDs)
	c.News = remembered(stored.News, c.News, keptOf)
	return c
}

// write replaces the file.
func (o *outbox) write(c content) error {
	if o.path == "" {
		return errors.ErrUnsupported
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return durable.WriteFile(o.path, append(text, '\n'), 0o600) // names of receivers are hashes of what may be a secret
}

// remembered adds those that are new to a list, of which the newest are kept.
func remembered(list, added []string, most int) []string {
	known := make(map[string]bool, len(list)+len(added))
	for _, id := range list {
		known[id] = true
	}
	for _, id := range added {
		if !known[id] {
			list, known[id] = append(list, id), true
		}
	}
	return slices.Clone(list[max(len(list)-most, 0):])
}

// known returns those ids under which an event or a piece of news was queued.
func (o *outbox) known(ids []string) map[string]bool {
	known := map[string]bool{}
	o.change(func(c *content) bool {
		queued := map[string]bool{}
		for _, id := range slices.Concat(c.Told, c.News) {
			queued[id] = true
		}
		for _, id := range ids {
			if queued[id] {
				known[id] = true
			}
		}
		return false
	})
	return known
}

// begin remembers ids, if nothing was ever queued or remembered, and reports whether that is so.
func (o *outbox) begin(ids []string) (first bool) {
	o.change(func(c *content) bool {
		if first = !c.Began; first {
			c.Began, c.Told = true, remembered(c.Told, ids, keptIDs)
		}
		return first
	})
	return first
}

// add queues an event for receivers, with the pieces of news that it tells, unless one with its id was queued before.
// Of too many events the oldest is given up.
func (o *outbox) add(e Event, receivers, news []string, now time.Time) (lost []try) {
	o.change(func(c *content) bool {
		lost = nil
		if slices.Contains(c.Told, e.ID) {
			return false
		}
		c.Told, c.News = remembered(c.Told, []string{e.ID}, keptIDs), remembered(c.News, news, keptOf)
		if len(receivers) == 0 {
			return true
		}
		if len(c.Waiting) >= queued {
			for receiver := range c.Waiting[0].To {
				lost = append(lost, try{c.Waiting[0].Event, receiver})
			}
			c.Waiting = c.Waiting[1:]
		}
		w := &waiting{Event: e, Queued: now, To: map[string]*tries{}}
		for _, receiver := range receivers {
			w.To[receiver] = &tries{Next: now}
		}
		c.Waiting = append(c.Waiting, w)
		return true
	})
	return lost
}
