package schedules

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// unanswered is what a run returns while the service is away, for a job with a deadline of 4 h.
func unanswered(h *fixture) *Unfinished {
	return &Unfinished{Reason: "the service is away", Until: h.runner.Now().Add(4 * time.Hour)}
}

// TestServeTriesAgainWhileTheServiceIsAway has a service that is down from the slot on for an
// hour: the slot is tried again at growing pauses and done the same night.
func TestServeTriesAgainWhileTheServiceIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		back := time.Date(2000, 1, 1, 3, 0, 0, 0, time.UTC)
		var starts []string
		h.fault = func(slot Slot) error {
			starts = append(starts, time.Now().UTC().Format("02 15:04"))
			if !slot.Again || slot.Publish {
				t.Errorf("try %d: again %v, publish %v; each belongs to the first try of the slot", slot.Try, slot.Again, slot.Publish)
			}
			if time.Now().Before(back) {
				return unanswered(h)
			}
			return nil
		}
		h.serve(t, 40*time.Hour, nightly("0 2 * * *"))
		if got, want := strings.Join(starts, ", "), "01 02:00, 01 02:01, 01 02:03, 01 02:07, 01 02:15, 01 02:31, 01 03:01, 02 02:00"; got != want {
			t.Errorf("tries at %s, want %s", got, want)
		}
	})
}

// TestServeGivesUpAtTheDeadline has a service that stays away: the tries end with the deadline of
// the first, one failure is recorded, and the next slot runs as usual.
func TestServeGivesUpAtTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		var recorded []Record
		h.runner.Recorded = func(r Record) { recorded = append(recorded, r) }
		var last time.Time
		tries := 0
		h.fault = func(slot Slot) error {
			if slot.At.Day() == 1 {
				tries, last = tries+1, time.Now()
				if tries > 1 && !slot.Until.Equal(time.Date(2000, 1, 1, 6, 0, 0, 0, time.UTC)) {
					t.Errorf("try %d ends at %v, want the deadline of the first", tries, slot.Until)
				}
				return unanswered(h)
			}
			return nil
		}
		h.serve(t, 30*time.Hour, nightly("0 2 * * *"))
		if end := time.Date(2000, 1, 1, 6, 0, 0, 0, time.UTC); tries < 8 || tries > 14 || last.Before(end.Add(-longestPause)) || !last.Before(end) {
			t.Errorf("%d tries, the last at %v; want some, until the deadline at %v", tries, last, end)
		}
		if len(recorded) != 1 || recorded[0].State != RecordFailed || !strings.Contains(recorded[0].Reason, "the service is away; tried ") {
			t.Errorf("recorded: %+v, want one failure", recorded)
		}
		if last := h.ran[len(h.ran)-1]; last != "nightly 01-02 02:00" {
			t.Errorf("the last run is %s, want the next slot", last)
		}
	})
}

// TestServePublishesAgain has a publish that fails for an hour. The failure is recorded at once and
// only once; the later tries send no request; the next slot runs as usual.
func TestServePublishesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		var recorded []Record
		h.runner.Recorded = func(r Record) { recorded = append(recorded, r) }
		asked := 0
		h.fault = func(slot Slot) error {
			if !slot.Publish {
				asked++
			}
			if time.Now().Before(time.Date(2000, 1, 1, 3, 0, 0, 0, time.UTC)) {
				return &Unfinished{Reason: "the file is busy", Publish: true, Failed: true}
			}
			return nil
		}
		h.serve(t, 30*time.Hour, nightly("0 2 * * *"))
		if asked != 2 || len(h.ran) != 8 {
			t.Errorf("%d runs of which %d asked, want 8 and 2: %v", len(h.ran), asked, h.ran)
		}
		if len(recorded) != 1 || !strings.Contains(recorded[0].Reason, "the file is busy; publishing will be tried again") {
			t.Errorf("recorded: %+v, want one failure", recorded)
		}
	})
}

// TestServePublishesAgainUntilTheNextSlot has a publish that never works: its tries end when the
// next slot takes its turn.
func TestServePublishesAgainUntilTheNextSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		asked := 0
		h.fault = func(slot Slot) error {
			if !slot.Publish {
				asked++
			}
			return &Unfinished{Reason: "the file is busy", Publish: true, Failed: true}
		}
		h.serve(t, 51*time.Hour, nightly("0 2 * * *"))
		if asked != 3 || len(h.ran) > 3*60 {
			t.Errorf("%d runs of which %d asked, want 3 slots and at most two tries an hour", len(h.ran), asked)
		}
	})
}

