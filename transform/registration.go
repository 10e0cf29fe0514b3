package transform

import (
	"strings"

	"github.com/fleetlake/fleetlake/extract/jsontext"
)

// Fields that identify a ship, in every kind of answer.
const (
	fieldName = iota
	fieldCallsign
	fieldCountry
	fieldISO
	fieldIMO
	fieldMMSI
	fieldShipType
	fieldVesselType
	fieldCount
)

// identification has the API's key and the column of each field.
var identification = [fieldCount]struct{ key, column string }{
	{"name", "name"}, {"callsign", "callsign"}, {"country", "country"}, {"countryIso", "country_iso"},
	{"imo", "imo"}, {"mmsi", "mmsi"}, {"shipType", "ship_type"}, {"typeSpecific", "vessel_type"},
}

// identificationByKey finds a field by its folded key.
var identificationByKey = func() map[string]int {
	m := make(map[string]int, fieldCount)
	for i, f := range identification {
		m[jsontext.Fold(f.key)] = i
	}
	return m
}()

// fieldOf returns the field of a key, in either style; -1 if it has none.
func fieldOf(key string) int {
	switch key { // as the interface text writes them: a switch costs a fraction of a map
	case "name":
		return fieldName
	case "callsign":
		return fieldCallsign
	case "country":
		return fieldCountry
	case "countryIso":
		return fieldISO
	case "imo":
		return fieldIMO
	case "mmsi":
		return fieldMMSI
	case "shipType":
		return fieldShipType
	case "typeSpecific":
		return fieldVesselType
	}
	if i, ok := identificationByKey[jsontext.Fold(key)]; ok {
		return i
	}
	return -1
}

// registration is what one record says about which ship it is. Texts are as they came.
type registration struct {
	id             vesselID
	mmsi           MMSI
	name, callsign string
	country, iso   uint32 // numbers of spellings
	shipType       uint32
	vesselType     uint32
	refused        string // raw values that were refused, as members of a JSON object
}

// vocabulary numbers the spellings that a batch meets.
type vocabulary struct {
	countries, isos, shipTypes, vesselTypes memo
}

func newVocabulary() vocabulary {
	return vocabulary{newMemo(readCountry), newMemo(readISO), newMemo(readShipType), newMemo(readVesselType)}
}

// flagOf returns the flag of a ship, its country's name and its register. The country decides; the code
// is often wrong, and counts only where the country is not known. That of a country in no list counts if
// the digits of the MMSI agree.
func (v *vocabulary) flagOf(r *registration) (f flag, country, register string) {
	c := v.countries.at(r.country)
	f = v.isos.at(r.iso).flag
	switch {
	case c.flag != 0 || f == 0:
		return c.flag, c.value, c.register
	case c.reason != NotListed:
		return f, flags[f].name, flags[f].name
	case f.agrees(digitFlags[r.mmsi.countryDigits()]...):
		return f, c.value, c.register
	}
	return 0, c.value, c.register
}

// appendRaw appends, as members of a JSON object, each value of r that a rule changed or
// refused. The names are texts that were not missing.
func (v *vocabulary) appendRaw(b []byte, r *registration) []byte {
	_, country, _ := v.flagOf(r)
	b = appendNameMember(b, identification[fieldName].key, r.name)
	b = appendNameMember(b, identification[fieldCallsign].key, r.callsign)
	switch c := v.countries.at(r.country); {
	case c.reason != absent && c.raw != country:
		b = appendMember(b, identification[fieldCountry].key, c.raw)
	case c.reason == absent && country != "": // taken from the code: the vessel stands under no country
		b = append(jsontext.AppendText(comma(b), identification[fieldCountry].key), ":null"...)
	}
	if s := v.isos.at(r.iso); s.changed() {
		b = appendMember(b, identification[fieldISO].key, s.raw)
	}
	if s := v.shipTypes.at(r.shipType); s.changed() {
		b = appendMember(b, identification[fieldShipType].key, s.raw)
	}
	if s := v.vesselTypes.at(r.vesselType); s.changed() {
		b = appendMember(b, identification[fieldVesselType].key, s.raw)
	}
	if r.refused != "" {
		b = append(comma(b), r.refused...)
	}
	return b
}

// appendNameMember appends a name that its clean form differs from.
func appendNameMember(b []byte, key, name string) []byte {
	if isCleanName(name) {
		return b
	}
	end := len(b)
	b = appendName(b, name) // after the members, to compare
	clean := string(b[end:]) == name
	if b = b[:end]; clean {
		return b
	}
	return appendMember(b, key, name)
}

// appendMember appends a text under a key, with a comma if there is a member before it.
func appendMember(b []byte, key, text string) []byte {
	return jsontext.AppendText(append(jsontext.AppendText(comma(b), key), ':'), text)
}

func comma(b []byte) []byte {
	if len(b) > 0 && b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return b
}

// source is where a record comes from, for its issues.
type source struct {
	entry   int
	dataset string
	whole   string // the record, as JSON
}

// numbers are the numbers of a record, and why one of them was refused.
type numbers struct {
	id                    vesselID
	mmsi                  MMSI
	imoErr, mmsiErr       error
	imoIsText, mmsiIsText bool
}

