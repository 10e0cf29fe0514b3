package transform

import "github.com/fleetlake/fleetlake/extract/journal"

// Roll reads who is in the answers of the searches, for those who plan while a harvest goes on.
// It is a Batch that forgets each answer.
type Roll struct{ batch *Batch }

// NewRoll returns a roll.
func NewRoll() *Roll { return &Roll{NewBatch()} }

// Listed is a vessel of a search, with its type and country as the API stores them.
type Listed struct {
	IMO           IMO  // 0 is none
	MMSI          MMSI // 0 is none
	Type, Country string

	Name, Flag, VesselType string // as the tables have them; empty where the answer does not tell
}

// Each gives every vessel of an answer of a search to f, and returns a print of all of them: a
// page that is repeated has the same.
func (r *Roll) Each(e journal.Entry, f func(Listed)) (print uint64) {
	b := r.batch
	roster, ok := b.roster(e.Operation)
	if !ok {
		return 0
	}
	facts, _ := b.search(roster, page{}, b.body(&e, roster.dataset))
	for i := range roster.rows.n {
		row, reg, _ := roster.at(uint32(i))
		typ, flag := b.words.vesselTypes.at(row.vesselType), b.words.countries.at(row.country)
		f(Listed{IMO: row.id.imo(), MMSI: row.mmsi, Type: typ.raw, Country: flag.raw,
			Name: CleanName(reg.name), Flag: flags[flag.flag].code, VesselType: typ.value})
	}
	roster.rows.n, b.pages, b.issues = 0, b.pages[:0], b.issues[:0]
	if len(roster.texts.chunks) > 1 { // a chunk holds the texts of many answers
		roster.texts = arena{}
	}
	return facts.print
}
