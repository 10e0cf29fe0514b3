package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/schedules/notify"
)

func TestCheck(t *testing.T) {
	cases := map[string]struct {
		prepare func(w *world)
		args    []string
		code    int
		says    string
	}{
		"a run of just now":              {func(w *world) { w.must(exitDone, "run", "nightly") }, nil, exitDone, "ok: the newest run, 20"},
		"a run that is too old":          {func(w *world) { w.must(exitDone, "run", "nightly") }, []string{"--max-age", "1ns"}, exitUnexpected, "STALE: the newest run, 20"},
		"no run at all":                  {func(*world) {}, nil, exitUnexpected, "STALE: no run was ever published"},
		"no run of the job":              {func(w *world) { w.must(exitDone, "run", "nightly") }, []string{"--job", "weekly"}, exitUnexpected, "STALE: no run was ever"},
		"a run that learnt nothing":      {func(w *world) { w.sim.SetBalance(3); w.fleetlake("run", "nightly") }, nil, exitUnexpected, "STALE: no run was ever"},
		"a partial run that learnt some": {func(w *world) { w.must(exitCredits, "run", "nightly", "--budget", "25") }, nil, exitDone, "ok: "},
		"no age at all":                  {func(*world) {}, []string{"--max-age", "0s"}, exitUsage, "want more than 0"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{Vessels: 400})
			w.configure(1_000_000, smallJob)
			c.prepare(w)
			o := w.must(c.code, append([]string{"check"}, c.args...)...)
			if out := o.stdout + o.stderr; !strings.Contains(out, c.says) || strings.Count(out, "\n") != 1 {
				t.Errorf("not one line with %q:\n%s", c.says, out)
			}
		})
	}
}

func TestCheckAndStatusAsJSON(t *testing.T) {
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
	book, err := schedules.OpenBook(filepath.Join(w.dir, "fleetlake-data"))
	if err != nil {
		t.Fatal(err)
	}
	slot := time.Date(2026, 11, 19, 2, 0, 0, 0, time.UTC)
	if _, err := book.Write(schedules.Record{At: slot, State: schedules.RecordMissed, Job: "nightly", Date: "2026-11-19", Slot: slot, Reason: "no process was waiting"}); err != nil {
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
	if s.Writer != "" || len(s.Jobs) != 1 || len(s.Missed) != 1 || s.Missed[0].Reason != "no process was waiting" {
		t.Errorf("status: %+v", s)
	}
	if j := s.Jobs[0]; j.Last == nil || j.Last.State != "done" || !j.Last.Published || j.Last.Date != "2026-11-20" || j.Last.Credits == 0 || len(j.Next) != shownSlots || j.Next[0].Before(time.Now()) {
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
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.env = append(w.env, "FLEETLAKE_API_KEY=", "FLEETLAKE_BASE_URL=") // it asks nobody
	if o := w.must(exitDone, "status"); !strings.Contains(o.stdout, "last      never") {
		t.Errorf("got:\n%s", o.stdout)
	}
}

// TestSilenceIsToldOnce goes through hours, each with the time of the newest run.
func TestSilenceIsToldOnce(t *testing.T) {
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		newest func(hour int) (hours int, err error) // of the newest run, by the same count; before 0 is none
		want   map[int]string
	}{
		"each night": {func(hour int) (int, error) { return max(1, hour/24*24), nil }, map[int]string{}},
		"one night and then none": {func(int) (int, error) { return 1, nil },
			map[int]string{28: "nothing was published for 27h0m0s"}},
		"never": {func(int) (int, error) { return -1, nil }, map[int]string{27: "nothing was ever published"}},
		"two silences": {func(hour int) (int, error) { return 1 + hour/40*40, nil },
			map[int]string{28: "nothing was published for 27h0m0s", 68: "nothing was published for 27h0m0s"}},
		"a warehouse that cannot be read": {func(int) (int, error) { return -1, errors.New("damaged") }, map[int]string{27: "nothing was ever published"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := silence{most: 26 * time.Hour, heard: start}
			got := map[int]string{}
			for hour := range 80 {
				e, ok := w.look(start.Add(time.Duration(hour)*time.Hour), func() (time.Time, error) {
					h, err := c.newest(hour)
					if h < 0 || h > hour {
						return time.Time{}, err
					}
					return start.Add(time.Duration(h) * time.Hour), err
				})
				if ok {
					got[hour] = e.Title
					if e.Kinds[0] != notify.Stale {
						t.Errorf("kinds %v", e.Kinds)
					}
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("told %v, want %v", got, c.want)
			}
		})
	}
}
