package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/schedules"
)

// TestALaterSlotAsksAfterAFailedPublish has two slots of one night. The first one's run cannot be published; the
// second publishes it, as soon as it can, and asks the service nevertheless.
func TestALaterSlotAsksAfterAFailedPublish(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	s := w.server()
	blocked := filepath.Join(s.pipeline.Dir, "warehouse")
	if err := errors.Join(os.MkdirAll(s.pipeline.Dir, 0o755), os.Symlink("nowhere/at/all", blocked)); err != nil {
		t.Fatal(err)
	}
	slot := schedules.Slot{Job: "nightly", Date: "2026-11-20", At: time.Now(), Again: true}
	if u, ok := errors.AsType[*schedules.Unfinished](s.Run(t.Context(), slot)); !ok || !u.Publish {
		t.Fatalf("the first slot: %+v, want a publish to be tried again", u)
	}
	spent := w.sim.Bill().Spent
	slot.At = time.Now()
	u, ok := errors.AsType[*schedules.Unfinished](s.Run(t.Context(), slot))
	if now := w.sim.Bill().Spent; !ok || u.Publish || !u.Failed || now != spent {
		t.Fatalf("the second slot, while nothing can be published: %+v after %d credits, want another try that asks", u, now-spent)
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	slot.Try, slot.Until = 1, u.Until
	for _, want := range []bool{true, false} { // the slot is filled then
		before := w.sim.Bill().Spent
		if err := s.Run(t.Context(), slot); err != nil {
			t.Fatal(err)
		}
		if asked := w.sim.Bill().Spent > before; asked != want {
			t.Errorf("the second slot asked: %v, want %v", asked, want)
		}
	}
	if n := w.number("SELECT count(*) FROM runs WHERE state = 'done'"); n != 2 {
		t.Errorf("%d runs are published, want 2", n)
	}
	text, err := s.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	if want := `fleetlake_runs_finished_total{job="nightly",state="done"} 2` + "\n"; !strings.Contains(text, want) {
		t.Errorf("no %q in:\n%s", want, text)
	}
}

// TestANewRoundAsksAfterAFailedPublish runs a job by another scheduler, which cannot publish the first time. Who
// repeats that does not pay twice, and a new round asks again.
func TestANewRoundAsksAfterAFailedPublish(t *testing.T) {
	t.Parallel()
	for flag, runs := range map[string]int{"--again": 1, "--new-round": 2} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{Vessels: 400})
			w.configure(1_000_000, smallJob)
			data := filepath.Join(w.dir, "fleetlake-data")
			blocked := filepath.Join(data, "warehouse")
			if err := errors.Join(os.MkdirAll(data, 0o750), os.Symlink("nowhere/at/all", blocked)); err != nil {
				t.Fatal(err)
			}
			w.must(exitUnexpected, "run", "nightly", "--date", "2026-11-20", flag)
			spent := w.sim.Bill().Spent
			if err := os.Remove(blocked); err != nil {
				t.Fatal(err)
			}
			w.must(exitDone, "run", "nightly", "--date", "2026-11-20", flag)
			if n := w.number("SELECT count(*) FROM runs WHERE state = 'done'"); n != runs {
				t.Errorf("%d runs are published, want %d", n, runs)
			}
			if asked := w.sim.Bill().Spent > spent; spent == 0 || asked != (runs == 2) {
				t.Errorf("after %d credits the second run asked: %v", spent, asked)
			}
		})
	}
}

