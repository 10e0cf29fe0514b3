package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
)

// queried is a data directory with one small night, and a place for the temporary files of
// queries that nobody else uses.
func queried(t *testing.T) (w *world, temporary string) {
	t.Helper()
	w = newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	w.has(smallJob, "2026-11-20")
	temporary = t.TempDir()
	w.env = append(w.env, "TMPDIR="+temporary)
	return w, temporary
}

// TestAQueryStaysWithinItsBounds runs queries that take more than allowed: in functions that DuckDB
// cannot interrupt and whose memory it does not count, in infinite tables, and in results that only
// our process keeps. Each ends soon, in little memory, with an error that names the flag, and leaves
// nothing on disk.
func TestAQueryStaysWithinItsBounds(t *testing.T) {
	t.Parallel()
	w, temporary := queried(t)
	const memory, ours, timeout = "MiB of memory and 300 MiB on disk", "MiB: not enough room", "longer than --timeout 300ms"
	for name, c := range map[string]struct {
		sql, want string
		format    string
	}{
		"a long text":                    {"SELECT length(repeat('x', 4000000000)) AS n", ours, "csv"},
		"a long text of many":            {"SELECT string_agg(repeat('x', 1000000), '') AS a FROM range(100000)", memory, "csv"},
		"rows without an end":            {"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r, range(10)) SELECT * FROM r", "", "csv"},
		"counting without an end":        {"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r", timeout, "csv"},
		"a join of everything":           {"SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 7", timeout, "csv"},
		"a table in our memory only":     {"SELECT repeat('x', 100) AS a FROM range(5000000)", ours, "table"},
		"a file of what has no end":      {"SELECT a.range AS a, b.range AS b FROM range(10000000) a, range(10000000) b", "", "parquet"},
		"a small question, as a measure": {"SELECT 1 AS n", "-", "csv"},
	} {
		t.Run(name, func(t *testing.T) {
			target, within := t.TempDir(), "300ms"
			if c.want == memory || c.want == ours || c.want == "-" {
				within = "60s"
			}
			args := []string{"query", "--memory", "128", "--spill", "300", "--timeout", within, "--format", c.format, "--out", filepath.Join(target, "answer"), c.sql}
			e := w.within(70*time.Second, args...)
			left, err := os.ReadDir(target)
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "-" {
				if e.code != exitDone || len(left) != 1 {
					t.Errorf("%s; %v", e, left)
				}
				return
			}
			if e.code != exitUnexpected || !strings.Contains(e.stderr, c.want) || !strings.Contains(e.stderr, "--") || c.want == timeout && e.took > 15*time.Second || e.rss > 1200<<20 {
				t.Errorf("%s", e)
			}
			if len(left) > 0 {
				t.Errorf("beside the answer lies %v", left)
			}
		})
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestAKilledQueryLeavesNothingForLong kills a query that has spilled: the next one removes what it
// left, and not what one that works still needs.
func TestAKilledQueryLeavesNothingForLong(t *testing.T) {
	t.Parallel()
	w, temporary := queried(t)
	// spilled waits until a query has spilled, other than the one of a directory, and returns its directory.
	spilled := func(other string) string {
		t.Helper()
		for range 300 {
			found, err := filepath.Glob(filepath.Join(temporary, "fleetlake-query-*", "*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range found {
				if dir := filepath.Dir(file); dir != other {
					return dir
				}
			}
			time.Sleep(50 * time.Millisecond) // another process writes the file: there is only looking again
		}
		t.Fatal("nothing was spilled")
		return ""
	}
	endless := []string{"query", "--memory", "64", "SELECT a.range AS a, b.range AS b FROM range(10000000) a, range(10000000) b"}
	killed := w.start(endless...)
	dead := spilled("")
	killed.cmd.Process.Kill()
	killed.wait()
	works := w.start(endless...)
	defer func() { works.cmd.Process.Kill(); works.wait() }()
	alive := spilled(dead)
	for _, dir := range []string{dead, alive} {
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
	w.must(exitDone, "query", "SELECT 1")
	if _, err := os.Stat(dead); err == nil {
		t.Error("what the killed query left is still there")
	}
	if _, err := os.Stat(alive); err != nil {
		t.Errorf("what the other query needs: %v", err)
	}
}

// TestColumnsOfOneName gives an answer whose columns share their names in every format.
func TestColumnsOfOneName(t *testing.T) {
	t.Parallel()
	w, _ := queried(t)
	const sql = "SELECT 1 AS a, 2 AS a, 3 AS A"
	for format, want := range map[string]string{
		"table": "│ a │ a_1 │ A_2 │",
		"csv":   "a,a_1,A_2\n1,2,3\n",
		"json":  `{"a":1,"a_1":2,"A_2":3}`,
	} {
		if got := w.must(exitDone, "query", "--format", format, sql).stdout; !strings.Contains(got, want) {
			t.Errorf("%s: no %q in\n%s", format, want, got)
		}
	}
	w.must(exitDone, "query", "--format", "parquet", "--out", "answer.parquet", sql)
	if got := w.must(exitDone, "query", "--format", "csv", "--unsafe-files", "FROM 'answer.parquet'").stdout; got != "a,a_1,A_2\n1,2,3\n" {
		t.Errorf("parquet: %q", got)
	}
}
