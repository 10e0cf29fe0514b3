package crash

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest/syscalls"
	"github.com/fleetlake/fleetlake/warehouse"
)

// diskFault is how a disk fails from the n-th of some calls on, or at that call only.
type diskFault struct {
	of    func(syscalls.Call) bool
	errno syscall.Errno
	once  bool
	half  bool // the n-th call writes the first half of its bytes and says so; with errno 0 that is all
}

func anyCall(syscalls.Call) bool { return true }

// diskFaults are the ways in which a disk fails.
var diskFaults = map[string]diskFault{
	"the disk is full":                    {of: syscalls.Call.NeedsRoom, errno: syscall.ENOSPC},
	"the disk is full once":               {of: syscalls.Call.NeedsRoom, errno: syscall.ENOSPC, once: true},
	"the disk is full after half a write": {of: syscalls.Call.Writes, errno: syscall.ENOSPC, half: true},
	"a write is short":                    {of: syscalls.Call.Writes, once: true, half: true},
	"a quota is used up":                  {of: syscalls.Call.NeedsRoom, errno: syscall.EDQUOT},
	"the disk is broken":                  {of: anyCall, errno: syscall.EIO},
	"the disk is broken once":             {of: anyCall, errno: syscall.EIO, once: true},
	"syncs fail":                          {of: syscalls.Call.Syncs, errno: syscall.EIO},
	"a sync fails":                        {of: syscalls.Call.Syncs, errno: syscall.EIO, once: true},
	"the disk is read-only":               {of: anyCall, errno: syscall.EROFS},
}

// action is what happens to a call that is the n-th of those of the fault.
func (f diskFault) action(c syscalls.Call, n, at int) syscalls.Action {
	switch {
	case n == at && f.half:
		return syscalls.Action{Make: syscalls.Half}
	case n == at, n > at && !f.once:
		return syscalls.Action{Make: syscalls.None, Errno: f.errno}
	}
	return syscalls.Action{}
}

// atFault is a fault at its n-th call in a stage.
type atFault struct {
	stage, fault string
	n            int
}

func (f atFault) String() string { return fmt.Sprintf("%s: %s, call %d", f.stage, f.fault, f.n) }

// allFaults returns each fault at each call of each stage.
func allFaults(t *testing.T) (all []atFault) {
	for _, stage := range slices.Sorted(maps.Keys(stages)) {
		byName(stage).prepare(t)
		for _, fault := range slices.Sorted(maps.Keys(diskFaults)) {
			n := 0
			for _, c := range byName(stage).ref.calls {
				if diskFaults[fault].of(c) {
					n++
					all = append(all, atFault{stage, fault, n})
				}
			}
		}
	}
	return all
}

// oneOfEach returns each kind of fault once, each in another stage, at a call in its middle.
func oneOfEach(all []atFault) (some []atFault) {
	names := slices.Sorted(maps.Keys(stages))
	for i, kind := range slices.Sorted(maps.Keys(diskFaults)) {
		of := slices.DeleteFunc(slices.Clone(all), func(f atFault) bool { return f.fault != kind || f.stage != names[i%len(names)] })
		some = append(some, spread(of, 1)...)
	}
	return some
}

// TestDiskFaults makes the disk fail in a stage, repeats the command when the disk works again, and
// compares. Each kind of fault is played once, and with FLEETLAKE_LONG there are 1,000 faults.
func TestDiskFaults(t *testing.T) {
	t.Parallel()
	repeat, all := os.Getenv(repeatCrash), allFaults(t)
	switch {
	case repeat != "":
	case os.Getenv("FLEETLAKE_LONG") != "":
		all = spread(all, 1000)
	default:
		all = oneOfEach(all)
	}
	for _, f := range all {
		if repeat == "" || repeat == f.String() {
			t.Run(f.String(), func(t *testing.T) {
				t.Parallel()
				f.play(t)
			})
		}
	}
}

func (f atFault) play(t *testing.T) {
	s, fault := byName(f.stage), diskFaults[f.fault]
	w := s.world(t)
	m, n, at := w.money(), 0, ""
	o, err := w.watched(s.args, func(c syscalls.Call) syscalls.Action {
		if !fault.of(c) {
			return syscalls.Action{}
		}
		if n++; n == f.n {
			at = strings.ReplaceAll(c.String(), w.dir+"/", "")
		}
		return fault.action(c, n, f.n)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if t.Failed() {
			t.Logf("at: %s\n%s\nagain: %s='%s' go test ./cmd/fleetlake/crash -run TestDiskFaults", at, o.stderr, repeatCrash, f)
		}
	}()
	w.letAMinutePass()
	w.endedWell(o, fault, s)
	m.afterCrash(w)
	s.resume(w)
	m.check(w, s)
}

// causeOf returns the line that says why a process ended, in lower case. Lines that follow say what the
// failure led to.
func causeOf(stderr string) (line string) {
	for text := range strings.Lines(strings.ToLower(stderr)) {
		if strings.HasPrefix(text, "fleetlake: ") || strings.Contains(text, `"msg":"fleetlake ends with an error"`) {
			line = text
		}
	}
	return line
}

// endedWell checks how a process ended whose disk failed: with a line that has the cause and a path, or
// with all done.
func (w *world) endedWell(o outcome, f diskFault, s *stage) {
	w.t.Helper()
	line := causeOf(o.stderr)
	switch {
	case o.code == exitKilled, strings.Contains(o.stderr, "goroutine "):
		w.t.Errorf("it crashes or does not end: %s", o.stderr)
	case f.errno == 0 && o.code != exitDone:
		w.t.Errorf("exit code %d after a short write", o.code)
	case o.code == exitDone:
	case !strings.Contains(line, f.errno.Error()) || !strings.Contains(line, "fleetlake-data") && !strings.Contains(line, "/out/"):
		w.t.Errorf("exit code %d; the line has not %q and a path: %s", o.code, f.errno, line)
	case strings.Count(line, f.errno.Error()) > 4: // not once for each request in flight
		w.t.Errorf("the cause is said again and again: %s", line)
	case o.code != exitDisk:
		w.t.Errorf("exit code %d, want %d: %s", o.code, exitDisk, line)
	}
	if _, err := os.Stat(warehouse.Path(w.data())); errors.Is(err, fs.ErrNotExist) && s.ref.before == nil && o.code != exitDone {
		return // nothing was published, and nothing is
	}
	got := w.tables()
	earlier := slices.ContainsFunc(slices.Concat(s.ref.between, []map[string]string{s.ref.before}), func(v map[string]string) bool { return maps.Equal(got, v) })
	if !maps.Equal(got, s.ref.left.tables) && (o.code == exitDone || !earlier) {
		w.t.Errorf("exit code %d, and what is published is neither a version before nor the finished one", o.code)
	}
}
