package warehouse

import (
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// typed are values of every type that an answer can have. Where we write another text than DuckDB's COPY
// on purpose, the text is here: an instant by RFC 3339, a FLOAT with its own digits, and no NaN in JSON.
var typed = map[string]struct{ sql, text, json string }{
	"BOOLEAN":                    {sql: "true"},
	"TINYINT":                    {sql: "(-7)::TINYINT"},
	"BIGINT":                     {sql: "9223372036854775807"},
	"UBIGINT":                    {sql: "18446744073709551615::UBIGINT"},
	"HUGEINT":                    {sql: "170141183460469231731687303715884105727::HUGEINT"},
	"UHUGEINT":                   {sql: "340282366920938463463374607431768211455::UHUGEINT"},
	"BIGNUM":                     {sql: "12345678901234567890123456789012345678901234567890::BIGNUM"},
	"a sum of whole numbers":     {sql: "sum(9007199254740993)"},
	"DECIMAL":                    {sql: "1.10::DECIMAL(18,2)"},
	"a DECIMAL of many digits":   {sql: "12345678901234567890123456789012345.67::DECIMAL(38,2)"},
	"decimal places alone":       {sql: "-0.123456789012345678::DECIMAL(18,18)", json: "-0.123456789012345678"},
	"decimal places in a list":   {sql: "[0.123456789012345678::DECIMAL(18,18), 0]", json: "[0.123456789012345678,0.000000000000000000]"},
	"decimal places in a text":   {sql: "{'a': '.5', 'b': -2.5::DECIMAL(18,1)}"},
	"DOUBLE":                     {sql: "0.1::DOUBLE + 0.2::DOUBLE"},
	"a whole DOUBLE":             {sql: "12::DOUBLE"},
	"a great DOUBLE":             {sql: "1e300::DOUBLE", json: "1e+300"},
	"FLOAT":                      {sql: "0.1::FLOAT", json: "0.1"},
	"NaN":                        {sql: "'nan'::DOUBLE", json: "null"},
	"infinity":                   {sql: "'-inf'::FLOAT", json: "null"},
	"no number in a list":        {sql: "['nan'::DOUBLE, 'inf', '-inf', 1.5]", json: "[null,null,null,1.5]"},
	"words in a struct":          {sql: `{'a': 'NaN "Infinity" \', 'b': 'nan'::DOUBLE}`, json: `{"a":"NaN \"Infinity\" \\","b":null}`},
	"VARCHAR":                    {sql: `'EVER "GIVEN", <&> é'`},
	"digits with a zero":         {sql: "'002345678'"},
	"an empty text":              {sql: "''"},
	"NULL":                       {sql: "NULL"},
	"a NULL of a type":           {sql: "NULL::DOUBLE"},
	"BLOB":                       {sql: `'\xAB\x00a'::BLOB`},
	"BIT":                        {sql: "'0101'::BIT"},
	"UUID":                       {sql: "'30313233-3435-3637-3839-616263646566'::UUID"},
	"ENUM":                       {sql: "'b'::ENUM('a', 'b')"},
	"DATE":                       {sql: "DATE '2026-11-20'"},
	"a date without an end":      {sql: "DATE 'infinity'"},
	"TIME":                       {sql: "TIME '01:02:03.5'"},
	"TIMETZ":                     {sql: "TIMETZ '01:02:03+02'"},
	"TIMESTAMP":                  {sql: "TIMESTAMP '2026-11-20 01:02:03.4'"},
	"TIMESTAMP_NS":               {sql: "TIMESTAMP_NS '2026-11-20 01:02:03.123456789'"},
	"an instant":                 {sql: "TIMESTAMPTZ '2026-11-20 01:02:03.4+02'", text: "2026-11-19T23:02:03.4Z", json: `"2026-11-19T23:02:03.4Z"`},
	"an instant without an end":  {sql: "TIMESTAMPTZ 'infinity'"},
	"instants in a list":         {sql: "[TIMESTAMPTZ '2026-11-20 01:02:03+02']"},
	"INTERVAL":                   {sql: "INTERVAL '14 months 2 days 3.5 seconds'"},
	"LIST":                       {sql: "['a', '', NULL, 'b, c', 'it''s']"},
	"an empty list":              {sql: "[]::INTEGER[]"},
	"ARRAY":                      {sql: "array_value(1, 2)"},
	"STRUCT in its order":        {sql: "{'z': 'x y', 'a': NULL, 'h': 9007199254740993::HUGEINT}"},
	"MAP in its order":           {sql: "MAP {2: 'x', 1: NULL}"},
	"UNION":                      {sql: "union_value(k := 5)"},
	"JSON in its order":          {sql: `'{"z":1,"a":12345678901234567890123}'::JSON`},
	"lists in structs in a list": {sql: "[{'a': [1, 2], 'b': {'c': DATE '2026-11-20'}}]"},
}

// TestEveryTypeIsWrittenAsDuckDBDoes compares each with the file that DuckDB's COPY makes of it, which
// has to read back as the same value.
func TestEveryTypeIsWrittenAsDuckDBDoes(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := confined(t, dir)
	db, err := open(t.Context(), "")
	must(t, err)
	defer db.Close()
	for name, c := range typed {
		t.Run(name, func(t *testing.T) {
			s := Statement{Text: "SELECT " + c.sql + " AS v"}
			wantText, wantJSON := copied(t, db, s.Text)
			if c.text != "" {
				wantText = c.text
			}
			if c.json != "" {
				wantJSON = c.json
			}
			text, err := answered(t, w, s, AsText)
			if text = strings.TrimSuffix(text, ";"); err != nil || strings.TrimSuffix(text, "NULL") != wantText {
				t.Errorf("text %s, %v, want %s", text, err, wantText)
			}
			raw, err := answered(t, w, s, AsJSON)
			if raw = strings.ReplaceAll(strings.TrimSuffix(raw, ";"), "NULL", "null"); err != nil || raw != wantJSON || !json.Valid([]byte(raw)) {
				t.Errorf("JSON %s, %v, want %s", raw, err, wantJSON)
			}
			if name == "HUGEINT" || name == "UHUGEINT" {
				return // see TestParquetKeepsAllDigits
			}
			path := filepath.Join(dir, "v.parquet")
			if n, err := w.ToParquet(t.Context(), s, path); err != nil || n != 1 {
				t.Fatalf("to Parquet: %d rows, %v", n, err)
			}
			var same bool
			back := "SELECT (FROM read_parquet('" + path + "'))::VARCHAR IS NOT DISTINCT FROM (" + s.Text + ")::VARCHAR"
			if must(t, db.QueryRowContext(t.Context(), back).Scan(&same)); !same && name != "TIMETZ" && name != "UNION" { // Parquet has no zone of a time, and no union
				t.Errorf("Parquet has another value")
			}
		})
	}
}

// copied is what DuckDB itself writes for one value into CSV and JSON.
func copied(t *testing.T, db *sql.DB, text string) (field, object string) {
	t.Helper()
	read := func(options string) string {
		path := filepath.Join(t.TempDir(), "copied")
		_, err := db.ExecContext(t.Context(), "COPY ("+text+") TO '"+path+"' ("+options+")")
		must(t, err)
		b, err := os.ReadFile(path)
		must(t, err)
		return strings.TrimSuffix(string(b), "\n")
	}
	// A delimiter, a quote and an escape that no value has leave the text as it is.
	field = strings.TrimSuffix(strings.TrimPrefix(read(`FORMAT csv, HEADER false, DELIMITER '~', QUOTE '^', ESCAPE '^'`), "^"), "^")
	return field, strings.TrimSuffix(strings.TrimPrefix(read("FORMAT json"), `{"v":`), "}")
}

func TestParquetKeepsAllDigits(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := confined(t, dir)
	path := filepath.Join(dir, "x.parquet")
	db, err := open(t.Context(), "")
	must(t, err)
	defer db.Close()
	for value, want := range map[string]string{
		"sum(9007199254740993)":                              "DECIMAL(38,0) 9007199254740993",
		"99999999999999999999999999999999999999::HUGEINT":    "DECIMAL(38,0) 99999999999999999999999999999999999999",
		"(-99999999999999999999999999999999999999)::HUGEINT": "DECIMAL(38,0) -99999999999999999999999999999999999999",
		"9007199254740993::UHUGEINT":                         "DECIMAL(38,0) 9007199254740993",
		"[9007199254740993::HUGEINT]":                        "DECIMAL(38,0)[] [9007199254740993]",
		"MAP {'a': [9007199254740993::HUGEINT]}":             "MAP(VARCHAR, DECIMAL(38,0)[]) {a=[9007199254740993]}",
		`{"HUGEINT": 9007199254740993::HUGEINT}`:             `STRUCT("HUGEINT" DECIMAL(38,0)) {'HUGEINT': 9007199254740993}`,
		"4611686018427387904":                                "BIGINT 4611686018427387904",
	} {
		if _, err := w.ToParquet(t.Context(), Statement{Text: "SELECT " + value + " AS v"}, path); err != nil {
			t.Errorf("%s: %v", value, err)
			continue
		}
		var got string
		must(t, db.QueryRowContext(t.Context(), "SELECT typeof(v) || ' ' || v::VARCHAR FROM read_parquet('"+path+"')").Scan(&got))
		if strings.ReplaceAll(got, `"`, "") != strings.ReplaceAll(want, `"`, "") {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
	}
	before, err := os.ReadFile(path)
	must(t, err)
	for _, value := range []string{"100000000000000000000000000000000000000::HUGEINT", "[340282366920938463463374607431768211455::UHUGEINT]"} {
		_, err := w.ToParquet(t.Context(), Statement{Text: "SELECT 1 AS a, " + value + " AS total"}, path)
		if !errors.Is(err, ErrStatement) || !strings.Contains(err.Error(), "up to 38 digits, and total has a longer one") || strings.Contains(err.Error(), dir) {
			t.Errorf("%s: got %v", value, err)
		}
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file of before has changed: %v", err)
	}
}
