package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/warehouse"
)

// TestDemo runs a short demo, twice: the second one replaces the first.
func TestDemo(t *testing.T) {
	notShort(t)
	dir := filepath.Join(t.TempDir(), "lake")
	for _, nights := range []int{1, 2} {
		var out strings.Builder
		a := &app{stdout: &out, stderr: os.Stderr, getenv: func(string) string { return "" }}
		if err := a.demo(t.Context(), dir, 100, nights); err != nil {
			t.Fatal(err)
		}
		for _, q := range warehouse.Queries() {
			asked := false
			for _, d := range demoQuestions {
				asked = asked || d.query == q.Name
			}
			if got := strings.Contains(out.String(), "\n"+q.Title+"   (fleetlake query "+q.Name+")\n"); got != asked {
				t.Errorf("%s: asked %v, want %v", q.Name, got, asked)
			}
		}
		if n := strings.Count(out.String(), "\nnight ") + 1; n != nights || !strings.Contains(out.String(), "fleetlake query vessel_life --data "+dir+"\n") ||
			!strings.Contains(out.String(), "fleetlake serve --no-jobs --data "+dir+" ") {
			t.Errorf("%d nights, want %d and commands:\n%s", n, nights, out.String())
		}
	}
}

// TestDemoKeepsOtherDirectories: a directory that no demo made is not replaced.
func TestDemoKeepsOtherDirectories(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := (&app{}).demo(t.Context(), dir, 10, 1); !errors.Is(err, errUsage) {
		t.Errorf("got %v, want errUsage", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "mine")); err != nil {
		t.Error(err)
	}
}
