package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// partRows is how many rows of an answer the driver has in memory at a time, outside of DuckDB's
// memory limit.
const partRows = 8192

// Spooled runs one statement that reads, for answers of any size: DuckDB stores the answer within
// its memory limit, spills the rest, and returns it in parts, in this encoding. No other query of
// this Warehouse runs until the caller closes the rows. Its errors are those of Query; a parameter
// that is unknown or has no value is an ErrStatement.
func (w *Warehouse) Spooled(ctx context.Context, s Statement, e Encoding) (*Rows, error) {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return nil, unwrapped(err)
	}
	fail := func(err error) (*Rows, error) {
		return nil, errors.Join(err, s.reset(ctx, conn), conn.Close())
	}
	kind, args, err := s.prepare(ctx, conn)
	if err != nil {
		return fail(err)
	}
	var r *Rows
	if kind.plans() { // a few rows, and CREATE TABLE AS does not accept it
		r, err = query(ctx, conn, s.Text, args...)
	} else if err = spoolNamed(ctx, conn, s.Text, kind, args); err == nil {
		r, err = parts(ctx, conn, e, w.zoned)
	}
	if err != nil {
		return fail(err)
	}
	r.Plan = kind.plans()
	r.reset = func() error { return s.reset(ctx, conn) }
	return r, nil
}

// createAnswer stores the answer of the statement that begins on the next line.
const createAnswer = "CREATE OR REPLACE TEMP TABLE fleetlake_answer AS\n"

// spoolable reports whether CREATE TABLE AS accepts a statement: it does not accept DESCRIBE,
// SHOW and SUMMARIZE.
func spoolable(ctx context.Context, conn *sql.Conn, text string) bool {
	_, err := kindOf(ctx, conn, createAnswer+text)
	return err == nil
}

// spool stores the answer of a statement that check has accepted in a temporary table. The text
// is the end of the whole statement, so that nothing in it can close what surrounds it.
func spool(ctx context.Context, conn *sql.Conn, text string, kind queryKind, run func(text string) error) error {
	before := createAnswer
	if kind == selects && !spoolable(ctx, conn, text) || kind == pivots && descriptive.MatchString(text) {
		before, text = before+"FROM (\n", strings.TrimLeft(single(text), "; \t\r\n")+"\n)"
	}
	return asWritten(classified(run(before+text)), strings.Count(before, "\n"))
}

// spoolNamed is spool with Go's values for named parameters.
func spoolNamed(ctx context.Context, conn *sql.Conn, text string, kind queryKind, args []any) error {
	return spool(ctx, conn, text, kind, func(text string) error {
		_, err := conn.ExecContext(ctx, text, args...)
		return err
	})
}

// answerColumn is a column of the spooled answer, and the name that the statement gave it.
type answerColumn struct{ name, stored, databaseType string }

// answerColumns lists the columns of the spooled answer. One that is named rowid would hide the numbers
// of the rows, by which the answer is read in parts, and is stored under another name.
func answerColumns(ctx context.Context, conn *sql.Conn) ([]answerColumn, error) {
	rows, err := conn.QueryContext(ctx, statement("read/answer_columns"))
	if err != nil {
		return nil, unwrapped(err)
	}
	defer rows.Close()
	var columns []answerColumn
	for rows.Next() {
		var c answerColumn
		if err := rows.Scan(&c.name, &c.databaseType); err != nil {
			return nil, unwrapped(err)
		}
		c.stored = c.name
		columns = append(columns, c)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, unwrapped(err)
	}
	for i, c := range columns {
		if !strings.EqualFold(c.name, "rowid") {
			continue
		}
		for slices.ContainsFunc(columns, func(other answerColumn) bool { return strings.EqualFold(other.stored, c.stored) }) {
			c.stored += "_"
		}
		if _, err := conn.ExecContext(ctx, "ALTER TABLE temp.fleetlake_answer RENAME COLUMN "+quoteName(c.name)+" TO "+quoteName(c.stored)); err != nil {
			return nil, unwrapped(err)
		}
		columns[i] = c
	}
	return columns, nil
}

// parts returns the spooled answer, part by part.
func parts(ctx context.Context, conn *sql.Conn, e Encoding, zoned bool) (*Rows, error) {
	columns, err := answerColumns(ctx, conn)
	if err != nil {
		return nil, err
	}
	r := &Rows{conn: conn, encoded: true, encoding: e}
	expressions := make([]string, len(columns))
	for i, c := range columns {
		expressions[i] = e.expression(c.stored, c.databaseType, zoned)
		r.Columns, r.Types = append(r.Columns, c.name), append(r.Types, c.databaseType)
	}
	if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM temp.fleetlake_answer").Scan(&r.Total); err != nil {
		return nil, unwrapped(err)
	}
	text := fmt.Sprintf("SELECT %s FROM temp.fleetlake_answer WHERE rowid >= $1 AND rowid < $2", strings.Join(expressions, ", "))
	from := int64(0)
	part := func() (*sql.Rows, error) {
		rows, err := conn.QueryContext(ctx, text, from, from+partRows)
		from += partRows
		return rows, err
	}
	if r.rows, err = part(); err != nil {
		return nil, unwrapped(err)
	}
	r.more = func() (*sql.Rows, error) {
		if from >= r.Total {
			return nil, nil
		}
		return part()
	}
	return r, nil
}
