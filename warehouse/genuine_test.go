package warehouse

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestHelperWriter is another program that opens the published file for writing, as a plain
// `duckdb fleet.duckdb` does, until it is killed.
func TestHelperWriter(t *testing.T) {
	path := os.Getenv("FLEETLAKE_TEST_WRITES")
	if path == "" {
		t.Skip("runs in another process")
	}
	db, err := open(context.Background(), path)
	must(t, err)
	for _, text := range strings.Split(os.Getenv("FLEETLAKE_TEST_SQL"), ";") {
		_, err := db.Exec(text)
		must(t, err)
	}
	fmt.Println("ready")
	select {}
}

// writer starts the other program, and returns what kills it.
func writer(t *testing.T, path, sql string) (kill func()) {
	t.Helper()
	must(t, os.Chmod(path, 0o644)) // as root can write it all the same
	c := exec.Command(os.Args[0], "-test.run=^TestHelperWriter$", "-test.v")
	c.Env = append(os.Environ(), "FLEETLAKE_TEST_WRITES="+path, "FLEETLAKE_TEST_SQL="+sql)
	out, err := c.StdoutPipe()
	must(t, err)
	must(t, c.Start())
	kill = func() { c.Process.Kill(); c.Wait() }
	t.Cleanup(kill)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == "ready" {
			return kill
		}
	}
	t.Fatal("the writer ended")
	return nil
}

func jobs(t *testing.T, dir string) string {
	t.Helper()
	w := opened(t, dir)
	got, err := lines(t.Context(), w, "SELECT DISTINCT job FROM runs ORDER BY job")
	must(t, errors.Join(err, w.Close()))
	return got
}

func TestPublishedFilesAreReadOnly(t *testing.T) {
	dir := t.TempDir()
	for n := range 2 {
		must(t, update(t, dir, 20+n))
		vs, err := keptVersions(dir)
		must(t, err)
		if len(vs) != n+1 {
			t.Fatalf("%d versions", len(vs))
		}
		for _, path := range []string{Path(dir), vs[0].path, vs[n].path} {
			info, err := os.Stat(path)
			must(t, err)
			if info.Mode().Perm() != 0o444 {
				t.Errorf("%s has mode %v", path, info.Mode())
			}
		}
	}
}

// TestAStrayLogIsRemoved leaves a log beside the published file, which DuckDB would apply to the
// next published file.
func TestAStrayLogIsRemoved(t *testing.T) {
	for name, step := range map[string]func(dir string) ([]string, error){
		"at a publish": func(dir string) (notices []string, err error) {
			b := Build{Dir: dir, RunID: runAt(22).ID, From: Path(dir), Warn: func(words string) { notices = append(notices, words) }}
			return notices, Update(t.Context(), b)
		},
		"at a rollback": func(dir string) ([]string, error) { r, err := Rollback(t.Context(), dir); return r.Notices, err },
		"at a start":    func(dir string) ([]string, error) { return Restore(t.Context(), dir) },
		"when a file that was built aside is promoted": func(dir string) ([]string, error) {
			aside := filepath.Join(dir, "work", "rebuild")
			must(t, errors.Join(os.MkdirAll(aside, 0o700), update(t, aside, 20), Prepare(t.Context(), dir, aside)))
			return Promote(dir, aside)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, errors.Join(update(t, dir, 20), update(t, dir, 21)))
			writer(t, Path(dir), "UPDATE runs SET job = 'theirs'")() // killed before a checkpoint
			if _, err := os.Stat(Path(dir) + ".wal"); err != nil {
				t.Fatalf("no log was left: %v", err)
			}
			notices, err := step(dir)
			must(t, err)
			if _, err := os.Stat(Path(dir) + ".wal"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the log is still there: %v", err)
			}
			if got := jobs(t, dir); got != "nightly;" {
				t.Errorf("published: %s", got)
			}
			if name != "at a publish" && !strings.Contains(strings.Join(notices, "\n"), "removed "+Path(dir)+".wal") {
				t.Errorf("notices %q", notices)
			}
		})
	}
}

