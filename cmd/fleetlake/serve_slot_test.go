package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/schedules"
)

// TestServePublishesWithoutRequests has a warehouse that cannot be written: the run fails after it
// has paid, and the tries after it publish and send no request.
func TestServePublishesWithoutRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	s := w.server()
	blocked := filepath.Join(s.pipeline.Dir, "warehouse")
	if err := errors.Join(os.MkdirAll(s.pipeline.Dir, 0o755), os.Symlink("nowhere/at/all", blocked)); err != nil {
		t.Fatal(err)
	}
	slot := schedules.Slot{Job: "nightly", Date: "2026-11-20", At: time.Now(), Again: true}
	u, ok := errors.AsType[*schedules.Unfinished](s.Run(t.Context(), slot))
	spent := w.sim.Bill().Spent
	if !ok || !u.Publish || !u.Failed || spent == 0 {
		t.Fatalf("got %+v after %d credits, want a publish to be tried again", u, spent)
	}
	slot.Try, slot.Publish = 1, true
	if u, ok = errors.AsType[*schedules.Unfinished](s.Run(t.Context(), slot)); !ok || !u.Publish {
		t.Errorf("got %+v while the warehouse is blocked", u)
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context(), slot); err != nil {
		t.Errorf("the warehouse is free, and: %v", err)
	}
	if now := w.sim.Bill().Spent; now != spent {
		t.Errorf("publishing again spent %d credits", now-spent)
	}
	w.must(exitDone, "runs")
}

// TestServeHarvestsAfterAnEarlyFailure has a slot fail before its first request. Nothing is paid for
// yet, so a try that only publishes would find nothing, and the night would count as done: the next
// try must harvest, once the fault is repaired.
func TestServeHarvestsAfterAnEarlyFailure(t *testing.T) {
	t.Parallel()
	const date = "2026-11-20"
	for name, c := range map[string]struct {
		floor       int
		spoil, mend func(w *world, data string) error
	}{
		"the journal cannot be written": {0,
			func(_ *world, data string) error {
				return errors.Join(os.MkdirAll(filepath.Join(data, "journal"), 0o755), os.WriteFile(filepath.Join(data, "journal", date), nil, 0o600))
			},
			func(_ *world, data string) error { return os.Remove(filepath.Join(data, "journal", date)) }},
		"the warehouse cannot be read": {0,
			func(_ *world, data string) error {
				return os.MkdirAll(filepath.Join(data, "warehouse", "fleet.duckdb"), 0o755)
			},
			func(_ *world, data string) error { return os.Remove(filepath.Join(data, "warehouse", "fleet.duckdb")) }},
		"the balance cannot be read, and a floor is set": {10,
			func(w *world, _ string) error {
				w.faults(simulator.Fault{Kind: simulator.ServerError, Operation: "credits"})
				return nil
			},
			func(w *world, _ string) error { w.faults(); return nil }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{Vessels: 400})
			w.write("fleetlake.yaml", fmt.Sprintf("api: {patience: 1s}\nbudget: {floor: %d}\njobs:\n  nightly:\n%s", c.floor, smallJob))
			s := w.server()
			if err := c.spoil(w, s.pipeline.Dir); err != nil {
				t.Fatal(err)
			}
			slot := schedules.Slot{Job: "nightly", Date: date, At: time.Now(), Again: true}
			err := s.Run(t.Context(), slot)
			u, ok := errors.AsType[*schedules.Unfinished](err)
			if spent := w.sim.Bill().Spent; !ok || u.Publish || !u.Failed || u.Until.Before(time.Now().Add(time.Hour)) || spent != 0 {
				t.Fatalf("got %v, %+v after %d credits, want another try that asks", err, u, spent)
			}
			if err := c.mend(w, s.pipeline.Dir); err != nil {
				t.Fatal(err)
			}
			slot.Try, slot.Until = 1, u.Until
			if err := s.Run(t.Context(), slot); err != nil || w.sim.Bill().Spent == 0 {
				t.Errorf("the next try: %v after %d credits", err, w.sim.Bill().Spent)
			}
			if n := s.newestOf(t, slot); n.State != report.StateDone {
				t.Errorf("the night is %+v", n)
			}
		})
	}
}

