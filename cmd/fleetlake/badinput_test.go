package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
)

// smallJob does a little of everything.
const smallJob = `
    list: {by: cheapest, countries: [Malta, Panama, Curacao]}
    sweep: {statuses: [moored], zones: [north-sea, baltic-sea]}
    lookup: {want: [particulars], max_requests: 5}
`

// TestBadInput gives each thing that goes wrong its exit code and one clear line.
func TestBadInput(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		prepare func(w *world)
		args    []string
		code    int
		says    []string // on standard error, or in the report
	}{
		"a wrong key": {
			func(w *world) { w.env = append(w.env, "FLEETLAKE_API_KEY=wrong") },
			[]string{"run", "nightly"}, exitKey, []string{"Invalid or missing API key"},
		},
		"a blocked endpoint": {
			func(w *world) { w.faults(simulator.Fault{Kind: simulator.Blocked, Operation: "by-type"}) },
			[]string{"run", "nightly"}, exitUnanswered, []string{"by-type is blocked for this key", "may not use one of the operations, whatever the balance is", "3 of 3 partitions of the list"},
		},
		"no credits": {
			func(w *world) { w.sim.SetBalance(12) },
			[]string{"run", "nightly"}, exitCredits, []string{"redit"},
		},
		"a cap that is reached": {
			func(*world) {},
			[]string{"run", "nightly", "--budget", "25"}, exitCredits, []string{"budget"},
		},
		"a server that answers HTML": {
			func(w *world) { w.faults(simulator.Fault{Kind: simulator.HTMLPage}) },
			[]string{"run", "nightly"}, exitUnanswered, []string{"html"},
		},
		"a server that is down": {
			func(w *world) { w.env = append(w.env, "FLEETLAKE_BASE_URL=http://127.0.0.1:1/api") },
			[]string{"run", "nightly", "--deadline", "300ms", "--budget", "500"}, exitUnanswered, []string{"deadline"},
		},
		"a server that is down, without a cap": {
			func(w *world) { w.env = append(w.env, "FLEETLAKE_BASE_URL=http://127.0.0.1:1/api") },
			[]string{"run", "nightly", "--deadline", "300ms"}, exitUnanswered, []string{"no cap is set", "budget.per_run"},
		},
		"an unknown job": {
			func(*world) {},
			[]string{"run", "weekly"}, exitUsage, []string{`unknown job \"weekly\"`, "nightly"},
		},
		"an unknown flag": {
			func(*world) {},
			[]string{"run", "--bugdet", "5"}, exitUsage, []string{"--bugdet"},
		},
		"an unknown verb": {
			func(*world) {},
			[]string{"harvest"}, exitUsage, []string{`"harvest"`},
		},
		"a bad date": {
			func(*world) {},
			[]string{"run", "nightly", "--date", "20.11.2026"}, exitUsage, []string{"YYYY-MM-DD"},
		},
		"an unknown key in the configuration": {
			func(w *world) { w.write("fleetlake.yaml", "api:\n  limts: {}\n") },
			[]string{"run", "nightly"}, exitUsage, []string{"fleetlake.yaml:2:", "limts"},
		},
		"no address": {
			func(w *world) { w.env = append(w.env, "FLEETLAKE_BASE_URL=") },
			[]string{"run", "nightly"}, exitUsage, []string{"FLEETLAKE_BASE_URL"},
		},
		"no key": {
			func(w *world) { w.env = append(w.env, "FLEETLAKE_API_KEY=") },
			[]string{"run", "nightly"}, exitUsage, []string{"FLEETLAKE_API_KEY"},
		},
		"a data directory that is a file": {
			func(w *world) { w.write("fleetlake-data", "") },
			[]string{"run", "nightly"}, exitDisk, []string{"fleetlake-data"},
		},
		"a query before the first run": {
			func(*world) {},
			[]string{"query", "SELECT 1"}, exitUsage, []string{"no data in", "fleetlake-data", "--data"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{Vessels: 400})
			w.configure(1_000_000, smallJob)
			c.prepare(w)
			o := w.must(c.code, c.args...)
			for _, want := range c.says {
				if !strings.Contains(o.stderr+o.stdout, want) {
					t.Errorf("does not say %q:\n%s%s", want, o.stdout, o.stderr)
				}
			}
			if strings.Contains(o.stderr, "panic") || strings.Contains(o.stderr, "goroutine ") {
				t.Errorf("panicked: %s", o.stderr)
			}
			if got := w.sim.Bill().Spent; c.args[0] == "run" && len(c.args) == 4 && c.args[2] == "--budget" && got > 25 {
				t.Errorf("billed %d with a cap of 25", got)
			}
		})
	}
}

