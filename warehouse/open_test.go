package warehouse

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// limits are the options of two readers that could not share an instance of DuckDB.
var limits = []Options{
	{MemoryMiB: 100, Threads: 1},
	{MemoryMiB: 300, Threads: 2, Confine: []string{}},
	{},
}

// TestReadersHaveTheirOwnSettings opens one file again and again, side by side.
func TestReadersHaveTheirOwnSettings(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 1))
	for range 2 { // the spellings of the first time are free again
		var open []*Warehouse
		for i, o := range append(limits, limits...) {
			w, err := Open(t.Context(), Path(dir), o)
			if err != nil {
				t.Fatalf("reader %d: %v", i, err)
			}
			open = append(open, w)
			if o.Threads == 0 {
				continue
			}
			var threads int
			must(t, w.db.QueryRowContext(t.Context(), "SELECT current_setting('threads')").Scan(&threads))
			if threads != Threads(o.Threads) || w.path != Path(dir) {
				t.Errorf("reader %d of %s: %d threads, want %d", i, w.path, threads, Threads(o.Threads))
			}
		}
		for _, w := range open {
			must(t, errors.Join(w.Close(), w.Close()))
		}
		if n := spellings.under(dir); n != 0 {
			t.Errorf("%d spellings are still in use", n)
		}
	}
}

// under counts the spellings in use below a directory.
func (t *spellingSet) under(dir string) (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for whole := range t.whole {
		if strings.HasPrefix(whole, dir+"/") {
			n++
		}
	}
	return n
}

// TestReadersSeeTheNightThatTheyOpened publishes beside readers of the nights before, which
// share neither file nor instance with later readers.
func TestReadersSeeTheNightThatTheyOpened(t *testing.T) {
	dir := t.TempDir()
	var open []*Warehouse
	for day := 1; day <= 3; day++ {
		must(t, update(t, dir, day))
		for range 2 {
			open = append(open, opened(t, dir))
		}
	}
	for i, w := range open {
		runs, err := w.Runs(t.Context(), 0)
		must(t, err)
		if want := 1 + i/2; len(runs) != want {
			t.Errorf("reader %d sees %d nights, want %d", i, len(runs), want)
		}
	}
}

// TestReadersAndTheWriterAtOnce opens, reads and closes on many sides while nights are
// published. What a reader sees is at least as new as what was published when it opened.
func TestReadersAndTheWriterAtOnce(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 1))
	var mu sync.Mutex
	published := 1
	var readers sync.WaitGroup
	for i := range 4 {
		readers.Go(func() {
			for {
				mu.Lock()
				least := published
				mu.Unlock()
				if n, err := countRuns(t, dir, limits[i%len(limits)]); err != nil || n < least {
					t.Errorf("%d nights, want %d or more: %v", n, least, err)
					return
				}
				if least == 6 {
					return
				}
			}
		})
	}
	for day := 2; day <= 6; day++ {
		err := update(t, dir, day)
		mu.Lock()
		published = day
		mu.Unlock()
		if err != nil {
			t.Errorf("the writer beside readers: %v", err)
		}
	}
	readers.Wait()
}

func countRuns(t *testing.T, dir string, o Options) (int, error) {
	w, err := Open(t.Context(), Path(dir), o)
	if err != nil {
		return 0, err
	}
	runs, err := w.Runs(t.Context(), 0)
	return len(runs), errors.Join(err, w.Close())
}

// TestAnOpenQueryDoesNotBlockTheNextReader closes a file while a query is still open: DuckDB's
// instance stays open, and the next reader must not wait for it.
func TestAnOpenQueryDoesNotBlockTheNextReader(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 1))
	w := opened(t, dir)
	rows, err := w.Query(t.Context(), "SELECT run_id FROM runs")
	must(t, err)
	must(t, w.Close())
	must(t, update(t, dir, 2))
	if got := published(t, dir); got != "02 01" {
		t.Errorf("a reader after the publish sees the nights %q", got)
	}
	must(t, rows.Close())
}

// TestSpellings has one file under a path from the root and under one from here: DuckDB makes
// the second the first.
func TestSpellings(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	t.Chdir(dir)
	var s spellingSet
	for i, path := range []string{"fleet.duckdb", "./fleet.duckdb", filepath.Join(dir, "fleet.duckdb"), "fleet.duckdb", "../" + filepath.Base(dir) + "/fleet.duckdb"} {
		own, release, err := s.acquire(path)
		must(t, err)
		if len(s.whole) != i+1 {
			t.Errorf("%s is spelled %s, which is in use: %v", path, own, s.whole)
		}
		if filepath.Clean(own) != filepath.Clean(path) {
			t.Errorf("%s is spelled %s, which is another file", path, own)
		}
		defer release()
	}
	for range 2 {
		own, release, err := s.acquire("x/fleet.duckdb")
		must(t, err)
		if own != "x/fleet.duckdb" {
			t.Errorf("a free path is spelled %s", own)
		}
		release()
		release() // the second time changes nothing
	}
}

// TestErrorsHaveThePathThatWasGiven opens a damaged file that is open already under its own
// spelling.
func TestErrorsHaveThePathThatWasGiven(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "fleet.duckdb")
	_, release, err := spellings.acquire(path)
	must(t, err)
	defer release()
	for words, text := range map[string]string{"no database": strings.Repeat("x", 1<<16), "empty": ""} {
		must(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := Open(t.Context(), path, Options{})
		if err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "/./") {
			t.Errorf("%s: %v", words, err)
		}
		if n := spellings.under(dir); n != 1 {
			t.Errorf("%s: %d spellings in use, want that of the test", words, n)
		}
	}
	if err := fmt.Errorf("x: %w", withOriginalPath(ErrDamaged, "a/./b", "a/b")); !errors.Is(err, ErrDamaged) {
		t.Errorf("%v hides its cause", err)
	}
}

// TestTwoReadersSpillAtOnce lets two readers hold more than their memory, and read it again: what the one has put
// on disk is not the other's, and nothing is left when they are closed.
func TestTwoReadersSpillAtOnce(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	before, err := os.ReadDir(filepath.Dir(Path(dir)))
	must(t, err)
	var readers []*Warehouse
	for i := range 2 {
		w, err := Open(t.Context(), Path(dir), Options{MemoryMiB: 48, Threads: 1})
		must(t, err)
		readers = append(readers, w)
		must(t, w.Keep(t.Context(), "many", fmt.Sprintf("SELECT hash(i + %d) AS n FROM range(8000000) AS r(i)", i)))
	}
	for i, w := range readers {
		var kept, want string
		must(t, w.db.QueryRowContext(t.Context(), "SELECT sum(n)::VARCHAR FROM many").Scan(&kept))
		must(t, w.db.QueryRowContext(t.Context(), fmt.Sprintf("SELECT sum(hash(i + %d))::VARCHAR FROM range(8000000) AS r(i)", i)).Scan(&want))
		if kept != want {
			t.Errorf("reader %d has %s, want %s", i, kept, want)
		}
	}
	for _, w := range readers {
		must(t, w.Close())
	}
	after, err := os.ReadDir(filepath.Dir(Path(dir)))
	must(t, err)
	if len(after) != len(before) {
		t.Errorf("%d entries beside the file, want %d: %v", len(after), len(before), after)
	}
}