// TestServeFindsNothingToPublish has a slot that only publishes, with nothing left to publish: the
// journal decides whether it is done.
func TestServeFindsNothingToPublish(t *testing.T) {
	t.Parallel()
	const date = "2026-11-20"
	for name, c := range map[string]struct {
		before   []string // the run of another process
		code     int
		heldBack bool
		away     bool // the service, for a part of that run
		want     func(err error) bool
	}{
		"another process has published it": {before: []string{"run", "nightly", "--date", date}, want: func(err error) bool { return err == nil }},
		"another process has published it at its deadline": {before: []string{"run", "nightly", "--date", date, "--deadline", "1ms"}, code: exitUnanswered,
			want: func(err error) bool { return err == nil }},
		"another process has published what the service cut off": {before: []string{"run", "nightly", "--date", date}, code: exitUnanswered, away: true,
			want: func(err error) bool {
				u, ok := errors.AsType[*schedules.Unfinished](err)
				return ok && !u.Publish && !u.Failed && u.Until.After(time.Now())
			}},
		"the journal has nothing of it": {want: func(err error) bool {
			u, ok := errors.AsType[*schedules.Unfinished](err)
			return ok && !u.Publish && u.Failed && u.Until.After(time.Now())
		}},
		"a rule holds it back": {before: []string{"run", "nightly", "--date", date}, heldBack: true,
			want: func(err error) bool { return errors.Is(err, load.ErrIssues) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{Vessels: 400})
			w.configure(1_000_000, smallJob)
			s := w.server()
			slot := schedules.Slot{Job: "nightly", Date: date, At: time.Now(), Try: 1, Publish: true}
			if c.heldBack {
				w.has(smallJob, "2026-11-19")
			}
			if c.away {
				w.faults(simulator.Fault{Kind: simulator.Blocked, Operation: "by-type"})
			}
			switch {
			case c.before != nil && c.code == exitDone && !c.heldBack:
				w.has(smallJob, date)
			case c.before != nil:
				w.must(c.code, c.before...)
			}
			if c.heldBack { // a run that was rolled back is not published by a start
				n := s.newestOf(t, slot)
				w.must(exitDone, "rollback")
				w.write("fleetlake-data/held_back.json", fmt.Sprintf(`[{"run":%q,"job":"nightly","date":%q,"state":"done","reason":"planted"}]`, n.Run, date))
			}
			spent := w.sim.Bill().Spent
			if err := s.Run(t.Context(), slot); !c.want(err) {
				t.Errorf("got %#v", err)
			}
			if now := w.sim.Bill().Spent; now != spent {
				t.Errorf("publishing spent %d credits", now-spent)
			}
		})
	}
}

// TestANightThatIsDoneIsNotifiedOnce has a slot that finds its night done: nothing is requested, counted
// or notified.
func TestANightThatIsDoneIsNotifiedOnce(t *testing.T) {
	t.Parallel()
	notified := make(chan string, 10)
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.write("fleetlake.yaml", fmt.Sprintf("api: {patience: 3s}\nbudget: {per_run: 25}\nnotify: {webhook: {url: %s/planted-path}}\njobs:\n  nightly:\n%s", newReceiver(t, notified), smallJob))
	s := w.openServer()
	slot := schedules.Slot{Job: "nightly", Date: "2026-11-20", At: time.Now(), Again: true}
	for range 3 {
		if err := s.Run(t.Context(), slot); err != nil {
			t.Fatal(err)
		}
	}
	text, err := s.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	if want := `fleetlake_runs_finished_total{job="nightly",state="partial"} 1` + "\n"; !strings.Contains(text, want) {
		t.Errorf("no %q in:\n%s", want, text)
	}
	s.Close()
	close(notified)
	if first, second := <-notified, <-notified; !strings.Contains(first, "partial") || second != "" {
		t.Errorf("notified %q and %q, want the partial run once", first, second)
	}
}
