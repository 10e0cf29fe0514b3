package schedules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sourcegraph/conc/iter"
	"github.com/sourcegraph/conc/pool"
)

// withSlotLog gives a fixture a slot log in a directory.
func (h *fixture) withSlotLog(t *testing.T, dir string) *fixture {
	h.runner.Slots = openSlotLog(t, dir)
	return h
}

// recorded is the slot log as lines "state job 01-02 15:04 reason", oldest first.
func (h *fixture) recorded() []string {
	var lines []string
	for _, r := range slices.Backward(h.runner.Slots.Latest(1000)) {
		lines = append(lines, fmt.Sprintf("%s %s %s %s", r.State, r.Job, r.Slot.UTC().Format("01-02 15:04"), r.Reason))
	}
	return lines
}

func TestServeQueuesByAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.takes = 3 * time.Hour
		table := []Spec{nightly("0 2 * * *")}
		for i, job := range []string{"third", "second", "first"} {
			table = append(table, Spec{Job: job, Cron: fmt.Sprintf("%d 3 * * *", 30-10*i), Location: time.UTC})
		}
		h.serve(t, 20*time.Hour, table...)
		h.check(t, "nightly 01-01 02:00", "first 01-01 03:10", "second 01-01 03:20", "third 01-01 03:30")
	})
}

func TestServeWaitsForTheDataDirectory(t *testing.T) {
	for name, c := range map[string]struct {
		cron     string
		age      time.Duration
		until    string // locked from the start
		want     []string
		recorded []string
	}{
		"until it is free": {"0 2 * * *", 6 * time.Hour, "02:07", []string{"nightly 01-01 02:00", "nightly 01-02 02:00"}, nil},
		"until its greatest age": {"0 2 * * *", 6 * time.Hour, "09:00", []string{"nightly 01-02 02:00"},
			[]string{"missed nightly 01-01 02:00 cannot start yet: `fleetlake run` writes; not made up for later than 6h0m0s"}},
		"until the next slot": {"0 2,4 1 * *", 0, "05:00", []string{"nightly 01-01 04:00"},
			[]string{"missed nightly 01-01 02:00 cannot start yet: `fleetlake run` writes; the slot of 2000-01-01T04:00:00Z runs instead"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t).withSlotLog(t, t.TempDir())
				spec := nightly(c.cron)
				spec.MaxLateness = c.age
				until, _ := time.Parse("15:04", c.until)
				free := time.Date(2000, 1, 1, until.Hour(), until.Minute(), 0, 0, time.UTC)
				run := h.runner.Run
				h.runner.Run = func(ctx context.Context, slot Slot) error {
					if time.Now().Before(free) {
						return fmt.Errorf("%w: `fleetlake run` writes", ErrNotYet)
					}
					return run(ctx, slot)
				}
				h.serve(t, 30*time.Hour, spec)
				h.check(t, c.want...)
				if diff := cmp.Diff(c.recorded, h.recorded()); diff != "" {
					t.Errorf("slot log (-want +got):\n%s", diff)
				}
				if n := strings.Count(h.log.String(), "slot waits"); n != 1 {
					t.Errorf("%d lines say that the slot waits, want 1", n)
				}
			})
		})
	}
}

// crashes are ways for a job to panic, in its own goroutine, in pools and in libraries.
var crashes = map[string]func(){
	"plainly":               explode,
	"with an error":         func() { panic(errors.New("exploded")) },
	"with a value":          func() { panic(struct{ exploded int }{7}) },
	"with nil":              func() { panic(nil) },                              //nolint:govet // it is what is tested
	"in a nil map":          func() { var m map[string]int; m["exploded"] = 1 }, //lint:ignore SA5000 it is what is tested
	"beyond a slice":        func() { var s []int; _ = s[len(crashWord)] },
	"at a nil pointer":      func() { var r *Record; _ = r.Job + "exploded" },
	"in a pool":             func() { p := pool.New(); p.Go(explode); p.Wait() },
	"in a pool with errors": func() { p := pool.New().WithErrors(); p.Go(func() error { panic("exploded") }); p.Wait() },
	"in a pool of a pool": func() {
		p := pool.New()
		p.Go(func() { q := pool.New().WithMaxGoroutines(1); q.Go(explode); q.Wait() })
		p.Wait()
	},
	"in many of a pool":     func() { iter.ForEach([]int{1, 2, 3}, func(*int) { explode() }) },
	"in a library's call":   func() { regexp.MustCompile("(exploded") }, //lint:ignore SA1000 it is what is tested
	"in a library's callee": func() { slices.SortFunc([]int{2, 1}, func(int, int) int { panic("exploded") }) },
	"in a method of JSON":   func() { json.Marshal(explosive{}) },
	"by leaving":            runtime.Goexit,
}

const crashWord = "exploded"

type explosive struct{}

func (explosive) MarshalJSON() ([]byte, error) { panic("exploded") }

// TestServeOutlivesEveryPanic has 100 jobs that panic in every way, and one that does not.
func TestServeOutlivesEveryPanic(t *testing.T) {
	var ways []string
	for way := range crashes {
		ways = append(ways, way)
	}
	slices.Sort(ways)
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t).withSlotLog(t, t.TempDir())
		h.fault = func(slot Slot) error {
			if i := int(slot.At.Sub(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).Hours()); i < 100 {
				crashes[ways[i%len(ways)]]()
			}
			return nil
		}
		h.serve(t, 101*time.Hour, nightly("30 * * * *"))
		if len(h.ran) != 101 || !strings.Contains(h.log.String(), "slot done") {
			t.Errorf("%d runs, want 101 with a good one at the end", len(h.ran))
		}
		records := h.runner.Slots.Latest(1000)
		if len(records) != 100 {
			t.Errorf("%d records, want 100", len(records))
		}
		for i, r := range slices.Backward(records) {
			way := ways[(len(records)-1-i)%len(ways)]
			if r.State != RecordFailed || r.Reason == "" || (r.Stack == "") != (way == "by leaving") {
				t.Errorf("panic %s: %s, %q, a stack of %d bytes", way, r.State, r.Reason, len(r.Stack))
			}
			if strings.HasPrefix(way, "in a pool") && !strings.Contains(r.Stack, "schedules.") {
				t.Errorf("panic %s: the stack does not show where it happened:\n%s", way, r.Stack)
			}
		}
	})
}

