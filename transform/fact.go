package transform

import (
	"cmp"
	"slices"
	"strings"
)

// answer is an answer of the journal, as the source of rows.
type answer struct {
	entry      int
	operation  string
	parameters string
	seen       int64 // microseconds
	year       int   // of the snapshot
}

// valueRow has the values of one row of a dataset, without the columns that all datasets have.
type valueRow struct {
	table  *Table
	values []any // of the table's own columns, in their order; nil is null
}

func newRow(t *Table) valueRow { return valueRow{t, make([]any, len(t.own))} }

// place returns the index of a column. It panics on an unknown name, which is a bug.
func (r valueRow) place(name string) int {
	i, ok := r.table.places[name]
	if !ok {
		panic("no column " + name + " in " + r.table.Name)
	}
	return i
}

func (r valueRow) column(name string) column  { return r.table.own[r.place(name)] }
func (r valueRow) get(name string) any        { return r.values[r.place(name)] }
func (r valueRow) set(name string, value any) { r.values[r.place(name)] = value }

// facts are the rows of a small dataset: tens of thousands in a night.
type facts struct {
	rows   []fact
	sorted bool
}

// fact is a row in memory: which ship, when, and the values of the dataset's own columns.
type fact struct {
	entry      int
	seen       int64
	id         vesselID
	mmsi       MMSI
	values     []any // nil is null
	raw, extra string
}

// add keeps a row. The refused values are an object without its closing bracket.
func (f *facts) add(at *answer, reg *registration, values valueRow, refused []byte, raw, extra []member) {
	kept := fact{entry: at.entry, seen: at.seen, id: reg.id, mmsi: reg.mmsi, values: values.values}
	for i, m := range raw {
		if slices.ContainsFunc(raw[:i], func(other member) bool { return other.key == m.key }) {
			continue // two columns read it
		}
		refused = append(append(appendText(comma(refused), m.key), ':'), m.value.raw...)
	}
	if len(refused) > 1 {
		kept.raw = string(append(refused, '}'))
	}
	if len(extra) > 0 {
		kept.extra = string(appendObject(nil, extra))
	}
	for i, v := range kept.values {
		if s, ok := v.(string); ok {
			kept.values[i] = strings.Clone(s) // a copy: the answer is not kept
		}
	}
	f.rows, f.sorted = append(f.rows, kept), false
}

// sort puts the rows in the order of the lake file. Of equal rows about a vessel it keeps the one
// of the first answer.
func (f *facts) sort() {
	if f.sorted {
		return
	}
	slices.SortStableFunc(f.rows, func(a, b fact) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.entry, b.entry))
	})
	kept := f.rows[:0]
	first := 0 // of the rows of this vessel
	for _, row := range f.rows {
		if len(kept) > 0 && kept[len(kept)-1].id != row.id {
			first = len(kept)
		}
		if !slices.ContainsFunc(kept[first:], row.same) {
			kept = append(kept, row)
		}
	}
	clear(f.rows[len(kept):])
	f.rows = kept
	slices.SortStableFunc(f.rows, func(a, b fact) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.seen, b.seen), cmp.Compare(a.entry, b.entry))
	})
	f.sorted = true
}

// same reports whether two rows say the same of a vessel, whatever their answers.
func (a fact) same(b fact) bool {
	return a.id == b.id && a.mmsi == b.mmsi && a.raw == b.raw && a.extra == b.extra && slices.Equal(a.values, b.values)
}
