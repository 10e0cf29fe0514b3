package transform

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// missing reports whether s is what the API writes for a missing value. To treat another
// placeholder as missing, add it here.
func missing(s string) bool {
	if len(s) > 16 {
		return strings.TrimSpace(s) == ""
	}
	switch strings.TrimSpace(s) {
	case "", "-", "None":
		return true
	}
	return false
}

// CleanText returns s with single spaces for white space and control characters, and in
// Unicode normal form C. It is idempotent.
func CleanText(s string) string {
	if isCleanText(s) {
		return s
	}
	return norm.NFC.String(strings.Join(strings.FieldsFunc(s, isSeparator), " "))
}

// isSeparator reports whether r separates words. Normal form C leaves all of these as they
// are, so that normalising afterwards adds no separators.
func isSeparator(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// isCleanText reports whether s is printable ASCII with single spaces between words, for
// which CleanText has nothing to do.
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

// CleanName returns a ship's name or call sign as AIS writes it: upper case, single spaces
// for underscores and white space, and no "@" padding. It is idempotent.
func CleanName(s string) string {
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
