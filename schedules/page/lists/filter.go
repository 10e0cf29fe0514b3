package lists

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fleetlake/fleetlake/schedules/page/shown"
)

// Column is a column of a list in the published file.
type Column struct{ Name, Type string }

// Asked is what a request wants of a list.
type Asked struct {
	Filters []Filter
	Sort    string // a column; empty is the list's own order
	Down    bool
	Page    int      // from 1
	Show    []string // the columns that are shown; empty is those of the list
	Format  string
}

// Filter keeps the rows whose column has a value, has it as a part of its text, or lies at or beyond it. Value is empty
// for rows without one.
type Filter struct{ Column, Relation, Value string }

// relations are what stands after the name of a column in an address, and its SQL.
var relations = map[string]string{"": "=", ".from": ">=", ".to": "<=", ".has": "contains"}

// Words is the filter as people read it.
func (f Filter) Words() string {
	switch {
	case f.Relation == ".from":
		return shown.FieldName(f.Column) + " from " + f.Value
	case f.Relation == ".has":
		return shown.FieldName(f.Column) + " with " + f.Value
	case f.Relation == ".to":
		return shown.FieldName(f.Column) + " up to " + f.Value
	case f.Value == "":
		return "no " + shown.FieldName(f.Column)
	}
	return shown.FieldName(f.Column) + " " + f.Value
}

// namesVessel says whether the filter keeps the rows of one vessel, or of a few of the same name.
func (f Filter) namesVessel() bool {
	return f.Relation == "" && f.Value != "" && slices.Contains([]string{"vessel_id", "imo", "mmsi", "name"}, f.Column)
}

// formField stands in the address that a form of filters makes, which has every field of it.
const formField = "form"

// ErrAsked says that an address asks for what a list does not have.
var ErrAsked = errors.New("no such list")

// asked reads an address: a column and its value is a filter, and sort, down, page, format and bom, which the file reads,
// are ours.
func asked(q url.Values, columns []Column) (a Asked, err error) {
	a = Asked{Page: 1, Down: q.Get("down") != "", Sort: q.Get("sort"), Format: q.Get("format")}
	if text := q.Get("page"); text != "" {
		if a.Page, err = strconv.Atoi(text); err != nil || a.Page < 1 || a.Page > mostPages {
			return a, fmt.Errorf("page %q: want a number from 1 to %d; filters and files have the other rows: %w", shown.Shortened(text), mostPages, ErrAsked)
		}
	}
	known := func(name string) bool {
		return slices.ContainsFunc(columns, func(c Column) bool { return c.Name == name })
	}
	if a.Sort != "" && !known(a.Sort) {
		return a, fmt.Errorf("sort by %q: the list has no such column: %w", shown.Shortened(a.Sort), ErrAsked)
	}
	if a.Format != "" && FileTypes[a.Format] == "" {
		return a, fmt.Errorf("format %q: want csv, json or parquet: %w", shown.Shortened(a.Format), ErrAsked)
	}
	for _, name := range q["show"] {
		if !known(name) {
			return a, fmt.Errorf("show %q: the list has no such column: %w", shown.Shortened(name), ErrAsked)
		}
		if !slices.Contains(a.Show, name) {
			a.Show = append(a.Show, name)
		}
	}
	for key, values := range q {
		if slices.Contains([]string{"sort", "down", "page", "format", "bom", "show", formField}, key) {
			continue
		}
		if q.Has(formField) { // an empty field of a form asks for nothing
			values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return strings.TrimSpace(v) == "" })
		}
		column, relation, _ := strings.Cut(key, ".")
		if relation != "" {
			relation = "." + relation
		}
		if relations[relation] == "" || !known(column) {
			return a, fmt.Errorf("filter %q: the list has no such column: %w", shown.Shortened(key), ErrAsked)
		}
		for _, value := range values {
			if len(value) > maxValue || strings.ContainsRune(value, 0) || !utf8.ValidString(value) {
				return a, fmt.Errorf("filter %s: want at most %d bytes of text: %w", column, maxValue, ErrAsked)
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
	for _, name := range a.Show {
		q.Add("show", name)
	}
	if a.Format != "" {
		q.Set("format", a.Format)
	}
	return "?" + q.Encode()
}

// where is the SQL of the filters, and the values of its parameters, which are $prefix1 and so on. A value
// is compared as its column's type: one that does not fit it is an error of the statement.
func where(filters []Filter, columns []Column, prefix string) (text string, values []string) {
	conditions := []string{"true"}
	for _, f := range filters {
		at := slices.IndexFunc(columns, func(c Column) bool { return c.Name == f.Column })
		if f.Value == "" {
			conditions = append(conditions, identifier(f.Column)+" IS NULL")
			continue
		}
		values = append(values, f.Value)
		if f.Relation == ".has" {
			conditions = append(conditions, fmt.Sprintf("contains(lower(CAST(%s AS VARCHAR)), lower($%s%d))", identifier(f.Column), prefix, len(values)))
			continue
		}
		conditions = append(conditions, fmt.Sprintf("%s %s CAST($%s%d AS %s)", identifier(f.Column), relations[f.Relation], prefix, len(values), columns[at].Type))
	}
	return strings.Join(conditions, " AND "), values
}

// identifier quotes the name of a column for SQL.
func identifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// order is the SQL of the order of the rows.
func (l List) order(a Asked) string {
	if a.Sort == "" {
		return l.Order
	}
	direction := " ASC"
	if a.Down {
		direction = " DESC"
	}
	return identifier(a.Sort) + direction + " NULLS LAST, " + l.Order
}

// quoted lists the names of columns for SQL.
func quoted(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, identifier(name))
	}
	return strings.Join(all, ", ")
}
