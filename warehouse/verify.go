package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path"
	"strings"
)

// Violations lists the invariants that the file violates: a line for each statement of sql/verify
// that returns a row. Its error names the statement that could not be run, and comes with the lines
// before it.
func (w *Warehouse) Violations(ctx context.Context) ([]string, error) {
	var wrong []string
	for _, c := range checks() {
		var words string
		switch err := w.db.QueryRowContext(ctx, c.text).Scan(&words); {
		case err == nil:
			wrong = append(wrong, c.name+": "+words)
		case !errors.Is(err, sql.ErrNoRows):
			return wrong, fmt.Errorf("%s: %w", c.name, unwrapped(err))
		}
	}
	return wrong, nil
}

// checks lists the statements of sql/verify, those of its folder datasets for each dataset.
func checks() (all []namedSQL) {
	for _, name := range statements("verify") {
		all = append(all, namedSQL{name: name, text: statement(name)})
	}
	for _, name := range statements("verify/datasets") {
		for _, d := range datasets {
			all = append(all, namedSQL{name: "verify/" + d.Name + "_" + path.Base(name), text: filled(name, d)})
		}
	}
	return all
}

// Tables returns the number of rows of each table, by its name. Its errors are those of reading, as
// Warehouse describes.
func (w *Warehouse) Tables(ctx context.Context) (map[string]int64, error) {
	names, err := collect(ctx, w.db, "read/tables", scanText)
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	return rowCounts(ctx, w.db, names)
}

// rowCounts returns the number of rows of some tables, by their names.
func rowCounts(ctx context.Context, db querier, names []string) (map[string]int64, error) {
	if len(names) == 0 {
		return map[string]int64{}, nil
	}
	return collectCounts(ctx, db, filled("read/row_counts", names))
}

// collectCounts runs a statement that gives names and numbers of rows.
func collectCounts(ctx context.Context, db querier, text string, args ...any) (map[string]int64, error) {
	counts := map[string]int64{}
	_, err := collectRows[struct{}](ctx, db, nil, text, func(rows *sql.Rows) (none struct{}, err error) {
		var name string
		var n int64
		err = rows.Scan(&name, &n)
		counts[name] = n
		return none, err
	}, args...)
	if err != nil {
		return nil, fmt.Errorf("count rows: %w", err)
	}
	return counts, nil
}

// ReadAll reads every value of every table, and with it every block that contains one: DuckDB
// compares each block with its checksum. IsDamaged is true of its error if one differs.
func (w *Warehouse) ReadAll(ctx context.Context) error {
	names, err := collect(ctx, w.db, "read/tables", scanText)
	if err != nil {
		return fmt.Errorf("list tables: %w", err)
	}
	for _, name := range names {
		var hash any
		if err := w.db.QueryRowContext(ctx, statement("read/checksums"), name).Scan(&hash); err != nil {
			return fmt.Errorf("read %s: %w", name, unwrapped(err))
		}
	}
	return nil
}

func scanText(rows *sql.Rows) (s string, err error) { return s, rows.Scan(&s) }

// RunsBefore lists the ids of the published runs of a run's job that came before it, at most limit,
// the latest first.
func (w *Warehouse) RunsBefore(ctx context.Context, run string, limit int) ([]string, error) {
	return collect(ctx, w.db, "read/before", scanText, sql.Named("run", run), sql.Named("limit", limit))
}

// IssueCount is how often an issue occurred in a run.
type IssueCount struct {
	Run, Dataset, Field, Reason string // an empty field means the whole record or answer
	Count                       int64
}

// IssueCounts counts the issues of some runs, by run, dataset, field and reason.
func (w *Warehouse) IssueCounts(ctx context.Context, runs []string) ([]IssueCount, error) {
	return collect(ctx, w.db, "read/issues", func(rows *sql.Rows) (c IssueCount, err error) {
		return c, rows.Scan(&c.Run, &c.Dataset, &c.Field, &c.Reason, &c.Count)
	}, runs)
}

// Spending is the requests and credits of a run and operation, by the table requests.
type Spending struct {
	Run, Operation    string
	Requests, Credits int64
}

// Spending sums up the requests and credits of the table requests, by run and operation.
func (w *Warehouse) Spending(ctx context.Context) ([]Spending, error) {
	return collect(ctx, w.db, "read/spending", func(rows *sql.Rows) (s Spending, err error) {
		return s, rows.Scan(&s.Run, &s.Operation, &s.Requests, &s.Credits)
	})
}

// Fleet compares the view vessels with the Parquet file that WriteVessels has written to a path,
// and returns the number of rows that the file lacks, and of those that the view lacks.
func (w *Warehouse) Fleet(ctx context.Context, path string) (missing, more int64, err error) {
	columns, err := vesselColumns(ctx, w.db)
	if err != nil {
		return 0, 0, err
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	list := strings.Join(names, ", ")
	var same bool
	if err := w.db.QueryRowContext(ctx, filled("compare/same_fleet", list), path).Scan(&same); err != nil {
		return 0, 0, fmt.Errorf("compare vessels with %s: %w", path, unwrapped(err))
	}
	if same {
		return 0, 0, nil
	}
	text := filled("compare/fleet", list)
	if err := w.db.QueryRowContext(ctx, text, path).Scan(&missing, &more); err != nil {
		return 0, 0, fmt.Errorf("compare vessels with %s: %w", path, unwrapped(err))
	}
	return missing, more, nil
}
