package config

import (
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestAReaderNeedsNoConfiguration: who may not read that of the installed program can read the data, and is told what a
// run lacks.
func TestAReaderNeedsNoConfiguration(t *testing.T) {
	dir, err := os.MkdirTemp("", "fleetlake-settings-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	p := Places{Settings: dir, Data: "/d"}
	if err := os.WriteFile(p.file(), []byte("budget: {per_run: 7}\n"), 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(os.TempDir())
	if os.Geteuid() == 0 { // root may read every file: this thread has the rights of somebody else until the test ends
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer syscall.Setfsuid(0)
		if err := syscall.Setfsuid(54321); err != nil {
			t.Fatal(err)
		}
	}
	c, err := p.load("", false, noEnvironment)
	if err != nil || c.DataDir != "/d" || !c.Installed || c.File != "" {
		t.Errorf("%+v, %v", c, err)
	}
	if err := c.RequireService(); err == nil || !strings.Contains(err.Error(), p.file()) {
		t.Errorf("a run is told %v", err)
	}
}
