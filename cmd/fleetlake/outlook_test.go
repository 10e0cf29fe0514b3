package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
)

// TestTheFirstCapIsChosenKnowingly expects init, without a service, and the first plan to say what their cap
// brings, and a later plan, which knows the fleet, not to. The file of init is its owner's alone: addresses are secrets.
func TestTheFirstCapIsChosenKnowingly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Seed: 5, Vessels: 20, Credits: 90_000})
	service := w.env
	w.env = append(w.env, "FLEETLAKE_BASE_URL=http://127.0.0.1:1", "FLEETLAKE_API_KEY=", "FLEETLAKE_BUDGET=77")
	lines := strings.Split(w.must(exitDone, "init", "first.yaml").stdout, "\n")
	w.env = service
	if len(lines) != 3 || !strings.HasPrefix(lines[1], "cap       at 5,000 credits a night: ") || !strings.Contains(lines[1], " of particulars known after 90 nights; a complete first night costs about ") {
		t.Errorf("init says %q", lines)
	}
	if info, err := os.Stat(filepath.Join(w.dir, "first.yaml")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of init has mode %v, %v", info.Mode(), err)
	}
	args := []string{"plan", "nightly", "--config", "first.yaml"}
	if said := w.must(exitDone, append(args, "--budget", "700")...).stdout; !strings.Contains(said, "\ncap       at 700 credits a night: ") {
		t.Errorf("the first plan says nothing of the cap of its flag:\n%s", said)
	}
	w.configure(1_000_000, "    list: {types: [Tug]}\n    sweep: {statuses: []}\n    lookup: {want: []}\n")
	if said := w.must(exitDone, "plan", "nightly", "--json").stdout; strings.Contains(said, `"outlook"`) {
		t.Errorf("nothing is assumed of the tugs in the world, and the plan has an outlook:\n%s", said)
	}
	w.must(exitDone, "run", "nightly")
	var later struct{ Outlook any }
	if err := json.Unmarshal([]byte(w.must(exitDone, append(args, "--json", "--again")...).stdout), &later); err != nil || later.Outlook != nil {
		t.Errorf("a plan that knows vessels has the outlook %v, %v", later.Outlook, err)
	}
}
