package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/warehouse"
)

// TestQuery asks one small night.
func TestQuery(t *testing.T) {
	t.Parallel()
	w, _ := queried(t)
	for name, ask := range map[string]func(*testing.T, *world){
		"worked queries by name": workedQueriesByName, "errors": sqlErrors, "formats": everyFormat, "SQL of files": sqlOfFiles, "plans": plansAreDrawn,
		"the examples of the help": examplesOfTheHelp, "completion": completion,
		"an error with escapes": anErrorMovesNoCursor, "time zones": timeZones, "examples of the lake": examplesOfTheLake, "queries of a person's own": ownQueries, "what the documents show": snippetsOfTheDocuments,
	} {
		t.Run(name, func(t *testing.T) { ask(t, w.of(t)) })
	}
}

// timeZones writes an instant in the zone that a person chose, and says which it is.
func timeZones(t *testing.T, w *world) {
	const instant = "SELECT TIMESTAMPTZ '2026-11-20 02:00:00+00' AS seen, [seen] AS several"
	for zone, want := range map[string]string{"": "2026-11-20T02:00:00Z", "Asia/Tokyo": "2026-11-20T11:00:00+09:00", "Asia/Kathmandu": "2026-11-20T07:45:00+05:45", "America/St_Johns": "2026-11-19T22:30:00-03:30", "UTC": "2026-11-20T02:00:00+00:00"} {
		for _, format := range []string{"table", "markdown", "csv", "json"} {
			got := w.must(exitDone, "query", "--timezone", zone, "--format", format, instant).stdout
			if !strings.Contains(got, want) {
				t.Errorf("%s in %q: %s, want %s", format, zone, got, want)
			}
			if named := strings.Contains(got, "seen ("+zone+")"); named != (zone != "" && (format == "table" || format == "markdown")) {
				t.Errorf("%s in %q has the header of\n%s", format, zone, got)
			}
		}
	}
	for _, zone := range []string{"Asia/Tokio", "Local", "+09"} {
		if got := w.must(exitUsage, "query", "--timezone", zone, instant).stderr; !strings.Contains(got, "want the name of a time zone") {
			t.Errorf("%s: %s", zone, got)
		}
	}
}

// examplesOfTheLake runs the examples that schema shows for the tables of the lake as the examples themselves say.
func examplesOfTheLake(t *testing.T, w *world) {
	ran := 0
	for _, table := range []string{"listings", "sightings", "particulars", "engine", "management", "positions", "requests", "coverage", "issues", "vessels"} {
		_, example, ok := strings.Cut(w.must(exitDone, "schema", "lake."+table).stdout, "\nExample\n")
		if !ok {
			t.Errorf("lake.%s has no example", table)
			continue
		}
		if _, err := os.Stat(filepath.Join(w.dir, "fleetlake-data", "lake", table)); err != nil {
			continue // the night has no row of it, and its files do not exist
		}
		if got := w.must(exitDone, "query", "--unsafe-files", strings.TrimSpace(example)).stdout; !strings.Contains(got, "row") {
			t.Errorf("lake.%s: %s", table, got)
		}
		ran++
	}
	if ran < 5 {
		t.Errorf("%d examples ran", ran)
	}
}

// ownQueries puts files into the directory that the configuration names.
func ownQueries(t *testing.T, w *world) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(dir, "own.yaml")
	put("own.yaml", "data_dir: "+filepath.Join(w.dir, "fleetlake-data")+"\nqueries_dir: "+dir+"\n")
	put("by_flag.sql", "-- My ships of a flag.\n-- param flag (flag): which one\nSELECT count(*) AS vessels FROM vessels WHERE flag = coalesce(getvariable('flag'), flag);\n")
	if got := w.must(exitDone, "query", "--config", config, "--list").stdout; !strings.Contains(got, "by_flag") || !strings.Contains(got, "My ships of a flag") || !strings.Contains(got, "gone_dark") {
		t.Errorf("listed: %s", got)
	}
	all := w.must(exitDone, "query", "--config", config, "by_flag", "--format", "csv").stdout
	some := w.must(exitDone, "query", "--config", config, "by_flag", "--param", "flag=PA", "--format", "csv").stdout
	if all == some || !strings.HasPrefix(some, "vessels\n") {
		t.Errorf("all %s, of Panama %s", all, some)
	}
	if got := w.must(exitUsage, "query", "--config", config, "by_flag", "--param", "flag=panama").stderr; !strings.Contains(got, "no flag of the data; the nearest: ") {
		t.Errorf("a wrong flag: %s", got)
	}
	put("broken.sql", "-- param x (y): z\nSELECT 1")
	got := w.must(exitUsage, "query", "--config", config, "--list")
	if !strings.Contains(got.stdout, "by_flag") || !strings.Contains(got.stderr, "broken.sql: param x (y): no such kind") {
		t.Errorf("beside a broken one: %s%s", got.stdout, got.stderr)
	}
	if got := w.must(exitUsage, "query", "--config", config, "broken").stderr; !strings.Contains(got, "no such kind") {
		t.Errorf("a broken one: %s", got)
	}
	w.must(exitDone, "query", "--config", config, "by_flag")
}

