package datadir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWhoMayNotWriteIsTold what to do: the owner of the directory another thing than somebody else.
func TestWhoMayNotWriteIsTold(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files to others")
	}
	dir, err := os.MkdirTemp("", "fleetlake-writable-")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o755))
	for _, name := range []string{"journal/2026-11-23", "journal/2026-11-24", "lake/vessels/snapshot_date=2026-11-24", "warehouse/versions"} {
		must(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
	}
	must(t, CheckWritable(dir))
	must(t, CheckWritable(filepath.Join(dir, "none")))
	got := written(dir)
	for _, name := range []string{"", "journal/2026-11-24", "lake/vessels/snapshot_date=2026-11-24", "warehouse/versions"} {
		if !strings.Contains(strings.Join(got, "\n")+"\n", filepath.Join(dir, name)+"\n") {
			t.Errorf("%q is not looked at: %q", name, got)
		}
	}
	if strings.Contains(strings.Join(got, "\n"), "2026-11-23") {
		t.Errorf("an earlier day of the journal is looked at: %q", got)
	}
	for name, c := range map[string]struct {
		owner int // of the directory; the lake belongs to root
		want  string
	}{
		"the owner":     {54321, "chown -R 54321:0 " + dir},
		"somebody else": {54322, "which belongs to user 54322: run this as that user, or as root"},
	} {
		must(t, os.Chown(dir, c.owner, c.owner))
		err := asUser(t, 54321, func() error { return CheckWritable(dir) })
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// asUser calls a function with the rights of another user, which only the thread of the test has.
func asUser(t *testing.T, uid int, do func() error) error {
	t.Helper()
	const same = ^uintptr(0)
	become := func(uid int) {
		if _, _, err := unix.RawSyscall(unix.SYS_SETRESUID, same, uintptr(uid), same); err != 0 {
			t.Fatal(err)
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	become(uid)
	defer become(0)
	return do()
}
