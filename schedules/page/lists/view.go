package lists

import (
	"fmt"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/warehouse"
)

// View is a page of a list.
type View struct {
	List
	Asked
	Heads  []Head
	Rows   [][]Cell
	Total  int     // at most one more than Most
	Most   int     // how many rows are counted
	More   bool    // there is a row after the page
	Files  bool    // the list can be had as a file
	Clean  string  // the address without the empty fields of a form; empty if it came from none
	Facets []Facet // the commonest values, of a list that is counted
	Fields []Field // of the form: a column each
	Only   *Nights // the nights that are read, if not all that the filters allow

	bounds
	Statement warehouse.Statement // of a file
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
	Short      bool // it stands in one line
}

// First and Last are the numbers of the rows on the page.
func (v View) First() int { return (v.Page-1)*perPage + 1 }
func (v View) Last() int  { return v.First() + len(v.Rows) - 1 }

// Beside is the address of a page before or after this one; empty if there is none.
func (v View) Beside(by int) string {
	to := v.Asked
	to.Page += by
	if to.Page < 1 || to.Page > mostPages || by > 0 && !v.More {
		return ""
	}
	return to.query()
}

// Of is how many rows the list has, in words.
func (v View) Of() string {
	if v.Total > v.Most {
		return "more than " + wording.Count(v.Most)
	}
	return wording.Count(v.Total)
}

// As is the address of the list as a file.
func (v View) As(format string) string {
	to := v.Asked
	to.Page, to.Format = 1, format
	return to.query()
}

// Without is the address of the list without one of the filters.
func (v View) Without(f Filter) string {
	to := v.Asked
	to.Page = 1
	to.Filters = slices.DeleteFunc(slices.Clone(v.Filters), func(g Filter) bool { return f == g })
	return to.query()
}

// numeric are the types of columns that are aligned to the right.
var numeric = []string{"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DOUBLE", "FLOAT", "UBIGINT", "UINTEGER"}

func (v *View) heads(names []string, columns []Column) {
	for _, name := range names {
		to := v.Asked
		to.Page, to.Sort, to.Down = 1, name, v.Sort == name && !v.Down
		h := Head{Title: shown.FieldName(name), Query: to.query()}
		if v.Sort == name {
			h.Sorted = "ascending"
			if v.Down {
				h.Sorted = "descending"
			}
		}
		at := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
		h.Number = at >= 0 && slices.Contains(numeric, columns[at].Type)
		v.Heads = append(v.Heads, h)
	}
}

// cells writes a row. What has a page leads there.
func cells(names, types []string, row []any) []Cell {
	var all []Cell
	for i, name := range names {
		c := Cell{Text: cellText(row[i], types[i])}
		c.Link = shown.LinkOf(name, c.Text)
		switch n := row[i].(type) {
		case int32:
			c.Number, c.Text = !isLabel(name), grouped(name, int(n))
		case int64:
			c.Number, c.Text = !isLabel(name), grouped(name, int(n))
		case float64:
			c.Number, c.Text = true, decimals(name, n)
		case time.Time:
			c.Short = true
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
		return shown.Printable(v)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case float64:
		return wording.Value(v)
	case time.Time:
		if databaseType == "DATE" {
			return v.UTC().Format(time.DateOnly)
		}
		return wording.Minute(&v)
	}
	return shown.Printable(fmt.Sprint(value))
}
