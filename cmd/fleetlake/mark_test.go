package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/schedules/daemon"
)

// daemonHere is a daemon in this process, and what it was made from.
type daemonHere struct {
	*daemon.Server
	app      *app
	config   config.Config
	pipeline *pipeline.Pipeline
}

// newDaemonHere makes a daemon that does not serve yet.
func newDaemonHere(t testing.TB, a *app) *daemonHere {
	t.Helper()
	cfg, err := a.config()
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := a.daemonConfig(cfg, func() *keptNetwork { return nil })
	if err != nil {
		t.Fatal(err)
	}
	d, err := daemon.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return &daemonHere{d, a, cfg, c.Pipeline}
}

// newestOf is the newest run of a slot's job and date in the journal.
func (d *daemonHere) newestOf(t testing.TB, slot schedules.Slot) pipeline.PastRun {
	t.Helper()
	nights, err := pipeline.PastRuns(d.pipeline.Dir, slot.Job, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range slices.Backward(nights) {
		if n.Date == slot.Date {
			return n
		}
	}
	t.Fatalf("no run of %s for %s", slot.Job, slot.Date)
	return pipeline.PastRun{}
}

// server is the daemon of the world, in this process, until the test ends.
func (w *world) server() *daemonHere {
	s := w.openServer()
	w.t.Cleanup(s.Close)
	return s
}

// openServer is server, whose notifier the test closes.
func (w *world) openServer() *daemonHere {
	w.t.Helper()
	environment := append(slices.Clone(w.env), "FLEETLAKE_DATA="+filepath.Join(w.dir, "fleetlake-data"))
	getenv := func(name string) string {
		for _, line := range slices.Backward(environment) {
			if value, ok := strings.CutPrefix(line, name+"="); ok {
				return value
			}
		}
		return ""
	}
	a := &app{getenv: getenv, stdout: os.Stderr, stderr: os.Stderr, configPath: filepath.Join(w.dir, "fleetlake.yaml")}
	return newDaemonHere(w.t, a)
}

// TestServeSendsNothingForAnotherDirectory has a volume that is unmounted under serve: the slot fails
// and spends nothing, no new lake begins, and /readyz says why.
func TestServeSendsNothingForAnotherDirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	w.has(smallJob, "2026-11-20")
	data := filepath.Join(w.dir, "fleetlake-data")
	s := w.server()
	if err := s.Ready(); err != nil {
		t.Fatalf("not ready: %v", err)
	}
	spent := w.sim.Bill().Spent
	slot := schedules.Slot{Job: "nightly", Date: "2026-11-21", At: time.Now()}
	for words, change := range map[string]func() error{
		"has no file fleetlake.id": func() error {
			return errors.Join(os.Rename(data, data+".unmounted"), os.Mkdir(data, 0o700))
		},
		"has the id 00ff": func() error {
			return errors.Join(os.Rename(data, data+".unmounted"), os.Mkdir(data, 0o700), os.WriteFile(filepath.Join(data, "fleetlake.id"), []byte(`{"id":"00ff"}`), 0o600))
		},
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{"run": s.Run(t.Context(), slot), "ready": s.Ready()} {
			if err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("%s: %v, want that it %s", name, err, words)
			}
		}
		if _, err := os.Stat(filepath.Join(data, "journal")); err == nil {
			t.Error("a new lake began")
		}
		if err := errors.Join(os.RemoveAll(data), os.Rename(data+".unmounted", data)); err != nil {
			t.Fatal(err)
		}
	}
	if now := w.sim.Bill().Spent; now != spent {
		t.Errorf("%d credits were spent", now-spent)
	}
}

// TestReadyReportsTheNights checks /readyz on a new directory, after a good night and after a partial one.
func TestReadyReportsTheNights(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	if err := w.server().Ready(); err != nil {
		t.Errorf("before the first night: %v", err)
	}
	for _, night := range []struct {
		code int
		args []string
		want string
	}{
		{exitDone, []string{"run", "nightly", "--date", "2026-11-20"}, ""},
		{exitCredits, []string{"run", "nightly", "--date", "2026-11-21", "--budget", "15"}, "is partial"},
	} {
		w.must(night.code, night.args...)
		if err := w.server().Ready(); (err == nil) != (night.want == "") || err != nil && !strings.Contains(err.Error(), night.want) {
			t.Errorf("after %v: %v, want %q", night.args, err, night.want)
		}
	}
}

// TestServeRefusesAnEmptyDirectory with --data-exists: its volume may be mounted after the start.
func TestServeRefusesAnEmptyDirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	if o := w.must(exitUnexpected, "serve", "--data-exists"); !strings.Contains(o.stderr, "no file fleetlake.id") || len(w.sim.Log()) != 0 {
		t.Errorf("%d requests: %s", len(w.sim.Log()), o.stderr)
	}
}
