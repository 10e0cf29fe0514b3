package transform

import (
	"strconv"
	"strings"
)

// MMSI is the number of a radio station. As a text it has nine digits: leading zeros count.
// Zero is no number.
type MMSI uint32

// ParseMMSI returns an MMSI. It refuses nine equal digits and digits that count up or down as
// Filler, what the API writes for "none" as absent, and everything else that is not nine
// digits as NotNineDigits.
func ParseMMSI(s string) (MMSI, error) {
	s = strings.TrimSpace(s)
	n, ok := digits(s)
	switch isNine := ok && len(s) == 9; {
	case isNine && (n%111_111_111 == 0 || n == 123_456_789 || n == 987_654_321):
		return 0, Filler
	case isNine:
		return MMSI(n), nil
	case missingText(s):
		return 0, absent
	}
	return 0, NotNineDigits
}

// String returns all nine digits.
func (m MMSI) String() string {
	s := strconv.Itoa(int(m))
	return "000000000"[min(len(s), 9):] + s
}

// mmsiForms are the forms of an MMSI that name a country after their leading digits; longer
// prefixes come first. Ships are not among them, because their MMSI begins with the country.
var mmsiForms = []string{
	"111", // search and rescue aircraft
	"98",  // craft of a parent ship
	"99",  // aid to navigation
	"00",  // coast station
	"0",   // group of ships
	"8",   // handheld
}

// countryDigits returns the three digits that name the country. It returns 0 where there are
// none, as for a transmitter that marks an emergency (970, 972, 974).
func (m MMSI) countryDigits() int {
	if m >= 200_000_000 && m < 800_000_000 { // a ship, like nearly all: no text is needed
		return int(m / 1_000_000)
	}
	s := m.String()
	for _, prefix := range mmsiForms {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			n, _ := digits(rest[:3])
			return int(n)
		}
	}
	return 0
}

// vesselID identifies a vessel by the evidence of one row: an IMO number as it is, an MMSI
// above 32 bits. In this form the numbers sort as their texts do, and 0 is no vessel.
type vesselID uint64

// byMMSI is the bit of a vesselID that is an MMSI.
const byMMSI = vesselID(1) << 32

// identify returns the id by IMO number if there is one, because that number stays with the
// hull, and else by MMSI.
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

// imo returns the IMO number of a vessel that is identified by it; 0 for others.
func (v vesselID) imo() IMO {
	if v >= byMMSI {
		return 0
	}
	return IMO(v)
}

// append appends the id as the tables write it, IMO9218301 or MMSI306256000; nothing for 0.
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

// appendPadded appends n with leading zeros.
func appendPadded(b []byte, n uint32, width int) []byte {
	b = append(b, "0000000000"[:width]...)
	for i := len(b) - 1; n > 0 && width > 0; i, width = i-1, width-1 {
		b[i] = byte('0' + n%10)
		n /= 10
	}
	return b
}
