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

// reports fails the test unless check, doctor, status and /readyz print all of these words, and end
// with the exit codes for a trouble; without words, unless they report success.
func (w *world) reports(words ...string) {
	w.t.Helper()
	code := exitDone
	if len(words) > 0 {
		code = exitUnexpected
	}
	ready := w.server().Ready()
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
		if code == exitDone && (strings.Contains(text, "runs held back\n") || strings.Contains(text, "missing files") || strings.Contains(text, "FAIL")) {
			w.t.Errorf("%s, and all is well:\n%s", verb, text)
		}
	}
}

// TestAMissingLakeIsReported removes published files: check, doctor, status and /readyz report it, until
// the next run has restored them.
func TestAMissingLakeIsReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	w.has(smallJob, "2026-11-20")
	w.reports()
	data := filepath.Join(w.dir, "fleetlake-data")
	if err := os.RemoveAll(filepath.Join(data, "lake", "sightings")); err != nil {
		t.Fatal(err)
	}
	w.reports("sightings/snapshot_date=2026-11-20/", "; the next run restores it from the journal before its first request, or `fleetlake rebuild` does at once")
	if err := errors.Join(os.RemoveAll(filepath.Join(data, "lake")), os.RemoveAll(filepath.Join(data, "warehouse"))); err != nil {
		t.Fatal(err)
	}
	if o := w.must(exitUnexpected, "doctor"); !strings.Contains(o.stdout, "FAIL  lake") || !strings.Contains(o.stdout, "fleet.duckdb is missing, and 1 runs") {
		t.Errorf("without lake and warehouse:\n%s", o.stdout)
	}
	spent := w.sim.Bill().Spent
	w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
	w.reports()
	if now := w.sim.Bill().Spent; now != spent {
		t.Errorf("%d credits were spent", now-spent)
	}
}

// TestTheFirstRunIsHeldBack: nothing is published, and check names the run that is held back as a cause.
func TestTheFirstRunIsHeldBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	data := filepath.Join(w.dir, "fleetlake-data")
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	w.write("fleetlake-data/held_back.json", `[{"run": "20261120T020000.000Z-0000", "job": "nightly", "date": "2026-11-20", "state": "done", "reason": "bad values"}]`)
	w.reports("run 20261120T020000.000Z-0000 of nightly for 2026-11-20 is paid for and held back: bad values; `fleetlake run nightly --accept-issues --date 2026-11-20` publishes it as it is")
	if o := w.must(exitUnexpected, "check", "--job", "weekly"); strings.Contains(o.stdout, "held back") {
		t.Errorf("another job: %s", o.stdout)
	}
}

// TestTheButtonPricesANightThatHasEnded checks the button of the page: before the night there is nothing
// to confirm; after it, the price is what `run --again` then spends.
func TestTheButtonPricesANightThatHasEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	preview := func() *pipeline.Preview {
		t.Helper()
		preview, err := w.server().PriceAgain(t.Context(), "nightly")
		if err != nil {
			t.Fatal(err)
		}
		return preview
	}
	if p := preview(); p != nil {
		t.Errorf("before the night: %+v", p)
	}
	today := time.Now().UTC().Format(time.DateOnly)
	w.has(smallJob, today)
	again, before := preview(), w.sim.Bill().Spent
	if again == nil {
		t.Fatal("a night that is done would be paid for again without a confirmation")
	}
	w.must(exitDone, "run", "nightly", "--date", today, "--again")
	if spent := w.sim.Bill().Spent - before; spent != again.Credits.Expected || spent == 0 {
		t.Errorf("spent %d credits, priced %+v", spent, again.Credits)
	}
}