// TestServeAsksAgainAfterAFailure has a run that fails before it asks, such as for want of disk, from
// its second try on: the failure is recorded at once and only once, and the tries continue and send requests.
func TestServeAsksAgainAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		var recorded []Record
		h.runner.Recorded = func(r Record) { recorded = append(recorded, r) }
		h.fault = func(slot Slot) error {
			switch {
			case slot.Publish:
				t.Errorf("try %d only publishes", slot.Try)
			case slot.Try == 0:
				return unanswered(h)
			case slot.Try < 4:
				return &Unfinished{Reason: "the disk is full", Until: slot.Until, Failed: true}
			}
			return nil
		}
		h.serve(t, 10*time.Hour, nightly("0 2 * * *"))
		if len(h.ran) != 5 {
			t.Errorf("%d tries, want 5: %v", len(h.ran), h.ran)
		}
		if len(recorded) != 1 || recorded[0].Reason != "the disk is full; it will be tried again" || recorded[0].At.Format("15:04") != "02:01" {
			t.Errorf("recorded: %+v, want the failure at 02:01", recorded)
		}
	})
}

// TestAStopIsNoFailure cancels a run before it could ask: nothing is recorded, and the next slot runs.
func TestAStopIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.runner.Recorded = func(r Record) { t.Errorf("recorded: %+v", r) }
		h.fault = func(slot Slot) error {
			if slot.At.Day() == 1 {
				return fmt.Errorf("read the runs: %w", context.Canceled)
			}
			return nil
		}
		h.serve(t, 30*time.Hour, nightly("0 2 * * *"))
		if len(h.ran) != 2 {
			t.Errorf("ran %v, want both nights once", h.ran)
		}
	})
}

// TestSnapshotHasTheNextTry checks what the page and status list between two tries.
func TestSnapshotHasTheNextTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.fault = func(Slot) error { return unanswered(h) }
		h.serve(t, 2*time.Hour+30*time.Second, nightly("0 2 * * *"))
		next := h.runner.Snapshot().Next
		if len(next) != 2 || !strings.Contains(next[0].Reason, "tried again: the service is away") || !next[0].Start.Equal(time.Date(2000, 1, 1, 2, 1, 0, 0, time.UTC)) {
			t.Errorf("next: %+v, want the try at 02:01 and the next night", next)
		}
	})
}

// TestAnUnansweredRunResumesAfterARestart has runs that name the slot that they ran for.
func TestAnUnansweredRunResumesAfterARestart(t *testing.T) {
	schedule, err := Parse("0 2,14 * * *", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	spec := Spec{Job: "nightly", Cron: "0 2,14 * * *", Location: time.UTC}
	run := func(started, state string) Stored {
		return Stored{Date: "2026-11-21", Started: at(t, started), State: state}
	}
	for name, c := range map[string]struct {
		stored []Stored
		now    string
		due    string
	}{
		"unanswered":                       {[]Stored{run("21 02:00", StateUnanswered), run("21 02:40", StateUnanswered)}, "21 03:00", "21 02:00"},
		"many times, which is no end":      {[]Stored{run("21 02:00", StateUnanswered), run("21 02:01", StateUnanswered), run("21 02:02", StateUnanswered), run("21 02:03", StateUnanswered), run("21 02:04", StateUnanswered), run("21 02:05", StateUnanswered)}, "21 03:00", "21 02:00"},
		"unanswered, and then done":        {[]Stored{run("21 02:00", StateUnanswered), run("21 02:40", "done")}, "21 03:00", ""},
		"the second slot of a date is new": {[]Stored{run("21 02:00", "done")}, "21 14:00", "21 14:00"},
		"a killed run is resumed":          {[]Stored{run("21 02:00", "done"), run("21 14:00", "killed")}, "21 14:05", "21 14:00"},
	} {
		t.Run(name, func(t *testing.T) {
			slot, due, missed := Due(spec, schedule, c.stored, Watch{Since: at(t, c.now)}, at(t, c.now))
			if due != (c.due != "") || due && (!slot.At.Equal(at(t, c.due))) || len(missed) > 0 {
				t.Errorf("due %v: %+v, missed %v", due, slot, missed)
			}
		})
	}
}
