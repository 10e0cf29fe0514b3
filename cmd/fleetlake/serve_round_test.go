package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/schedules"
)

// TestALaterSlotAsksAfterAFailedPublish has two slots of one night. The first one's run cannot be published; the
// second publishes it, as soon as it can, and asks the service nevertheless.
func TestALaterSlotAsksAfterAFailedPublish(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	s := w.server()
	blocked := filepath.Join(s.config.DataDir, "warehouse")
	if err := errors.Join(os.MkdirAll(s.config.DataDir, 0o755), os.Symlink("nowhere/at/all", blocked)); err != nil {
		t.Fatal(err)
	}
	slot := schedules.Slot{Job: "nightly", Date: "2026-11-20", At: time.Now(), Again: true}
	if u, ok := errors.AsType[*schedules.Unfinished](s.run(t.Context(), slot)); !ok || !u.Publish {
		t.Fatalf("the first slot: %+v, want a publish to be tried again", u)
	}
	spent := w.sim.Bill().Spent
	slot.At = time.Now()
	u, ok := errors.AsType[*schedules.Unfinished](s.run(t.Context(), slot))
	if now := w.sim.Bill().Spent; !ok || u.Publish || !u.Failed || now != spent {
		t.Fatalf("the second slot, while nothing can be published: %+v after %d credits, want another try that asks", u, now-spent)
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	slot.Try, slot.Until = 1, u.Until
	for _, want := range []bool{true, false} { // the slot is filled then
		before := w.sim.Bill().Spent
		if err := s.run(t.Context(), slot); err != nil {
			t.Fatal(err)
		}
		if asked := w.sim.Bill().Spent > before; asked != want {
			t.Errorf("the second slot asked: %v, want %v", asked, want)
		}
	}
	if n := w.number("SELECT count(*) FROM runs WHERE state = 'done'"); n != 2 {
		t.Errorf("%d runs are published, want 2", n)
	}
	page := httptest.NewRecorder()
	s.metrics.Handler().ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if want := `fleetlake_runs_finished_total{job="nightly",state="done"} 2` + "\n"; !strings.Contains(page.Body.String(), want) {
		t.Errorf("no %q in:\n%s", want, page.Body)
	}
}
