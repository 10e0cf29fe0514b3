package warehouse

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/marcboeker/go-duckdb/mapping"
)

// shape is what an answer looks like: its rows, and the first column of its first chunk.
type shape struct {
	Rows   int64
	Column string
	Type   mapping.Type
	Read   int64 // rows that vectors have
}

func shapeOf(t *testing.T, a *Answer, err error) (s shape, _ error) {
	t.Helper()
	if err != nil {
		return s, err
	}
	s.Rows = a.Rows
	must(t, a.Vectors(t.Context(), "FROM temp.fleetlake_answer", func(r *mapping.Result) error {
		s.Column, s.Type = mapping.ColumnName(r, 0), mapping.ColumnType(r, 0)
		for i := range mapping.ResultChunkCount(*r) {
			chunk := mapping.ResultGetChunk(*r, i)
			s.Read += int64(mapping.DataChunkGetSize(chunk))
			mapping.DestroyDataChunk(&chunk)
		}
		return nil
	}))
	return s, a.Close()
}

// TestAnswersAreDescribedAsTheyAre runs and describes each statement that reads.
func TestAnswersAreDescribedAsTheyAre(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := sandboxed(t, dir)
	for name, c := range map[string]struct {
		text string
		args []mapping.Value
		want shape
		cost bool // describing it has its rows
	}{
		"a number":               {"SELECT 1 AS a", nil, shape{1, "a", mapping.TypeInteger, 1}, false},
		"many rows":              {"SELECT range AS a FROM range(300000) -- all", nil, shape{300_000, "a", mapping.TypeBigInt, 300_000}, false},
		"no rows":                {"SELECT run_id FROM runs WHERE false;", nil, shape{0, "run_id", mapping.TypeVarchar, 0}, false},
		"a column twice":         {"SELECT 1 AS a, 2 AS a", nil, shape{1, "a", mapping.TypeInteger, 1}, false},
		"a comment after it":     {"SELECT 1 AS a; -- done", nil, shape{1, "a", mapping.TypeInteger, 1}, true},
		"a parameter":            {"SELECT $1 AS a", []mapping.Value{mapping.CreateDouble(4.5)}, shape{1, "a", mapping.TypeDouble, 1}, false},
		"a parameter with NULL":  {"SELECT $1 AS a", []mapping.Value{mapping.CreateNullValue()}, shape{1, "a", mapping.TypeInteger, 1}, false},
		"a date as text":         {"SELECT run_id FROM runs WHERE snapshot_date = ?", []mapping.Value{mapping.CreateVarchar("2026-11-20")}, shape{1, "run_id", mapping.TypeVarchar, 1}, false},
		"a date":                 {"SELECT run_id FROM runs WHERE snapshot_date = ?", []mapping.Value{mapping.CreateDate(mapping.NewDate(20777))}, shape{1, "run_id", mapping.TypeVarchar, 1}, false},
		"a parameter by name":    {"SELECT run_id FROM runs WHERE requests = $n", []mapping.Value{mapping.CreateInt64(3)}, shape{1, "run_id", mapping.TypeVarchar, 1}, false},
		"a plan":                 {"EXPLAIN SELECT 1 + $1", []mapping.Value{mapping.CreateInt64(4)}, shape{1, "explain_key", mapping.TypeVarchar, 1}, true},
		"a table described":      {"DESCRIBE runs", nil, shape{17, "column_name", mapping.TypeVarchar, 17}, true},
		"a pivot":                {"PIVOT runs ON job USING count(*)", nil, shape{1, "run_id", mapping.TypeVarchar, 1}, true},
		"a decimal against text": {"SELECT 1::DECIMAL(5, 2) > $1 AS a", []mapping.Value{mapping.CreateVarchar("0.5")}, shape{1, "a", mapping.TypeBoolean, 1}, false},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := w.Answer(t.Context(), c.text, c.args...)
			got, err := shapeOf(t, a, err)
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if !c.cost {
				c.want.Rows, c.want.Read = 0, 0
			}
			a, err = w.Describe(t.Context(), c.text, c.args...)
			got, err = shapeOf(t, a, err)
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("described: %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestAnswerRefuses(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := sandboxed(t, dir)
	for name, c := range map[string]struct {
		text string
		args []mapping.Value
		want error
	}{
		"too few arguments":         {"SELECT $1", nil, ErrStatement},
		"too many arguments":        {"SELECT $1", []mapping.Value{mapping.CreateInt64(1), mapping.CreateInt64(2)}, ErrStatement},
		"arguments for none":        {"SELECT 1", []mapping.Value{mapping.CreateInt64(1)}, ErrStatement},
		"an argument of wrong type": {"SELECT run_id FROM runs WHERE snapshot_date = $1", []mapping.Value{mapping.CreateVarchar("soon")}, ErrStatement},
		"two statements":            {"SELECT 1; SELECT 2", nil, ErrNotQuery},
		"a table closed in it":      {"SELECT 1 WITH NO DATA", nil, ErrStatement},
		"a write":                   {"DELETE FROM runs", nil, ErrNotQuery},
		"a file":                    {"FROM read_text('/etc/passwd')", nil, ErrFiles},
	} {
		t.Run(name, func(t *testing.T) {
			if a, err := w.Answer(t.Context(), c.text, c.args...); !errors.Is(err, c.want) {
				t.Errorf("got %v, %v, want %v", a, err, c.want)
			}
			a, err := w.Describe(t.Context(), c.text, c.args...)
			if err == nil && name == "an argument of wrong type" { // which is found when it is compared
				err = errors.Join(a.Close(), c.want)
			}
			if !errors.Is(err, c.want) {
				t.Errorf("described: got %v, %v, want %v", a, err, c.want)
			}
		})
	}
}

// TestAnAnswerIsInterrupted cancels while the answer is computed, and while it is read. The next query
// is not interrupted.
func TestAnAnswerIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := sandboxed(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if a, err := w.Answer(ctx, "SELECT count(*) FROM range(100000000) AS a, range(100000) AS b"); !errors.Is(err, context.Canceled) {
		t.Errorf("computed: %v, %v", a, err)
	}
	a, err := w.Answer(t.Context(), "SELECT range AS a FROM range(10)")
	must(t, err)
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if err := a.Vectors(ctx, "FROM temp.fleetlake_answer", func(*mapping.Result) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
	got, err := shapeOf(t, a, nil)
	if diff := cmp.Diff(shape{10, "a", mapping.TypeBigInt, 10}, got); diff != "" || err != nil {
		t.Errorf("afterwards: %v (-want +got):\n%s", err, diff)
	}
}

func TestBoundParameters(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	w := sandboxed(t, dir)
	for text, want := range map[string][]BoundParameter{
		"SELECT 1":                         nil,
		"PIVOT runs ON job USING count(*)": nil,
		"SELECT run_id FROM runs WHERE requests = ? AND snapshot_date > ? AND run_id = ? AND ? IS NULL": {{"1", "INTEGER"}, {"2", "DATE"}, {"3", "VARCHAR"}, {"4", ""}},
		"SELECT run_id FROM runs WHERE started_at > $since AND requests::DOUBLE < $most":                {{"since", ""}, {"most", "DOUBLE"}},
	} {
		got, err := w.Parameters(t.Context(), text)
		if err != nil && !errors.Is(err, ErrStatement) {
			t.Errorf("%s: %v", text, err)
		}
		for i := range got {
			if got[i].Name == "since" {
				got[i].Type = "" // TIMESTAMP, with a time zone or without
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
}
