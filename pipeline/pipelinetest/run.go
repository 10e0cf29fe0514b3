package pipelinetest

import (
	"os"
	"sync"
	"testing"
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
// returns the exit code.
func Run(m *testing.M) (code int) {
	code = m.Run()
	for _, dir := range made.dirs {
		os.RemoveAll(dir) // of a temporary directory at most
	}
	return code
}
