package pipeline

import (
	"context"
	"sync"

	"github.com/fleetlake/fleetlake/extract/api"
)

// queue holds the requests of one lane. It is drained when it is empty and nobody who
// could add to it is at work: a request in the air may lead to more, and so may another lane.
type queue struct {
	mu      sync.Mutex
	urgent  []api.Request // taken first
	rest    []api.Request
	writers int
	rested  func() // called when nothing is queued and nobody is at work but who keeps the queue open; may be nil
	changed chan struct{}
}

func newQueue(requests ...api.Request) *queue {
	return &queue{rest: requests, changed: make(chan struct{})}
}

// open says that somebody may still add requests; close that this one will not.
func (q *queue) open() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.writers++
}

func (q *queue) close() {
	q.mu.Lock()
	q.writers--
	q.wake()
	rested := q.rested
	if !q.resting() {
		rested = nil
	}
	q.mu.Unlock()
	if rested != nil {
		rested()
	}
}

// keepOpen opens the queue for one who decides, each time it is at rest, whether more comes.
func (q *queue) keepOpen(rested func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.writers++
	q.rested = rested
}

// keepNoLonger closes what keepOpen opened.
func (q *queue) keepNoLonger() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.writers--
	q.rested = nil
	q.wake()
}

// atRest reports whether nothing is queued or in the air of a queue that is kept open.
func (q *queue) atRest() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.resting()
}

func (q *queue) resting() bool {
	return q.rested != nil && q.writers == 1 && len(q.urgent)+len(q.rest) == 0
}

// push adds requests at the end, or before all that are not urgent.
func (q *queue) push(urgent bool, requests ...api.Request) {
	if len(requests) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if urgent {
		q.urgent = append(q.urgent, requests...)
	} else {
		q.rest = append(q.rest, requests...)
	}
	q.wake()
}

// pop takes the next request and counts its taker as a writer until close. It waits while
// more may come, and reports false when the queue is drained or ctx is done.
func (q *queue) pop(ctx context.Context) (api.Request, bool) {
	for {
		q.mu.Lock()
		list := &q.urgent
		if len(q.urgent) == 0 {
			list = &q.rest
		}
		if ctx.Err() == nil && len(*list) > 0 {
			r := (*list)[0]
			*list = (*list)[1:]
			q.writers++
			q.mu.Unlock()
			return r, true
		}
		drained, changed := q.writers == 0, q.changed
		q.mu.Unlock()
		if drained || ctx.Err() != nil {
			return api.Request{}, false
		}
		select {
		case <-ctx.Done():
		case <-changed:
		}
	}
}

// dropLast takes the last request that is not urgent out of the queue.
func (q *queue) dropLast() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.rest) == 0 {
		return false
	}
	q.rest = q.rest[:len(q.rest)-1]
	return true
}

// left returns the number of requests that wait.
func (q *queue) left() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.urgent) + len(q.rest)
}

func (q *queue) wake() {
	close(q.changed)
	q.changed = make(chan struct{})
}
