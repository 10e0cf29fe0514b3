package crash

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
)

// Exit codes of the program, and what Go says of one that was killed.
const (
	exitDone   = 0
	exitDisk   = 7
	exitKilled = -1
)

// world is a simulated service that is watched, and a directory in which the program works.
type world struct {
	t       testing.TB
	sim     *simulator.Simulator
	service *watchedService
	address string // of the service
	dir     string // of the process; the data directory is below
	env     []string
	until   string // words of the log at which a process is stopped in order; "" is none
}

// newWorld serves a simulator of some vessels.
func newWorld(t testing.TB, c simulator.Config) *world {
	t.Helper()
	c.Start, c.Key, c.KeepLog = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), "planted-key", true
	c.Limits = limits(-1)
	sim, err := simulator.New(c)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, sim: sim, service: &watchedService{sim: sim}, dir: t.TempDir()}
	w.address = w.service.start(t)
	w.env = append(os.Environ(), "FLEETLAKE_BASE_URL="+w.address+simulator.BasePath, "FLEETLAKE_API_KEY="+c.Key)
	return w
}

// limits sets the same limit for every operation.
func limits(perMinute int) map[string]int {
	limits := map[string]int{}
	for _, o := range api.Operations {
		limits[o.Name] = perMinute
	}
	return limits
}

// data is the data directory.
func (w *world) data() string { return filepath.Join(w.dir, "fleetlake-data") }

// configure writes a fleetlake.yaml with one job and high limits, so that its lanes do not wait.
func (w *world) configure(perMinute int, job string) {
	w.t.Helper()
	list, err := json.Marshal(limits(perMinute))
	if err != nil {
		w.t.Fatal(err)
	}
	w.write("fleetlake.yaml", fmt.Sprintf("api: {limits: %s, patience: 3s}\nbudget: {per_run: 0}\njobs:\n  nightly:\n%s", list, job))
}

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// lanes are how many requests can be in flight where each lane has one.
const lanes = 3

// rename renames a file or a directory. A handler may call it.
func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Error(err)
	}
}

// process is the program, and what it prints.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
}

// outcome is how a process ended.
type outcome struct {
	code           int
	stdout, stderr string
}

// prepare makes a process that has not started yet.
func (w *world) prepare(args ...string) *process {
	w.t.Helper()
	path, err := program()
	if err != nil {
		w.t.Fatal(err)
	}
	if args[0] == "run" && slices.Contains(args, "--date") {
		args = append(args, "--force-date") // the nights of these tests are no nights of the clock
	}
	p := &process{cmd: exec.Command(path, args...)}
	p.cmd.Dir, p.cmd.Env = w.dir, w.env
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	if w.until != "" {
		p.cmd.Stderr = &stopper{process: p, at: w.until}
	}
	return p
}

// stopper passes a log on, and stops its process in order at some words, once.
type stopper struct {
	*process
	at   string
	once sync.Once
}

// Write gets one line, or several, whole: the program writes each with one call.
func (s *stopper) Write(b []byte) (int, error) {
	if strings.Contains(string(b), s.at) {
		s.once.Do(func() { s.cmd.Process.Signal(syscall.SIGTERM) })
	}
	return s.stderr.Write(b)
}

func (w *world) start(args ...string) *process {
	w.t.Helper()
	p := w.prepare(args...)
	if err := w.service.starting(p.cmd.Start); err != nil {
		w.t.Fatal(err)
	}
	return p
}

// wait returns how the process ended. The error is none of the process.
func (p *process) wait() (outcome, error) {
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return outcome{}, err
	}
	return outcome{p.cmd.ProcessState.ExitCode(), p.stdout.String(), p.stderr.String()}, nil
}

// must runs the program and fails the test unless it ends with this code.
func (w *world) must(code int, args ...string) outcome {
	w.t.Helper()
	o, err := w.start(args...).wait()
	if err != nil {
		w.t.Fatal(err)
	}
	if strings.Contains(o.stdout+o.stderr, "planted-key") {
		w.t.Errorf("fleetlake %v prints the key: %s%s", args, o.stdout, o.stderr)
	}
	if o.code != code {
		w.t.Fatalf("fleetlake %v: exit code %d, want %d\n%s%s", args, o.code, code, o.stdout, o.stderr)
	}
	return o
}
