package transform

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/fleetlake/fleetlake/extract/api"
)

// missingText reports whether s is missing from a text or from an identifier, where zero is no value either.
func missingText(s string) bool {
	for _, r := range s {
		if !strings.ContainsRune("0._@", r) && !isSeparator(r) {
			return api.IsMissing(s)
		}
	}
	return true
}

// cleanText returns s with single spaces for white space and control characters, and in
// Unicode normal form C. It is idempotent.
func cleanText(s string) string {
	if isCleanText(s) {
		return s
	}
	return norm.NFC.String(strings.Join(strings.FieldsFunc(s, isSeparator), " "))
}

// isSeparator reports whether r separates words. Normal form C leaves all of these as they
// are, so that normalising afterwards adds no separators.
func isSeparator(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// isCleanText reports whether s is printable ASCII with single spaces between words, for
// which cleanText has nothing to do.
func isCleanText(s string) bool {
	space := true
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c >= 0x7f || c == ' ' && space {
			return false
		}
		space = c == ' '
	}
	return !space || s == ""
}

// cleanName returns the name of a ship, a company or a place, or a call sign, as AIS and most lists write
// it: upper case, single spaces for underscores and white space, and no "@" padding. It is idempotent.
func cleanName(s string) string {
	if isCleanName(s) {
		return s
	}
	return string(appendName(nil, s))
}

// isCleanName reports whether appendName would leave s as it is. It knows only ASCII, so it
// may say false of a clean name.
func isCleanName(s string) bool {
	space := true
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c >= 0x7f || c == '_' || c == '@' || 'a' <= c && c <= 'z' || c == ' ' && space {
			return false
		}
		space = c == ' '
	}
	return !space || s == ""
}

// appendName appends the clean form of s. Its loop handles ASCII, which nearly all names are,
// and allocates nothing but the result.
func appendName(b []byte, s string) []byte {
	start := len(b)
	pending := false
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			return append(b[:start], unicodeName(s)...)
		case c <= ' ' || c == '_' || c == 0x7f:
			pending = len(b) > start
			continue
		case c == '@' && len(b) == start:
			continue
		case 'a' <= c && c <= 'z':
			c -= 'a' - 'A'
		}
		if pending {
			b = append(b, ' ')
			pending = false
		}
		b = append(b, c)
	}
	for len(b) > start && (b[len(b)-1] == '@' || b[len(b)-1] == ' ') {
		b = b[:len(b)-1]
	}
	return b
}

// unicodeName does what appendName does, for any letters.
func unicodeName(s string) string {
	words := strings.FieldsFunc(norm.NFC.String(s), func(r rune) bool { return r == '_' || isSeparator(r) })
	s = strings.Trim(strings.Join(words, " "), " @")
	return norm.NFC.String(strings.ToUpper(s))
}

// titled returns the clean form of a text with a capital first letter of each word and small ones after it, as
// the lists of the service mostly write countries and types. It is idempotent.
func titled(s string) string {
	start := true
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if start {
			r = unicode.ToUpper(r)
		}
		start = !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\''
		return r
	}, strings.ToLower(cleanName(s))))
}

// capitalized returns the clean form of a text with a capital first letter and small ones after it. It is
// idempotent.
func capitalized(s string) string {
	s = strings.ToLower(cleanName(s))
	first, size := utf8.DecodeRuneInString(s)
	return norm.NFC.String(string(unicode.ToUpper(first)) + s[size:])
}
