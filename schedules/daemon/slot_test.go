package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/google/go-cmp/cmp"
)

// TestUnfinished checks which ends of a run are worth another try: not those that need a person.
func TestUnfinished(t *testing.T) {
	for name, c := range map[string]struct {
		state string
		stop  report.Stop
		want  bool
	}{
		"done":                          {report.StateDone, "", false},
		"partial, the service was away": {report.StatePartial, report.StopService, true},
		"partial, some were refused":    {report.StatePartial, "", true},
		"partial, the cap":              {report.StatePartial, report.StopBudget, false},
		"partial, what its plan named":  {report.StatePartial, report.StopBudget, true},
		"partial, the credits":          {report.StatePartial, report.StopCredits, false},
		"partial, the key":              {report.StatePartial, report.StopKey, false},
		"partial, the deadline":         {report.StatePartial, report.StopDeadline, false},
		"partial, an answer too large":  {report.StatePartial, report.StopTooLarge, false}, // it would be paid for and be as large
		"stopped by a person":           {report.StateInterrupted, report.StopSignal, false},
		"our disk was full":             {report.StateInterrupted, "", true},
		"killed, and published now":     {report.StateKilled, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			end := time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC)
			spent := c.want && c.stop == report.StopBudget
			err := unfinished(report.Report{State: c.state, Stop: c.stop, PlanSpent: spent}, end)
			u, got := errors.AsType[*schedules.Unfinished](err)
			if got != c.want || got && (!u.Until.Equal(end) || u.Publish || u.Reason == "") {
				t.Errorf("got %+v, want another try: %v", u, c.want)
			}
		})
	}
}

// TestStoredOf checks how a process that starts sees the runs of earlier nights.
func TestStoredOf(t *testing.T) {
	at := func(clock string) time.Time {
		when, err := time.Parse("2006-01-02 15:04", "2026-11-20 "+clock)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	away := func(clock string) pipeline.PastRun {
		return pipeline.PastRun{Date: "2026-11-20", Started: at(clock), State: report.StatePartial, Stop: report.StopService}
	}
	capped := pipeline.PastRun{Date: "2026-11-20", Started: at("02:00"), State: report.StatePartial, Stop: report.StopBudget}
	for name, c := range map[string]struct {
		nights []pipeline.PastRun
		now    string
		want   []string
	}{
		"within the deadline":                            {[]pipeline.PastRun{away("02:00")}, "05:59", []string{schedules.StateUnanswered}},
		"at the deadline":                                {[]pipeline.PastRun{away("02:00")}, "06:00", []string{report.StatePartial}},
		"a later try does not move the deadline":         {[]pipeline.PastRun{away("02:00"), away("05:30")}, "06:00", []string{report.StatePartial, report.StatePartial}},
		"a run that ended at its cap fills its slot":     {[]pipeline.PastRun{capped}, "02:30", []string{report.StatePartial}},
		"a run without an end is that of a crash":        {[]pipeline.PastRun{{Date: "2026-11-20", Started: at("02:00")}}, "02:30", []string{""}},
		"each date has a separate deadline, by its runs": {[]pipeline.PastRun{{Date: "2026-11-19", Started: at("02:00").AddDate(0, 0, -1), State: report.StatePartial, Stop: report.StopService}, away("02:00")}, "03:00", []string{report.StatePartial, schedules.StateUnanswered}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, r := range storedOf(c.nights, 4*time.Hour, at(c.now)) {
				got = append(got, r.State)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAgain checks when a slot repeats a night, and when it resumes a run.
func TestAgain(t *testing.T) {
	t.Parallel()
	const date = "2026-11-20"
	s, sim := newServer(t)
	run := func() {
		t.Helper()
		job, err := s.job("nightly")
		if err != nil {
			t.Fatal(err)
		}
		p := *s.pipeline
		if _, err := p.Run(t.Context(), job, date); err != nil {
			t.Fatal(err)
		}
	}
	faults := func(f ...simulator.Fault) {
		t.Helper()
		if err := sim.SetFaults(f); err != nil {
			t.Fatal(err)
		}
	}
	held := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(s.pipeline.Dir, "held_back.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	is := func(when string, at time.Time, want bool) {
		t.Helper()
		if again, err := s.again(schedules.Slot{Job: "nightly", Date: date, At: at, Again: true}); err != nil || again != want {
			t.Errorf("%s: again %v, %v", when, again, err)
		}
	}
	first := time.Now()
	is("a night without a run", first, false)
	faults(simulator.Fault{Kind: simulator.Blocked, Operation: "by-type"})
	run()
	is("a run that the service cut off, in a later slot", time.Now(), false)
	cutOff, _, err := s.newestOf(schedules.Slot{Job: "nightly", Date: date})
	if err != nil {
		t.Fatal(err)
	}
	held(fmt.Sprintf(`[{"run":%q,"job":"nightly","date":%q,"state":"partial","reason":"planted"}]`, cutOff.Run, date))
	is("a run that was cut off and is held back, in a later slot", time.Now(), true)
	is("the same, in its own slot", cutOff.Started, false)
	held("[]")
	faults()
	run()
	is("the slot that was filled", first, false)
	n, _, err := s.newestOf(schedules.Slot{Job: "nightly", Date: date})
	if err != nil {
		t.Fatal(err)
	}
	is("the slot that its run began within the same millisecond", n.Started.Add(999*time.Microsecond), false)
	is("a slot of the next millisecond", n.Started.Add(time.Millisecond), true)
	is("the next slot of the date", time.Now(), true)
	is("a look at what a run of now would do", time.Time{}, true)
	if again, err := s.again(schedules.Slot{Job: "nightly", Date: date, At: time.Now()}); err != nil || again {
		t.Errorf("a person who asks for no new round: again %v, %v", again, err)
	}
}
