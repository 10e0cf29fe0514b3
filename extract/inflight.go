package extract

import (
	"context"
	"sync"
	"time"
)

// readingTime is how long Drain lets requests read an answer that has begun to arrive.
const readingTime = 200 * time.Millisecond

// shutdownGrace is how long a request stays in flight after its run was stopped or its deadline is over.
// A request without an answer by then counts as spent until a balance proves otherwise.
const shutdownGrace = 20 * time.Second

// InFlight is the set of requests in flight. It lets a process end at once and still keep every
// answer that has arrived. All clients of a process share one. Its zero value is empty and ready;
// a client with a nil InFlight cannot be drained.
type InFlight struct {
	mu       sync.Mutex
	draining bool
	last     int
	requests map[int]context.CancelFunc // requests, from before their intent until their answer is on disk
	drained  chan struct{}              // closed when Drain was called and nothing is in flight
}

// Drain stops new requests, gives up those whose answers have not arrived, and returns when the
// entry of each is on disk. It returns false if that takes longer than within.
func (f *InFlight) Drain(within time.Duration) bool {
	f.mu.Lock()
	if !f.draining {
		f.draining, f.drained = true, make(chan struct{})
		if len(f.requests) == 0 {
			close(f.drained)
		}
	}
	f.mu.Unlock()
	if f.wait(min(readingTime, within)) {
		return true
	}
	f.mu.Lock()
	for _, giveUp := range f.requests {
		giveUp()
	}
	f.mu.Unlock()
	return f.wait(within - readingTime)
}

func (f *InFlight) wait(most time.Duration) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-f.drained:
	case <-timer.C:
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.requests) == 0
}

// begin adds a request to those in flight, or returns an error if ctx is done or Drain was called.
// The context that it returns ends only with Drain, or a grace after ctx: the request may be
// billed, and a shutdown must not lose its answer. The caller calls end when the answer is on disk.
func (f *InFlight) begin(ctx context.Context, grace time.Duration) (sending context.Context, end func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	sending, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unwatch := context.AfterFunc(ctx, func() {
		if Pause(sending, grace, nil) == nil {
			cancel()
		}
	})
	giveUp := func() {
		unwatch()
		cancel()
	}
	if f == nil {
		return sending, giveUp, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.draining {
		giveUp()
		return nil, nil, context.Canceled
	}
	f.last++
	n := f.last
	if f.requests == nil {
		f.requests = map[int]context.CancelFunc{}
	}
	f.requests[n] = giveUp
	return sending, func() {
		giveUp()
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.requests, n)
		if f.draining && len(f.requests) == 0 {
			close(f.drained)
		}
	}, nil
}
