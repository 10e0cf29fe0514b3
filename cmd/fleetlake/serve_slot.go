package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/schedules/notify"
	"github.com/fleetlake/fleetlake/warehouse"
)

// storedRuns is how many of a job's newest runs decide what is due: those of a night with many
// tries, and the night before.
const storedRuns = 40

// harvest runs a job for a slot, or goes on with the slot's run. It says so if another try of
// the slot could bring what is missing.
func (s *server) harvest(ctx context.Context, job plan.Job, slot schedules.Slot) error {
	end := until(slot, job, time.Now())
	if !slot.Until.IsZero() { // the tries of a slot share one deadline
		job.Deadline = max(time.Until(slot.Until), time.Second)
	}
	p := *s.pipeline
	var err error
	if p.Again, err = s.again(slot); err != nil {
		return failed(ctx, err, end)
	}
	r, err := p.Run(ctx, job, slot.Date)
	if err != nil {
		return failed(ctx, err, end)
	}
	if r.Note != "" { // it was counted and told of when it ran
		s.log.Info("nothing to ask", "run", r.Run, "job", r.Job, "state", r.State, "reason", r.Note)
		return nil
	}
	s.ended(r, slot)
	return unfinished(r, end)
}

// failed is the error of a slot whose run ended with one. Only a run that has asked, and could not
// publish what it paid for, is published and no more: any other asks again, after it has
// published what is paid for.
func failed(ctx context.Context, err error, until time.Time) error {
	switch {
	case ctx.Err() != nil, needsPerson(err):
		return err
	case errors.Is(err, pipeline.ErrUnpublished):
		return &schedules.Unfinished{Reason: err.Error(), Publish: true, Failed: true}
	}
	return &schedules.Unfinished{Reason: err.Error(), Until: until, Failed: true}
}

// needsPerson reports whether a run failed of what trying again does not mend: the key, the credits,
// the configuration, the data directory, the journal, or values that a person has to look at.
func needsPerson(err error) bool {
	for _, mended := range []error{pipeline.ErrMark, load.ErrIssues, journal.ErrDamaged, warehouse.ErrNewerProgram} {
		if errors.Is(err, mended) {
			return true
		}
	}
	return slices.Contains([]int{exitKey, exitCredits, exitUsage}, exitCode(err))
}

// publish makes up for a publish that failed. It asks for nothing; if the run that is published
// left something to ask for, the slot goes on with that.
func (s *server) publish(ctx context.Context, job plan.Job, slot schedules.Slot) error {
	reports, err := s.pipeline.Recover(ctx)
	if err != nil {
		return failed(ctx, fmt.Errorf("%w: %w", pipeline.ErrUnpublished, err), time.Time{})
	}
	for _, r := range slices.Backward(reports) {
		if r.Job == slot.Job && r.Date == slot.Date {
			s.ended(r, slot)
			return unfinished(r, r.Started.Add(job.Deadline))
		}
	}
	return s.published(job, slot)
}

// published decides by the journal on a slot of which nothing waits to be published any more:
// another process has published or rolled back its run, a rule holds it back, or its journal is gone.
func (s *server) published(job plan.Job, slot schedules.Slot) error {
	n, found, err := s.newestOf(slot)
	if err != nil {
		return err
	}
	if !found {
		return &schedules.Unfinished{Reason: "the journal has no run of the slot any more", Until: time.Now().Add(job.Deadline), Failed: true}
	}
	if resumable(n.State, n.Stop, n.Reason) {
		return unfinished(pipeline.Report{State: n.State, Stop: n.Stop, Reason: n.Reason}, n.Started.Add(job.Deadline))
	}
	held, err := pipeline.ReadHeldBack(s.config.DataDir)
	if err != nil {
		return err
	}
	for _, h := range held {
		if h.Run == n.Run {
			return &pipeline.HeldBackError{Runs: []pipeline.HeldBackRun{h}}
		}
	}
	s.log.Info("another process has published or rolled back what waited", "run", n.Run, "job", slot.Job, "state", n.State)
	return nil
}

