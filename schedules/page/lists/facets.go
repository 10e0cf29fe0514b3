package lists

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/warehouse"
)

// facetColumns are the columns whose commonest values narrow a list down, in the order of the page.
var facetColumns = []string{"flag", "category", "vessel_type", "world_zone", "navigational_status", "proved", "role", "kind", "dataset", "field", "reason", "operation", "state", "verdict", "job"}

// mostFacets is how many columns of a list have facets, and mostValues how many values of each.
const mostFacets, mostValues = 6, 8

// Facet is a column with its commonest values in the rows that the filters keep.
type Facet struct {
	Title  string
	Values []FacetValue
}

// FacetValue is a value, how many rows have it, and the address of the list with these alone.
type FacetValue struct {
	Text, Query string
	Count       int
}

// Field is a column in the form of filters.
type Field struct {
	Name, Title string
	Range       bool   // it has a lowest and a highest value
	Value, To   string // what is filtered by; of a range the lowest and the highest
	Type        string // of the inputs
	Shown       bool   // the column is on the page
}

// form makes the fields of the form: a column each, in the order of the list.
func (v *View) form(columns []Column, names []string) {
	for _, c := range columns {
		f := Field{Name: c.Name, Title: shown.FieldName(c.Name), Shown: slices.Contains(names, c.Name), Type: "text"}
		switch {
		case c.Type == "DATE", strings.HasPrefix(c.Type, "TIMESTAMP"):
			f.Range, f.Type = true, "date"
		case slices.Contains(numeric, c.Type):
			f.Range = true
		case c.Type == "BOOLEAN", c.Type == "JSON":
			continue
		}
		for _, filter := range v.Filters {
			switch {
			case filter.Column != c.Name:
			case filter.Relation == ".to":
				f.To = filter.Value
			default:
				f.Value = filter.Value
			}
		}
		v.Fields = append(v.Fields, f)
	}
}

// facets counts the commonest values of the rows that the filters keep, in one pass over them. A list that is too long
// to be counted has none.
func (v *View) facets(ctx context.Context, w *warehouse.Warehouse, columns []Column) error {
	if v.Total > v.Most || v.Total < 2 {
		return nil
	}
	var names, parts []string
	for _, name := range facetColumns {
		if !slices.ContainsFunc(columns, func(c Column) bool { return c.Name == name }) || len(names) == mostFacets ||
			slices.ContainsFunc(v.Filters, func(f Filter) bool { return f.Column == name && f.Relation == "" }) {
			continue
		}
		names = append(names, name)
		parts = append(parts, fmt.Sprintf("SELECT %d AS facet, CAST(%s AS VARCHAR) AS value, count(*) AS n FROM found GROUP BY ALL", len(names)-1, identifier(name)))
	}
	if len(names) == 0 {
		return nil
	}
	a := v.Asked
	if v.Only != nil {
		a = v.within(*v.Only)
	}
	condition, values := where(a.Filters, columns, "")
	text := fmt.Sprintf("WITH found AS MATERIALIZED (SELECT %s FROM %s WHERE %s LIMIT %d)\nSELECT facet, value, n FROM (%s)\n"+
		"QUALIFY row_number() OVER (PARTITION BY facet ORDER BY n DESC, value) <= %d ORDER BY facet, n DESC, value",
		quoted(names), v.from(), condition, v.Most+1, strings.Join(parts, "\nUNION ALL "), mostValues)
	all := make([]Facet, len(names))
	err := v.query(ctx, w, text, values, func(_ []string, row shown.Record) {
		at := row.Number(0)
		to := v.Asked
		to.Page, to.Filters = 1, append(slices.Clone(v.Filters), Filter{Column: names[at], Value: row.Text(1)})
		value := FacetValue{Text: facetText(names[at], row.Text(1)), Query: to.query(), Count: row.Number(2)}
		all[at].Title, all[at].Values = shown.FieldName(names[at]), append(all[at].Values, value)
	})
	v.Facets = slices.DeleteFunc(all, func(f Facet) bool { return len(f.Values) < 2 })
	return err
}

// facetText is a value as people read it.
func facetText(column, value string) string {
	switch {
	case value == "":
		return "none"
	case column == "world_zone":
		return shown.ZoneName(value)
	case column == "navigational_status":
		return shown.StatusName(value)
	}
	return shown.Printable(value)
}
