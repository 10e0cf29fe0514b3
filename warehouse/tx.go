package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"
)

// ErrApplied says that the file has the run already.
var ErrApplied = errors.New("the run is already applied")

// Tx is one step of a build.
type Tx struct {
	tx      *sql.Tx
	conn    *sql.Conn       // the connection of tx, for statements that the driver need not prepare
	hasRows map[string]bool // lake tables that have files tonight
}

// Column is a column of a lake file: its name and DuckDB's name for its type.
type Column struct {
	Name, Type string
}

// Lake creates the view lake_<table> over a lake table's files of the night, for Apply. No files make
// a table without rows. A file that DuckDB cannot read, or that lacks a column, is an error.
func (t *Tx) Lake(ctx context.Context, table string, columns []Column, paths []string) error {
	t.hasRows[table] = len(paths) > 0
	quoted := make([]string, len(paths))
	for i, p := range paths {
		quoted[i] = quote(p)
	}
	return t.exec(ctx, "lake_"+table, filled("lake/view", struct {
		Table   string
		Columns []Column
		Paths   []string
	}{table, columns, quoted}))
}

// Apply brings one night, YYYY-MM-DD, into the tables: the runs themselves, and the lake's rows of
// all of them, through the views of Lake. The night is applied as a whole, so that its rows do not
// depend on how many runs it has. It returns ErrApplied if the file has one of the runs.
func (t *Tx) Apply(ctx context.Context, date string, runs []Run) error {
	for _, r := range runs {
		if err := t.addRun(ctx, r); err != nil {
			return err
		}
	}
	all, err := readDatasets(ctx, t.tx)
	if err == nil {
		err = t.findEmpty(ctx, all)
	}
	if err != nil {
		return fmt.Errorf("apply: %w", err)
	}
	steps, err := preparedNight(ctx, t.tx, all)
	if err != nil {
		return fmt.Errorf("apply: %w", err)
	}
	n := newNightRun(t, date, steps)
	for _, d := range all {
		n.hasRows[d.Name] = !d.Empty
	}
	if err := n.run(ctx); err != nil {
		return err
	}
	return t.defineRaw(ctx, runs)
}

// findEmpty finds the datasets without a version, whose first night needs no comparison.
func (t *Tx) findEmpty(ctx context.Context, all []Dataset) error {
	var names []string
	for _, d := range all {
		names = append(names, d.Name)
	}
	rows, err := rowCounts(ctx, t.tx, names)
	for i, d := range all {
		all[i].Empty = rows[d.Name] == 0
	}
	return err
}

// addRun stores the row of a run. A run is applied once.
func (t *Tx) addRun(ctx context.Context, r Run) error {
	var there bool
	if err := t.tx.QueryRowContext(ctx, statement("read/applied"), r.ID).Scan(&there); err != nil {
		return fmt.Errorf("apply %s: %w", r.ID, unwrapped(err))
	}
	if there {
		return fmt.Errorf("apply %s: %w", r.ID, ErrApplied)
	}
	if _, err := t.tx.ExecContext(ctx, statement("runs/add"),
		r.ID, r.Job, r.Date, instant(r.Started), instant(r.Finished), r.State, r.Stop, r.Reason, r.Requests,
		r.CreditsPlanned, r.CreditsSpent, r.CreditsUnknown, number(r.BalanceBefore), number(r.BalanceAfter), r.Continues, r.Rows, r.Report); err != nil {
		return fmt.Errorf("apply %s: %w", r.ID, unwrapped(err))
	}
	return nil
}

// WriteVessels writes the view vessels to a Parquet file, sorted by vessel_id, and returns the number
// of rows. ids has the field id of each column, and of snapshot_date, the night of the file; a column
// without one is an error. The file's footer has the notes, keys and values.
func (t *Tx) WriteVessels(ctx context.Context, date string, ids map[string]int, notes [][2]string, path string) (rows int64, err error) {
	columns, err := vesselColumns(ctx, t.tx)
	if err != nil {
		return 0, err
	}
	f := vesselFile{Date: quote(date), DateID: ids["snapshot_date"], Path: quote(path)}
	for _, n := range notes {
		f.Notes = append(f.Notes, quote(n[0])+": "+quote(n[1]))
	}
	for _, c := range columns {
		f.Columns = append(f.Columns, vesselField{c, ids[c.Name]})
	}
	for _, c := range append(f.Columns, vesselField{vesselColumn{Name: "snapshot_date"}, f.DateID}) {
		if c.ID == 0 {
			return 0, fmt.Errorf("write vessels: the column %s has no field id", c.Name)
		}
	}
	slices.SortFunc(f.Columns, func(a, b vesselField) int { return a.ID - b.ID })
	result, err := t.tx.ExecContext(ctx, filled("lake/vessels", f))
	if err != nil {
		return 0, fmt.Errorf("write vessels to %s: %w", path, unwrapped(err))
	}
	return result.RowsAffected()
}

// vesselFile is a Parquet file of vessels to write. Date, Path and the notes are quoted.
type vesselFile struct {
	Notes      []string
	Columns    []vesselField
	DateID     int
	Date, Path string
}

// vesselField is a column of the file, with its field id.
type vesselField struct {
	vesselColumn
	ID int
}

// vesselColumn is a column of the view vessels.
type vesselColumn struct{ Name, Type string }

// vesselColumns returns the columns of the view vessels, in their order.
func vesselColumns(ctx context.Context, db querier) ([]vesselColumn, error) {
	return collect(ctx, db, "read/vessel_columns", func(rows *sql.Rows) (c vesselColumn, err error) {
		return c, rows.Scan(&c.Name, &c.Type)
	})
}

// exec runs statements without parameters, and without preparing them: DuckDB would plan each of the
// many of a night twice.
func (t *Tx) exec(ctx context.Context, name, text string) error {
	if err := runScript(ctx, t.conn, text); err != nil {
		return fmt.Errorf("%s: %w", name, unwrapped(err))
	}
	return nil
}

// instant and number give DuckDB a null for an unknown value.
func instant(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC()
}

func number(n *int) any {
	if n == nil {
		return nil
	}
	return *n
}
