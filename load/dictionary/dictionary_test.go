package dictionary_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/load/dictionary"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/warehouse"
)

func TestMain(m *testing.M) { os.Exit(pipelinetest.Run(m)) }

// twoNights opens the warehouse of two nights, and reads its dictionary.
func twoNights(t *testing.T) (string, *warehouse.Warehouse, dictionary.Dictionary) {
	t.Helper()
	dir := pipelinetest.TwoNights(t)
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	d, err := dictionary.Read(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return dir, w, d
}

// unasked is the one table of the lake without a file in two nights that ask no questions.
const unasked = "lake.raw_answers"

func entries(d dictionary.Dictionary) (all []dictionary.Entry) {
	for _, g := range d.Groups {
		all = append(all, g.Entries...)
	}
	return all
}

// ask returns the rows of a statement, as texts.
func ask(t *testing.T, w *warehouse.Warehouse, text string) (rows [][]string) {
	t.Helper()
	answer, err := w.Query(t.Context(), text)
	if err != nil {
		t.Errorf("%s\n%v", text, err)
		return nil
	}
	defer answer.Close()
	for values, err := range answer.All() {
		if err != nil {
			t.Errorf("%s\n%v", text, err)
			return rows
		}
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = fmt.Sprint(v)
		}
		rows = append(rows, row)
	}
	return rows
}

// asked returns the rows of a statement as a person gets them: from the table in which the program stores them.
func asked(t *testing.T, w *warehouse.Warehouse, text string) (all [][]string) {
	t.Helper()
	rows, err := w.Spooled(t.Context(), warehouse.Statement{Text: text}, warehouse.AsText)
	if err != nil {
		t.Errorf("%s\n%v", text, err)
		return nil
	}
	defer rows.Close()
	for values, err := range rows.All() {
		if err != nil {
			t.Errorf("%s\n%v", text, err)
			return all
		}
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = fmt.Sprint(v)
		}
		all = append(all, row)
	}
	return all
}

// numbers are columns of numbers that count or measure nothing.
var numbers = strings.Fields("imo entry http_status")

// TestEveryEntryIsDescribed fails for a table, a view, a macro or a column that has no comment, that
// nothing says how to identify a row of, or where its rows come from.
func TestEveryEntryIsDescribed(t *testing.T) {
	_, _, d := twoNights(t)
	for _, e := range entries(d) {
		if e.Comment == "" || e.Example == "" || len(e.Keys) == 0 || len(e.Columns) == 0 || e.Group == "" {
			t.Errorf("%s: comment %q, example %q, keys %v, %d columns, group %q", e.Name, e.Comment, e.Example, e.Keys, len(e.Columns), e.Group)
		}
		if len(e.Operations) == 0 && e.Lineage.Origin == "" {
			t.Errorf("%s: nothing says where its rows come from", e.Name)
		}
		columns := map[string]warehouse.Definition{}
		for _, c := range e.Columns {
			columns[c.Name] = c
			if strings.Trim(c.Comment, " .") == "" {
				t.Errorf("%s.%s has no comment", e.Name, c.Name)
			}
			isNumber := slices.Contains([]string{"INTEGER", "BIGINT", "DOUBLE", "HUGEINT", "UBIGINT"}, c.Type)
			if isNumber && c.Unit == "" && !c.Internal && !slices.Contains(numbers, c.Name) {
				t.Errorf("%s.%s has no unit", e.Name, c.Name)
			}
			if c.Internal && !strings.HasPrefix(c.Comment, "Internal: ") {
				t.Errorf("%s.%s is internal, and its comment is %q", e.Name, c.Name, c.Comment)
			}
			if e.Kind == dictionary.KindLake && c.FieldID == 0 {
				t.Errorf("%s.%s has no field id", e.Name, c.Name)
			}
			if strings.HasPrefix(c.Type, "TIMESTAMP") && c.Type != "TIMESTAMP WITH TIME ZONE" {
				t.Errorf("%s.%s is a %s", e.Name, c.Name, c.Type)
			}
		}
		for _, key := range e.Keys {
			if _, ok := columns[key]; !ok {
				t.Errorf("%s has no column %s, which is to identify a row", e.Name, key)
			}
		}
		if e.Kind == warehouse.KindMacro {
			var parameters []string
			for _, p := range e.Parameters {
				parameters = append(parameters, p.Name)
				if p.Meaning == "" {
					t.Errorf("%s: nothing says what %s is", e.Name, p.Name)
				}
			}
			if want := e.Name + "(" + strings.Join(parameters, ", ") + ")"; e.Signature != want {
				t.Errorf("%s is described as %s", e.Signature, want)
			}
		}
	}
}

