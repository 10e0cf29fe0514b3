package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestANightIn256MiB lists a fleet with the least memory, publishes it, and does it again with a later night.
// Beside the memory of the configuration a process has the program itself, which is mapped from its file.
func TestANightIn256MiB(t *testing.T) {
	notShort(t)
	if runtime.GOOS != "linux" {
		t.Skip("only Linux reports the memory of a process")
	}
	vessels := 200_000
	if os.Getenv("FLEETLAKE_LONG") != "" {
		vessels = 1_000_000
	}
	w := &world{t: t, dir: t.TempDir()}
	w.write("fleetlake.yaml", "memory: 256MiB\n"+benchConfig)
	peak := filepath.Join(w.dir, "peak")
	for night, date := range []string{"2026-11-20", "2026-11-21"} {
		base, stop := startCanned(t, vessels, night+1)
		w.env = append(os.Environ(), beFleetlake+"=1", peakFile+"="+peak, "FLEETLAKE_BASE_URL="+base, "FLEETLAKE_API_KEY=key")
		o := w.must(exitDone, "run", "nightly", "--date", date)
		stop()
		if !strings.Contains(o.stderr, `"memory_mib":256`) || strings.Contains(o.stderr, "starts again") {
			t.Errorf("the log of night %d: %s", night+1, o.stderr)
		}
		if got := peakMiB(peak); got == 0 || got > 350 {
			t.Errorf("night %d took %d MiB, want 1 to 350", night+1, got)
		}
	}
}
