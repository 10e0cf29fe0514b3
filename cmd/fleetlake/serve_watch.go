package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/schedules/notify"
	"github.com/fleetlake/fleetlake/warehouse"
)

// calmPulse is how often the scheduler turns without a watchdog.
const calmPulse = time.Minute

// lookEvery is how often it is asked whether nothing was published for too long.
const lookEvery = 5 * time.Minute

// pulse is how often the scheduler must turn to feed systemd's watchdog in time.
func (s *server) pulse() time.Duration {
	if within := s.systemd.watchdog(); within > 0 {
		return min(calmPulse, within/3)
	}
	return calmPulse
}

// beat is called by the scheduler's loop at each turn: the watchdog is fed from nowhere else,
// so a loop that hangs is ended and started again.
func (s *server) beat() {
	now := time.Now()
	s.beaten.Store(&now)
	s.notifySystemd("WATCHDOG=1")
}

func (s *server) ready() {
	s.beat()
	s.notifySystemd("READY=1")
}

// stopping tells once that the end has begun. Whoever comes second waits until that is told: the
// process would end without it.
func (s *server) stopping() {
	s.stop.Do(func() {
		s.ending.Store(true)
		s.log.Info("stopping: no new requests, answers in the air are kept")
		s.notifySystemd("STOPPING=1")
	})
}

// notifySystemd does nothing where no systemd started the process.
func (s *server) notifySystemd(state string) {
	if err := s.systemd.notify(state); err != nil {
		s.log.Warn("systemd not notified", "error", err)
	}
}

// healthy reports whether the scheduler turns.
func (s *server) healthy() error {
	last := s.beaten.Load()
	if last == nil {
		return errors.New("the scheduler has not begun")
	}
	if silent := time.Since(*last); silent > 3*s.runner.Pulse {
		return fmt.Errorf("the scheduler has not turned for %v", silent.Round(time.Second))
	}
	return nil
}

// isReady reports whether a run can start, and whether the nights before it are well: what `check`
// looks at but for the age, which a schedule of its own decides here.
func (s *server) isReady() error {
	if s.ending.Load() {
		return errors.New("stopping")
	}
	if err := s.healthy(); err != nil {
		return err
	}
	if err := s.marked(); err != nil {
		return errors.New(s.withoutPaths(err.Error()))
	}
	return s.nights.look(time.Now(), func() error {
		troubles, err := troublesOf(context.Background(), s.config, "", ownMinCoverage)
		if err == nil && len(troubles) > 0 {
			err = errors.New(s.withoutPaths(troubles[0].words))
		}
		return err
	})
}

// lookedFor is how long an answer about the nights holds: a probe must not open the warehouse each time.
const lookedFor = 15 * time.Second

// remembered is an answer that holds for a while.
type remembered struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

func (r *remembered) look(now time.Time, ask func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at.IsZero() || now.Sub(r.at) >= lookedFor {
		r.at, r.err = now, ask()
	}
	return r.err
}

// forget makes the next look ask anew.
func (r *remembered) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = time.Time{}
}

// watchSilence tells when nothing was published for too long, once for each silence.
func (s *server) watchSilence(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(lookEvery)
		defer ticker.Stop()
		w := silence{most: s.config.Notify.MaxAge, heard: s.began}
		for {
			if e, ok := w.look(time.Now(), func() (time.Time, error) { return s.newest(ctx) }); ok {
				s.log.Warn("nothing published", "reason", e.Title)
				s.notifier.Send(e)
			}
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// newest is when the newest run that counts ended; zero if there is none.
func (s *server) newest(ctx context.Context) (time.Time, error) {
	run, err := newestRun(ctx, warehouse.Path(s.config.DataDir), "")
	if errors.Is(err, warehouse.ErrNone) || errors.Is(err, warehouse.ErrNoRun) {
		return time.Time{}, nil
	}
	return run.Finished, err
}

// silence remembers when something was last heard of, so that the warehouse is only opened
// when that was too long ago.
type silence struct {
	most   time.Duration
	heard  time.Time // the end of the newest run; before any, the start of the process
	latest time.Time // the same, zero before any
	told   bool      // of this silence
}

// look returns what to tell. A warehouse that cannot be read is silent too.
func (w *silence) look(now time.Time, newest func() (time.Time, error)) (notify.Event, bool) {
	if now.Sub(w.heard) <= w.most && !w.latest.IsZero() {
		return notify.Event{}, false
	}
	if latest, err := newest(); err == nil && latest.After(w.latest) {
		w.heard, w.latest, w.told = latest, latest, false
	}
	if now.Sub(w.heard) <= w.most || w.told {
		return notify.Event{}, false
	}
	w.told = true
	return notify.OfSilence(now, w.latest, w.most), true
}
