package worker

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"

	_ "github.com/marcboeker/go-duckdb/v2" // whose functions and settings the statements name

	"github.com/fleetlake/fleetlake/warehouse/warehousetest"
)

// catalogue is what DuckDB itself brings along that a statement can name.
type catalogue struct {
	scalars, aggregates, tables, pragmas []function
	settings                             []string

	may catalogueOfAllowed
}

// catalogueOfAllowed has the functions that a statement may use.
type catalogueOfAllowed struct {
	returning          map[string][]function // scalar functions by what they return
	aggregates, tables []function
}

// function is a function of DuckDB, with the types of its parameters.
type function struct {
	name  string
	types []string
}

// engine is the catalogue of the linked DuckDB.
var engine = sync.OnceValues(func() (c catalogue, err error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return c, err
	}
	defer db.Close()
	lists, err := os.ReadFile("../functions/allowed.txt")
	if err != nil {
		return c, err
	}
	ctx := context.Background()
	rows, err := db.QueryContext(ctx, `SELECT function_name, function_type, array_to_string(parameter_types, '|'), coalesce(return_type, '')
		FROM duckdb_functions() WHERE internal ORDER BY ALL`)
	if err != nil {
		return c, err
	}
	defer rows.Close()
	c.may.returning = map[string][]function{}
	for rows.Next() {
		var name, kind, returns string
		var types sql.NullString
		if err := rows.Scan(&name, &kind, &types, &returns); err != nil {
			return c, err
		}
		f := function{name, strings.Split(types.String, "|")}
		to := map[string]*[]function{"scalar": &c.scalars, "macro": &c.scalars, "aggregate": &c.aggregates, "table": &c.tables,
			"table_macro": &c.tables, "pragma": &c.pragmas}[kind]
		if to == nil {
			return c, fmt.Errorf("a function of the kind %s", kind)
		}
		*to = append(*to, f)
		switch {
		case kind == "scalar" && strings.Contains(string(lists), "\ncall "+name+"\n"):
			c.may.returning[returns] = append(c.may.returning[returns], f)
		case kind == "aggregate" && strings.Contains(string(lists), "\ncall "+name+"\n"):
			c.may.aggregates = append(c.may.aggregates, f)
		case kind == "table" && strings.Contains(string(lists), "\ntable "+name+"\n"):
			c.may.tables = append(c.may.tables, f)
		}
	}
	c.settings, err = names(ctx, db, "SELECT name FROM duckdb_settings() ORDER BY name")
	return c, err
})

func names(ctx context.Context, db *sql.DB, text string) (all []string, err error) {
	rows, err := db.QueryContext(ctx, text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		all = append(all, name)
	}
	return all, rows.Err()
}

// writer makes statements. The same seed makes the same statement.
type writer struct {
	*rand.Rand
	catalogue
	names *strings.Replacer // of FILE, SECRET, DATA, DIR and URL
	depth int
}

func pick[T any](w *writer, all []T) T { return all[w.IntN(len(all))] }

