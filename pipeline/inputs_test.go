package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// TestARunThatNeedsTheBalanceWaitsForIt takes the service away in the first second of a run with a floor for
// the balance, or without a cap, in each way: the run waits for the balance as for any free call, and ends
// with an error that says so only when its patience or its deadline is over.
func TestARunThatNeedsTheBalanceWaitsForIt(t *testing.T) {
	for name, c := range map[string]struct {
		lasting, deadline, stop time.Duration
		least, most             time.Duration // that the plan takes
		err                     error
		uncapped                bool
	}{
		"for less than the patience":            {lasting: 20 * time.Minute, deadline: 4 * time.Hour, least: 20 * time.Minute, most: 24 * time.Minute},
		"for longer than the patience":          {lasting: 3 * time.Hour, deadline: 4 * time.Hour, least: 29 * time.Minute, most: 31 * time.Minute, err: ErrNoBalance},
		"for longer than the deadline":          {lasting: 20 * time.Minute, deadline: 5 * time.Minute, least: 5 * time.Minute, most: 5*time.Minute + time.Second, err: ErrNoBalance},
		"until a person stops it":               {lasting: 20 * time.Minute, stop: time.Minute, least: time.Minute, most: time.Minute + time.Second, err: context.Canceled},
		"not at all":                            {deadline: 4 * time.Hour, most: time.Second},
		"for less than the patience, no cap":    {lasting: 20 * time.Minute, deadline: 4 * time.Hour, least: 20 * time.Minute, most: 24 * time.Minute, uncapped: true},
		"for longer than the patience, no cap":  {lasting: 3 * time.Hour, deadline: 4 * time.Hour, least: 29 * time.Minute, most: 31 * time.Minute, err: ErrNoBalance, uncapped: true},
		"for longer than a deadline of seconds": {lasting: time.Hour, deadline: 3 * time.Second, least: 3 * time.Second, most: 4 * time.Second, err: ErrNoBalance},
	} {
		for _, kind := range awayKinds {
			t.Run(name+" "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					sim, err := simulator.New(simulator.Config{Seed: 5, Vessels: 50, Key: "k", Credits: 100_000})
					if err != nil {
						t.Fatal(err)
					}
					start := time.Now()
					service, stop := (&away{sim: sim, kind: kind, from: start, to: start.Add(c.lasting)}).serve()
					defer stop()
					p := &Pipeline{Dir: t.TempDir(), Service: service}
					p.fill()
					job := outageJob()
					job.Floor, job.Deadline = 500, c.deadline
					if c.uncapped {
						job.Budget, job.Floor = 0, 0
					}
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if c.stop > 0 {
						time.AfterFunc(c.stop, cancel)
					}
					_, segment, err := p.plan(ctx, nil, job, "2026-11-20", runID(start), resumeState{}, credits.NewAccount(), start)
					if took := time.Since(start); !errors.Is(err, c.err) || took < c.least || took > c.most {
						t.Errorf("%v after %v, want %v after %v to %v", err, took, c.err, c.least, c.most)
					}
					if segment != nil {
						segment.Close()
					}
					paths, err := journal.Segments(p.segments())
					if begun := len(paths) > 0; err != nil || begun != (c.err == nil) {
						t.Errorf("the journal has %v, %v", paths, err)
					}
				})
			})
		}
	}
}

// TestNothingIsPlannedWithoutABound: where a balance is needed and the service does not report it, the plan is
// refused at once, since a person waits for it, and says what to do. A cap is bound enough.
func TestNothingIsPlannedWithoutABound(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*plan.Job)
		says   []string // nothing if it is planned
	}{
		"a floor":            {func(j *plan.Job) { j.Floor = 500 }, []string{"500 credits", "budget.floor"}},
		"no cap":             {func(j *plan.Job) { j.Budget = 0 }, []string{"no cap is set", "budget.per_run", "--budget", "503"}},
		"a cap of the night": {func(*plan.Job) {}, nil},
		"a cap of the day":   {func(j *plan.Job) { j.Budget, j.PerDay = 0, 900 }, nil},
		"a cap of the month": {func(j *plan.Job) { j.Budget, j.PerMonth = 0, 900 }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sim, err := simulator.New(simulator.Config{Seed: 5, Vessels: 50, Key: "k", Credits: 100_000})
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				service, stop := (&away{sim: sim, kind: "503", from: start, to: start.Add(time.Hour)}).serve()
				defer stop()
				job := outageJob()
				c.change(&job)
				v, err := (&Pipeline{Dir: t.TempDir(), Service: service}).Preview(t.Context(), job, "2026-11-20")
				if took := time.Since(start); took > time.Second {
					t.Errorf("it took %v", took)
				}
				if c.says == nil && (err != nil || v.Credits.Most == 0 || v.Credits.Most > 5000) {
					t.Errorf("%+v, %v", v.Credits, err)
				}
				if errors.Is(err, ErrNoBalance) != (c.says != nil) {
					t.Errorf("%v", err)
				}
				for _, words := range c.says {
					if !strings.Contains(fmt.Sprint(err), words) {
						t.Errorf("%v, want %q in it", err, words)
					}
				}
			})
		})
	}
}
