package warehouse

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// lines is the answer of a query, a line per row.
func lines(ctx context.Context, w *Warehouse, text string) (string, error) {
	rows, err := w.Query(ctx, text)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var b strings.Builder
	for values, err := range rows.All() {
		if err != nil {
			return "", err
		}
		b.WriteString(strings.TrimSuffix(fmt.Sprintln(values...), "\n") + ";")
	}
	return b.String(), nil
}

func TestQueryReads(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := opened(t, dir)
	csv := filepath.Join(dir, "own.csv")
	must(t, os.WriteFile(csv, []byte("a,b\n1,x\n"), 0o644))
	cases := map[string]string{
		"SELECT job, requests FROM runs":                          "nightly 3;",
		"FROM runs SELECT count(*);":                              "1;",
		"WITH a AS (SELECT 1 AS x) SELECT x FROM a -- and no end": "1;",
		"SELECT 1.5::DECIMAL(4,2), NULL, true, 'text'":            "1.5 <nil> true text;",
		"SELECT count(*) > 20 FROM (SHOW TABLES)":                 "true;",
		"SELECT count(*) FROM (DESCRIBE vessels)":                 "48;",
		"SELECT a, b FROM '" + csv + "'":                          "1 x;",
		"SELECT TIMESTAMPTZ '2026-11-20 01:00:00+01'::VARCHAR":    "2026-11-20 00:00:00+00;",
	}
	for text, want := range cases {
		got, err := lines(t.Context(), w, text)
		if err != nil || got != want {
			t.Errorf("%s\n got %q, %v\nwant %q", text, got, err, want)
		}
	}
	for _, text := range []string{"EXPLAIN SELECT 1", "explain analyze FROM runs", "EXPLAIN (FORMAT json) SELECT 1", "/* why */ EXPLAIN ANALYZE SELECT 1", "DESCRIBE runs", "SUMMARIZE runs", "SHOW TABLES"} {
		if _, err := lines(t.Context(), w, text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestQueryRefusesToWrite(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	before, err := os.ReadFile(Path(dir))
	must(t, err)
	w := opened(t, dir)
	file := filepath.Join(dir, "written")
	for _, text := range []string{
		"INSERT INTO runs (run_id) VALUES ('x')",
		"UPDATE runs SET job = 'x'",
		"DELETE FROM runs",
		"CREATE TABLE x (a INTEGER)",
		"CREATE OR REPLACE TEMP VIEW runs AS SELECT 1",
		"COPY runs TO '" + file + "'",
		"COPY runs TO '" + Path(dir) + "'",
		"EXPLAIN ANALYZE COPY runs TO '" + file + "'",
		"EXPLAIN ANALYZE CREATE TEMP TABLE x AS SELECT 1",
		"EXPLAIN DELETE FROM runs",
		"/* */ EXPLAIN ANALYZE COPY runs TO '" + file + "'",
		"EXPORT DATABASE '" + file + "'",
		"ATTACH '" + file + "' AS other",
		"SELECT 1; COPY runs TO '" + file + "'; SELECT 2",
		"COPY runs TO '" + file + "'; SELECT 2",
		"INSTALL httpfs",
		"LOAD httpfs",
		"SET memory_limit = '1GB'",
		"PRAGMA enable_profiling",
		"CALL pragma_version()",
		"CHECKPOINT",
		"BEGIN",
	} {
		if _, err := lines(t.Context(), w, text); !errors.Is(err, ErrNotQuery) {
			t.Errorf("%s: got %v, want %v", text, err, ErrNotQuery)
		}
		if _, err := w.ToParquet(t.Context(), Statement{Text: text}, filepath.Join(dir, "x.parquet")); !errors.Is(err, ErrNotQuery) {
			t.Errorf("%s to Parquet: got %v, want %v", text, err, ErrNotQuery)
		}
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s: wrote a file (%v)", text, err)
		}
	}
	if after, err := os.ReadFile(Path(dir)); err != nil || string(after) != string(before) {
		t.Errorf("a query changed the published file (%v)", err)
	}
}

func TestQueryConfined(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	lake := filepath.Join(dir, "lake")
	must(t, os.MkdirAll(lake, 0o755))
	for _, path := range []string{filepath.Join(lake, "a.csv"), filepath.Join(dir, "secret.csv")} {
		must(t, os.WriteFile(path, []byte("a\n1\n"), 0o644))
	}
	w, err := Open(t.Context(), Path(dir), Options{Confine: []string{lake}})
	must(t, err)
	defer w.Close()
	for path, want := range map[string]bool{filepath.Join(lake, "a.csv"): true, filepath.Join(dir, "secret.csv"): false} {
		if _, err := lines(t.Context(), w, "SELECT * FROM read_csv('"+path+"')"); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestQueryErrorsAreReadable(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := opened(t, dir)
	for text, want := range map[string]string{
		"SELECT nme FROM vessels": `Binder Error: Referenced column "nme" not found`,
		"SELEC 1":                 `Parser Error: syntax error at or near "SELEC"`,
		"SELECT 'a'::INTEGER":     "Conversion Error: Could not convert string 'a' to INT32",
		"SELECT * FROM ships":     "Catalog Error: Table with name ships does not exist!",
		"":                        "empty query",
	} {
		if _, err := lines(t.Context(), w, text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lines(ctx, w, "SELECT 1"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

// TestExplainPivot: the plan of a PIVOT is one of several statements.
func TestExplainPivot(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := sandboxed(t, dir)
	for _, text := range []string{"EXPLAIN PIVOT runs ON state USING count(*)", "EXPLAIN ANALYZE FROM (PIVOT runs ON state USING count(*))"} {
		rows, err := w.Spooled(t.Context(), Statement{Text: text}, AsText)
		must(t, err)
		if !rows.Plan {
			t.Errorf("%s: no plan", text)
		}
		must(t, rows.Close())
		if _, err := w.ToParquet(t.Context(), Statement{Text: text}, filepath.Join(dir, "x.parquet")); !errors.Is(err, ErrNotQuery) {
			t.Errorf("%s to Parquet: got %v, want %v", text, err, ErrNotQuery)
		}
	}
}

// TestPivot reads a PIVOT wherever SQL allows one, as rows and as Parquet.
func TestPivot(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := confined(t, dir)
	path := filepath.Join(dir, "pivot.parquet")
	const pivot = "PIVOT (VALUES ('a', 1), ('b', 2)) AS t(k, n) ON k USING sum(n)"
	for text, want := range map[string]string{
		pivot:              "1,2;",
		pivot + ";\n":      "1,2;",
		"-- why\n" + pivot: "1,2;",
		"SELECT column_name FROM (DESCRIBE " + pivot + ")":                        "a;b;",
		"/* why */ DESCRIBE " + pivot:                                             "a,HUGEINT,YES,NULL,NULL,NULL;b,HUGEINT,YES,NULL,NULL,NULL;",
		"FROM (" + pivot + ")":                                                    "1,2;",
		"SELECT a + 1 AS a FROM (" + pivot + ") WHERE b=2":                        "2;",
		"WITH p AS (" + pivot + ") FROM p":                                        "1,2;",
		"WITH v AS (VALUES ('a', 1), ('b', 2)) PIVOT v ON col0 USING sum(col1)":   "1,2;",
		"PIVOT (VALUES ('a', 1), ('b', 2)) AS t(k, n) ON k IN ('a') USING sum(n)": "1;",
		"UNPIVOT (SELECT 1 AS a, 2 AS b) ON a, b":                                 "a,1;b,2;",
	} {
		got, err := answered(t, w, Statement{Text: text}, AsText)
		if err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
		if n, err := w.ToParquet(t.Context(), Statement{Text: text}, path); err != nil || int(n) != strings.Count(want, ";") {
			t.Errorf("%s to Parquet: %d rows, %v", text, n, err)
		}
	}
}

func TestToParquet(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := opened(t, dir)
	path := filepath.Join(dir, "it's.parquet")
	for _, text := range []string{"SELECT 1 AS a UNION ALL SELECT 2 ORDER BY a; -- done", "SELECT unnest([1, 2]) AS a"} {
		n, err := w.ToParquet(t.Context(), Statement{Text: text}, path)
		if err != nil || n != 2 {
			t.Fatalf("%s: %d rows, %v", text, n, err)
		}
		if got, err := w.ParquetRows(t.Context(), path); err != nil || got[path] != 2 {
			t.Errorf("%s: the file has %v rows, %v", text, got, err)
		}
	}
	if _, err := w.ToParquet(t.Context(), Statement{Text: "SELECT error('no') AS a"}, path); err == nil {
		t.Error("no error")
	}
	if got, err := w.ParquetRows(t.Context(), path); err != nil || got[path] != 2 {
		t.Errorf("after a failure the old file has %v rows, %v", got, err)
	}
	if names := left(t, dir); len(names) != 3 {
		t.Errorf("left behind: %v", names)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(t.Context(), Path(dir), Options{}); !errors.Is(err, ErrNone) {
		t.Errorf("nothing there: got %v, want %v", err, ErrNone)
	}
	must(t, update(t, dir, 20))
	whole, err := os.ReadFile(Path(dir))
	must(t, err)
	for name, bytes := range map[string][]byte{
		"another file":  []byte(strings.Repeat("no database ", 5000)),
		"an empty file": {},
		"a torn file":   whole[:20_000],
		"a bit flipped": append(append(whole[:5000:5000], whole[5000]^1), whole[5001:]...),
	} {
		path := filepath.Join(dir, "damaged.duckdb")
		must(t, os.WriteFile(path, bytes, 0o644))
		if _, err := Open(t.Context(), path, Options{}); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v, want %v", name, err, ErrDamaged)
		}
	}
	for _, name := range []string{"a#b", "a?b", "a%b"} {
		odd := filepath.Join(dir, name)
		must(t, os.MkdirAll(odd, 0o755))
		if err := Update(t.Context(), Build{Dir: odd, RunID: "x"}); err == nil || !strings.Contains(err.Error(), "cannot be a database") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestErrorsOfTheSystemAreSeen(t *testing.T) {
	err := unwrapped(errors.New("IO Error: Could not write all bytes to file \"x\": wanted=4096 wrote=-1 No space left on device"))
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v is not a full disk", err)
	}
	err = unwrapped(errors.New("FATAL Error: Failed to create checkpoint because of error: fsync failed!\n\nStack Trace:\n\nprogram(duckdb::Exception)"))
	if !errors.Is(err, syscall.EIO) || strings.Contains(err.Error(), "\n") || !strings.HasSuffix(err.Error(), "fsync failed: input/output error") {
		t.Errorf("a failed sync: %v", err)
	}
}
