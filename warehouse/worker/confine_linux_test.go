package worker

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestAConfinedThread: a process that is started from it writes into the directories that it may, and into no other;
// what this process does on its other threads is as before.
func TestAConfinedThread(t *testing.T) {
	may, mayNot := t.TempDir(), t.TempDir()
	old := filepath.Join(mayNot, "old")
	if err := os.WriteFile(old, []byte("as before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	confined, said := make(chan error), make(chan string)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if err := Confine(may, ProcessFiles); err != nil {
			confined <- err
			return
		}
		confined <- nil
		script := "echo x > " + may + "/new; echo x > " + mayNot + "/new; echo x >> " + mayNot + "/old; rm " + mayNot + "/old; " +
			"mkdir " + mayNot + "/dir; cat " + mayNot + "/old; echo 1000 > /proc/self/oom_score_adj && echo first; : > /dev/null && echo nothing"
		out, _ := exec.Command("/bin/sh", "-c", script).CombinedOutput() // some of it fails
		said <- string(out)
	}()
	if err := <-confined; err != nil {
		t.Skip("this kernel has no Landlock: ", err)
	}
	words := <-said
	for _, want := range []string{"as before", "first", "nothing"} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in %s", want, words)
		}
	}
	if text, err := os.ReadFile(filepath.Join(may, "new")); err != nil || string(text) != "x\n" {
		t.Errorf("what it may write: %q, %v", text, err)
	}
	left, err := os.ReadDir(mayNot)
	if text, readErr := os.ReadFile(old); err != nil || readErr != nil || len(left) != 1 || string(text) != "as before\n" {
		t.Errorf("what it may not write: %v %q, %v, %v", left, text, err, readErr)
	}
	if err := os.WriteFile(filepath.Join(mayNot, "other"), nil, 0o600); err != nil {
		t.Errorf("this process: %v", err)
	}
}
