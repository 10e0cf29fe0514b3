package warehouse

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/warehouse/warehousetest"
)

// sandboxed opens the warehouse as `fleetlake query` does, with enough memory and disk.
func sandboxed(t *testing.T, dir string) *Warehouse {
	t.Helper()
	w, err := Open(t.Context(), Path(dir), Options{MemoryMiB: 256, Spill: t.TempDir(), SpillMiB: 512, Confine: []string{}})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

// spooled is the answer of a query as `fleetlake query` gets it, a line per row.
func spooled(t *testing.T, w *Warehouse, text string) (int, error) {
	t.Helper()
	rows, err := w.Spooled(t.Context(), Statement{Text: text}, AsText)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	n := 0
	for _, err := range rows.All() {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// TestSandbox runs every attack, for a table and for a Parquet file, and checks that it left nothing.
func TestSandbox(t *testing.T) {
	dir, target := t.TempDir(), t.TempDir()
	must(t, update(t, dir, 20))
	secret, file := filepath.Join(target, "secret.csv"), filepath.Join(target, "written")
	must(t, os.WriteFile(secret, []byte("a\n1\n"), 0o644))
	before, err := os.ReadFile(Path(dir))
	must(t, err)
	w := sandboxed(t, dir)
	n := 0
	for name, statements := range warehousetest.Attacks {
		t.Run(name, func(t *testing.T) {
			for _, text := range statements {
				n++
				text = strings.NewReplacer("FILE", file, "SECRET", secret, "DATA", Path(dir), "DIR", target).Replace(text)
				if _, err := spooled(t, w, text); !errors.Is(err, ErrStatement) {
					t.Errorf("%q: got %v, want %v", text, err, ErrStatement)
				}
				if _, err := w.ToParquet(t.Context(), Statement{Text: text}, filepath.Join(target, "x.parquet")); !errors.Is(err, ErrStatement) {
					t.Errorf("%q to Parquet: got %v, want %v", text, err, ErrStatement)
				}
				if entries, err := os.ReadDir(target); err != nil || len(entries) != 1 {
					t.Fatalf("%q: wrote %v (%v)", text, entries, err)
				}
			}
		})
	}
	if after, err := os.ReadFile(Path(dir)); err != nil || string(after) != string(before) {
		t.Errorf("the published file changed (%v)", err)
	}
	if n+len(warehousetest.Bombs) < 200 {
		t.Errorf("%d attacks and %d bombs", n, len(warehousetest.Bombs))
	}
}

// TestSandboxLogs lets DuckDB's log be turned on, which no setting forbids. It writes nothing.
func TestSandboxLogs(t *testing.T) {
	for _, text := range []string{
		"FROM enable_logging('QueryLog', storage := 'file', storage_path := 'FILE')", "FROM enable_logging(storage_path := 'FILE')",
		"FROM query('FROM enable_logging(''QueryLog'', storage := ''file'', storage_path := ''FILE'')')", "SELECT * FROM enable_logging('FileSystem', storage := 'file', storage_config := {'path': 'FILE'})",
	} {
		dir, target := t.TempDir(), t.TempDir()
		must(t, update(t, dir, 20))
		w := sandboxed(t, dir)
		file := filepath.Join(target, "log")
		text = strings.ReplaceAll(text, "FILE", file)
		_, first := spooled(t, w, text)
		_, second := spooled(t, w, "FROM runs")
		if first == nil && second == nil {
			t.Errorf("%q: nothing was refused", text)
		}
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: wrote a file (%v)", text, err)
		}
	}
}

func TestSandboxReads(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := sandboxed(t, dir)
	for text, want := range map[string]int{
		"SELECT 1": 1, "FROM runs": 1, "TABLE runs;": 1, "VALUES (1), (2)": 2, ";;SELECT 1;;": 1, "(SELECT 1)": 1, "WITH a AS (SELECT 1) FROM a -- end": 1,
		"PIVOT runs ON job USING count(*)": 1, "PIVOT runs ON job USING count(*); ": 1, "SELECT * FROM (PIVOT runs ON job USING count(*))": 1, "-- why\nPIVOT runs ON job IN ('nightly') USING count(*)": 1,
		"UNPIVOT (SELECT 1 AS a, 2 AS b) ON a, b": 2, "DESCRIBE SELECT 1": 1, "SUMMARIZE SELECT 1 AS a": 1, "SHOW DATABASES": 1, "FROM (SHOW DATABASES)": 1, "EXPLAIN FROM runs": 1, "EXPLAIN ANALYZE FROM runs": 1,
		"/* a */ EXPLAIN (FORMAT json) FROM runs": 1, "FROM runs WHERE false": 0, "SELECT 1 AS a, 2 AS a": 1, "SELECT NULL": 1, "FROM range(20000)": 20000, "FROM range(8192)": 8192,
		"SELECT ';' || 'EXPORT DATABASE' AS a": 1,
	} {
		if got, err := spooled(t, w, text); err != nil || got != want {
			t.Errorf("%s: got %d rows, %v, want %d", text, got, err, want)
		}
	}
	rows, err := w.Spooled(t.Context(), Statement{Text: "SELECT i FROM range(30000) AS r(i) ORDER BY i DESC"}, AsText)
	must(t, err)
	defer rows.Close()
	want := 29_999
	for values, err := range rows.All() {
		if must(t, err); values[0] != strconv.Itoa(want) {
			t.Fatalf("got %v, want %d", values[0], want)
		}
		want--
	}
}

// TestSandboxHasItsBounds asks for more than memory and disk allow.
func TestSandboxHasItsBounds(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w, err := Open(t.Context(), Path(dir), Options{MemoryMiB: 64, Threads: 1, Spill: t.TempDir(), SpillMiB: 16, Confine: []string{}})
	must(t, err)
	defer w.Close()
	for _, text := range []string{
		"SELECT i, md5(i::VARCHAR) AS a, md5((i + 1)::VARCHAR) AS b FROM range(3000000) AS r(i)",
		"SELECT list(md5(i::VARCHAR)) FROM range(3000000) AS r(i)",
		"SELECT count(*) FROM (SELECT DISTINCT md5(i::VARCHAR) FROM range(3000000) AS r(i))",
	} {
		if _, err := spooled(t, w, text); !errors.Is(err, ErrRoom) {
			t.Errorf("%s: got %v, want %v", text, err, ErrRoom)
		}
	}
	if n, err := spooled(t, w, "FROM runs"); err != nil || n != 1 {
		t.Errorf("afterwards: %d rows, %v", n, err)
	}
}
