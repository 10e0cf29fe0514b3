package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/schedules"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	small := func(t *testing.T) *world {
		w := newWorld(t, simulator.Config{Vessels: 400})
		w.configure(1_000_000, smallJob)
		return w
	}
	good, cut := small(t), small(t) // a check changes nothing, so that cases share them
	good.has(smallJob, time.Now().UTC().Format(time.DateOnly))
	cut.must(exitCredits, "run", "nightly", "--budget", "25")
	cases := map[string]struct {
		of      *world         // nil is one that has not run
		prepare func(w *world) // nil changes nothing
		args    []string
		code    int
		says    string
	}{
		"a run of just now":              {good, nil, nil, exitDone, "ok: the newest run, 20"},
		"a run that is too old":          {good, nil, []string{"--max-age", "1ns"}, exitUnexpected, "STALE: the newest run, 20"},
		"no run at all":                  {nil, nil, nil, exitUnexpected, "STALE: no run has been published"},
		"no run of the job":              {good, nil, []string{"--job", "weekly"}, exitUnexpected, "STALE: no run has been"},
		"a run without an answer":        {nil, func(w *world) { w.sim.SetBalance(3); w.fleetlake("run", "nightly") }, nil, exitUnexpected, "STALE: no run has been"},
		"a partial run that learnt some": {cut, nil, nil, exitCredits, "WRONG: the newest run, 20"},
		"a partial run that is enough":   {cut, nil, []string{"--min-coverage", "20"}, exitDone, "ok: "},
		"a good run and then a slot that failed": {nil, func(w *world) {
			w.has(smallJob, "2026-11-20")
			w.recorded(schedules.RecordFailed, "the service refuses the key")
		}, nil, exitUnexpected, "WRONG: the slot of "},
		"a slot that failed and then a good run": {nil, func(w *world) {
			w.recorded(schedules.RecordFailed, "the service refuses the key")
			w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
		}, nil, exitDone, "ok: "},
		"what was paid for is not published": {nil, func(w *world) {
			w.has(smallJob, time.Now().UTC().Format(time.DateOnly))
			w.unpublished()
		}, nil, exitUnexpected, "is not published"},
		"days":          {good, nil, []string{"--max-age", "8d"}, exitDone, "ok: "},
		"no age at all": {nil, nil, []string{"--max-age", "0s"}, exitUsage, "longer than 0"},
		"no share":      {nil, nil, []string{"--min-coverage", "101"}, exitUsage, "from 0 to 100"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := c.of
			if w == nil {
				w = small(t)
			}
			if c.prepare != nil {
				c.prepare(w)
			}
			o := w.of(t).must(c.code, append([]string{"check"}, c.args...)...)
			if out := o.stdout + o.stderr; !strings.Contains(out, c.says) || strings.Count(out, "\n") != 1 && c.code != exitUsage {
				t.Errorf("not one line with %q:\n%s", c.says, out)
			}
		})
	}
}

// recorded writes a current slot without a good run into the slot log.
func (w *world) recorded(state, reason string) {
	w.t.Helper()
	slots, err := schedules.OpenSlotLog(filepath.Join(w.dir, "fleetlake-data"))
	if err != nil {
		w.t.Fatal(err)
	}
	now := time.Now().UTC()
	if _, err := slots.Write(schedules.Record{At: now, State: state, Job: "nightly", Date: now.Format(time.DateOnly), Slot: now, Reason: reason}); err != nil {
		w.t.Fatal(err)
	}
}

// unpublished leaves a run that ended and is not published.
func (w *world) unpublished() {
	w.t.Helper()
	at := time.Now().UTC()
	plan := journal.Plan{Run: at.Format("20060102T150405.000Z") + "-aaaa", Job: "nightly", Date: at.Format(time.DateOnly)}
	s, err := journal.Create(filepath.Join(w.dir, "fleetlake-data", "journal"), journal.Entry{Kind: journal.KindPlan, At: at, Plan: &plan})
	if err != nil {
		w.t.Fatal(err)
	}
	_, err = s.Append(journal.Entry{Kind: journal.KindEnd, At: at, End: &journal.End{State: report.StateDone}})
	if err := errors.Join(err, s.Close()); err != nil {
		w.t.Fatal(err)
	}
}

