package crash

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest/syscalls"
)

// slotDone is in the log of a daemon whose slot has come to its end.
const slotDone = `"msg":"slot done"`

// dueJob is the job of the other tests with a slot at midnight, which was missed.
const dueJob = "    schedule: '0 0 * * *'\n" + crashJob

// ranYesterday is a data directory with a run of yesterday, which the first test that needs it makes.
var ranYesterday struct {
	sync.Mutex
	dir string
}

// newDaemonWorld returns a world in which a daemon makes up for the slot of today: yesterday has a run.
func newDaemonWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, crashFleet)
	ranYesterday.Lock()
	defer ranYesterday.Unlock()
	if ranYesterday.dir == "" {
		first := newWorld(t, crashFleet)
		first.configure(1_000_000, "    list: {by: none}\n    sweep: {statuses: []}\n    lookup: {want: []}\n")
		first.must(exitDone, "run", "nightly", "--date", time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly))
		dir, err := os.MkdirTemp("", "fleetlake-crash-")
		if err == nil {
			err = pipelinetest.CopyTree(dir, first.data())
		}
		if err != nil {
			t.Fatal(err)
		}
		ranYesterday.dir = dir
	}
	if err := pipelinetest.CopyTree(w.data(), ranYesterday.dir); err != nil {
		t.Fatal(err)
	}
	w.configure(1_000_000, dueJob+"\nserve: {listen: '127.0.0.1:0'}\n")
	return w
}

// serveUntil starts the daemon, and stops it when its log has these words.
func (w *world) serveUntil(words string, decide func(syscalls.Call) syscalls.Action) (outcome, error) {
	w.until = words
	defer func() { w.until = "" }()
	if decide != nil {
		return w.watched([]string{"serve"}, decide)
	}
	p := w.start("serve")
	late := time.AfterFunc(endsWithin, func() { p.cmd.Process.Signal(syscall.SIGQUIT) })
	defer late.Stop()
	return p.wait()
}

// TestDaemonCrashPoints kills `fleetlake serve` at points that are spread evenly over a run that it started,
// and starts it again. With FLEETLAKE_LONG there are 300 points.
func TestDaemonCrashPoints(t *testing.T) {
	t.Parallel()
	repeat, most := os.Getenv(repeatCrash), 2
	if os.Getenv("FLEETLAKE_LONG") != "" {
		most = 300
	}
	s := &stage{}
	w := newDaemonWorld(t)
	s.ref.before = w.tables()
	o, err := w.serveUntil(slotDone, func(c syscalls.Call) syscalls.Action {
		s.ref.calls = append(s.ref.calls, c)
		return syscalls.Action{}
	})
	skipUnwatched(t, err)
	if err != nil || o.code != exitDone {
		t.Fatalf("%v, exit code %d\n%s", err, o.code, o.stderr)
	}
	s.ref.answers, s.ref.left = w.service.requests, w.state()
	all := s.points()
	t.Logf("%d system calls, %d answers, %d points", len(s.ref.calls), s.ref.answers, len(all))
	if repeat != "" {
		most = len(all)
	}
	for _, p := range spread(all, most) {
		if title := "daemon: " + p.String(); repeat == "" || repeat == title {
			t.Run(title, func(t *testing.T) {
				t.Parallel()
				s.crashDaemon(t, title, p)
			})
		}
	}
}

// crashDaemon kills a daemon at a point, starts it again, and compares.
func (s *stage) crashDaemon(t *testing.T, title string, p crashPoint) {
	w := newDaemonWorld(t)
	m := w.money()
	w.until = slotDone // if it is not killed before
	at, killed := w.crash(p, "serve")
	m.afterCrash(w)
	w.service.at = 0
	words := slotDone
	if w.nightIsDone() { // also if it was not killed, because a run can make fewer calls than the first
		words = `"msg":"status page"`
	}
	o, err := w.serveUntil(words, nil)
	if err != nil || o.code != exitDone {
		t.Errorf("%v, exit code %d\n%s", err, o.code, o.stderr)
	}
	m.check(w, s)
	if t.Failed() {
		t.Logf("at: %s, killed: %v\nagain: %s='%s' go test ./cmd/fleetlake/crash -run TestDaemonCrashPoints", at, killed, repeatCrash, title)
	}
}

// nightIsDone reports whether the run of today is published.
func (w *world) nightIsDone() bool {
	return w.count(fmt.Sprintf("SELECT count(*) FROM runs WHERE snapshot_date = '%s' AND state = 'done'", time.Now().UTC().Format(time.DateOnly))) > 0
}

// TestTheDirectoryOfADaemonDisappears renames the data directory in a run that the daemon started. It reports
// that, creates no other one, and continues when the directory is back.
func TestTheDirectoryOfADaemonDisappears(t *testing.T) {
	t.Parallel()
	w := newDaemonWorld(t)
	arrived := 0
	w.service.arrival = func() {
		if arrived++; arrived == 8 {
			rename(t, w.data(), w.dir+"/away")
		}
	}
	o, err := w.serveUntil("run failed", nil)
	if err != nil || o.code != exitDone || !strings.Contains(o.stderr, "no such file or directory") || !strings.Contains(o.stderr, "is gone") {
		t.Errorf("%v, exit code %d: %s", err, o.code, o.stderr)
	}
	if _, err := os.Stat(w.data()); err == nil {
		t.Error("there is another data directory")
	}
	if arrived > 8+lanes*inFlight {
		t.Errorf("%d requests were sent when the journal was gone", arrived-8)
	}
	rename(t, w.dir+"/away", w.data())
	w.service.arrival = nil
	if o, err := w.serveUntil(slotDone, nil); err != nil || o.code != exitDone || !w.nightIsDone() {
		t.Errorf("%v, exit code %d: %s", err, o.code, o.stderr)
	}
	for key, n := range w.billed() {
		if n > 1 {
			t.Errorf("%s was paid %d times", key, n)
		}
	}
}

// TestADaemonPublishesWhatWasPaidFor kills a daemon when all answers have arrived and nothing is published: the
// next one publishes at its start, and not with the next slot.
func TestADaemonPublishesWhatWasPaidFor(t *testing.T) {
	t.Parallel()
	w := newDaemonWorld(t)
	w.killedBefore("/lake/", "serve")
	paid := w.billed()
	if o, err := w.serveUntil(slotDone, nil); err != nil || o.code != exitDone || !w.nightIsDone() {
		t.Errorf("%v, exit code %d: %s", err, o.code, o.stderr)
	}
	if now := w.billed(); !maps.Equal(now, paid) {
		t.Errorf("it paid again: %v, and had paid %v", now, paid)
	}
}
