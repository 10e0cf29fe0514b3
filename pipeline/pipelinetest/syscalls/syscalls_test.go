package syscalls

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

func TestMain(m *testing.M) {
	Obey()
	if dir := os.Getenv("WRITE_INTO"); dir != "" {
		if err := write(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// write is the program under test.
func write(dir string) error {
	deep := filepath.Join(dir, "a", "b")
	if err := durable.MkdirAll(deep, 0o750); err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(deep, "file"), []byte("0123456789"), 0o640); err != nil {
		return err
	}
	if err := os.Link(filepath.Join(deep, "file"), filepath.Join(dir, "link")); err != nil {
		return err
	}
	if err := os.Chdir(dir); err != nil { // names that are not absolute
		return err
	}
	f, err := os.OpenFile("link", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, wrote := f.WriteAt([]byte("more"), 10)
	return errors.Join(wrote, f.Truncate(12), f.Close(), os.Remove("a/b/file"))
}

// watched runs the program and returns its calls below a directory, how it ended, and what it left.
func watched(t *testing.T, decide func(n int, c Call) Action) (calls []string, code int, files map[string]string, stderr string) {
	t.Helper()
	dir := t.TempDir()
	var words strings.Builder
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), "WRITE_INTO="+dir), &words
	w, err := Start(cmd, []string{dir}, func(c Call) Action {
		calls = append(calls, strings.ReplaceAll(c.String(), dir, "."))
		return decide(len(calls), c)
	})
	if errors.Is(err, errors.ErrUnsupported) { // another system, or a kernel that refuses it: the error says which
		t.Skip(err)
	}
	if err == nil {
		err = w.Wait()
	}
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			b, _ := os.ReadFile(path)
			files[strings.TrimPrefix(path, dir+"/")] = string(b)
		}
		return err
	})
	return calls, cmd.ProcessState.ExitCode(), files, words.String()
}

// want are the calls of the program.
var want = []string{
	"mkdir ./a", "fsync .", "mkdir ./a/b", "fsync ./a",
	"create ./a/b/file.part", "write ./a/b/file.part", "fsync ./a/b/file.part", "rename ./a/b/file.part to ./a/b/file", "fsync ./a/b",
	"link ./a/b/file to ./link", "pwrite ./link", "truncate ./link", "unlink ./a/b/file",
}

func TestEveryCallIsSeenInOrder(t *testing.T) {
	calls, code, files, stderr := watched(t, func(int, Call) Action { return Action{} })
	if code != 0 || files["link"] != "0123456789mo" {
		t.Errorf("exit code %d, %q, %s", code, files, stderr)
	}
	if !slices.Equal(calls, want) {
		t.Errorf("got  %q\nwant %q", calls, want)
	}
}

// TestAKillIsAtItsPlace kills the program before, in and after each of its calls. What the test makes in
// its place is what the program would have made.
func TestAKillIsAtItsPlace(t *testing.T) {
	for at, call := range want {
		left := map[Part]string{}
		for _, part := range []Part{None, Half, All} {
			calls, code, files, _ := watched(t, func(n int, _ Call) Action {
				if n == at+1 {
					return Action{Make: part, Kill: true}
				}
				return Action{}
			})
			if code != -1 || len(calls) != at+1 {
				t.Errorf("%v %s: exit code %d after %d calls, want %d", part, call, code, len(calls), at+1)
			}
			left[part] = fmt.Sprint(files)
		}
		name, _, _ := strings.Cut(call, " ")
		if same := left[All] == left[None]; same != (name == "mkdir" || name == "fsync") {
			t.Errorf("after %s: %s, before: %s", call, left[All], left[None])
		}
		if middle := left[Half] != left[All] && left[Half] != left[None]; middle != strings.Contains(name, "write") {
			t.Errorf("in the middle of %s: %s; after: %s, before: %s", call, left[Half], left[All], left[None])
		}
	}
}

func TestACallFails(t *testing.T) {
	_, code, files, stderr := watched(t, func(n int, c Call) Action {
		if c.Syncs() && strings.HasSuffix(c.Path, ".part") {
			return Action{Make: None, Errno: syscall.ENOSPC}
		}
		return Action{}
	})
	if code != 3 || !strings.Contains(stderr, "no space left") || len(files) != 0 {
		t.Errorf("exit code %d, %s, %q", code, stderr, files)
	}
	_, code, files, _ = watched(t, func(n int, c Call) Action {
		if c.Name == "write" && c.Bytes == 10 {
			return Action{Make: Half}
		}
		return Action{}
	})
	if code != 0 || files["link"] != "0123456789mo" {
		t.Errorf("after a short write: exit code %d, %q", code, files)
	}
}
