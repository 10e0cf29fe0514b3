package crash

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/ledger"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest/syscalls"
)

// repeatCrash in the environment repeats a crash, a sequence or a fault by the name that its failure printed.
const repeatCrash = "FLEETLAKE_CRASH"

// crashPoint is where a process is killed: at a system call or at an answer of the service.
type crashPoint struct {
	call   int // from 1; 0 is an answer
	part   syscalls.Part
	answer int
	moment moment
}

func (p crashPoint) String() string {
	if p.call > 0 {
		return fmt.Sprintf("killed %v call %d", p.part, p.call)
	}
	return "killed " + fmt.Sprintf(p.moment.String(), p.answer)
}

// points returns the points at which a stage can be killed.
func (s *stage) points() (all []crashPoint) {
	for i, c := range s.ref.calls {
		all = append(all, crashPoint{call: i + 1, part: syscalls.None})
		if c.Writes() {
			all = append(all, crashPoint{call: i + 1, part: syscalls.Half})
		}
		all = append(all, crashPoint{call: i + 1, part: syscalls.All})
	}
	for i := range s.ref.answers {
		for m := range moments {
			all = append(all, crashPoint{answer: i + 1, moment: m})
		}
	}
	return all
}

// crash runs a command that is killed at a point. It returns the call at which it was, and false if the
// command ended before, as it can because its requests are answered in any order.
func (w *world) crash(p crashPoint, args ...string) (at string, killed bool) {
	w.t.Helper()
	w.service.at = 0
	if p.answer > 0 {
		w.service.at, w.service.moment = w.service.requests+p.answer, p.moment
	}
	n := 0
	o, err := w.watched(args, func(c syscalls.Call) syscalls.Action {
		if n++; n != p.call {
			return syscalls.Action{}
		}
		at = strings.ReplaceAll(c.String(), w.dir+"/", "")
		return syscalls.Action{Make: p.part, Kill: true}
	})
	if err != nil {
		w.t.Fatalf("%v: %v", p, err)
	}
	if o.code != exitKilled && o.code != exitDone {
		w.t.Errorf("%v: exit code %d\n%s", p, o.code, o.stderr)
	}
	w.letAMinutePass()
	return at, o.code == exitKilled
}

// letAMinutePass makes the directories of temporary files older: the next process removes those of processes
// that have ended only after a minute.
func (w *world) letAMinutePass() {
	w.t.Helper()
	dirs, err := filepath.Glob(filepath.Join(w.data(), "work", "*-*"))
	for _, dir := range dirs {
		then := time.Now().Add(-2 * time.Minute)
		err = errors.Join(err, os.Chtimes(dir, then, then))
	}
	if err != nil {
		w.t.Error(err)
	}
}

// money is what a world has paid, from crash to crash.
type money struct {
	before map[journal.Kind]map[string]int // the entries of earlier nights
	again  map[string]int                  // requests that were in flight at a crash, and how often: they may be paid again
}

func (w *world) money() money {
	return money{map[journal.Kind]map[string]int{journal.KindIntent: w.kept(journal.KindIntent), journal.KindAnswer: w.kept(journal.KindAnswer)}, map[string]int{}}
}

// afterCrash checks that what arrived is kept, and notes which requests were in flight.
func (m *money) afterCrash(w *world) {
	w.t.Helper()
	w.service.settle(w.t, w.address)
	w.hasAllSegments()
	answered, intended, newlyLost := w.kept(journal.KindAnswer), w.kept(journal.KindIntent), map[string]int{}
	for key, n := range w.billed() {
		if n > intended[key]-m.before[journal.KindIntent][key] {
			w.t.Errorf("%s was sent %d times, more often than the journal says", key, n)
		}
		operation, _, _ := strings.Cut(key, " ")
		lost := n - (answered[key] - m.before[journal.KindAnswer][key])
		newlyLost[operation] += max(0, lost-m.again[key])
		m.again[key] = max(lost, m.again[key])
	}
	for operation, n := range newlyLost {
		if n > inFlight {
			w.t.Errorf("%d answers of %s are not in the journal, and %d can be in flight", n, operation, inFlight)
		}
	}
}

// hasAllSegments checks that no segment of the journal is missing or short by the list of all that there were: no crash
// makes it look so.
func (w *world) hasAllSegments() {
	w.t.Helper()
	l, err := ledger.Compare(filepath.Join(w.data(), "journal"))
	if err != nil || len(l.Lost) > 0 || l.Damaged > 0 {
		w.t.Errorf("a crash looks like a loss: %+v, %v", l, err)
	}
}

