package crash

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest/syscalls"
)

// launch in the environment names the program that the test binary becomes, once its system calls are
// watched: the program itself knows nothing of that.
const launch = "FLEETLAKE_TEST_LAUNCH"

func TestMain(m *testing.M) {
	if program := os.Getenv(launch); program != "" {
		syscalls.Obey()
		fmt.Fprintln(os.Stderr, syscall.Exec(program, append([]string{"fleetlake"}, os.Args[1:]...), os.Environ()))
		os.Exit(1)
	}
	if pipelinetest.Short() {
		return
	}
	pipelinetest.ManyAtOnce()
	code := m.Run()
	for _, s := range stages {
		os.RemoveAll(s.root)
	}
	for _, dir := range []string{built, ranYesterday.dir} {
		os.RemoveAll(dir) // "" is none
	}
	os.Exit(code)
}

// module is the folder of the module.
const module = "../../.."

// programPath in the environment names a program that is built already.
const programPath = "FLEETLAKE_TEST_PROGRAM"

// built is the folder of the program; "" if this process did not build it.
var built string

// program builds the program, once, and returns its path.
var program = sync.OnceValues(func() (path string, err error) {
	if path := os.Getenv(programPath); path != "" {
		return path, nil
	}
	if err := dependOnSources(); err != nil {
		return "", err
	}
	if built, err = os.MkdirTemp("", "fleetlake-crash-"); err != nil {
		return "", err
	}
	path = filepath.Join(built, "fleetlake")
	build := exec.Command("go", "build", "-buildvcs=auto", "-ldflags=-s -w", "-o", path, "./cmd/fleetlake")
	build.Dir = module
	if words, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, words)
	}
	return path, nil
})

// dependOnSources reads all folders of the module. go test knows then that its result depends on them, and
// runs these tests again when the program has changed, which they do not import.
func dependOnSources() error {
	return filepath.WalkDir(module, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && path != module && strings.HasPrefix(e.Name(), ".") {
			return fs.SkipDir
		}
		return err
	})
}
