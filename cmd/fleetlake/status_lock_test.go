package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/gofrs/flock"
)

// TestCheckingTheLockMakesNoWriterFail shares the lock as a check does, but for much longer: a process
// that wants the lock waits for it. It does not wait that long for a writer.
func TestCheckingTheLockMakesNoWriterFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		first, err := datadir.Lock(dir, "`fleetlake first`")
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err = datadir.Lock(dir, "`fleetlake second`"); !errors.Is(err, datadir.ErrLocked) || !strings.Contains(err.Error(), "`fleetlake first`") {
			t.Errorf("a second writer: %v", err)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("a second writer is refused after %v", took)
		}
		if err := first(); err != nil {
			t.Fatal(err)
		}
		look := flock.New(filepath.Join(dir, "lock"))
		if ok, err := look.TryRLock(); !ok || err != nil {
			t.Fatal(ok, err)
		}
		time.AfterFunc(100*time.Millisecond, func() { look.Unlock() })
		start = time.Now()
		second, err := datadir.Lock(dir, "`fleetlake second`")
		if took := time.Since(start); err != nil || took < 100*time.Millisecond || took > 200*time.Millisecond {
			t.Fatalf("a writer beside a look of 100 ms: %v after %v", err, took)
		}
		if err := second(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestHolderNamesTheWriterAndTakesNothing checks before, during and after a write.
func TestHolderNamesTheWriterAndTakesNothing(t *testing.T) {
	dir := t.TempDir()
	is := func(want string) {
		t.Helper()
		got, err := datadir.Holder(dir)
		locked := datadir.CheckLock(dir)
		if got != want || err != nil || errors.Is(locked, datadir.ErrLocked) != (want != "") || want != "" && !strings.Contains(locked.Error(), want) {
			t.Errorf("holder %q, %v, check %v; want %q", got, err, locked, want)
		}
	}
	is("")
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("a look leaves %v, %v", entries, err)
	}
	unlock, err := datadir.Lock(dir, "`fleetlake test`")
	if err != nil {
		t.Fatal(err)
	}
	is("`fleetlake test`")
	if err := os.Truncate(filepath.Join(dir, "lock"), 0); err != nil {
		t.Fatal(err)
	}
	is("a process without a name")
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	is("")
}

// TestStatusAndDoctorBesideRuns looks at the lock without a pause, as no monitor does, while one run after the
// other begins and ends. Each finds its night done, so that most of its time is the taking of the lock. No run
// is refused, and the writer is named correctly.
func TestStatusAndDoctorBesideRuns(t *testing.T) {
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	w.has(smallJob, "2026-11-20")
	dir := filepath.Join(w.dir, "fleetlake-data")
	ctx, cancel := context.WithCancel(t.Context())
	var looking sync.WaitGroup
	named := make([]int, 2)
	for i, look := range []func() (string, error){
		func() (string, error) { return writer(dir) },
		func() (string, error) {
			_, err := unlocked(dir)
			if errors.Is(err, datadir.ErrLocked) {
				return err.Error(), nil
			}
			return "", err
		},
	} {
		looking.Go(func() {
			for ctx.Err() == nil {
				words, err := look()
				if err != nil || words != "" && !strings.Contains(words, "`fleetlake run nightly`") {
					t.Errorf("look %d: %q, %v", i, words, err)
					return
				}
				if words != "" {
					named[i]++
				}
			}
		})
	}
	for range 5 {
		w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
	}
	cancel()
	looking.Wait()
	if named[0] == 0 || named[1] == 0 {
		t.Errorf("the runs were seen %v times", named)
	}
	for _, verb := range []string{"status", "doctor"} {
		if o := w.must(exitDone, verb); strings.Contains(o.stdout, "fleetlake run") || strings.Contains(o.stdout, "FAIL") {
			t.Errorf("after the runs:\n%s", o.stdout)
		}
	}
}
