package pipeline

import (
	"context"
	"log/slog"
	"runtime"
	"time"
)

// endsWithin is how long a harvest may take from the moment that it should end, at its deadline or when
// it is stopped: requests in flight get some seconds for their answers, and the balance is read.
const endsWithin = time.Minute

// watchEnd reports a harvest that has not ended a minute after ctx has. The caller calls ended when it
// has, and it returns when nothing is watched any more.
func (p *Pipeline) watchEnd(ctx context.Context) (ended func()) {
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-over:
			return
		case <-ctx.Done():
		}
		limit := time.NewTimer(endsWithin)
		defer limit.Stop()
		select {
		case <-over:
		case <-limit.C:
			overdue(p.Log, goroutines())
		}
	}()
	return func() {
		close(over)
		<-done
	}
}

// overdue reports a harvest that does not end, with the goroutines of the process: nothing else shows
// what it waits for. Tests replace it.
var overdue = func(log *slog.Logger, stacks string) {
	log.Error("run has not ended a minute after its deadline or its stop; kill the process, and the next start "+
		"resumes the run; please report this line", "goroutines", stacks)
}

// goroutines returns the stacks of all goroutines, 1 MiB at most.
func goroutines() string {
	text := make([]byte, 1<<20)
	return string(text[:runtime.Stack(text, true)])
}
