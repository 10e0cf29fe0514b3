package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
)

// TestAnExportOfAnotherDirectoryIsRefused exports two data directories to one target: by the verb, after a run, and
// as the doctor looks at it.
func TestAnExportOfAnotherDirectoryIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.has(smallJob, "2026-11-20")
	own, other := filepath.Join(w.dir, "fleetlake-data"), filepath.Join(w.dir, "other-data")
	if err := pipelinetest.CopyTree(other, own); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "fleetlake.id"), []byte(`{"id":"planted-other"}`), 0o640); err != nil {
		t.Fatal(err)
	}
	w.must(exitDone, "export", "out", "--tables", "history")
	o := w.must(exitUsage, "export", "out", "--data", other)
	for _, want := range []string{"planted-other (" + other, own + " on ", "--replace"} {
		if !strings.Contains(o.stderr, want) {
			t.Errorf("it does not say %q: %s", want, o.stderr)
		}
	}
	w.must(exitUsage, "export", "compact", "out", "--data", other)
	w.configure(1_000_000, smallJob+"\nexport: {target: out}\n")
	w.must(exitExport, "run", "nightly", "--data", other)
	if o := w.must(exitExport, "doctor", "--data", other); !strings.Contains(o.stdout, "planted-other") {
		t.Errorf("doctor: %s", o.stdout)
	}
	w.must(exitDone, "export", "--replace", "--data", other)
	w.must(exitDone, "export", "--data", other)
	w.must(exitUsage, "export", "out")
}