// check compares a world with the one that nobody disturbed.
func (m *money) check(w *world, s *stage) {
	w.t.Helper()
	w.hasAllSegments()
	got, want := w.state(), s.ref.left
	if s.or != "" { // the command may not have begun
		if other := byName(s.or).ref.left; got.tables["vessels"] == other.tables["vessels"] {
			want.tables = other.tables
		}
		want.files = append(notIn(byName(s.or).ref.left.files, want.files), want.files...)
		got.files = append(notIn(want.files, got.files), got.files...)
	}
	for table, rows := range want.tables {
		if got.tables[table] != rows {
			w.t.Errorf("%s differs from a run that nobody disturbed:\n%s", table, firstDifference(got.tables[table], rows))
		}
	}
	if left, missing := notIn(got.files, want.files), notIn(want.files, got.files); len(left)+len(missing) > 0 {
		w.t.Errorf("files that nobody cleans up: %q; that are missing: %q", left, missing)
	}
	for key, n := range got.billed {
		if n > want.billed[key]+m.again[key] {
			w.t.Errorf("%s was paid %d times: %d times in a run that nobody disturbed, %d times in flight", key, n, want.billed[key], m.again[key])
		}
	}
}

// notIn returns the elements of a list that another has not.
func notIn(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

// TestCrashPoints kills a process at points that are spread evenly over all of a stage, and repeats its
// command. With FLEETLAKE_LONG there are some 2,200 points, all of the short stages.
func TestCrashPoints(t *testing.T) {
	t.Parallel()
	repeat := os.Getenv(repeatCrash)
	var fired, played atomic.Int64
	t.Run("at", func(t *testing.T) {
		for _, name := range slices.Sorted(maps.Keys(stages)) {
			s := byName(name)
			s.prepare(t)
			all, most := s.points(), (crashes[name]+1)/2
			t.Logf("%s: %d system calls, %d answers, %d points", name, len(s.ref.calls), s.ref.answers, len(all))
			if repeat != "" {
				most = len(all)
			} else if os.Getenv("FLEETLAKE_LONG") != "" {
				most = 83 * crashes[name] // the stages of few points have less than that
			}
			for _, p := range spread(all, most) {
				title := name + ": " + p.String()
				if repeat == "" || repeat == title {
					t.Run(title, func(t *testing.T) {
						t.Parallel()
						if played.Add(1); s.crashAt(t, title, p) {
							fired.Add(1)
						}
					})
				}
			}
		}
	})
	t.Logf("%d of %d processes were killed", fired.Load(), played.Load())
	if fired.Load()*10 < played.Load()*9 {
		t.Error("too few processes were killed")
	}
}

// crashes are the weights of the stages: half as many points of each are played, and 83 times as many with
// FLEETLAKE_LONG.
var crashes = map[string]int{"first night": 4, "second night": 4, "interrupted night": 3, "unpublished night": 2, "rebuild": 2, "rollback": 4, "rollback before a run": 3,
	"undone rollback": 2, "export": 3, "second export": 3, "export compact": 3}

// spread returns n elements of a list at equal distances; all of a list that has no more.
func spread[T any](all []T, n int) (some []T) {
	n = min(n, len(all))
	for i := range n {
		some = append(some, all[(2*i+1)*len(all)/(2*n)])
	}
	return some
}

// crashAt kills a stage at a point, repeats its command and compares. It returns whether the process was
// killed.
func (s *stage) crashAt(t *testing.T, title string, p crashPoint) bool {
	w := s.world(t)
	m := w.money()
	at, killed := w.crash(p, s.args...)
	defer func() {
		if t.Failed() {
			t.Logf("at: %s\nagain: %s='%s' go test ./cmd/fleetlake/crash -run TestCrashPoints", at, repeatCrash, title)
		}
	}()
	m.afterCrash(w)
	s.resume(w)
	m.check(w, s)
	return killed
}

// next is the command that continues the stage after a crash.
func (s *stage) next(w *world) []string {
	if s.again != nil {
		return s.again(w)
	}
	return s.args
}

// resume continues the stage and comes to its end.
func (s *stage) resume(w *world) {
	w.t.Helper()
	w.service.at = 0
	w.must(exitDone, s.next(w)...)
}

// TestCrashSequences kills a process at a random point, kills the one that continues at a random point,
// and so on, and then lets one come to its end. With FLEETLAKE_LONG there are 500 sequences.
func TestCrashSequences(t *testing.T) {
	t.Parallel()
	sequences := 6
	if os.Getenv("FLEETLAKE_LONG") != "" {
		sequences = 500
	}
	names := slices.Sorted(maps.Keys(stages))
	for seed := range sequences {
		s, title := byName(names[seed%len(names)]), fmt.Sprintf("sequence %d", seed)
		if repeat := os.Getenv(repeatCrash); repeat != "" && repeat != title {
			continue
		}
		s.prepare(t)
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			w, random := s.world(t), rand.New(rand.NewPCG(uint64(seed), 1))
			m, all := w.money(), s.points()
			var did []string
			defer func() {
				if t.Failed() {
					t.Logf("%s:\n%s\nagain: %s='%s' go test ./cmd/fleetlake/crash -run TestCrashSequences", names[seed%len(names)], strings.Join(did, "\n"), repeatCrash, title)
				}
			}()
			for range 2 + random.IntN(4) {
				p := all[random.IntN(len(all))]
				at, killed := w.crash(p, s.next(w)...)
				did = append(did, fmt.Sprintf("%v %s, killed: %v", p, at, killed))
				m.afterCrash(w)
			}
			s.resume(w)
			m.check(w, s)
		})
	}
}
