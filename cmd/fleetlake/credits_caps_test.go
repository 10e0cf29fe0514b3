package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
)

// TestWhatTheMetersLeaveIsWhatTheNextRunMaySpend compares what status says that the cap of the night leaves with the
// most of the plan: before a night, after a part of it, after its rows were rolled back, and after it was rebuilt.
func TestWhatTheMetersLeaveIsWhatTheNextRunMaySpend(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 600})
	w.configure(1_000_000, ledgerJob)
	text, err := os.ReadFile(filepath.Join(w.dir, "fleetlake.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	w.write("fleetlake.yaml", strings.Replace(string(text), "per_run: 0", "per_run: 60", 1))
	yesterday := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	w.must(exitDone, "run", "nightly", "--date", yesterday, "--force-date", "--budget", "50") // which is left after a rollback
	before := w.sim.Bill().Spent
	agree := func(after string, want int) {
		t.Helper()
		var s struct{ Caps []pipeline.CapUse }
		var p struct{ Credits struct{ Most int } }
		for into, verb := range map[any][]string{&s: {"status", "--json"}, &p: {"plan", "nightly", "--json"}} {
			if err := json.Unmarshal([]byte(w.must(exitDone, verb...).stdout), into); err != nil {
				t.Fatal(err)
			}
		}
		if len(s.Caps) != 1 || s.Caps[0].Left != want || p.Credits.Most != want {
			t.Errorf("%s: the meters say %+v, and the plan may spend %d, want %d", after, s.Caps, p.Credits.Most, want)
		}
	}
	agree("before the night", 60)
	w.must(exitCredits, "run", "nightly", "--budget", "15")
	left := 60 - (w.sim.Bill().Spent - before)
	agree("after a part of it", left)
	w.must(exitDone, "rollback")
	agree("after a rollback", left)
	w.must(exitDone, "rebuild")
	agree("after a rebuild", left)
	w.fleetlake("run", "nightly")
	if billed := w.sim.Bill().Spent - before; billed > 60 || billed < 50 {
		t.Errorf("%d credits were billed of a cap of 60", billed)
	}
}
