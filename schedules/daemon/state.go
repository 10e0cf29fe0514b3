package daemon

import (
	"context"
	"log/slog"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/schedules"
)

// maxRecords is how many slots without a good run the page lists.
const maxRecords = 20

// priceTimeout bounds the time to price a run.
const priceTimeout = 20 * time.Second

// State is what the scheduler does, and whether it does it.
type State struct {
	Live      Live
	Slots     []Slot     // the next slots, and the latest without a good run
	Exporting *time.Time // since when an export is under way; nil without one
	Unhealthy string     // why the scheduler is not healthy; "" if it is
}

// Live is the run that is under way. Without a job nothing runs.
type Live struct {
	Job, Date string
	Started   time.Time
	Progress  pipeline.Progress
}

// Slot is a slot of the schedule.
type Slot struct {
	Job, Date string
	At        time.Time
	State     string // next, missed or failed
	Reason    string // why it did not run
}

// Metrics returns the metrics of the scheduler as a text.
func (s *Server) Metrics() (string, error) { return s.metrics.Text() }

// Trigger starts a run and does not wait for it.
func (s *Server) Trigger(job string, again bool) error { return s.runner.Trigger(job, again) }

// StopRun stops the run under way after the requests in flight.
func (s *Server) StopRun() error { return s.runner.StopRun() }

// Log is that of the daemon.
func (s *Server) Log() *slog.Logger { return s.log }

// NetworkRestarted counts an end of the network process.
func (s *Server) NetworkRestarted() { s.metrics.NetworkRestarted() }

// State returns what the scheduler does now.
func (s *Server) State() State {
	now := State{Live: s.live(), Slots: s.slotRecords(), Exporting: s.exporting.Load()}
	if err := s.healthy(); err != nil {
		now.Unhealthy = err.Error()
	}
	return now
}

// live is the run that is under way.
func (s *Server) live() Live {
	now := s.runner.Snapshot()
	if now.Running.Job == "" {
		return Live{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	live := Live{Job: now.Running.Job, Date: now.Running.Date, Started: now.Started}
	if !s.progress.At.Before(now.Started) { // else it is that of the previous run
		live.Progress = s.progress
	}
	return live
}

// slotRecords are the next slots, and the latest without a good run.
func (s *Server) slotRecords() []Slot {
	var all []Slot
	for _, p := range s.runner.Snapshot().Next {
		all = append(all, Slot{Job: p.Job, Date: p.Date, At: p.Start, State: "next", Reason: s.withoutPaths(p.Reason)})
	}
	for _, r := range s.slots.Latest(maxRecords) {
		all = append(all, Slot{Job: r.Job, Date: r.Date, At: r.Slot, State: r.State, Reason: s.withoutPaths(r.Reason)})
	}
	return all
}

// PriceAgain prices a run of a job that would pay for its night of today a second time, because that night has ended;
// it returns nil for any other run.
func (s *Server) PriceAgain(ctx context.Context, name string) (*pipeline.Preview, error) {
	return s.price(ctx, name, true)
}

// Price prices a run of a job for its night of today.
func (s *Server) Price(ctx context.Context, name string) (*pipeline.Preview, error) {
	return s.price(ctx, name, false)
}

// price prices a run, if it need not be one that pays again or is such a one. One is priced at a time: each opens the
// published file.
func (s *Server) price(ctx context.Context, name string, onlyAgain bool) (*pipeline.Preview, error) {
	ctx, cancel := context.WithTimeout(ctx, priceTimeout)
	defer cancel()
	select {
	case s.pricing <- struct{}{}:
		defer func() { <-s.pricing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	job, err := s.job(name)
	if err != nil {
		return nil, err
	}
	date := time.Now().In(job.Location).Format(time.DateOnly)
	p := s.copyOfPipeline()
	if p.Again, err = s.again(schedules.Slot{Job: name, Date: date, Again: true}); err != nil || onlyAgain && !p.Again {
		return nil, err
	}
	preview, err := p.Preview(ctx, job, date)
	return &preview, err
}
