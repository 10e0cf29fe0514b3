package schedules

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestDueWithMaxLateness(t *testing.T) {
	for name, c := range map[string]struct {
		last, state    string // the stored run
		since, blocked string
		dealt, now     string
		want           string
		given          []string
	}{
		"a slot within its age is made up for": {last: "20 02:00", state: "done", since: "21 07:00", now: "21 07:00", want: "21 02:00"},
		"a slot beyond its age is given up": {
			last: "20 02:00", state: "done", since: "21 09:00", now: "21 09:00",
			given: []string{"21 02:00 was down; not made up for later than 6h0m0s"},
		},
		"and so are those before it": {
			last: "19 02:00", state: "done", since: "21 09:00", now: "21 09:00",
			given: []string{"20 02:00 was down; not made up for later than", "21 02:00 was down; not made up for later than"},
		},
		"a run that was cut short resumes within the age": {last: "21 02:00", state: "killed", since: "21 07:00", now: "21 07:00", want: "21 02:00"},
		"and not beyond it": {
			last: "21 02:00", state: "killed", since: "21 09:00", now: "21 09:00",
			given: []string{"21 02:00 its run was cut short; not made up for later than 6h0m0s"},
		},
		"a slot that found the directory locked is tried until its age": {
			since: "20 09:00", dealt: "21 01:59", blocked: "locked by another", now: "21 08:00", want: "21 02:00",
		},
		"and then names what blocked it": {
			since: "20 09:00", dealt: "21 01:59", blocked: "locked by another", now: "21 08:01",
			given: []string{"21 02:00 locked by another; not made up for later than 6h0m0s"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := Spec{Job: "nightly", Cron: "0 2 * * *", Location: time.UTC, MaxLateness: 6 * time.Hour}
			var stored []Stored
			if c.last != "" {
				started := at(t, c.last)
				stored = append(stored, Stored{Date: started.Format(DateLayout), Started: started, State: c.state})
			}
			watch := Watch{Since: at(t, c.since), Dealt: at(t, c.dealt), Away: "was down", Blocked: c.blocked}
			slot, due, missed := Due(spec, schedule(t, spec.Cron, "UTC"), stored, watch, at(t, c.now))
			if want := c.want != ""; due != want || due && !slot.At.Equal(at(t, c.want)) {
				t.Errorf("due %v, slot %v; want %q", due, slot.At, c.want)
			}
			compareMissed(t, missed, c.given)
		})
	}
}

// TestDueRemembersAJobWithoutRuns has a job that was waited for, whose process died before
// the first slot: the slots that passed since then were missed.
func TestDueRemembersAJobWithoutRuns(t *testing.T) {
	spec := Spec{Job: "nightly", Cron: "0 2 * * *", Location: time.UTC}
	watch := Watch{Since: at(t, "22 09:00"), Away: "was down", Known: at(t, "20 14:00")}
	slot, due, missed := Due(spec, schedule(t, spec.Cron, "UTC"), nil, watch, at(t, "22 09:00"))
	if !due || !slot.At.Equal(at(t, "22 02:00")) {
		t.Errorf("due %v, slot %v; want that of the 22nd", due, slot.At)
	}
	compareMissed(t, missed, []string{"21 02:00 was down; the slot of 2026-11-22"})
}

// TestARestoreUnderAJobOfEveryMinute writes one record of all slots that passed meanwhile, and one line; a restart
// writes no other of them.
func TestARestoreUnderAJobOfEveryMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		h := newHouse(t).withSlotLog(t, dir)
		table := Spec{Job: "nightly", Cron: "* * * * *", Location: time.UTC}
		h.serve(t, 90*time.Second, table)
		h.stored["nightly"] = h.stored["nightly"][:1]
		time.Sleep(12 * time.Hour) // of synctest: nobody waits
		h.withSlotLog(t, dir).serve(t, 90*time.Second, table)
		records := h.runner.Slots.Latest(10)
		if len(records) != 1 || records[0].Slots != 720 || records[0].Slot.Sub(records[0].First) != 719*time.Minute ||
			!strings.HasPrefix(records[0].Reason, "720 slots since 2000-01-01T00:01:00Z: no process was waiting") {
			t.Errorf("%+v", records)
		}
		if n := strings.Count(h.log.String(), "slot missed"); n != 1 {
			t.Errorf("%d lines: %s", n, h.log.String())
		}
		h.stored["nightly"] = h.stored["nightly"][:1] // as if nothing of it had been stored
		h.withSlotLog(t, dir).serve(t, 90*time.Second, table)
		if again := h.runner.Slots.Latest(10); again[len(again)-1].Slots != 720 || len(again) != 2 || again[0].Slots > 5 {
			t.Errorf("%+v", again)
		}
	})
}

// TestASlotOfADoneNightSaysSo in one line.
func TestASlotOfADoneNightSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.stored["nightly"] = []Stored{{Date: "2000-01-01", Started: time.Now(), State: "done"}} // by hand, before the slot
		h.serve(t, 3*time.Hour, nightly("0 2 * * *"))
		h.check(t)
		if n := strings.Count(h.log.String(), "slot needs no run"); n != 1 || strings.Count(h.log.String(), "\n") != 2 {
			t.Errorf("%s", h.log.String())
		}
	})
}
