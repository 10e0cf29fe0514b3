package store

import (
	"context"
	"errors"
	"time"
)

// errStalled says that nothing moved for too long.
var errStalled = errors.New("the store neither takes bytes nor answers")

// watch ends one attempt when nothing moves for a while. A limit on the whole attempt would end a
// large file on a slow line.
type watch struct {
	patience time.Duration
	timer    *time.Timer
	cancel   context.CancelCauseFunc
}

// newWatch returns a context that ends when the watch is not restarted in time, or stopped.
func newWatch(ctx context.Context, patience time.Duration) (context.Context, *watch) {
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, &watch{patience, time.AfterFunc(patience, func() { cancel(errStalled) }), cancel}
}

// pause waits with the end until restart. A nil watch watches nothing.
func (w *watch) pause() {
	if w != nil {
		w.timer.Stop()
	}
}

func (w *watch) restart() {
	if w != nil {
		w.timer.Reset(w.patience)
	}
}

// stop ends the context and frees the timer.
func (w *watch) stop() {
	w.timer.Stop()
	w.cancel(nil)
}
