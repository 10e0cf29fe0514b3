package warehouse

import (
	"context"
	"database/sql"
)

// Reference is a reference table with its rows, which come from the program. Each row has an element for
// each of the columns; an empty one is null.
type Reference struct {
	Table   string
	Columns []string
	Rows    [][]string
}

// fill replaces the rows of the table.
func (r Reference) fill(ctx context.Context, tx *sql.Tx) error {
	type column struct {
		Name      string
		Parameter int
	}
	target := struct {
		Table   string
		Columns []column
	}{Table: r.Table}
	lists := make([]any, len(r.Columns))
	for i, name := range r.Columns {
		target.Columns = append(target.Columns, column{name, i + 1})
		list := make([]string, len(r.Rows))
		for j, row := range r.Rows {
			list[j] = row[i]
		}
		lists[i] = list
	}
	if _, err := tx.ExecContext(ctx, filled("reference/clear", target)); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, filled("reference/fill", target), lists...)
	return err
}