// TestServeTellsAgainAfterRestartsOnlyOnce restarts a process whose job fails: the slot is
// tried again with each, five times, and each fact is in the slot log once.
func TestServeTellsAgainAfterRestartsOnlyOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		runs := 0
		var h *fixture
		for range 8 {
			h = newHouse(t).withSlotLog(t, dir)
			h.runner.Run = func(context.Context, Slot) error {
				runs++
				return errors.New("disk full")
			}
			h.serve(t, 3*time.Hour, nightly("0 2 1 1 *"))
		}
		if runs != maxTries {
			t.Errorf("tried %d times, want %d", runs, maxTries)
		}
		recorded := h.recorded()
		if len(recorded) != maxTries+1 || recorded[maxTries] != "missed nightly 01-01 02:00 cut short 5 times; not tried again" {
			t.Errorf("slot log: %q", recorded)
		}
	})
}

// TestServeRemembersThatItWaited is down over the first slots of a job that never ran.
func TestServeRemembersThatItWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t).withSlotLog(t, t.TempDir())
		h.serve(t, time.Hour, nightly("0 2 * * *"))
		<-time.After(48 * time.Hour)
		h.serve(t, 30*time.Minute, nightly("0 2 * * *"))
		h.check(t, "nightly 01-02 02:00")
		if diff := cmp.Diff([]string{"missed nightly 01-01 02:00 no process was waiting; the slot of 2000-01-02T02:00:00Z runs instead"}, h.recorded()); diff != "" {
			t.Errorf("slot log (-want +got):\n%s", diff)
		}
	})
}

// TestServeRunsEachSlotOnceThroughAnyClock sets the clock an hour and a day forward and back,
// and suspends the machine, at random moments of two weeks.
func TestServeRunsEachSlotOnceThroughAnyClock(t *testing.T) {
	steps := []time.Duration{time.Hour, -time.Hour, 24 * time.Hour, -24 * time.Hour, 5 * time.Minute, -5 * time.Minute, 30 * time.Hour}
	for seed := range uint64(5) {
		synctest.Test(t, func(t *testing.T) {
			h := newHouse(t).withSlotLog(t, t.TempDir())
			random := rand.New(rand.NewPCG(seed, 1))
			offset, change := time.Duration(0), time.Now()
			h.runner.Now = func() time.Time {
				for time.Now().After(change) {
					offset += steps[random.IntN(len(steps))]
					change = change.Add(time.Duration(1+random.IntN(40)) * time.Hour)
				}
				return time.Now().Add(offset)
			}
			change = change.Add(30 * time.Hour)
			h.serve(t, 360*time.Hour, nightly("0 2 * * *"), Spec{Job: "other", Cron: "30 */6 * * *", Location: time.UTC})
			ran := slices.Clone(h.ran)
			slices.Sort(ran)
			if len(slices.Compact(ran)) != len(h.ran) {
				t.Errorf("seed %d: a slot ran twice: %v", seed, h.ran)
			}
			checkEveryDate(t, h)
		})
	}
}

// checkEveryDate wants each date up to the last run to have its run or its reason.
func checkEveryDate(t *testing.T, h *fixture) {
	t.Helper()
	known, last := map[string]bool{}, time.Time{}
	for _, s := range h.stored["nightly"] {
		known[s.Date] = true
		if day, _ := time.Parse(DateLayout, s.Date); day.After(last) {
			last = day
		}
	}
	for _, r := range h.runner.Slots.Latest(1000) {
		known[r.Date] = known[r.Date] || r.Job == "nightly"
	}
	for day := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC); day.Before(last); day = day.Add(24 * time.Hour) {
		if !known[day.Format(DateLayout)] {
			t.Errorf("%s has neither a run nor a reason", day.Format(DateLayout))
		}
	}
}

// TestAnotherTableIsTakenBetweenRuns replaces the table while a job runs, whose run goes on: a job with another line
// begins anew, one with the same line keeps its slots, and one that is gone has no more.
func TestAnotherTableIsTakenBetweenRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.takes = time.Hour
		took := time.Time{}
		replace := time.AfterFunc(2*time.Hour+30*time.Minute, func() { // while the first runs
			h.runner.Replace([]Spec{nightly("0 4 * * *"), {Job: "weekly", Cron: "30 5 * * *", Location: time.UTC}, {Job: "new", Cron: "0 7 * * *", Location: time.UTC}},
				func() { took = time.Now() })
		})
		defer replace.Stop()
		start := time.Now()
		h.serve(t, 30*time.Hour, nightly("0 2 * * *"), Spec{Job: "weekly", Cron: "30 5 * * *", Location: time.UTC}, Spec{Job: "gone", Cron: "0 6 * * *", Location: time.UTC})
		h.check(t, "nightly 01-01 02:00", "weekly 01-01 05:30", "new 01-01 07:00", "nightly 01-02 04:00", "weekly 01-02 05:30")
		if took.Sub(start) != 3*time.Hour {
			t.Errorf("taken after %v", took.Sub(start))
		}
		if err := h.runner.Trigger("gone", false); !errors.Is(err, ErrNoJob) {
			t.Errorf("%v", err)
		}
	})
}
