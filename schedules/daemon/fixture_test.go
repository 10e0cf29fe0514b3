package daemon

import (
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/schedules/exports"
	"github.com/fleetlake/fleetlake/schedules/health"
)

// newServer is a daemon with one job, which does not serve yet, and the service that it asks.
func newServer(t *testing.T) (*Server, *simulator.Simulator) {
	t.Helper()
	limits := map[string]int{}
	for _, o := range api.Operations {
		limits[o.Name] = -1
	}
	sim, err := simulator.New(simulator.Config{Vessels: 400, Start: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), Key: "key", Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	service := httptest.NewServer(sim)
	t.Cleanup(service.Close)
	for name := range limits {
		limits[name] = 1_000_000
	}
	p := &pipeline.Pipeline{Dir: filepath.Join(t.TempDir(), "data"), Log: slog.New(slog.DiscardHandler), SettleAfter: 1,
		Service: extract.Service{BaseURL: service.URL + simulator.BasePath, Key: "key",
			Limits: limits, MaxInFlight: 8, Timeout: time.Minute, Patience: time.Second}}
	job := plan.Job{Name: "nightly", Location: time.UTC, Deadline: 4 * time.Hour,
		List: plan.List{By: "cheapest", Countries: []string{"Malta", "Panama"}, MaxAge: 20 * time.Hour}}
	s, err := New(Config{Pipeline: p, Getenv: func(string) string { return "" },
		Settings: Settings{Jobs: []Job{{Job: job}}, Health: health.Setup{Dir: p.Dir}, Export: &exports.Phase{Dir: p.Dir}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, sim
}
