package warehouse

import (
	"context"
	"database/sql"
	"errors"
)

// partRows is how many rows of an answer the driver has in memory at a time, outside of DuckDB's
// memory limit.
const partRows = 8192

// Spooled runs one statement that reads, for answers of any size: DuckDB stores the answer within
// its memory limit, spills the rest, and returns it in parts. No other query of this Warehouse runs
// until the caller closes the rows. Its errors are those of Query.
func (w *Warehouse) Spooled(ctx context.Context, text string) (*Rows, error) {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return nil, unwrapped(err)
	}
	kind, err := check(ctx, conn, text)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if kind == explains || kind == selects && !spoolable(ctx, conn, text) {
		return query(ctx, conn, text) // a few rows
	}
	if err := spool(ctx, conn, text, kind); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return parts(ctx, conn)
}

const createAnswer = "CREATE OR REPLACE TEMP TABLE answer AS "

// spoolable reports whether CREATE TABLE AS accepts a statement: it does not accept DESCRIBE,
// SHOW and SUMMARIZE.
func spoolable(ctx context.Context, conn *sql.Conn, text string) bool {
	_, err := kindOf(ctx, conn, createAnswer+text)
	return err == nil
}

// spool stores the answer of a statement that check has accepted in a temporary table. The text
// is the end of the whole statement, so that nothing in it can close what surrounds it.
func spool(ctx context.Context, conn *sql.Conn, text string, kind queryKind, args ...any) error {
	if kind == selects && !spoolable(ctx, conn, text) {
		text = "FROM (\n" + single(text) + "\n)"
	}
	_, err := conn.ExecContext(ctx, createAnswer+text, args...)
	return classified(err)
}

// parts returns the spooled answer, part by part.
func parts(ctx context.Context, conn *sql.Conn) (*Rows, error) {
	var total int64
	if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM temp.answer").Scan(&total); err != nil {
		return nil, errors.Join(unwrapped(err), conn.Close())
	}
	from := int64(0)
	part := func() (*sql.Rows, error) {
		rows, err := conn.QueryContext(ctx, "FROM temp.answer WHERE rowid >= $1 AND rowid < $2", from, from+partRows)
		from += partRows
		return rows, err
	}
	rows, err := part()
	if err != nil {
		return nil, errors.Join(unwrapped(err), conn.Close())
	}
	r, err := newRows(rows, conn)
	if err != nil {
		return nil, err
	}
	r.more = func() (*sql.Rows, error) {
		if from >= total {
			return nil, nil
		}
		return part()
	}
	return r, nil
}
