package schedules

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// begin serves in the background until the returned function is called.
func (h *fixture) begin(t *testing.T, table ...Spec) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- h.runner.Serve(ctx, table) }()
	synctest.Wait()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// pass lets virtual time pass and the loop come to rest.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestTriggerRunsNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t).withSlotLog(t, t.TempDir())
		if err := h.runner.Trigger("nightly", true); !errors.Is(err, ErrNoJob) {
			t.Errorf("before Serve: %v, want %v", err, ErrNoJob)
		}
		h.takes = time.Hour
		stop := h.begin(t, nightly("0 2 * * *"), Spec{Job: "other", Cron: "0 12 * * *", Location: zone(t, "Pacific/Auckland")})
		defer stop()
		pass(17 * time.Second)
		for _, c := range []struct {
			job  string
			want error
		}{{"nightly", nil}, {"nightly", ErrBusy}, {"other", nil}, {"other", ErrBusy}, {"third", ErrNoJob}} {
			if err := h.runner.Trigger(c.job, true); !errors.Is(err, c.want) {
				t.Errorf("trigger %s: %v, want %v", c.job, err, c.want)
			}
			synctest.Wait()
		}
		s := h.runner.Snapshot()
		if s.Running.Job != "nightly" || !s.Running.Triggered || s.Running.Date != "2000-01-01" || !s.Started.Equal(time.Now()) {
			t.Errorf("running %+v since %v", s.Running, s.Started)
		}
		pass(time.Minute)
		if s = h.runner.Snapshot(); len(s.Next) != 3 || s.Next[0].Job != "other" || !s.Next[0].Triggered || s.Next[0].Reason != "waits for its turn" {
			t.Errorf("next: %+v", s.Next)
		}
		pass(4 * time.Hour)
		h.check(t, "nightly 01-01 00:00", "other 01-01 00:00") // and the slot at 02:00 was filled
		if s = h.runner.Snapshot(); s.Running.Job != "" || len(s.Next) != 2 || s.Next[0].Job != "other" || s.Next[1].At.Day() != 2 {
			t.Errorf("afterwards: %+v", s)
		}
	})
}

func TestStopRunEndsTheRunAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.takes = time.Hour
		stop := h.begin(t, nightly("0 2 * * *"))
		defer stop()
		if err := h.runner.StopRun(); !errors.Is(err, ErrNotRunning) {
			t.Errorf("got %v, want %v", err, ErrNotRunning)
		}
		pass(2*time.Hour + time.Minute)
		if err := h.runner.StopRun(); err != nil {
			t.Error(err)
		}
		pass(11 * time.Second)
		if s := h.runner.Snapshot(); s.Running.Job != "" {
			t.Errorf("still running: %+v", s.Running)
		}
		if stored := h.stored["nightly"]; len(stored) != 1 || stored[0].State != "interrupted" {
			t.Errorf("stored: %v", stored)
		}
		pass(24 * time.Hour)
		h.check(t, "nightly 01-01 02:00", "nightly 01-02 02:00")
	})
}

func TestSnapshotShowsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.runner.Run = func(context.Context, Slot) error { return ErrNotYet }
		stop := h.begin(t, nightly("0 2 * * *"), Spec{Job: "other", Cron: "0 1 2 * *", Location: time.UTC})
		defer stop()
		s := h.runner.Snapshot()
		if len(s.Next) != 2 || s.Next[0].Job != "nightly" || s.Next[0].Reason != "" || !s.Next[1].Start.Equal(s.Next[1].At) {
			t.Errorf("at the start: %+v", s.Next)
		}
		pass(2*time.Hour + 5*time.Second)
		s = h.runner.Snapshot()
		if len(s.Next) != 2 || s.Next[0].At.Hour() != 2 || s.Next[0].Reason != ErrNotYet.Error() {
			t.Errorf("while it is blocked: %+v", s.Next)
		}
	})
}

func TestTriggeredRunsWaitLikeSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t).withSlotLog(t, t.TempDir())
		h.runner.Run = func(context.Context, Slot) error { return ErrNotYet }
		stop := h.begin(t, nightly("0 2 29 2 *"))
		defer stop()
		pass(time.Hour)
		if err := h.runner.Trigger("nightly", true); err != nil {
			t.Fatal(err)
		}
		pass(23 * time.Hour)
		if err := h.runner.Trigger("nightly", true); !errors.Is(err, ErrBusy) {
			t.Errorf("a second one: %v, want %v", err, ErrBusy)
		}
		pass(2 * time.Hour)
		want := []string{"missed nightly 01-01 01:00 cannot start yet; not made up for later than 24h0m0s"}
		if diff := cmp.Diff(want, h.recorded()); diff != "" {
			t.Errorf("slot log (-want +got):\n%s", diff)
		}
	})
}

// TestBeatsWhileTheLoopLives counts the beats of an hour in which a job runs and one in which
// none does, and none after a loop that hangs.
func TestBeatsWhileTheLoopLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.takes = time.Hour
		var beats atomic.Int64
		h.runner.Pulse, h.runner.Beat = 10*time.Second, func() { beats.Add(1) }
		hang := make(chan struct{})
		good := h.runner.Stored
		h.runner.Stored = func(job string) ([]Stored, error) {
			if time.Now().Day() == 2 {
				<-hang
			}
			return good(job)
		}
		stop := h.begin(t, nightly("0 2 * * *"))
		for _, hour := range []string{"without a run", "without a run", "with a run"} {
			before := beats.Load()
			pass(time.Hour)
			if n := beats.Load() - before; n < 359 || n > 363 {
				t.Errorf("%d beats in an hour %s, want one each ten seconds", n, hour)
			}
		}
		pass(24 * time.Hour)
		before := beats.Load()
		pass(24 * time.Hour)
		if n := beats.Load() - before; n != 0 {
			t.Errorf("%d beats of a loop that hangs", n)
		}
		close(hang)
		stop()
	})
}

func TestEachRecordIsReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t).withSlotLog(t, t.TempDir())
		var recorded []string
		h.runner.Recorded = func(r Record) { recorded = append(recorded, r.State+" "+r.Date+" "+r.Reason) }
		h.fault = func(slot Slot) error { return errors.New("boom") }
		h.serve(t, 48*time.Hour, nightly("0 2 * * *"))
		if got := strings.Join(recorded, ", "); got != "failed 2000-01-01 boom, failed 2000-01-02 boom" {
			t.Errorf("recorded: %s", got)
		}
	})
}
