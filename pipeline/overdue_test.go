package pipeline

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// reportOverdue is what the program does, before init replaces it.
var reportOverdue = overdue

// In every test of this package a harvest that does not end by its deadline plus a minute ends the
// tests, with all goroutines.
func init() {
	overdue = func(_ *slog.Logger, stacks string) {
		panic("a run has not ended a minute after its deadline or its stop:\n" + stacks)
	}
}

// TestARunThatDoesNotEndIsReported watches from both sides: a harvest that ends within a minute of its
// deadline is not reported, and one that does not is, once and with the stack that it hangs in.
func TestARunThatDoesNotEndIsReported(t *testing.T) {
	for name, c := range map[string]struct {
		deadline, takes time.Duration
		reported        int
	}{
		"it ends before its deadline":           {time.Hour, time.Minute, 0},
		"it ends within a minute":               {time.Hour, time.Hour + endsWithin - time.Second, 0},
		"it ends later":                         {time.Hour, time.Hour + endsWithin + time.Second, 1},
		"it takes long, and nothing stopped it": {1000 * time.Hour, 999 * time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				defer func(tests func(*slog.Logger, string)) { overdue = tests }(overdue)
				overdue = reportOverdue
				p := &Pipeline{Log: slog.New(slog.NewTextHandler(&log, nil))}
				ctx, cancel := context.WithTimeout(t.Context(), c.deadline)
				defer cancel()
				ended := p.watchEnd(ctx)
				hang(c.takes)
				ended()
				if n := strings.Count(log.String(), "run has not ended"); n != c.reported {
					t.Errorf("reported %d times, want %d:\n%s", n, c.reported, log.String())
				}
				if c.reported > 0 && !strings.Contains(log.String(), "pipeline.hang") {
					t.Errorf("the stacks do not show where it hangs:\n%s", log.String())
				}
			})
		})
	}
}

// TestAHarvestIsWatched has a run whose deadline passes while its lanes' progress cannot be written.
func TestAHarvestIsWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim, err := simulator.New(simulator.Config{Seed: 5, Vessels: 300, Key: "k", Credits: 100_000})
		if err != nil {
			t.Fatal(err)
		}
		service, stop := (&away{sim: sim}).serve()
		defer stop()
		reports := 0
		defer func(tests func(*slog.Logger, string)) { overdue = tests }(overdue)
		overdue = func(*slog.Logger, string) { reports++ }
		job := outageJob()
		job.Deadline = time.Minute
		s := &fixture{t: t, sim: sim, job: job, totals: map[string]inputs.Total{}, targets: map[string]*inputs.Target{},
			p: &Pipeline{Dir: t.TempDir(), Service: service, Progress: func(Progress) { hang(time.Hour) }}}
		s.p.fill()
		s.run("2026-11-20", 0)
		if reports != 1 {
			t.Errorf("reported %d times, want once", reports)
		}
	})
}

// hang takes some time, as a harvest that waits for what never comes.
func hang(lasts time.Duration) { <-time.After(lasts) }
