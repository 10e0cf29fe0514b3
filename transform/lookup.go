package transform

import (
	"net/url"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/jsontext"
)

// A lookup answers with the data of one vessel. Each dataset in it becomes a separate row, so that
// a dataset that the operation does not have is never taken for removed.

var (
	allFields      = []int{fieldName, fieldCallsign, fieldCountry, fieldISO, fieldIMO, fieldMMSI, fieldShipType, fieldVesselType}
	positionFields = []int{fieldIMO, fieldMMSI}
)

// lookup reads the answer of a lookup. It returns how many records it has, and false for an answer
// of another shape than the interface text promises.
func (b *Batch) lookup(at *answer, body string) (int, bool) {
	from := source{entry: at.entry, dataset: at.dataset(), whole: body}
	answered, err := api.ReadLookup(body)
	if err != nil {
		b.report(from, 0, "", clip(body), reasonOf(err))
		return 0, false
	}
	r, beside := membersOf(answered.Vessel), []member(nil)
	if answered.InDetail() {
		beside = slices.DeleteFunc(membersOf(answered.Root).members, func(m member) bool { return m.folded == "detail" })
	}
	if r.isEmpty() {
		if len(r.members) > 0 {
			b.report(from, 0, "", clip(body), NoValues)
		}
		return 0, true
	}
	o, _ := api.OperationNamed(at.operation)
	fields := allFields
	if !o.Has(ofParticulars) {
		fields = positionFields
	}
	got := r.identification(fields...)
	n := numbersOf(&got)
	if n.id.imo() == 0 && answered.Rows > 0 {
		n.complete(at.requested())
	}
	reg, ok := b.register(&got, n, from)
	if !ok {
		return answered.Rows, true
	}
	b.compareRequested(&reg, at, from)
	if o.Has(ofEngine) {
		b.addPart(&r, "engine", &Engine, ofEngine, &b.engines, &reg, at)
	}
	if o.Has(ofManagement) {
		b.addPart(&r, "management", &Management, ofManagement, &b.managements, &reg, at)
	}
	switch {
	case o.Has(ofPosition) && !o.Has(ofParticulars):
		b.addPosition(&r, &reg, at, beside, true)
	case o.Has(ofPosition):
		b.addPosition(&r, &reg, at, nil, false)
	}
	if o.Has(ofParticulars) {
		b.addParticulars(&r, &reg, at, beside)
	}
	return answered.Rows, true
}

// compareRequested reports an answer about another ship than the requested IMO number. It does not
// compare the MMSI, because the ship that had it may have another by now.
func (b *Batch) compareRequested(reg *registration, at *answer, from source) {
	requested, err := parseIMO(at.requested())
	if imo := reg.id.imo(); err == nil && imo != 0 && imo != requested {
		b.report(from, reg.id, identification[fieldIMO].column, at.requested(), AnotherVessel)
	}
}

// reportEmpty reports a row that has no value of its dataset.
func (b *Batch) reportEmpty(row valueRow, id vesselID, at *answer, dataset string) {
	for i, c := range row.table.own {
		if row.values[i] != nil && c.rule != nil && c.name != "updated_at" {
			return
		}
	}
	b.report(source{entry: at.entry, dataset: dataset}, id, "", "", NoValues)
}

// isEmpty reports whether no member of an object has a value, nor any of an object in it.
func (r *record) isEmpty() bool {
	return !slices.ContainsFunc(r.members, func(m member) bool {
		switch m.value.Kind {
		case jsontext.Object:
			inner := membersOf(m.value)
			return !inner.isEmpty()
		case jsontext.Array:
			return strings.Trim(m.value.Raw, "[] \t\r\n") != ""
		}
		s, ok := m.value.Text()
		return !ok || !missingText(s)
	})
}

// requested returns the IMO number or MMSI in the request of a lookup.
func (a *answer) requested() string {
	q, _ := url.ParseQuery(a.parameters)
	return api.NumberOf(q)
}

// dataset returns the dataset of issues about a whole answer.
func (a *answer) dataset() string {
	if o, _ := api.OperationNamed(a.operation); o.Has(ofParticulars) {
		return ofParticulars
	}
	return ofPosition
}

// addParticulars adds the row of particulars. It comes last, because its extra has every key that
// no other dataset used.
func (b *Batch) addParticulars(r *record, reg *registration, at *answer, beside []member) {
	values, raw := b.fill(r, &Particulars, reg.id, at, ofParticulars)
	f, country, register := b.words.flagOf(reg)
	t := b.words.vesselTypes.at(reg.vesselType)
	values.set("name", cleanName(reg.name))
	values.set("callsign", cleanName(reg.callsign))
	values.set("flag", flags[f].code)
	values.set("country", country)
	values.set("register", register)
	values.set("country_iso", b.words.isos.at(reg.iso).value)
	values.set("ship_type", b.words.shipTypes.at(reg.shipType).value)
	values.set("vessel_type", t.value)
	values.set("category", t.category)
	if t.value != "" {
		values.set("is_vessel", t.isVessel)
	}
	values.set("operation", at.operation)
	values.set("asked", at.requested())
	b.reportEmpty(values, reg.id, at, ofParticulars)
	extra := append(r.rest(func(*member) bool { return true }), beside...)
	b.particulars.add(at, reg, values, b.words.appendRaw([]byte{'{'}, reg), raw, extra)
}

// addPart adds the row of a dataset that is a nested object of the answer. An answer without the
// object, or with one that has no value, adds no row: it says nothing of the dataset, which is asked for again.
func (b *Batch) addPart(r *record, key string, t *Table, dataset string, to *facts, reg *registration, at *answer) {
	v := r.take(key)
	from := source{entry: at.entry, dataset: dataset}
	if v.Kind != jsontext.Object {
		if s, ok := v.Text(); !ok || !api.IsMissing(s) {
			b.report(from, reg.id, "", s, UnexpectedShape)
			return
		}
		b.report(from, reg.id, "", "", NoValues)
		return
	}
	part := membersOf(v)
	values, raw := b.fill(&part, t, reg.id, at, dataset)
	if b.reportEmpty(values, reg.id, at, dataset); len(raw) == 0 && part.isEmpty() {
		return
	}
	to.add(at, reg, values, []byte{'{'}, raw, part.rest(func(*member) bool { return true }))
}

// addPosition adds the row of positions and of the voyage, if the answer has a value of them. A location keeps all
// other keys in its extra; a profile only those of the voyage.
func (b *Batch) addPosition(r *record, reg *registration, at *answer, beside []member, all bool) {
	values, raw := b.fill(r, &Positions, reg.id, at, ofPosition)
	raw = append(raw, clearHalfPosition(r, values)...)
	if !observed(values) {
		b.report(source{entry: at.entry, dataset: ofPosition}, reg.id, "", "", NoValues)
		if len(raw) == 0 && !all {
			return
		}
	}
	if all {
		values.updatedAlone(r)
	}
	extra := append(r.rest(func(m *member) bool { return all || voyageKeys[m.folded] }), beside...)
	refused := []byte{'{'}
	if all { // a profile keeps it in particulars
		refused = append(refused, reg.refused...)
	}
	values.set("operation", at.operation)
	if values.get("position_at") != nil && values.get("position_at_from") == nil {
		values.set("position_at_from", receivedKey)
	}
	b.positions.add(at, reg, values, refused, raw, extra)
}
