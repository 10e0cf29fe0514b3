package crash

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest/syscalls"
	"github.com/fleetlake/fleetlake/warehouse"
)

// crashJob lists, sweeps and looks up with few requests.
const crashJob = `
    list: {by: country, countries: [Panama, Liberia, China], max_age: 0s}
    sweep: {statuses: [moored, aground], zones: [china-coast]}
    lookup: {want: [particulars], max_age: 1s}
`

// crashFleet is the fleet of the crashes.
var crashFleet = simulator.Config{Vessels: 60, Seed: 11, Rates: simulator.Rates{Unlisted: .05, Renamed: .05, Reflagged: .05, Sold: .05, Moved: .3}}

// inFlight is how many requests of a lane may be in flight.
const inFlight = 8

// stage is a command in a data directory that has come so far, in which it is killed or its disk fails.
type stage struct {
	from   string         // the stage after which it begins; "" is an empty directory
	before func(w *world) // what happens in between; nil is nothing
	day    int            // of the fleet
	args   []string
	again  func(w *world) []string // returns the command that continues after a crash; nil is args
	or     string                  // the stage as which it may leave the tables, too; "" is none

	once sync.Once
	root string // has the directory of the process before the command and after it; "" is not made
	ref  reference
}

// reference is what a command does that nobody disturbs.
type reference struct {
	dir     string          // in which it ran
	calls   []syscalls.Call // below that directory
	answers int
	before  map[string]string   // the tables before the command; nil if nothing is published
	between []map[string]string // the tables of versions that it publishes before its last one
	left    state
	err     error
}

// state is what a command leaves.
type state struct {
	tables map[string]string // of the warehouse, without what names runs and their times
	files  []string          // with the ids of runs and exports, and the hashes of contents replaced
	billed map[string]int    // requests with an answer by operation and parameters
}

func night(day int) []string {
	return []string{"run", "nightly", "--date", fmt.Sprintf("2026-11-%02d", 20+day)}
}

// stages are the commands that change a data directory or an export.
var stages = map[string]*stage{
	"first night":  {args: night(0)},
	"second night": {from: "first night", day: 1, args: night(1)},
	"interrupted night": {from: "first night", day: 1, args: night(1), before: func(w *world) {
		w.killedAt(billed, 12, night(1)...)
	}},
	"unpublished night": {from: "first night", day: 1, args: night(1), before: func(w *world) {
		w.killedBefore("/lake/", night(1)...)
	}},
	"rebuild": {from: "second night", args: []string{"rebuild"}},
	"rollback": {from: "second night", args: []string{"rollback"}, again: func(w *world) []string {
		if w.count("SELECT count(*) FROM runs") == 1 { // it is rolled back: once more would be one too many
			return []string{"verify"}
		}
		return []string{"rollback"}
	}},
	"rollback before a run": {from: "second night", args: []string{"rollback"}, or: "second night", again: func(*world) []string { return night(0) }},
	"undone rollback":       {from: "rollback", args: []string{"rollback", "--undo"}},
	"export":                {from: "first night", args: []string{"export", "--warehouse", "out"}},
	"second export": {from: "export", day: 1, args: []string{"export", "out"}, before: func(w *world) {
		w.must(exitDone, night(1)...)
	}},
	"export compact": {from: "second export", day: 12, args: []string{"export", "compact", "out"}, before: func(w *world) {
		w.must(exitDone, "run", "nightly", "--date", "2026-12-02")
		w.must(exitDone, "export", "out")
	}},
}

// world returns a world in which the command of the stage is next.
func (s *stage) world(t testing.TB) *world {
	t.Helper()
	w := newWorld(t, crashFleet)
	if err := pipelinetest.CopyTree(w.dir, s.begin()); err != nil {
		t.Fatal(err)
	}
	w.configure(1_000_000, crashJob)
	w.sim.SetDay(s.day)
	return w
}

// prepare makes the data directory of the stage and its reference, once. It skips the test where system
// calls cannot be watched.
func (s *stage) prepare(t testing.TB) {
	t.Helper()
	if s.from != "" {
		byName(s.from).prepare(t)
	}
	s.once.Do(func() { s.ref.err = s.play(t) })
	skipUnwatched(t, s.ref.err)
	if s.ref.err != nil {
		t.Fatal(s.ref.err)
	}
}

// skipUnwatched skips the test where no process's system calls can be watched: on another system than Linux on
// x86-64, or if the kernel refuses it, as in some containers. The error says which.
func skipUnwatched(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
}

// byName returns a stage. The map of the stages refers to it.
func byName(name string) *stage { return stages[name] }

// play runs the command of the stage without a disturbance.
func (s *stage) play(t testing.TB) (err error) {
	if s.root, err = os.MkdirTemp("", "fleetlake-crash-"); err != nil {
		return err
	}
	w := newWorld(t, crashFleet)
	w.sim.SetDay(s.day)
	if s.from != "" {
		if err := pipelinetest.CopyTree(w.dir, byName(s.from).after()); err != nil {
			return err
		}
	}
	w.configure(1_000_000, crashJob)
	if s.before != nil {
		s.before(w)
	}
	if err := pipelinetest.CopyTree(s.begin(), w.dir); err != nil {
		return err
	}
	w = s.world(t)
	s.ref.dir = w.dir
	if s.from != "" {
		s.ref.before = w.tables()
	}
	published := false
	o, err := w.watched(s.args, func(c syscalls.Call) syscalls.Action {
		s.ref.calls = append(s.ref.calls, c)
		if published {
			s.ref.between = append(s.ref.between, w.tables())
		}
		published = c.To == warehouse.Path(w.data())
		return syscalls.Action{}
	})
	if err == nil && o.code != exitDone {
		err = fmt.Errorf("fleetlake %v: exit code %d\n%s", s.args, o.code, o.stderr)
	}
	if err != nil {
		return err
	}
	s.ref.answers, s.ref.left = w.service.requests, w.state()
	return pipelinetest.CopyTree(s.after(), w.dir)
}

