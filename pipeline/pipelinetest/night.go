package pipelinetest

import (
	"context"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// Night returns a copy of a data directory with the night of 20 November 2026, which a test may change,
// and its run. The run lists nothing: the directory is for tests of what is done with a published file.
func Night(t testing.TB) (dir, run string) {
	t.Helper()
	first, err := firstNight()
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "data")
	if err := copyData(dir, first.dir); err != nil {
		t.Fatal(err)
	}
	return dir, first.run
}

// night is a data directory with one run.
type night struct{ dir, run string }

// firstNight makes the directory that Night copies, once for all tests of a package.
var firstNight = sync.OnceValues(func() (night, error) {
	dir, err := Directory("fleetlake-night-")
	if err != nil {
		return night{}, err
	}
	run, err := publish(dir, 20)
	return night{dir, run}, err
})

// Publish publishes a night of November 2026 like that of Night into a data directory, and returns its
// run.
func Publish(t testing.TB, dir string, day int) (run string) {
	t.Helper()
	run, err := publish(dir, day)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func publish(dir string, day int) (run string, err error) {
	sim, err := simulator.New(simulator.Config{Vessels: 10, Seed: 1,
		Start: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Key: "k", Credits: 1000})
	if err != nil {
		return "", err
	}
	server := httptest.NewServer(sim)
	defer server.Close()
	limits := map[string]int{}
	for _, o := range api.Operations {
		limits[o.Name] = 1_000_000
	}
	offset := time.Since(time.Date(2026, 11, day, 2, 0, 0, 0, time.UTC))
	now := func() time.Time { return time.Now().Add(-offset) }
	p := pipeline.Pipeline{Dir: dir, Now: now, Service: extract.Service{BaseURL: server.URL + simulator.BasePath,
		Key: "k", Limits: limits, MaxInFlight: 1, Now: now}}
	r, err := p.Run(context.Background(), plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "none"}}, "")
	return r.Run, err
}
