package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

// listPage serves one page of a list.
func (s *site) listPage(w http.ResponseWriter, r *http.Request) {
	l, ok := listOf(r.PathValue("name"))
	if !ok {
		s.notFound(w, r)
		return
	}
	v := ListView{list: l, bounds: listBounds, Files: s.Answer != nil}
	err := s.look(r.Context(), func(ctx context.Context, file *warehouse.Warehouse) error {
		return v.read(ctx, file, r.URL.Query())
	})
	if err == nil && v.Format != "" {
		if err = s.sendFile(w, r, &v); err == nil {
			return
		}
	}
	switch {
	case errors.Is(err, errAsked):
		s.say(w, http.StatusBadRequest, "The list has no such thing", err.Error())
	case errors.Is(err, warehouse.ErrStatement):
		s.say(w, http.StatusBadRequest, "The list cannot be filtered so", "A value in the address does not fit its column: numbers are written as 42, dates as 2026-11-20.")
	case err != nil:
		s.cannotRead(w, err)
	default:
		send(w, http.StatusOK, render("page.html", view{Kind: "list", Title: l.Title, Version: s.Version, Now: s.Now(), List: &v}))
	}
}

// read reads the rows of the page.
func (v *ListView) read(ctx context.Context, w *warehouse.Warehouse, q url.Values) error {
	if slices.Contains(joinedLists, v.Name) {
		if err := each(ctx, w, "shared_numbers", func(r record) { v.shared = r.yes(0) }); err != nil {
			return err
		}
	}
	columns, err := v.columns(ctx, w)
	if err != nil {
		return err
	}
	if v.Asked, err = asked(q, columns); err != nil {
		return err
	}
	if v.Format != "" && !v.Files {
		return fmt.Errorf("format %q: this page offers no files: %w", v.Format, errAsked)
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
	v.heads(names, columns)
	return v.readRows(ctx, w, columns, names)
}

// query calls take with each row of a statement, and with the types of its columns.
func (v *ListView) query(ctx context.Context, w *warehouse.Warehouse, text string, values []string, take func(types []string, row record)) error {
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
func (v *ListView) readRows(ctx context.Context, w *warehouse.Warehouse, columns []listColumn, names []string) error {
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
func (v *ListView) count(ctx context.Context, w *warehouse.Warehouse, a Asked, columns []listColumn) error {
	condition, values := where(a.Filters, columns, "")
	text := fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM %s WHERE %s LIMIT %d)", v.from(), condition, v.Most+1)
	return v.query(ctx, w, text, values, func(_ []string, row record) { v.Total = row.number(0) })
}

// readPage reads the rows of the page, and whether another one follows.
func (v *ListView) readPage(ctx context.Context, w *warehouse.Warehouse, a Asked, columns []listColumn, names []string) error {
	condition, values := where(a.Filters, columns, "")
	text := fmt.Sprintf("SELECT %s FROM %s WHERE %s", quoted(names), v.from(), condition)
	return v.take(ctx, w, a, text, values, names)
}

// readFound counts and reads the rows of the page in one pass over the list, up to the most that are counted
// and one more. If there are more, the page is not that of the whole list.
func (v *ListView) readFound(ctx context.Context, w *warehouse.Warehouse, a Asked, columns []listColumn, names []string) error {
	condition, values := where(a.Filters, columns, "")
	text := fmt.Sprintf("WITH found AS MATERIALIZED (SELECT * FROM %s WHERE %s LIMIT %d) SELECT %s, (SELECT count(*) FROM found) FROM found", v.from(), condition, v.Most+1, quoted(names))
	v.Total = 0
	return v.take(ctx, w, a, text, values, names)
}

// take adds order and page to a statement, and takes its rows. A column after those of the names is the number
// of all rows.
func (v *ListView) take(ctx context.Context, w *warehouse.Warehouse, a Asked, text string, values []string, names []string) error {
	v.Rows, v.More = nil, false
	text = fmt.Sprintf("%s ORDER BY %s LIMIT %d OFFSET %d", text, v.order(a), perPage+1, (a.Page-1)*perPage)
	return v.query(ctx, w, text, values, func(types []string, row record) {
		if len(row) > len(names) {
			v.Total = row.number(len(names))
		}
		if v.More = len(v.Rows) == perPage; !v.More {
			v.Rows = append(v.Rows, cells(names, types, row))
		}
	})
}

// whole makes the statement of a file with all rows and columns of the list.
func (v *ListView) whole(columns []listColumn, names []string) {
	condition, values := where(v.Filters, columns, "p")
	text := fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY %s", quoted(names), v.from(), condition, v.order(v.Asked))
	v.statement = warehouse.Statement{Text: text, Params: map[string]string{}}
	for i, value := range values {
		v.statement.Params[fmt.Sprintf("p%d", i+1)] = value
	}
}

// fileTypes are the formats of files, with what browsers call them.
var fileTypes = map[string]string{"csv": "text/csv; charset=utf-8", "json": "application/json", "parquet": "application/vnd.apache.parquet"}

// sendFile serves the whole list as a file. It is complete on disk before its first byte is sent, so that
// a slow client keeps no statement open.
func (s *site) sendFile(w http.ResponseWriter, r *http.Request, v *ListView) error {
	path, done, err := s.Answer(r.Context(), v.statement, v.Format)
	if err != nil {
		return err
	}
	s.sendPath(w, r, path, done, v.Name, v.Format)
	return nil
}

// slowestFile is how long a client may take to receive a file.
const slowestFile = 5 * time.Minute

// columns reads the columns of a list and their types.
func (l list) columns(ctx context.Context, w *warehouse.Warehouse) (all []listColumn, err error) {
	rows, err := w.Query(ctx, "DESCRIBE SELECT * FROM "+l.from())
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", l.Name, err)
	}
	defer rows.Close()
	for row, err := range rows.All() {
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", l.Name, err)
		}
		all = append(all, listColumn{record(row).text(0), record(row).text(1)})
	}
	return all, nil
}
