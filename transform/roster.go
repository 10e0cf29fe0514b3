package transform

import (
	"cmp"
	"slices"
)

// roster keeps the rows of the two searches. There are a million of them in a night, so a
// row is forty bytes and its texts; what can be computed again when it is written, is.
type roster struct {
	dataset string
	only    [fieldCount]bool // the fields that the table has columns for
	rows    rows
	texts   arena
	order   []uint32 // the rows to write, sorted; nil until they are asked for
	extras  []member // scratch
}

// row is a vessel on a page.
type row struct {
	id         vesselID
	text       uint64 // where its name, call sign, refused values and extra keys are
	page       uint32
	mmsi       MMSI
	country    uint32
	iso        uint32
	shipType   uint32
	vesselType uint32
}

// page is an answer of a search, for all of its rows.
type page struct {
	entry int
	seen  int64 // microseconds
	sweep uint32
}

func newRoster(dataset string, fields ...int) roster {
	r := roster{dataset: dataset}
	for _, f := range fields {
		r.only[f] = true
	}
	return r
}

// put keeps a row.
func (r *roster) put(page uint32, reg *registration, extra string) {
	r.order = nil
	r.rows.push(row{
		id: reg.id, text: r.texts.put(reg.name, reg.callsign, reg.refused, extra), page: page, mmsi: reg.mmsi,
		country: reg.country, iso: reg.iso, shipType: reg.shipType, vesselType: reg.vesselType,
	})
}

// at returns a row as it was put.
func (r *roster) at(i uint32) (row *row, reg registration, extra string) {
	row = r.rows.at(int(i))
	reg = registration{
		id: row.id, mmsi: row.mmsi,
		country: row.country, iso: row.iso, shipType: row.shipType, vesselType: row.vesselType,
	}
	t := r.texts.reader(row.text)
	reg.name, reg.callsign, reg.refused = t.text(), t.text(), t.text()
	return row, reg, t.text()
}

// sorted returns the rows to write: by vessel, time and entry, and of those that say the
// same of a vessel only the first of the answers.
func (r *roster) sorted(pages []page) []uint32 {
	if r.order != nil || r.rows.n == 0 {
		return r.order
	}
	keys := make([]sortKey, r.rows.n)
	for i := range keys {
		keys[i] = sortKey{r.rows.at(i).id, uint32(i)}
	}
	slices.SortFunc(keys, func(a, b sortKey) int {
		if a.id != b.id {
			return cmp.Compare(a.id, b.id)
		}
		return cmp.Compare(a.row, b.row)
	})
	order := make([]uint32, 0, len(keys))
	for len(keys) > 0 {
		n := 1
		for n < len(keys) && keys[n].id == keys[0].id {
			n++
		}
		if n == 1 {
			order = append(order, keys[0].row)
		} else {
			order = append(order, r.distinct(keys[:n:n], pages)...)
		}
		keys = keys[n:]
	}
	r.order = order
	return order
}

// sortKey is a row under the vessel that it is about.
type sortKey struct {
	id  vesselID
	row uint32
}

// distinct returns the rows of one vessel that differ in MMSI, or in what the sweep asked.
func (r *roster) distinct(same []sortKey, pages []page) []uint32 {
	row := func(k sortKey) *row { return r.rows.at(int(k.row)) }
	of := func(k sortKey) *page { return &pages[row(k).page] }
	claim := func(a, b sortKey) int {
		return cmp.Or(cmp.Compare(row(a).mmsi, row(b).mmsi), cmp.Compare(of(a).sweep, of(b).sweep))
	}
	first := func(a, b sortKey) int {
		return cmp.Or(cmp.Compare(of(a).entry, of(b).entry), cmp.Compare(a.row, b.row))
	}
	slices.SortFunc(same, func(a, b sortKey) int { return cmp.Or(claim(a, b), first(a, b)) })
	same = slices.CompactFunc(same, func(a, b sortKey) bool { return claim(a, b) == 0 })
	slices.SortFunc(same, func(a, b sortKey) int { return cmp.Or(cmp.Compare(of(a).seen, of(b).seen), first(a, b)) })
	order := make([]uint32, len(same))
	for i, k := range same {
		order[i] = k.row
	}
	return order
}
