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
	Columns []ColumnCounts `json:"columns"`        // in the order of the columns; empty with a Note
	Note    string         `json:"note,omitempty"` // why it was not counted
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

// Count counts the rows and values of each table and view in the published file. What a time limit
// leaves, and what needs more memory than the file was opened with, has a note instead; a limit of 0 is
// none. Its errors are those of reading, as warehouse.Warehouse describes.
func (d *Dictionary) Count(ctx context.Context, w *warehouse.Warehouse, limit time.Duration) error {
	limited := ctx
	if limit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	for _, g := range d.Groups {
		for i := range g.Entries {
			e := &g.Entries[i]
			if e.Kind != warehouse.KindTable && e.Kind != warehouse.KindView {
				continue
			}
			counts, err := count(limited, w, e)
			switch {
			case err == nil:
				e.Counts = counts
			case ctx.Err() == nil && limited.Err() != nil:
				e.Counts = &Counts{Note: fmt.Sprintf("Not counted: all counts of this page together took longer than %s.", limit)}
			case errors.Is(err, warehouse.ErrRoom):
				e.Counts = &Counts{Note: "Not counted: it needs more memory than this page may use."}
			default:
				return fmt.Errorf("count %s: %w", e.Name, err)
			}
		}
	}
	return nil
}

// counting is what a statement that counts is filled with.
type counting struct {
	Table   string
	Columns []counted
	Limit   int
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

func count(ctx context.Context, w *warehouse.Warehouse, e *Entry) (*Counts, error) {
	filling := counting{Table: e.Name}
	for i, c := range e.VisibleColumns() {
		filling.Columns = append(filling.Columns, counted{c, i})
	}
	all := &Counts{}
	var columns string
	_, err := warehouse.Collect(ctx, w, statements.Filled("counts", filling), func(rows *sql.Rows) (none struct{}, err error) {
		return none, rows.Scan(&all.Rows, &columns)
	})
	if err != nil {
		return nil, err
	}
	var found []struct {
		Known, Values   int64
		Least, Greatest *string
	}
	if err := json.Unmarshal([]byte(columns), &found); err != nil {
		return nil, err
	}
	few := counting{Table: e.Name, Limit: frequentValues}
	for i, c := range filling.Columns {
		f := found[i]
		one := ColumnCounts{Name: c.Name, Values: min(f.Values, f.Known), Least: text(f.Least), Greatest: text(f.Greatest)}
		if all.Rows > 0 {
			one.Nulls = 1 - float64(f.Known)/float64(all.Rows)
		}
		if c.listed(f.Known, one) {
			few.Columns = append(few.Columns, c)
		}
		all.Columns = append(all.Columns, one)
	}
	return all, all.addFrequent(ctx, w, few)
}

// addFrequent adds the most frequent values of the columns that have few.
func (c *Counts) addFrequent(ctx context.Context, w *warehouse.Warehouse, few counting) error {
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
		v.Share = float64(n) / float64(c.Rows)
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
