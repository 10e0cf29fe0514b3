package schedules

import (
	"fmt"
	"hash/fnv"
	"time"
)

// Rules for slots that passed while no process waited for them.
const (
	MissedOnce = "once" // the latest is made up for; the others are given up
	MissedSkip = "skip" // all are given up
)

// Spec is one line of the cron table.
type Spec struct {
	Job      string
	Cron     string
	Location *time.Location
	Missed   string // MissedOnce or MissedSkip; empty is MissedOnce

	// Jitter spreads the starts of machines that share a table: a slot starts up to so much
	// after its time, by an amount that follows from the slot, is the same after a restart, and
	// is never as late as the next slot.
	Jitter time.Duration

	// Priority orders jobs that wait for the one writer; the higher goes first, and of two that
	// are equal the one whose slot is older.
	Priority int

	// MaxLateness is the greatest age at which a slot is still started; 0 is no limit:
	// the next slot of the job takes its place.
	MaxLateness time.Duration
}

// Slot is a time at which a job should run, and the snapshot date that the run stands for:
// the civil date of that time in the job's zone, however late the run is.
type Slot struct {
	Job       string
	At        time.Time
	Date      string
	Triggered bool // by a person, not by the schedule

	// Again says that the slot runs although an earlier run of its date may be done.
	// A run of this slot, or one that was cut short, is still resumed and not paid for again.
	Again bool

	Try     int       // number of earlier tries of the slot in this process
	Until   time.Time // of another try: when the slot is given up
	Publish bool      // of another try: only publish what earlier tries paid for
}

// delay is what the jitter of a job adds to one of its slots.
func (s Spec) delay(schedule Schedule, at time.Time) time.Duration {
	if s.Jitter <= 0 {
		return 0
	}
	most := s.Jitter
	if next := schedule.Next(at); !next.IsZero() {
		most = min(most, next.Sub(at))
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", s.Job, at.Unix())
	mixed := h.Sum64() * 0x9e3779b97f4a7c15 // neighbouring slots differ in the last byte alone
	return time.Duration(float64(mixed>>11) / (1 << 53) * float64(most)).Truncate(time.Second)
}

// horizon returns the moment up to which slots may start at now: now, or just before a slot
// that still waits out its jitter. Only the latest can, because no delay reaches the next.
func (s Spec) horizon(schedule Schedule, now time.Time) time.Time {
	if s.Jitter <= 0 {
		return now
	}
	for at := schedule.Next(now.Add(-s.Jitter)); !at.IsZero() && !at.After(now); at = schedule.Next(at) {
		if at.Add(s.delay(schedule, at)).After(now) {
			return at.Add(-time.Nanosecond)
		}
	}
	return now
}

// starts returns when the first slot after a moment starts, and that slot; both zero if
// there is none.
func (s Spec) starts(schedule Schedule, after time.Time) (start, slot time.Time) {
	slot = schedule.Next(after)
	if slot.IsZero() {
		return slot, slot
	}
	return slot.Add(s.delay(schedule, slot)), slot
}
