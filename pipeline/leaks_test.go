package pipeline_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// TestNightsLeaveNothingBehind runs many nights in one process: after each of them goroutines, open files
// and temporary files are what they were after the first. It runs 4 nights, and 1,000 with
// FLEETLAKE_LONG.
func TestNightsLeaveNothingBehind(t *testing.T) {
	nights := 4
	if os.Getenv("FLEETLAKE_LONG") != "" {
		nights = 1000
	}
	temporary, dir := t.TempDir(), filepath.Join(t.TempDir(), "data")
	t.Setenv("TMPDIR", temporary)
	start := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	limits, unlimited := map[string]int{}, map[string]int{} // the nights follow each other at once
	for _, o := range api.Operations {
		limits[o.Name], unlimited[o.Name] = 1_000_000, -1
	}
	sim, err := simulator.New(simulator.Config{Vessels: 60, Seed: 2, Start: start, Key: "k", Credits: 100_000_000, Limits: unlimited})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(sim)
	defer server.Close()
	job := plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "country", Countries: []string{"Panama", "Liberia"}},
		Sweep: plan.Sweep{Statuses: []string{"moored"}, Zones: []string{"north-sea"}}, Lookup: plan.Lookup{Want: []string{"particulars"}, MaxRequests: 3}}
	var first pipelinetest.Held
	for night := range nights {
		sim.SetDay(night)
		offset := time.Since(start.AddDate(0, 0, night).Add(2 * time.Hour))
		now := func() time.Time { return time.Now().Add(-offset) }
		p := pipeline.Pipeline{Dir: dir, Now: now, Service: extract.Service{BaseURL: server.URL + simulator.BasePath, Key: "k", Limits: limits, MaxInFlight: 4, Now: now}}
		if _, err := p.Run(t.Context(), job, ""); err != nil {
			t.Fatalf("night %d: %v", night, err)
		}
		server.CloseClientConnections()
		if night == 0 {
			first = pipelinetest.Holds()
			continue
		}
		for _, what := range first.Leaked(10 * time.Second) {
			t.Errorf("night %d left behind:\n%s", night, what)
		}
		for _, below := range []string{temporary, filepath.Join(dir, "work")} {
			if left, err := os.ReadDir(below); err != nil || len(left) > 0 {
				t.Errorf("night %d left in %s: %v, %v", night, below, left, err)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// TestWhatIsLeftBehindIsFound leaves a goroutine and an open file behind.
func TestWhatIsLeftBehindIsFound(t *testing.T) {
	before := pipelinetest.Holds()
	end := make(chan struct{})
	go func() { <-end }()
	file, err := os.Create(filepath.Join(t.TempDir(), "left"))
	if err != nil {
		t.Fatal(err)
	}
	leaked := before.Leaked(50 * time.Millisecond)
	close(end)
	if len(leaked) != 2 {
		t.Errorf("found %q, want a file and a goroutine", leaked)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if leaked := before.Leaked(10 * time.Second); len(leaked) > 0 {
		t.Errorf("found %q after their end", leaked)
	}
}
