package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/warehouse"
)

// perPage is how many rows a page of a list has, mostPages how many pages can be read, and mostCounted how
// many rows are counted: to sort and to count millions takes longer than a reader waits. A file has all rows.
const perPage, mostPages, mostCounted = 50, 200, 100_000

// maxValue is the length of the longest value that a list is filtered by, in bytes.
const maxValue = 400

// list is a table or a view that the page lists, row by row.
type list struct {
	Name, Title string
	About       string   // what a row is
	Columns     []string // that the page shows, in its order; empty shows all. Files have all of them
	Order       string   // SQL of the order without another one
	Nights      string   // the column that this order begins with, newest first, in a list that grows every night; else empty
	Whole       bool     // a view that is computed whole for any of its rows, so that they are counted with it
}

// lists are what can be listed, by the name in the address: views and tables of the warehouse, and the
// statements of sql/lists, which add the names of the vessels.
var lists = []list{
	{Name: "vessels", Title: "Vessels", About: "One row a vessel, with its latest known values.", Order: "name NULLS LAST, vessel_id",
		Columns: []string{"vessel_id", "name", "flag", "vessel_type", "category", "deadweight_t", "gross_tonnage", "year_built", "registered_owner", "navigational_status", "world_zone", "listed", "first_seen", "last_seen"}},
	{Name: "reflaggings", Title: "Reflaggings", About: "One row a change of flag, on the night that saw it first. An open registry is a flag of convenience.", Order: "snapshot_date DESC, name, vessel_id", Nights: "snapshot_date",
		Columns: []string{"snapshot_date", "vessel_id", "name", "category", "flag_before", "flag_after", "open_registry_before", "open_registry_after", "mmsi_changed", "seen_before", "seen_after"}},
	{Name: "renamings", Title: "Renamings", About: "One row a change of name, on the night that saw it first.", Order: "snapshot_date DESC, name_after, vessel_id", Nights: "snapshot_date",
		Columns: []string{"snapshot_date", "vessel_id", "name_before", "name_after", "flag", "category", "reflagged_too", "seen_before", "seen_after"}},
	{Name: "ownership_changes", Title: "Changes of owner and manager", About: "One row a change. A vessel is looked up seldom: the change lies between the two observations.", Order: "snapshot_date DESC, seen_after DESC, vessel_id, role", Nights: "snapshot_date",
		Columns: []string{"snapshot_date", "vessel_id", "name", "role", "company_before", "company_after", "flag", "category", "seen_before", "seen_after"}},
	{Name: "gone_dark", Title: "Gone dark", About: "One row a vessel that is still on the list and that no status search has returned since, with how far the searches prove it.", Order: "proved DESC, complete_nights_since DESC, vessel_id", Whole: true,
		Columns: []string{"vessel_id", "name", "flag", "category", "navigational_status", "world_zone", "last_date", "complete_nights_since", "swept_nights_since", "proved", "proof"}},
	{Name: "arrivals", Title: "Arrivals in zones", About: "One row a vessel that was first seen in a zone, with whether the searches before prove that it was not there.", Order: "snapshot_date DESC, world_zone, vessel_id", Nights: "snapshot_date",
		Columns: []string{"snapshot_date", "world_zone", "vessel_id", "name", "flag", "category", "navigational_status", "from_zone", "not_before", "proved", "proof"}},
	{Name: "departures", Title: "Departures from zones", About: "One row a vessel that was last seen in a zone, with whether a search or a sighting elsewhere proves that it left.", Order: "snapshot_date DESC, world_zone, vessel_id", Nights: "snapshot_date",
		Columns: []string{"snapshot_date", "world_zone", "vessel_id", "name", "flag", "category", "navigational_status", "to_zone", "not_before", "proved", "proof"}},
	{Name: "zone_congestion", Title: "Waiting in zones", About: "One row a night, zone and category: how many wait at anchor or adrift, against the usual of the nights before.", Order: "snapshot_date DESC, above_usual DESC, world_zone, category, navigational_status", Whole: true},
	{Name: "identity_review", Title: "Identities to review", About: "One row a case that a person should look at.", Order: "last_date DESC, kind, vessel_id", Whole: true},
	{Name: "data_freshness", Title: "Age of the data", About: "One row a dataset and band of age: how many listed vessels have data of that age.", Order: "dataset, band", Whole: true},
	{Name: "changes", Title: "Changes", About: "One row a field that changed, with when it was last seen as before and first seen as now.", Order: "snapshot_date DESC, seen_after DESC, vessel_id, field", Nights: "snapshot_date"},
	{Name: "listed", Title: "Stays on the list", About: "One row an unbroken stay. A stay ends only where a complete search proved it.", Order: "from_date DESC, name, vessel_id", Nights: "from_date"},
	{Name: "episodes", Title: "Stays in a status and zone", About: "One row an unbroken stay of a vessel in a navigational status and a zone.", Order: "last_date DESC, name, vessel_id", Nights: "last_date"},
	{Name: "issues", Title: "Issues", About: "One row a value or a record that could not be accepted as it came, with its raw value and reason.", Order: "snapshot_date DESC, run_id DESC, entry, vessel_id", Nights: "snapshot_date",
		Columns: []string{"snapshot_date", "vessel_id", "dataset", "field", "raw_value", "reason", "run_id", "entry"}},
	{Name: "coverage", Title: "Coverage", About: "One row a partition of a run, with what the run proved that it saw of it.", Order: "snapshot_date DESC, run_id DESC, operation, value", Nights: "snapshot_date",
		Columns: []string{"snapshot_date", "operation", "kind", "value", "state", "reason", "pages", "expected_rows", "received_rows", "run_id"}},
	{Name: "identity_conflicts", Title: "Identity conflicts", About: "One row a contradiction between vessels, over the nights on which it was seen.", Order: "last_date DESC, vessel_id"},
	{Name: "runs", Title: "Runs", About: "One row a run.", Order: "run_id DESC",
		Columns: []string{"run_id", "job", "snapshot_date", "started_at", "finished_at", "state", "stop", "requests", "credits_planned", "credits_spent", "rows"}},
}

