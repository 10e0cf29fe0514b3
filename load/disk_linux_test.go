package load

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFullDisk fills a small file system that the test mounts for itself.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=24m"); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	publish(t, dir, night("20", listings(ever)))
	m := write(t, dir, night("21", listings(nameless)))

	fill := filepath.Join(dir, "ballast")
	f, err := os.Create(fill)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	f.Close()
	if err := Publish(t.Context(), dir, Options{}, m); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("publish: got %v, want %v", err, syscall.ENOSPC)
	}
	r := night("22", listings(nameless))
	if _, err := Write(dir, r.row(), r); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("write: got %v, want %v", err, syscall.ENOSPC)
	}
	if got := query(t, dir, "SELECT count(*) FROM runs"); got != "1" {
		t.Errorf("%s runs are published, want 1", got)
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	if err := Publish(t.Context(), dir, Options{}, m); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if got := query(t, dir, "SELECT count(*) FROM runs"); got != "2" {
		t.Errorf("%s runs are published, want 2", got)
	}
}
