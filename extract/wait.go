package extract

import (
	"context"
	"time"
)

// Changes lets goroutines wait for the next change of what a lock guards. Its methods run under that lock; its zero
// value is ready.
type Changes struct{ next chan struct{} }

// Next returns a channel that the next Wake closes.
func (c *Changes) Next() <-chan struct{} {
	if c.next == nil {
		c.next = make(chan struct{})
	}
	return c.next
}

// Wake ends all waits for a change.
func (c *Changes) Wake() {
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}

// Pause waits for a time, or until a change, which may be nil for none. It returns the error of ctx.
func Pause(ctx context.Context, most time.Duration, change <-chan struct{}) error {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-change:
	case <-timer.C:
	}
	return ctx.Err()
}
