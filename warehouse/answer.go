package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/marcboeker/go-duckdb/mapping"
)

// Answer is the answer of a query, for readers of DuckDB's own vectors, which need a third of the time
// that the driver's values take. DuckDB stores it in the temporary table temp.fleetlake_answer, within its memory
// limit, and spills the rest. No other query of its Warehouse runs until Close.
type Answer struct {
	Rows  int64
	Names []string // of the columns, as the statement named them: temp.fleetlake_answer can have others
	Types []string // of the columns, as DuckDB names them
	Texts []string // of the columns, the expressions of temp.fleetlake_answer that are their values AsText
	conn  *sql.Conn
}

// Answer runs one statement that reads, with values for its parameters in their order, which the caller frees. It is for
// the statements of others, which may use only the functions of functions/allowed.txt. The caller closes the answer. Its
// errors are those of Query.
func (w *Warehouse) Answer(ctx context.Context, text string, args ...mapping.Value) (*Answer, error) {
	return w.answer(ctx, text, spoolAll, args)
}

// Describe is Answer without the rows, at the cost of planning the statement. SHOW, DESCRIBE,
// SUMMARIZE, EXPLAIN and a PIVOT run as a whole: their columns depend on what they read.
func (w *Warehouse) Describe(ctx context.Context, text string, args ...mapping.Value) (*Answer, error) {
	return w.answer(ctx, text, spoolNothing, args)
}

type spooler func(ctx context.Context, conn *sql.Conn, text string, kind queryKind, args []mapping.Value) error

func (w *Warehouse) answer(ctx context.Context, text string, store spooler, args []mapping.Value) (a *Answer, err error) {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return nil, unwrapped(err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, conn.Close())
		}
	}()
	if err := judge(ctx, conn, text); err != nil {
		return nil, err
	}
	kind, err := check(ctx, conn, text)
	if err != nil {
		return nil, err
	}
	if kind.plans() {
		store = spoolPlan
	}
	if err := store(ctx, conn, text, kind, args); err != nil {
		return nil, err
	}
	columns, err := answerColumns(ctx, conn)
	if err != nil {
		return nil, err
	}
	a = &Answer{conn: conn}
	for _, c := range columns {
		a.Names, a.Types = append(a.Names, c.name), append(a.Types, c.databaseType)
		a.Texts = append(a.Texts, AsText.expression(c.stored, c.databaseType, w.zoned))
	}
	if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM temp.fleetlake_answer").Scan(&a.Rows); err != nil {
		return nil, unwrapped(err)
	}
	return a, nil
}

// spoolAll stores the answer.
func spoolAll(ctx context.Context, conn *sql.Conn, text string, kind queryKind, args []mapping.Value) error {
	return spool(ctx, conn, text, kind, func(text string) error { return runBound(ctx, conn, text, args, nil) })
}

// spoolNothing stores the columns of the answer.
func spoolNothing(ctx context.Context, conn *sql.Conn, text string, kind queryKind, args []mapping.Value) error {
	if kind == selects {
		none := single(text) + "\nWITH NO DATA"
		if _, err := kindOf(ctx, conn, createAnswer+none); err == nil {
			text = none
		}
	}
	return spoolAll(ctx, conn, text, kind, args)
}

// spoolPlan stores the answer of an EXPLAIN, which no table can be created from.
func spoolPlan(ctx context.Context, conn *sql.Conn, text string, _ queryKind, args []mapping.Value) error {
	var columns [2][]string // keys and values
	err := runBound(ctx, conn, text, args, func(result *mapping.Result) error {
		for i := range mapping.ResultChunkCount(*result) {
			chunk := mapping.ResultGetChunk(*result, i)
			for c := range columns {
				texts := mapping.VectorGetData(mapping.DataChunkGetVector(chunk, mapping.IdxT(c)))
				for row := range mapping.DataChunkGetSize(chunk) {
					at := (*mapping.StringT)(unsafe.Add(texts, uintptr(row)*unsafe.Sizeof(mapping.StringT{})))
					columns[c] = append(columns[c], mapping.StringTData(at))
				}
			}
			mapping.DestroyDataChunk(&chunk)
		}
		return nil
	})
	if err != nil {
		return classified(err)
	}
	_, err = conn.ExecContext(ctx, createAnswer+"SELECT unnest($1::VARCHAR[]) AS explain_key, unnest($2::VARCHAR[]) AS explain_value", columns[0], columns[1])
	return unwrapped(err)
}

// Vectors runs a query of ours, which can read temp.fleetlake_answer, and passes its result to read. The result
// is in memory outside of DuckDB's limit, and freed when read has returned. Errors are those of DuckDB,
// of the context and of read.
func (a *Answer) Vectors(ctx context.Context, text string, read func(*mapping.Result) error) error {
	if err := runBound(ctx, a.conn, text, nil, read); err != nil {
		return unwrapped(err)
	}
	return nil
}

// Close removes the answer and lets other queries run. It returns DuckDB's error if it cannot.
func (a *Answer) Close() error {
	_, err := a.conn.ExecContext(context.Background(), "DROP TABLE IF EXISTS temp.fleetlake_answer")
	return errors.Join(unwrapped(err), a.conn.Close())
}

// BoundParameter is a parameter of a statement.
type BoundParameter struct {
	Name string // its number, or its name without $
	Type string // as DuckDB names it; "" if any type is accepted
}

// Parameters lists the parameters of a statement that Answer accepts, in the order of Answer's
// arguments. A PIVOT has none. Its errors are those of Query.
func (w *Warehouse) Parameters(ctx context.Context, text string) ([]BoundParameter, error) {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return nil, unwrapped(err)
	}
	defer conn.Close()
	if err := judge(ctx, conn, text); err != nil {
		return nil, err
	}
	kind, err := check(ctx, conn, text)
	if err != nil || kind.expands() {
		return nil, err
	}
	ps, err := parametersOf(ctx, conn, text)
	if err != nil {
		return nil, fmt.Errorf("list parameters: %w", classified(err))
	}
	return slices.Clip(ps), nil
}
