package schedules

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// nap is the longest sleep, so that a changed clock or a machine that slept is noticed within it.
const nap = time.Minute

// patience is the pause before a slot that could not start is tried again.
const patience = time.Minute

// ErrNotYet is what Run returns, wrapped in the reason, when a run could not even start, such
// as when another process writes into the data directory. The slot keeps its turn.
var ErrNotYet = errors.New("cannot start yet")

// Runner runs jobs at their slots, one at a time over all jobs, because there is one writer.
// A slot that comes while another job runs waits for its turn, and so does a slot that finds the
// data directory locked by another process.
//
// Serve owns the loop. Trigger, StopRun and Snapshot may be called from other goroutines.
type Runner struct {
	Run      func(context.Context, Slot) error  // returns when everything that it started has ended
	Stored   func(job string) ([]Stored, error) // the latest runs of a job
	Now      func() time.Time                   // the wall clock
	Log      *slog.Logger                       // one line per slot
	Slots    *SlotLog                           // records slots without a good run; may be nil
	Recorded func(Record)                       // called once for each such slot, and must not block; may be nil
	Pulse    time.Duration                      // the longest time between two beats; 0 is a minute
	Beat     func()                             // called at each turn of the loop, also while a job runs; may be nil

	lines []*line // the loop's own
	seen  atomic.Pointer[Snapshot]

	mu        sync.Mutex
	table     []Spec
	next      *replacement // of the table; nil is none
	triggered []Slot
	running   string // the job
	cancel    context.CancelFunc
	wake      chan struct{}
}

// replacement is a table that takes the place of another one.
type replacement struct {
	table []Spec
	taken func()
}

// line is a job of the cron table, with the state of its slots.
type line struct {
	spec     Spec
	schedule Schedule
	watch    Watch
	again    time.Time // when a postponed slot may be tried again
	retry    *retry    // of the slot that ran last; nil is none
}

// Serve runs the jobs of the table until ctx is cancelled and the run that is under way has
// returned. It returns an error only for a cron expression that cannot be parsed.
func (r *Runner) Serve(ctx context.Context, table []Spec) error {
	r.lines = nil // of an earlier Serve
	if err := r.open(table); err != nil {
		return err
	}
	for ctx.Err() == nil {
		r.beat()
		if err := r.replace(); err != nil {
			return err
		}
		if l, slot := r.pick(); l != nil {
			r.attempt(ctx, l, slot)
			continue
		}
		r.sleep(ctx)
	}
	return nil
}

// Replace has Serve take another table when no job runs, and call taken in that moment. A job whose line is the same
// keeps the state of its slots; any other is as at a start.
func (r *Runner) Replace(table []Spec, taken func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next = &replacement{table, taken}
	select {
	case r.wake <- struct{}{}:
	default: // the loop is awake, or has not begun
	}
}

// replace takes the table of Replace, if there is one.
func (r *Runner) replace() error {
	r.mu.Lock()
	next := r.next
	r.next = nil
	r.mu.Unlock()
	if next == nil {
		return nil
	}
	next.taken()
	return r.open(next.table)
}

