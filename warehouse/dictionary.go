package warehouse

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Kinds of entries of the data dictionary.
const (
	KindTable = "table"
	KindView  = "view"
	KindMacro = "macro" // a function that returns a table
)

// Table is one entry of the data dictionary: a table, a view or a macro.
type Table struct {
	Name       string       `json:"name"`
	Kind       string       `json:"kind"`
	Group      Group        `json:"group"`
	Comment    string       `json:"comment"`
	Signature  string       `json:"signature,omitempty"`  // of a macro, such as fleet_on(night)
	Parameters []Parameter  `json:"parameters,omitempty"` // of a macro
	Keys       []string     `json:"keys"`                 // columns that identify a row; null counts as a value
	Example    string       `json:"example"`              // a statement that runs
	Lineage    Lineage      `json:"lineage"`
	Columns    []Definition `json:"columns"`

	EveryNight bool `json:"-"` // a view that computes the fleet of every night, unless a query filters by snapshot_date
}

// PrimaryKey returns the columns that identify a row, if none of them is ever null.
func (t Table) PrimaryKey() []string {
	for _, key := range t.Keys {
		if !slices.ContainsFunc(t.Columns, func(c Definition) bool { return c.Name == key && !c.Nullable }) {
			return nil
		}
	}
	return t.Keys
}

// Definition is one column of the data dictionary.
type Definition struct {
	Name       string   `json:"name"`
	Type       string   `json:"type"`
	Nullable   bool     `json:"nullable"`
	Unit       string   `json:"unit,omitempty"`
	References []string `json:"references,omitempty"` // columns that have each of its values, such as runs.run_id; each value is in one of them
	Internal   bool     `json:"internal,omitempty"`   // only the program uses it
	FieldID    int      `json:"field_id,omitempty"`   // in the files of a table of the lake; 0 in the warehouse
	Comment    string   `json:"comment"`
}

// Lineage says what the rows of an entry are made of.
type Lineage struct {
	From   []string `json:"from,omitempty"`   // tables, views and macros of the warehouse
	Lake   []string `json:"lake,omitempty"`   // lake tables, also those below From
	Origin string   `json:"origin,omitempty"` // where rows come from that no lake table has
}

// internalMark begins the comment of a column that only the program uses.
const internalMark = "Internal: "

// Dictionary lists the tables, views and macros, those to start with first, each with its columns in their order,
// as the comments in the file have them, and with what this program knows of them besides; a column
// without a comment has an empty one. Types are named as in DuckDB. The schema internal is left out.
// Its errors are those of reading, as Warehouse describes.
func (w *Warehouse) Dictionary(ctx context.Context) ([]Table, error) {
	tables, err := w.relations(ctx)
	if err != nil {
		return nil, err
	}
	macros, err := w.macros(ctx, tables)
	if err != nil {
		return nil, err
	}
	tables = append(tables, macros...)
	slices.SortStableFunc(tables, func(a, b Table) int { return placeOf(a.Name) - placeOf(b.Name) })
	for i := range tables {
		tables[i].Lineage.addBelow(tables)
	}
	return tables, nil
}

// Names lists the tables, views and macros in the order of Dictionary, with the comments of tables and
// views and nothing else: it takes a tenth of the time. Its errors are those of reading, as Warehouse
// describes.
func (w *Warehouse) Names(ctx context.Context) ([]Table, error) {
	tables, err := collect(ctx, w.db, "read/names", func(rows *sql.Rows) (t Table, err error) {
		return t, rows.Scan(&t.Name, &t.Comment)
	})
	for _, d := range ordered {
		if d.call != "" {
			tables = append(tables, Table{Name: d.name, Kind: KindMacro})
		}
	}
	slices.SortStableFunc(tables, func(a, b Table) int { return placeOf(a.Name) - placeOf(b.Name) })
	return tables, err
}

// relations lists the tables and views.
func (w *Warehouse) relations(ctx context.Context) ([]Table, error) {
	type line struct {
		table Table
		text  string // of a view
		Definition
	}
	lines, err := collect(ctx, w.db, "read/dictionary", func(rows *sql.Rows) (l line, err error) {
		return l, rows.Scan(&l.table.Name, &l.table.Kind, &l.table.Comment, &l.text, &l.Name, &l.Type, &l.Comment)
	})
	var tables []Table
	for _, l := range lines {
		if n := len(tables); n == 0 || tables[n-1].Name != l.table.Name {
			l.table.describe(l.text)
			tables = append(tables, l.table)
		}
		last := &tables[len(tables)-1]
		last.Columns = append(last.Columns, last.definition(l.Definition))
	}
	return tables, err
}

