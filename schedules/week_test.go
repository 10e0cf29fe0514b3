package schedules

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// week is the world of a simulated week: what goes wrong on which night of January 2000.
type week struct {
	dir   string
	runs  []string // "date start state"
	store []Stored
	full  bool // the disk
}

// runner is a new process.
func (w *week) runner(t *testing.T) *Runner {
	h := newHouse(t).withSlotLog(t, w.dir)
	h.runner.Stored = func(string) ([]Stored, error) { return slices.Clone(w.store), nil }
	h.runner.Run = w.night
	return &h.runner
}

// night runs for two hours, unless the day has other plans.
func (w *week) night(ctx context.Context, slot Slot) error {
	started, state, takes := time.Now().UTC(), "done", 2*time.Hour
	switch {
	case slot.Date == "2000-01-03": // the service is down: the run tries until its deadline
		state, takes = "partial", 4*time.Hour
	case slot.Date == "2000-01-05": // the balance is gone after ten minutes
		state, takes = "partial", 10*time.Minute
	case slot.Date == "2000-01-06" && w.full: // nothing can be written, not even why
		return fmt.Errorf("create journal segment: %w", syscall.ENOSPC)
	case slot.Date == "2000-01-07" && started.Before(time.Date(2000, 1, 7, 2, 40, 0, 0, time.UTC)):
		return fmt.Errorf("%w: `fleetlake run` writes", ErrNotYet)
	}
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		<-time.After(5 * time.Second)
		state = "interrupted"
	}
	w.store = append(w.store, Stored{Date: slot.Date, Started: started, State: state})
	w.runs = append(w.runs, fmt.Sprintf("%s %s %s", slot.Date, started.Format("02 15:04"), state))
	return nil
}

// serve lets a process live until a day and time of January.
func (w *week) serve(t *testing.T, until string) {
	t.Helper()
	end, err := time.Parse("2006-01-02 15:04", "2000-01-"+until)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Until(end))
	defer cancel()
	if err := w.runner(t).Serve(ctx, []Spec{{Job: "nightly", Cron: "0 2 * * *", Location: time.UTC, MaxLateness: 24 * time.Hour}}); err != nil {
		t.Fatal(err)
	}
}

// TestAWeekOfNights has a restart in the middle of a run, an outage of the service, a night
// in which the machine is off, an exhausted balance, a full disk and a person's own run in it.
// Each night has its run, or the reason why it has none.
func TestAWeekOfNights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &week{dir: t.TempDir()}
		w.serve(t, "02 02:30") // stopped in the second night
		w.serve(t, "03 20:00") // the outage of the third
		pass(36 * time.Hour)   // off from the evening, over the slot of the 4th
		time.AfterFunc(17*time.Hour, func() { w.fillDisk(t) })
		time.AfterFunc(21*time.Hour, func() { w.makeRoom(t) })
		w.serve(t, "06 12:00") // up again on the 5th; the disk is full from 01:00 to 05:00
		w.serve(t, "07 12:00") // started again: the slot of the 6th is tried again
		want := []string{
			"2000-01-01 01 02:00 done",
			"2000-01-02 02 02:00 interrupted", "2000-01-02 02 02:30 done",
			"2000-01-03 03 02:00 partial",
			"2000-01-05 05 08:00 partial",
			"2000-01-06 06 12:00 done",
			"2000-01-07 07 02:40 done",
		}
		if diff := cmp.Diff(want, w.runs); diff != "" {
			t.Errorf("runs (-want +got):\n%s", diff)
		}
		var recorded []string
		records, err := ReadSlotLog(w.dir, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range slices.Backward(records) {
			recorded = append(recorded, r.State+" "+r.Date+" "+r.Reason)
		}
		wantRecorded := []string{
			"missed 2000-01-04 no process was waiting; the slot of 2000-01-05T02:00:00Z runs instead",
			"failed 2000-01-06 create journal segment: no space left on device",
		}
		if diff := cmp.Diff(wantRecorded, recorded); diff != "" {
			t.Errorf("slot log (-want +got):\n%s", diff)
		}
	})
}

// fillDisk makes the slot log a file that cannot grow.
func (w *week) fillDisk(t *testing.T) {
	w.full = true
	path := filepath.Join(w.dir, SlotLogName)
	if err := errors.Join(os.Rename(path, path+".kept"), os.Symlink("/dev/full", path)); err != nil {
		t.Error(err)
	}
}

func (w *week) makeRoom(t *testing.T) {
	w.full = false
	path := filepath.Join(w.dir, SlotLogName)
	if err := os.Rename(path+".kept", path); err != nil {
		t.Error(err)
	}
}
