package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/schedules/notify"
	"github.com/fleetlake/fleetlake/warehouse"
)

// storedRuns is how many of a job's newest runs decide what is due: a night with many tries, and the
// night before.
const storedRuns = 40

// harvest runs a job for a slot, or resumes the slot's run. The error is schedules.Unfinished if
// another try of the slot could complete it.
func (s *Server) harvest(ctx context.Context, job plan.Job, slot schedules.Slot) error {
	end := triesEnd(slot, job, time.Now())
	if !slot.Until.IsZero() { // the tries of a slot share one deadline
		job.Deadline = max(time.Until(slot.Until), time.Second)
	}
	p := s.copyOfPipeline()
	if err := s.publishEarlier(ctx, slot); err != nil {
		return s.failed(ctx, err, end)
	}
	var err error
	if p.Again, err = s.again(slot); err != nil {
		return s.failed(ctx, err, end)
	}
	p.NewRound = p.Again && !slot.Triggered
	r, err := p.Run(ctx, job, slot.Date)
	if err != nil {
		return s.failed(ctx, err, end)
	}
	if r.Note != "" { // it was counted and reported when it ran
		s.log.Info("nothing to request", "run", r.Run, "job", r.Job, "state", r.State, "reason", r.Note)
		return nil
	}
	s.announce(ctx, r, slot)
	return unfinished(r, end)
}

// publishEarlier publishes what runs of earlier slots of the same night paid for, and announces it as theirs: a
// full disk may have kept it from being published until now. Of a run that was killed it says whether that is held back.
// A slot of a person, or of the run that is newest, needs none of this: the run itself begins with it.
func (s *Server) publishEarlier(ctx context.Context, slot schedules.Slot) error {
	if n, found, err := s.newestOf(slot); err != nil || !found || slot.Triggered || !slot.Again || own(n, slot) {
		return err
	}
	if waiting, err := derive.Unpublished(ctx, s.pipeline.Dir); err == nil && len(waiting) == 0 {
		return nil
	}
	reports, err := s.pipeline.Recover(ctx)
	for _, r := range reports {
		if r.Job == slot.Job && r.Date == slot.Date {
			s.announce(ctx, r, slot)
		}
	}
	return err
}

// failed is the error of a slot whose run ended with one. After a run that could not publish what it
// paid for, the next try only publishes; after any other, it publishes what is paid for and then
// sends requests again.
func (s *Server) failed(ctx context.Context, err error, until time.Time) error {
	switch {
	case ctx.Err() != nil, s.needsPerson(err):
		return err
	case errors.Is(err, pipeline.ErrUnpublished):
		return &schedules.Unfinished{Reason: err.Error(), Publish: true, Failed: true}
	}
	return &schedules.Unfinished{Reason: err.Error(), Until: until, Failed: true}
}

// needsPerson reports whether another try of a failed run is useless: for the key, the credits, the
// configuration, the data directory, the journal, or values that a person must look at.
func (s *Server) needsPerson(err error) bool {
	for _, fatal := range []error{datadir.ErrMark, load.ErrIssues, journal.ErrDamaged, warehouse.ErrNewerProgram} {
		if errors.Is(err, fatal) {
			return true
		}
	}
	if service, ok := errors.AsType[*extract.Error](err); ok {
		return service.Outcome == extract.OutcomeUnauthorized || service.Outcome == extract.OutcomeNoCredits
	}
	return s.config.NeedsPerson != nil && s.config.NeedsPerson(err)
}

// publish repeats a publish that failed, without requests. If the run is incomplete, the next try of
// the slot resumes it.
func (s *Server) publish(ctx context.Context, job plan.Job, slot schedules.Slot) error {
	reports, err := s.pipeline.Recover(ctx)
	if err != nil {
		return s.failed(ctx, fmt.Errorf("%w: %w", pipeline.ErrUnpublished, err), time.Time{})
	}
	for _, r := range slices.Backward(reports) {
		if r.Job == slot.Job && r.Date == slot.Date {
			s.announce(ctx, r, slot)
			return unfinished(r, r.Started.Add(job.Deadline))
		}
	}
	return s.published(job, slot)
}

// published decides from the journal about a slot whose run no longer waits to be published: another
// process has published or rolled it back, a rule holds it back, or its journal is missing.
func (s *Server) published(job plan.Job, slot schedules.Slot) error {
	n, found, err := s.newestOf(slot)
	if err != nil {
		return err
	}
	if !found {
		return &schedules.Unfinished{Reason: "the journal no longer has the run of the slot", Until: time.Now().Add(job.Deadline), Failed: true}
	}
	if resumable(n.State, n.Stop, n.PlanSpent) {
		return unfinished(report.Report{State: n.State, Stop: n.Stop, Reason: n.Reason, PlanSpent: n.PlanSpent}, n.Started.Add(job.Deadline))
	}
	heldBack, err := derive.ReadHeldBack(s.pipeline.Dir)
	if err != nil {
		return err
	}
	for _, h := range heldBack {
		if h.Run == n.Run {
			return &derive.HeldBackError{Runs: []derive.HeldBackRun{h}}
		}
	}
	s.log.Info("another process has published or rolled back the run", "run", n.Run, "job", slot.Job, "state", n.State)
	return nil
}

