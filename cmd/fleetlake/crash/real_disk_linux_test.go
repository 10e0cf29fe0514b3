package crash

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest/syscalls"
)

// realFault is what happens to the data directory of a night. It returns how it is mended, and what makes it
// worse before each call that follows; nil is nothing.
type realFault struct {
	inject func(t *testing.T, w *world) (mend, again func())
	says   string // the cause in the line that reports it
	gone   bool   // the journal is no longer in its place, so that no more requests are sent
	passes bool   // the night may come to its end
	short  string // the moment at which it happens in the short form
}

// realFaults are faults of the file system itself, where TestDiskFaults injects errors into calls.
var realFaults = map[string]realFault{
	"the disk is full": {inject: func(t *testing.T, w *world) (func(), func()) { // the reserve may be enough for all that follows
		mend, _ := fill(t, w.dir+"/ballast")
		return mend, nil
	}, says: "no space left on device", passes: true, short: rows},
	"the disk is full, and others take what is freed": {inject: func(t *testing.T, w *world) (func(), func()) {
		return fill(t, w.dir+"/ballast")
	}, says: "no space left on device", short: requests},
	"the disk is read-only": {inject: func(t *testing.T, w *world) (func(), func()) {
		return readOnly(t, w.data()), nil
	}, says: "read-only file system", short: rows},
	"the data directory is renamed": {inject: func(t *testing.T, w *world) (func(), func()) {
		rename(t, w.data(), w.dir+"/away")
		return func() { rename(t, w.dir+"/away", w.data()) }, nil
	}, says: "no such file or directory", gone: true, short: requests},
	"the data directory is removed, and comes back": {inject: func(t *testing.T, w *world) (func(), func()) {
		if err := errors.Join(linkTree(w.dir+"/links", w.data()), os.RemoveAll(w.data())); err != nil {
			t.Error(err)
		}
		return func() { rename(t, w.dir+"/links", w.data()) }, nil
	}, says: "no such file or directory", gone: true, short: requests},
}

// linkTree gives each file of a directory a second name: what is written into it after the first was removed
// is there, too.
func linkTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		own := filepath.Join(to, strings.TrimPrefix(path, from))
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return os.MkdirAll(own, 0o750)
		}
		return os.Link(path, own)
	})
}

// fill writes a file until the disk has no room for another byte.
func fill(t *testing.T, path string) (remove, more func()) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	more = func() {
		for _, size := range []int{1 << 16, 1} {
			for err := error(nil); err == nil; {
				_, err = f.Write(make([]byte, size))
			}
		}
	}
	more()
	return func() {
		if err := errors.Join(f.Close(), os.Remove(path)); err != nil {
			t.Error(err)
		}
	}, more
}

// nightMoments are when something happens in a night: at a request, counted from 1, or at the first call below
// a folder of the data directory.
var nightMoments = map[string]struct {
	request int
	folder  string
}{
	requests: {request: 8},
	rows:     {folder: "/fleetlake-data/lake/"},
}

const (
	requests = "in the middle of the requests"
	rows     = "when rows are written"
)

// TestARealDisk fills a real file system, makes it read-only, and takes the data directory away, in a night
// that runs. The same command comes to its end when all is as it was. With FLEETLAKE_LONG each happens at
// each moment.
func TestARealDisk(t *testing.T) {
	t.Parallel()
	if !withOwnMounts(t) {
		return
	}
	byName("second night").prepare(t)
	for name, f := range realFaults {
		for when, at := range nightMoments {
			if os.Getenv("FLEETLAKE_LONG") == "" && when != f.short {
				continue
			}
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				f.play(t, at.request, at.folder)
			})
		}
	}
}

func (f realFault) play(t *testing.T, request int, folder string) {
	s := byName("second night")
	w := newWorld(t, crashFleet)
	smallDisk(t, w.dir, 160<<10)
	if err := pipelinetest.CopyTree(w.dir, s.begin()); err != nil {
		t.Fatal(err)
	}
	w.configure(1_000_000, crashJob)
	w.sim.SetDay(s.day)
	w.env = append(w.env, "FLEETLAKE_MAX_IN_FLIGHT=1")
	m := w.money()
	var mu sync.Mutex
	var mend, again func()
	arrived, then := 0, 0
	next := func(request, call bool) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case mend == nil && (request || call):
			mend, again = f.inject(t, w)
			then = arrived
		case again != nil:
			again()
		}
	}
	w.service.arrival = func() {
		mu.Lock()
		arrived++
		here := arrived == request
		mu.Unlock()
		next(here, false)
	}
	o, err := w.watched(s.args, func(c syscalls.Call) syscalls.Action {
		next(false, folder != "" && strings.Contains(c.Path, folder))
		return syscalls.Action{}
	})
	if err != nil || mend == nil {
		t.Fatalf("%v, nothing happened: %s", err, o.stderr)
	}
	w.service.arrival = nil
	mend()
	w.letAMinutePass()
	f.endedWell(w, o, s)
	if after := arrived - then; f.gone && after > lanes {
		t.Errorf("%d requests were sent when the journal was gone", after)
	}
	m.afterCrash(w)
	if lost := m.lost(); lost > lanes {
		t.Errorf("%d answers are lost, and one of each lane was in flight", lost)
	}
	s.resume(w)
	m.check(w, s)
}

// lost counts the answers that were in flight when a process ended.
func (m *money) lost() (n int) {
	for _, times := range m.again {
		n += times
	}
	return n
}

// endedWell checks how a night ended: with one line that has the cause and a path, and nothing published, or
// with all done.
func (f realFault) endedWell(w *world, o outcome, s *stage) {
	w.t.Helper()
	line, want := causeOf(o.stderr), s.ref.before
	switch {
	case f.passes && o.code == exitDone:
		want = s.ref.left.tables
	case o.code != exitDisk, !strings.Contains(line, f.says), !strings.Contains(line, "fleetlake-data"):
		w.t.Errorf("exit code %d, want %d; the line has not %q and a path: %s", o.code, exitDisk, f.says, line)
	case f.gone && strings.Contains(line, "is kept"):
		w.t.Errorf("it says that all is kept, and cannot know: %s", line)
	}
	if !maps.Equal(w.tables(), want) {
		w.t.Errorf("exit code %d, and what is published is not what should be", o.code)
	}
}
