package dictionary

import (
	"context"
	"database/sql"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

//go:embed sql
var files embed.FS

var statements = warehouse.Statements{Files: files}

// Limits of a distribution: it is given of a column that has few values, each of them in several rows.
const (
	frequentValues = 5
	maxValues      = 500
	minRowsOfValue = 4
)

// Counts are what the published file has of a table or view.
type Counts struct {
	Rows    int64          `json:"rows"`
	Sample  int64          `json:"sample_rows,omitempty"` // the rows that the columns describe, if these are not all
	Columns []ColumnCounts `json:"columns"`               // in the order of the columns; empty with a Note
	Note    string         `json:"note,omitempty"`        // why it was not counted
}

// Limits bound what Count reads, whatever the length of the history. A zero is no limit.
type Limits struct {
	Rows int64         // of one table or view: of a longer one, columns describe the newest rows of a table, and some rows of a view
	Each time.Duration // for one table or view
	All  time.Duration // for all of them together
}

// ColumnCounts are what the published file has of a column.
type ColumnCounts struct {
	Name     string  `json:"name"`
	Nulls    float64 `json:"null_share"` // of the rows, 0 to 1
	Values   int64   `json:"values"`     // about how many different ones
	Least    string  `json:"least,omitempty"`
	Greatest string  `json:"greatest,omitempty"`
	Frequent []Value `json:"frequent,omitempty"` // the most frequent first; empty if the column has many values
}

// Value is a value and the share of the rows that have it, 0 to 1.
type Value struct {
	Value string  `json:"value"`
	Share float64 `json:"share"`
}

// Of returns what was counted of a column; false if nothing was.
func (c *Counts) Of(column string) (ColumnCounts, bool) {
	if c == nil {
		return ColumnCounts{}, false
	}
	i := slices.IndexFunc(c.Columns, func(one ColumnCounts) bool { return one.Name == column })
	if i < 0 {
		return ColumnCounts{}, false
	}
	return c.Columns[i], true
}

// Count counts the rows and values of each table and view in the published file. What a limit of time
// leaves, and what needs more memory than the file was opened with, has a note instead. Its errors are
// those of reading, as warehouse.Warehouse describes.
func (d *Dictionary) Count(ctx context.Context, w *warehouse.Warehouse, l Limits) error {
	all, cancel := limited(ctx, l.All)
	defer cancel()
	for _, g := range d.Groups {
		for i := range g.Entries {
			e := &g.Entries[i]
			if e.Kind != warehouse.KindTable && e.Kind != warehouse.KindView {
				continue
			}
			if e.EveryNight {
				e.Counts = &Counts{Note: "Not counted: it has the fleet of every night, which is computed when it is asked for."}
				continue
			}
			one, cancel := limited(all, l.Each)
			counts, err := count(one, w, e, l.Rows)
			late := one.Err() != nil
			cancel()
			switch {
			case err == nil:
				e.Counts = counts
			case ctx.Err() == nil && all.Err() != nil:
				e.Counts = &Counts{Note: fmt.Sprintf("Not counted: all counts of this page together took longer than %s.", l.All)}
			case ctx.Err() == nil && late:
				e.Counts = &Counts{Note: fmt.Sprintf("Not counted: it takes longer than %s.", l.Each)}
			case errors.Is(err, warehouse.ErrRoom):
				e.Counts = &Counts{Note: "Not counted: it needs more memory than this page may use."}
			default:
				return fmt.Errorf("count %s: %w", e.Name, err)
			}
		}
	}
	return nil
}

// limited returns a context with a time limit; 0 is none.
func limited(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, limit)
}

// counting is what a statement that counts is filled with.
type counting struct {
	Table   string
	Columns []counted
	Limit   int   // values of a column
	After   int64 // of a table: the rowid before the first row that is read; -1 reads all
	Most    int64 // of a view: the rows that are read; 0 is all
}

// From is what the statement reads, as SQL has it.
func (c counting) From() string {
	switch {
	case c.Most > 0:
		return fmt.Sprintf("(FROM %s LIMIT %d)", c.Table, c.Most)
	case c.After >= 0:
		return fmt.Sprintf("%s WHERE rowid > %d", c.Table, c.After)
	}
	return c.Table
}

