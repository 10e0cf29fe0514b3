package transform

import (
	"slices"

	"github.com/fleetlake/fleetlake/extract/jsontext"
)

// voyageColumns are the columns of a voyage, each with the one of the position in the same answer that has its value.
var voyageColumns = map[string]string{
	"operation": "operation", "position_at": "position_at", "updated_at": "updated_at",
	"destination": "destination", "locode": "destination_unlocode", "eta": "eta",
	"last_port": "last_port", "last_port_locode": "last_port_unlocode", "departed_at": "departed_at",
	"draught_m": "draught_m", "max_draught_m": "max_draught_m", "navigational_status": "navigational_status",
}

// besideVoyage are the columns of a voyage that say nothing of it.
var besideVoyage = []string{"operation", "position_at", "updated_at"}

// voyagePlaces are, by the place of a column of the positions, the name of the voyage's column that has its value, and
// keysOfVoyage the keys of an answer that voyages are read from. Empty is a column that a voyage has not.
var voyagePlaces, keysOfVoyage = func() ([]string, map[string]bool) {
	places, keys := make([]string, len(Positions.own)), map[string]bool{}
	for voyage, position := range voyageColumns {
		i := Positions.places[position]
		places[i] = voyage
		if r := Positions.own[i].rule; r != nil && !slices.Contains(besideVoyage, voyage) {
			for _, key := range r.keys {
				keys[key] = true
			}
		}
	}
	return places, keys
}()

// tellsVoyage reports whether the row of a position has a value of the voyage, with or without coordinates.
func (r valueRow) tellsVoyage() bool {
	for voyage, position := range voyageColumns {
		if r.get(position) != nil && !slices.Contains(besideVoyage, voyage) {
			return true
		}
	}
	return false
}

// voyages returns the rows of positions whose answers tell of the voyage. A voyage is written from there, so that it
// takes no memory of its own and a refused value is one issue.
func (b *Batch) voyages() []fact {
	b.positions.sort()
	return slices.DeleteFunc(slices.Clone(b.positions.rows), func(f fact) bool { return !f.voyage })
}

// voyageInto writes the voyage in the answer of a position.
func (b *Batch) voyageInto(w *writer) func(*fact) {
	source := b.sourceInto(w)
	own := make([]*cells, len(voyagePlaces))
	for i, name := range voyagePlaces {
		if name != "" {
			own[i] = w.column(name)
		}
	}
	raw, extra := w.column("raw"), w.column("extra")
	return func(row *fact) {
		source(row.entry, row.seen, row.id, row.mmsi)
		texts := b.positions.texts.reader(row.text)
		values := textReader{texts.text()}
		for _, c := range own {
			if c == nil {
				values.skipStored()
				continue
			}
			c.writeStored(&values)
		}
		raw.writeText(onlyKeys(texts.text(), keysOfVoyage))
		extra.writeText(onlyKeys(texts.text(), voyageKeys))
	}
}

// onlyKeys returns the members of a JSON object that have one of the keys, as an object; empty if none has.
func onlyKeys(object string, keys map[string]bool) string {
	if object == "" {
		return ""
	}
	found := membersOf(jsontext.Value{Raw: object, Kind: jsontext.Object})
	kept := found.rest(func(m *member) bool { return keys[m.folded] })
	if len(kept) == 0 {
		return ""
	}
	return string(appendObject(nil, kept))
}
