package schedules

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// at reads "21 02:00" as a time in November 2026, UTC.
func at(t *testing.T, s string) time.Time {
	t.Helper()
	if s == "" {
		return time.Time{}
	}
	when, err := time.Parse("2006-01-02 15:04", "2026-11-"+s)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

func TestDue(t *testing.T) {
	type run struct{ date, started, state string }
	for name, c := range map[string]struct {
		cron, missed string
		stored       []run
		since, dealt string
		now          string
		want         string   // the slot that is due; empty is none
		given        []string // slots given up, with a word of the reason
	}{
		"before the first slot of a new job nothing is due": {since: "20 14:00", now: "21 01:59"},
		"a new job has missed nothing":                      {since: "20 14:00", now: "20 14:00"},
		"the first slot that is waited for":                 {since: "20 14:00", now: "21 02:00", want: "21 02:00"},
		"a slot that ran is not due again": {
			stored: []run{{"2026-11-21", "21 02:00", "done"}}, since: "21 05:00", now: "21 05:00",
		},
		"a partial run fills its slot": {
			stored: []run{{"2026-11-21", "21 02:00", "partial"}}, since: "21 05:00", now: "21 05:00",
		},
		"a failed run fills its slot": {
			stored: []run{{"2026-11-21", "21 02:00", "failed"}}, since: "21 05:00", now: "21 05:00",
		},
		"a killed run is resumed after a restart": {
			stored: []run{{"2026-11-21", "21 02:00", "killed"}}, since: "21 05:00", now: "21 05:00", want: "21 02:00",
		},
		"and so is one that a crash left without an end": {
			stored: []run{{"2026-11-21", "21 02:00", ""}}, since: "21 05:00", now: "21 05:00", want: "21 02:00",
		},
		"an interrupted run is not resumed by the process that it stopped with": {
			stored: []run{{"2026-11-21", "21 02:00", "interrupted"}}, since: "20 05:00", dealt: "21 02:00", now: "21 05:00",
		},
		"a run that was resumed and done fills its slot": {
			stored: []run{{"2026-11-21", "21 02:00", "killed"}, {"2026-11-21", "21 03:00", "done"}}, since: "21 05:00", now: "21 05:00",
		},
		"five runs cut short are enough": {
			stored: []run{
				{"2026-11-21", "21 02:00", "killed"}, {"2026-11-21", "21 02:01", "killed"}, {"2026-11-21", "21 02:02", "killed"},
				{"2026-11-21", "21 02:03", "killed"}, {"2026-11-21", "21 02:04", "killed"},
			},
			since: "21 05:00", now: "21 05:00", given: []string{"21 02:00 cut short 5 times"},
		},
		"a slot missed while down runs once": {
			stored: []run{{"2026-11-20", "20 02:00", "done"}}, since: "21 09:00", now: "21 09:00", want: "21 02:00",
		},
		"of many slots missed the latest runs": {
			stored: []run{{"2026-11-18", "18 02:00", "done"}}, since: "21 09:00", now: "21 09:00", want: "21 02:00",
			given: []string{"19 02:00 was down; the slot of 2026-11-21", "20 02:00 was down; the slot of 2026-11-21"},
		},
		"or none runs": {
			missed: MissedSkip, stored: []run{{"2026-11-19", "19 02:00", "done"}}, since: "21 09:00", now: "21 09:00",
			given: []string{"20 02:00 was down; missed slots are skipped", "21 02:00 was down; missed slots are skipped"},
		},
		"a slot that waits for another job is late and not missed": {
			missed: MissedSkip, stored: []run{{"2026-11-20", "20 02:00", "done"}}, since: "20 09:00", dealt: "21 01:59", now: "21 06:00", want: "21 02:00",
		},
		"a run of yesterday's slot after midnight does not fill today's": {
			stored: []run{{"2026-11-20", "21 00:30", "done"}}, since: "21 00:20", now: "21 02:00", want: "21 02:00",
		},
		"a complete run by hand before the slot fills it": {
			stored: []run{{"2026-11-21", "21 00:30", "done"}}, since: "20 00:00", now: "21 02:00",
		},
		"a partial run by hand before the slot does not": {
			stored: []run{{"2026-11-21", "21 00:30", "partial"}}, since: "20 00:00", now: "21 02:00", want: "21 02:00",
		},
		"a run by hand for the slot's date after it does": {
			stored: []run{{"2026-11-21", "21 07:30", "partial"}}, since: "21 08:00", now: "21 08:00",
		},
		"a run that a wrong clock put into the future fills its own slot only": {
			stored: []run{{"2026-11-25", "25 02:00", "done"}}, since: "20 09:00", now: "21 02:00", want: "21 02:00",
		},
		"and its own slot is not run again": {
			stored: []run{{"2026-11-25", "25 02:00", "done"}, {"2026-11-24", "24 02:00", "done"}}, since: "24 09:00", dealt: "24 02:00", now: "25 02:00",
		},
		"each slot of a day is filled by its own run": {
			cron: "0 2,14 * * *", stored: []run{{"2026-11-21", "21 02:00", "done"}}, since: "21 03:00", now: "21 14:00", want: "21 14:00",
		},
		"a later slot of the day fills the earlier": {
			cron: "0 2,14 * * *", stored: []run{{"2026-11-21", "21 14:00", "done"}}, since: "21 15:00", now: "21 15:00",
		},
		"slots that passed during a run become one": {
			cron: "0 * * * *", since: "20 00:00", dealt: "21 02:00", now: "21 05:30", want: "21 05:00",
			given: []string{"21 03:00 a run was under way", "21 04:00 a run was under way"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := Spec{Job: "nightly", Cron: "0 2 * * *", Location: time.UTC, Missed: c.missed}
			if c.cron != "" {
				spec.Cron = c.cron
			}
			var stored []Stored
			for _, r := range c.stored {
				stored = append(stored, Stored{Date: r.date, Started: at(t, r.started), State: r.state})
			}
			watch := Watch{Since: at(t, c.since), Dealt: at(t, c.dealt), Away: "was down"}
			slot, due, missed := Due(spec, schedule(t, spec.Cron, "UTC"), stored, watch, at(t, c.now))
			if want := c.want != ""; due != want || due && !slot.At.Equal(at(t, c.want)) {
				t.Errorf("due %v, slot %v; want %q", due, slot.At, c.want)
			}
			if due && slot.Date != slot.At.Format(DateLayout) {
				t.Errorf("date %s of slot %v", slot.Date, slot.At)
			}
			compareMissed(t, missed, c.given)
		})
	}
}

// compareMissed compares missed slots with "21 02:00 words of the reason".
func compareMissed(t *testing.T, missed []Missed, want []string) {
	t.Helper()
	var got []string
	for i, m := range missed {
		line := m.At.Format("02 15:04 ") + m.Reason
		if i < len(want) && strings.HasPrefix(line, want[i][:8]) && strings.Contains(line, want[i][9:]) {
			line = want[i]
		}
		got = append(got, line)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("missed (-want +got):\n%s", diff)
	}
}

func TestDueUsesTheSlotThatARunNames(t *testing.T) {
	spec := Spec{Job: "nightly", Cron: "0 2,14 * * *", Location: time.UTC}
	stored := []Stored{{Date: "2026-11-21", Slot: at(t, "21 02:00"), Started: at(t, "21 14:30"), State: "done"}}
	slot, due, _ := Due(spec, schedule(t, spec.Cron, "UTC"), stored, Watch{Since: at(t, "21 15:00")}, at(t, "21 15:00"))
	if !due || !slot.At.Equal(at(t, "21 14:00")) {
		t.Errorf("due %v, slot %v; want the one at 14:00", due, slot.At)
	}
}

func TestSlotDateIsCivil(t *testing.T) {
	spec := Spec{Job: "nightly", Cron: "0 2 * * *", Location: zone(t, "Pacific/Auckland")}
	now := at(t, "20 20:00") // 21 November, 09:00 there
	stored := []Stored{{Date: "2026-11-20", Started: now.Add(-31 * time.Hour), State: "done"}}
	slot, due, _ := Due(spec, schedule(t, spec.Cron, "Pacific/Auckland"), stored, Watch{Since: now}, now)
	if !due || slot.Date != "2026-11-21" || !slot.At.Equal(at(t, "20 13:00")) {
		t.Errorf("due %v, slot %+v; want 2026-11-21 at 13:00 UTC", due, slot)
	}
}

// TestDowntime restarts a process after k days: the documented catch-up, and each slot has
// either a run or a reason.
func TestDowntime(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	spec := Spec{Job: "nightly", Cron: "30 2 * * *", Location: berlin}
	s := schedule(t, spec.Cron, "Europe/Berlin")
	last := time.Date(2026, 3, 20, 2, 30, 0, 0, berlin)
	for days := range 300 {
		now := time.Date(2026, 3, 20+days, 12, 0, 0, 0, berlin)
		stored := []Stored{{Date: "2026-03-20", Started: last, State: "done"}}
		_, due, missed := Due(spec, s, stored, Watch{Since: now, Away: "was down"}, now)
		ran := 0
		if due {
			ran = 1
		}
		if due != (days > 0) || ran+len(missed) != days {
			t.Fatalf("%d days down: due %v and %d given up, want %d slots in all", days, due, len(missed), days)
		}
	}
}
