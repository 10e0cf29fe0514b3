package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/schedules"
)

// TestUnfinished says which ends of a run are worth another try: those that asking again may
// mend, and not those that need a person.
func TestUnfinished(t *testing.T) {
	for name, c := range map[string]struct {
		state string
		stop  pipeline.Stop
		want  bool
	}{
		"done":                          {pipeline.StateDone, "", false},
		"partial, the service was away": {pipeline.StatePartial, pipeline.StopService, true},
		"partial, some were refused":    {pipeline.StatePartial, "", true},
		"partial, the cap":              {pipeline.StatePartial, pipeline.StopBudget, false},
		"partial, the credits":          {pipeline.StatePartial, pipeline.StopCredits, false},
		"partial, the key":              {pipeline.StatePartial, pipeline.StopKey, false},
		"partial, the deadline":         {pipeline.StatePartial, pipeline.StopDeadline, false},
		"stopped by a person":           {pipeline.StateInterrupted, pipeline.StopSignal, false},
		"our disk was full":             {pipeline.StateInterrupted, "", true},
		"killed, and published now":     {pipeline.StateKilled, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			end := time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC)
			err := unfinished(pipeline.Report{State: c.state, Stop: c.stop}, end)
			u, got := errors.AsType[*schedules.Unfinished](err)
			if got != c.want || got && (!u.Until.Equal(end) || u.Publish || u.Reason == "") {
				t.Errorf("got %+v, want another try: %v", u, c.want)
			}
		})
	}
}

// TestStoredOf is what a process that starts makes of the runs of the nights before.
func TestStoredOf(t *testing.T) {
	at := func(clock string) time.Time {
		when, err := time.Parse("2006-01-02 15:04", "2026-11-20 "+clock)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	away := func(clock string) pipeline.Night {
		return pipeline.Night{Date: "2026-11-20", Started: at(clock), State: pipeline.StatePartial, Stop: pipeline.StopService}
	}
	capped := pipeline.Night{Date: "2026-11-20", Started: at("02:00"), State: pipeline.StatePartial, Stop: pipeline.StopBudget}
	for name, c := range map[string]struct {
		nights []pipeline.Night
		now    string
		want   []string
	}{
		"within the deadline":                          {[]pipeline.Night{away("02:00")}, "05:59", []string{schedules.StateUnanswered}},
		"at the deadline":                              {[]pipeline.Night{away("02:00")}, "06:00", []string{pipeline.StatePartial}},
		"a later try does not move the deadline":       {[]pipeline.Night{away("02:00"), away("05:30")}, "06:00", []string{pipeline.StatePartial, pipeline.StatePartial}},
		"a run that ended at its cap fills its slot":   {[]pipeline.Night{capped}, "02:30", []string{pipeline.StatePartial}},
		"a run without an end is that of a crash":      {[]pipeline.Night{{Date: "2026-11-20", Started: at("02:00")}}, "02:30", []string{""}},
		"each date has a deadline of its own, by runs": {[]pipeline.Night{{Date: "2026-11-19", Started: at("02:00").AddDate(0, 0, -1), State: pipeline.StatePartial, Stop: pipeline.StopService}, away("02:00")}, "03:00", []string{pipeline.StatePartial, schedules.StateUnanswered}},
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

// TestServePublishesWithoutAsking has a warehouse that cannot be written: the run fails after it
// has paid, and the tries after it publish and send no request.
func TestServePublishesWithoutAsking(t *testing.T) {
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	t.Chdir(w.dir)
	environment := map[string]string{"FLEETLAKE_BASE_URL": w.base, "FLEETLAKE_API_KEY": "planted-key"}
	a := &app{getenv: func(name string) string { return environment[name] }, stdout: os.Stderr, stderr: os.Stderr}
	config, err := a.config()
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.server(config)
	if err != nil {
		t.Fatal(err)
	}
	defer s.closeNotifier()
	blocked := filepath.Join(config.DataDir, "warehouse")
	if err := errors.Join(os.MkdirAll(config.DataDir, 0o755), os.Symlink("nowhere/at/all", blocked)); err != nil {
		t.Fatal(err)
	}
	slot := schedules.Slot{Job: "nightly", Date: "2026-11-20", At: time.Now(), Again: true}
	u, ok := errors.AsType[*schedules.Unfinished](s.run(t.Context(), slot))
	spent := w.sim.Bill().Spent
	if !ok || !u.Publish || spent == 0 {
		t.Fatalf("got %+v after %d credits, want a publish to be tried again", u, spent)
	}
	slot.Try, slot.Publish, slot.Again = 1, true, false
	if u, ok = errors.AsType[*schedules.Unfinished](s.run(t.Context(), slot)); !ok || !u.Publish {
		t.Errorf("got %+v while the warehouse is blocked", u)
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	if err := s.run(t.Context(), slot); err != nil {
		t.Errorf("the warehouse is free, and: %v", err)
	}
	if now := w.sim.Bill().Spent; now != spent {
		t.Errorf("publishing again spent %d credits", now-spent)
	}
	w.must(exitDone, "runs")
	if again, err := s.again(schedules.Slot{Job: "nightly", Date: "2026-11-20", Again: true}); err != nil || !again {
		t.Errorf("a slot of its own after a night that is done: again %v, %v", again, err)
	}
}