// counted is a column in a statement that counts.
type counted struct {
	warehouse.Definition
	place int // among the visible columns of the entry
}

// Quoted is the name of the column as SQL has it.
func (c counted) Quoted() string { return `"` + strings.ReplaceAll(c.Name, `"`, `""`) + `"` }

// Ordered reports whether the least and the greatest value say something: of texts they do not.
func (c counted) Ordered() bool {
	return !slices.Contains([]string{"VARCHAR", "JSON", "BOOLEAN"}, c.Type)
}

// listed reports whether the frequent values of a column say something.
func (c counted) listed(known int64, found ColumnCounts) bool {
	return !c.Ordered() && c.Type != "JSON" && !slices.Contains(c.References, "runs.run_id") &&
		found.Values > 0 && found.Values <= maxValues && known >= minRowsOfValue*found.Values
}

// count counts an entry; of one with more rows than most, it reads as many. 0 is no limit.
func count(ctx context.Context, w *warehouse.Warehouse, e *Entry, most int64) (*Counts, error) {
	filling := counting{Table: e.Name, After: -1}
	all := &Counts{}
	if err := all.sample(ctx, w, e, most, &filling); err != nil {
		return nil, err
	}
	for i, c := range e.VisibleColumns() {
		filling.Columns = append(filling.Columns, counted{c, i})
	}
	var columns string
	var read int64
	_, err := warehouse.Collect(ctx, w, statements.Filled("counts", filling), func(rows *sql.Rows) (none struct{}, err error) {
		return none, rows.Scan(&read, &columns)
	})
	if err != nil {
		return nil, err
	}
	if read < all.Rows {
		all.Sample = read
	} else {
		all.Rows = read
	}
	var found []struct {
		Known, Values   int64
		Least, Greatest *string
	}
	if err := json.Unmarshal([]byte(columns), &found); err != nil {
		return nil, err
	}
	few := filling
	few.Columns, few.Limit = nil, frequentValues
	for i, c := range filling.Columns {
		f := found[i]
		one := ColumnCounts{Name: c.Name, Values: min(f.Values, f.Known), Least: text(f.Least), Greatest: text(f.Greatest)}
		if read > 0 {
			one.Nulls = 1 - float64(f.Known)/float64(read)
		}
		if c.listed(f.Known, one) {
			few.Columns = append(few.Columns, c)
		}
		all.Columns = append(all.Columns, one)
	}
	return all, all.addFrequent(ctx, w, few, read)
}

// sample counts the rows of an entry, and says in the filling which of them are read.
func (c *Counts) sample(ctx context.Context, w *warehouse.Warehouse, e *Entry, most int64, f *counting) error {
	if most == 0 {
		return nil
	}
	name := "rows"
	if e.Kind == warehouse.KindTable {
		name = "newest"
	}
	last := int64(-1)
	_, err := warehouse.Collect(ctx, w, statements.Filled(name, f), func(rows *sql.Rows) (none struct{}, err error) {
		return none, rows.Scan(&c.Rows, &last)
	})
	switch {
	case err != nil || c.Rows <= most:
	case e.Kind == warehouse.KindTable:
		f.After = last - most
	default:
		f.Most = most
	}
	return err
}

// addFrequent adds the most frequent values of the columns that have few, with their shares of the rows that
// are read.
func (c *Counts) addFrequent(ctx context.Context, w *warehouse.Warehouse, few counting, read int64) error {
	if len(few.Columns) == 0 {
		return nil
	}
	_, err := warehouse.Collect(ctx, w, statements.Filled("frequent", few), func(rows *sql.Rows) (none struct{}, err error) {
		var v Value
		var column int
		var n int64
		if err := rows.Scan(&column, &v.Value, &n); err != nil {
			return none, err
		}
		v.Share = float64(n) / float64(read)
		of := &c.Columns[few.Columns[column].place]
		of.Frequent = append(of.Frequent, v)
		return none, nil
	})
	return err
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
