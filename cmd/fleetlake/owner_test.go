package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
)

// TestRootWritesAsTheOwner: what root runs beside the service belongs to the user of the service, with secrets that only
// root may read; and what root wrote there by other means is said, with its mend.
func TestRootWritesAsTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 60})
	w.dir = publicDir(t)
	w.configure(100_000, "    list: {by: country, countries: [Malta]}\n    sweep: {statuses: []}\n    lookup: {want: []}\n")
	w.write("api-key", "planted-key")
	settings, err := os.ReadFile(filepath.Join(w.dir, "fleetlake.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	w.write("fleetlake.yaml", strings.Replace(string(settings), "api: {", "api: {key_file: api-key, ", 1))
	w.env = slices.DeleteFunc(w.env, func(v string) bool { return strings.HasPrefix(v, "FLEETLAKE_API_KEY=") })
	data := filepath.Join(w.dir, "fleetlake-data")
	if o := w.must(exitDone, "run", "nightly", "--date", "2026-11-20"); strings.Contains(o.stderr, "to whom") {
		t.Errorf("of its own data: %s", o.stderr)
	}
	const service = 54321
	give := func(uid int, below string) {
		t.Helper()
		if err := filepath.WalkDir(filepath.Join(data, below), func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, uid, uid)
		}); err != nil {
			t.Fatal(err)
		}
	}
	give(service, "")
	for _, args := range [][]string{{"run", "nightly", "--date", "2026-11-21"}, {"rollback"}, {"rebuild"}, {"verify"}, {"status"}} {
		if o := w.must(exitDone, args...); !strings.Contains(o.stderr, "as user 54321, to whom the data in fleetlake-data belong") {
			t.Errorf("%v does not say so: %s", args, o.stderr)
		}
		if err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err == nil && info.Sys().(*syscall.Stat_t).Uid != service {
				t.Errorf("%v: %s belongs to root", args, path)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}

	give(0, "lake")
	for _, args := range [][]string{{"run", "nightly", "--date", "2026-11-22"}, {"rebuild"}, {"serve"}} {
		o := w.must(exitDisk, args...)
		if !strings.Contains(o.stderr, "user 54321 may not write lake in") || !strings.Contains(o.stderr, "chown -R 54321:54321 "+data) {
			t.Errorf("%v: %s", args, o.stderr)
		}
	}
	give(service, "lake")
	if err := os.Chmod(filepath.Join(data, "lock"), 0o600); err != nil { // as earlier versions made it
		t.Fatal(err)
	}
	w.must(exitDone, "run", "nightly", "--date", "2026-11-22")
	if info, err := os.Stat(filepath.Join(data, "lock")); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("who writes is for nobody else to see: %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(w.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if o := w.must(exitDisk, "status"); !strings.Contains(o.stderr, "who cannot read them by this path") {
		t.Errorf("data that the owner cannot reach: %s", o.stderr)
	}
}

// publicDir is a temporary directory that every user can reach.
func publicDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "fleetlake-public-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
