package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
)

// tells fails the test unless check, doctor, status and /readyz say all of these words, and end
// as becomes them; without words, unless all is well. For check and doctor the run of just now
// decides nothing else.
func (w *world) tells(words ...string) {
	w.t.Helper()
	code := exitDone
	if len(words) > 0 {
		code = exitUnexpected
	}
	ready := w.server().isReady()
	if (ready == nil) != (code == exitDone) {
		w.t.Errorf("ready: %v", ready)
	}
	said := map[string]string{
		"check":  w.must(code, "check").stdout,
		"doctor": w.must(code, "doctor").stdout,
		"status": w.must(exitDone, "status").stdout,
	}
	for verb, text := range said {
		for _, want := range words {
			if !strings.Contains(text, want) {
				w.t.Errorf("%s says no %q:\n%s", verb, want, text)
			}
		}
		if code == exitDone && (strings.Contains(text, "held back\n") || strings.Contains(text, "gone") || strings.Contains(text, "FAIL")) {
			w.t.Errorf("%s, and all is well:\n%s", verb, text)
		}
	}
}

// TestAMissingLakeIsTold removes files of what is published: everybody who is asked says so, until
// the next run has made them anew.
func TestAMissingLakeIsTold(t *testing.T) {
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
	w.tells()
	data := filepath.Join(w.dir, "fleetlake-data")
	if err := os.RemoveAll(filepath.Join(data, "lake", "sightings")); err != nil {
		t.Fatal(err)
	}
	w.tells("sightings/snapshot_date=2026-11-20/", "; the next run makes it anew from the journal before it asks anything, `fleetlake rebuild` at once")
	if err := errors.Join(os.RemoveAll(filepath.Join(data, "lake")), os.RemoveAll(filepath.Join(data, "warehouse"))); err != nil {
		t.Fatal(err)
	}
	if o := w.must(exitUnexpected, "doctor"); !strings.Contains(o.stdout, "FAIL  lake") || !strings.Contains(o.stdout, "fleet.duckdb is missing, and 1 runs") {
		t.Errorf("without lake and warehouse:\n%s", o.stdout)
	}
	spent := w.sim.Bill().Spent
	w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
	w.tells()
	if now := w.sim.Bill().Spent; now != spent {
		t.Errorf("%d credits were spent", now-spent)
	}
}

// TestTheFirstRunIsHeldBack: nothing was ever published, and check names the reason beside that.
func TestTheFirstRunIsHeldBack(t *testing.T) {
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	data := filepath.Join(w.dir, "fleetlake-data")
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	w.write("fleetlake-data/held_back.json", `[{"run": "20261120T020000.000Z-0000", "job": "nightly", "date": "2026-11-20", "state": "done", "reason": "bad values"}]`)
	w.tells("run 20261120T020000.000Z-0000 of nightly for 2026-11-20 is paid for and held back: bad values; `fleetlake run nightly --accept-issues --date 2026-11-20` publishes it as it is")
	if o := w.must(exitUnexpected, "check", "--job", "weekly"); strings.Contains(o.stdout, "held back") {
		t.Errorf("another job: %s", o.stdout)
	}
}

// TestTheButtonPricesANightThatHasEnded: before the night there is nothing to confirm; after it the
// price is the one that `run --again` then spends.
func TestTheButtonPricesANightThatHasEnded(t *testing.T) {
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	anew := func() *pipeline.Preview {
		t.Helper()
		preview, err := w.server().priceAgain(t.Context(), "nightly")
		if err != nil {
			t.Fatal(err)
		}
		return preview
	}
	if preview := anew(); preview != nil {
		t.Errorf("before the night: %+v", preview)
	}
	today := time.Now().UTC().Format(time.DateOnly)
	w.must(exitDone, "run", "nightly", "--date", today)
	preview, before := anew(), w.sim.Bill().Spent
	if preview == nil {
		t.Fatal("a night that is done would be bought anew without a word")
	}
	w.must(exitDone, "run", "nightly", "--date", today, "--again")
	if spent := w.sim.Bill().Spent - before; spent != preview.Credits.Expected || spent == 0 {
		t.Errorf("spent %d credits, priced %+v", spent, preview.Credits)
	}
}