// workedQueriesByName lists the worked queries, prints them and runs them, and refuses what is none.
func workedQueriesByName(t *testing.T, w *world) {
	var listed []string
	for line := range strings.Lines(w.must(exitDone, "query", "--list", "--format", "ndjson").stdout) {
		var q struct{ Name, Title, Parameters string }
		if err := json.Unmarshal([]byte(line), &q); err != nil || q.Title == "" {
			t.Errorf("%s: %v", line, err)
		}
		listed = append(listed, q.Name)
	}
	if len(listed) < 15 || !slices.Contains(listed, exampleQuery) {
		t.Fatalf("the worked queries are %v, without the one of the help", listed)
	}
	text := w.must(exitDone, "query", "--show", exampleQuery).stdout
	if !strings.HasPrefix(text, "-- ") || !strings.Contains(text, "SELECT") {
		t.Errorf("no SQL: %s", text)
	}
	named := w.must(exitDone, "query", exampleQuery, "--format", "csv").stdout
	if copied := w.must(exitDone, "query", "--format", "csv", text).stdout; named != copied || named == "" {
		t.Errorf("%q by name, %q by its text", named, copied)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a mistyped name":            {[]string{"gone_drak"}, `no worked query "gone_drak"; did you mean "gone_dark"?`},
		"a part of a name":           {[]string{"dark"}, "did you mean gone_dark?"},
		"a table":                    {[]string{"vessels"}, `for a table: fleetlake query "FROM vessels"`},
		"a file":                     {[]string{"fleet.sql"}, "for a file: fleetlake query --file fleet.sql"},
		"SQL without quotes":         {[]string{"SELECT", "1"}, "put SQL in quotes"},
		"nothing":                    {nil, "--list"},
		"an unknown parameter":       {[]string{exampleQuery, "--param", "nigth=2026-11-20"}, "the worked query gone_dark has no such parameter; it has"},
		"a zone that is none":        {[]string{exampleQuery, "--param", "zone=red-see"}, "--param zone=red-see: no zone of the data; the nearest: red-sea"},
		"a flag in another spelling": {[]string{"deadweight_by_flag", "--param", "flag=pa"}, "the nearest: PA"},
		"no category":                {[]string{"tankers_reflagged", "--param", "category=tankers"}, "the nearest: tanker"},
		"a day that is no date":      {[]string{"what_changed", "--param", "night=2026-13-01"}, "want a night, such as 20"},
		"a night outside the data":   {[]string{"known_then", "--param", "night=2031-01-01"}, "the data have the nights from"},
		"an instant that is none":    {[]string{"fleet_as_of", "--param", "moment=noon"}, "or an instant, such as"},
		"a number of no vessel":      {[]string{"vessel_life", "--param", "vessel=12"}, "no vessel of the data; the nearest: "},
		"a parameter without a name": {[]string{"SELECT 1", "--param", "=x"}, "want NAME=VALUE"},
		"a parameter twice":          {[]string{"SELECT $a", "--param", "a=1", "--param", "A=2"}, "--param A is given twice"},
		"a list that is more":        {[]string{"--list", "x"}, "--list goes with --format"},
		"nothing to show":            {[]string{"--show"}, "needs the name of one worked query"},
		"no SQL to show":             {[]string{"--show", "SELECT 1"}, "no worked query"},
	} {
		t.Run(name, func(t *testing.T) {
			if o := w.of(t).must(exitUsage, append([]string{"query"}, c.args...)...); !strings.Contains(o.stderr, c.want) {
				t.Errorf("%s has no %q", o.stderr, c.want)
			}
		})
	}
}

