package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
)

// TestAMistypedDataDirectory lets every verb that reads be pointed at a place without data.
func TestAMistypedDataDirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 10})
	wrong := filepath.Join(w.dir, "fleetlake-date")
	for _, args := range [][]string{
		{"export", filepath.Join(w.dir, "out")}, {"verify"}, {"query", "SELECT 1"}, {"schema"}, {"explain", "9218301"}, {"runs"}, {"credits"}, {"rebuild"}, {"rollback"},
	} {
		o := w.must(exitUsage, append(args, "--data", wrong)...)
		if !strings.Contains(o.stderr, "no data in "+wrong) || !strings.Contains(o.stderr, "--data") {
			t.Errorf("%v: %s", args, o.stderr)
		}
	}
	for _, path := range []string{wrong, filepath.Join(w.dir, "out")} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s was made (%v)", path, err)
		}
	}
}
