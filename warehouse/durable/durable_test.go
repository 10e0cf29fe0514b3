package durable

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// names lists a directory.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestWriteFileReplacesWhatWasThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	must(t, os.WriteFile(path+Part, []byte("a long text that a crash left"), 0o600))
	for _, text := range []string{"first", "", "3rd"} {
		must(t, WriteFile(path, []byte(text), 0o600))
		got, err := os.ReadFile(path)
		if err != nil || string(got) != text {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("left %v", got)
	}
}

// TestAFailureChangesNothing lets each way to write a file fail, and compares the directory with
// the one before.
func TestAFailureChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		prepare, write func(path string) error
		want           error
	}{
		"the disk is full": {
			func(path string) error { return os.Symlink("/dev/full", path+Part) },
			func(path string) error { return WriteFile(path, []byte("new"), 0o600) }, syscall.ENOSPC,
		},
		"the directory is missing": {
			func(string) error { return nil },
			func(path string) error { return WriteFile(filepath.Join(path+"-none", "a"), nil, 0o600) }, fs.ErrNotExist,
		},
		"a directory has the name": {
			func(path string) error { return os.MkdirAll(filepath.Join(path+"-dir", "x"), 0o700) },
			func(path string) error { return WriteFile(path+"-dir", nil, 0o600) }, fs.ErrExist,
		},
		"the finished file is missing": {
			func(string) error { return nil },
			func(path string) error { return Replace(path+"-none", path) }, fs.ErrNotExist,
		},
		"the write is abandoned": {
			func(string) error { return nil },
			func(path string) error {
				f, err := Create(path, 0o600)
				if err != nil {
					return err
				}
				_, err = f.Write([]byte("half"))
				f.Abandon()
				return err
			}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a")
			must(t, os.WriteFile(path, []byte("old"), 0o600))
			must(t, c.prepare(path))
			if err := c.write(path); !errors.Is(err, c.want) || c.want != nil && !strings.Contains(err.Error(), path) {
				t.Errorf("got %v, want %v with the path", err, c.want)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
				t.Errorf("the file has %q, %v", got, err)
			}
			for _, name := range names(t, filepath.Dir(path)) {
				if strings.HasSuffix(name, Part) {
					t.Errorf("left %s", name)
				}
			}
		})
	}
}

func TestReplaceKeepsTheModeOfTheFile(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	must(t, errors.Join(os.WriteFile(from, []byte("new"), 0o400), os.WriteFile(to, []byte("old"), 0o600)))
	must(t, Replace(from, to))
	got, err := os.ReadFile(to)
	info, statErr := os.Stat(to)
	if err != nil || statErr != nil || string(got) != "new" || info.Mode().Perm() != 0o400 {
		t.Errorf("got %q with mode %v, %v", got, info.Mode(), err)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("left %v", got)
	}
}

func TestMkdirAll(t *testing.T) {
	dir := t.TempDir()
	for range 2 { // the second finds them all
		must(t, MkdirAll(filepath.Join(dir, "a", "b", "c"), 0o700))
	}
	info, err := os.Stat(filepath.Join(dir, "a", "b", "c"))
	if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		t.Errorf("made %v, %v", info, err)
	}
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	for _, path := range []string{"file", "file/below"} {
		if err := MkdirAll(filepath.Join(dir, path), 0o700); err == nil || !strings.Contains(err.Error(), "file") {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

func TestNewDirectoriesSurviveACrash(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "data", "journal", "2026-11-20")
	want := []string{filepath.Dir(root), root, filepath.Join(root, "data"), filepath.Join(root, "data", "journal")}
	for _, want := range [][]string{want, want[3:]} { // the second finds them all
		var synced []string
		must(t, mkdirAll(path, 0o700, func(dir string) error { synced = append(synced, dir); return nil }))
		if !slices.Equal(synced, want) {
			t.Errorf("synced %v, want %v", synced, want)
		}
	}
}

// TestADirectoryOfSomebodyElseIsUsed although this process cannot sync the directory above it; the name of a new
// directory must be synced.
func TestADirectoryOfSomebodyElseIsUsed(t *testing.T) {
	for _, c := range []struct {
		err  error
		used bool
	}{
		{syscall.EACCES, true}, {syscall.EINVAL, true}, {errors.ErrUnsupported, true},
		{syscall.EIO, false}, {syscall.ENOSPC, false},
	} {
		dir := t.TempDir()
		fails := func(string) error { return c.err }
		if err := mkdirAll(dir, 0o700, fails); (err == nil) != c.used {
			t.Errorf("%v: a directory that is there: got %v", c.err, err)
		}
		fails = func(synced string) error {
			if synced == dir {
				return c.err
			}
			return nil
		}
		if err := mkdirAll(filepath.Join(dir, "new"), 0o700, fails); !errors.Is(err, c.err) {
			t.Errorf("%v: a new directory: got %v", c.err, err)
		}
	}
}

func TestSyncNamesWhatIsMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none")
	for _, err := range []error{Sync(path), SyncDir(path)} {
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v", err)
		}
	}
}

// large is a content that no disk writes at once: the same letter many times.
func large(letter byte) []byte { return bytes.Repeat([]byte{letter}, 1<<20) }

// TestHelperWriter is another process that writes a file again and again until it is killed.
func TestHelperWriter(t *testing.T) {
	path := os.Getenv("DURABLE_WRITE")
	if path == "" {
		t.Skip("runs in another process")
	}
	for letter := byte('a'); ; letter = 'a' + (letter-'a'+1)%26 {
		must(t, WriteFile(path, large(letter), 0o600))
	}
}

// TestAKilledWriterLeavesAWholeFile reads the file while another process writes it and after that
// process is killed, and writes it again.
func TestAKilledWriterLeavesAWholeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	must(t, WriteFile(path, large('z'), 0o600))
	writer := exec.Command(os.Args[0], "-test.run", "^TestHelperWriter$")
	writer.Env = append(os.Environ(), "DURABLE_WRITE="+path)
	must(t, writer.Start())
	whole := func() byte {
		got, err := os.ReadFile(path)
		if err != nil || len(got) == 0 || !bytes.Equal(got, large(got[0])) {
			t.Fatalf("%d bytes that are not one write, %v", len(got), err)
		}
		return got[0]
	}
	seen := map[byte]bool{}
	for len(seen) < 5 && t.Context().Err() == nil {
		seen[whole()] = true
	}
	must(t, writer.Process.Kill())
	_ = writer.Wait() // it was killed
	whole()
	must(t, WriteFile(path, large('Z'), 0o600))
	if whole() != 'Z' {
		t.Error("the file was not replaced")
	}
	if got := names(t, filepath.Dir(path)); len(got) != 1 {
		t.Errorf("left %v", got)
	}
}