// TestRestore lets another program open or change the published file.
func TestRestore(t *testing.T) {
	for name, c := range map[string]struct {
		sql  string
		dies bool
		aside,
		runs string
		notices string
	}{
		"a writer that changed nothing loses the file": {sql: "SELECT 1", aside: "", runs: "2;", notices: "now writes to a copy that nobody reads"},
		"a writer whose change is in its log only too": {sql: "UPDATE runs SET job = 'theirs'", aside: "", runs: "2;", notices: "now writes to a copy that nobody reads"},
		"a change is set aside":                        {sql: "UPDATE runs SET job = 'theirs';CHECKPOINT", dies: true, aside: "theirs;", runs: "1;", notices: "is set aside as"},
		"a change by a writer that continues is too":   {sql: "UPDATE runs SET job = 'theirs';CHECKPOINT", runs: "1;", notices: "is set aside as"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, errors.Join(update(t, dir, 20), update(t, dir, 21)))
			kill := writer(t, Path(dir), c.sql)
			if c.dies {
				kill()
			}
			notices, err := Restore(t.Context(), dir)
			must(t, err)
			if !strings.Contains(strings.Join(notices, "\n"), c.notices) {
				t.Errorf("notices %q, want %q", notices, c.notices)
			}
			if got := jobs(t, dir); got != "nightly;" {
				t.Errorf("jobs of the published file: %s", got)
			}
			w := opened(t, dir)
			if got, err := lines(t.Context(), w, "SELECT count(*) FROM runs"); err != nil || got != c.runs {
				t.Errorf("runs of the published file: %s, %v, want %s", got, err, c.runs)
			}
			must(t, w.Close())
			away, err := filepath.Glob(filepath.Join(dir, "warehouse", "changed-*.duckdb"))
			must(t, err)
			if want := c.runs == "1;"; (len(away) == 1) != want {
				t.Errorf("set aside: %v", away)
			}
			kill()
			if notices, err := Restore(t.Context(), dir); err != nil || len(notices) != 0 {
				t.Errorf("again: %q, %v", notices, err)
			}
			must(t, update(t, dir, 22))
			if got := jobs(t, dir); got != "nightly;" {
				t.Errorf("after the next night: %s", got)
			}
		})
	}
}

// TestRestoreWithoutAVersion changes the only file that there is.
func TestRestoreWithoutAVersion(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	must(t, errors.Join(os.Chmod(Path(dir), 0o644), os.Truncate(Path(dir), 20_000)))
	notices, err := Restore(t.Context(), dir)
	if err != nil || len(notices) != 1 || !strings.Contains(notices[0], "rebuilds it from the journal") {
		t.Errorf("notices %q, %v", notices, err)
	}
	if _, err := Open(t.Context(), Path(dir), Options{}); !errors.Is(err, ErrNone) {
		t.Errorf("got %v, want %v", err, ErrNone)
	}
}

// TestABaseIsGenuine changes a version, on which no build may be based then.
func TestABaseIsGenuine(t *testing.T) {
	dir := t.TempDir()
	must(t, errors.Join(update(t, dir, 20), update(t, dir, 21)))
	vs, err := keptVersions(dir)
	must(t, err)
	path, _, err := FindBases(dir).Before(t.Context(), "2026-11-21")
	if err != nil || path != vs[1].path {
		t.Fatalf("base %s, %v, want %s", path, err, vs[1].path)
	}
	writer(t, path, "UPDATE runs SET job = 'theirs';CHECKPOINT")()
	if path, _, err := FindBases(dir).Before(t.Context(), "2026-11-21"); err != nil || path != "" {
		t.Errorf("base %s, %v, want none", path, err)
	}
	if _, err := Rollback(t.Context(), dir); !errors.Is(err, ErrNoVersion) {
		t.Errorf("rolled back: %v", err)
	}
}

// TestTemporaryFilesOfDeadReadersAreRemoved: readers spill to directories beside the published file, other programs
// to one. The files of a living reader stay.
func TestTemporaryFilesOfDeadReadersAreRemoved(t *testing.T) {
	for _, name := range []string{".tmp", spilledTo + "ABC"} {
		t.Run(name, func(t *testing.T) { deadReader(t, name) })
	}
}

func deadReader(t *testing.T, name string) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	spilled := Path(dir) + name
	must(t, os.Mkdir(spilled, 0o700))
	dead, living := filepath.Join(spilled, "duckdb_temp_storage_S32K-0.tmp"), filepath.Join(spilled, "duckdb_temp_storage_S64K-0.tmp")
	must(t, os.WriteFile(dead, make([]byte, 3<<20), 0o600))
	f, err := os.Create(living)
	must(t, err)
	if _, err := notBeingWritten(dead); err != nil {
		t.Skipf("no leases here: %v", err)
	}
	notices, err := Restore(t.Context(), dir)
	must(t, err)
	if _, err := os.Stat(dead); err == nil || !strings.Contains(strings.Join(notices, ""), "removed 1 temporary files (3 MiB)") {
		t.Errorf("the dead reader's file: %v, notices %q", err, notices)
	}
	if _, err := os.Stat(living); err != nil {
		t.Errorf("the living reader's file: %v", err)
	}
	must(t, f.Close())
	old := time.Now().Add(-2 * newSpilled)
	must(t, os.Chtimes(spilled, old, old))
	_, err = Restore(t.Context(), dir)
	must(t, err)
	if _, err := os.Stat(spilled); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is still there: %v", err)
	}
}
