package api

import (
	"unicode"
	"unicode/utf8"
)

// IsMissing reports whether s is what the service writes for a value that it does not have: no letter or digit at
// all ("-", "?", "@@@"), or one of a few words, whatever their case, stops and separators ("n.a.", "N/A",
// "not_available"). To treat another placeholder as missing, add it here. A vocabulary looks its own
// values up first: NA is the code of Namibia, and Unknown is a country that can be asked for.
func IsMissing(s string) bool {
	var word [14]byte // one more than the longest below
	n := 0
	for _, r := range s {
		switch {
		case 'A' <= r && r <= 'Z':
			r += 'a' - 'A'
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
		case r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsNumber(r)):
			return false
		default:
			continue
		}
		if n == len(word) {
			return false
		}
		word[n] = byte(r)
		n++
	}
	switch string(word[:n]) {
	case "", "na", "nan", "nil", "none", "null", "undefined", "unknown", "nodata", "notknown", "notdefined", "notspecified",
		"notavailable", "notapplicable", "tba", "tbc", "tbd", "tbn":
		return true
	}
	return false
}