// statement is what a client may send: most select, and some nest, wrap or follow what does not.
func (w *writer) statement() string {
	text := ""
	switch n := w.IntN(20); {
	case n < 10:
		return w.names.Replace(w.accepted())
	case n < 12:
		text = w.query()
	case n < 13:
		text = w.setting()
	case n < 16:
		text = w.other()
	case n < 18:
		attacks := warehousetest.Attacks
		text = pick(w, attacks[pick(w, slices.Sorted(mapKeys(attacks)))])
	default:
		text = w.spliced(w.query(), w.other())
	}
	return w.names.Replace(w.wrapped(text))
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// quoted is a text as a literal.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// wrapped is a statement, in most cases as it is.
func (w *writer) wrapped(text string) string {
	if w.IntN(4) > 0 {
		return text
	}
	form := pick(w, []string{"EXPLAIN %s", "EXPLAIN ANALYZE %s", "DESCRIBE %s", "SUMMARIZE %s", "FROM (%s)", "SELECT * FROM (%s) AS q", "WITH a AS (%s) FROM a",
		"WITH a AS MATERIALIZED (%s) SELECT count(*) FROM a", "SELECT EXISTS (%s)", "SELECT (%s)", "PREPARE p AS %s", "CREATE TEMP TABLE x AS %s",
		"CREATE TEMP MACRO m() AS TABLE %s", "COPY (%s) TO 'FILE'", "(%s)", "%s;", "%s -- ", "/* */ %s", "PIVOT (%s) ON 1 USING count(*)", "FROM (%s) USING SAMPLE 3",
		"SELECT * FROM vessels, LATERAL (%s)", "SELECT 1 LIMIT (%s)", "EXPLAIN (FORMAT json) %s", "UNPIVOT (%s) ON COLUMNS(*)", "CALL %s", "INSERT INTO runs %s",
		"CREATE VIEW v AS %s", "EXECUTE IMMEDIATE %s", "WITH RECURSIVE r AS (%s UNION ALL FROM r) FROM r LIMIT 5"})
	if w.IntN(3) == 0 {
		form = pick(w, []string{"SELECT * FROM query(%s)", "FROM json_execute_serialized_sql(json_serialize_sql(%s))", "SELECT json_serialize_plan(%s)",
			"SELECT json_serialize_sql(%s)", "FROM sql_auto_complete(%s)", "SELECT json_deserialize_sql(json_serialize_sql(%s))", "CALL query(%s)", "PRAGMA query(%s)"})
		text = quoted(text)
	}
	return strings.ReplaceAll(form, "%s", text)
}

// spliced is two statements in one text.
func (w *writer) spliced(a, b string) string {
	return a + pick(w, []string{"; ", ";", "\n;\n", " UNION ALL ", "); ", " /*", "\u00a0;\ufeff", ");(", " EXCEPT (", "'; ", `"; `, " ; -- "}) + b
}

// accepted is a statement that the sandbox lets through, if its types fit: what is allowed is what can do harm.
func (w *writer) accepted() string {
	values := make([]string, 1+w.IntN(2))
	for i := range values {
		values[i] = w.typed(pick(w, slices.Sorted(mapKeys(w.may.returning))), 0)
	}
	if w.IntN(4) == 0 {
		f := pick(w, w.may.aggregates)
		values = []string{w.named(f.name) + "(" + w.typedArguments(f, 1) + ")" + pick(w, []string{"", " OVER ()", " OVER (ORDER BY i ROWS 2 PRECEDING)", " FILTER (i > 1)"})}
	}
	source := pick(w, []string{"range(3) AS t(i)", "range(1000) AS t(i)", "range(1000000) AS t(i)", "(SELECT row_number() OVER () AS i, * FROM vessels) AS v", "range(2) AS t(i), runs"})
	text := "SELECT " + strings.Join(values, ", ") + " FROM " + source
	if w.IntN(4) == 0 {
		f := pick(w, w.may.tables)
		text = "SELECT * FROM " + w.named(f.name) + "(" + w.typedArguments(f, 1) + ")"
	}
	form := pick(w, []string{"%s", "%s", "%s LIMIT 5", "SELECT count(*) FROM (%s)", "WITH c AS MATERIALIZED (%s) SELECT c FROM c LIMIT 3", "SELECT list(q) FROM (%s) AS q", "EXPLAIN ANALYZE %s", "SUMMARIZE %s",
		"SELECT * FROM range(2) AS o(n), LATERAL (%s) LIMIT 9", "%s ORDER BY ALL LIMIT 9", "SELECT (%s LIMIT 1)", "WITH RECURSIVE r AS ((%s LIMIT 1) UNION ALL FROM r) FROM r LIMIT 9", "FROM (%s) AS a UNION ALL (%s)"})
	return strings.ReplaceAll(form, "%s", text)
}

// typed is an expression of a type: a literal, a value of the row, or a function that returns the type.
func (w *writer) typed(name string, depth int) string {
	all := w.may.returning[name]
	switch n := w.IntN(6); {
	case len(all) == 0, depth > 0 && n < 2, depth > 2:
		return w.ofType(name)
	case depth > 0 && n == 2 && (strings.Contains(name, "INT") || name == "VARCHAR" || name == "DOUBLE"):
		return "CAST(i AS " + name + ")"
	}
	f := pick(w, all)
	return w.named(f.name) + "(" + w.typedArguments(f, depth+1) + ")"
}

func (w *writer) typedArguments(f function, depth int) string {
	var all []string
	for _, t := range f.types {
		if t != "" {
			all = append(all, w.typed(t, depth))
		}
	}
	return strings.Join(all, ", ")
}

// query is a statement that selects.
func (w *writer) query() string {
	w.depth++
	defer func() { w.depth-- }()
	if w.depth > 3 {
		return "SELECT " + w.literal()
	}
	switch w.IntN(14) {
	case 0:
		return "FROM " + w.source()
	case 1:
		return w.query() + pick(w, []string{" UNION ", " UNION ALL BY NAME ", " INTERSECT ", " EXCEPT "}) + w.query()
	case 2:
		return "WITH c AS " + pick(w, []string{"", "MATERIALIZED ", "NOT MATERIALIZED "}) + "(" + w.query() + ") SELECT *, " + w.expression() + " FROM c"
	case 3:
		return "WITH RECURSIVE r(i) AS (SELECT " + w.literal() + " UNION ALL SELECT " + w.expression() + " FROM r WHERE " + w.expression() + ") FROM r LIMIT 20"
	case 4:
		return "VALUES (" + w.list() + "), (" + w.list() + ")"
	case 5:
		return "PIVOT " + w.source() + " ON " + w.expression() + " USING " + w.aggregate()
	case 6:
		return "SELECT " + w.aggregate() + " FROM " + w.source() + " GROUP BY " + pick(w, []string{"ALL", "ROLLUP (" + w.expression() + ")", w.expression()})
	case 7:
		return "SELECT " + w.list() + " FROM " + w.source() + " ORDER BY " + w.expression() + " LIMIT " + w.expression()
	case 8:
		return "SELECT COLUMNS(c -> " + w.expression() + ") FROM " + w.source()
	default:
		return "SELECT " + w.list() + " FROM " + w.source() + " WHERE " + w.expression()
	}
}

// source is what stands after FROM.
func (w *writer) source() string {
	switch w.IntN(9) {
	case 0, 1:
		return pick(w, []string{"vessels", "runs", "requests", "issues", "range(3) AS t(i)", "(VALUES (1, 'a')) AS t(a, b)"})
	case 2, 3, 4:
		f := pick(w, w.tables)
		return w.named(f.name) + "(" + w.arguments(f) + w.option() + ")"
	case 5:
		return "(" + w.query() + ") AS s"
	case 6:
		return pick(w, []string{"'SECRET'", "'DIR/*.csv'", "'URL'", "'DATA'", `"SECRET"`, "duckdb_settings()", "duckdb_secrets", "duckdb_logs", "information_schema.columns",
			"pg_catalog.pg_prepared_statements", "sqlite_master", "temp.fleetlake_answer", "system.main.duckdb_logs", "memory.main.x", "fleet.main.runs", "internal.facts"})
	case 7:
		return w.source() + pick(w, []string{", ", " POSITIONAL JOIN ", " CROSS JOIN ", " ASOF JOIN "}) + "range(2) AS u(j)"
	default:
		return "runs, LATERAL (" + w.query() + ") AS l"
	}
}

// option is a named argument, if any.
func (w *writer) option() string {
	if w.IntN(3) > 0 {
		return ""
	}
	name := pick(w, []string{"storage", "storage_path", "level", "filename", "columns", "sample_size", "max_line_size", "format", "hive_partitioning", "file_row_number", "overwrite"})
	return pick(w, []string{", ", ""}) + name + pick(w, []string{" = ", " := ", " => "}) + w.literal()
}

// named is the name of a function in one of the ways in which it can be written.
func (w *writer) named(name string) string {
	quoted := `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
	switch w.IntN(6) {
	case 0:
		return quoted
	case 1:
		return "main." + quoted
	case 2:
		return "system.main." + quoted
	case 3:
		return strings.ToUpper(quoted)
	}
	if strings.ContainsFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && r != '_' && (r < '0' || r > '9') }) {
		return quoted
	}
	return name
}

// arguments are those that a function takes, or a few others.
func (w *writer) arguments(f function) string {
	var all []string
	for _, t := range f.types {
		switch {
		case f.types[0] == "":
		case w.IntN(6) == 0:
			all = append(all, w.expression())
		default:
			all = append(all, w.ofType(t))
		}
	}
	if w.IntN(8) == 0 {
		all = append(all, w.expression())
	}
	return strings.Join(all, ", ")
}

func (w *writer) list() string {
	all := make([]string, 1+w.IntN(3))
	for i := range all {
		all[i] = w.expression()
	}
	return strings.Join(all, ", ")
}

// expression is a value.
func (w *writer) expression() string {
	w.depth++
	defer func() { w.depth-- }()
	if w.depth > 4 {
		return w.literal()
	}
	switch w.IntN(16) {
	case 0, 1:
		return w.literal()
	case 2:
		return pick(w, []string{"run_id", "i", "a", "imo", "rowid", "vessel_id", "*"})
	case 3, 4, 5, 6:
		f := pick(w, w.scalars)
		return w.named(f.name) + "(" + w.arguments(f) + ")"
	case 7:
		return "list_transform([" + w.list() + "], lambda x: " + w.expression() + ")"
	case 8:
		return "[" + w.expression() + " FOR x IN [" + w.list() + "] IF " + w.expression() + "]"
	case 9:
		return "(" + w.query() + ")"
	case 10:
		return pick(w, []string{"EXISTS (", "1 IN (", "1 = ANY (", "ARRAY("}) + w.query() + ")"
	case 11:
		return "CAST(" + w.expression() + " AS " + w.anyType() + ")"
	case 12:
		return w.aggregate() + " OVER (" + pick(w, []string{"", "ORDER BY ", "PARTITION BY "}) + w.expression() + ")"
	case 13:
		return "CASE WHEN " + w.expression() + " THEN " + w.expression() + " ELSE " + w.expression() + " END"
	case 14:
		return "TRY(" + w.expression() + ")"
	default:
		return "(" + w.expression() + pick(w, []string{" || ", " + ", " = ", " -> ", " LIKE ", " AND ", " ^ ", "::VARCHAR || ", " ~ ", " << "}) + w.expression() + ")"
	}
}

func (w *writer) aggregate() string {
	f := pick(w, w.aggregates)
	return w.named(f.name) + "(" + pick(w, []string{"", "", "DISTINCT "}) + w.arguments(f) + pick(w, []string{"", "", " ORDER BY 1"}) + ")"
}

func (w *writer) anyType() string {
	return pick(w, []string{"", "", "TINYINT"}) + pick(w, []string{"VARCHAR", "BLOB", "INTEGER[]", "STRUCT(a INTEGER, b VARCHAR)", "MAP(VARCHAR, INTEGER)", "UNION(a INTEGER)", "HUGEINT", "DOUBLE", "JSON", "BIT", "UUID", "VARINT", "TIMESTAMPTZ", "INTEGER[3]", "ENUM('a')"})
}

// ofType is a literal of a type, as duckdb_functions() names it.
func (w *writer) ofType(name string) string {
	switch {
	case strings.HasSuffix(name, "[]"):
		return "[" + w.ofType(strings.TrimSuffix(name, "[]")) + "]"
	case name == "VARCHAR" && w.IntN(2) == 0:
		return w.text()
	case strings.Contains(name, "INT"), name == "DOUBLE", name == "FLOAT", strings.HasPrefix(name, "DECIMAL"), name == "T", name == "ANY", name == "K", name == "V":
		return pick(w, []string{"1", "0", "-1", "2", "3", "10", "100", "100000", "9223372036854775807", "1e308", "-9223372036854775808", "NULL"})
	case strings.HasPrefix(name, "MAP"):
		return pick(w, []string{"MAP {1: 2}", "MAP {'a': 1}", "MAP {}"})
	case strings.HasPrefix(name, "STRUCT"), name == "UNION":
		return "{'a': 1, 'b': 'x'}"
	case name == "LAMBDA":
		return pick(w, []string{"lambda x: x", "lambda x, y: x", "lambda x: x + 1", "lambda x: x > 1", "lambda x, y: x + y", "lambda x: " + w.typed("BIGINT", 3)})
	}
	value := map[string][]string{
		"VARCHAR": {"'x'", "'a,b'", "'%Y-%m-%d'", "'day'", "'2026-11-20'", "'(a+)+$'"}, "BLOB": {"\\x00\\xff", "", "abc"}, "BOOLEAN": {"true", "false"}, "BIT": {"101", "0"},
		"DATE": {"2026-11-20", "infinity", "1970-01-01"}, "TIME": {"24:00:00", "02:00"}, "UUID": {"0b9c4ae2-1f1c-4a5e-8c3c-0e8d6f4f6c11"}, "JSON": {`{"a": [1, null]}`, "[]", "1"},
		"INTERVAL": {"1 day", "1000000 years", "0 seconds"},
	}
	if one := value[name]; name == "VARCHAR" {
		return pick(w, one)
	} else if one != nil {
		return "CAST('" + pick(w, one) + "' AS " + name + ")"
	}
	if strings.HasPrefix(name, "TIME") {
		return "CAST('2026-11-20 02:00:00' AS " + name + ")"
	}
	return pick(w, []string{"1", "'x'", "[1, 2]", "NULL", "{'a': 1}"})
}

// text is a literal with a meaning somewhere: a path, an address, a statement, a pattern, a name, or much.
func (w *writer) text() string {
	return pick(w, []string{"'x'", "''", "'FILE'", "'SECRET'", "'DIR/*'", "'URL'", "'DATA'", "'/proc/self/environ'", "'/dev/stdout'", "'/proc/self/fd/3'", "'FROM runs'", "'COPY runs TO ''FILE'''",
		"'FROM enable_logging(storage=''stdout'')'", "'runs'", "'%s%n'", "'(a+)+$'", "'$[*]'", `'{"a": [1, {"b": null}]}'`, "'QueryLog'", "'memory_limit'", "'TimeZone'", "'httpfs'",
		"'2026-11-20'", "chr(0)", "repeat('x', 1000)", "repeat('[', 100000)", "repeat('x', 100000000)", "chr(27) || '[2J'", "'\U0001F6A2'", "$1", "'k'", "'csv'", "run_id"})
}

// literal is a value of any type.
func (w *writer) literal() string {
	switch w.IntN(6) {
	case 0, 1:
		return w.text()
	case 2:
		return w.ofType("BIGINT")
	case 3:
		return pick(w, []string{"NULL", "true", "[]", "[1, NULL]", "{'a': 1}", "MAP {'a': 1}", "'\\xAA'::BLOB", "current_setting('threads')", "1.5", "row(1, 2)", "'a'::ENUM('a', 'b')", "$1", "?"})
	case 4:
		return w.ofType("DATE")
	}
	return w.ofType("INTERVAL")
}

// setting changes or asks for a setting.
func (w *writer) setting() string {
	name, value := pick(w, w.settings), w.literal()
	if w.IntN(3) == 0 {
		f := pick(w, slices.Concat(w.pragmas, w.tables))
		return pick(w, []string{"PRAGMA ", "CALL "}) + w.named(f.name) + pick(w, []string{"", "(" + w.arguments(f) + w.option() + ")"})
	}
	return pick(w, []string{"SET " + name + " = " + value, "SET GLOBAL " + name + " = " + value, "SET SESSION " + name + " = " + value, "RESET " + name, "PRAGMA " + name,
		"PRAGMA " + name + " = " + value, "SELECT current_setting('" + name + "')", "SET VARIABLE " + name + " = " + value, "CALL " + name + "(" + value + ")"})
}

// other is a statement that does more than read.
func (w *writer) other() string {
	q, text := w.query(), w.text()
	return pick(w, []string{"COPY (" + q + ") TO " + text, "COPY (" + q + ") TO 'FILE' (FORMAT parquet)", "COPY runs TO 'FILE' (FORMAT csv, PARTITION_BY (run_id), OVERWRITE)", "COPY runs FROM " + text,
		"ATTACH " + text + " AS other", "ATTACH 'FILE' AS other (TYPE sqlite)", "ATTACH IF NOT EXISTS 'DATA' AS again", "DETACH fleet", "INSTALL " + text, "LOAD " + text, "FORCE INSTALL httpfs FROM 'URL'",
		"EXPORT DATABASE " + text, "IMPORT DATABASE " + text, "COPY FROM DATABASE fleet TO memory", "CREATE TABLE x AS " + q, "CREATE OR REPLACE TEMP VIEW vessels AS " + q, "CREATE TEMP MACRO count(x) AS 31337",
		"CREATE SECRET s (TYPE s3, KEY_ID 'x')", "CREATE PERSISTENT SECRET s (TYPE http)", "INSERT INTO runs " + q, "UPDATE vessels SET name = " + text, "DELETE FROM runs WHERE " + w.expression(), "DROP TABLE runs",
		"ALTER TABLE runs RENAME TO x", "CHECKPOINT", "VACUUM", "BEGIN", "USE temp", "PREPARE p AS " + q, "EXECUTE p(" + text + ")", "COMMENT ON TABLE runs IS " + text, "CREATE SEQUENCE s", "SET VARIABLE x = (" + q + ")",
		"CREATE TYPE t AS ENUM (" + q + ")", "MERGE INTO runs USING (" + q + ") AS s ON true WHEN MATCHED THEN DELETE", "ANALYZE", "UPDATE EXTENSIONS", "TRUNCATE runs", "SHOW " + text, "DESCRIBE " + q})
}
