package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestAFullDirectory fills a small file system.
func TestAFullDirectory(t *testing.T) {
	target := small(t, "5m")
	s, err := Open(t.Context(), target, Options{})
	must(t, err)
	must(t, s.Put(t.Context(), "fits", noise(1, 1<<20)))
	before := files(t, target)
	for op, err := range map[string]error{
		"put": s.Put(t.Context(), "a/large", noise(2, 8<<20)), "replace": s.Replace(t.Context(), "current", make([]byte, 8<<20), ""),
	} {
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "free space") || !strings.Contains(err.Error(), target) {
			t.Errorf("%s: %v", op, err)
		}
	}
	if _, err := s.(*directory).root.Lstat("a"); err == nil {
		before = append(before, "a") // an empty directory does no harm
	}
	slices.Sort(before)
	after := files(t, target)
	slices.Sort(after)
	if want := append(before, replaceLock); len(after) > len(want) {
		t.Errorf("left %v, before it were %v", after, before)
	}
	must(t, s.Put(t.Context(), "also fits", noise(3, 1<<20)))
	must(t, syscall.Mount("", target, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	if err := s.Put(t.Context(), "b", text("b")); !errors.Is(err, syscall.EROFS) || !strings.Contains(err.Error(), "mount it for writing") {
		t.Errorf("read-only: %v", err)
	}
	if got := keys(t, s, ""); len(got) != 2 {
		t.Errorf("read-only: listed %v", got)
	}
}

// small mounts a file system of a size, as 5m, or skips the test.
func small(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("SKIPPED: a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestAFullStore fills the file system of the real server, and makes room.
func TestAFullStore(t *testing.T) {
	dir := small(t, "24m")
	g := startGatewayIn(t, dir)
	s := g.open(t, g.endpoint, Options{})
	filler := filepath.Join(dir, "filler")
	must(t, os.WriteFile(filler, make([]byte, 14<<20), 0o600))
	src := noise(2, 2*part5+1)
	if err := s.Put(t.Context(), "large", src); err == nil || !strings.Contains(err.Error(), mendFull) {
		t.Errorf("got %v", err)
	}
	if got := keys(t, s, ""); len(got) != 0 {
		t.Errorf("visible are %v", got)
	}
	must(t, os.Remove(filler))
	must(t, s.Put(t.Context(), "large", src))
	if got := sumOf(t, s, "large"); got != src.SHA256 {
		t.Error("has other content")
	}
}
