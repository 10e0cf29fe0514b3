package pipeline

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
)

// queue is the waiting requests of one lane. It is drained when it is empty and has no writer: a
// request in flight is one, since its answer may lead to more, and so may another lane be.
type queue struct {
	mu      sync.Mutex
	carried []api.Request // have their answers from an earlier run of the night: popped first, also when the run ends
	urgent  []api.Request // popped before the rest
	rest    []api.Request
	writers int
	changed extract.Changes

	answered func(key string) bool // whether an earlier run of the night has the answer to a request; nil is none

	admits atomic.Bool // a request was popped that waits for its turn and its credits
}

func newQueue(requests ...api.Request) *queue {
	return &queue{rest: requests}
}

// open adds a writer, who may still push requests; close removes one.
func (q *queue) open() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.writers++
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.writers--
	q.changed.Wake()
}

// isIdle reports whether a queue that its only other writer keeps open has no request that waits or is in flight.
func (q *queue) isIdle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.writers == 1 && len(q.carried)+len(q.urgent)+len(q.rest) == 0
}

// push adds requests at the end, or, if they are urgent, before all that are not. Those that an earlier run of the
// night has the answers to come first: they cost neither time nor credits, and a run that is stopped has them too.
func (q *queue) push(urgent bool, requests ...api.Request) {
	if len(requests) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range requests {
		list := &q.rest
		switch {
		case q.answered != nil && q.answered(r.Key()):
			list = &q.carried
		case urgent:
			list = &q.urgent
		}
		*list = append(*list, r)
	}
	q.changed.Wake()
}

// pop returns the next request, whose taker is a writer until close. It waits while there are
// writers, and reports false when the queue is drained, or ctx is done and no answer is carried over.
func (q *queue) pop(ctx context.Context) (api.Request, bool) {
	for {
		q.mu.Lock()
		list := &q.rest
		switch {
		case len(q.carried) > 0:
			list = &q.carried
		case len(q.urgent) > 0:
			list = &q.urgent
		}
		if len(*list) > 0 && (ctx.Err() == nil || list == &q.carried) {
			r := (*list)[0]
			*list = (*list)[1:]
			q.writers++
			q.admits.Store(true)
			q.mu.Unlock()
			return r, true
		}
		drained, changed := q.writers == 0, q.changed.Next()
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

// dropLast removes the last request that is not urgent, and reports whether there was one.
func (q *queue) dropLast() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.rest) == 0 {
		return false
	}
	q.rest = q.rest[:len(q.rest)-1]
	return true
}

// waiting returns the number of requests that wait, with the one that waits for its turn and its credits.
func (q *queue) waiting() int {
	if q.admits.Load() {
		return q.left() + 1
	}
	return q.left()
}

// left returns the number of requests that wait in the queue to be sent.
func (q *queue) left() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.urgent) + len(q.rest)
}
