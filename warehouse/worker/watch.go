package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

// look is how often a query is looked at, and grace what it has to end when it is told to. DuckDB cannot
// interrupt a function or the parsing of a statement.
const (
	look  = 20 * time.Millisecond
	grace = time.Second
)

// ownMiB is the memory of a process beside DuckDB's, whose allocator takes up to half as much again as
// its limit says, since it does not return all at once.
const ownMiB = 256

// spillSlackMiB is what the files of DuckDB may have beside what it counts.
const spillSlackMiB = 16

// residentLimit is the memory at which a process is ended, and dataMiB the one beyond which the system
// gives it none, which includes what it has reserved and not used.
func residentLimit(memoryMiB int) int { return memoryMiB + memoryMiB/2 + ownMiB }
func dataMiB(memoryMiB int) int       { return 2*memoryMiB + 1024 }

// watch bounds the time and the memory of a request. It asks the process to end the request, and kills
// it if that does not help.
type watch struct {
	pool    *Pool
	process *process
	most    time.Duration
	ended   chan struct{} // closed by end
	gone    chan struct{} // closed when the watch is over

	mu    sync.Mutex
	until time.Time // when it is too late
	late  error     // what is then wrong
	cause error     // why the request was stopped; nil if it was not
}

func newWatch(ctx context.Context, p *Pool, one *process, most time.Duration) *watch {
	w := &watch{pool: p, process: one, most: most, ended: make(chan struct{}), gone: make(chan struct{})}
	w.engine()
	go w.run(ctx)
	return w
}

// engine says that the process has the turn to deliver.
func (w *watch) engine() {
	w.expect(w.most, fmt.Errorf("%w: more than %s", ErrTime, w.most))
}

// client says that the reader of the answer has the turn to take it.
func (w *watch) client() { w.expect(w.pool.config.Limits.Stall, ErrStalled) }

func (w *watch) expect(within time.Duration, late error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.until, w.late = time.Now().Add(within), late
}

// stopped returns why the request was stopped; nil if it was not.
func (w *watch) stopped() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cause
}

// end ends the watch.
func (w *watch) end() {
	close(w.ended)
	<-w.gone
}

func (w *watch) run(ctx context.Context) {
	defer close(w.gone)
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-w.ended:
			return
		case <-w.process.gone:
			return
		case <-ctx.Done():
			w.stop(context.Cause(ctx), grace)
			return
		case <-w.pool.closing.Done():
			w.stop(ErrClosed, 0)
			return
		case <-tick.C:
			if err := errors.Join(w.memory(), w.disk()); err != nil {
				w.stop(err, 0) // it would take more while it is asked to end
				return
			}
			if err := w.time(); err != nil {
				w.stop(err, grace)
				return
			}
		}
	}
}

// memory returns an error if the process takes too much.
func (w *watch) memory() error {
	used, most := ResidentMiB(w.process.cmd.Process.Pid), residentLimit(w.pool.config.Limits.MemoryMiB)
	if used <= most {
		return nil
	}
	return fmt.Errorf("the query took %d MiB, of at most %d: %w", used, most, warehouse.ErrRoom)
}

// disk returns an error if the process has written more than DuckDB may spill, and what of it was not counted yet.
func (w *watch) disk() error {
	used, most := w.process.spilled()>>20, int64(w.pool.config.Limits.SpillMiB)
	if used <= most+spillSlackMiB {
		return nil
	}
	return fmt.Errorf("the query wrote %d MiB of temporary files, of at most %d: %w", used, most, warehouse.ErrRoom)
}

// time returns an error if it is too late.
func (w *watch) time() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Now().After(w.until) {
		return w.late
	}
	return nil
}

// stop ends the request: it asks the process to, and kills it if it does not within a time.
func (w *watch) stop(cause error, within time.Duration) {
	w.mu.Lock()
	w.cause = cause
	w.mu.Unlock()
	if within == 0 {
		w.process.kill()
		return
	}
	asked := make(chan struct{})
	go func() { // a process that does not read would block
		_ = w.process.send(frameCancel, cancel{})
		close(asked)
	}()
	select {
	case <-w.ended:
	case <-w.process.gone:
	case <-time.After(within):
		w.process.kill()
	}
	<-asked
}
