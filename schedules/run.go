package schedules

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sourcegraph/conc/panics"
)

// panicError is a panic of a run.
type panicError struct{ words, stack string }

func (c *panicError) Error() string { return "panic: " + c.words }

// errGoexit is the end of a run that called runtime.Goexit.
var errGoexit = errors.New("the run ended its goroutine without returning")

// run runs a slot in a separate goroutine, waits for it, and beats meanwhile.
func (r *Runner) run(ctx context.Context, slot Slot) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.mu.Lock()
	r.running, r.cancel = slot.Job, cancel
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		r.running, r.cancel = "", nil
		r.mu.Unlock()
		r.publishSnapshot(Slot{}, time.Time{})
	}()
	ended := make(chan error, 1)
	go func() {
		err := errGoexit
		defer func() { ended <- err }()
		if recovered := panics.Try(func() { err = r.Run(ctx, slot) }); recovered != nil {
			err = panicErrorOf(recovered)
		}
	}()
	started := r.now()
	ticker := time.NewTicker(r.pulse())
	defer ticker.Stop()
	for {
		r.publishSnapshot(slot, started)
		select {
		case err := <-ended:
			return err
		case <-ticker.C:
			r.beat()
		}
	}
}

// panicErrorOf unwraps a panic that pools passed on: the stack of the first is where it happened.
func panicErrorOf(r *panics.Recovered) *panicError {
	for {
		inner, ok := r.Value.(*panics.Recovered)
		if !ok {
			return &panicError{fmt.Sprint(r.Value), string(r.Stack)}
		}
		r = inner
	}
}

// beat reports that the loop is alive, and writes records that the slot log could not write before.
func (r *Runner) beat() {
	if r.Beat != nil {
		r.Beat()
	}
	if r.Slots != nil {
		if _, err := r.Slots.Write(); err != nil {
			r.Log.Debug("slot log not written", "error", err)
		}
	}
}

// write appends records to the slot log, and reports those that are new to Recorded.
func (r *Runner) write(records ...Record) []Record {
	fresh := records
	if r.Slots != nil {
		var err error
		if fresh, err = r.Slots.Write(records...); err != nil {
			r.Log.Error("slot log not written", "error", err)
		}
	}
	if r.Recorded != nil {
		for _, record := range fresh {
			if record.State != RecordWaiting {
				r.Recorded(record)
			}
		}
	}
	return fresh
}

// miss records slots that get no run: one record and one line of the log for all in a row with one reason, since a
// restore under a job of every minute may find hundreds. What was recorded before a restart is not recorded again.
func (r *Runner) miss(missed []Missed) {
	if r.Slots != nil {
		missed = slices.DeleteFunc(missed, func(m Missed) bool { return r.Slots.hasMissed(m.Job, m.At) })
	}
	for len(missed) > 0 {
		n := 1
		for n < len(missed) && missed[n].Reason == missed[0].Reason && !missed[n].Triggered {
			n++
		}
		first, last := missed[0], missed[n-1]
		missed = missed[n:]
		record := Record{At: r.now().UTC(), State: RecordMissed, Job: last.Job, Date: last.Date, Slot: last.At, Triggered: last.Triggered, Reason: last.Reason}
		if n > 1 {
			record.First, record.Slots = first.At, n
			record.Reason = fmt.Sprintf("%d slots since %s: %s", n, first.At.Format(time.RFC3339), last.Reason)
		}
		for range r.write(record) {
			r.Log.Warn("slot missed", "job", first.Job, "slots", n, "first", first.At, "last", last.At, "reason", last.Reason)
		}
	}
}

// remember records since when a process waits for a job: from then on its slots count, although no
// run of it is stored yet.
func (r *Runner) remember(l *line, now time.Time) {
	if r.Slots == nil {
		return
	}
	records := r.Slots.recordsOf(l.spec.Job)
	if len(records) == 0 {
		next := l.schedule.Next(now)
		r.write(Record{At: now.UTC(), State: RecordWaiting, Job: l.spec.Job, Date: next.Format(DateLayout), Slot: next})
		return
	}
	l.watch.Known = records[0].At
}

// withBroken adds the runs that failed before they could end in order and of which nothing is
// stored: they count as cut short.
func (r *Runner) withBroken(job string, stored []Stored) []Stored {
	if r.Slots == nil {
		return stored
	}
	all := stored[:len(stored):len(stored)]
	for _, record := range r.Slots.recordsOf(job) {
		if record.State != RecordFailed || record.Triggered {
			continue
		}
		kept := false
		for _, s := range stored {
			kept = kept || !s.Started.Before(record.Started.Add(-time.Second)) && !s.Started.After(record.At.Add(time.Second))
		}
		if !kept {
			all = append(all, Stored{Date: record.Date, Slot: record.Slot, Started: record.Started, State: stateBroken})
		}
	}
	return all
}
