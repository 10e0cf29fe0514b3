package transform

import (
	"strconv"
	"strings"
)

// MMSI is the number of a radio station, nine digits as text: leading zeros count. The zero
// MMSI is none.
type MMSI uint32

// ParseMMSI reads an MMSI. Nine equal digits and a count up or down are Filler.
func ParseMMSI(s string) (MMSI, error) {
	s = strings.TrimSpace(s)
	if s == "0" || missing(s) {
		return 0, absent
	}
	n, ok := digits(s)
	if !ok || len(s) != 9 {
		return 0, NotNineDigits
	}
	if n%111_111_111 == 0 || n == 123_456_789 || n == 987_654_321 {
		return 0, Filler
	}
	return MMSI(n), nil
}

// String writes all nine digits.
func (m MMSI) String() string {
	s := strconv.Itoa(int(m))
	return "000000000"[min(len(s), 9):] + s
}

// Class says what kind of station an MMSI is of.
type Class string

// The classes of stations.
const (
	Ship            Class = "ship"
	Group           Class = "group"
	CoastStation    Class = "coast station"
	SARAircraft     Class = "SAR aircraft"
	Handheld        Class = "handheld"
	Craft           Class = "craft of parent ship"
	AidToNavigation Class = "aid to navigation"
	SART            Class = "AIS-SART"
	ManOverboard    Class = "man overboard"
	EPIRB           Class = "EPIRB"
	NoClass         Class = "" // a form that is not allotted
)

// classes holds, for each leading group of digits, how many digits the country's three
// stand behind; -1 where the form names no country. Longer groups come first.
var classes = []struct {
	prefix string
	class  Class
	skip   int
}{
	{"111", SARAircraft, 3}, {"970", SART, -1}, {"972", ManOverboard, -1}, {"974", EPIRB, -1},
	{"98", Craft, 2}, {"99", AidToNavigation, 2}, {"00", CoastStation, 2},
	{"0", Group, 1}, {"8", Handheld, 1},
	{"2", Ship, 0}, {"3", Ship, 0}, {"4", Ship, 0}, {"5", Ship, 0}, {"6", Ship, 0}, {"7", Ship, 0},
}

// Class returns what kind of station m is of.
func (m MMSI) Class() Class {
	class, _ := m.form()
	return class
}

// CountryDigits returns the three digits that name the country; 0 where there are none.
func (m MMSI) CountryDigits() int {
	if m >= 200_000_000 && m < 800_000_000 { // a ship: nearly all of them, and no text is made
		return int(m / 1_000_000)
	}
	_, digits := m.form()
	return digits
}

// form reads the leading digits.
func (m MMSI) form() (Class, int) {
	s := m.String()
	for _, c := range classes {
		if !strings.HasPrefix(s, c.prefix) {
			continue
		}
		if c.skip < 0 {
			return c.class, 0
		}
		n, _ := digits(s[c.skip : c.skip+3])
		return c.class, int(n)
	}
	return NoClass, 0
}

// Flags returns the flags that the country digits stand for: none, one, or several.
func (m MMSI) Flags() []string {
	var codes []string
	for _, f := range digitFlags[m.CountryDigits()] {
		codes = append(codes, flags[f].code)
	}
	return codes
}

// vesselID names a vessel by the evidence of one row: an IMO number as it is, an MMSI above
// 32 bits. So numbers sort as the texts do, and 0 is no vessel.
type vesselID uint64

const byMMSI = vesselID(1) << 32

// identify prefers the number that stays with the hull.
func identify(imo IMO, mmsi MMSI) vesselID {
	switch {
	case imo != 0:
		return vesselID(imo)
	case mmsi != 0:
		return byMMSI | vesselID(mmsi)
	default:
		return 0
	}
}

// imo returns the IMO number of a vessel that is known by it.
func (v vesselID) imo() IMO {
	if v >= byMMSI {
		return 0
	}
	return IMO(v)
}

func (v vesselID) String() string { return string(v.append(nil)) }

// append writes the id as the tables have it.
func (v vesselID) append(b []byte) []byte {
	switch {
	case v == 0:
		return b
	case v < byMMSI:
		return appendPadded(append(b, "IMO"...), uint32(v), 7)
	default:
		return appendPadded(append(b, "MMSI"...), uint32(v), 9)
	}
}

// appendPadded writes n with leading zeros.
func appendPadded(b []byte, n uint32, width int) []byte {
	b = append(b, "0000000000"[:width]...)
	for i := len(b) - 1; n > 0 && width > 0; i, width = i-1, width-1 {
		b[i] = byte('0' + n%10)
		n /= 10
	}
	return b
}