// TestWhatIsInternalIsLeftOut checks that analysts do not get what only the program reads.
func TestWhatIsInternalIsLeftOut(t *testing.T) {
	_, w, d := twoNights(t)
	for _, name := range []string{"latest", "schema_migrations", "internal.latest"} {
		if _, ok := d.Find(name); ok {
			t.Errorf("the dictionary has %s", name)
		}
	}
	registration, ok := d.Find("Registration")
	if !ok || slices.Compare(registration.InternalColumns(), []string{"fingerprint", "untold", "vessel_number"}) != 0 {
		t.Errorf("hidden columns of registration: %v", registration.InternalColumns())
	}
	for _, c := range registration.VisibleColumns() {
		if c.Internal {
			t.Errorf("%s is visible", c.Name)
		}
	}
	for _, catalogue := range []string{
		"SELECT table_schema, table_name FROM information_schema.tables", "SELECT table_schema, column_name FROM information_schema.columns", "SELECT schema_name FROM information_schema.schemata",
		"SELECT schema, name FROM (SHOW ALL TABLES)", "SELECT schema_name, view_name FROM duckdb_views()", "SELECT nspname FROM pg_catalog.pg_namespace", "SELECT relname FROM pg_catalog.pg_class",
		"SELECT name FROM sqlite_master", "SELECT schema_name, function_name FROM duckdb_functions()", "SELECT schema_name, table_name FROM duckdb_tables",
	} {
		rows := asked(t, w, catalogue)
		for _, row := range rows {
			if strings.Contains(strings.Join(row, " ")+" ", "internal ") || slices.Contains(row, "fleetlake_answer") || slices.Contains(row, "doubtful_values") || slices.Contains(row, "schema_migrations") {
				t.Errorf("%s has %v", catalogue, row)
			}
		}
		if len(rows) == 0 {
			t.Errorf("%s has nothing", catalogue)
		}
	}
	if rows := ask(t, w, "SELECT table_name FROM system.main.duckdb_tables() WHERE schema_name = 'internal'"); len(rows) < 2 {
		t.Errorf("the schema internal has %v", rows)
	}
}

// TestEveryExampleRuns runs the examples of all entries, from another directory than that of the data. Only cases that a
// quiet week may not have can be without a row.
func TestEveryExampleRuns(t *testing.T) {
	_, w, d := twoNights(t)
	mayBeEmpty := strings.Fields("gone_dark ownership_changes identity_conflicts zone_congestion arrivals departures episodes zone_daily listed second_mmsi_claims mmsi_claims issues lake.issues lake.sightings lake.engine lake.management vessel_conflicts raw_answers")
	for _, e := range entries(d) {
		if e.Name == unasked {
			continue
		}
		if rows := ask(t, w, e.Example); len(rows) == 0 && !slices.Contains(mayBeEmpty, e.Name) {
			t.Errorf("%s: its example returns nothing:\n%s", e.Name, e.Example)
		}
	}
}

// source is what the rows of an entry are selected from: a macro is called with the latest night.
func source(e dictionary.Entry) string {
	const night = "(SELECT max(snapshot_date) FROM runs)"
	switch {
	case e.Kind == dictionary.KindLake:
		return "read_parquet('" + e.Files + "', union_by_name = true, hive_partitioning = false)"
	case e.Kind != warehouse.KindMacro:
		return e.Name
	case e.Name == "changes_of":
		return "changes_of((SELECT max(vessel_id) FROM changes))"
	case e.Name == "vessels_near":
		return "vessels_near(0, 0, 20000)"
	case len(e.Parameters) == 2:
		return e.Name + "((SELECT min(snapshot_date) FROM runs), " + night + ")"
	}
	return e.Name + "(" + night + ")"
}

// TestKeysNullsAndReferencesAreTrue compares what the dictionary says of the rows of a week with them.
func TestKeysNullsAndReferencesAreTrue(t *testing.T) {
	dir, w, d := twoNights(t)
	t.Chdir(dir)
	for _, e := range entries(d) {
		if e.Name == unasked {
			continue
		}
		keys := strings.Join(e.Keys, ", ")
		wrong := []string{"CASE WHEN EXISTS (FROM (SELECT count(*) AS n FROM f GROUP BY " + keys + ") WHERE n > 1) THEN 'several rows of " + keys + "' END"}
		for _, c := range e.Columns {
			if !c.Nullable {
				wrong = append(wrong, "CASE WHEN (SELECT count(*) > count("+c.Name+") FROM f) THEN '"+c.Name+" is null' END")
			}
			if len(c.References) > 0 {
				wrong = append(wrong, "CASE WHEN EXISTS (FROM f WHERE "+c.Name+" IS NOT NULL AND NOT ("+found(c)+")) THEN '"+c.Name+" is in none of what it refers to' END")
			}
		}
		// the rows are computed once: some views take longer than all the checks
		if rows := ask(t, w, "WITH f AS MATERIALIZED (FROM "+source(e)+") SELECT concat_ws(', ', "+strings.Join(wrong, ", ")+")"); len(rows) != 1 || rows[0][0] != "" {
			t.Errorf("%s: %v", e.Name, rows)
		}
	}
}

// found is the condition that the value of a column is in one of those that it refers to. An entry is one
// of its run.
func found(c warehouse.Definition) string {
	var conditions []string
	for _, to := range c.References {
		table, column, _ := strings.Cut(to, ".")
		condition := "r." + column + " = f." + c.Name
		if to == "requests.entry" {
			condition += " AND r.run_id = f.run_id"
		}
		conditions = append(conditions, "EXISTS (FROM "+table+" AS r WHERE "+condition+")")
	}
	return strings.Join(conditions, " OR ")
}
