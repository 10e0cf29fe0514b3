package schedules

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sourcegraph/conc/pool"
)

// fixture is a runner whose jobs take a given time and are stored like real ones. Its clock can
// be set. synctest begins on 2000-01-01 00:00 UTC.
type fixture struct {
	runner  Runner
	log     bytes.Buffer
	stored  map[string][]Stored
	ran     []string // "job 01-02 15:04" in the order of starts
	running int
	set     time.Time     // when the wall clock is set
	step    time.Duration // by how much
	takes   time.Duration
	fault   func(Slot) error
}

func newHouse(t *testing.T) *fixture {
	h := &fixture{stored: map[string][]Stored{}, fault: func(Slot) error { return nil }}
	h.runner = Runner{
		Run:    func(ctx context.Context, slot Slot) error { return h.run(t, ctx, slot) },
		Stored: func(job string) ([]Stored, error) { return h.stored[job], nil },
		Now:    h.now,
		Log:    slog.New(slog.NewTextHandler(&h.log, nil)),
	}
	return h
}

func (h *fixture) now() time.Time {
	if now := time.Now(); h.set.IsZero() || now.Before(h.set) {
		return now
	}
	return time.Now().Add(h.step)
}

func (h *fixture) run(t *testing.T, ctx context.Context, slot Slot) error {
	if h.running++; h.running > 1 {
		t.Errorf("slot %v runs while another does", slot)
	}
	defer func() { h.running-- }()
	h.ran = append(h.ran, slot.Job+" "+slot.At.UTC().Format("01-02 15:04"))
	started := h.runner.Now()
	state := "done"
	select {
	case <-time.After(h.takes):
	case <-ctx.Done():
		<-time.After(10 * time.Second) // the answers in flight
		state = "interrupted"
	}
	err := h.fault(slot)
	h.stored[slot.Job] = append(h.stored[slot.Job], Stored{Date: slot.Date, Started: started, State: state})
	return err
}

// serve runs the table for a time and returns when Serve has returned.
func (h *fixture) serve(t *testing.T, lasts time.Duration, table ...Spec) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	if err := h.runner.Serve(ctx, table); err != nil {
		t.Fatal(err)
	}
}

func (h *fixture) check(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, h.ran); diff != "" {
		t.Errorf("runs (-want +got):\n%s\nlog:\n%s", diff, h.log.String())
	}
}

func nightly(cron string) Spec { return Spec{Job: "nightly", Cron: cron, Location: time.UTC} }

func TestServeRunsEachSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.serve(t, 72*time.Hour, nightly("0 2 * * *"), Spec{Job: "weekly", Cron: "30 2 * * sun", Location: time.UTC})
		h.check(t, "nightly 01-01 02:00", "nightly 01-02 02:00", "weekly 01-02 02:30", "nightly 01-03 02:00")
	})
}

func TestServeStartsOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.fault = func(slot Slot) error {
			if late := h.runner.Now().Sub(slot.At); late != 0 {
				t.Errorf("slot %v started %v late", slot.At, late)
			}
			return nil
		}
		<-time.After(17*time.Second + 123*time.Millisecond)
		h.serve(t, 48*time.Hour, nightly("0 2 * * *"))
	})
}

func TestServeNeverOverlaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.takes = 150 * time.Minute // of one hour
		h.serve(t, 1000*time.Hour, nightly("0 * * * *"), Spec{Job: "other", Cron: "30 * * * *", Location: time.UTC})
		if len(h.ran) < 390 {
			t.Errorf("%d runs in 1,000 hours of 2.5 each", len(h.ran))
		}
		ran := slices.Clone(h.ran)
		slices.Sort(ran)
		if len(slices.Compact(ran)) != len(h.ran) {
			t.Error("a slot ran twice")
		}
		if !strings.Contains(h.log.String(), "the run before was under way") {
			t.Error("no reason for the slots that passed")
		}
	})
}

func TestServeQueuesForTheOneWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.takes = 4 * time.Hour
		other := Spec{Job: "other", Cron: "0 3 * * *", Location: time.UTC, Missed: MissedSkip}
		h.serve(t, 24*time.Hour, nightly("0 2 * * *"), other)
		h.check(t, "nightly 01-01 02:00", "other 01-01 03:00")
	})
}

func TestServeOutlivesPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.fault = func(slot Slot) error {
			switch slot.At.Hour() % 3 {
			case 0:
				explode()
			case 1:
				p := pool.New()
				p.Go(explode)
				p.Wait()
			}
			return errors.New("the disk is full")
		}
		h.serve(t, 100*time.Hour, nightly("30 * * * *"))
		if len(h.ran) != 100 {
			t.Errorf("%d runs, want 100", len(h.ran))
		}
		log := h.log.String()
		if n := strings.Count(log, "panic: exploded"); n != 67 {
			t.Errorf("%d panics in the log, want 67", n)
		}
		if n := strings.Count(log, "schedules.explode"); n < 67 {
			t.Errorf("%d stacks show where it happened, want 67", n)
		}
		if n := strings.Count(log, "the disk is full"); n != 33 {
			t.Errorf("%d errors in the log, want 33", n)
		}
	})
}

func explode() { panic("exploded") }

func TestServeCatchesUp(t *testing.T) {
	for name, c := range map[string]struct {
		missed string
		want   []string
		reason string
	}{
		"once": {MissedOnce, []string{"nightly 01-01 02:00", "nightly 01-05 02:00", "nightly 01-06 02:00"}, "slots=3"},
		"skip": {MissedSkip, []string{"nightly 01-01 02:00", "nightly 01-06 02:00"}, "slots=4"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t)
				spec := nightly("0 2 * * *")
				spec.Missed = c.missed
				h.serve(t, 12*time.Hour, spec)
				<-time.After(96 * time.Hour) // down from 1 to 5 January, noon
				h.serve(t, 24*time.Hour, spec)
				h.check(t, c.want...)
				if !strings.Contains(h.log.String(), c.reason) || !strings.Contains(h.log.String(), "no process was waiting") {
					t.Errorf("log has no %s with its reason:\n%s", c.reason, h.log.String())
				}
			})
		})
	}
}

func TestServeReturnsAfterTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.takes = 4 * time.Hour
		start := time.Now()
		h.serve(t, 3*time.Hour, nightly("0 2 * * *"))
		if got, want := time.Since(start), 3*time.Hour+10*time.Second; got != want || h.running != 0 {
			t.Errorf("returned after %v with %d running, want %v and none", got, h.running, want)
		}
		h.serve(t, 5*time.Hour, nightly("0 2 * * *"))
		h.check(t, "nightly 01-01 02:00", "nightly 01-01 02:00") // the second resumes
	})
}

func TestServeOutlivesClockSteps(t *testing.T) {
	for name, c := range map[string]struct {
		step time.Duration
		want []string
	}{
		"an hour forward over the slot": {time.Hour, []string{"nightly 01-01 02:00", "nightly 01-02 02:00", "nightly 01-03 02:00"}},
		"an hour back over the slot":    {-time.Hour, []string{"nightly 01-01 02:00", "nightly 01-02 02:00", "nightly 01-03 02:00"}},
		"a day forward":                 {24 * time.Hour, []string{"nightly 01-01 02:00", "nightly 01-02 02:00", "nightly 01-03 02:00", "nightly 01-04 02:00"}},
		"a day back":                    {-24 * time.Hour, []string{"nightly 01-01 02:00", "nightly 01-02 02:00"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t)
				h.set, h.step = time.Date(2000, 1, 2, 1, 30, 0, 0, time.UTC), c.step
				if c.step < 0 {
					h.set = h.set.Add(time.Hour) // after the slot
				}
				h.serve(t, 72*time.Hour, nightly("0 2 * * *"))
				h.check(t, c.want...)
			})
		})
	}
}

func TestServeSkipsWhatAMachineSleptThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		spec := nightly("0 2 * * *")
		spec.Missed = MissedSkip
		h.set, h.step = time.Date(2000, 1, 2, 1, 0, 0, 0, time.UTC), 8*time.Hour
		h.serve(t, 48*time.Hour, spec)
		h.check(t, "nightly 01-01 02:00", "nightly 01-03 02:00")
		if !strings.Contains(h.log.String(), "the machine slept or its clock was set; missed slots are skipped") {
			t.Errorf("no reason in the log:\n%s", h.log.String())
		}
	})
}

func TestServeWaitsForStoredRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		good := h.runner.Stored
		h.runner.Stored = func(job string) ([]Stored, error) {
			if time.Now().Before(time.Date(2000, 1, 1, 2, 5, 0, 0, time.UTC)) {
				return nil, errors.New("open warehouse: no such file")
			}
			return good(job)
		}
		h.serve(t, 24*time.Hour, nightly("0 2 * * *"))
		h.check(t, "nightly 01-01 02:00")
	})
}

func TestServeRefusesABadTable(t *testing.T) {
	err := newHouse(t).runner.Serve(t.Context(), []Spec{nightly("0 2 30 2 *")})
	if err == nil || !strings.Contains(err.Error(), "schedule job nightly") {
		t.Errorf("got %v, want the job named", err)
	}
}
