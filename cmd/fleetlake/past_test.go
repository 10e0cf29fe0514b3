package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
)

// past is a data directory in which the program has run.
type past struct {
	mu  sync.Mutex
	dir string // "" until it is made
}

// pasts are the data directories from which tests begin, by fleet, job and nights. TestMain removes them.
var pasts sync.Map

// has gives the world the data directory in which runs of a job have harvested and published nights, one a day of
// the fleet. To harvest and publish takes far longer than to copy, so that tests of the same fleet, job and nights
// share the runs: these were sent to another service, and this one has billed nothing for them.
func (w *world) has(job string, nights ...string) {
	w.t.Helper()
	found, _ := pasts.LoadOrStore(fmt.Sprint(w.fleet, job, nights), &past{})
	dir, err := found.(*past).made(w, job, nights)
	if err == nil {
		err = pipelinetest.CopyTree(filepath.Join(w.dir, "fleetlake-data"), dir)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.sim.SetDay(max(0, len(nights)-1))
}

// made returns the directory, which the first caller makes.
func (p *past) made(w *world, job string, nights []string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir != "" {
		return p.dir, nil
	}
	first := newWorld(w.t, w.fleet)
	first.configure(1_000_000, job)
	for day, date := range nights {
		first.sim.SetDay(day)
		first.must(exitDone, "run", "nightly", "--date", date)
	}
	dir, err := os.MkdirTemp("", "fleetlake-past-")
	if err == nil {
		err = pipelinetest.CopyTree(dir, filepath.Join(first.dir, "fleetlake-data"))
	}
	if err != nil {
		return "", err
	}
	p.dir = dir
	return dir, nil
}

// TestAPastIsAsTheProgramLeftIt: what a test begins with is whole, and genuine for the program.
func TestAPastIsAsTheProgramLeftIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	w.has(smallJob, "2026-11-20")
	w.must(exitDone, "verify")
	if o := w.must(exitDone, "run", "nightly", "--date", "2026-11-20"); w.sim.Bill().Spent != 0 {
		t.Errorf("the night is harvested again: %s", o.stdout)
	}
}
