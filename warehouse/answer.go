package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/marcboeker/go-duckdb/mapping"
)

// Answer is the answer of a query, for readers of DuckDB's own vectors, which need a third of the time
// that the driver's values take. DuckDB stores it in the temporary table temp.fleetlake_answer, within its memory
// limit, and spills the rest. No other query of its Warehouse runs until Close.
type Answer struct {
	Rows  int64
	Names []string // of the columns, as the statement named them: temp.fleetlake_answer can have others
	conn  *sql.Conn
}

// Answer runs one statement that reads, with arguments for its parameters in their order. It is for the statements of
// others, which may use only the functions of functions/allowed.txt. The caller closes the answer. Its errors are those
// of Query.
func (w *Warehouse) Answer(ctx context.Context, text string, args ...any) (*Answer, error) {
	return w.answer(ctx, text, spool, args)
}

// Describe is Answer without the rows, at the cost of planning the statement. SHOW, DESCRIBE,
// SUMMARIZE, EXPLAIN and a PIVOT run as a whole: their columns depend on what they read.
func (w *Warehouse) Describe(ctx context.Context, text string, args ...any) (*Answer, error) {
	return w.answer(ctx, text, spoolNothing, args)
}

type spooler func(ctx context.Context, conn *sql.Conn, text string, kind queryKind, args []any) error

func (w *Warehouse) answer(ctx context.Context, text string, store spooler, args []any) (a *Answer, err error) {
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
		a.Names = append(a.Names, c.name)
	}
	if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM temp.fleetlake_answer").Scan(&a.Rows); err != nil {
		return nil, unwrapped(err)
	}
	return a, nil
}

// spoolNothing stores the columns of the answer.
func spoolNothing(ctx context.Context, conn *sql.Conn, text string, kind queryKind, args []any) error {
	if kind == selects {
		none := single(text) + "\nWITH NO DATA"
		if _, err := kindOf(ctx, conn, createAnswer+none); err == nil {
			text = none
		}
	}
	return spool(ctx, conn, text, kind, args)
}

// spoolPlan stores the answer of an EXPLAIN, which no table can be created from.
func spoolPlan(ctx context.Context, conn *sql.Conn, text string, _ queryKind, args []any) error {
	rows, err := conn.QueryContext(ctx, text, args...)
	if err != nil {
		return classified(err)
	}
	defer rows.Close()
	var keys, values []string
	for rows.Next() {
		var key, value string
		if err := rows.Scan(&key, &value); err != nil {
			return unwrapped(err)
		}
		keys, values = append(keys, key), append(values, value)
	}
	if err := errors.Join(classified(rows.Err()), rows.Close()); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, createAnswer+"SELECT unnest($1::VARCHAR[]) AS explain_key, unnest($2::VARCHAR[]) AS explain_value", keys, values)
	return unwrapped(err)
}

// Vectors runs a query of ours, which can read temp.fleetlake_answer, and passes its result to read. The result
// is in memory outside of DuckDB's limit, and freed when read has returned. Errors are those of DuckDB,
// of the context and of read.
func (a *Answer) Vectors(ctx context.Context, text string, read func(*mapping.Result) error) error {
	return a.conn.Raw(func(c any) error {
		conn, err := nativeConnection(c)
		if err != nil {
			return err
		}
		interrupted := make(chan struct{})
		stop := context.AfterFunc(ctx, func() {
			mapping.Interrupt(conn)
			close(interrupted)
		})
		var result mapping.Result
		state := mapping.Query(conn, text, &result)
		defer mapping.DestroyResult(&result)
		if !stop() {
			<-interrupted // else it could hit the next query
			return context.Cause(ctx)
		}
		if state == mapping.StateError {
			return unwrapped(&cause{mapping.ResultError(&result), errors.New("query of the answer")})
		}
		return read(&result)
	})
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
