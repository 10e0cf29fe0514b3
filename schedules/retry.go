package schedules

import (
	"errors"
	"fmt"
	"time"
)

// Pauses before a slot is tried again. They double from the first to the longest, so that a
// service that is down for an hour is not asked each minute of it.
const (
	firstPause   = time.Minute
	longestPause = 30 * time.Minute
)

// Unfinished is the error of a run whose slot is worth another try by the same process.
type Unfinished struct {
	Reason string

	// Until is when trying ends, by the job's deadline; zero is the next slot of the job.
	Until time.Time

	// Publish says that the run paid for answers and could not publish them. The next try only
	// publishes, and asks for nothing.
	Publish bool

	// Failed says that the run ended with an error, of which no report tells. A person may have to
	// mend what is wrong, and is told at the first such try.
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
	failed  bool // a try of it failed, and was told of
}

// tryAgain puts a slot off until its next try, or gives it up where its time is over. A slot that
// goes from publishing to asking, or back, begins again with short pauses.
func (r *Runner) tryAgain(l *line, slot Slot, u *Unfinished, started time.Time) {
	now := r.now()
	next := retry{slot: slot, until: u.Until, pause: firstPause, started: started, reason: u.Reason}
	if old := l.retry; old != nil {
		next.started, next.failed = old.started, old.failed
		if slot.Publish == u.Publish {
			next.until, next.pause = old.until, min(2*old.pause, longestPause)
		}
	}
	if next.until.IsZero() {
		_, next.until = l.spec.starts(l.schedule, now)
	}
	next.slot.Try, next.slot.Publish, next.slot.Until = slot.Try+1, u.Publish, next.until
	next.at = now.Add(next.pause)
	log := r.Log.With("job", slot.Job, "date", slot.Date, "slot", slot.At, "tries", next.slot.Try, "reason", u.Reason)
	if !next.until.IsZero() && !next.at.Before(next.until) {
		l.retry = nil
		log.Warn("slot given up")
		r.write(Record{At: now.UTC(), State: RecordFailed, Job: slot.Job, Date: slot.Date, Slot: slot.At, Asked: slot.Asked, Started: next.started.UTC(),
			Tries: next.slot.Try, Reason: fmt.Sprintf("%s; tried %d times", u.Reason, next.slot.Try)})
		return
	}
	if u.Failed && !next.failed {
		next.failed = true
		what := "it is tried again"
		if u.Publish {
			what = "publishing is tried again"
		}
		log.Error("run failed")
		r.write(Record{At: now.UTC(), State: RecordFailed, Job: slot.Job, Date: slot.Date, Slot: slot.At, Asked: slot.Asked, Started: next.started.UTC(),
			Reason: u.Reason + "; " + what})
	}
	l.retry = &next
	log.Warn("slot is tried again", "at", next.at, "publish_only", u.Publish)
}

// retryOf returns the slot of a line that is due for another try. A newer slot, or a run that
// was asked for, takes its place: it goes on from what the tries have brought.
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
	return s.Job == other.Job && s.At.Equal(other.At) && s.Asked == other.Asked
}

// unfinished returns the error of a run that is worth another try.
func unfinished(err error) (*Unfinished, bool) { return errors.AsType[*Unfinished](err) }
