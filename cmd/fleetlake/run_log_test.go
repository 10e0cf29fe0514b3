package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

// TestTheLogOfARunIsForMachines parses each line that a run writes to its standard error: all of it
// is JSON, each line has the id of the run, and what lasts is a number of seconds.
func TestTheLogOfARunIsForMachines(t *testing.T) {
	t.Parallel()
	const date = "2026-11-20"
	for name, c := range map[string]struct {
		prepare func(w *world)
		args    []string
		code    int
		lasting []string // keys that some line must have
		noRun   bool     // it ends before a run begins
	}{
		"a night that is done": {args: []string{"-v"}, code: exitDone, lasting: []string{"took", "remaining"}},
		"a service that is away for a while": {func(w *world) {
			w.faults(simulator.Fault{Kind: simulator.Unavailable, Operation: "by-status", Next: 3})
		}, nil, exitDone, []string{"away", "patience"}, false},
		"a refused key": {func(w *world) { w.env = append(w.env, "FLEETLAKE_API_KEY=wrong") }, nil, exitKey, nil, false},
		"a run after one that was killed": {func(w *world) {
			w.faults(simulator.Fault{Kind: simulator.Slow, Least: 10 * time.Second, Most: 10 * time.Second})
			p := w.start("run", "nightly", "--date", date)
			w.sends(1)
			p.cmd.Process.Kill()
			p.wait()
			w.faults()
		}, nil, exitDone, nil, false},
		"a directory that is in use": {func(w *world) {
			unlock, err := datadir.LockFor(filepath.Join(w.dir, "fleetlake-data"), "test")
			if err != nil {
				w.t.Fatal(err)
			}
			w.t.Cleanup(func() { unlock() })
		}, nil, exitLocked, nil, true},
		"a configuration that is wrong": {func(w *world) { w.write("fleetlake.yaml", "jobs: {nightly: {deadline: \"no\"}}") }, nil, exitUsage, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{Vessels: 400})
			w.configure(1_000_000, smallJob)
			if c.prepare != nil {
				c.prepare(w)
			}
			o := w.must(c.code, append([]string{"run", "nightly", "--date", date, "--json"}, c.args...)...)
			var r report.Report
			if err := json.Unmarshal([]byte(o.stdout), &r); err != nil && (c.code == exitDone || o.stdout != "") {
				t.Fatal(err)
			}
			found := map[string]bool{}
			for line := range strings.Lines(o.stderr) {
				found["a line"] = true
				var fields map[string]any
				if err := json.Unmarshal([]byte(line), &fields); err != nil {
					t.Errorf("no JSON: %s", line)
					continue
				}
				run, _ := fields["run"].(string)
				if (run == "") != c.noRun || r.Run != "" && run != r.Run {
					t.Errorf("the run is %q, want %q: %s", run, r.Run, line)
				}
				for _, key := range []string{"took", "remaining", "away", "patience", "within"} {
					seconds, number := fields[key].(float64)
					if found[key] = found[key] || number; fields[key] != nil && (!number || seconds > 3600) {
						t.Errorf("%s is no number of seconds: %s", key, line)
					}
				}
			}
			for _, key := range append(c.lasting, "a line") {
				if !found[key] {
					t.Errorf("no %q in:\n%s", key, o.stderr)
				}
			}
		})
	}
}
