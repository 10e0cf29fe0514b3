package assistant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// Bounds of a statement and of the part of its answer that an assistant gets: what it reads fills its context.
const (
	maxStatement = 64 << 10
	rowsAtFirst  = 100
	rowsAtMost   = 1000
	bytesAtMost  = 256 << 10 // beyond the first row
	maxCell      = 2000
)

type queryArguments struct {
	SQL  string `json:"sql" jsonschema:"one statement of DuckDB that reads, such as SELECT flag, count(*) FROM vessels WHERE listed AND is_vessel GROUP BY flag"`
	Rows int    `json:"max_rows,omitempty" jsonschema:"rows of the answer to return, 1 to 1000; 100 if not given"`
}

type workedArguments struct {
	Name   string            `json:"name" jsonschema:"of the worked query, as list_worked_queries has it"`
	Params map[string]string `json:"params,omitempty" jsonschema:"values of its parameters by name, as texts"`
	Rows   int               `json:"max_rows,omitempty" jsonschema:"rows of the answer to return, 1 to 1000; 100 if not given"`
}

// tableAnswer is the answer of a statement.
type tableAnswer struct {
	Night   Night    `json:"night"`
	SQL     string   `json:"sql" jsonschema:"the statement that was run"`
	Columns []column `json:"columns"`
	Rows    [][]any  `json:"rows" jsonschema:"in the order of the columns; null is NULL; numbers of more than 15 digits are texts, so that no client rounds them"`
	Total   int64    `json:"rows_in_all"`
	LeftOut int64    `json:"rows_left_out" jsonschema:"rows of the answer that are not here; let the statement count or group them"`
}

type column struct {
	Name string `json:"name"`
	Type string `json:"type" jsonschema:"the Arrow type"`
}

// query runs a statement of the assistant's own.
func (s *Server) query(ctx context.Context, a queryArguments) (tableAnswer, error) {
	if len(a.SQL) > maxStatement {
		return tableAnswer{}, fmt.Errorf("the statement has %d bytes, expected at most %d", len(a.SQL), maxStatement)
	}
	return s.table(ctx, a.SQL, a.Rows)
}

// worked runs a worked query.
func (s *Server) worked(ctx context.Context, a workedArguments) (tableAnswer, error) {
	queries := warehouse.Queries()
	i := slices.IndexFunc(queries, func(q warehouse.WorkedQuery) bool { return q.Name == a.Name })
	if i < 0 {
		return tableAnswer{}, fmt.Errorf("no worked query %q; there are: %s", a.Name, strings.Join(namesOf(queries), ", "))
	}
	q := queries[i]
	for name := range a.Params {
		if !slices.ContainsFunc(q.Params, func(p warehouse.Parameter) bool { return p.Name == name }) {
			return tableAnswer{}, fmt.Errorf("the worked query %s has no parameter %q", q.Name, name)
		}
	}
	if err := s.files.Read(ctx, func(ctx context.Context, w *warehouse.Warehouse) error { return w.CheckParams(ctx, q, a.Params) }); err != nil {
		return tableAnswer{}, err
	}
	return s.table(ctx, q.With(a.Params), a.Rows)
}

func namesOf(queries []warehouse.WorkedQuery) (names []string) {
	for _, q := range queries {
		names = append(names, q.Name)
	}
	return names
}

// table runs a statement, and returns its first rows.
func (s *Server) table(ctx context.Context, text string, most int) (answer tableAnswer, err error) {
	switch {
	case most == 0:
		most = rowsAtFirst
	case most < 0 || most > rowsAtMost:
		return answer, fmt.Errorf("max_rows %d: want 1 to %d", most, rowsAtMost)
	}
	night, err := s.dated(ctx, func() error {
		answer, err = s.ask(ctx, text, most)
		return err
	})
	answer.Night = night
	return answer, err
}

// ask runs a statement in a process of its own.
func (s *Server) ask(ctx context.Context, text string, most int) (t tableAnswer, err error) {
	t = tableAnswer{SQL: text, Columns: []column{}, Rows: [][]any{}}
	answer, err := s.Pool.Query(ctx, worker.Query{Text: text, Texts: true})
	if err != nil {
		return t, err
	}
	defer func() {
		if closed := answer.Close(); int64(len(t.Rows)) == t.Total { // else it was cancelled
			err = errors.Join(err, closed)
		}
	}()
	t.Total = answer.Rows
	types := answer.Types()
	for i, f := range answer.Schema().Fields() {
		t.Columns = append(t.Columns, column{shortened(f.Name), shortened(types[i])})
	}
	held := 0
	for row, err := range answer.Texts() {
		if err != nil {
			return t, err
		}
		line := make([]any, len(row))
		for i, value := range row {
			held += 8
			if text, ok := value.(string); ok {
				line[i] = valueOf(text, types[i])
				held += min(len(text), maxCell)
			}
		}
		if len(t.Rows) == most || held > bytesAtMost && len(t.Rows) > 0 {
			break
		}
		t.Rows = append(t.Rows, line)
	}
	t.LeftOut = t.Total - int64(len(t.Rows))
	return t, nil
}

// exactDigits are as many as a 64-bit float keeps, which is what clients read a number of JSON into.
const exactDigits = 15

// valueOf is a value for JSON: a truth, a number that a client reads exactly, or a text, such as of longer numbers, NaN and
// infinity.
func valueOf(text, databaseType string) any {
	floats := databaseType == "FLOAT" || databaseType == "DOUBLE"
	switch {
	case databaseType == "BOOLEAN":
		return text == "true"
	case warehouse.IsNumber(databaseType) && json.Valid([]byte(text)) && (floats || digits(text) <= exactDigits):
		return json.Number(text)
	}
	return shortened(text)
}

// digits counts the digits of a number.
func digits(number string) (n int) {
	for _, r := range number {
		if unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// shortened is a text, or the beginning of one that is too long, with its length.
func shortened(text string) string {
	if len(text) <= maxCell {
		return text
	}
	return strings.ToValidUTF8(text[:maxCell], "") + fmt.Sprintf("... (%d bytes)", len(text))
}
