package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// retries says how often a request is sent that fails by an error which may pass, and when.
type retries struct {
	attempts    int           // the first one included
	first, most time.Duration // the delay after the first attempt, which doubles, and the longest one
	patience    time.Duration // how long nothing may move before an attempt has failed
	warn        func(string)
}

// defaultRetries spend half a minute to a minute on a request that always fails at once.
func defaultRetries(o Options) retries {
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	return retries{attempts: 10, first: 200 * time.Millisecond, most: 20 * time.Second, patience: time.Minute, warn: o.Warn}
}

// quiet is how many attempts fail before Warn is called: one failure in ten requests is no news.
const quiet = 3

// do calls try until it succeeds, or fails by an error that does not pass, or has had its attempts,
// or the context ends. What try returns must be a *fault to be tried again. Warnings begin with what
// is tried.
func (r retries) do(ctx context.Context, what string, try func(context.Context) error) error {
	for n := 1; ; n++ {
		err := try(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ended(ctx, err)
		}
		f, ok := errors.AsType[*fault](err)
		if !ok || !f.passes {
			return err
		}
		if n == r.attempts {
			return fmt.Errorf("%w (tried %d times)", err, n)
		}
		delay := r.delay(n, f.after)
		if n >= quiet {
			r.warn(fmt.Sprintf("%s: %v; attempt %d of %d follows in %v", what, err, n+1, r.attempts, delay.Round(time.Millisecond)))
		}
		if sleep(ctx, delay) != nil {
			return ended(ctx, err)
		}
	}
}

// ended is the end of a context, with what the store did last unless that only says the same.
func ended(ctx context.Context, last error) error {
	if errors.Is(last, context.Canceled) || errors.Is(last, context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	return fmt.Errorf("%w; before that: %w", context.Cause(ctx), last)
}

// delay is the pause after attempt n: a random half to the whole of what has doubled each time, and
// no less than the store asks for, as far as that is no longer than the longest delay.
func (r retries) delay(n int, asked time.Duration) time.Duration {
	d := r.most
	if n < 30 {
		d = min(d, r.first<<(n-1))
	}
	d = d/2 + rand.N(d/2+1)
	return max(d, min(asked, r.most))
}
