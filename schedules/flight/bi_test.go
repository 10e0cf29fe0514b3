package flight

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/flight/flightsql"
	pb "github.com/apache/arrow/go/v17/arrow/flight/gen/flight"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// TestWhatBIToolsAsk replays what BI tools ask through their drivers: JDBC (DBeaver, Tableau, Power BI, Metabase)
// and ADBC (Superset, dbt).
func TestWhatBIToolsAsk(t *testing.T) {
	f := newServer(t, nil)
	for name, ask := range map[string]func(*testing.T, *client){
		"facts": everyFactHasAnAnswer, "functions": announcedFunctionsExist, "statements": statementsAreAnswered, "columns": columnsAreKnownBefore,
		"patterns": patternsAreUnderstood, "sessions": sessionsHaveOptions,
	} {
		t.Run(name, func(t *testing.T) { ask(t, f.client()) })
	}
}

// everyFactHasAnAnswer asks for each fact of the protocol by its number, as the JDBC driver
// does before it shows a connection: where one has no answer, the driver ends with a null pointer.
func everyFactHasAnAnswer(t *testing.T, c *client) {
	var all []flightsql.SqlInfo
	for number := range pb.SqlInfo_name {
		all = append(all, flightsql.SqlInfo(number))
	}
	got := c.listed(c.GetSqlInfo(t.Context(), all))
	for _, number := range all {
		if !strings.Contains(";"+got, fmt.Sprintf(";%d ", number)) {
			t.Errorf("%s, %d, has no answer", pb.SqlInfo_name[int32(number)], number)
		}
	}
}

// announcedFunctionsExist runs the functions and keywords that clients are told of past the engine.
func announcedFunctionsExist(t *testing.T, c *client) {
	exist := strings.Split(c.good("SELECT DISTINCT function_name FROM duckdb_functions()"), ";")
	keywords := strings.Split(c.good("SELECT upper(keyword_name) FROM duckdb_keywords()"), ";")
	for info, values := range grammar {
		names, ok := values.([]string)
		if !ok {
			continue
		}
		for _, name := range names {
			if info == flightsql.SqlInfoKeywords && !slices.Contains(keywords, name) {
				t.Errorf("no keyword %s", name)
			}
			if info != flightsql.SqlInfoKeywords && !slices.Contains(exist, name) && !slices.Contains([]string{"coalesce", "ifnull", "nullif", "position", "current_catalog"}, name) {
				t.Errorf("no function %s", name)
			}
		}
	}
	if got := c.good("SELECT coalesce(NULL, 1), ifnull(NULL, 2), nullif(1, 1), position('b' IN 'ab'), current_catalog()"); got != "1 2 (null) 2 fleet;" {
		t.Errorf("what the grammar has and no list of functions: %s", got)
	}
}

