package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"iter"
)

// Rows is the answer of a query. Columns and Types have an element for each column.
type Rows struct {
	Columns []string
	Types   []string // as DuckDB names them
	Total   int64    // rows of the answer; 0 unless it is spooled
	Plan    bool     // the answer of an EXPLAIN: a row for each plan, the text in its second column

	rows     *sql.Rows
	conn     *sql.Conn
	more     func() (*sql.Rows, error) // the next part of the answer, nil after the last; nil if rows is all
	reset    func() error              // what ends with the rows; may be nil
	encoded  bool                      // the values are texts, as the encoding says
	encoding Encoding
	failed   error
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
	r, err := query(ctx, conn, text, args...)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return r, nil
}

// query runs a statement that check has accepted. The rows own the connection, unless it fails.
func query(ctx context.Context, conn *sql.Conn, text string, args ...any) (*Rows, error) {
	rows, err := conn.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, classified(err)
	}
	r := &Rows{rows: rows, conn: conn}
	columns, err := rows.ColumnTypes()
	if err != nil {
		return nil, errors.Join(unwrapped(err), rows.Close())
	}
	for _, c := range columns {
		r.Columns = append(r.Columns, c.Name())
		r.Types = append(r.Types, c.DatabaseTypeName())
	}
	return r, nil
}

// All yields the rows, or as its last element the error that ended them, which is one of those of
// Query. The slice is used again for the next row; its values are those of the encoding, and without
// one nil, bool, integers, floats, strings, times, or the driver's types for lists and structs. The
// rows can be read once.
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
				values[i] = r.value(v, i)
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

// value converts a value of the driver in column i.
func (r *Rows) value(v any, i int) any {
	if text, ok := v.(string); ok && r.encoded && r.encoding == AsJSON {
		return jsonOf(text, r.Types[i])
	}
	if f, ok := floatOf(v); ok {
		return f
	}
	return v
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
func (r *Rows) Close() error {
	err := r.rows.Close()
	if r.reset != nil {
		err = errors.Join(err, r.reset())
	}
	return errors.Join(err, r.conn.Close())
}