// open parses the table and logs when each job runs next.
func (r *Runner) open(table []Spec) error {
	now := r.now()
	before := r.lines
	r.lines = nil
	for _, spec := range table {
		if i := slices.IndexFunc(before, func(l *line) bool { return l.spec.same(spec) }); i >= 0 {
			r.lines = append(r.lines, before[i])
			continue
		}
		schedule, err := Parse(spec.Cron, spec.Location)
		if err != nil {
			return fmt.Errorf("schedule job %s: %w", spec.Job, err)
		}
		l := &line{spec: spec, schedule: schedule, watch: Watch{Since: now, Away: "no process was waiting"}}
		r.remember(l, now)
		r.lines = append(r.lines, l)
		r.Log.Info("scheduled", "job", spec.Job, "next", schedule.Next(now))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.table = table; r.wake == nil {
		r.wake = make(chan struct{}, 1)
	}
	r.triggered = slices.DeleteFunc(r.triggered, func(s Slot) bool {
		return !slices.ContainsFunc(table, func(line Spec) bool { return line.Job == s.Job })
	})
	return nil
}

// now strips the monotonic reading, which stands still while a machine sleeps.
func (r *Runner) now() time.Time { return r.Now().Round(0) }

// pick returns the line and the slot whose turn it is, or nil if none is due.
func (r *Runner) pick() (*line, Slot) {
	var first *line
	var turn Slot
	offer := func(l *line, slot Slot) {
		if first == nil || slot.At.Before(turn.At) {
			first, turn = l, slot
		}
	}
	for _, l := range r.lines {
		if r.now().Before(l.again) {
			continue
		}
		if slot, ok := r.due(l); ok {
			offer(l, slot)
		}
		if slot, ok := r.triggeredRun(l); ok {
			offer(l, slot)
		}
		if slot, ok := r.retryOf(l); ok && first != l {
			offer(l, slot)
		}
	}
	return first, turn
}

// due returns the slot of a line that should run now. It reads the stored runs, which are on disk,
// only when a slot has come.
func (r *Runner) due(l *line) (Slot, bool) {
	now := r.now()
	var come time.Time // the slot whose time it is; zero at the start, which looks at all before
	if !l.watch.Dealt.IsZero() {
		if come = l.schedule.Next(l.watch.Dealt); come.IsZero() || come.After(now) {
			return Slot{}, false
		}
	}
	stored, err := r.Stored(l.spec.Job)
	if err != nil { // without them a slot could run twice
		r.postpone(l, fmt.Sprintf("the stored runs cannot be read: %v", err))
		return Slot{}, false
	}
	slot, due, missed := Due(l.spec, l.schedule, r.withBroken(l.spec.Job, stored), l.watch, now)
	r.miss(missed)
	if !due && len(missed) == 0 && !come.IsZero() {
		r.Log.Info("slot needs no run: its night has one", "job", l.spec.Job, "date", come.Format(DateLayout), "slot", come)
	}
	l.watch.Dealt = now
	if due {
		l.watch.Dealt = slot.At.Add(-time.Nanosecond)
	} else {
		l.watch.Blocked = ""
	}
	return slot, due
}

// postpone delays a slot that cannot start. It logs the reason when that is new.
func (r *Runner) postpone(l *line, reason string) {
	l.again = r.now().Add(patience)
	if l.watch.Blocked != reason {
		l.watch.Blocked = reason
		r.Log.Warn("slot waits", "job", l.spec.Job, "reason", reason)
	}
}

// attempt runs one slot. Whatever the result, the slot is dealt with and the next one runs. Only a
// slot that finds the data directory locked keeps its turn.
func (r *Runner) attempt(ctx context.Context, l *line, slot Slot) {
	start := r.now()
	log := r.Log.With("job", slot.Job, "date", slot.Date, "slot", slot.At)
	if l.watch.Blocked == "" {
		log.Info("slot starts", "late", rounded(start.Sub(slot.At)))
	}
	l.superseded(slot)
	err := r.run(ctx, slot)
	if errors.Is(err, ErrNotYet) {
		r.postpone(l, err.Error())
		return
	}
	end := r.now()
	l.watch.Since, l.watch.Away, l.watch.Blocked = end, "the run before was under way", ""
	if slot.Triggered {
		r.take(slot)
	} else if slot.At.After(l.watch.Dealt) {
		l.watch.Dealt = slot.At
	}
	if u, ok := unfinished(err); ok && ctx.Err() == nil {
		r.retryLater(l, slot, u, start)
		return
	}
	l.retry = nil
	switch {
	case err == nil:
		log.Info("slot done", "took", rounded(end.Sub(start)))
		return
	case errors.Is(err, context.Canceled): // by a person, or by the end of this process
		log.Info("slot stopped before its first request", "took", rounded(end.Sub(start)))
		return
	}
	record := Record{At: end.UTC(), State: RecordFailed, Job: slot.Job, Date: slot.Date, Slot: slot.At, Triggered: slot.Triggered, Started: start.UTC(), Reason: err.Error()}
	attributes := []any{"error", err, "took", rounded(end.Sub(start))}
	if crash, ok := errors.AsType[*panicError](err); ok {
		record.Stack = crash.stack
		attributes = append(attributes, "stack", crash.stack)
	}
	log.Error("run failed", attributes...)
	r.write(record)
}

// sleep waits for the next slot, at most a pulse, or for the end. When it wakes much too late, the
// machine slept or the clock was set: no process waited for the slots in between.
func (r *Runner) sleep(ctx context.Context) {
	r.publishSnapshot(Slot{}, time.Time{})
	start := r.now()
	wait := r.pulse()
	for _, l := range r.lines {
		next := l.again
		if l.retry != nil && next.Before(l.retry.at) {
			wait = min(wait, max(l.retry.at.Sub(start), 0))
		}
		if !next.After(start) {
			from := start
			if l.watch.Dealt.After(from) {
				from = l.watch.Dealt
			}
			next = l.schedule.Next(from)
		}
		if next.After(start) {
			wait = min(wait, next.Sub(start))
		}
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return
	case <-r.wake:
	case <-timer.C:
	}
	woke := r.now()
	if woke.Sub(start) <= wait+nap {
		return
	}
	r.Log.Warn("clock jumped", "asked", rounded(wait), "took", rounded(woke.Sub(start)))
	for _, l := range r.lines {
		l.watch.Since, l.watch.Away = woke, "the machine slept or its clock was set"
	}
}

// rounded is a duration for the log.
func rounded(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

func (r *Runner) pulse() time.Duration {
	if r.Pulse > 0 {
		return r.Pulse
	}
	return nap
}
