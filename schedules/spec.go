package schedules

import "time"

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

	// MaxLateness is the greatest age at which a slot is still started; 0 is no limit:
	// the next slot of the job takes its place.
	MaxLateness time.Duration
}

// same reports whether two lines of the table mean the same.
func (s Spec) same(other Spec) bool {
	zone := s.Location.String() == other.Location.String()
	s.Location, other.Location = nil, nil
	return zone && s == other
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