// TestTooLittleAnswered is the exit code of runs that end in order, by what the service answered.
func TestTooLittleAnswered(t *testing.T) {
	lanes := func(answers int) []report.Lane {
		return []report.Lane{{Operation: "credits", Answers: 2}, {Operation: "by-type", Requests: 100, Answers: answers}}
	}
	for name, c := range map[string]struct {
		state    string
		stop     report.Stop
		answers  int
		complete int // of 100 partitions
		least    int
		want     int
	}{
		"all answered":                         {report.StateDone, "", 100, 100, 50, exitDone},
		"nothing answered":                     {report.StatePartial, report.StopService, 0, 0, 50, exitUnanswered},
		"nothing, and no minimum":              {report.StatePartial, report.StopService, 0, 0, 0, exitUnanswered},
		"nothing but refusals":                 {report.StatePartial, "", 0, 0, 50, exitUnanswered},
		"nothing until the deadline":           {report.StatePartial, report.StopDeadline, 0, 0, 50, exitUnanswered},
		"just enough":                          {report.StatePartial, report.StopService, 50, 50, 50, exitPartial},
		"one too few":                          {report.StatePartial, report.StopService, 49, 49, 50, exitUnanswered},
		"few, and no minimum":                  {report.StatePartial, report.StopService, 1, 1, 0, exitPartial},
		"done, yet little was covered":         {report.StateDone, "", 49, 49, 50, exitUnanswered},
		"a deadline that was short is our own": {report.StatePartial, report.StopDeadline, 10, 10, 50, exitPartial},
		"a cap is ours too":                    {report.StatePartial, report.StopBudget, 10, 10, 50, exitCredits},
		"and a refused key is the key":         {report.StatePartial, report.StopKey, 0, 0, 50, exitKey},
		"interrupted":                          {report.StateInterrupted, report.StopSignal, 0, 0, 50, exitInterrupted},
	} {
		t.Run(name, func(t *testing.T) {
			r := report.Report{State: c.state, Stop: c.stop, Lanes: lanes(c.answers), Partitions: 100, Coverage: map[string]int{"complete": c.complete, "skipped": 100 - c.complete}}
			if got := codeOf(r, c.least); got != c.want {
				t.Errorf("exit code %d, want %d", got, c.want)
			}
		})
	}
	if got := codeOf(report.Report{State: report.StateDone}, 100); got != exitDone {
		t.Errorf("a run with nothing to ask: exit code %d", got)
	}
}

// TestAnOutageIsNoSuccess has a service that refuses every search with 404: the run ends with the
// code that a scheduler tries again, and says so.
func TestAnOutageIsNoSuccess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	w.env = append(w.env, "FLEETLAKE_BASE_URL="+server.URL+simulator.BasePath)
	w.must(exitUnanswered, "run", "nightly")
	if o := w.must(exitUnexpected, "check"); !strings.Contains(o.stdout, "STALE") {
		t.Errorf("check: %s", o.stdout)
	}
}

func TestCheckAndStatusAsJSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	w.has(smallJob, "2026-11-20")
	slots, err := schedules.OpenSlotLog(filepath.Join(w.dir, "fleetlake-data"))
	if err != nil {
		t.Fatal(err)
	}
	slot := time.Date(2026, 11, 19, 2, 0, 0, 0, time.UTC)
	if _, err := slots.Write(schedules.Record{At: slot, State: schedules.RecordMissed, Job: "nightly", Date: "2026-11-19", Slot: slot, Reason: "no process was waiting"},
		schedules.Record{At: slot.AddDate(0, 0, 1), State: schedules.RecordFailed, Job: "nightly", Date: "2026-11-20", Slot: slot.AddDate(0, 0, 1), Reason: "made good by a later run"},
		schedules.Record{At: slot.AddDate(0, 0, 1), State: schedules.RecordFailed, Job: "other", Date: "2026-11-20", Slot: slot.AddDate(0, 0, 1), Reason: "of another job"}); err != nil {
		t.Fatal(err)
	}
	var v verdict
	if err := json.Unmarshal([]byte(w.must(exitDone, "check", "--json").stdout), &v); err != nil || !v.OK || v.Job != "nightly" || v.AgeSeconds <= 0 {
		t.Errorf("check: %+v, %v", v, err)
	}
	var s status
	if err := json.Unmarshal([]byte(w.must(exitDone, "status", "--json").stdout), &s); err != nil {
		t.Fatal(err)
	}
	if s.Writer != "" || len(s.Jobs) != 1 || len(s.Missed) != 2 || s.Missed[0].Reason != "of another job" || s.Missed[1].Reason != "no process was waiting" {
		t.Errorf("status: %+v", s)
	}
	if j := s.Jobs[0]; j.Last == nil || j.Last.State != "done" || !j.Last.Published || j.Last.Date != "2026-11-20" || j.Last.Credits == 0 || len(j.Next) != maxSlots || j.Next[0].Before(time.Now()) {
		t.Errorf("job: %+v", j)
	}
	text := w.must(exitDone, "status").stdout
	for _, want := range []string{"running   nothing", "nightly (0 2 * * *, UTC)", "last      done for 2026-11-20", "next ", "missed    nightly 2026-11-19 02:00 UTC: no process was waiting"} {
		if !strings.Contains(text, want) {
			t.Errorf("status has no %q:\n%s", want, text)
		}
	}
}

func TestStatusBeforeTheFirstRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.env = append(w.env, "FLEETLAKE_API_KEY=", "FLEETLAKE_BASE_URL=") // it sends no request
	if o := w.must(exitDone, "status"); !strings.Contains(o.stdout, "last      never") || !strings.Contains(o.stderr, "there is no data directory fleetlake-data yet") {
		t.Errorf("got:\n%s%s", o.stdout, o.stderr)
	}
}
