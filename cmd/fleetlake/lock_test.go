package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
)

// namesWriter is who writes into a data directory, on which machine, and since when.
func namesWriter(t *testing.T, verb string, pid int) *regexp.Regexp {
	t.Helper()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile("`fleetlake " + verb + "` " + regexp.QuoteMeta(fmt.Sprintf("(process %d on %s, since ", pid, host)) + `20\d\d-\d\d-\d\dT[\d:]+Z\)`)
}

// TestASecondProcessNamesTheWriter starts a `run`, a `serve` and an `export` beside a run that is
// under way: each names the writer, and sends no request. An export copies what is published.
func TestASecondProcessNamesTheWriter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.due(1_000_000, smallJob, "")
	w.faults(simulator.Fault{Kind: simulator.Slow, Least: 30 * time.Second, Most: 30 * time.Second})
	first := w.start("run", "nightly")
	t.Cleanup(func() { first.cmd.Process.Kill(); first.wait() })
	w.sends(1)
	balances := w.sim.Bill().Operations["credits"].Requests
	writer := namesWriter(t, "run nightly", first.cmd.Process.Pid)
	if o := w.must(exitLocked, "run", "nightly"); !writer.MatchString(o.stderr) {
		t.Errorf("a second run does not say %s:\n%s", writer, o.stderr)
	}
	d := w.serve()
	if line := d.hears("slot waits"); !writer.MatchString(line) {
		t.Errorf("a serve does not say %s:\n%s", writer, line)
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	if code, _ := d.ends(); code != exitDone {
		t.Errorf("serve ended with %d", code)
	}
	if o := w.must(exitDone, "export", "out"); !strings.Contains(o.stdout, "of 1 runs") {
		t.Errorf("export:\n%s%s", o.stdout, o.stderr)
	}
	manifests, err := filepath.Glob(filepath.Join(w.dir, "fleetlake-data", "lake", "_manifests", "*.json"))
	if err != nil || len(manifests) != 1 {
		t.Fatal(manifests, err)
	}
	if err := os.Remove(manifests[0]); err != nil { // as if a publish were moving the files
		t.Fatal(err)
	}
	if o := w.must(exitUnexpected, "export", "out"); !writer.MatchString(o.stderr) {
		t.Errorf("an export that fails does not say %s:\n%s", writer, o.stderr)
	}
	if now := w.sim.Bill().Operations["credits"].Requests; now != balances {
		t.Errorf("%d balances were asked for", now-balances)
	}
	if paths, err := journal.Segments(filepath.Join(w.dir, "fleetlake-data", "journal")); err != nil || len(paths) != 2 {
		t.Errorf("the journal has %v, %v; want one run of yesterday and one of today", paths, err)
	}
}

// TestASecondServeWaitsForTheFirst has two of them at one slot: one runs it, the other says who does.
func TestASecondServeWaitsForTheFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.due(1_000_000, smallJob, "")
	w.faults(simulator.Fault{Kind: simulator.Slow, Least: 2 * time.Second, Most: 2 * time.Second})
	first := w.serve()
	w.sends(1)
	second := w.serve()
	if line, writer := second.hears("slot waits"), namesWriter(t, "serve: nightly", first.cmd.Process.Pid); !writer.MatchString(line) {
		t.Errorf("the second does not say %s:\n%s", writer, line)
	}
	first.hears("slot done")
	for _, d := range []*served{first, second} {
		d.cmd.Process.Signal(syscall.SIGTERM)
		if code, _ := d.ends(); code != exitDone {
			t.Errorf("serve ended with %d", code)
		}
	}
	third := w.serve()
	third.hears("scheduled")
	time.Sleep(300 * time.Millisecond) // a slot that is due starts within milliseconds, and its absence has no event to wait for
	third.cmd.Process.Signal(syscall.SIGTERM)
	if third.ends(); strings.Contains(third.said(), "slot starts") {
		t.Errorf("the slot was filled, and runs again:\n%s", third.said())
	}
	w.checkBill(0)
}

// TestALockOfADeadMachine finds the description of a process that no longer has the lock: the lock is
// taken at once. If the file system still keeps it for another machine, the error says so.
func TestALockOfADeadMachine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	data := filepath.Join(w.dir, "fleetlake-data")
	const words = "`fleetlake run nightly` (process 4711 on other-host, since 2026-11-19T02:00:00Z)"
	if err := os.Mkdir(data, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "lock"), []byte(words+"\nother-host\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	locked := flock.New(filepath.Join(data, "lock"))
	if ok, err := locked.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	o := w.must(exitLocked, "run", "nightly", "--date", "2026-11-20")
	for _, want := range []string{words, "another machine", "releases the lock"} {
		if !strings.Contains(o.stderr, want) {
			t.Errorf("does not say %q: %s", want, o.stderr)
		}
	}
	if spent := w.sim.Bill().Spent; spent != 0 || len(w.sim.Log()) != 0 {
		t.Errorf("%d credits and %d requests beside a lock", spent, len(w.sim.Log()))
	}
	if err := locked.Unlock(); err != nil {
		t.Fatal(err)
	}
	if o := w.must(exitDone, "status"); strings.Contains(o.stdout, "other-host") {
		t.Errorf("status names a process without the lock:\n%s", o.stdout)
	}
	start := time.Now()
	unlock, err := datadir.LockFor(data, "test")
	if took := time.Since(start); err != nil || took > 200*time.Millisecond {
		t.Fatalf("the lock is taken after %v, %v", took, err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
}
