package shown

import (
	"context"
	"errors"
	"fmt"

	"github.com/fleetlake/fleetlake/warehouse"
)

// Record is one row of a result.
type Record []any

// Text reads a column; NULL is empty.
func (r Record) Text(i int) string {
	s, _ := r[i].(string)
	return s
}

// Number reads a column of whole numbers; NULL is 0.
func (r Record) Number(i int) int {
	switch n := r[i].(type) {
	case int64:
		return int(n)
	case int32:
		return int(n)
	}
	return 0
}

// Yes reads a boolean; NULL is false.
func (r Record) Yes(i int) bool {
	b, _ := r[i].(bool)
	return b
}

// Each runs a statement by its name, and calls take with each row.
func Each(ctx context.Context, w *warehouse.Warehouse, statements warehouse.Statements, name string, take func(Record), args ...any) error {
	rows, err := w.Query(ctx, statements.Text(name), args...)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	for row, err := range rows.All() {
		if err != nil {
			return errors.Join(fmt.Errorf("read %s: %w", name, err), rows.Close())
		}
		take(row)
	}
	return rows.Close()
}