// from is what a list selects from.
func (l list) from() string {
	if name := "lists/" + l.Name; slices.Contains(joinedLists, l.Name) {
		return "(\n" + statements.Text(name) + ")"
	}
	return identifier(l.Name)
}

// joinedLists have a statement in sql/lists.
var joinedLists = []string{"listed", "episodes"}

// listOf finds a list by its name.
func listOf(name string) (list, bool) {
	at := slices.IndexFunc(lists, func(l list) bool { return l.Name == name })
	if at < 0 {
		return list{}, false
	}
	return lists[at], true
}

// listColumn is a column of a list in the published file.
type listColumn struct{ Name, Type string }

// Asked is what a request wants of a list.
type Asked struct {
	Filters []Filter
	Sort    string // a column; empty is the list's own order
	Down    bool
	Page    int // from 1
	Format  string
}

// Filter keeps the rows whose column has a value, begins with it or lies at or beyond it. Value is empty
// for rows without one.
type Filter struct{ Column, Relation, Value string }

// relations are what stands after the name of a column in an address, and its SQL.
var relations = map[string]string{"": "=", ".from": ">=", ".to": "<="}

// Words is the filter as people read it.
func (f Filter) Words() string {
	switch {
	case f.Relation == ".from":
		return fieldName(f.Column) + " from " + f.Value
	case f.Relation == ".to":
		return fieldName(f.Column) + " up to " + f.Value
	case f.Value == "":
		return "no " + fieldName(f.Column)
	}
	return fieldName(f.Column) + " " + f.Value
}

// errAsked says that an address asks for what a list does not have.
var errAsked = errors.New("no such list")

// asked reads an address: a column and its value is a filter, and sort, down, page and format are ours.
func asked(q url.Values, columns []listColumn) (a Asked, err error) {
	a = Asked{Page: 1, Down: q.Get("down") != "", Sort: q.Get("sort"), Format: q.Get("format")}
	if text := q.Get("page"); text != "" {
		if a.Page, err = strconv.Atoi(text); err != nil || a.Page < 1 || a.Page > mostPages {
			return a, fmt.Errorf("page %q: want a number from 1 to %d; filters and files have the other rows: %w", shortened(text), mostPages, errAsked)
		}
	}
	known := func(name string) bool {
		return slices.ContainsFunc(columns, func(c listColumn) bool { return c.Name == name })
	}
	if a.Sort != "" && !known(a.Sort) {
		return a, fmt.Errorf("sort by %q: the list has no such column: %w", shortened(a.Sort), errAsked)
	}
	if a.Format != "" && fileTypes[a.Format] == "" {
		return a, fmt.Errorf("format %q: want csv, json or parquet: %w", shortened(a.Format), errAsked)
	}
	for key, values := range q {
		if slices.Contains([]string{"sort", "down", "page", "format"}, key) {
			continue
		}
		column, relation, _ := strings.Cut(key, ".")
		if relation != "" {
			relation = "." + relation
		}
		if relations[relation] == "" || !known(column) {
			return a, fmt.Errorf("filter %q: the list has no such column: %w", shortened(key), errAsked)
		}
		for _, value := range values {
			if len(value) > maxValue || strings.ContainsRune(value, 0) || !utf8.ValidString(value) {
				return a, fmt.Errorf("filter %s: want at most %d bytes of text: %w", column, maxValue, errAsked)
			}
			a.Filters = append(a.Filters, Filter{column, relation, value})
		}
	}
	slices.SortFunc(a.Filters, func(x, y Filter) int {
		return strings.Compare(x.Column+x.Relation+x.Value, y.Column+y.Relation+y.Value)
	})
	return a, nil
}

