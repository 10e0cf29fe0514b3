package daemon

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/schedules/health"
	"github.com/fleetlake/fleetlake/schedules/notify"
	"github.com/fleetlake/fleetlake/schedules/published"
	"github.com/fleetlake/fleetlake/warehouse"
)

// silenceInterval is how often the server checks whether nothing was published for too long.
const silenceInterval = 5 * time.Minute

// watchSilence notifies the recipients when nothing was published for too long, once per silence, also if the
// process starts again meanwhile: the outbox remembers the event.
func (s *Server) watchSilence(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		ticker := time.NewTicker(silenceInterval)
		defer ticker.Stop()
		w := silence{heard: s.began}
		var last newestSeen
		newest := func() (time.Time, error) { return last.in(ctx, warehouse.Path(s.pipeline.Dir)) }
		for {
			w.most = s.settings().MaxAge
			if e, ok := w.look(time.Now(), newest); ok {
				s.log.Warn("nothing published", "reason", e.Title)
				s.notifier.Send(e)
			}
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	})
	return func() { cancel(); watch.Wait() }
}

// newestSeen is the end of the newest run that counts in the published file, and the version of the file in which it
// was read.
type newestSeen struct {
	version  os.FileInfo
	finished time.Time
}

// in returns it; zero if there is none. It opens each version of the file once: in a silence, the server asks
// every few minutes. Its errors are those of health.NewestRun.
func (l *newestSeen) in(ctx context.Context, path string) (time.Time, error) {
	version, err := os.Stat(path) // before it is opened: a version that is published meanwhile is read again
	if err == nil && published.Same(version, l.version) {
		return l.finished, nil
	}
	run, err := health.NewestRun(ctx, path, "")
	if errors.Is(err, warehouse.ErrNone) || errors.Is(err, warehouse.ErrNoRun) {
		run, err = warehouse.Run{}, nil
	}
	if err == nil {
		*l = newestSeen{version, run.Finished}
	}
	return run.Finished, err
}

// silence remembers the end of the newest run, so that the warehouse is opened only when that was too
// long ago.
type silence struct {
	most     time.Duration
	heard    time.Time // the end of the newest run; before any, the start of the process
	latest   time.Time // the same, zero before any
	notified bool      // of this silence
}

// look returns the event to send, if any. A warehouse that cannot be read counts as silent.
func (w *silence) look(now time.Time, newest func() (time.Time, error)) (notify.Event, bool) {
	if now.Sub(w.heard) <= w.most && !w.latest.IsZero() {
		return notify.Event{}, false
	}
	latest, err := newest()
	if err == nil && latest.After(w.latest) {
		w.heard, w.latest, w.notified = latest, latest, false
	}
	if now.Sub(w.heard) <= w.most || w.notified {
		return notify.Event{}, false
	}
	w.notified = true
	e := notify.OfSilence(now, w.latest, w.most)
	if err != nil { // nobody knows which silence this is: the next day's is another one
		e.ID += "-unread-" + now.UTC().Format(time.DateOnly)
	}
	return e, true
}