// until is when the tries of a slot end.
func until(slot schedules.Slot, job plan.Job, started time.Time) time.Time {
	if !slot.Until.IsZero() {
		return slot.Until
	}
	return started.Add(job.Deadline)
}

// unfinished is the error of a run that another try may complete: the service was away, or our own
// side could take no more answers. What ended at a cap, the credits or the key needs a person.
func unfinished(r pipeline.Report, until time.Time) error {
	if !resumable(r.State, r.Stop, r.Reason) || r.State == pipeline.StateInterrupted && r.Stop == pipeline.StopSignal {
		return nil
	}
	reason := r.Reason
	if reason == "" {
		reason = "the run is " + r.State
	}
	return &schedules.Unfinished{Reason: reason, Until: until}
}

// resumable reports whether a run left something that asking again may bring.
func resumable(state string, stop pipeline.Stop, reason string) bool {
	switch state {
	case pipeline.StateInterrupted, pipeline.StateKilled:
		return true
	case pipeline.StatePartial:
		return stop == pipeline.StopService || stop == pipeline.StopNone || pipeline.PlanSpent(stop, reason)
	}
	return false
}

// ended tells of a run that was published. Of the tries of one slot the first tells what is wrong;
// the others only if they end otherwise than for want of the service.
func (s *server) ended(r pipeline.Report, slot schedules.Slot) {
	s.log.Info("run published", "run", r.Run, "job", r.Job, "state", r.State, "requests", r.Requests(), "credits", r.Credits.Spent,
		"took", r.Finished.Sub(r.Started).Seconds(), "reason", r.Reason)
	s.metrics.Finished(r)
	if e, ok := notify.OfReport(r); ok && (slot.Try == 0 || slot.Publish || !resumable(r.State, r.Stop, r.Reason)) && s.notifier.Send(e) {
		s.told = slotKey{slot.Job, slot.At.UTC()}
	}
}

// slotKey tells one slot from another.
type slotKey struct {
	job string
	at  time.Time
}

// again reports whether a slot is a new round of a night that was ended before: the newest run of
// its date ended in order, and started before the slot. A run that was cut off is gone on with,
// whenever it started, and one that started after the slot is the slot's own. A slot without a
// time is one of now.
func (s *server) again(slot schedules.Slot) (bool, error) {
	if !slot.Again {
		return false, nil
	}
	n, found, err := s.newestOf(slot)
	own := !slot.At.IsZero() && !n.Started.Before(slot.At)
	return found && n.State != "" && !resumable(n.State, n.Stop, n.Reason) && !own, err
}

// newestOf returns the newest run of a slot's job and date, as the journal tells.
func (s *server) newestOf(slot schedules.Slot) (n pipeline.PastRun, found bool, err error) {
	nights, err := pipeline.PastRuns(s.config.DataDir, slot.Job, storedRuns)
	for _, n := range slices.Backward(nights) {
		if n.Date == slot.Date {
			return n, true, err
		}
	}
	return n, false, err
}

// stored lists the latest runs of a job.
func (s *server) stored(job string) ([]schedules.Stored, error) {
	nights, err := pipeline.PastRuns(s.config.DataDir, job, storedRuns)
	if err != nil {
		return nil, err
	}
	j, _, err := s.config.Job(job)
	if err != nil {
		return nil, err
	}
	return storedOf(nights, j.Deadline, time.Now()), nil
}

// storedOf turns the runs of the journal into those of the schedule. A partial run whose time is
// not over is unanswered; its time began with the first of its date that was.
func storedOf(nights []pipeline.PastRun, deadline time.Duration, now time.Time) []schedules.Stored {
	var stored []schedules.Stored
	first := map[string]time.Time{}
	for _, n := range nights {
		r := schedules.Stored{Date: n.Date, Started: n.Started, State: n.State}
		if n.State == pipeline.StatePartial && resumable(n.State, n.Stop, n.Reason) {
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
