package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/schedules/notify"
)

// storedRuns is how many of a job's newest runs decide what is due: those of a night with many
// tries, and the night before.
const storedRuns = 40

// harvest runs a job for a slot, or goes on with the slot's run. It says so if another try of
// the slot could bring what is missing.
func (s *server) harvest(ctx context.Context, job pipeline.Job, slot schedules.Slot) error {
	if !slot.Until.IsZero() { // the tries of a slot share one deadline
		job.Deadline = max(time.Until(slot.Until), time.Second)
	}
	p := *s.pipeline
	var service *extract.Error
	var err error
	if p.Again, err = s.again(slot); err != nil {
		return err
	}
	started := time.Now()
	r, err := p.Run(ctx, job, slot.Date)
	switch {
	case err != nil && (ctx.Err() != nil || needsPerson(err)):
		return err
	case err != nil && errors.As(err, &service):
		return &schedules.Unfinished{Reason: err.Error(), Until: until(slot, job, started)}
	case err != nil:
		return &schedules.Unfinished{Reason: err.Error(), Publish: true}
	}
	s.ended(r, slot)
	return unfinished(r, until(slot, job, started))
}

// needsPerson reports whether a run failed of what trying again does not mend: the key, the credits
// or the configuration.
func needsPerson(err error) bool {
	return slices.Contains([]int{exitKey, exitCredits, exitUsage}, exitCode(err))
}

// publish makes up for a publish that failed. It asks for nothing; if the run that is published
// left something to ask for, the slot goes on with that.
func (s *server) publish(ctx context.Context, job pipeline.Job, slot schedules.Slot) error {
	reports, err := s.pipeline.Recover(ctx)
	if err != nil && ctx.Err() == nil {
		return &schedules.Unfinished{Reason: err.Error(), Publish: true}
	}
	if err != nil {
		return err
	}
	for i := len(reports) - 1; i >= 0; i-- {
		if r := reports[i]; r.Job == slot.Job && r.Date == slot.Date {
			s.ended(r, slot)
			return unfinished(r, r.Started.Add(job.Deadline))
		}
	}
	return nil
}

// until is when the tries of a slot end.
func until(slot schedules.Slot, job pipeline.Job, started time.Time) time.Time {
	if !slot.Until.IsZero() {
		return slot.Until
	}
	return started.Add(job.Deadline)
}

// unfinished is the error of a run that another try may complete: the service was away, or our own
// side could take no more answers. What ended at a cap, the credits or the key needs a person.
func unfinished(r pipeline.Report, until time.Time) error {
	if !resumable(r.State, r.Stop) || r.State == pipeline.StateInterrupted && r.Stop == pipeline.StopSignal {
		return nil
	}
	reason := r.Reason
	if reason == "" {
		reason = "the run is " + r.State
	}
	return &schedules.Unfinished{Reason: reason, Until: until}
}

// resumable reports whether a run left something that asking again may bring.
func resumable(state string, stop pipeline.Stop) bool {
	switch state {
	case pipeline.StateInterrupted, pipeline.StateKilled:
		return true
	case pipeline.StatePartial:
		return stop == pipeline.StopService || stop == pipeline.StopNone
	}
	return false
}

// ended tells of a run that was published. Of the tries of one slot the first tells what is wrong;
// the others only if they end well, or otherwise than for want of the service.
func (s *server) ended(r pipeline.Report, slot schedules.Slot) {
	s.log.Info("run published", "run", r.Run, "job", r.Job, "state", r.State, "requests", r.Requests(), "credits", r.Credits.Spent,
		"took", r.Finished.Sub(r.Started).Seconds(), "reason", r.Reason)
	s.metrics.Finished(r)
	if e, ok := notify.OfReport(r); ok && (slot.Try == 0 || slot.Publish || !resumable(r.State, r.Stop)) {
		s.notifier.Send(e)
	}
}

// again reports whether a slot buys a night anew that a run has ended: it is a round of its own,
// and no run that was cut off waits to be gone on with.
func (s *server) again(slot schedules.Slot) (bool, error) {
	if !slot.Again {
		return false, nil
	}
	nights, err := pipeline.Nights(s.config.DataDir, slot.Job, storedRuns)
	if err != nil {
		return false, err
	}
	for i := len(nights) - 1; i >= 0; i-- {
		if n := nights[i]; n.Date == slot.Date {
			return n.State != "" && !resumable(n.State, n.Stop), nil
		}
	}
	return false, nil
}

// stored lists the latest runs of a job.
func (s *server) stored(job string) ([]schedules.Stored, error) {
	nights, err := pipeline.Nights(s.config.DataDir, job, storedRuns)
	if err != nil {
		return nil, err
	}
	j, _, err := s.config.job(job)
	if err != nil {
		return nil, err
	}
	return storedOf(nights, j.Deadline, time.Now()), nil
}

// storedOf turns the runs of the journal into those of the schedule. A partial run whose time is
// not over is unanswered; its time began with the first of its date that was.
func storedOf(nights []pipeline.Night, deadline time.Duration, now time.Time) []schedules.Stored {
	var stored []schedules.Stored
	first := map[string]time.Time{}
	for _, n := range nights {
		r := schedules.Stored{Date: n.Date, Started: n.Started, State: n.State}
		if n.State == pipeline.StatePartial && resumable(n.State, n.Stop) {
			if first[n.Date].IsZero() {
				first[n.Date] = n.Started
			}
			if now.Before(first[n.Date].Add(deadline)) {
				r.State = schedules.StateUnanswered
			}
		}
		stored = append(stored, r)
	}
	return stored
}
