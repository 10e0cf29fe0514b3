package simulator

import (
	"strconv"
	"strings"

	"github.com/fleetlake/fleetlake/extract"
)

// casings are the ways in which a stored value is written, by accepted value: as in the
// list, upper, lower, and with only the first letter large.
type casings [][4]string

var (
	countryCasings = newCasings(extract.Countries)
	typeCasings    = newCasings(extract.Types)
)

func newCasings(values []string) casings {
	all := make(casings, len(values))
	for i, v := range values {
		lower := strings.ToLower(v)
		all[i] = [4]string{v, strings.ToUpper(v), lower, strings.ToUpper(lower[:1]) + lower[1:]}
	}
	return all
}

// pick chooses a casing: seven of ten are as in the list, in a clean fleet all are.
func (c casings) pick(f *census, u uint64, value int) *string {
	way := 0
	if f.dirty(u, .3) {
		way = 1 + int(u%3)
	}
	return &c[value][way]
}

// listing is an entry as the type/country search shows it.
func (f *census) listing(e entry) Listing {
	h, s := &f.hulls[e.hull()], &f.states[e.hull()]
	country := f.country(e)
	mmsi, name := ninedigits(f.mmsi(e)), f.storedName(h, int(s.renames))
	l := Listing{
		Name: &name, MMSI: &mmsi, IMO: f.storedIMO(h, s), CountryISO: f.storedISO(h, country),
		ShipType: &kinds[h.kind].group.label,
	}
	if c := f.callsign(e); c != "" {
		l.Callsign = &c
	}
	if !s.has(noCountry) {
		l.Country = countryCasings.pick(f, draw(h.seed, forCasing, country), country)
	}
	if !s.has(noType) {
		l.TypeSpecific = typeCasings.pick(f, draw(h.seed, forCasing, -1), int(h.kind))
	}
	return l
}

// storedName writes a name as the service stores it: often with underscores, now and then
// padded as AIS pads it, or with stray spaces.
func (f *census) storedName(h *hull, renames int) string {
	name := f.name(h, renames)
	u := draw(h.seed, forNameDirt, renames)
	switch {
	case f.dirty(u, .02):
		return name + strings.Repeat("@", 1+int(u%6))
	case f.dirty(u<<16, .02):
		return strings.Replace(name, " ", "  ", 1) + " "
	case f.dirty(u<<32, .5):
		return strings.ReplaceAll(name, " ", "_")
	default:
		return name
	}
}

// storedIMO writes an IMO number, or one of the ways to say that there is none.
func (f *census) storedIMO(h *hull, s *state) *string {
	u := draw(h.seed, forIMODirt, 1)
	text := "0"
	switch {
	case s.has(storesIMO):
		text = strconv.Itoa(int(h.imo))
	case s.has(showsIMO) && u%8 < 5:
		text = strconv.Itoa(int(h.imo/10*10 + (h.imo+1+uint32(u>>8%9))%10))
	case s.has(showsIMO):
		return nil
	case f.dirty(u, .1):
		return nil
	case f.dirty(u<<8, .1):
		text = ""
	case f.dirty(u<<16, .05):
		text = "0000000"
	}
	return &text
}

// storedISO writes the country code. It is known to be wrong at times: a South Korean ship
// as KP.
func (f *census) storedISO(h *hull, country int) *string {
	u := draw(h.seed, forISO, country)
	iso := flags[flagOf[country]].iso
	switch {
	case iso == "", f.dirty(u<<20, .01):
		return nil
	case iso == "KR" && f.dirty(u, .3):
		iso = "KP"
	case iso == "CW" && f.dirty(u, .6):
		iso = "NL"
	case f.dirty(u, .008):
		iso = flags[flagDie.roll(u<<30)].iso
	}
	return &iso
}

// appendListing writes an entry as JSON.
func (f *census) appendListing(b []byte, e entry) []byte {
	l := f.listing(e)
	b = appendMember(b, '{', "name", l.Name)
	b = appendMember(b, ',', "mmsi", l.MMSI)
	b = appendMember(b, ',', "imo", l.IMO)
	b = appendMember(b, ',', "callsign", l.Callsign)
	b = appendMember(b, ',', "country", l.Country)
	b = appendMember(b, ',', "countryIso", l.CountryISO)
	b = appendMember(b, ',', "shipType", l.ShipType)
	b = appendMember(b, ',', "typeSpecific", l.TypeSpecific)
	return append(b, '}')
}

// appendSummary writes an entry as the status search shows it, where all values are strings.
func (f *census) appendSummary(b []byte, e entry) []byte {
	l := f.listing(e)
	b = appendMember(b, '{', "imo", text(l.IMO))
	b = appendMember(b, ',', "mmsi", l.MMSI)
	b = appendMember(b, ',', "name", l.Name)
	b = appendMember(b, ',', "country", text(l.Country))
	b = appendMember(b, ',', "shipType", l.ShipType)
	return append(b, '}')
}

// text is the value, or the empty string for null.
func text(s *string) *string {
	if s == nil {
		return new(string)
	}
	return s
}

// appendMember writes one member of a JSON object after a brace or a comma.
func appendMember(b []byte, before byte, key string, value *string) []byte {
	b = append(b, before, '"')
	b = append(b, key...)
	b = append(b, '"', ':')
	if value == nil {
		return append(b, "null"...)
	}
	return appendString(b, *value)
}

// appendString writes a JSON string. Ours hold no control characters.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			b = append(b, '\\')
		}
		b = append(b, s[i])
	}
	return append(b, '"')
}
