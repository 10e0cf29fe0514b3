package pipelinetest

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

// made are the directories that the tests of a package share.
var made struct {
	sync.Mutex
	dirs []string
}

// directory makes a directory that Run removes.
func directory(pattern string) (string, error) {
	made.Lock()
	defer made.Unlock()
	dir, err := os.MkdirTemp("", pattern)
	if err == nil {
		made.dirs = append(made.dirs, dir)
	}
	return dir, err
}

// Run runs the tests of a package, for its TestMain, removes the directories that they shared, and
// returns the exit code. Tests that leave goroutines or open files behind fail together: some of them run
// at the same time, so that none can be blamed before all have ended. The stack says which it was.
func Run(m *testing.M) (code int) {
	before := Holds()
	code = m.Run()
	for _, dir := range made.dirs {
		os.RemoveAll(dir) // of a temporary directory at most
	}
	if code != 0 {
		return code
	}
	leaked := before.Leaked(10 * time.Second)
	for _, what := range leaked {
		fmt.Fprintf(os.Stderr, "the tests have ended, and left behind:\n%s\n\n", what)
	}
	return min(1, len(leaked))
}