// statementsAreAnswered runs what such tools make of a table, a column or a person's query.
func statementsAreAnswered(t *testing.T, c *client) {
	night := c.good(`SELECT strftime(max(snapshot_date), '%Y-%m-%d') FROM runs`)
	for what, s := range map[string]struct{ sql, want string }{
		"a table by catalog and schema":             {`SELECT count(*) FROM "fleet"."main"."runs"`, "1;"},
		"a table by schema":                         {`SELECT count(*) FROM "main"."runs"`, "1;"},
		"a name in another case":                    {`SELECT COUNT("RUN_ID") AS "Count" FROM "fleet"."main"."RUNS" "RUNS"`, "1;"},
		"columns by table (DBeaver)":                {`SELECT "runs"."snapshot_date"::VARCHAR FROM "fleet"."main"."runs" "runs" ORDER BY "runs"."snapshot_date" DESC LIMIT 200 OFFSET 0`, night},
		"the columns of a query (Tableau)":          {"SELECT * FROM (\n  SELECT run_id AS a FROM runs\n) \"Custom SQL Query\"\nLIMIT 0", ""},
		"the columns of a query (Superset)":         {`SELECT * FROM (SELECT 1 AS x) AS virtual_table LIMIT 0`, ""},
		"no rows (Power BI)":                        {`select * from "fleet"."main"."runs" where 1 = 0`, ""},
		"the first rows (Power BI)":                 {`select "$Table"."job" from "fleet"."main"."runs" "$Table" limit 1000`, "nightly;"},
		"sums by a column (Tableau)":                {`SELECT "runs"."job" AS "job", SUM(CAST(1 AS BIGINT)) AS "sum:n:ok" FROM "fleet"."main"."runs" "runs" GROUP BY 1 HAVING (COUNT(1) > 0)`, "nightly 1;"},
		"parts of a date (Tableau)":                 {`SELECT CAST(EXTRACT(YEAR FROM "runs"."snapshot_date") AS INTEGER) AS "yr:ok" FROM "fleet"."main"."runs" "runs" GROUP BY 1`, night[:4] + ";"},
		"a month by date_trunc (Superset)":          {`SELECT DATE_TRUNC('month', snapshot_date)::DATE AS __timestamp, COUNT(*) AS count FROM main.runs GROUP BY DATE_TRUNC('month', snapshot_date) ORDER BY count DESC LIMIT 1000`, night[:8] + "01 1;"},
		"an hour by $__dateBin (Grafana)":           {`SELECT date_bin(interval '3600 second', TIMESTAMPTZ '2026-11-20 02:59:00+00', timestamp '1970-01-01T00:00:00Z')`, "2026-11-20 02:00:00Z;"},
		"a day of dates by $__dateBin (Grafana)":    {`SELECT count(*) FROM (SELECT date_bin(interval '86400 second', snapshot_date, timestamp '1970-01-01T00:00:00Z') AS time FROM runs) WHERE time IN (SELECT snapshot_date FROM runs)`, "1;"},
		"a name with a quote":                       {`SELECT 1 AS "a ""quoted"" name"`, "1;"},
		"a text with a quote":                       {`SELECT 'it''s'`, "it's;"},
		"a statement that ends (DBeaver)":           {"SELECT 1;", "1;"},
		"a comment before (Superset, dbt)":          {"/* {\"app\": \"dbt\"} */\n-- user\nselect 1", "1;"},
		"the version (SQLAlchemy)":                  {"SELECT 'fleetlake' || left(version(), 1)", "fleetlakev;"},
		"the catalog and the schema":                {"SELECT current_catalog(), current_schema()", "fleet main;"},
		"is it there? (pool of connections)":        {"SELECT 1", "1;"},
		"the tables (Superset)":                     {"SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' AND table_name = 'runs'", "runs;"},
		"the columns (Metabase)":                    {"SELECT column_name FROM information_schema.columns WHERE table_catalog = 'fleet' AND table_schema = 'main' AND table_name = 'runs' AND ordinal_position = 1", "run_id;"},
		"all columns by DESCRIBE":                   {"SELECT count(*) > 10 FROM (DESCRIBE \"fleet\".\"main\".\"vessels\")", "true;"},
		"a query in a query with its own ordering":  {`SELECT * FROM (SELECT run_id IS NOT NULL AS "has id" FROM runs ORDER BY 1 LIMIT 10) "q" WHERE "has id"`, "true;"},
		"a common table expression over a subquery": {`WITH "__cte" AS (SELECT job FROM runs) SELECT "job" FROM "__cte" UNION ALL SELECT NULL WHERE 1 = 0`, "nightly;"},
	} {
		if got, err := c.query(t.Context(), s.sql); err != nil || got != s.want && got != s.want+";" {
			t.Errorf("%s: got %q, %v, want %q\n%s", what, got, err, s.want, s.sql)
		}
	}
}

