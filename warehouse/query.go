package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// Rows is the answer of a query. Columns and Types have an element for each column.
type Rows struct {
	Columns []string
	Types   []string // as DuckDB names them
	rows    *sql.Rows
	conn    *sql.Conn
	more    func() (*sql.Rows, error) // the next part of the answer, nil after the last; nil if rows is all
	failed  error
}

// Query runs one statement that reads, with its answer in memory: for our own queries, whose
// answers are small. The caller closes the rows. It returns ErrNotQuery for a statement that does
// more than read, ErrStatement for one that is at fault, ErrFiles (which is an ErrStatement, too)
// for one that wants files to which the warehouse was opened without access, and ErrRoom for one
// that needs more memory or disk than it was given.
func (w *Warehouse) Query(ctx context.Context, text string, args ...any) (*Rows, error) {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return nil, unwrapped(err)
	}
	if _, err := check(ctx, conn, text); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return query(ctx, conn, text, args...)
}

func query(ctx context.Context, conn *sql.Conn, text string, args ...any) (*Rows, error) {
	rows, err := conn.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, errors.Join(classified(err), conn.Close())
	}
	return newRows(rows, conn)
}

func newRows(rows *sql.Rows, conn *sql.Conn) (*Rows, error) {
	r := &Rows{rows: rows, conn: conn}
	columns, err := rows.ColumnTypes()
	if err != nil {
		return nil, errors.Join(unwrapped(err), r.Close())
	}
	for _, c := range columns {
		r.Columns = append(r.Columns, c.Name())
		r.Types = append(r.Types, c.DatabaseTypeName())
	}
	return r, nil
}

// All yields the rows, or as its last element the error that ended them, which is one of those of
// Query. The slice is used again for the next row; its values are nil, bool, integers, floats,
// strings, times, or the driver's types for lists and structs. The rows can be read once.
func (r *Rows) All() iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		values, places := make([]any, len(r.Columns)), make([]any, len(r.Columns))
		for i := range values {
			places[i] = &values[i]
		}
		for r.next() {
			if err := r.rows.Scan(places...); err != nil {
				yield(nil, unwrapped(err))
				return
			}
			for i, v := range values {
				if f, ok := floatOf(v); ok {
					values[i] = f
				}
			}
			if !yield(values, nil) {
				return
			}
		}
		if r.failed != nil {
			yield(nil, classified(r.failed))
		}
	}
}

// next advances to the next row, which may be in the next part of the answer.
func (r *Rows) next() bool {
	for !r.rows.Next() {
		if r.failed = r.rows.Err(); r.failed != nil || r.more == nil {
			return false
		}
		if r.failed = r.rows.Close(); r.failed != nil {
			return false
		}
		rows, err := r.more()
		if r.failed = err; err != nil || rows == nil {
			return false
		}
		r.rows = rows
	}
	return true
}

// Close ends the query, so that others can run, and returns DuckDB's error if it cannot.
func (r *Rows) Close() error { return errors.Join(r.rows.Close(), r.conn.Close()) }

// ToParquet writes the answer of a query to a Parquet file, whole or not at all, and returns the
// number of rows. It replaces an earlier file; the directory must exist. It returns ErrNotQuery for
// a statement that does more than read, and for an EXPLAIN; ErrStatement, ErrFiles or ErrRoom as
// Spooled does; and otherwise the error of the file system.
func (w *Warehouse) ToParquet(ctx context.Context, text, path string) (int64, error) {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return 0, unwrapped(err)
	}
	defer conn.Close()
	kind, err := check(ctx, conn, text)
	if err != nil {
		return 0, err
	}
	if kind == explains {
		return 0, fmt.Errorf("a query plan is no table and cannot be written to a file: %w", ErrNotQuery)
	}
	if err := spool(ctx, conn, text, kind); err != nil {
		return 0, err
	}
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+durable.Part)
	defer os.Remove(temporary)
	result, err := conn.ExecContext(ctx, "COPY (FROM answer) TO "+quote(temporary)+" (FORMAT parquet, COMPRESSION zstd)")
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", path, classified(err))
	}
	if err := durable.Replace(temporary, path); err != nil {
		return 0, fmt.Errorf("write %s: %w", path, err)
	}
	return result.RowsAffected()
}