// numbersOf reads the numbers of a record.
func numbersOf(got *[fieldCount]jsontext.Value) (n numbers) {
	var imoText, mmsiText string
	var imo IMO
	imoText, n.imoIsText = got[fieldIMO].Text()
	mmsiText, n.mmsiIsText = got[fieldMMSI].Text()
	imo, n.imoErr = parseIMO(imoText)
	n.mmsi, n.mmsiErr = ParseMMSI(mmsiText)
	n.id = identify(imo, n.mmsi)
	return n
}

// complete adds the number that a lookup asked for to those of an answer without an IMO number: any member may
// be missing, and a paid answer is still about the requested vessel. An MMSI of the answer is kept beside a
// requested IMO number; where the answer has an MMSI, a requested one says nothing more.
func (n *numbers) complete(requested string) {
	if imo, err := parseIMO(requested); err == nil {
		n.id = identify(imo, n.mmsi)
	} else if mmsi, err := ParseMMSI(requested); err == nil && n.id == 0 {
		n.id, n.mmsi = identify(0, mmsi), mmsi
	}
}

// register reads which ship a record is about, whose numbers are n. It returns false for a record without
// an IMO number or MMSI, and reports that and none of its other faults.
func (b *Batch) register(got *[fieldCount]jsontext.Value, n numbers, from source) (registration, bool) {
	r := registration{id: n.id, mmsi: n.mmsi}
	if r.id == 0 {
		b.report(from, 0, "", from.whole, NoIdentity)
		return r, false
	}

	b.refused = b.refused[:0]
	if n.imoErr != nil {
		b.refuse(from, r.id, fieldIMO, got[fieldIMO], n.imoErr, n.imoIsText)
	}
	if n.mmsiErr != nil {
		b.refuse(from, r.id, fieldMMSI, got[fieldMMSI], n.mmsiErr, n.mmsiIsText)
	}
	r.name = b.textOf(got, from, r.id, fieldName)
	r.callsign = b.textOf(got, from, r.id, fieldCallsign)
	r.country = b.spellingOf(got, from, r.id, fieldCountry, &b.words.countries)
	r.iso = b.spellingOf(got, from, r.id, fieldISO, &b.words.isos)
	r.shipType = b.spellingOf(got, from, r.id, fieldShipType, &b.words.shipTypes)
	r.vesselType = b.spellingOf(got, from, r.id, fieldVesselType, &b.words.vesselTypes)
	r.refused = string(b.refused)
	b.compareFlags(&r, from)
	return r, true
}

// textOf reads a text of any content.
func (b *Batch) textOf(got *[fieldCount]jsontext.Value, from source, id vesselID, field int) string {
	s, ok := got[field].Text()
	if !ok {
		b.refuse(from, id, field, got[field], NotText, false)
		return ""
	}
	if missingText(s) {
		return ""
	}
	return s
}

// spellingOf returns the number of a text in the batch's vocabulary, and reports a text that its
// list does not have: once a run if it is kept.
func (b *Batch) spellingOf(got *[fieldCount]jsontext.Value, from source, id vesselID, field int, m *memo) uint32 {
	s, ok := got[field].Text()
	if !ok {
		b.refuse(from, id, field, got[field], NotText, false)
		return 0
	}
	n := m.number(s)
	switch word := m.at(n); {
	case word.reason == noIssue || word.reason == absent:
	case word.value == "":
		b.report(from, id, identification[field].column, s, word.reason)
	default:
		b.reportOnce(m, word.value, from, id, field, s)
	}
	return n
}

// reportOnce reports a value that is in no list and is kept, unless the batch has an issue of it. That issue may be
// gone, with those of an answer that could not be used.
func (b *Batch) reportOnce(m *memo, value string, from source, id vesselID, field int, raw string) {
	column := identification[field].column
	if at, ok := m.issues[value]; ok && at < len(b.issues) {
		if i := &b.issues[at]; i.field == column && i.reason == NotListed && m.read(i.raw).value == value {
			return
		}
	}
	m.issues[value] = len(b.issues)
	b.report(from, id, column, raw, NotListed)
}

// refuse keeps a refused value for `raw`, and reports it unless it is a placeholder.
func (b *Batch) refuse(from source, id vesselID, field int, v jsontext.Value, why error, isText bool) {
	reason := why.(Reason)
	if !isText {
		reason = NotText
	}
	if reason == absent {
		return
	}
	f := identification[field]
	b.refused = append(append(jsontext.AppendText(comma(b.refused), f.key), ':'), v.Raw...)
	if reason != Filler {
		s, _ := v.Text()
		b.report(from, id, f.column, s, reason)
	}
}

// compareFlags reports a country code or an MMSI of another flag than that of the country.
func (b *Batch) compareFlags(r *registration, from source) {
	country, iso := b.words.countries.at(r.country), b.words.isos.at(r.iso)
	if country.flag != 0 && iso.flag != 0 && country.flag != iso.flag && !country.flag.agrees(iso.flag) {
		b.report(from, r.id, identification[fieldISO].column, iso.raw, ISODisagrees)
	}
	f, _, _ := b.words.flagOf(r)
	if carried := digitFlags[r.mmsi.countryDigits()]; f != 0 && len(carried) > 0 && !f.agrees(carried...) {
		b.report(from, r.id, identification[fieldMMSI].column, r.mmsi.String(), DigitsDisagree)
	}
}

// report adds an issue. It copies the text, because the answer is not kept.
func (b *Batch) report(from source, id vesselID, field, raw string, reason Reason) {
	b.issues = append(b.issues, issue{from.entry, id, from.dataset, field, strings.Clone(raw), reason})
}
