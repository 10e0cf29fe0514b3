package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// ErrNotQuery says that a statement would do something else than read.
var ErrNotQuery = errors.New("only one statement that reads is run: SELECT, FROM, WITH, DESCRIBE, SUMMARIZE, SHOW or EXPLAIN of one of these")

// Rows are the answer of a query.
type Rows struct {
	Columns []string
	Types   []string // as DuckDB names them
	rows    *sql.Rows
	conn    *sql.Conn
}

// Query runs one statement that reads. The file is open read-only, so that no statement can
// change it in place; since COPY and ATTACH could still write another file over it, and
// INSTALL could fetch code, statements that do not read are refused before they run.
func (w *Warehouse) Query(ctx context.Context, text string, args ...any) (*Rows, error) {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return nil, plain(err)
	}
	if err := check(ctx, conn, text); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	rows, err := conn.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, errors.Join(plain(err), conn.Close())
	}
	return newRows(rows, conn)
}

func newRows(rows *sql.Rows, conn *sql.Conn) (*Rows, error) {
	r := &Rows{rows: rows, conn: conn}
	columns, err := rows.ColumnTypes()
	if err != nil {
		return nil, errors.Join(plain(err), r.Close())
	}
	for _, c := range columns {
		r.Columns = append(r.Columns, c.Name())
		r.Types = append(r.Types, c.DatabaseTypeName())
	}
	return r, nil
}

// All yields the rows. The slice is used again for the next row; its values are nil, bool,
// integers, floats, strings, times, or what the driver has for lists and structs.
func (r *Rows) All() iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		values, places := make([]any, len(r.Columns)), make([]any, len(r.Columns))
		for i := range values {
			places[i] = &values[i]
		}
		for r.rows.Next() {
			if err := r.rows.Scan(places...); err != nil {
				yield(nil, plain(err))
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
		if err := r.rows.Err(); err != nil {
			yield(nil, plain(err))
		}
	}
}

// Close ends the query.
func (r *Rows) Close() error { return errors.Join(r.rows.Close(), r.conn.Close()) }

// explains matches the beginning of an EXPLAIN, up to what it explains. acts matches what must
// not even be prepared: EXPORT makes its directory then, and the others are no better.
var (
	explains = regexp.MustCompile(`(?is)^(\s|--[^\n]*\n|/\*.*?\*/)*EXPLAIN(\s+ANALY[SZ]E)?(\s*\([^)]*\))?`)
	acts     = regexp.MustCompile(`(?is)^(\s|--[^\n]*\n|/\*.*?\*/)*(EXPORT|IMPORT|COPY|ATTACH|DETACH|INSTALL|LOAD|UPDATE|SET|PRAGMA|CALL)\b`)
)

// check refuses what does not read. An EXPLAIN ANALYZE runs what it explains, so that this is
// checked as well.
func check(ctx context.Context, conn *sql.Conn, text string) error {
	explained := explains.ReplaceAllString(text, "")
	if acts.MatchString(explained) {
		return ErrNotQuery
	}
	kind, err := one(ctx, conn, text)
	switch {
	case err != nil && strings.Contains(err.Error(), "multi-statement"), err == nil && !isQuery(kind):
		return ErrNotQuery
	case err != nil:
		return plain(err)
	case !isExplain(kind):
		return nil
	}
	kind, err = one(ctx, conn, explained)
	if explained == text || err != nil || isExplain(kind) || !isQuery(kind) {
		return ErrNotQuery
	}
	return nil
}

// ToParquet writes the answer of a query to a Parquet file, whole or not at all, and returns
// the number of rows.
func (w *Warehouse) ToParquet(ctx context.Context, text, path string) (int64, error) {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return 0, plain(err)
	}
	defer conn.Close()
	if err := check(ctx, conn, text); err != nil {
		return 0, err
	}
	// The text comes last in its statement, so that nothing in it can end what is around it.
	if _, err := conn.ExecContext(ctx, "CREATE OR REPLACE TEMP VIEW answer AS "+text); err != nil {
		return 0, plain(err)
	}
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part")
	defer os.Remove(temporary)
	result, err := conn.ExecContext(ctx, "COPY (FROM answer) TO "+quote(temporary)+" (FORMAT parquet, COMPRESSION zstd)")
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", path, plain(err))
	}
	if err := replace(temporary, path); err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