// anErrorMovesNoCursor: an error of DuckDB repeats what the service has sent, as text with escapes.
func anErrorMovesNoCursor(t *testing.T, w *world) {
	o := w.fleetlake("query", "SELECT error('a' || chr(27) || '[2J' || chr(155) || chr(127) || chr(10) || 'b')")
	if o.code == exitDone || strings.ContainsAny(o.stderr, "\x1b\x7f\u009b") || !strings.Contains(o.stderr, `a\x1b[2J\u009b\x7f`+"\nb") {
		t.Errorf("%d %q", o.code, o.stderr)
	}
}

// TestKnownParameters: a worked query takes the parameters that its comment describes, and no other.
func TestKnownParameters(t *testing.T) {
	q := warehouse.WorkedQuery{Name: "fleet", Params: []warehouse.Parameter{{Name: "night"}, {Name: "flag"}}}
	if err := knownParameters(q, map[string]string{"Night": "x", "flag": ""}); err != nil {
		t.Error(err)
	}
	err := knownParameters(q, map[string]string{"nights": "x"})
	if err == nil || !strings.Contains(err.Error(), `it has: night, flag; did you mean "night"?`) || exitCode(err) != exitUsage {
		t.Errorf("got %v", err)
	}
}

// sqlErrors checks that an error in SQL is exit code 2 and marks its place, in a file with the file's line.
func sqlErrors(t *testing.T, w *world) {
	w.write("fleet.sql", "\ufeff-- the fleet\r\nSELECT name,\n       flagg\nFROM vessels\nWHERE flag = $flag\n")
	w.write("empty.sql", " \n")
	for name, c := range map[string]struct {
		code int
		args []string
		want string
	}{
		"in the command line":      {exitSQL, []string{"SELECT nme FROM vessels"}, "fleetlake: Binder Error: Referenced column \"nme\" not found in FROM clause!\nCandidate bindings: \"name\""},
		"its place":                {exitSQL, []string{"SELECT nme FROM vessels"}, "LINE 1: SELECT nme FROM vessels\n               ^\n"},
		"in a file":                {exitSQL, []string{"--file", "fleet.sql", "--param", "flag=PA"}, "fleetlake: fleet.sql:3: Binder Error: Referenced column \"flagg\""},
		"its place in a file":      {exitSQL, []string{"--file", "fleet.sql", "--param", "flag=PA"}, "LINE 3:        flagg\n               ^\n"},
		"no value of a parameter":  {exitSQL, []string{"SELECT $flag"}, "the parameter $flag has no value"},
		"a parameter too many":     {exitSQL, []string{"SELECT $flag", "-p", "flg=PA"}, `no parameter "flg"; it has: flag`},
		"a missing table":          {exitSQL, []string{"FROM vesels"}, `Did you mean "vessels"`},
		"a value":                  {exitSQL, []string{"SELECT 'x'::INTEGER", "--out", "x.csv"}, "LINE 1: SELECT 'x'::INTEGER\n"},
		"not only reading":         {exitSQL, []string{"DROP TABLE runs"}, "only one statement that reads"},
		"several statements":       {exitSQL, []string{"SELECT 1; SELECT 2"}, "only one statement that reads"},
		"files":                    {exitSQL, []string{"FROM 'x.csv'"}, "--unsafe-files"},
		"too many digits":          {exitSQL, []string{"SELECT 170141183460469231731687303715884105727::HUGEINT AS n", "-o", "x.parquet"}, "n has a longer one"},
		"a plan in Parquet":        {exitSQL, []string{"EXPLAIN SELECT 1", "-o", "x.parquet"}, "query plan"},
		"a file that is not there": {exitUsage, []string{"--file", "none.sql"}, "none.sql: no such file"},
		"a file without SQL":       {exitUsage, []string{"--file", "empty.sql"}, "empty.sql has no SQL"},
		"a file and SQL":           {exitUsage, []string{"--file", "fleet.sql", "SELECT 1"}, "want one statement"},
		"an unknown format":        {exitUsage, []string{"--format", "xml", "SELECT 1"}, "table, csv, json, ndjson, markdown, parquet"},
		"an unknown extension":     {exitUsage, []string{"--out", "x.xlsx", "SELECT 1"}, `the extension ".xlsx" says no format`},
		"Parquet without a file":   {exitUsage, []string{"--format", "parquet", "SELECT 1"}, "needs --out FILE"},
	} {
		t.Run(name, func(t *testing.T) {
			w := w.of(t)
			if o := w.must(c.code, append([]string{"query"}, c.args...)...); !strings.Contains(o.stderr, c.want) || o.stdout != "" {
				t.Errorf("%s\nhas no %q, or the standard output has %q", o.stderr, c.want, o.stdout)
			}
		})
	}
	if left, err := filepath.Glob(filepath.Join(w.dir, "x.*")); err != nil || len(left) > 0 {
		t.Errorf("a failed query left %v, %v", left, err)
	}
}

