package simulator

import (
	"strconv"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
)

// letterCases has four ways to write each accepted value: as in the list, in upper case, in lower
// case, and with a capital first letter.
type letterCases [][4]string

var (
	countryCases = newLetterCases(api.Countries)
	typeCases    = newLetterCases(api.Types)
)

// newLetterCases returns the letter cases of a list of accepted values.
func newLetterCases(values []string) letterCases {
	all := make(letterCases, len(values))
	for i, v := range values {
		lower := strings.ToLower(v)
		all[i] = [4]string{v, strings.ToUpper(v), lower, strings.ToUpper(lower[:1]) + lower[1:]}
	}
	return all
}

// choose returns one way to write an accepted value. Seven of ten are as in the list; in a
// clean fleet all are.
func (c letterCases) choose(f *fleetDay, u uint64, value int) *string {
	way := 0
	if f.dirty(u, .3) {
		way = 1 + int(u%3)
	}
	return &c[value][way]
}

// listing returns an entry as the type/country search lists it.
func (f *fleetDay) listing(e entry) Listing {
	h, s := &f.hulls[e.hull()], &f.states[e.hull()]
	country := f.country(e)
	mmsi, name := formatMMSI(f.mmsi(e)), f.storedName(h, int(s.renames))
	l := Listing{
		Name: &name, MMSI: &mmsi, IMO: f.storedIMO(h, s), CountryISO: f.storedISO(h, country),
		ShipType: &specificTypes[h.specificType].group.label,
	}
	if c := f.callsign(e); c != "" {
		l.Callsign = &c
	}
	if !s.has(noCountry) {
		l.Country = countryCases.choose(f, draw(h.seed, forCasing, country), country)
	}
	if !s.has(noType) {
		l.TypeSpecific = typeCases.choose(f, draw(h.seed, forCasing, -1), int(h.specificType))
	}
	return l
}

// storedName returns a name as the service stores it: often with underscores, sometimes
// padded with "@" as AIS does, or with extra spaces.
func (f *fleetDay) storedName(h *hull, renames int) string {
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

// storedIMO returns an IMO number as the service stores it: correct, that of another ship, with a
// wrong check digit, or in one of the ways that say "none".
func (f *fleetDay) storedIMO(h *hull, s *state) *string {
	u := draw(h.seed, forIMODirt, 1)
	text := "0"
	switch {
	case s.has(showsIMO) && h.sharesOn(sharesIMO, f.day):
		text = strconv.Itoa(int(f.hulls[h.other].imo))
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

// storedISO returns the country code as the service stores it: sometimes null, sometimes
// wrong, such as KP for a South Korean ship.
func (f *fleetDay) storedISO(h *hull, country int) *string {
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
		iso = flags[flagChoice.pick(u<<30)].iso
	}
	return &iso
}

// appendListing appends an entry as the JSON item of the type/country search.
func (f *fleetDay) appendListing(b []byte, e entry) []byte {
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

// appendSummary appends an entry as the JSON item of the status search, in which every value
// is a string.
func (f *fleetDay) appendSummary(b []byte, e entry) []byte {
	l := f.listing(e)
	b = appendMember(b, '{', "imo", emptyForNull(l.IMO))
	b = appendMember(b, ',', "mmsi", l.MMSI)
	b = appendMember(b, ',', "name", l.Name)
	b = appendMember(b, ',', "country", emptyForNull(l.Country))
	b = appendMember(b, ',', "shipType", l.ShipType)
	return append(b, '}')
}

// emptyForNull returns the value, or the empty string for null.
func emptyForNull(s *string) *string {
	if s == nil {
		return new(string)
	}
	return s
}

// appendMember appends a member of a JSON object after a separator: a brace or a comma.
func appendMember(b []byte, before byte, key string, value *string) []byte {
	b = append(b, before, '"')
	b = append(b, key...)
	b = append(b, '"', ':')
	if value == nil {
		return append(b, "null"...)
	}
	return appendString(b, *value)
}

// appendString appends a JSON string. The simulator's texts have no control characters, so it
// escapes quotation marks and backslashes only.
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