// TestALaterSlotAsksAfterAHeldBackRun has an hourly job of positions, of which one run is held back, because the
// service writes latitudes in another way. Its slot is not paid for again; later slots of the day ask for what is
// due by then, and are published. The same holds after a run that is cut off, be it known as held back or not yet.
func TestALaterSlotAsksAfterAHeldBackRun(t *testing.T) {
	t.Parallel()
	const date = "2026-11-20"
	w := newWorld(t, simulator.Config{Vessels: 2000, Seed: 2})
	w.configure(1_000_000, `
    list: {by: country, countries: [Panama, Liberia, China, Greece, Germany, Norway, Japan, Malta]}
    sweep: {statuses: []}
    lookup: {want: []}
  positions:
    list: {by: none}
    sweep: {statuses: []}
    lookup: {want: [position], max_age: 30m}
`)
	w.must(exitDone, "run", "nightly", "--date", date)
	var bad atomic.Bool
	var left atomic.Int64 // requests until the run is cut off
	cutOff := func() {}
	other := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if left.Add(-1) == 0 {
			cutOff()
		}
		answer := httptest.NewRecorder()
		w.sim.ServeHTTP(answer, r)
		body := answer.Body.Bytes()
		if bad.Load() {
			body = regexp.MustCompile(`("latitude": ?")[^"]*`).ReplaceAll(body, []byte("${1}north"))
		}
		rw.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		rw.WriteHeader(answer.Code)
		rw.Write(body)
	}))
	defer other.Close()
	w.env = append(w.env, "FLEETLAKE_BASE_URL="+other.URL+simulator.BasePath)
	s, start := w.server(), time.Now().Add(-2*time.Hour)
	bought := 0
	for _, slot := range []struct {
		words  string
		at     time.Duration
		bad    bool
		failed error
		asks   bool
		cutOff int64 // after so many requests; 0 is not
	}{
		{"the first slot is held back", 0, true, load.ErrIssues, true, 0},
		{"the same slot, after a restart", 0, false, load.ErrIssues, false, 0},
		{"a slot before the positions are due again", 20 * time.Minute, false, nil, false, 0},
		{"a slot when they are due again", 40 * time.Minute, false, nil, true, 0},
		{"a slot that is cut off is held back, too", 80 * time.Minute, true, load.ErrIssues, false, 560},
		{"a slot after one that was cut off", 120 * time.Minute, false, nil, true, 0},
	} {
		bad.Store(slot.bad)
		at := start.Add(slot.at)
		s.pipeline.Now = func() time.Time { return at.Add(time.Second) }
		s.pipeline.Service.Now = s.pipeline.Now
		before := w.sim.Bill().Spent
		var ctx context.Context
		ctx, cutOff = context.WithCancel(t.Context())
		left.Store(slot.cutOff)
		if err := s.Run(ctx, schedules.Slot{Job: "positions", Date: date, At: at, Again: true}); !errors.Is(err, slot.failed) || err != nil && slot.failed == nil {
			t.Errorf("%s: %v", slot.words, err)
		}
		cutOff()
		spent := w.sim.Bill().Spent - before
		if slot.cutOff > 0 {
			if spent == 0 || spent >= bought {
				t.Errorf("%s: %d credits were spent, after %d for the first", slot.words, spent, bought)
			}
			if err := os.Remove(filepath.Join(s.pipeline.Dir, "held_back.json")); err != nil { // as if it had been killed
				t.Fatal(err)
			}
			continue
		}
		if bought = max(bought, spent); slot.asks && spent < bought || !slot.asks && spent != 0 {
			t.Errorf("%s: %d credits were spent, after %d for the first", slot.words, spent, bought)
		}
	}
	if n := w.number("SELECT count(*) FROM runs WHERE job = 'positions'"); n != 3 || bought < 500 {
		t.Errorf("%d runs of the job are published, want 3; the first cost %d credits", n, bought)
	}
	spent := w.sim.Bill().Spent
	w.must(exitDone, "run", "positions", "--date", date, "--accept-issues")
	if n := w.number("SELECT count(*) FROM runs WHERE job = 'positions'"); n != 5 || w.sim.Bill().Spent != spent {
		t.Errorf("%d runs are published once those held back are accepted, for %d credits, want 5 for none", n, w.sim.Bill().Spent-spent)
	}
}
