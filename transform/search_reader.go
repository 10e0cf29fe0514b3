package transform

import "github.com/fleetlake/fleetlake/extract/journal"

// SearchReader reads the vessels of search answers in order while a harvest is still running: the
// choice of lookups needs the listed vessels before their rows are written. It keeps nothing of an
// answer once it is read. It is not safe for concurrent use.
type SearchReader struct{ batch *Batch }

// NewSearchReader returns a reader that has read nothing.
func NewSearchReader() *SearchReader { return &SearchReader{NewBatch()} }

// Listed is a vessel of a search answer.
type Listed struct {
	IMO           IMO    // 0 is none
	MMSI          MMSI   // 0 is none
	Type, Country string // as the API stores them

	Name, Flag, VesselType string // as the tables write them; empty where the answer has none
}

// Each calls f with every vessel of an answer, in the order of the answer, and returns what the page is
// compared by. It returns no page, and calls nothing, for an answer of another operation. It leaves out
// records without an IMO number or MMSI. A nil f is not called: for the page alone, nothing but the
// numbers of the vessels is kept.
func (r *SearchReader) Each(e journal.Entry, f func(Listed)) Page {
	b := r.batch
	found, ok := b.searchRows(e.Operation)
	if !ok {
		return Page{}
	}
	b.asks(e.Operation, e.Parameters)
	found.numbersOnly = f == nil
	_, read, _ := b.search(found, page{}, b.body(&e, found.dataset))
	for i := range found.rows.n {
		row, reg, _ := found.at(uint32(i))
		typ, flag := b.words.vesselTypes.at(row.vesselType), b.words.countries.at(row.country)
		f(Listed{IMO: row.id.imo(), MMSI: row.mmsi, Type: typ.raw, Country: flag.raw,
			Name: cleanName(reg.name), Flag: flags[flag.flag].code, VesselType: typ.value})
	}
	found.rows.n, b.pages, b.issues = 0, b.pages[:0], b.issues[:0]
	if len(found.texts.chunks) > 1 { // one chunk has room for the texts of many answers
		found.texts = arena{}
	}
	return read
}
