package pipelinetest

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"
)

// made are the directories that the tests of a package share.
var made struct {
	sync.Mutex
	dirs []string
}

// Directory makes a directory for all tests of a package, which Run removes.
func Directory(pattern string) (string, error) {
	made.Lock()
	defer made.Unlock()
	dir, err := os.MkdirTemp("", pattern)
	if err == nil {
		made.dirs = append(made.dirs, dir)
	}
	return dir, err
}

// testsAtOnce is how many parallel tests run at a time, unless -parallel says otherwise. Most of them wait: for the
// disk, which syncs each entry of a journal, for a process, or for a service that is slow on purpose. Go's default, a
// test per CPU, would leave the CPUs idle.
const testsAtOnce = 6

// ManyAtOnce lets parallel tests wait at the same time. A TestMain calls it before it runs the tests; Run does so.
func ManyAtOnce() {
	flag.Parse()
	if p := flag.Lookup("test.parallel"); p.Value.String() == p.DefValue {
		p.Value.Set(strconv.Itoa(max(testsAtOnce, runtime.GOMAXPROCS(0))))
	}
}

// Short reports whether the tests of a package are left out, because they publish nights and -short is given, and says
// so. A TestMain calls it before it runs the tests; Run does so.
func Short() bool {
	flag.Parse()
	if testing.Short() {
		fmt.Println("left out: the tests of this package publish nights, which takes longer than -short allows")
	}
	return testing.Short()
}

// Run runs the tests of a package, for its TestMain, removes the directories that they shared, and
// returns the exit code. Tests that leave goroutines or open files behind fail together: some of them run
// at the same time, so that none can be blamed before all have ended. The stack says which it was.
func Run(m *testing.M) (code int) {
	if Short() {
		return 0
	}
	ManyAtOnce()
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
