package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
)

// beFleetlake in the environment makes the test binary the program itself, so that tests
// can start it, and kill it, as a process.
const beFleetlake = "FLEETLAKE_TEST_PROCESS"

func TestMain(m *testing.M) {
	config.Installed = config.Places{Settings: "not-installed", Data: "not-installed"}
	if process, ok := processes[os.Getenv(beFleetlake)]; ok {
		if err := process(context.Background(), os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		exitWithPeak(0)
	}
	if os.Getenv(beFleetlake) != "" || len(os.Args) > 1 && (os.Args[1] == workerVerb || os.Args[1] == networkVerb) { // which have another environment
		exitWithPeak(underSignals(os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
	}
	pipelinetest.ManyAtOnce()
	code := m.Run()
	pasts.Range(func(_, p any) bool {
		os.RemoveAll(p.(*past).dir)
		return true
	})
	os.Exit(code)
}

// peakFile in the environment names a file to which a process writes the most memory that it had. What the
// system reports to the parent includes the parent's own memory.
const peakFile = "FLEETLAKE_TEST_PEAK"

// exitWithPeak ends a process.
func exitWithPeak(code int) {
	if path := os.Getenv(peakFile); path != "" {
		status, err := os.ReadFile("/proc/self/status")
		if err == nil {
			err = os.WriteFile(path, status, 0o600)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

// peakMiB reads what exitWithPeak wrote; 0 on systems that do not report it.
func peakMiB(path string) int {
	status, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kib int
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kib); err == nil {
			return kib >> 10
		}
	}
	return 0
}

// notShort skips a test that runs the program, under -short.
func notShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the program, which takes longer than -short allows")
	}
}

// world is a simulated service and a working directory.
type world struct {
	t      testing.TB
	fleet  simulator.Config
	sim    *simulator.Simulator
	base   string
	dir    string // of the process; the data directory is below
	env    []string
	strict bool // dates are checked against the clock
}

// of returns the same world for a subtest.
func (w *world) of(t testing.TB) *world {
	same := *w
	same.t = t
	return &same
}

// newWorld serves a simulator of some vessels with the given limits.
func newWorld(t testing.TB, c simulator.Config) *world {
	t.Helper()
	notShort(t)
	c.Start, c.Key, c.KeepLog = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), "planted-key", true
	if c.Limits == nil {
		c.Limits = unlimitedLanes(-1)
	}
	sim, err := simulator.New(c)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(sim)
	t.Cleanup(server.Close)
	w := &world{t: t, fleet: c, sim: sim, base: server.URL + simulator.BasePath, dir: t.TempDir()}
	w.env = append(os.Environ(), beFleetlake+"=1", "FLEETLAKE_BASE_URL="+w.base, "FLEETLAKE_API_KEY="+c.Key)
	return w
}

// configure writes a fleetlake.yaml with one job and high limits, so that its lanes do not wait.
func (w *world) configure(limits int, job string) {
	w.t.Helper()
	list, err := json.Marshal(unlimitedLanes(limits))
	if err != nil {
		w.t.Fatal(err)
	}
	w.write("fleetlake.yaml", fmt.Sprintf("api: {limits: %s, patience: 3s, settle_after: 1ns}\nbudget: {per_run: 0}\njobs:\n  nightly:\n%s", list, job))
}

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// outcome is how a process ended.
type outcome struct {
	code           int
	stdout, stderr string
}

// fleetlake runs the program to its end.
func (w *world) fleetlake(args ...string) outcome {
	w.t.Helper()
	o, err := w.start(args...).wait()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, text := range []string{o.stdout, o.stderr} {
		if strings.Contains(text, "planted-key") {
			w.t.Errorf("fleetlake %v prints the key: %s", args, text)
		}
	}
	return o
}

// must runs the program and fails the test unless it ends with this code.
func (w *world) must(code int, args ...string) outcome {
	w.t.Helper()
	o := w.fleetlake(args...)
	if o.code != code {
		w.t.Fatalf("fleetlake %v: exit code %d, want %d\n%s%s", args, o.code, code, o.stdout, o.stderr)
	}
	return o
}

// csv is the answer of a query.
func (w *world) csv(sql string) string {
	w.t.Helper()
	return w.must(exitDone, "query", "--format", "csv", sql).stdout
}

// number is the answer of a query that has one.
func (w *world) number(sql string) int {
	w.t.Helper()
	lines := strings.Split(strings.TrimSpace(w.csv(sql)), "\n")
	n, err := strconv.Atoi(lines[len(lines)-1])
	if err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	return n
}

type process struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
}

// prepare makes a process that has not started yet.
func (w *world) prepare(args ...string) *process {
	if args[0] == "run" && slices.Contains(args, "--date") && !w.strict {
		args = append(args, "--force-date") // the nights of these tests are no nights of the clock
	}
	p := &process{cmd: exec.Command(os.Args[0], args...)}
	p.cmd.Dir, p.cmd.Env = w.dir, w.env
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	return p
}

func (w *world) start(args ...string) *process {
	w.t.Helper()
	p := w.prepare(args...)
	if err := p.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (p *process) wait() (outcome, error) {
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return outcome{}, err
	}
	return outcome{p.cmd.ProcessState.ExitCode(), p.stdout.String(), p.stderr.String()}, nil
}

// operations is every operation's name, for faults and limits.
func operations() []string {
	var names []string
	for _, o := range api.Operations {
		names = append(names, o.Name)
	}
	return names
}

// TestAProcessInitializesLittle: the processes of these tests are this binary, so that each initializes
// its tables of cases. Some hundred of them start.
func TestAProcessInitializesLittle(t *testing.T) {
	help := exec.Command(os.Args[0], "--help")
	help.Env = append(os.Environ(), beFleetlake+"=1", "GODEBUG=inittrace=1")
	var trace strings.Builder
	help.Stderr = &trace
	if err := help.Run(); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(trace.String()) {
		var size int
		words := strings.Fields(line) // "init PACKAGE @5.1 ms, 43 ms clock, 22944592 bytes, 77 allocs"
		if len(words) < 9 || words[1] != "github.com/fleetlake/fleetlake/cmd/fleetlake" {
			continue
		}
		if _, err := fmt.Sscan(words[7], &size); err != nil || size > 1<<20 {
			t.Errorf("%v: the package initializes more than 1 MiB: %s", err, line)
		}
		return
	}
	t.Errorf("the package is not in the trace: %s", trace.String())
}