// everyFormat writes one answer, which is a PIVOT, in each format, by its name and by the extension
// of the file; the standard output has the same as the file.
func everyFormat(t *testing.T, w *world) {
	const sql = "PIVOT (VALUES ('a', 9007199254740993::HUGEINT, TIMESTAMPTZ '2026-11-20 03:00:00+01'), ('b', NULL, NULL)) AS t(k, n, seen) ON k USING any_value(n) AS n, any_value(seen) AS seen"
	want := map[string]string{
		"table":    "│              a_n │ a_seen               │ b_n │ b_seen │",
		"csv":      "a_n,a_seen,b_n,b_seen\n9007199254740993,2026-11-20T02:00:00Z,,\n",
		"json":     "[\n{\"a_n\":9007199254740993,\"a_seen\":\"2026-11-20T02:00:00Z\",\"b_n\":null,\"b_seen\":null}\n]\n",
		"ndjson":   "{\"a_n\":9007199254740993,\"a_seen\":\"2026-11-20T02:00:00Z\",\"b_n\":null,\"b_seen\":null}\n",
		"markdown": "| a_n | a_seen | b_n | b_seen |\n|--:|---|--:|---|\n| 9007199254740993 | 2026-11-20T02:00:00Z |  |  |\n",
	}
	for extension, format := range extensions {
		args := []string{"query", "--out", "answer" + extension, sql}
		o := w.must(exitDone, args...)
		b, err := os.ReadFile(filepath.Join(w.dir, "answer"+extension))
		if err != nil {
			t.Fatal(err)
		}
		if format == parquet {
			if !strings.Contains(o.stdout, "1 rows in answer.parquet") || !strings.HasPrefix(string(b), "PAR1") {
				t.Errorf("%s and %d bytes", o.stdout, len(b))
			}
			continue
		}
		piped := w.must(exitDone, "query", "--format", format, "--out", "-", sql).stdout
		if !strings.Contains(string(b), want[format]) || piped != string(b) || o.stdout != "" {
			t.Errorf("%s: %q in the file, %q on the standard output, want %q", extension, b, piped, want[format])
		}
	}
	for _, format := range console.Formats {
		if want[format] == "" || !slices.Contains(slices.Collect(maps.Values(extensions)), format) {
			t.Errorf("%s is not tried, or has no extension", format)
		}
	}
	piped := w.must(exitDone, "query", "--format", "parquet", "-o", "-", sql).stdout
	w.write("piped.parquet", piped)
	if got := w.must(exitDone, "query", "--unsafe-files", "-f", "csv", "SELECT a_n, typeof(a_n) AS t, a_seen, typeof(b_seen) AS u FROM 'piped.parquet'").stdout; got != "a_n,t,a_seen,u\n9007199254740993,\"DECIMAL(38,0)\",2026-11-20T02:00:00Z,TIMESTAMP WITH TIME ZONE\n" {
		t.Errorf("Parquet on the standard output has %q", got)
	}
}

// sqlOfFiles reads SQL from a file and from the standard input, with parameters.
func sqlOfFiles(t *testing.T, w *world) {
	const sql = "\ufeff-- two parameters\nSELECT $flag AS flag, getvariable('night')::DATE AS night, '' AS empty, NULL AS none;\n"
	const want = "flag,night,empty,none\nPA,2026-11-20,\"\",\n"
	w.write("two.sql", sql)
	params := []string{"--param", "flag=PA", "-p", "night=2026-11-20", "--format", "csv"}
	if got := w.must(exitDone, append([]string{"query", "--file", "two.sql"}, params...)...).stdout; got != want {
		t.Errorf("from a file: %q", got)
	}
	for _, args := range [][]string{{"query", "-"}, {"query", "--file", "-"}} {
		p := w.prepare(append(args, params...)...)
		p.cmd.Stdin = strings.NewReader(sql)
		if err := p.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if o, err := p.wait(); err != nil || o.stdout != want {
			t.Errorf("%v: %q, %v%s", args, o.stdout, err, o.stderr)
		}
	}
}

