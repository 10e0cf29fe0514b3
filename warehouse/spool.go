package warehouse

import (
	"context"
	"database/sql"
	"errors"
)

// partRows is how many rows of an answer are in the driver's hands at a time. The driver keeps
// them outside of DuckDB's memory limit.
const partRows = 8192

// Spooled runs one statement that reads, for answers of any size: DuckDB keeps the answer
// within its memory limit, spills what does not fit, and hands it out in parts. No other
// query of this Warehouse runs until the rows are closed.
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

// spoolable reports whether a table can be made of a statement's answer as it is written: not
// of DESCRIBE, SHOW and SUMMARIZE.
func spoolable(ctx context.Context, conn *sql.Conn, text string) bool {
	_, err := kindOf(ctx, conn, createAnswer+text)
	return err == nil
}

// spool puts the answer of a statement that check has accepted into a temporary table. The
// text comes last in its statement, so that nothing in it can end what is around it.
func spool(ctx context.Context, conn *sql.Conn, text string, kind reading) error {
	if kind == selects && !spoolable(ctx, conn, text) {
		text = "FROM (\n" + single(text) + "\n)"
	}
	_, err := conn.ExecContext(ctx, createAnswer+text)
	return blame(err)
}

// parts hands out the spooled answer.
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
