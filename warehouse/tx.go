package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ErrApplied says that a run is in the file already.
var ErrApplied = errors.New("the run is already applied")

// Tx is one step of a build.
type Tx struct {
	tx   *sql.Tx
	some map[string]bool // lake tables that have files tonight
}

// Column is a column of a lake file: its name and DuckDB's name for its type.
type Column struct {
	Name, Type string
}

// Lake makes a lake table's files of the night readable as lake_<table>, for Apply. Instants
// become UTC timestamps without a zone. No files make a table without rows.
func (t *Tx) Lake(ctx context.Context, table string, columns []Column, paths []string) error {
	t.some[table] = len(paths) > 0
	selected := make([]string, len(columns))
	for i, c := range columns {
		switch {
		case len(paths) == 0 && c.Type == "TIMESTAMP WITH TIME ZONE":
			selected[i] = "NULL::TIMESTAMP AS " + c.Name
		case len(paths) == 0:
			selected[i] = "NULL::" + c.Type + " AS " + c.Name
		case c.Type == "TIMESTAMP WITH TIME ZONE":
			selected[i] = "make_timestamp(epoch_us(" + c.Name + ")) AS " + c.Name
		default:
			selected[i] = c.Name
		}
	}
	source := "(SELECT 1) WHERE false"
	if len(paths) > 0 {
		quoted := make([]string, len(paths))
		for i, p := range paths {
			quoted[i] = quote(p)
		}
		source = "read_parquet([" + strings.Join(quoted, ", ") + "], hive_partitioning = false)"
	}
	return t.exec(ctx, "lake_"+table, "CREATE OR REPLACE TEMP VIEW lake_"+table+" AS SELECT "+strings.Join(selected, ", ")+" FROM "+source)
}

// Fill replaces the rows of a reference table. An empty cell is null.
func (t *Tx) Fill(ctx context.Context, table string, columns []string, rows [][]string) error {
	if err := t.exec(ctx, "fill "+table, "DELETE FROM "+table); err != nil {
		return err
	}
	cells := make([]string, len(columns))
	lists := make([]any, len(columns))
	for i, name := range columns {
		cells[i] = fmt.Sprintf("nullif(unnest($%d::VARCHAR[]), '') AS %s", i+1, name)
		list := make([]string, len(rows))
		for j, row := range rows {
			list[j] = row[i]
		}
		lists[i] = list
	}
	return t.exec(ctx, "fill "+table, "INSERT INTO "+table+" BY NAME SELECT "+strings.Join(cells, ", "), lists...)
}

// Apply brings one night into the tables: the lake's rows of all its runs, which Lake has
// made readable, and the runs themselves. To see the night as a whole is what makes it the
// same in however many runs it came.
func (t *Tx) Apply(ctx context.Context, date string, runs []Run) error {
	for _, r := range runs {
		if err := t.addRun(ctx, r); err != nil {
			return err
		}
	}
	day := sql.Named("date", date)
	for _, s := range nightly() {
		if s.from != nil && !slices.ContainsFunc(s.from, func(table string) bool { return t.some[table] }) {
			continue
		}
		if err := t.exec(ctx, s.name, s.text, day); err != nil {
			return err
		}
	}
	return nil
}

// addRun stores the row of a run. A run is applied once.
func (t *Tx) addRun(ctx context.Context, r Run) error {
	var there bool
	if err := t.tx.QueryRowContext(ctx, "SELECT count(*) > 0 FROM runs WHERE run_id = $1", r.ID).Scan(&there); err != nil {
		return fmt.Errorf("apply %s: %w", r.ID, plain(err))
	}
	if there {
		return fmt.Errorf("apply %s: %w", r.ID, ErrApplied)
	}
	return t.exec(ctx, "apply "+r.ID, statement("apply/run"),
		r.ID, r.Job, r.Date, instant(r.Started), instant(r.Finished), r.State, r.Stop, r.Reason, r.Requests,
		r.CreditsPlanned, r.CreditsSpent, r.CreditsUnknown, number(r.BalanceBefore), number(r.BalanceAfter), r.Continues, r.Rows, r.Report)
}

// WriteVessels writes the view vessels to a Parquet file, sorted by vessel_id, under the field
// ids given, and returns the number of rows. To sort whole rows takes more memory than all the
// rest of a load, so that only their ids are sorted and the rest is joined to them; whether
// that kept the order is looked up in the file.
func (t *Tx) WriteVessels(ctx context.Context, columns []Field, path string) (rows int64, err error) {
	if rows, err = t.copy(ctx, "("+strings.TrimSuffix(strings.TrimSpace(statement("read/fleet")), ";")+")", columns, path); err != nil {
		return 0, err
	}
	var sorted bool
	if err := t.tx.QueryRowContext(ctx, statement("read/sorted_file"), path).Scan(&sorted); err != nil {
		return 0, fmt.Errorf("write vessels: %w", plain(err))
	}
	if !sorted {
		rows, err = t.copy(ctx, "vessels ORDER BY vessel_id", columns, path)
	}
	return rows, err
}

// copy makes the joins in the order in which they are written: whatever their sizes seem to
// be, that needs the least memory, and it keeps the order of the first table.
func (t *Tx) copy(ctx context.Context, source string, columns []Field, path string) (rows int64, err error) {
	if err := t.exec(ctx, "write vessels", "SET disabled_optimizers = 'join_order,build_side_probe_side'"); err != nil {
		return 0, err
	}
	defer func() {
		if err == nil {
			err = t.exec(ctx, "write vessels", "RESET disabled_optimizers")
		}
	}()
	selected, ids := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		selected[i] = c.Name
		if c.Instant {
			selected[i] = "make_timestamptz(epoch_us(" + c.Name + ")) AS " + c.Name
		}
		ids[i] = fmt.Sprintf("%s: %d", c.Name, c.ID)
	}
	result, err := t.tx.ExecContext(ctx, "COPY (SELECT "+strings.Join(selected, ", ")+" FROM "+source+") TO "+quote(path)+
		" (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 40960, FIELD_IDS {"+strings.Join(ids, ", ")+"})")
	if err != nil {
		return 0, fmt.Errorf("write vessels to %s: %w", path, plain(err))
	}
	return result.RowsAffected()
}

// Field is a column of the Parquet file of vessels.
type Field struct {
	ID      int
	Name    string
	Instant bool // a UTC timestamp, which readers are to take as an instant
}

func (t *Tx) exec(ctx context.Context, name, text string, args ...any) error {
	if _, err := t.tx.ExecContext(ctx, text, args...); err != nil {
		return fmt.Errorf("%s: %w", name, plain(err))
	}
	return nil
}

// instant and number give DuckDB a null for what is not known.
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