// plansAreDrawn checks that a plan is a drawing of several lines, and no cell of a table.
func plansAreDrawn(t *testing.T, w *world) {
	for _, sql := range []string{"EXPLAIN FROM runs", "EXPLAIN ANALYZE FROM runs"} {
		plan := w.must(exitDone, "query", sql).stdout
		if strings.Contains(plan, "explain_key") || strings.Contains(plan, `\n`) || strings.Count(plan, "\n") < 5 || !strings.Contains(plan, "SCAN") {
			t.Errorf("%s:\n%s", sql, plan)
		}
	}
	if got := w.must(exitDone, "query", "-f", "md", "EXPLAIN FROM runs").stdout; !strings.HasPrefix(got, "```\n") || !strings.HasSuffix(got, "\n```\n") {
		t.Errorf("Markdown: %s", got)
	}
	var rows []struct {
		Key   string `json:"explain_key"`
		Value string `json:"explain_value"`
	}
	if err := json.Unmarshal([]byte(w.must(exitDone, "query", "-f", "json", "EXPLAIN FROM runs").stdout), &rows); err != nil || len(rows) != 1 || !strings.Contains(rows[0].Value, "\n") {
		t.Errorf("JSON: %v, %v", rows, err)
	}
}

// completion checks that the shell gets the names of what is there, and nothing, silently, where nothing is.
func completion(t *testing.T, w *world) {
	run := strings.TrimSpace(strings.TrimPrefix(w.csv("SELECT run_id FROM runs"), "run_id\n"))
	words := func(args ...string) []string {
		o := w.must(exitDone, append([]string{"__complete"}, args...)...)
		var found []string
		for line := range strings.Lines(o.stdout) {
			if word, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); !strings.HasPrefix(word, ":") {
				found = append(found, word)
			}
		}
		return found
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"tables":         {[]string{"schema", ""}, "vessels"},
		"worked queries": {[]string{"query", "gone"}, "gone_dark"},
		"formats":        {[]string{"query", "--format", ""}, "ndjson"},
		"runs":           {[]string{"runs", ""}, run},
		"jobs of run":    {[]string{"run", ""}, "nightly"},
		"jobs of plan":   {[]string{"plan", "n"}, "nightly"},
	} {
		if got := words(c.args...); !slices.Contains(got, c.want) {
			t.Errorf("%s: got %v, want %s among them", name, got, c.want)
		}
	}
	empty := t.TempDir()
	for _, args := range [][]string{{"schema", "--data", empty, ""}, {"runs", "--data", empty, ""}, {"run", "--config", filepath.Join(empty, "none.yaml"), ""}, {"schema", "vessels", ""}} {
		if got := words(args...); len(got) > 0 {
			t.Errorf("%v: got %v", args, got)
		}
	}
	if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
		t.Errorf("a completion made %v, %v", left, err)
	}
}

// examplesOfTheHelp runs them as they are written, in a shell.
func examplesOfTheHelp(t *testing.T, w *world) {
	w.write("fleet.sql", "SELECT vessel_id, getvariable('night')::DATE AS night FROM vessels\n")
	examples := (&app{}).queryCommand().Example
	if strings.Count(examples, "\n") < 5 {
		t.Fatalf("few examples: %s", examples)
	}
	for line := range strings.Lines(examples) {
		p := w.prepare("query")
		p.cmd.Path, p.cmd.Args = "/bin/sh", []string{"sh", "-e", "-c", `fleetlake() { "` + os.Args[0] + `" "$@"; }; ` + strings.TrimSpace(line)}
		if err := p.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if o, err := p.wait(); err != nil || o.code != exitDone || o.stderr != "" {
			t.Errorf("%s: exit code %d, %v\n%s", line, o.code, err, o.stderr)
		}
	}
	for _, name := range []string{"gone.csv", "fleet.parquet"} {
		if info, err := os.Stat(filepath.Join(w.dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