// macros lists the macros. A comment of a macro's column is that of the column of the same name in
// what the macro reads, unless the program has one: SQL has no comments for them.
func (w *Warehouse) macros(ctx context.Context, relations []Table) ([]Table, error) {
	type found struct {
		Table
		text string
	}
	all, err := collect(ctx, w.db, "read/macros", func(rows *sql.Rows) (m found, err error) {
		m.Kind = KindMacro
		return m, rows.Scan(&m.Name, &m.Signature, &m.Comment, &m.text)
	})
	var macros []Table
	for _, m := range all {
		m.describe(m.text)
		m.Comment = sentence(strings.TrimPrefix(m.Comment, m.Signature+": "))
		d := descriptionOf(m.Name)
		if m.Signature == d.signature() && err == nil { // else another program made it
			m.Parameters = d.parameters
			m.Columns, err = w.describeCall(ctx, d.call)
		}
		for i, c := range m.Columns {
			if c.Comment = d.columns[c.Name]; c.Comment == "" {
				c.Comment = commentBelow(relations, append(strings.Fields(d.like), m.Lineage.From...), c.Name)
			}
			m.Columns[i] = m.definition(c)
		}
		macros = append(macros, m.Table)
	}
	return macros, err
}

// sentence makes the first letter a capital one.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// describeCall returns the names and types of the columns of a macro.
func (w *Warehouse) describeCall(ctx context.Context, call string) ([]Definition, error) {
	rows, err := collectRows(ctx, w.db, nil, "DESCRIBE FROM "+call, func(rows *sql.Rows) (d Definition, err error) {
		var null, key, byDefault, extra any
		return d, rows.Scan(&d.Name, &d.Type, &null, &key, &byDefault, &extra)
	})
	if err != nil {
		return nil, fmt.Errorf("describe %s: %w", call, err)
	}
	return rows, nil
}

// Describe describes a table of the warehouse by what the program knows of it, without a file: its
// comment is left to the caller.
func Describe(name string, columns []Definition) Table {
	t := Table{Name: name, Kind: KindTable}
	t.describe("")
	for _, c := range columns {
		t.Columns = append(t.Columns, t.definition(c))
	}
	t.Lineage.addBelow(nil)
	return t
}

// describe adds what the program knows of a table, view or macro, and what its text says it reads.
func (t *Table) describe(text string) {
	d := descriptionOf(t.Name)
	t.Group, t.Example, t.Keys, t.EveryNight = d.group, d.example, Keys(t.Name), d.everyNight
	t.Lineage = Lineage{From: strings.Fields(d.from), Lake: strings.Fields(d.lake), Origin: d.origin}
	for _, match := range reads.FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(match[1])
		if _, known := descriptions[name]; known && name != t.Name && !slices.Contains(t.Lineage.From, name) {
			t.Lineage.From = append(t.Lineage.From, name)
		}
	}
}

// reads matches the names that a statement reads from.
var reads = regexp.MustCompile(`(?i)\b(?:from|join)\s*\(*\s*"?((?:internal\.)?[a-z_0-9]+)`)

// definition adds what the program knows of a column.
func (t *Table) definition(c Definition) Definition {
	d := descriptionOf(t.Name)
	c.Internal = strings.HasPrefix(c.Comment, internalMark)
	c.Nullable = !slices.Contains(strings.Fields(d.required), c.Name)
	c.Unit = unitOf(t.Name, c.Name)
	c.References = referencesOf(t.Name, c.Name)
	return c
}

// placeOf is the place of a name in the dictionary; those that the program does not know are the last.
func placeOf(name string) int {
	if i := slices.IndexFunc(ordered, func(d description) bool { return d.name == name }); i >= 0 {
		return i
	}
	return len(ordered)
}

// addBelow adds the lake tables, and the other origins, of what an entry is made of.
func (l *Lineage) addBelow(all []Table) {
	var origins []string
	seen := map[string]bool{}
	names := slices.Clone(l.From)
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		d := descriptionOf(name)
		l.Lake = append(l.Lake, strings.Fields(d.lake)...)
		if d.origin != "" {
			origins = append(origins, d.origin)
		}
		names = append(names, strings.Fields(d.from)...)
		if i := slices.IndexFunc(all, func(t Table) bool { return t.Name == name }); i >= 0 {
			names = append(names, all[i].Lineage.From...)
		}
	}
	slices.Sort(l.Lake)
	l.Lake = slices.Compact(l.Lake)
	if len(l.Lake) == 0 && l.Origin == "" && len(origins) > 0 {
		l.Origin = origins[0]
	}
}

// commentBelow returns the comment of a column in the first of some tables that has it.
func commentBelow(all []Table, from []string, column string) string {
	for _, name := range from {
		for _, t := range all {
			if t.Name != name {
				continue
			}
			for _, c := range t.Columns {
				if c.Name == column && c.Comment != "" {
					return c.Comment
				}
			}
		}
	}
	return ""
}