func (w *world) faults(f ...simulator.Fault) {
	w.t.Helper()
	if err := w.sim.SetFaults(f); err != nil {
		w.t.Fatal(err)
	}
}

// TestAFailedRunResumes repairs what was wrong and runs again: nothing is paid for twice.
func TestAFailedRunResumes(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		breakIt, mend func(w *world)
		code          int
	}{
		"a blocked endpoint": {
			func(w *world) { w.faults(simulator.Fault{Kind: simulator.Blocked, Operation: "by-status"}) },
			func(w *world) { w.faults() }, exitPartial,
		},
		"no credits": {
			func(w *world) { w.sim.SetBalance(33) },
			func(w *world) { w.sim.SetBalance(1000) }, exitCredits,
		},
		"a server that answers HTML": {
			func(w *world) { w.faults(simulator.Fault{Kind: simulator.HTMLPage, Operation: "by-type"}) },
			func(w *world) { w.faults() }, exitUnanswered,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{Vessels: 400})
			w.configure(1_000_000, smallJob)
			c.breakIt(w)
			w.must(c.code, "run", "nightly", "--date", "2026-11-20")
			c.mend(w)
			w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
			if twice := w.rows("SELECT operation, parameters FROM requests WHERE outcome IN ('ok', 'empty') AND operation <> 'credits' GROUP BY ALL HAVING count(*) > 1"); len(twice) > 0 {
				t.Errorf("paid twice: %v", twice)
			}
			if open := w.rows("SELECT kind, value, state FROM coverage JOIN (SELECT max(run_id) AS run_id FROM runs) USING (run_id) WHERE state <> 'complete'"); len(open) > 0 {
				t.Errorf("not covered after the second run: %v", open)
			}
		})
	}
}

// TestAStoppedRunResumes sends SIGTERM in the middle of a run.
func TestAStoppedRunResumes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 800})
	w.configure(1200, wholeJob)
	p := w.start("run", "nightly", "--date", "2026-11-20")
	time.AfterFunc(1500*time.Millisecond, func() { p.cmd.Process.Signal(syscall.SIGTERM) })
	o, err := p.wait()
	if err != nil || o.code != exitInterrupted {
		t.Fatalf("exit code %d, %v: %s", o.code, err, o.stderr)
	}
	first := w.number("SELECT count(*) FROM vessels")
	if first == 0 {
		t.Error("what was paid for before the stop is not published")
	}
	w.configure(1_000_000, wholeJob)
	w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
	if bill, counted := w.sim.Bill().Spent, w.number("SELECT sum(credits) FROM requests"); bill != counted {
		t.Errorf("billed %d, `requests` says %d", bill, counted)
	}
	if second := w.number("SELECT count(*) FROM vessels WHERE listed"); second <= first {
		t.Errorf("%d vessels after the second run, %d after the first", second, first)
	}
}

func TestADataDirectoryInUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	unlock, err := datadir.LockFor(filepath.Join(w.dir, "fleetlake-data"), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	o := w.must(exitLocked, "run", "nightly")
	if !strings.Contains(o.stderr, "fleetlake test") || strings.Count(strings.TrimSpace(o.stderr), "\n") > 0 {
		t.Errorf("the holder is not named on one line: %s", o.stderr)
	}
	if got := w.sim.Bill().Operations["credits"].Requests; got != 0 {
		t.Errorf("%d requests by a process that is not the writer", got)
	}
}

func TestACorruptJournal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	w.has(smallJob, "2026-11-20")
	paths, err := journal.Segments(filepath.Join(w.dir, "fleetlake-data", "journal"))
	if err != nil || len(paths) != 1 {
		t.Fatal(paths, err)
	}
	whole, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	bad := bytes.Clone(whole)
	bad[len(bad)/2] ^= 0xff
	if err := os.WriteFile(paths[0], bad, 0o644); err != nil {
		t.Fatal(err)
	}
	spent := w.sim.Bill().Spent
	o := w.must(exitUnexpected, "run", "nightly", "--date", "2026-11-20")
	if !strings.Contains(o.stderr, filepath.Base(paths[0])) || !strings.Contains(o.stderr, "at byte ") {
		t.Errorf("file and offset are not named: %s", o.stderr)
	}
	if after, _ := os.ReadFile(paths[0]); !bytes.Equal(after, bad) || w.sim.Bill().Spent != spent {
		t.Error("a damaged segment was touched, or money was spent beside it")
	}
}
