package warehouse

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/warehouse/warehousetest"

	"github.com/marcboeker/go-duckdb/mapping"
)

// TestEveryFunctionIsJudged compares the catalog of the linked DuckDB with the lists: a new version's new functions
// are refused until somebody has looked at them.
func TestEveryFunctionIsJudged(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := sandboxed(t, dir)
	conn, err := w.db.Conn(t.Context())
	must(t, err)
	defer conn.Close()
	engine, err := engineFunctions(t.Context(), conn)
	must(t, err)
	if judgedVersion() != linkedVersion() {
		t.Errorf("the lists are those of DuckDB %s, and %s is linked", judgedVersion(), linkedVersion())
	}
	for c := range engine {
		if _, no := refused()[c]; no == allowed()[c] {
			t.Errorf("%s %s is on both lists or on none: judge it", c.kind, c.name)
		}
	}
	for c := range allowed() {
		if !engine[c] {
			t.Errorf("%s %s is allowed, and DuckDB does not have it", c.kind, c.name)
		}
	}
	for c, reason := range refused() {
		if !engine[c] || reason == "" {
			t.Errorf("%s %s is refused because it %q, and DuckDB has it: %v", c.kind, c.name, reason, engine[c])
		}
	}
}

// TestAFunctionThatIsNotAllowedIsRefused wherever a statement hides it, before anything is bound or run.
func TestAFunctionThatIsNotAllowedIsRefused(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := sandboxed(t, dir)
	for name, text := range map[string]string{
		"plainly":                             "FROM enable_logging('QueryLog', storage := 'memory')",
		"as another client's answer":          "FROM enable_logging(storage='stdout')",
		"in a value":                          "SELECT write_log('x')",
		"with a schema and a catalog":         `SELECT * FROM "system"."main"."enable_logging"()`,
		"in quotes and capitals":              `SELECT "WRITE_LOG"('x')`,
		"as a method":                         "SELECT run_id.write_log() FROM runs",
		"within a text for query":             "SELECT * FROM query('FROM enable_logging()')",
		"within a text that is put together":  "SELECT * FROM query('FROM enable_' || 'logging()')",
		"as the name of a table":              "SELECT * FROM query_table('duckdb_logs')",
		"in a default view":                   "FROM duckdb_logs",
		"in a default view with a schema":     "SELECT count(*) FROM system.main.duckdb_logs",
		"in a default macro":                  "FROM duckdb_logs_parsed('QueryLog')",
		"in a macro that takes a table":       "FROM histogram('duckdb_logs', 'type')",
		"in an argument that binding needs":   "FROM range(length(write_log('x')::VARCHAR))",
		"in a WITH":                           "WITH a AS (FROM enable_logging()) SELECT 1",
		"in a subquery":                       "SELECT (SELECT count(*) FROM duckdb_logs())",
		"in a filter":                         "SELECT 1 WHERE write_log('x') IS NULL",
		"in an aggregate's order":             "SELECT list(1 ORDER BY write_log('x'))",
		"in a window":                         "SELECT sum(1) OVER (PARTITION BY write_log('x'))",
		"in a lambda":                         "SELECT list_transform([1], lambda x: write_log(x::VARCHAR))",
		"in a limit":                          "SELECT 1 LIMIT (SELECT length(write_log('x')::VARCHAR))",
		"in a lateral join":                   "SELECT * FROM range(2) AS r(i), LATERAL (SELECT write_log(i::VARCHAR))",
		"in COLUMNS":                          "SELECT COLUMNS(c -> write_log(c) IS NULL) FROM runs",
		"in a sort":                           "FROM runs ORDER BY write_log(run_id)",
		"in a grouping":                       "SELECT count(*) FROM runs GROUP BY write_log(run_id)",
		"in a set operation":                  "SELECT 1 UNION ALL SELECT length(write_log('x')::VARCHAR)",
		"in VALUES":                           "VALUES (write_log('x'))",
		"behind DESCRIBE":                     "DESCRIBE FROM enable_logging()",
		"behind SUMMARIZE":                    "SUMMARIZE FROM enable_logging()",
		"behind EXPLAIN":                      "EXPLAIN FROM enable_logging()",
		"behind EXPLAIN ANALYZE":              "/* */ EXPLAIN ANALYZE FROM enable_logging()",
		"in a PIVOT":                          "PIVOT (SELECT write_log('x') AS a) ON a USING count(*)",
		"in a PIVOT's table":                  "PIVOT (FROM enable_logging()) ON Success USING count(*)",
		"in a PIVOT behind a comment":         "PIVOT (FROM/**/enable_logging/**/()) ON Success USING count(*)",
		"in an explained PIVOT":               "EXPLAIN ANALYZE PIVOT (FROM enable_logging()) ON Success USING count(*)",
		"in a PIVOT with values":              "FROM (PIVOT (SELECT 1 AS a) ON a IN (1) USING sum(length(write_log('x')::VARCHAR)))",
		"beside a parameter":                  "SELECT write_log($1)",
		"in a view beside a parameter":        "SELECT count(*) FROM duckdb_logs WHERE type = $1",
		"in a statement within a value":       "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('FROM enable_logging()'))",
		"by planning a statement":             "SELECT json_serialize_plan('FROM range(length(write_log(''x'')::VARCHAR))')",
		"an address in memory":                "FROM arrow_scan(1::POINTER, 2::POINTER, 3::POINTER)",
		"what a PRAGMA does":                  "FROM pragma_storage_info('runs')",
		"a checkpoint":                        "FROM checkpoint()",
		"statements of others":                "FROM pg_catalog.pg_prepared_statements",
		"a file":                              "FROM read_text('/etc/passwd')",
		"a file by its name":                  "FROM '/etc/passwd.csv'",
		"a sequence":                          "SELECT nextval('x')",
		"what is for plans of DuckDB's alone": "SELECT __internal_decompress_string(1::UBIGINT)",
	} {
		t.Run(name, func(t *testing.T) {
			for how, run := range map[string]func() error{
				"answered":  func() error { return closed(w.Answer(t.Context(), text, arguments(text)...)) },
				"described": func() error { return closed(w.Describe(t.Context(), text, arguments(text)...)) },
				"listed":    func() error { _, err := w.Parameters(t.Context(), text); return err },
			} {
				if err := run(); !errors.Is(err, ErrStatement) || !strings.Contains(err.Error(), "refused") && !errors.Is(err, ErrFiles) {
					t.Errorf("%s: %v", how, err)
				}
			}
		})
	}
	if logs := logging(t, w); logs != "false" {
		t.Errorf("logging is %s", logs)
	}
}

