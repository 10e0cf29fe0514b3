package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// inDirectory opens a directory of the test.
func inDirectory(t *testing.T) (*directory, string) {
	t.Helper()
	target := t.TempDir()
	s, err := Open(t.Context(), target, Options{})
	must(t, err)
	return s.(*directory), target
}

// files lists every file below a directory, the store's own as well.
func files(t *testing.T, dir string) (all []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && path != dir {
			name, _ := filepath.Rel(dir, path)
			all = append(all, name)
		}
		return err
	}))
	return all
}

func TestADirectoryIsOnlyMadeByAWrite(t *testing.T) {
	target := filepath.Join(t.TempDir(), "a", "b")
	s, err := Open(t.Context(), target, Options{})
	must(t, err)
	_ = keys(t, s, "")
	must(t, s.Delete(t.Context(), "x"))
	if _, err := os.Stat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading made it: %v", err)
	}
	must(t, s.Put(t.Context(), "x", text("x")))
	if content, _ := read(t, s, "x"); content != "x" {
		t.Errorf("read %q", content)
	}
}

// TestWhatADirectoryCannotDo wants errors that name the path and say what to do.
func TestWhatADirectoryCannotDo(t *testing.T) {
	open := func(target string) error {
		s, err := Open(t.Context(), target, Options{})
		if err == nil {
			err = s.Put(t.Context(), "a/b", text("b"))
		}
		return err
	}
	for name, c := range map[string]struct {
		prepare func(target string) error
		below   string
		want    string
	}{
		"the target is a file":               {func(p string) error { return os.WriteFile(p, nil, 0o600) }, "", "move it, or choose another target"},
		"the target is below a file":         {func(p string) error { return os.WriteFile(p, nil, 0o600) }, "below", "move it, or choose another target"},
		"a file has the name of a directory": {func(p string) error { return errors.Join(os.Mkdir(p, 0o700), os.WriteFile(p+"/a", nil, 0o600)) }, "", "move it, or choose another target"},
	} {
		t.Run(name, func(t *testing.T) {
			target := filepath.Join(t.TempDir(), "target")
			must(t, c.prepare(target))
			err := open(filepath.Join(target, c.below))
			if err == nil || strings.Count(err.Error(), c.want) != 1 || !strings.Contains(err.Error(), string(filepath.Separator)) {
				t.Errorf("got %v", err)
			}
		})
	}
	for cause, want := range map[error]string{
		syscall.ENOSPC: "free space", syscall.EDQUOT: "the quota is used up", syscall.EROFS: "mount it for writing", syscall.EACCES: "give this user the right", syscall.ENOLCK: "cannot lock",
	} {
		if err := mendFile(mendFile(fmt.Errorf("write x: %w", cause))); !errors.Is(err, cause) || strings.Count(err.Error(), want) != 1 {
			t.Errorf("got %v", err)
		}
	}
}

func TestDeleteLeavesWhatOthersKeep(t *testing.T) {
	s, target := inDirectory(t)
	must(t, s.Put(t.Context(), "a/b/c/1", text("1")))
	must(t, os.WriteFile(filepath.Join(target, "a", "mine"), nil, 0o600))
	must(t, s.Delete(t.Context(), "a/b/c/1"))
	if _, err := os.Stat(filepath.Join(target, "a", "b")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty directory stays: %v", err)
	}
	if got := keys(t, s, ""); !slices.Equal(got, []string{"a/mine"}) {
		t.Errorf("left %v", got)
	}
	must(t, os.Remove(filepath.Join(target, "a", "mine")))
	must(t, s.Put(t.Context(), "z", text("z")))
	must(t, s.Delete(t.Context(), "z"))
	if _, err := os.Stat(target); err != nil {
		t.Errorf("the root is gone: %v", err)
	}
}

// TestLinksDoNotLeaveTheRoot has links to another directory where objects would be.
func TestLinksDoNotLeaveTheRoot(t *testing.T) {
	s, target := inDirectory(t)
	outside := t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600))
	must(t, os.Symlink(outside, filepath.Join(target, "out")))
	must(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(target, "file")))
	_, _, get := s.Get(t.Context(), "out/secret")
	_, _, file := s.Get(t.Context(), "file")
	for op, err := range map[string]error{
		"get": get, "get a link": file, "put": s.Put(t.Context(), "out/new", text("new")),
		"replace": s.Replace(t.Context(), "out/secret", nil, ""), "delete": s.Delete(t.Context(), "out/secret"),
	} {
		if err == nil {
			t.Errorf("%s left the root", op)
		}
	}
	if got := files(t, outside); !slices.Equal(got, []string{"secret"}) {
		t.Errorf("outside are %v", got)
	}
	if got := keys(t, s, ""); len(got) != 0 {
		t.Errorf("listed %v", got)
	}
}

// TestWithoutLinksARenameNeverReplaces takes the way of file systems that have no links.
func TestWithoutLinksARenameNeverReplaces(t *testing.T) {
	s, target := inDirectory(t)
	must(t, s.Put(t.Context(), "there", text("there")))
	for key, want := range map[string]error{"there": ErrExists, "new": nil} {
		must(t, os.WriteFile(filepath.Join(target, "part"), []byte("new"), 0o600))
		root, err := s.open()
		must(t, err)
		if err := s.renameAbsent(t.Context(), root, "part", key); !errors.Is(err, want) {
			t.Errorf("%s: %v", key, err)
		}
	}
	old, _ := read(t, s, "there")
	now, _ := read(t, s, "new")
	if old != "there" || now != "new" {
		t.Errorf("read %q and %q", old, now)
	}
}

// TestFilesThatOnlyLookTemporaryStay has files of others whose names are nearly those of the store.
func TestFilesThatOnlyLookTemporaryStay(t *testing.T) {
	s, target := inDirectory(t)
	for _, name := range []string{".fleetlake-1234.part", ".fleetlake-0123456789abcdeg.part", "x.fleetlake-0123456789abcdef.part"} {
		must(t, os.WriteFile(filepath.Join(target, name), nil, 0o600))
	}
	must(t, os.WriteFile(filepath.Join(target, ".fleetlake-0123456789abcdef.part"), nil, 0o600))
	if got := keys(t, s, ""); !slices.Equal(got, []string{"x.fleetlake-0123456789abcdef.part"}) {
		t.Errorf("listed %v", got)
	}
	want := []string{".fleetlake-0123456789abcdeg.part", ".fleetlake-1234.part", "x.fleetlake-0123456789abcdef.part", writeLock}
	got := files(t, target)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("there are %v, want %v", got, want)
	}
}

// TestALargeFileHasNoVersion watches the bound of what Get hashes.
func TestALargeFileHasNoVersion(t *testing.T) {
	s, target := inDirectory(t)
	for bytes, versioned := range map[int64]bool{mostVersioned: true, mostVersioned + 1: false} {
		f, err := os.Create(filepath.Join(target, "large"))
		must(t, errors.Join(err, f.Truncate(bytes), f.Close()))
		body, version, err := s.Get(t.Context(), "large")
		must(t, errors.Join(err, body.Close()))
		if (version != "") != versioned {
			t.Errorf("%d bytes have version %q", bytes, version)
		}
	}
	if err := s.Replace(t.Context(), "large", nil, ""); !errors.Is(err, ErrChanged) {
		t.Errorf("it was replaced: %v", err)
	}
}
