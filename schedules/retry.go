package schedules

import (
	"errors"
	"fmt"
	"time"
)

// Pauses before a slot is tried again. They double from the first to the longest, so that a
// service that is down for an hour does not get a request each minute.
const (
	firstPause   = time.Minute
	longestPause = 30 * time.Minute
)

// Unfinished is the error of a run whose slot the same process should try again.
type Unfinished struct {
	Reason string

	// Until is when the tries end, by the job's deadline; zero is the next slot of the job.
	Until time.Time

	// Publish says that the run paid for answers and could not publish them. The next try only
	// publishes, and sends no request.
	Publish bool

	// Failed says that the run ended with an error and has no report. A person may have to repair
	// something, and is notified at the first such try.
	Failed bool
}

func (u *Unfinished) Error() string { return u.Reason }

// retry is a slot that is tried again.
type retry struct {
	slot    Slot      // with the number of its next try
	at      time.Time // of the next try
	until   time.Time
	pause   time.Duration
	started time.Time // of the first try
	reason  string
	failed  bool // a try of it failed, and people were notified
}

// retryLater postpones a slot until its next try, or gives it up when its time is over. A slot that
// changes from publishing to requesting, or back, starts again with short pauses.
func (r *Runner) retryLater(l *line, slot Slot, u *Unfinished, started time.Time) {
	now := r.now()
	next := retry{slot: slot, until: u.Until, pause: firstPause, started: started, reason: u.Reason}
	if old := l.retry; old != nil {
		next.started, next.failed = old.started, old.failed
		if slot.Publish == u.Publish {
			next.until, next.pause = old.until, min(2*old.pause, longestPause)
		}
	}
	if next.until.IsZero() {
		next.until = l.schedule.Next(now)
	}
	next.slot.Try, next.slot.Publish, next.slot.Until = slot.Try+1, u.Publish, next.until
	next.at = now.Add(next.pause)
	log := r.Log.With("job", slot.Job, "date", slot.Date, "slot", slot.At, "tries", next.slot.Try, "reason", u.Reason)
	if !next.until.IsZero() && !next.at.Before(next.until) {
		l.retry = nil
		log.Warn("slot given up")
		r.write(Record{At: now.UTC(), State: RecordFailed, Job: slot.Job, Date: slot.Date, Slot: slot.At, Triggered: slot.Triggered, Started: next.started.UTC(),
			Tries: next.slot.Try, Reason: fmt.Sprintf("%s; tried %d times", u.Reason, next.slot.Try)})
		return
	}
	if u.Failed && !next.failed {
		next.failed = true
		what := "it will be tried again"
		if u.Publish {
			what = "publishing will be tried again"
		}
		log.Error("run failed")
		r.write(Record{At: now.UTC(), State: RecordFailed, Job: slot.Job, Date: slot.Date, Slot: slot.At, Triggered: slot.Triggered, Started: next.started.UTC(),
			Reason: u.Reason + "; " + what})
	}
	l.retry = &next
	log.Warn("slot will be tried again", "at", next.at, "publish_only", u.Publish)
}

// retryOf returns the slot of a line that is due for another try. A newer slot, or a
// triggered run, takes its place and resumes what the tries have left.
func (r *Runner) retryOf(l *line) (Slot, bool) {
	if l.retry == nil || r.now().Before(l.retry.at) {
		return Slot{}, false
	}
	return l.retry.slot, true
}

// superseded forgets the tries of an older slot once another slot of the line runs.
func (l *line) superseded(slot Slot) {
	if l.retry != nil && !l.retry.slot.same(slot) {
		l.retry = nil
	}
}

// same reports whether two tries are of one slot.
func (s Slot) same(other Slot) bool {
	return s.Job == other.Job && s.At.Equal(other.At) && s.Triggered == other.Triggered
}

// unfinished returns the error of a run that is worth another try.
func unfinished(err error) (*Unfinished, bool) { return errors.AsType[*Unfinished](err) }
