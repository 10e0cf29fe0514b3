package transform

import (
	"net/url"
	"slices"

	"github.com/fleetlake/fleetlake/extract/api"
)

// A lookup tells of one vessel, and each dataset of it becomes a row of its own, so that
// what an operation does not carry is never read as gone.

var (
	allFields      = []int{fieldName, fieldCallsign, fieldCountry, fieldISO, fieldIMO, fieldMMSI, fieldShipType, fieldVesselType}
	positionFields = []int{fieldIMO, fieldMMSI}
)

// lookup reads an answer of a lookup. It reports how many records were in it, and whether
// it was what was promised.
func (b *Batch) lookup(at *answer, body string) (int, bool) {
	s := &scanner{s: body}
	root := s.members()
	if !s.end() {
		b.report(source{entry: at.entry, dataset: at.dataset()}, 0, "", clip(body), shapeOf(body))
		return 0, false
	}
	r, beside := unwrap(root)
	if len(r.members) == 0 {
		return 0, true
	}
	from := source{entry: at.entry, dataset: at.dataset(), whole: body}
	fields := allFields
	if at.operation == "location" {
		fields = positionFields
	}
	got := r.identification(fields...)
	at.identify(&got)
	reg, ok := b.register(&got, from)
	if !ok {
		return 1, true
	}
	b.compareAsked(&reg, at, from)
	switch at.operation {
	case api.Location.Name:
		b.addPosition(&r, &reg, at, beside, true)
	case api.Info.Name:
		b.addPart(&r, "engine", &Engine, ofEngine, &b.engines, &reg, at)
		b.addPart(&r, "management", &Management, ofManagement, &b.managements, &reg, at)
		b.addPosition(&r, &reg, at, nil, false)
		b.addParticulars(&r, &reg, at, beside)
	default:
		b.addParticulars(&r, &reg, at, beside)
	}
	return 1, true
}

// unwrap returns the vessel: `detail` if that is an object, else the root. What stands
// beside `detail` is extra.
func unwrap(root record) (r record, beside []member) {
	i := slices.IndexFunc(root.members, func(m member) bool { return m.folded == "detail" && m.value.kind == isObject })
	if i < 0 {
		return root, nil
	}
	s := scanner{s: root.members[i].value.raw}
	return s.members(), slices.Delete(root.members, i, i+1)
}

// compareAsked reports an answer about another ship than the IMO number asked for. An MMSI
// may well lead to a ship that has another by now.
func (b *Batch) compareAsked(reg *registration, at *answer, from source) {
	asked, err := ParseIMO(at.asked())
	if imo := reg.id.imo(); err == nil && imo != 0 && imo != asked {
		b.report(from, reg.id, identification[fieldIMO].column, at.asked(), AnotherVessel)
	}
}

// identify takes the number that was asked for where the answer names a vessel and tells no
// number: any field may be lacking, and what was paid for is still about that vessel.
func (a *answer) identify(got *[fieldCount]value) {
	name, _ := got[fieldName].text()
	imo, _ := got[fieldIMO].text()
	mmsi, _ := got[fieldMMSI].text()
	if missing(name) || !missing(imo) || !missing(mmsi) {
		return
	}
	asked := a.asked()
	number := value{raw: string(appendText(nil, asked)), kind: isText}
	if _, err := ParseIMO(asked); err == nil {
		got[fieldIMO] = number
	} else {
		got[fieldMMSI] = number
	}
}

// asked is the number that a lookup asked for.
func (a *answer) asked() string {
	q, _ := url.ParseQuery(a.parameters)
	return q.Get("imo_or_mmsi")
}

// dataset is what the issues of an answer are filed under.
func (a *answer) dataset() string {
	if a.operation == "location" {
		return ofPosition
	}
	return ofParticulars
}

// addParticulars makes the row of particulars. It comes last: what no dataset used is in
// its extra.
func (b *Batch) addParticulars(r *record, reg *registration, at *answer, beside []member) {
	values, raw := b.fill(r, &Particulars, reg.id, at, ofParticulars)
	f, country := b.words.flagOf(reg)
	t := b.words.vesselTypes.at(reg.vesselType)
	values.set("name", CleanName(reg.name))
	values.set("callsign", CleanName(reg.callsign))
	values.set("flag", flags[f].code)
	values.set("country", country)
	values.set("country_iso", b.words.isos.at(reg.iso).value)
	values.set("ship_type", b.words.shipTypes.at(reg.shipType).value)
	values.set("vessel_type", t.value)
	values.set("category", t.category)
	if t.value != "" {
		values.set("is_vessel", t.isVessel)
	}
	values.set("operation", at.operation)
	values.set("asked", at.asked())
	extra := append(r.rest(func(*member) bool { return true }), beside...)
	b.particulars.add(at, reg, values, b.words.appendRaw([]byte{'{'}, reg), raw, extra)
}

// addPart makes the row of a dataset that comes as an object of its own. An answer without
// it, or with an empty one, says nothing about it.
func (b *Batch) addPart(r *record, key string, t *Table, dataset string, to *facts, reg *registration, at *answer) {
	v := r.take(key)
	from := source{entry: at.entry, dataset: dataset}
	if v.kind != isObject {
		if s, ok := v.text(); !ok || !missing(s) {
			b.report(from, reg.id, "", s, UnexpectedShape)
		}
		return
	}
	s := scanner{s: v.raw}
	part := s.members()
	if len(part.members) == 0 {
		return
	}
	values, raw := b.fill(&part, t, reg.id, at, dataset)
	to.add(at, reg, values, []byte{'{'}, raw, part.rest(func(*member) bool { return true }))
}

// addPosition makes the row of positions, if the answer tells one. A location lookup keeps
// all other keys here; a profile only those of the voyage.
func (b *Batch) addPosition(r *record, reg *registration, at *answer, beside []member, all bool) {
	values, raw := b.fill(r, &Positions, reg.id, at, ofPosition)
	raw = append(raw, clearHalfPosition(r, values)...)
	if !observed(values) && len(raw) == 0 && !all {
		return
	}
	extra := append(r.rest(func(m *member) bool { return all || voyageKeys[m.folded] }), beside...)
	refused := []byte{'{'}
	if all { // a profile keeps it in particulars
		refused = append(refused, reg.refused...)
	}
	values.set("operation", at.operation)
	b.positions.add(at, reg, values, refused, raw, extra)
}
