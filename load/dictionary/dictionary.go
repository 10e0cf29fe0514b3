package dictionary

import (
	"context"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/warehouse"
)

// Dictionary describes what a data directory has for SQL.
type Dictionary struct {
	Run          string  `json:"run"`           // the latest that is published
	SnapshotDate string  `json:"snapshot_date"` // its night, YYYY-MM-DD
	Groups       []Group `json:"groups"`
}

// Group is a chapter of a dictionary.
type Group struct {
	Name    string  `json:"name"`
	Title   string  `json:"title"`
	Entries []Entry `json:"entries"`
}

// Entry is a table, a view or a macro of the warehouse, or a table of the lake.
type Entry struct {
	warehouse.Table
	Operations []string `json:"operations,omitempty"` // of the service, whose answers the rows come from
	Files      string   `json:"files,omitempty"`      // of a table of the lake: a pattern, relative to the data directory
	Sort       []string `json:"sort,omitempty"`       // of a table of the lake: the columns by which each file is sorted
	Counts     *Counts  `json:"counts,omitempty"`     // what the published file has; nil if it was not read
}

// VisibleColumns returns the columns that are for readers: those that only the program uses are left out.
func (e Entry) VisibleColumns() (columns []warehouse.Definition) {
	for _, c := range e.Columns {
		if !c.Internal {
			columns = append(columns, c)
		}
	}
	return columns
}

// InternalColumns returns the names of the columns that only the program uses.
func (e Entry) InternalColumns() (names []string) {
	for _, c := range e.Columns {
		if c.Internal {
			names = append(names, c.Name)
		}
	}
	return names
}

// Unit returns the unit of a column, unless the comment says it already.
func Unit(c warehouse.Definition) string {
	if strings.Contains(strings.ToLower(c.Comment), strings.ToLower(c.Unit)) {
		return ""
	}
	return c.Unit
}

// Always reports whether it must be said that a column is never null, because the comment does
// not say it already.
func Always(c warehouse.Definition) bool {
	return !c.Nullable && !strings.Contains(strings.ToLower(c.Comment), "never null")
}

// Title is how a reader writes the entry: with its parameters, if it is a macro.
func (e Entry) Title() string {
	if e.Signature != "" {
		return e.Signature
	}
	return e.Name
}

// Read returns the dictionary of a warehouse and of the lake beside it. Its errors are those of
// reading, as warehouse.Warehouse describes.
func Read(ctx context.Context, w *warehouse.Warehouse) (Dictionary, error) {
	tables, err := w.Dictionary(ctx)
	if err != nil {
		return Dictionary{}, err
	}
	dir, err := w.DataDir()
	if err != nil {
		return Dictionary{}, err
	}
	var d Dictionary
	if runs, err := w.Runs(ctx, 1); err != nil {
		return Dictionary{}, err
	} else if len(runs) > 0 {
		d.Run, d.SnapshotDate = runs[0].ID, runs[0].Date
	}
	for _, g := range warehouse.Groups {
		d.Groups = append(d.Groups, Group{Name: string(g.Group), Title: g.Title, Entries: []Entry{}})
	}
	d.Groups = append(d.Groups, Group{Name: lakeGroup, Title: "Lake: the Parquet files, a row for each observation", Entries: Lake(dir, tables)})
	for _, t := range tables {
		d.add(Entry{Table: t, Operations: operationsOf(t.Lineage.Lake)})
	}
	d.Groups = slices.DeleteFunc(d.Groups, func(g Group) bool { return len(g.Entries) == 0 })
	return d, nil
}

// add adds an entry of the warehouse to its group; one that this program does not know, to the first.
func (d *Dictionary) add(e Entry) {
	i := max(0, slices.IndexFunc(d.Groups, func(g Group) bool { return g.Name == string(e.Group) }))
	d.Groups[i].Entries = append(d.Groups[i].Entries, e)
}

// Find returns the entry of a name, whose case does not matter; false if there is none.
func (d Dictionary) Find(name string) (Entry, bool) {
	for _, g := range d.Groups {
		for _, e := range g.Entries {
			if strings.EqualFold(e.Name, name) {
				return e, true
			}
		}
	}
	return Entry{}, false
}

// Names lists the entries in their order.
func (d Dictionary) Names() (names []string) {
	for _, g := range d.Groups {
		for _, e := range g.Entries {
			names = append(names, e.Name)
		}
	}
	return names
}

// Only returns the dictionary with one of its entries.
func (d Dictionary) Only(e Entry) Dictionary {
	for _, g := range d.Groups {
		if slices.ContainsFunc(g.Entries, func(other Entry) bool { return other.Name == e.Name }) {
			g.Entries = []Entry{e}
			d.Groups = []Group{g}
			break
		}
	}
	return d
}
