package main

import (
	"context"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/schedules/network"
	"github.com/fleetlake/fleetlake/schedules/page"
)

// What the network process may ask of the scheduler. It may have been taken over: nothing of it is a path or a
// statement, and nothing answers with a secret. It can start and stop runs, as the page does for who has the token.
const (
	verbState   = "state"   // a schedulerState
	verbReady   = "ready"   // an error, if a run cannot start
	verbMetrics = "metrics" // a text
	verbRun     = "run"     // starts a job
	verbStop    = "stop"    // stops the run under way
	verbPrice   = "price"   // a *pipeline.Preview of a job
)

// maxRecords is how many slots without a good run the page lists.
const maxRecords = 20

// priceTimeout bounds the time to price a run.
const priceTimeout = 20 * time.Second

// schedulerState is what the page shows of the scheduler, and its health.
type schedulerState struct {
	page.Schedule
	Unhealthy string // why the scheduler is not healthy; "" if it is
}

// answerNetwork answers a request of the network process.
func (s *server) answerNetwork(ctx context.Context, q network.Request) (any, error) {
	switch q.Verb {
	case verbState:
		return s.state(), nil
	case verbReady:
		return nil, s.isReady()
	case verbMetrics:
		return s.metrics.Text()
	case verbRun:
		return nil, s.runner.Trigger(q.Job, q.Again)
	case verbStop:
		return nil, s.runner.StopRun()
	case verbPrice:
		return s.priceAgain(ctx, q.Job)
	}
	return nil, network.ErrVerb
}

// state is what the scheduler does now.
func (s *server) state() schedulerState {
	now := schedulerState{Schedule: page.Schedule{Live: s.live(), Slots: s.slotRecords(), Exporting: s.exporting.Load()}}
	if err := s.healthy(); err != nil {
		now.Unhealthy = err.Error()
	}
	return now
}

// live is the run that is under way.
func (s *server) live() page.Live {
	now := s.runner.Snapshot()
	if now.Running.Job == "" {
		return page.Live{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	live := page.Live{Job: now.Running.Job, Date: now.Running.Date, Started: now.Started}
	if !s.progress.At.Before(now.Started) { // else it is that of the previous run
		live.Progress = s.progress
	}
	return live
}

// slotRecords are the next slots, and the latest without a good run.
func (s *server) slotRecords() []page.SlotView {
	var all []page.SlotView
	for _, p := range s.runner.Snapshot().Next {
		all = append(all, page.SlotView{Job: p.Job, Date: p.Date, At: p.Start, State: "next", Reason: s.withoutPaths(p.Reason)})
	}
	for _, r := range s.slots.Latest(maxRecords) {
		all = append(all, page.SlotView{Job: r.Job, Date: r.Date, At: r.Slot, State: r.State, Reason: s.withoutPaths(r.Reason)})
	}
	return all
}

// priceAgain prices a run of a job that would pay for its night of today a second time, because that night has ended;
// it returns nil for any other run. One is priced at a time: each opens the published file.
func (s *server) priceAgain(ctx context.Context, name string) (*pipeline.Preview, error) {
	ctx, cancel := context.WithTimeout(ctx, priceTimeout)
	defer cancel()
	select {
	case s.pricing <- struct{}{}:
		defer func() { <-s.pricing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	job, _, err := s.config.Job(name)
	if err != nil {
		return nil, err
	}
	date := time.Now().In(job.Location).Format(time.DateOnly)
	p := *s.pipeline
	if p.Again, err = s.again(schedules.Slot{Job: name, Date: date, Again: true}); err != nil || !p.Again {
		return nil, err
	}
	preview, err := p.Preview(ctx, job, date)
	return &preview, err
}
