package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator"
)

// stopJob has enough requests to be stopped in the middle of them, on each lane.
const stopJob = `
    deadline: 1h
    list: {by: country, countries: [Panama, Liberia, China, Greece, Malta, Norway, Japan, Germany, Singapore, Cyprus, Italy, India], max_age: 0s}
    sweep: {statuses: [moored, aground], zones: [all]}
    lookup: {want: [particulars], max_requests: 30}
`

// TestServeStopsAndResumes sends SIGTERM in the middle of a run whose answers take a second.
func TestServeStopsAndResumes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 500})
	w.due(1200, stopJob, "")
	w.faults(simulator.Fault{Kind: simulator.Slow, Least: time.Second, Most: time.Second})
	d := w.serve()
	w.sends(8)
	d.cmd.Process.Signal(syscall.SIGTERM)
	code, took := d.ends()
	asked := w.priced()
	if code != exitDone || took > 11*time.Second {
		t.Errorf("exit code %d after %v, want 0 within 10 s of the last answer:\n%s", code, took, d.said())
	}
	if answers := w.number("SELECT count(*) FROM requests WHERE http_status > 0 AND operation <> 'credits'"); answers < asked {
		t.Errorf("%d answers of %d requests are kept", answers, asked)
	}
	w.faults()
	w.configure(1_000_000, "    schedule: '0 0 * * *'\n"+stopJob+"\nserve: {listen: '127.0.0.1:0'}\n")
	d = w.serve()
	if line := d.hears("run published"); !strings.Contains(line, `"state":"done"`) {
		t.Errorf("the second start does not finish the night: %s", line)
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	d.ends()
	w.checkBill(0)
}

// TestASecondSignalEndsAtOnce while answers arrive one by one: those that the service had sent
// before the signal are kept, the others are not waited for, and the next start resumes.
func TestASecondSignalEndsAtOnce(t *testing.T) {
	w := newWorld(t, simulator.Config{Vessels: 500})
	w.due(3000, stopJob, "")
	w.faults(simulator.Fault{Kind: simulator.Slow, Operation: "by-status", Least: 20 * time.Second, Most: 20 * time.Second},
		simulator.Fault{Kind: simulator.Slow, Operation: "by-type", Match: "page=2", Least: 20 * time.Second, Most: 20 * time.Second},
		simulator.Fault{Kind: simulator.Slow, Operation: "particulars", Most: 2 * time.Second})
	d := w.serve()
	w.sends(20)
	d.cmd.Process.Signal(syscall.SIGTERM)
	d.hears("stopping")
	sent := len(w.sim.Log())
	d.cmd.Process.Signal(syscall.SIGTERM)
	if code, took := d.ends(); code != exitInterrupted || took > 2*time.Second {
		t.Errorf("exit code %d after %v, want %d at once:\n%s", code, took, exitInterrupted, d.said())
	}
	kept := w.kept()
	for _, r := range w.sim.Log()[:sent] {
		if r.Outcome == simulator.OK && kept[r.Operation+"?"+r.Parameters] == 0 {
			t.Errorf("the answer to %s %s was sent before the signal, and is not kept", r.Operation, r.Parameters)
		}
	}
	w.faults()
	w.configure(1_000_000, "    schedule: '0 0 * * *'\n"+stopJob+"\nserve: {listen: '127.0.0.1:0'}\n")
	d = w.serve()
	if line := d.hears("run published"); !strings.Contains(line, `"state":"done"`) {
		t.Errorf("the next start does not finish the night: %s", line)
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	d.ends()
	w.checkBill(3 * 4 * 10)
}

// TestTwoSignalsInARow sends a second signal before the process has handled the first.
func TestTwoSignalsInARow(t *testing.T) {
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.due(3000, wholeJob, "")
	w.faults(simulator.Fault{Kind: simulator.Slow, Least: 20 * time.Second, Most: 20 * time.Second})
	d := w.serve()
	w.sends(1)
	d.cmd.Process.Signal(syscall.SIGTERM)
	d.cmd.Process.Signal(syscall.SIGINT) // the system may deliver two equal signals as one
	if code, took := d.ends(); code != exitInterrupted || took > 2*time.Second {
		t.Errorf("exit code %d after %v, want %d at once:\n%s", code, took, exitInterrupted, d.said())
	}
}

// kept counts the good answers in the journal, by operation and parameters.
func (w *world) kept() map[string]int {
	w.t.Helper()
	paths, err := journal.Segments(filepath.Join(w.dir, "fleetlake-data", "journal"))
	if err != nil {
		w.t.Fatal(err)
	}
	kept := map[string]int{}
	for _, path := range paths {
		for e, err := range journal.Read(path) {
			if err != nil {
				w.t.Fatal(err)
			}
			if e.Outcome == extract.OutcomeOK {
				kept[e.Operation+"?"+e.Parameters]++
			}
		}
	}
	return kept
}

// priced counts the requests that cost credits and that the service has seen.
func (w *world) priced() int {
	n := 0
	for name, o := range w.sim.Bill().Operations {
		if name != "credits" {
			n += o.Requests
		}
	}
	return n
}

// sends waits until the service has seen some priced requests.
func (w *world) sends(n int) {
	w.t.Helper()
	deadline := time.After(time.Minute)
	for w.priced() < n {
		select {
		case <-deadline:
			w.t.Fatalf("%d requests within a minute, want %d", w.priced(), n)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// checkBill compares what was billed with the journal, give or take what was in flight, and
// searches for requests that were paid for twice.
func (w *world) checkBill(air int) {
	w.t.Helper()
	bill := w.sim.Bill().Spent
	known := w.number("SELECT coalesce(sum(credits), 0) FROM requests WHERE charge <> 'unknown'")
	unknown := w.number("SELECT coalesce(sum(credits), 0) FROM requests WHERE charge = 'unknown'")
	if bill < known || bill > known+unknown || unknown > air {
		w.t.Errorf("billed %d; `requests` says %d, and %d of unknown outcome, want at most %d of these", bill, known, unknown, air)
	}
	if twice := w.rows("SELECT operation, parameters FROM requests WHERE outcome IN ('ok', 'empty') AND operation <> 'credits' GROUP BY ALL HAVING count(*) > 1"); len(twice) > 0 {
		w.t.Errorf("paid twice: %v", twice)
	}
}
