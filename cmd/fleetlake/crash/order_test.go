package crash

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest/syscalls"
)

// callOrder watches in which order files are written, synced and renamed. A SIGKILL loses nothing that was
// written, a loss of power does: only the order of the calls says what it would lose.
type callOrder struct {
	dir   string
	alone bool // one request is in flight, so that an entry is on disk before the next is written

	mu     sync.Mutex
	dirty  map[string]bool // files with content that is not synced
	names  map[string]bool // directories with new names that are not synced
	final  map[string]bool // files that have their final name
	wrong  []string
	synced int // files of the journal that were synced
}

// unsafe are parts of paths of what need not survive: the lock, and builds in progress.
func unsafe(path string) bool {
	return strings.HasSuffix(path, "/fleetlake-data/lock") || strings.Contains(path, "/fleetlake-data/work") || strings.HasSuffix(path, ".lock") || strings.HasSuffix(path, "/.reserve")
}

// commits reports whether the name of a file makes others valid, which must be on disk before.
func commits(path string) bool {
	return strings.HasSuffix(path, "/fleet.duckdb") && !strings.Contains(path, "/versions/") || strings.Contains(path, "/_manifests/") || strings.HasSuffix(path, "/current.json") || strings.HasSuffix(path, "/ready")
}

func newCallOrder(dir string) *callOrder {
	return &callOrder{dir: dir, dirty: map[string]bool{}, names: map[string]bool{}, final: map[string]bool{}}
}

func (o *callOrder) see(c syscalls.Call) syscalls.Action {
	o.mu.Lock()
	defer o.mu.Unlock()
	segment := strings.HasSuffix(c.Path, journal.Extension)
	switch {
	case c.Syncs():
		delete(o.dirty, c.Path)
		delete(o.names, c.Path)
		if segment {
			o.synced++
		}
	case c.Name == "create":
		o.dirty[c.Path] = true
		delete(o.final, c.Path)
	case c.Writes() && strings.HasSuffix(c.Path, ".wal"):
		o.report("%s: on a broken disk DuckDB ends the process for its log", c)
	case c.Writes(), c.Name == "truncate", c.Name == "allocate":
		if o.final[c.Path] {
			o.report("%s: it has its final name already", c)
		}
		if o.alone && segment && o.dirty[c.Path] && c.Name == "write" && o.synced > 0 {
			o.report("%s: the entry before it is not on disk", c)
		}
		o.dirty[c.Path] = true
	case c.Name == "mkdir" && !unsafe(c.Path):
		o.names[filepath.Dir(c.Path)] = true
	case c.Name == "unlink", c.Name == "rmdir":
		delete(o.dirty, c.Path)
		delete(o.names, c.Path)
	case c.Name == "rename", c.Name == "link":
		if o.dirty[c.Path] {
			o.report("%s: its content is not on disk", c)
		}
		if commits(c.To) {
			for dir := range o.names {
				if !unsafe(dir+"/") && dir != filepath.Dir(c.To) {
					o.report("%s: the names in %s are not on disk", c, dir)
				}
			}
		}
		o.names[filepath.Dir(c.To)], o.final[c.To] = true, true
	}
	return syscalls.Action{}
}

// request checks that a request is not sent before its intent, and the answer before it, are on disk.
func (o *callOrder) request() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for path := range o.dirty {
		if strings.HasSuffix(path, journal.Extension) {
			o.report("a request is sent before its intent is on disk in %s", path)
		}
	}
}

// end checks that all is on disk when the process has ended.
func (o *callOrder) end() []string {
	for path := range o.dirty {
		if !unsafe(path) {
			o.report("the content of %s is not on disk at the end", path)
		}
	}
	for path := range o.names {
		if !unsafe(path + "/") {
			o.report("the names in %s are not on disk at the end", path)
		}
	}
	slices.Sort(o.wrong)
	return slices.Compact(o.wrong)
}

func (o *callOrder) report(format string, args ...any) {
	words := strings.ReplaceAll(fmt.Sprintf(format, args...), o.dir+"/", "")
	o.wrong = append(o.wrong, runNames.ReplaceAllString(words, "RUN"))
}