// query is the address of the same list, with another page, order or format.
func (a Asked) query() string {
	q := url.Values{}
	for _, f := range a.Filters {
		q.Add(f.Column+f.Relation, f.Value)
	}
	if a.Sort != "" {
		q.Set("sort", a.Sort)
	}
	if a.Down {
		q.Set("down", "1")
	}
	if a.Page > 1 {
		q.Set("page", strconv.Itoa(a.Page))
	}
	if a.Format != "" {
		q.Set("format", a.Format)
	}
	return "?" + q.Encode()
}

// where is the SQL of the filters, and the values of its parameters, which are $prefix1 and so on. A value
// is compared as its column's type: one that does not fit it is an error of the statement.
func where(filters []Filter, columns []listColumn, prefix string) (text string, values []string) {
	conditions := []string{"true"}
	for _, f := range filters {
		at := slices.IndexFunc(columns, func(c listColumn) bool { return c.Name == f.Column })
		if f.Value == "" {
			conditions = append(conditions, identifier(f.Column)+" IS NULL")
			continue
		}
		values = append(values, f.Value)
		conditions = append(conditions, fmt.Sprintf("%s %s CAST($%s%d AS %s)", identifier(f.Column), relations[f.Relation], prefix, len(values), columns[at].Type))
	}
	return strings.Join(conditions, " AND "), values
}

// identifier quotes the name of a column for SQL.
func identifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// sql is the statement of some columns of a list, and the values of its parameters.
func (l list) sql(a Asked, columns []listColumn, names []string, prefix string) (text string, values []string) {
	var all []string
	for _, name := range names {
		all = append(all, identifier(name))
	}
	order := l.Order
	if a.Sort != "" {
		direction := " ASC"
		if a.Down {
			direction = " DESC"
		}
		order = identifier(a.Sort) + direction + " NULLS LAST, " + order
	}
	condition, values := where(a.Filters, columns, prefix)
	return fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY %s", strings.Join(all, ", "), l.from(), condition, order), values
}

// ListView is a page of a list.
type ListView struct {
	list
	Asked
	Heads []Head
	Rows  [][]Cell
	Total int  // at most one more than are counted
	More  bool // there is a row after the page
	Files bool // the list can be had as a file

	statement warehouse.Statement // of a file
}

// Head is the head of a column, which sorts by it.
type Head struct {
	Title, Query string
	Number       bool
	Sorted       string // ascending, descending or nothing
}

// Cell is a value, and the page of what it names.
type Cell struct {
	Text, Link string
	Number     bool
}

// First and Last are the numbers of the rows on the page.
func (v ListView) First() int { return (v.Page-1)*perPage + 1 }
func (v ListView) Last() int  { return v.First() + len(v.Rows) - 1 }

// Beside is the address of a page before or after this one; empty if there is none.
func (v ListView) Beside(by int) string {
	to := v.Asked
	to.Page += by
	if to.Page < 1 || to.Page > mostPages || by > 0 && !v.More {
		return ""
	}
	return to.query()
}

// Of is how many rows the list has, in words.
func (v ListView) Of() string {
	if v.Total > mostCounted {
		return "more than " + wording.Count(mostCounted)
	}
	return wording.Count(v.Total)
}

// Without is the address of the list without one of the filters.
func (v ListView) Without(f Filter) string {
	to := v.Asked
	to.Page = 1
	to.Filters = slices.DeleteFunc(slices.Clone(v.Filters), func(g Filter) bool { return f == g })
	return to.query()
}

// listPage serves one page of a list.
func (s *site) listPage(w http.ResponseWriter, r *http.Request) {
	l, ok := listOf(r.PathValue("name"))
	if !ok {
		s.notFound(w, r)
		return
	}
	v := ListView{list: l, Files: s.Answer != nil}
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
	if !v.Whole {
		if err := v.count(ctx, w, columns); err != nil {
			return err
		}
	}
	narrowed, err := v.narrowed(ctx, w)
	for _, a := range narrowed {
		if err = v.readPage(ctx, w, a, columns, names); err != nil || v.More {
			break
		}
	}
	return err
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

// count counts the rows, up to the most that are counted and one more.
func (v *ListView) count(ctx context.Context, w *warehouse.Warehouse, columns []listColumn) error {
	condition, values := where(v.Filters, columns, "")
	text := fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM %s WHERE %s LIMIT %d)", v.from(), condition, mostCounted+1)
	return v.query(ctx, w, text, values, func(_ []string, row record) { v.Total = row.number(0) })
}

