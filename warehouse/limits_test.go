package warehouse

import (
	"context"
	"fmt"
	"testing"
)

// TestLimitsHoldForEveryDuckDB reads the settings of builds, readers, comparisons and merges under limits of the
// process. It is not parallel: the limits are those of all tests.
func TestLimitsHoldForEveryDuckDB(t *testing.T) {
	dir := t.TempDir()
	settings := func(b Build) (got string) {
		t.Helper()
		b.Dir = dir
		b.Steps = append(b.Steps, func(ctx context.Context, tx *Tx) error {
			var memory, threads string
			defer func() { got = memory + ", " + threads }()
			return tx.tx.QueryRowContext(ctx, "SELECT current_setting('memory_limit'), current_setting('threads')").Scan(&memory, &threads)
		})
		must(t, Update(t.Context(), b))
		return got
	}
	reader := func(o Options) string {
		t.Helper()
		w, err := Open(t.Context(), Path(dir), o)
		must(t, err)
		defer w.Close()
		var memory, threads string
		must(t, w.db.QueryRowContext(t.Context(), "SELECT current_setting('memory_limit'), current_setting('threads')").Scan(&memory, &threads))
		return memory + ", " + threads
	}
	check := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	check("a build without limits", settings(Build{RunID: "a"}), fmt.Sprintf("%d.0 MiB, %d", DefaultMemoryMiB, DefaultThreads))
	check("a reader without limits", reader(Options{MemoryMiB: 64}), fmt.Sprintf("64.0 MiB, %d", DefaultThreads))
	SetLimits(224, 4)
	t.Cleanup(func() { SetLimits(0, 0) })
	check("a build", settings(Build{RunID: "b"}), "224.0 MiB, 4")
	check("a build with a limit of its own", settings(Build{RunID: "c", MemoryMiB: 300}), "300.0 MiB, 4")
	check("a reader that asks for more", reader(Options{MemoryMiB: 1024, Threads: 8}), "224.0 MiB, 4")
	check("a reader that asks for less", reader(Options{MemoryMiB: 64, Threads: 1}), "64.0 MiB, 1")
	check("a reader that asks for nothing", reader(Options{}), "224.0 MiB, 4")
	c, err := attach(t.Context(), t.TempDir(), map[string]string{"after": Path(dir)})
	must(t, err)
	var memory, threads string
	must(t, c.db.QueryRowContext(t.Context(), "SELECT current_setting('memory_limit'), current_setting('threads')").Scan(&memory, &threads))
	must(t, c.close())
	check("a comparison", memory+", "+threads, "224.0 MiB, 4")
}

// TestAnAggregationThatSpills has more groups than fit into memory, for every number of threads that a reader may ask for.
// With exactly two, DuckDB 1.4.3 fails: see Threads.
func TestAnAggregationThatSpills(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 1))
	for asked, want := range map[int]int{0: 1, 1: 1, 2: 3, 3: 3, 4: 4} {
		if got := Threads(asked); got != want {
			t.Errorf("%d threads for %d, want %d", got, asked, want)
		}
	}
	for asked := range 4 {
		w, err := Open(t.Context(), Path(dir), Options{MemoryMiB: 56, Threads: asked})
		must(t, err)
		var groups, rows int
		must(t, w.db.QueryRowContext(t.Context(), `SELECT count(*), sum(n) FROM (
			SELECT k, count(*) AS n, min(v) FROM (
				SELECT CASE WHEN i < 400000 THEN i ELSE i % 100 END AS k, md5(i::VARCHAR) AS v FROM range(1500000) t (i)) GROUP BY k)`).Scan(&groups, &rows))
		if groups != 400_000 || rows != 1_500_000 {
			t.Errorf("%d threads asked for: %d groups of %d rows", asked, groups, rows)
		}
		must(t, w.Close())
	}
}

// TestMemoryShare is a quarter of the memory that is set, within bounds.
func TestMemoryShare(t *testing.T) {
	t.Cleanup(func() { SetLimits(0, 0) })
	for limit, want := range map[int]int{0: 512, 224: 256, 1024: 256, 1600: 400, 4096: 512} {
		SetLimits(limit, 1)
		if got := MemoryShare(256, 512); got != want {
			t.Errorf("of %d MiB: %d, want %d", limit, got, want)
		}
	}
}
