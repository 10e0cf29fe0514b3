package transform

import (
	"cmp"
	"slices"

	"github.com/fleetlake/fleetlake/extract/jsontext"
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

// facts are the rows of a small dataset: a hundred thousand in a night of many lookups.
type facts struct {
	rows    []fact
	texts   arena
	sorted  bool
	scratch []byte
}

// fact is a row in memory: which ship, when, and where its values are. A value of Go's own would cost
// several times as much memory, and as many pointers for the garbage collector to follow.
type fact struct {
	entry int
	seen  int64
	id    vesselID
	mmsi  MMSI
	text  uint64 // position in texts of the values of the dataset's own columns, of raw and of extra

	voyage bool // a position: the answer tells of the voyage
}

// add keeps a row. The refused values are an object without its closing bracket. The texts are copied:
// the answer is not kept.
func (f *facts) add(at *answer, reg *registration, values valueRow, refused []byte, raw, extra []member) {
	for i, m := range raw {
		if slices.ContainsFunc(raw[:i], func(other member) bool { return other.key == m.key }) {
			continue // two columns read it
		}
		refused = append(append(jsontext.AppendText(comma(refused), m.key), ':'), m.value.Raw...)
	}
	kept, rest := "", ""
	if len(refused) > 1 {
		kept = string(append(refused, '}'))
	}
	if len(extra) > 0 {
		rest = string(appendObject(nil, extra))
	}
	f.scratch = f.scratch[:0]
	for _, v := range values.values {
		f.scratch = appendValue(f.scratch, v)
	}
	text := f.texts.put(string(f.scratch), kept, rest)
	f.rows, f.sorted = append(f.rows, fact{at.entry, at.seen, reg.id, reg.mmsi, text, values.table == &Positions && values.tellsVoyage()}), false
}

// sort puts the rows in the order of the lake file. Of equal rows about a vessel that follow each other it keeps the
// one of the first answer; a value that returns after another is news.
func (f *facts) sort() {
	if f.sorted {
		return
	}
	slices.SortStableFunc(f.rows, func(a, b fact) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.entry, b.entry))
	})
	f.rows = slices.CompactFunc(f.rows, func(before, row fact) bool { return f.same(before, row) })
	slices.SortStableFunc(f.rows, func(a, b fact) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.seen, b.seen), cmp.Compare(a.entry, b.entry))
	})
	f.sorted = true
}

// same reports whether two rows say the same of a vessel, whatever their answers.
func (f *facts) same(a, b fact) bool {
	if a.id != b.id || a.mmsi != b.mmsi {
		return false
	}
	x, y := f.texts.reader(a.text), f.texts.reader(b.text)
	for range 3 { // the values, raw and extra
		if x.text() != y.text() {
			return false
		}
	}
	return true
}
