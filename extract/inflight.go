package extract

import (
	"context"
	"sync"
	"time"
)

// arriving is how long an answer that is on its way up from the network has to be read whole when
// the brake is pulled.
const arriving = 200 * time.Millisecond

// grace is how long a request in the air is waited for after its run was stopped, or its deadline
// is over. What has not arrived by then counts as spent until the balance tells.
const grace = 20 * time.Second

// InFlight lets a process end at once and still keep every answer that has arrived. All clients of a
// process share one. Its zero value is ready, and nil is none.
type InFlight struct {
	mu       sync.Mutex
	draining bool
	last     int
	requests map[int]context.CancelFunc // requests, from before their intent until their answer is on disk
	drained  chan struct{}              // closed when the brake is pulled and nothing is in the air
}

// Drain sends no more requests, gives up those whose answers have not arrived, and returns when
// what came of each is on disk. It reports false when that takes too long.
func (b *InFlight) Drain(within time.Duration) bool {
	b.mu.Lock()
	if !b.draining {
		b.draining, b.drained = true, make(chan struct{})
		if len(b.requests) == 0 {
			close(b.drained)
		}
	}
	b.mu.Unlock()
	if b.wait(min(arriving, within)) {
		return true
	}
	b.mu.Lock()
	for _, giveUp := range b.requests {
		giveUp()
	}
	b.mu.Unlock()
	return b.wait(within - arriving)
}

func (b *InFlight) wait(most time.Duration) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-b.drained:
	case <-timer.C:
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.requests) == 0
}

// begin counts a request into the air, unless ctx is done or the brake is pulled. Nothing ends its context but
// the brake, and the grace after ctx is done: the request may be billed, and a shutdown must
// not lose the answer. land is called when the answer is on disk.
func (b *InFlight) begin(ctx context.Context, grace time.Duration) (aloft context.Context, land func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	aloft, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unwatch := context.AfterFunc(ctx, func() {
		if pause(aloft, grace) == nil {
			cancel()
		}
	})
	giveUp := func() {
		unwatch()
		cancel()
	}
	if b == nil {
		return aloft, giveUp, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.draining {
		giveUp()
		return nil, nil, context.Canceled
	}
	b.last++
	n := b.last
	if b.requests == nil {
		b.requests = map[int]context.CancelFunc{}
	}
	b.requests[n] = giveUp
	return aloft, func() {
		giveUp()
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.requests, n)
		if b.draining && len(b.requests) == 0 {
			close(b.drained)
		}
	}, nil
}
