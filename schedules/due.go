package schedules

import (
	"fmt"
	"time"
)

const (
	lookBack = 366 * 24 * time.Hour // older slots are ignored
	maxTries = 5                    // runs of one slot that may be cut short before it is given up
)

// Stored is a stored run of a job. Slot is the time that it ran for; where that is unknown, the date
// and the start decide.
//
// A run that ended because the service was away is StateUnanswered for as long as its slot may
// be tried again; a process that starts meanwhile resumes it.
type Stored struct {
	Date    string
	Slot    time.Time
	Started time.Time
	State   string // done, partial, failed, interrupted, killed or broken; empty after a crash
}

// StateUnanswered is a run that the service answered too little, and whose deadline is not over.
const StateUnanswered = "unanswered"

// stateBroken is a run that failed before it could end in order. Like one that was killed it
// leaves its slot open.
const stateBroken = "broken"

// Watch is what one process knows about the slots of a job.
type Watch struct {
	Since   time.Time // since when the process waits for slots without a break
	Away    string    // why nobody waited before that
	Dealt   time.Time // up to when this process ran or gave up slots; zero is none
	Known   time.Time // when a process first waited for the job, if it has no stored run; zero is now
	Blocked string    // why the slots since then could not start
}

// Missed is a slot without a run, and why.
type Missed struct {
	Slot
	Reason string
}

// Due returns the slot of a job that should run now, if any, and the slots that get no run. The stored
// runs should reach back to the latest one before now at least. A job that no process ever waited
// for and that has no stored run has missed nothing: its first slot is the first from now on.
//
// A run that was interrupted or killed does not fill its slot: the slot is due again, and the
// run resumes. Of several open slots only the latest runs.
func Due(spec Spec, schedule Schedule, stored []Stored, watch Watch, now time.Time) (Slot, bool, []Missed) {
	open, missed := openSlots(spec, schedule, stored, watch, now)
	if len(open) == 0 {
		return Slot{}, false, missed
	}
	giveUp := func(slots []openSlot, words string) {
		for _, slot := range slots {
			missed = append(missed, Missed{slot.Slot, slot.reason(watch) + "; " + words})
		}
	}
	last := open[len(open)-1]
	switch {
	case spec.Missed == MissedSkip && last.At.Before(watch.Since):
		giveUp(open, "missed slots are skipped")
	case spec.MaxLateness > 0 && now.Sub(last.At) > spec.MaxLateness:
		giveUp(open, fmt.Sprintf("not made up for later than %v", spec.MaxLateness))
	default:
		giveUp(open[:len(open)-1], fmt.Sprintf("the slot of %s runs instead", last.At.Format(time.RFC3339)))
		last.Slot.Again = true
		return last.Slot, true, missed
	}
	return Slot{}, false, missed
}

// openSlot is a slot without a run that filled it, and how many were cut short.
type openSlot struct {
	Slot
	tries int
}

// reason says why an open slot has not run yet.
func (s openSlot) reason(watch Watch) string {
	switch {
	case s.tries > 0:
		return "its run was cut short"
	case s.At.Before(watch.Since):
		return watch.Away
	case watch.Blocked != "":
		return watch.Blocked
	}
	return "passed while a run was under way"
}

// openSlots returns the slots up to now that no run fills and that this process has not dealt
// with, and those among them that were tried too often.
func openSlots(spec Spec, schedule Schedule, stored []Stored, watch Watch, now time.Time) (open []openSlot, missed []Missed) {
	after, date := watch.Dealt, ""
	if after.IsZero() {
		if date = lastDate(stored, now.In(schedule.loc).Format(DateLayout)); date == "" {
			if after = watch.Since; !watch.Known.IsZero() && watch.Known.Before(after) {
				after = watch.Known
			}
			after = after.Add(-time.Nanosecond)
		}
	}
	slots := slotsOf(spec.Job, schedule, after, date, now)
	tries := fill(slots, stored)
	for i, slot := range slots {
		switch {
		case !slot.At.After(after) || slot.Date < date || tries[i] == filled:
		case tries[i] >= maxTries:
			missed = append(missed, Missed{slot, fmt.Sprintf("cut short %d times; not tried again", tries[i])})
		default:
			open = append(open, openSlot{slot, tries[i]})
		}
	}
	return open, missed
}

// lastDate returns the latest snapshot date of the stored runs that is not after today. A
// later one comes from a wrong clock, or from a run with a date of its choice.
func lastDate(stored []Stored, today string) string {
	last := ""
	for _, r := range stored {
		if r.Date <= today {
			last = max(last, r.Date)
		}
	}
	return last
}

// slotsOf lists the slots up to now, early enough to include all slots of the dates that after and
// date fall on.
func slotsOf(job string, schedule Schedule, after time.Time, date string, now time.Time) []Slot {
	if t, err := time.Parse(DateLayout, date); err == nil {
		after = t
	}
	if oldest := now.Add(-lookBack); after.Before(oldest) {
		after = oldest
	}
	var slots []Slot
	for _, at := range schedule.Slots(after.Add(-48*time.Hour), now) {
		slots = append(slots, Slot{Job: job, At: at, Date: at.Format(DateLayout)})
	}
	return slots
}

// filled marks a slot that needs no other run.
const filled = -1

// fill says for each slot whether a stored run fills it, or how many were cut short.
func fill(slots []Slot, stored []Stored) []int {
	tries := make([]int, len(slots))
	for _, r := range stored {
		first, own := -1, -1
		for i, slot := range slots {
			if slot.Date != r.Date {
				continue
			}
			if first < 0 {
				first = i
			}
			if own < 0 || !slot.At.After(r.reference()) {
				own = i
			}
		}
		if own < 0 {
			continue
		}
		early := r.reference().Before(slots[own].At) // started by hand, before the first slot of its date
		switch {
		case r.cutShort():
			if tries[own] != filled && !early {
				tries[own]++
			}
		case r.State == StateUnanswered: // its deadline bounds the tries, not their number
			if tries[own] != filled && !early {
				tries[own] = max(tries[own], 1)
			}
		case early && r.State != "done":
		default:
			for i := first; i <= own; i++ {
				tries[i] = filled
			}
		}
	}
	return tries
}

// cutShort reports whether a run ended before it could fill its slot.
func (r Stored) cutShort() bool {
	switch r.State {
	case "", "interrupted", "killed", stateBroken:
		return true
	}
	return false
}

// reference is the time that decides which slot of its date a run belongs to.
func (r Stored) reference() time.Time {
	if !r.Slot.IsZero() {
		return r.Slot
	}
	return r.Started
}
