package warehouse

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// answered is the answer of a statement as text, fields separated by commas and rows by semicolons.
func answered(t *testing.T, w *Warehouse, s Statement, e Encoding) (string, error) {
	t.Helper()
	rows, err := w.Spooled(t.Context(), s, e)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var b strings.Builder
	for values, err := range rows.All() {
		if err != nil {
			return "", err
		}
		for i, v := range values {
			if i > 0 {
				b.WriteString(",")
			}
			switch v := v.(type) {
			case string:
				b.WriteString(v)
			case []byte:
				b.Write(v)
			case nil:
				b.WriteString("NULL")
			}
			if raw, ok := v.(interface{ MarshalJSON() ([]byte, error) }); ok {
				text, err := raw.MarshalJSON()
				must(t, err)
				b.Write(text)
			}
		}
		b.WriteString(";")
	}
	return b.String(), nil
}

// confined opens the warehouse as `fleetlake query --out` does: it may write into one directory.
func confined(t *testing.T, dir string) *Warehouse {
	t.Helper()
	w, err := Open(t.Context(), Path(dir), Options{Confine: []string{dir}})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

func TestParameters(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := sandboxed(t, dir)
	for name, c := range map[string]struct {
		text, want string
		params     map[string]string
	}{
		"bound":                          {"SELECT $a || '!'", "x!;", map[string]string{"a": "x"}},
		"read as a variable":             {"SELECT getvariable('a')::DATE + 1", "2026-11-21;", map[string]string{"a": "2026-11-20"}},
		"both, and twice":                {"SELECT $a, getvariable('b'), $a", "1,2,1;", map[string]string{"a": "1", "b": "2"}},
		"in another case":                {"SELECT $Night, getvariable('NIGHT')", "n,n;", map[string]string{"nIGHT": "n"}},
		"compared with a date":           {"SELECT DATE '2026-11-20' = $a", "true;", map[string]string{"a": "2026-11-20"}},
		"as a limit":                     {"FROM range(9) LIMIT $n", "0;1;", map[string]string{"n": "2"}},
		"calculated with":                {"SELECT $n::INTEGER + 1", "3;", map[string]string{"n": "2"}},
		"a value is no SQL":              {"SELECT $a", "'; DROP TABLE runs; --;", map[string]string{"a": "'; DROP TABLE runs; --"}},
		"a variable's value is no SQL":   {"SELECT getvariable('a')", "'; DROP TABLE runs; --;", map[string]string{"a": "'; DROP TABLE runs; --"}},
		"a name that is a keyword":       {"SELECT getvariable('select'), $from", "1,2;", map[string]string{"select": "1", "from": "2"}},
		"nothing":                        {"SELECT $a = ''", "true;", map[string]string{"a": ""}},
		"in a PIVOT, as a variable":      {"PIVOT (SELECT getvariable('a') AS k) ON k USING count(*)", "1;", map[string]string{"a": "x"}},
		"a variable that nobody set":     {"SELECT coalesce(getvariable('none'), 'its own')", "its own;", nil},
		"a variable of an earlier query": {"SELECT getvariable('a') IS NULL", "true;", nil},
		"in a DESCRIBE":                  {"SELECT count(*) FROM (DESCRIBE SELECT 1 AS a, 2 AS b) WHERE column_name = $c", "1;", map[string]string{"c": "b"}},
		"in what only looks like one":    {"SELECT '$a', $$b$$, \"$c\" FROM (SELECT 3 AS \"$c\")", "$a,b,3;", nil},
		"a value with a tab":             {"SELECT length($a)", "3;", map[string]string{"a": "a\tb"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := answered(t, w, Statement{c.text, c.params}, AsText)
			if err != nil || got != c.want {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestParametersThatAreWrong(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := sandboxed(t, dir)
	for name, c := range map[string]struct {
		text, want string
		params     map[string]string
	}{
		"no value":                   {"SELECT $night", "the parameter $night has no value", nil},
		"unknown":                    {"SELECT $night, getvariable('zone')", `no parameter "nigth"; it has: night, zone`, map[string]string{"nigth": "x"}},
		"unknown where none is":      {"SELECT 1", `no parameter "a"; it has none`, map[string]string{"a": "x"}},
		"without a name":             {"SELECT ?", "write $name", nil},
		"a number as the name":       {"SELECT $1", "write $name", nil},
		"a name that is SQL":         {"SELECT 1", "a name is a letter", map[string]string{`a" = 1; COPY runs TO 'x'; --`: "x"}},
		"bound in a PIVOT":           {"PIVOT (SELECT $a AS k) ON k USING count(*)", "cannot have parameters", map[string]string{"a": "x"}},
		"a value of another type":    {"SELECT $a::DATE", `invalid date field format: "yesterday"`, map[string]string{"a": "yesterday"}},
		"a variable of another type": {"SELECT getvariable('a')::DATE", `invalid date field format: "yesterday"`, map[string]string{"a": "yesterday"}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := answered(t, w, Statement{c.text, c.params}, AsText); !errors.Is(err, ErrStatement) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if _, err := w.ToParquet(t.Context(), Statement{c.text, c.params}, filepath.Join(dir, "x.parquet")); !errors.Is(err, ErrStatement) {
				t.Errorf("to Parquet: got %v, want %v", err, ErrStatement)
			}
		})
	}
}

// TestErrorsMarkTheLineAsWritten: what we put around a statement is not in its errors.
func TestErrorsMarkTheLineAsWritten(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := sandboxed(t, dir)
	for text, want := range map[string]string{
		"SELECT 'a'::INTEGER":                           "LINE 1: SELECT 'a'::INTEGER\n                  ^",
		"SELECT a::INTEGER FROM (VALUES ('x')) AS t(a)": "LINE 1: SELECT a::INTEGER FROM (VALUES ('x')) AS t(a)\n                ^",
		strings.Repeat("\n", 8) + "SELECT 'a'::INTEGER": "LINE 9: SELECT 'a'::INTEGER\n                  ^",
		strings.Repeat("\n", 9) + "SELECT 'a'::INTEGER": "LINE 10: SELECT 'a'::INTEGER\n                   ^",
		"-- why\nSELECT 1,\n  nme\nFROM vessels":        "LINE 3:   nme\n          ^",
		"SELECT 1\nFROM ships":                          "LINE 2: FROM ships\n             ^",
		"SELEC 1":                                       "LINE 1: SELEC 1\n        ^",
		"DESCRIBE SELECT nme\nFROM vessels":             "LINE 1: DESCRIBE SELECT nme\n                        ^",
	} {
		if _, err := answered(t, w, Statement{Text: text}, AsText); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: got\n%v\nwant\n%s", text, err, want)
		}
		if _, err := w.ToParquet(t.Context(), Statement{Text: text}, filepath.Join(dir, "x.parquet")); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q to Parquet: got\n%v\nwant\n%s", text, err, want)
		}
	}
	for text, want := range map[string]string{"SELECT flagg FROM vessels": `Candidate bindings: "flag"`, "FROM vesels": `Did you mean "vessels"`, "SELECT coutn(*) FROM runs": `Did you mean "count"`} {
		if _, err := answered(t, w, Statement{Text: text}, AsText); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v has no %s", text, err, want)
		}
	}
}

// TestNamesOfAnAnswerAreNoSQL: the names of columns, fields and values are put into our statements.
func TestNamesOfAnAnswerAreNoSQL(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := confined(t, dir)
	file := filepath.Join(dir, "written")
	path := filepath.Join(dir, "x.parquet")
	attack := `a"" FROM runs); COPY runs TO '` + file + `'; --`
	for name, c := range map[string]struct{ text, want, json string }{
		"a column":                 {`SELECT 1::HUGEINT AS "` + attack + `"`, "1;", "1;"},
		"a field":                  {`SELECT {'` + strings.ReplaceAll(attack, "'", "''") + `': 1::HUGEINT} IS NOT NULL AS a, {"HUGEINT": 1::HUGEINT} AS b`, "true,{'HUGEINT': 1};", `true,{"HUGEINT":1};`},
		"a field in the answer":    {`SELECT {"` + attack + `": 1::HUGEINT} AS b`, "", ""},
		"a value of an ENUM":       {`SELECT {'a': 'x'::ENUM('x', 'HUGEINT'')); COPY runs TO ''` + file + `''; --'), 'b': 1::HUGEINT} AS b`, "", ""},
		"a column that is rowid":   {"SELECT 100000 AS rowid, 7 AS rowid_", "100000,7;", "100000,7;"},
		"a column that is ROWID":   {`SELECT 100000::HUGEINT AS "ROWID"`, "100000;", "100000;"},
		"columns of the same name": {"SELECT 1 AS a, 2 AS A, 3 AS a_1", "1,2,3;", "1,2,3;"},
	} {
		t.Run(name, func(t *testing.T) {
			for e, want := range map[Encoding]string{AsText: c.want, AsJSON: c.json} {
				if got, err := answered(t, w, Statement{Text: c.text}, e); err != nil || want != "" && got != want {
					t.Errorf("got %q, %v, want %q", got, err, want)
				}
			}
			if n, err := w.ToParquet(t.Context(), Statement{Text: c.text}, path); err != nil || n != 1 {
				t.Errorf("to Parquet: %d rows, %v", n, err)
			}
			if _, err := os.Stat(file); err == nil {
				t.Fatal("a file was written")
			}
		})
	}
}
