package transform

import (
	"cmp"
	"slices"

	"github.com/fleetlake/fleetlake/extract/api"
)

// searchRows has the rows of one of the two searches. A night has a million of them, so a row takes
// forty bytes and its texts; values that follow from others are computed when the rows are written.
type searchRows struct {
	operation api.Operation
	dataset   string
	only      [fieldCount]bool // the fields for which the table has columns
	rows      rows
	texts     arena
	order     []uint32 // the rows to write; nil until sorted is called
	extras    []member // reused for each record

	numbersOnly bool // no rows are kept: only the fingerprint of a page is wanted
}

// row is a vessel on a page.
type row struct {
	id         vesselID
	text       uint64 // position in texts of its name, call sign, refused values and extra keys
	page       uint32 // index into Batch.pages
	mmsi       MMSI
	country    uint32 // this and the next three are numbers of a memo
	iso        uint32
	shipType   uint32
	vesselType uint32
}

// page has what all rows of one search answer share.
type page struct {
	entry int    // number of the answer in its segment
	seen  int64  // when it was received, in microseconds since 1970
	sweep uint32 // filter of the status search; 0 is none
}

// newSearchRows returns an empty table of a dataset that has columns for the given fields.
func newSearchRows(o api.Operation, dataset string, fields ...int) searchRows {
	r := searchRows{operation: o, dataset: dataset}
	for _, f := range fields {
		r.only[f] = true
	}
	return r
}

// put appends a row. extra is the JSON of the keys that have no column.
func (r *searchRows) put(page uint32, reg *registration, extra string) {
	r.order = nil
	r.rows.push(row{
		id: reg.id, text: r.texts.put(reg.name, reg.callsign, reg.refused, extra), page: page, mmsi: reg.mmsi,
		country: reg.country, iso: reg.iso, shipType: reg.shipType, vesselType: reg.vesselType,
	})
}

// at returns the ith row, and the registration and extra keys from which it was made.
func (r *searchRows) at(i uint32) (row *row, reg registration, extra string) {
	row = r.rows.at(int(i))
	reg = registration{
		id: row.id, mmsi: row.mmsi,
		country: row.country, iso: row.iso, shipType: row.shipType, vesselType: row.vesselType,
	}
	t := r.texts.reader(row.text)
	reg.name, reg.callsign, reg.refused = t.text(), t.text(), t.text()
	return row, reg, t.text()
}

// sorted returns the numbers of the rows to write, by vessel, time and entry. Of rows that
// say the same about a vessel it keeps only the first.
func (r *searchRows) sorted(pages []page) []uint32 {
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

// sortKey is the number of a row with the vessel that it is about.
type sortKey struct {
	id  vesselID
	row uint32
}

// distinct returns the rows of one vessel that differ in their MMSI, country or type, or in the filter of
// the status search: a vessel can change her flag between two answers of a night.
func (r *searchRows) distinct(same []sortKey, pages []page) []uint32 {
	row := func(k sortKey) *row { return r.rows.at(int(k.row)) }
	of := func(k sortKey) *page { return &pages[row(k).page] }
	claim := func(a, b sortKey) int {
		return cmp.Or(cmp.Compare(row(a).mmsi, row(b).mmsi), cmp.Compare(of(a).sweep, of(b).sweep),
			cmp.Compare(row(a).country, row(b).country), cmp.Compare(row(a).vesselType, row(b).vesselType))
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
