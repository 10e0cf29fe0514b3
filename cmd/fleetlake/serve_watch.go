package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/schedules/notify"
	"github.com/fleetlake/fleetlake/schedules/published"
	"github.com/fleetlake/fleetlake/warehouse"
)

// defaultPulse is the interval of the scheduler's loop without a watchdog.
const defaultPulse = time.Minute

// silenceInterval is how often the server checks whether nothing was published for too long.
const silenceInterval = 5 * time.Minute

// pulse is the interval of the scheduler's loop that feeds systemd's watchdog in time.
func (s *server) pulse() time.Duration {
	if within := s.systemd.watchdog(); within > 0 {
		return min(defaultPulse, within/3)
	}
	return defaultPulse
}

// beat is called by each turn of the scheduler's loop. Nothing else feeds the watchdog, so systemd
// restarts a process whose loop hangs.
func (s *server) beat() {
	now := time.Now()
	s.beaten.Store(&now)
	s.notifySystemd("WATCHDOG=1")
}

func (s *server) ready() {
	s.beat()
	s.notifySystemd("READY=1")
}

// stopping logs and reports to systemd, once, that the process stops. A second caller waits until
// that is sent: the process could end before.
func (s *server) stopping() {
	s.stop.Do(func() {
		s.ending.Store(true)
		s.log.Info("stopping: no new requests, waiting for answers in flight")
		s.notifySystemd("STOPPING=1")
	})
}

// notifySystemd sends a state to systemd, if systemd started the process.
func (s *server) notifySystemd(state string) {
	if err := s.systemd.notify(state); err != nil {
		s.log.Warn("systemd not notified", "error", err)
	}
}

// healthy returns an error if the scheduler's loop hangs.
func (s *server) healthy() error {
	last := s.beaten.Load()
	if last == nil {
		return errors.New("the scheduler has not started")
	}
	if silent := time.Since(*last); silent > 3*s.runner.Pulse {
		return fmt.Errorf("the scheduler has hung for %v", silent.Round(time.Second))
	}
	return nil
}

// isReady returns an error if a run cannot start or the last nights failed: what `check` checks but
// for the age, which watchSilence checks.
func (s *server) isReady() error {
	if s.ending.Load() {
		return errors.New("stopping")
	}
	if err := s.healthy(); err != nil {
		return err
	}
	if err := s.checkMark(); err != nil {
		return errors.New(s.withoutPaths(err.Error()))
	}
	return s.nights.look(time.Now(), func() error {
		troubles, err := troublesOf(context.Background(), s.config, "", jobMinCoverage)
		if err == nil && len(troubles) > 0 {
			err = errors.New(s.withoutPaths(troubles[0].words))
		}
		return err
	})
}

// cachedFor is how long the result of a check is valid: a probe must not open the warehouse each time.
const cachedFor = 15 * time.Second

// cachedCheck caches the result of a check for cachedFor.
type cachedCheck struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

func (r *cachedCheck) look(now time.Time, ask func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at.IsZero() || now.Sub(r.at) >= cachedFor {
		r.at, r.err = now, ask()
	}
	return r.err
}

// forget drops the result, so that the next look checks again.
func (r *cachedCheck) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = time.Time{}
}

// watchSilence notifies the recipients when nothing was published for too long, once per silence, also if the
// process starts again meanwhile: the outbox remembers the event.
func (s *server) watchSilence(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		ticker := time.NewTicker(silenceInterval)
		defer ticker.Stop()
		w := silence{most: s.config.Notify.MaxAge, heard: s.began}
		var last newestSeen
		newest := func() (time.Time, error) { return last.in(ctx, warehouse.Path(s.config.DataDir)) }
		for {
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
// every few minutes. Its errors are those of newestRun.
func (l *newestSeen) in(ctx context.Context, path string) (time.Time, error) {
	version, err := os.Stat(path) // before it is opened: a version that is published meanwhile is read again
	if err == nil && published.Same(version, l.version) {
		return l.finished, nil
	}
	run, err := newestRun(ctx, path, "")
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