// triesEnd is when the tries of a slot end.
func triesEnd(slot schedules.Slot, job plan.Job, started time.Time) time.Time {
	if !slot.Until.IsZero() {
		return slot.Until
	}
	return started.Add(job.Deadline)
}

// unfinished is the error of a run that another try may complete: the service was away, or answers
// could not be stored. A run that ended at a cap, the credits or the key needs a person.
func unfinished(r report.Report, until time.Time) error {
	if !resumable(r.State, r.Stop, r.PlanSpent) || r.State == report.StateInterrupted && r.Stop == report.StopSignal {
		return nil
	}
	reason := r.Reason
	if reason == "" {
		reason = "the run is " + r.State
	}
	return &schedules.Unfinished{Reason: reason, Until: until}
}

// resumable reports whether another try may complete a run: the service was away, or the run spent the
// most of its own plan under caps that allow more.
func resumable(state string, stop report.Stop, planSpent bool) bool {
	switch state {
	case report.StateInterrupted, report.StateKilled:
		return true
	case report.StatePartial:
		return stop == report.StopService || stop == report.StopBlocked || stop == report.StopNone || planSpent
	}
	return false
}

// announce logs and counts a run that was published, and notifies the recipients. For a slot with
// several tries they hear of the first, and of others only if these end for another reason than the
// service.
func (s *Server) announce(ctx context.Context, r report.Report, slot schedules.Slot) {
	s.log.Info("run published", "run", r.Run, "job", r.Job, "state", r.State, "requests", r.Requests(), "credits", r.Credits.Spent,
		"took", r.Finished.Sub(r.Started).Seconds(), "reason", r.Reason)
	s.metrics.Finished(r)
	if e, ok := notify.OfReport(r); ok && (slot.Try == 0 || slot.Publish || !resumable(r.State, r.Stop, r.PlanSpent)) && s.notifier.Send(e) {
		s.notifiedSlot = slotKey{slot.Job, slot.At.UTC()}
	}
	s.notifier.Settle(r.Run)
	s.teller().Published(context.WithoutCancel(ctx))
}

// slotKey identifies a slot.
type slotKey struct {
	job string
	at  time.Time
}

// again reports whether a slot repeats a night that has ended: the newest run of its date ended in
// order, and started before the slot. A run that was cut off is resumed, whenever it started, unless it is
// held back: what resumes it would be held back with it. One that started after the slot belongs to the slot.
func (s *Server) again(slot schedules.Slot) (bool, error) {
	if !slot.Again {
		return false, nil
	}
	n, found, err := s.newestOf(slot)
	if err != nil || !found || n.State == "" || own(n, slot) {
		return false, err
	}
	if !resumable(n.State, n.Stop, n.PlanSpent) {
		return true, nil
	}
	heldBack, err := derive.ReadHeldBack(s.pipeline.Dir)
	return slices.ContainsFunc(heldBack, func(h derive.HeldBackRun) bool { return h.Run == n.Run }), err
}

// own reports whether a run started after a slot, and belongs to it. A slot without a time is now.
func own(n pipeline.PastRun, slot schedules.Slot) bool {
	return !slot.At.IsZero() && !n.Started.Before(slot.At.Truncate(time.Millisecond)) // a run's id has its start in milliseconds
}

// newestOf returns the newest run of a slot's job and date in the journal.
func (s *Server) newestOf(slot schedules.Slot) (n pipeline.PastRun, found bool, err error) {
	nights, err := pipeline.PastRuns(s.pipeline.Dir, slot.Job, storedRuns)
	for _, n := range slices.Backward(nights) {
		if n.Date == slot.Date {
			return n, true, err
		}
	}
	return n, false, err
}

// Stored lists the latest runs of a job. One that a crash kept from being published is like one that a crash
// ended: its slot is due again, and publishes it.
func (s *Server) Stored(job string) ([]schedules.Stored, error) {
	nights, err := pipeline.PastRuns(s.pipeline.Dir, job, storedRuns)
	if err != nil {
		return nil, err
	}
	j, err := s.job(job)
	if err != nil {
		return nil, err
	}
	waiting, err := derive.Unpublished(context.Background(), s.pipeline.Dir)
	if err != nil { // a run mends what is wrong
		s.log.Warn("cannot tell whether runs wait to be published", "error", s.withoutPaths(err.Error()))
	}
	stored := storedOf(nights, j.Deadline, time.Now())
	for i, n := range nights {
		if waiting[n.Run] {
			stored[i].State = ""
		}
	}
	return stored, nil
}

// storedOf converts the runs of the journal for the scheduler. A partial run within its deadline is
// unanswered; the deadline counts from the first such run of its date.
func storedOf(nights []pipeline.PastRun, deadline time.Duration, now time.Time) []schedules.Stored {
	var stored []schedules.Stored
	first := map[string]time.Time{}
	for _, n := range nights {
		r := schedules.Stored{Date: n.Date, Started: n.Started, State: n.State}
		if n.State == report.StatePartial && resumable(n.State, n.Stop, n.PlanSpent) {
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
