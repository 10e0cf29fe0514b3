package server

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/schedules/daemon"
	"github.com/fleetlake/fleetlake/schedules/health"
	"github.com/fleetlake/fleetlake/schedules/network"
)

// TestHealthSpeaksOfTheScheduler: without its answer, the probes fail, and the page says so.
func TestHealthSpeaksOfTheScheduler(t *testing.T) {
	unhealthy := ""
	n, err := New(Config{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}, func(_ context.Context, q network.Request, value any) error {
		if s, ok := value.(*daemon.State); ok {
			s.Unhealthy = unhealthy
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(n.healthy(), n.ready()); err != nil {
		t.Errorf("not healthy: %v", err)
	}
	unhealthy = "the scheduler has hung for 4m0s"
	if err := n.healthy(); err == nil || err.Error() != unhealthy {
		t.Errorf("healthy although the scheduler hangs: %v", err)
	}
	n.ask = func(context.Context, network.Request, any) error { return network.ErrSilent }
	if !errors.Is(n.healthy(), network.ErrSilent) || !errors.Is(n.ready(), network.ErrSilent) {
		t.Error("healthy without a scheduler")
	}
	if _, err := n.schedule(); !errors.Is(err, network.ErrSilent) {
		t.Errorf("the page learns %v", err)
	}
}

// TestTheSchedulerAnswersFewRequests, and whatever else is asked ends the process that asks.
func TestTheSchedulerAnswersFewRequests(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	d, err := daemon.New(daemon.Config{Pipeline: &pipeline.Pipeline{Dir: dir, Log: slog.New(slog.DiscardHandler)},
		Settings: daemon.Settings{Health: health.Setup{Dir: dir}}, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	answer := Answers(d)
	for verb, want := range map[string]error{verbState: nil, verbReady: nil, verbMetrics: nil, verbRun: schedules.ErrNoJob, verbStop: schedules.ErrNotRunning,
		"": network.ErrVerb, "State": network.ErrVerb, "query": network.ErrVerb, "../state": network.ErrVerb} {
		if _, err := answer(t.Context(), network.Request{Verb: verb, Job: "../nightly"}); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", verb, err, want)
		}
	}
	if p, err := answer(t.Context(), network.Request{Verb: verbPrice, Job: "other"}); err == nil {
		t.Errorf("a job that there is not costs %v", p)
	}
}