func (s *stage) begin() string { return filepath.Join(s.root, "before") }
func (s *stage) after() string { return filepath.Join(s.root, "after") }

// endsWithin is how long a process may take on the busiest machine.
const endsWithin = 3 * time.Minute

// watched runs the program with its system calls watched.
func (w *world) watched(args []string, decide func(syscalls.Call) syscalls.Action) (outcome, error) {
	p := w.prepare(args...)
	w.service.kill = func() { p.cmd.Process.Kill() }
	p.cmd.Path, p.cmd.Env = os.Args[0], append(p.cmd.Env[:len(p.cmd.Env):len(p.cmd.Env)], launch+"="+p.cmd.Path)
	var watch *syscalls.Watch
	err := w.service.starting(func() (err error) {
		watch, err = syscalls.Start(p.cmd, []string{w.dir}, decide)
		return err
	})
	if err == nil {
		late := time.AfterFunc(endsWithin, func() { p.cmd.Process.Signal(syscall.SIGQUIT) }) // with its goroutines
		err = watch.Wait()
		late.Stop()
	}
	if err != nil {
		return outcome{}, err
	}
	return outcome{p.cmd.ProcessState.ExitCode(), p.stdout.String(), p.stderr.String()}, nil
}

// killedAt runs the program until the service kills it.
func (w *world) killedAt(m moment, request int, args ...string) {
	w.t.Helper()
	w.service.at, w.service.moment = w.service.requests+request, m
	p := w.prepare(args...)
	w.service.kill = func() { p.cmd.Process.Kill() }
	if err := w.service.starting(p.cmd.Start); err != nil {
		w.t.Fatal(err)
	}
	if o, err := p.wait(); err != nil || o.code != exitKilled {
		w.t.Fatalf("%v, exit code %d\n%s", err, o.code, o.stderr)
	}
}

// killedBefore kills the program before its first call on a path.
func (w *world) killedBefore(path string, args ...string) {
	w.t.Helper()
	o, err := w.watched(args, func(c syscalls.Call) syscalls.Action {
		if strings.Contains(c.Path, path) {
			return syscalls.Action{Make: syscalls.None, Kill: true}
		}
		return syscalls.Action{}
	})
	skipUnwatched(w.t, err)
	if err != nil || o.code != exitKilled {
		w.t.Fatalf("%v, exit code %d\n%s", err, o.code, o.stderr)
	}
}

// query returns the rows of a query as text, a line each.
func (w *world) query(file *warehouse.Warehouse, sql string) string {
	w.t.Helper()
	rows, err := file.Query(w.t.Context(), sql)
	if err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	var text strings.Builder
	for row, err := range rows.All() {
		if err != nil {
			w.t.Fatalf("%s: %v", sql, err)
		}
		fmt.Fprintln(&text, row...)
	}
	return text.String()
}

// open opens the published file.
func (w *world) open() *warehouse.Warehouse {
	w.t.Helper()
	file, err := warehouse.Open(w.t.Context(), warehouse.Path(w.data()), warehouse.Options{Threads: 1})
	if err != nil {
		w.t.Fatal(err)
	}
	return file
}

// count is the answer of a query that has one number.
func (w *world) count(sql string) (n int) {
	w.t.Helper()
	file := w.open()
	defer file.Close()
	if _, err := fmt.Sscan(w.query(file, sql), &n); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// Names that are different in each run.
var (
	runNames  = regexp.MustCompile(`\d{8}T\d{6}\.\d{3}Z-[0-9a-z]{4}`)
	hashNames = regexp.MustCompile(`[0-9a-f]{16}`)
)

// tables returns the rows of the published tables.
func (w *world) tables() map[string]string {
	w.t.Helper()
	tables := map[string]string{}
	file := w.open()
	defer file.Close()
	for table, volatile := range facts {
		tables[table] = w.query(file, "SELECT * EXCLUDE ("+volatile+") FROM "+table+" ORDER BY ALL")
	}
	return tables
}

// state returns what is there.
func (w *world) state() state {
	w.t.Helper()
	s := state{tables: w.tables(), billed: w.billed()}
	err := filepath.WalkDir(w.dir, func(path string, e fs.DirEntry, err error) error {
		if path == w.dir {
			return err
		}
		name := hashNames.ReplaceAllString(runNames.ReplaceAllString(strings.TrimPrefix(path, w.dir+"/"), "RUN"), "HASH")
		s.files = append(s.files, name)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	slices.Sort(s.files)
	s.files = slices.Compact(s.files)
	return s
}

// billed counts the requests with an answer by operation and parameters.
func (w *world) billed() map[string]int {
	billed := map[string]int{}
	for _, r := range w.sim.Log() {
		if r.Operation != api.Credits.Name && (r.Outcome == simulator.OK || r.Outcome == simulator.Empty) {
			billed[r.Operation+" "+r.Parameters]++
		}
	}
	return billed
}

// kept counts the entries of a kind in the journal by operation and parameters.
func (w *world) kept(kind journal.Kind) map[string]int {
	w.t.Helper()
	kept := map[string]int{}
	paths, err := journal.Segments(filepath.Join(w.data(), "journal"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatal(err)
	}
	for _, path := range paths {
		for e, err := range journal.Read(path) {
			if err != nil {
				w.t.Fatalf("%s: %v", path, err)
			}
			if e.Kind == kind {
				kept[e.Operation+" "+e.Parameters]++
			}
		}
	}
	return kept
}
