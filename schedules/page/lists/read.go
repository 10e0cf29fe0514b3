package lists

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Read reads the rows of the page.
func (v *View) Read(ctx context.Context, w *warehouse.Warehouse, q url.Values) error {
	if slices.Contains(joinedLists, v.Name) {
		if err := shown.Each(ctx, w, statements, "shared_numbers", func(r shown.Record) { v.shared = r.Yes(0) }); err != nil {
			return err
		}
	}
	columns, err := v.Describe(ctx, w)
	if err != nil {
		return err
	}
	if v.Asked, err = asked(q, columns); err != nil {
		return err
	}
	if v.Format != "" && !v.Files {
		return fmt.Errorf("format %q: this page offers no files: %w", v.Format, ErrAsked)
	}
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = c.Name
	}
	if v.Format != "" {
		v.whole(columns, all)
		return nil
	}
	names := v.Columns
	if len(names) == 0 {
		names = all
	}
	if len(v.Show) > 0 {
		names = v.Show
	}
	if q.Has(formField) {
		if sameColumns(v.Show, v.Columns) {
			v.Show = nil
		}
		v.Clean = v.Asked.query()
		return nil
	}
	v.heads(names, columns)
	v.form(columns, names)
	if err := v.readRows(ctx, w, columns, names); err != nil {
		return err
	}
	return v.facets(ctx, w, columns)
}

// sameColumns reports whether two lists of columns have the same ones.
func sameColumns(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// query calls take with each row of a statement, and with the types of its columns.
func (v *View) query(ctx context.Context, w *warehouse.Warehouse, text string, values []string, take func(types []string, row shown.Record)) error {
	args := make([]any, len(values))
	for i, value := range values {
		args[i] = value
	}
	rows, err := w.Query(ctx, text, args...)
	if err != nil {
		return fmt.Errorf("list %s: %w", v.Name, err)
	}
	defer rows.Close()
	for row, err := range rows.All() {
		if err != nil {
			return fmt.Errorf("list %s: %w", v.Name, err)
		}
		take(rows.Types, row)
	}
	return nil
}

// readRows reads the rows of the page: of a list that grows every night those of the nights that have them.
func (v *View) readRows(ctx context.Context, w *warehouse.Warehouse, columns []Column, names []string) error {
	v.Most = v.counted
	switch {
	case v.Whole:
		return v.readFound(ctx, w, v.Asked, columns, names)
	case v.Nights != "":
		return v.readNights(ctx, w, columns, names)
	}
	err := v.count(ctx, w, v.Asked, columns)
	if err == nil {
		err = v.readPage(ctx, w, v.Asked, columns, names)
	}
	return err
}

// count counts the rows, up to the most that are counted and one more.
func (v *View) count(ctx context.Context, w *warehouse.Warehouse, a Asked, columns []Column) error {
	condition, values := where(a.Filters, columns, "")
	text := fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM %s WHERE %s LIMIT %d)", v.from(), condition, v.Most+1)
	return v.query(ctx, w, text, values, func(_ []string, row shown.Record) { v.Total = row.Number(0) })
}

// readPage reads the rows of the page, and whether another one follows.
func (v *View) readPage(ctx context.Context, w *warehouse.Warehouse, a Asked, columns []Column, names []string) error {
	condition, values := where(a.Filters, columns, "")
	text := fmt.Sprintf("SELECT %s FROM %s WHERE %s", quoted(names), v.from(), condition)
	return v.take(ctx, w, a, text, values, names)
}

// readFound counts and reads the rows of the page in one pass over the list, up to the most that are counted
// and one more. If there are more, the page is not that of the whole list.
func (v *View) readFound(ctx context.Context, w *warehouse.Warehouse, a Asked, columns []Column, names []string) error {
	condition, values := where(a.Filters, columns, "")
	text := fmt.Sprintf("WITH found AS MATERIALIZED (SELECT * FROM %s WHERE %s LIMIT %d) SELECT %s, (SELECT count(*) FROM found) FROM found", v.from(), condition, v.Most+1, quoted(names))
	v.Total = 0
	return v.take(ctx, w, a, text, values, names)
}

// take adds order and page to a statement, and takes its rows. A column after those of the names is the number
// of all rows.
func (v *View) take(ctx context.Context, w *warehouse.Warehouse, a Asked, text string, values []string, names []string) error {
	v.Rows, v.More = nil, false
	text = fmt.Sprintf("%s ORDER BY %s LIMIT %d OFFSET %d", text, v.order(a), perPage+1, (a.Page-1)*perPage)
	return v.query(ctx, w, text, values, func(types []string, row shown.Record) {
		if len(row) > len(names) {
			v.Total = row.Number(len(names))
		}
		if v.More = len(v.Rows) == perPage; !v.More {
			v.Rows = append(v.Rows, cells(names, types, row))
		}
	})
}

// whole makes the statement of a file with all rows and columns of the list.
func (v *View) whole(columns []Column, names []string) {
	condition, values := where(v.Filters, columns, "p")
	text := fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY %s", quoted(names), v.from(), condition, v.order(v.Asked))
	v.Statement = warehouse.Statement{Text: text, Params: map[string]string{}}
	for i, value := range values {
		v.Statement.Params[fmt.Sprintf("p%d", i+1)] = value
	}
}

// FileTypes are the formats of files, with what browsers call them.
var FileTypes = map[string]string{"csv": "text/csv; charset=utf-8", "json": "application/json", "parquet": "application/vnd.apache.parquet"}

// Describe reads the columns of a list and their types.
func (l List) Describe(ctx context.Context, w *warehouse.Warehouse) (all []Column, err error) {
	rows, err := w.Query(ctx, "DESCRIBE SELECT * FROM "+l.from())
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", l.Name, err)
	}
	defer rows.Close()
	for row, err := range rows.All() {
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", l.Name, err)
		}
		all = append(all, Column{shown.Record(row).Text(0), shown.Record(row).Text(1)})
	}
	return all, nil
}
