package schedules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// askedAge is how long a triggered run waits for its turn, if its job has no MaxLateness.
const triggeredAge = 24 * time.Hour

// Errors of Trigger and StopRun.
var (
	ErrNoJob      = errors.New("no such job")
	ErrBusy       = errors.New("job runs already, or waits for its turn")
	ErrNotRunning = errors.New("no job runs")
)

// Trigger requests a run of a job now. The run waits for its turn like a slot, and its snapshot date
// is the current civil date. With again it pays for that night a second time if the night is done
// when the turn comes. Errors are ErrNoJob and ErrBusy, with the name of the job.
func (r *Runner) Trigger(job string, again bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.table, func(s Spec) bool { return s.Job == job })
	if i < 0 {
		return fmt.Errorf("%w: %q", ErrNoJob, job)
	}
	if r.running == job || slices.ContainsFunc(r.triggered, func(s Slot) bool { return s.Job == job }) {
		return fmt.Errorf("%w: %q", ErrBusy, job)
	}
	now := r.now().In(r.table[i].Location)
	r.Log.Info("run triggered", "job", job, "again", again)
	r.triggered = append(r.triggered, Slot{Job: job, At: now, Date: now.Format(DateLayout), Triggered: true, Again: again})
	select {
	case r.wake <- struct{}{}:
	default: // the loop is awake
	}
	return nil
}

// askedFor returns the triggered run of a job, unless it has waited too long.
func (r *Runner) triggeredRun(l *line) (Slot, bool) {
	slot, ok := r.waiting(l.spec.Job)
	if !ok {
		return Slot{}, false
	}
	if most := cmp.Or(l.spec.MaxLateness, triggeredAge); r.now().Sub(slot.At) > most {
		r.take(slot)
		reason := cmp.Or(l.watch.Blocked, "other jobs ran")
		r.miss([]Missed{{slot, fmt.Sprintf("%s; not made up for later than %v", reason, most)}})
		return Slot{}, false
	}
	return slot, true
}

func (r *Runner) waiting(job string) (Slot, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.IndexFunc(r.triggered, func(s Slot) bool { return s.Job == job }); i >= 0 {
		return r.triggered[i], true
	}
	return Slot{}, false
}

// take removes a slot from the triggered ones.
func (r *Runner) take(slot Slot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.triggered = slices.DeleteFunc(r.triggered, func(s Slot) bool { return s.Job == slot.Job })
}

// StopRun ends the run that is under way: it sends no more requests, keeps the answers in
// flight and publishes. The scheduler continues. The error is ErrNotRunning if there is none.
func (r *Runner) StopRun() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel == nil {
		return ErrNotRunning
	}
	r.Log.Info("run stops by request", "job", r.running)
	r.cancel()
	return nil
}

// Snapshot is the current run of a runner and its next slots.
type Snapshot struct {
	Running Slot // no job: nothing runs
	Started time.Time
	Next    []Planned // of each job, in the order of their starts
}

// Planned is a slot in the future, or one that waits for its turn.
type Planned struct {
	Slot
	Start  time.Time // of the slot, or of its next try
	Reason string    // why it has not started, if it waits
}

// Snapshot returns what the runner does now. Before Serve it is empty.
func (r *Runner) Snapshot() Snapshot {
	if s := r.seen.Load(); s != nil {
		return *s
	}
	return Snapshot{}
}

// publishSnapshot stores what Snapshot returns until the loop's next step.
func (r *Runner) publishSnapshot(running Slot, started time.Time) {
	s := Snapshot{Running: running, Started: started}
	now := r.now()
	for _, l := range r.lines {
		if slot, ok := r.waiting(l.spec.Job); ok && slot != running {
			s.Next = append(s.Next, Planned{slot, slot.At, cmp.Or(l.watch.Blocked, "waits for its turn")})
		}
		if l.retry != nil && !l.retry.slot.same(running) {
			s.Next = append(s.Next, Planned{l.retry.slot, l.retry.at, "tried again: " + l.retry.reason})
		}
		if p, ok := l.planned(running, now); ok {
			s.Next = append(s.Next, p)
		}
	}
	slices.SortStableFunc(s.Next, func(a, b Planned) int { return a.Start.Compare(b.Start) })
	r.seen.Store(&s)
}

// planned is the next slot of a line. A slot that has come and is blocked still waits; one that is
// not blocked has been filled.
func (l *line) planned(running Slot, now time.Time) (Planned, bool) {
	from := now
	switch {
	case l.watch.Dealt.IsZero():
	case running.Job == l.spec.Job && !running.Triggered:
		from = running.At
	case running.Job != "" || l.watch.Blocked != "":
		from = l.watch.Dealt
	case l.watch.Dealt.After(now):
		from = l.watch.Dealt
	default:
		from = now
	}
	at := l.schedule.Next(from)
	if at.IsZero() {
		return Planned{}, false
	}
	p := Planned{Slot: Slot{Job: l.spec.Job, At: at, Date: at.Format(DateLayout)}, Start: at}
	if !at.After(now) {
		p.Reason = cmp.Or(l.watch.Blocked, "waits for its turn")
	}
	return p, true
}