// TestWhatIsReliedOnIsOnDisk goes through two nights with one request in flight, and checks the order of
// their system calls; then it checks that of the other stages.
func TestWhatIsReliedOnIsOnDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, crashFleet)
	w.configure(1_000_000, `
    list: {by: country, countries: [Panama, Liberia], max_age: 0s}
    sweep: {statuses: []}
    lookup: {want: []}
`)
	w.env = append(w.env, "FLEETLAKE_MAX_IN_FLIGHT=1")
	for day := range 2 {
		o := newCallOrder(w.dir)
		o.alone = true
		w.service.arrival, w.service.requests = o.request, 0
		end, err := w.watched(night(day), o.see)
		skipUnwatched(t, err)
		if err != nil || end.code != exitDone {
			t.Fatalf("night %d: %v, exit code %d\n%s", day, err, end.code, end.stderr)
		}
		for _, words := range o.end() {
			t.Errorf("night %d: %s", day, words)
		}
		if w.service.requests < 4 || o.synced < 2*w.service.requests-4 {
			t.Errorf("night %d: %d requests, and the journal was synced %d times", day, w.service.requests, o.synced)
		}
	}
	for name, s := range stages {
		s.prepare(t)
		o := newCallOrder(s.ref.dir)
		for _, c := range s.ref.calls {
			o.see(c)
		}
		for _, words := range o.end() {
			t.Errorf("%s: %s", name, words)
		}
	}
}

// TestADirectoryThatAnotherMakes has another process make each directory of an export just before it: the export
// does not rely on the other for the sync.
func TestADirectoryThatAnotherMakes(t *testing.T) {
	t.Parallel()
	s := byName("export")
	s.prepare(t)
	w := s.world(t)
	o := newCallOrder(w.dir)
	end, err := w.watched(s.args, func(c syscalls.Call) syscalls.Action {
		if c.Name == "mkdir" && strings.HasPrefix(c.Path, w.dir+"/out/") {
			if err := os.Mkdir(c.Path, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				t.Error(err)
			}
		}
		return o.see(c)
	})
	if err != nil || end.code != exitDone {
		t.Fatalf("%v, exit code %d\n%s", err, end.code, end.stderr)
	}
	for _, words := range o.end() {
		t.Error(words)
	}
}

// TestADirectoryThatAKilledProcessMade kills a process after it has made a directory, and before it has synced its
// name. The next one writes nothing into it before its name is on disk. With FLEETLAKE_LONG each directory is tried.
func TestADirectoryThatAKilledProcessMade(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]int{"first night": 4, "export": 2} {
		s := byName(name)
		s.prepare(t)
		var made []string
		for _, c := range s.ref.calls {
			if c.Name == "mkdir" && !unsafe(c.Path+"/") {
				made = append(made, strings.TrimPrefix(c.Path, s.ref.dir+"/"))
			}
		}
		if len(made) < most {
			t.Fatalf("%s: it makes %v", name, made)
		}
		if os.Getenv("FLEETLAKE_LONG") != "" {
			most = len(made)
		}
		for _, dir := range append(made[:1:1], spread(made[1:], most-1)...) {
			t.Run(name+": "+dir, func(t *testing.T) {
				t.Parallel()
				w := s.world(t)
				whole := filepath.Join(w.dir, dir)
				end, err := w.watched(s.args, func(c syscalls.Call) syscalls.Action {
					return syscalls.Action{Kill: c.Name == "mkdir" && c.Path == whole}
				})
				if err != nil || end.code != exitKilled {
					t.Fatalf("%v, exit code %d\n%s", err, end.code, end.stderr)
				}
				w.letAMinutePass()
				synced, used := false, ""
				end, err = w.watched(s.args, func(c syscalls.Call) syscalls.Action {
					synced = synced || c.Syncs() && c.Path == filepath.Dir(whole)
					removes := c.Name == "unlink" || c.Name == "rmdir"
					if !synced && !removes && used == "" && strings.HasPrefix(cmp.Or(c.To, c.Path), whole+"/") {
						used = c.String()
					}
					return syscalls.Action{}
				})
				if err != nil || end.code != exitDone {
					t.Fatalf("%v, exit code %d\n%s", err, end.code, end.stderr)
				}
				if used != "" || !synced {
					t.Errorf("its name is on disk at the end: %v; it was used before that: %s", synced, used)
				}
			})
		}
	}
}