// TestAFunctionThatNobodyHasJudgedIsRefused: that of another version of DuckDB, in the text and in the plan.
func TestAFunctionThatNobodyHasJudgedIsRefused(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20, "CREATE VIEW newer AS SELECT levenshtein('a', 'b')"))
	w := sandboxed(t, dir)
	lines, unjudged := allowedLines, callable{"call", "levenshtein"}
	allowedLines = "version v0.0.0\n" + lines
	delete(allowed(), unjudged)
	defer func() { allowedLines, allowed()[unjudged] = lines, true }()
	for _, text := range []string{"SELECT levenshtein('a', 'b')", "FROM newer", "FROM range(levenshtein('a', 'b'))", "SELECT levenshtein('a', $1)"} {
		if err := closed(w.Answer(t.Context(), text, arguments(text)...)); !errors.Is(err, ErrStatement) || !strings.Contains(err.Error(), "not on the list") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestAViewHidesNoCall: a view or macro of the published file is judged by what it does, which only the plan shows.
func TestAViewHidesNoCall(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20, "CREATE VIEW hidden AS SELECT write_log('x'::VARCHAR) AS a", "CREATE VIEW deeper AS SELECT count(*) AS n FROM hidden",
		"CREATE MACRO logs() AS TABLE FROM duckdb_logs()", "CREATE MACRO wrote(x) AS write_log(x::VARCHAR) IS NULL", "CREATE MACRO twice(x) AS x * 2"))
	w := sandboxed(t, dir)
	for _, text := range []string{"FROM hidden", "FROM deeper", "FROM logs()", "SELECT wrote('x')", "SELECT 1 WHERE wrote('x')", "SELECT list_transform(['x'], lambda x: wrote(x))"} {
		if err := closed(w.Answer(t.Context(), text)); !errors.Is(err, ErrStatement) || !strings.Contains(err.Error(), "refused") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := closed(w.Answer(t.Context(), "SELECT twice(21)")); err != nil {
		t.Errorf("a macro that only computes: %v", err)
	}
}

// arguments are a value for the only parameter of a text that has one.
func arguments(text string) []mapping.Value {
	if strings.Contains(text, "$1") {
		return []mapping.Value{mapping.CreateVarchar("x")}
	}
	return nil
}

func closed(a *Answer, err error) error {
	if err != nil {
		return err
	}
	return a.Close()
}

// logging says whether DuckDB's log is on.
func logging(t *testing.T, w *Warehouse) (is string) {
	t.Helper()
	must(t, w.db.QueryRowContext(t.Context(), "SELECT CAST(current_setting('enable_logging') AS BOOLEAN)::VARCHAR").Scan(&is))
	return is
}

