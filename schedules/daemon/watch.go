package daemon

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/schedules/health"
)

// defaultPulse is the interval of the scheduler's loop without a watchdog.
const defaultPulse = time.Minute

// pulse is the interval of the scheduler's loop that feeds systemd's watchdog in time.
func (s *Server) pulse() time.Duration {
	if within := s.systemd.watchdog(); within > 0 {
		return min(defaultPulse, within/3)
	}
	return defaultPulse
}

// beat is called by each turn of the scheduler's loop. Nothing else feeds the watchdog, so systemd
// restarts a process whose loop hangs.
func (s *Server) beat() {
	now := time.Now()
	s.beaten.Store(&now)
	s.notifySystemd("WATCHDOG=1")
	if words := s.doing(); words != "" && words != s.said {
		s.said = words
		s.notifySystemd("STATUS=" + words)
	}
}

// doing is what the scheduler does, for `systemctl status`: the run under way, or the next slot; "" before there is one.
func (s *Server) doing() string {
	if live := s.live(); live.Job != "" {
		p := live.Progress
		if p.Phase == "" {
			return fmt.Sprintf("%s of %s begins", live.Job, live.Date)
		}
		return fmt.Sprintf("%s of %s: %s, %d credits spent", live.Job, live.Date, p.Phase, p.Credits)
	}
	if next := s.runner.Snapshot().Next; len(next) > 0 {
		return fmt.Sprintf("waits for %s at %s", next[0].Job, next[0].Start.Format(time.RFC3339))
	}
	return ""
}

func (s *Server) ready() {
	s.beat()
	s.notifySystemd("READY=1")
}

// stopping logs and reports to systemd, once, that the process stops. A second caller waits until
// that is sent: the process could end before.
func (s *Server) stopping() {
	s.stop.Do(func() {
		s.ending.Store(true)
		s.log.Info("stopping: no new requests, waiting for answers in flight")
		s.notifySystemd("STOPPING=1")
		s.notifySystemd("STATUS=stops: waits for answers in flight, and publishes")
	})
}

// notifySystemd sends a state to systemd, if systemd started the process.
func (s *Server) notifySystemd(state string) {
	if err := s.systemd.notify(state); err != nil {
		s.log.Warn("systemd not notified", "error", err)
	}
}

// healthy returns an error if the scheduler's loop hangs.
func (s *Server) healthy() error {
	last := s.began
	if beaten := s.beaten.Load(); beaten != nil {
		last = *beaten
	}
	if silent := time.Since(last); silent > 3*s.runner.Pulse {
		return fmt.Errorf("the scheduler has hung for %v", silent.Round(time.Second))
	}
	return nil
}

// Ready returns an error if a run cannot start or the last nights failed: what `check` checks but
// for the age, which watchSilence checks.
func (s *Server) Ready() error {
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
		problems, err := s.settings().Health.Problems(context.Background(), "", health.JobMinCoverage)
		if err == nil && len(problems) > 0 {
			err = errors.New(s.withoutPaths(problems[0].Words))
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
