package warehouse

import (
	"context"
	"database/sql"
)

// Table is one entry of the data dictionary: a table or a view.
type Table struct {
	Name    string       `json:"name"`
	Comment string       `json:"comment"`
	Columns []Definition `json:"columns"`
}

// Definition is one column of the data dictionary.
type Definition struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Comment string `json:"comment"`
}

// Dictionary lists the tables and views by their names, each with its columns in their order, as
// the comments in the file have them; a column without a comment has an empty one. Types are named
// as in DuckDB. Its errors are those of reading, as Warehouse describes.
func (w *Warehouse) Dictionary(ctx context.Context) ([]Table, error) {
	type line struct {
		table Table
		Definition
	}
	lines, err := collect(ctx, w.db, "read/dictionary", func(rows *sql.Rows) (l line, err error) {
		return l, rows.Scan(&l.table.Name, &l.table.Comment, &l.Name, &l.Type, &l.Comment)
	})
	var tables []Table
	for _, l := range lines {
		if n := len(tables); n == 0 || tables[n-1].Name != l.table.Name {
			tables = append(tables, l.table)
		}
		last := &tables[len(tables)-1]
		last.Columns = append(last.Columns, l.Definition)
	}
	return tables, err
}