// columnsAreKnownBefore prepares statements, as drivers do to fill a list of fields: what they
// announce is what they send.
func columnsAreKnownBefore(t *testing.T, c *client) {
	for sql, want := range map[string]string{
		`SELECT * FROM (SELECT run_id, requests, snapshot_date, started_at FROM "fleet"."main"."runs") "q" LIMIT 0`: "run_id utf8, requests int32, snapshot_date date32, started_at timestamp[us, tz=UTC]",
		`SELECT count(*) AS n, sum(requests) AS s, avg(requests) AS a FROM runs WHERE job = ?`:                      "n int64, s decimal(38, 0), a float64",
		`SELECT 1.50::DECIMAL(6, 2) AS "a ""b""", true AS t, [1] AS l`:                                              `a "b" decimal(6, 2), t bool, l list<item: int32, nullable>`,
	} {
		p, err := c.Prepare(t.Context(), sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		var got []string
		for _, f := range p.DatasetSchema().Fields() {
			got = append(got, f.Name+" "+f.Type.String())
		}
		if g := strings.Join(got, ", "); g != want {
			t.Errorf("%s: got %s, want %s", sql, g, want)
		}
		if n := p.ParameterSchema().NumFields(); n != strings.Count(sql, "?") {
			t.Errorf("%s: %d parameters", sql, n)
		}
		if info, err := p.Execute(t.Context()); strings.Contains(sql, "?") != (err != nil) && err != nil {
			t.Errorf("%s: %v", sql, err)
		} else if err == nil && !strings.Contains(sql, "?") {
			if announced, err := flight.DeserializeSchema(info.GetSchema(), memory.DefaultAllocator); err != nil || !announced.Equal(p.DatasetSchema()) {
				t.Errorf("%s: prepared as %v, executed as %v", sql, p.DatasetSchema(), announced)
			}
			if _, err := c.read(t.Context(), info); err != nil {
				t.Errorf("%s: %v", sql, err)
			}
		}
		if err := p.Close(t.Context()); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// patternsAreUnderstood has the patterns that drivers make of a name, in which _ and % are escaped or not.
func patternsAreUnderstood(t *testing.T, c *client) {
	for what, q := range map[string]struct {
		o    *flightsql.GetTablesOpts
		want string
	}{
		"an escaped underscore":           {&flightsql.GetTablesOpts{TableNameFilterPattern: pointer(`fleet\_daily`)}, "fleet main fleet_daily TABLE;"},
		"an underscore":                   {&flightsql.GetTablesOpts{TableNameFilterPattern: pointer("fleet_daily")}, "fleet main fleet_daily TABLE;"},
		"an escaped percent":              {&flightsql.GetTablesOpts{TableNameFilterPattern: pointer(`fleet\%`)}, ""},
		"a percent":                       {&flightsql.GetTablesOpts{TableNameFilterPattern: pointer("fleet\\_d%")}, "fleet main fleet_daily TABLE;"},
		"all schemas":                     {&flightsql.GetTablesOpts{DbSchemaFilterPattern: pointer("%"), TableNameFilterPattern: pointer("runs")}, "fleet main runs TABLE;"},
		"a schema that there is not":      {&flightsql.GetTablesOpts{DbSchemaFilterPattern: pointer("public"), TableNameFilterPattern: pointer("runs")}, ""},
		"a catalog that there is not":     {&flightsql.GetTablesOpts{Catalog: pointer("other"), TableNameFilterPattern: pointer("runs")}, ""},
		"an empty catalog has no tables":  {&flightsql.GetTablesOpts{Catalog: pointer(""), TableNameFilterPattern: pointer("runs")}, ""},
		"an empty list of types is each":  {&flightsql.GetTablesOpts{TableNameFilterPattern: pointer("runs"), TableTypes: []string{}}, "fleet main runs TABLE;"},
		"types that there are not":        {&flightsql.GetTablesOpts{TableNameFilterPattern: pointer("runs"), TableTypes: []string{"SYSTEM TABLE", "BASE TABLE"}}, ""},
		"an escape at the end of a name":  {&flightsql.GetTablesOpts{TableNameFilterPattern: pointer(`runs\`)}, ""},
		"an escape before a plain letter": {&flightsql.GetTablesOpts{TableNameFilterPattern: pointer(`r\uns`)}, "fleet main runs TABLE;"},
	} {
		info, err := c.GetTables(t.Context(), q.o)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if got, err := c.read(t.Context(), info); err != nil || got != q.want {
			t.Errorf("%s: got %q, %v, want %q", what, got, err, q.want)
		}
	}
}

// sessionsHaveOptions sets, reads and closes: what holds anyway is accepted, and of all else the client learns
// that it does not hold.
func sessionsHaveOptions(t *testing.T, c *client) {
	set, err := flight.NewSessionOptionValues(map[string]any{"catalog": "fleet", "schema": "other", "memory_limit": "1TB"})
	if err != nil {
		t.Fatal(err)
	}
	result, err := c.SetSessionOptions(t.Context(), &flight.SetSessionOptionsRequest{SessionOptions: set})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for name, e := range result.GetErrors() {
		got[name] = e.GetValue().String()
	}
	if want := map[string]string{"schema": "INVALID_VALUE", "memory_limit": "INVALID_NAME"}; !maps.Equal(got, want) {
		t.Errorf("errors %v, want %v", got, want)
	}
	options, err := c.GetSessionOptions(t.Context(), &flight.GetSessionOptionsRequest{})
	if err != nil || options.GetSessionOptions()["catalog"].GetStringValue() != "fleet" || options.GetSessionOptions()["schema"].GetStringValue() != "main" {
		t.Errorf("options %v, %v", options, err)
	}
	if catalog := c.good("SELECT current_catalog() || '.' || current_schema()"); catalog != "fleet.main;" {
		t.Errorf("the session is in %s", catalog)
	}
	if closed, err := c.CloseSession(t.Context(), &flight.CloseSessionRequest{}); err != nil || closed.GetStatus() != flight.CloseSessionResultClosed {
		t.Errorf("closed: %v, %v", closed, err)
	}
	if _, err := c.BeginTransaction(t.Context()); err == nil {
		t.Error("a transaction has begun")
	}
}
