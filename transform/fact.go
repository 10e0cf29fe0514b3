package transform

import (
	"cmp"
	"slices"
	"strings"
)

// answer is where rows come from: an answer of the journal.
type answer struct {
	entry      int
	operation  string
	parameters string
	seen       int64 // microseconds
	year       int   // of the snapshot
}

// facts are the rows of a small dataset: tens of thousands in a night.
type facts struct {
	rows   []fact
	sorted bool
}

// fact is a row: which ship, when, and the columns between the ship and `raw`.
type fact struct {
	entry      int
	seen       int64
	id         vesselID
	mmsi       MMSI
	values     []any // nil is null
	raw, extra string
}

// add keeps a row. The refused values are an object without its closing bracket.
func (f *facts) add(at *answer, reg *registration, values []any, refused []byte, raw, extra []member) {
	row := fact{entry: at.entry, seen: at.seen, id: reg.id, mmsi: reg.mmsi, values: values}
	for i, m := range raw {
		if slices.ContainsFunc(raw[:i], func(other member) bool { return other.key == m.key }) {
			continue // two columns read it
		}
		refused = append(append(appendText(comma(refused), m.key), ':'), m.value.raw...)
	}
	if len(refused) > 1 {
		row.raw = string(append(refused, '}'))
	}
	if len(extra) > 0 {
		row.extra = string(appendObject(nil, extra))
	}
	for i, v := range values {
		if s, ok := v.(string); ok {
			values[i] = strings.Clone(s) // a copy: the answer is not kept
		}
	}
	f.rows, f.sorted = append(f.rows, row), false
}

// sort puts the rows in the order of the lake file. Of those that say the same of a vessel,
// the first of the answers stays.
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

// same reports whether b says nothing else than a.
func (a fact) same(b fact) bool {
	return a.id == b.id && a.mmsi == b.mmsi && a.raw == b.raw && a.extra == b.extra && slices.Equal(a.values, b.values)
}