// narrowed are the ways to ask for the page, the last of which has it: of a list that begins with its newest
// nights first for these alone, which takes a part of the time and mostly has rows enough.
func (v *ListView) narrowed(ctx context.Context, w *warehouse.Warehouse) ([]Asked, error) {
	oneNight := slices.ContainsFunc(v.Filters, func(f Filter) bool { return f.Column == v.Nights && f.Relation == "" })
	if v.Nights == "" || oneNight || v.Total <= v.Page*perPage || v.Sort != "" && (v.Sort != v.Nights || !v.Down) {
		return []Asked{v.Asked}, nil
	}
	var newest time.Time
	err := v.query(ctx, w, "SELECT max(snapshot_date) FROM runs", nil, func(_ []string, row record) { newest, _ = row[0].(time.Time) })
	for _, f := range v.Filters {
		if until, err := time.Parse(time.DateOnly, f.Value); f.Column == v.Nights && f.Relation == ".to" && err == nil && until.Before(newest) {
			newest = until
		}
	}
	var all []Asked
	for _, days := range []int{0, 30} {
		a := v.Asked
		a.Filters = append(slices.Clone(a.Filters), Filter{v.Nights, ".from", newest.AddDate(0, 0, -days).Format(time.DateOnly)})
		all = append(all, a)
	}
	return append(all, v.Asked), err
}

// readPage reads the rows of the page, and whether another one follows.
func (v *ListView) readPage(ctx context.Context, w *warehouse.Warehouse, a Asked, columns []listColumn, names []string) error {
	text, values := v.sql(a, columns, names, "")
	if v.Whole {
		text = "SELECT *, count(*) OVER () FROM (" + text + ")"
	}
	v.Rows, v.More = nil, false
	return v.query(ctx, w, fmt.Sprintf("%s LIMIT %d OFFSET %d", text, perPage+1, (a.Page-1)*perPage), values, func(types []string, row record) {
		if v.Whole {
			v.Total = row.number(len(names))
		}
		if v.More = len(v.Rows) == perPage; !v.More {
			v.Rows = append(v.Rows, cells(names, types, row))
		}
	})
}

// whole makes the statement of a file with all rows and columns of the list.
func (v *ListView) whole(columns []listColumn, names []string) {
	text, values := v.sql(v.Asked, columns, names, "p")
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

// As is the address of the list as a file.
func (v ListView) As(format string) string {
	to := v.Asked
	to.Page, to.Format = 1, format
	return to.query()
}

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

// numeric are the types of columns that are aligned to the right.
var numeric = []string{"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DOUBLE", "FLOAT", "UBIGINT", "UINTEGER"}

func (v *ListView) heads(names []string, columns []listColumn) {
	for _, name := range names {
		to := v.Asked
		to.Page, to.Sort, to.Down = 1, name, v.Sort == name && !v.Down
		h := Head{Title: fieldName(name), Query: to.query()}
		if v.Sort == name {
			h.Sorted = map[bool]string{false: "ascending", true: "descending"}[v.Down]
		}
		at := slices.IndexFunc(columns, func(c listColumn) bool { return c.Name == name })
		h.Number = at >= 0 && slices.Contains(numeric, columns[at].Type)
		v.Heads = append(v.Heads, h)
	}
}

// cells writes a row. Vessels and runs lead to their pages.
func cells(names, types []string, row []any) []Cell {
	var all []Cell
	for i, name := range names {
		c := Cell{Text: cellText(row[i], types[i])}
		switch {
		case c.Text == "":
		case name == "vessel_id" || name == "alias_id":
			c.Link = "/vessel/" + url.PathEscape(c.Text)
		case name == "run_id" && runID.MatchString(c.Text):
			c.Link = "/runs/" + c.Text
		}
		switch row[i].(type) {
		case int32, int64, float64:
			c.Number = !strings.HasPrefix(name, "year")
		}
		all = append(all, c)
	}
	return all
}

// cellText writes a value of DuckDB for people: dates without a time, instants to the minute, in UTC.
func cellText(value any, databaseType string) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return printable(v)
	case bool:
		return map[bool]string{true: "yes", false: "no"}[v]
	case float64:
		return wording.Value(v)
	case time.Time:
		if databaseType == "DATE" {
			return v.UTC().Format(time.DateOnly)
		}
		return wording.Minute(&v)
	}
	return printable(fmt.Sprint(value))
}