// TestWhatIsAllowedIsAnswered runs what analysts and their tools ask: all views and macros, worked queries, and each
// form of statement that has functions in it which nobody wrote.
func TestWhatIsAllowedIsAnswered(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := sandboxed(t, dir)
	texts := []string{
		"SELECT 1; ", "PIVOT runs ON job USING count(*)", "EXPLAIN ANALYZE PIVOT runs ON job USING count(*)", "SELECT * FROM (PIVOT runs ON job IN ('nightly') USING count(*))",
		"UNPIVOT (SELECT 1 AS a, 2 AS b) ON a, b", "DESCRIBE vessels", "SUMMARIZE runs", "SHOW TABLES", "SHOW ALL TABLES", "SHOW DATABASES", "EXPLAIN (FORMAT json) FROM runs", "EXPLAIN ANALYZE FROM vessels",
		"SELECT row_number() OVER (ORDER BY a), lag(a) OVER (ORDER BY a), sum(a) FILTER (a > 1) OVER () FROM (VALUES (1)) AS t(a)", "SELECT unnest([1, 2]), {'a': 1}.a, [1, 2][1], map {'a': 1}['a'], 'x' LIKE 'y', 'a' COLLATE NOCASE = 'A'",
		"FROM range(length(upper('abc')))", "SELECT list_transform([1], lambda x: x + 1), [x + 1 FOR x IN [1, 2] IF x > 1]", "SELECT * FROM range(2) AS r(i), LATERAL (SELECT i + 1)", "SELECT 1 LIMIT (SELECT 3)",
		"WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 3) SELECT count(*) FROM r", "SELECT now(), current_date, current_timestamp, age(TIMESTAMP '2026-01-01')", "FROM information_schema.columns",
		"FROM information_schema.tables", "FROM pg_catalog.pg_class", "FROM pg_catalog.pg_attribute", "FROM pg_catalog.pg_type", "FROM pg_catalog.pg_settings", "FROM sqlite_master", "FROM duckdb_columns()", "SELECT coalesce(nullif(1, 2), ifnull(NULL, 3))",
		"SELECT quantile_cont(a, 0.5), approx_quantile(a, 0.5), string_agg(a::VARCHAR, ',' ORDER BY a), histogram(a), mode(a) FROM (VALUES (1), (2)) AS t(a)", "SELECT getvariable('night'), current_setting('TimeZone')",
		"SELECT * FROM runs AS a ASOF JOIN runs AS b ON a.run_id >= b.run_id", "SELECT strftime(DATE '2026-01-01', '%Y'), regexp_matches('a', 'b'), '2026-01-01'::TIMESTAMPTZ AT TIME ZONE 'UTC'", "FROM runs USING SAMPLE 1", "SELECT count(DISTINCT run_id) FROM runs GROUP BY ROLLUP (job)",
		"SELECT to_json({'a': 1}), '{\"a\": 1}'::JSON -> 'a', (SELECT count(*) FROM json_each('[1]'))", "SELECT EXISTS (FROM runs), 1 IN (SELECT 2), 1 = ANY (SELECT 2)", "SELECT $1::VARCHAR || 'x' FROM vessels LIMIT 1",
	}
	for _, q := range Queries() {
		texts = append(texts, q.Text)
	}
	names, err := w.db.QueryContext(t.Context(), statement("read/names"))
	must(t, err)
	for names.Next() {
		var name, comment string
		must(t, names.Scan(&name, &comment))
		texts = append(texts, "FROM "+name)
	}
	must(t, errors.Join(names.Err(), names.Close()))
	for _, text := range texts {
		if err := closed(w.Answer(t.Context(), text, arguments(text)...)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestAttacksOnAnswers runs every attack as the processes for queries run it.
func TestAttacksOnAnswers(t *testing.T) {
	dir, target := t.TempDir(), t.TempDir()
	must(t, update(t, dir, 20))
	secret, file := filepath.Join(target, "secret.csv"), filepath.Join(target, "written")
	must(t, os.WriteFile(secret, []byte("a\n1\n"), 0o644))
	w := sandboxed(t, dir)
	for name, statements := range warehousetest.Attacks {
		for _, text := range statements {
			text = strings.NewReplacer("FILE", file, "SECRET", secret, "DATA", Path(dir), "DIR", target).Replace(text)
			if err := closed(w.Answer(t.Context(), text)); !errors.Is(err, ErrStatement) {
				t.Errorf("%s: %q: got %v, want %v", name, text, err, ErrStatement)
			}
			if entries, err := os.ReadDir(target); err != nil || len(entries) != 1 {
				t.Fatalf("%q: wrote %v (%v)", text, entries, err)
			}
		}
	}
}
