package transform

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// missing reports whether s is what the API writes for nothing.
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

// CleanText collapses white space and control characters to single spaces and composes
// letters with their accents.
func CleanText(s string) string {
	if tidy(s) {
		return s
	}
	return norm.NFC.String(strings.Join(strings.FieldsFunc(s, blank), " "))
}

// blank reports whether r separates words. NFC replaces none of these, so that composing
// afterwards brings no new ones.
func blank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// tidy reports whether s is printable ASCII with single spaces between words.
func tidy(s string) bool {
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

// CleanName writes a ship's name or call sign as AIS does: upper case, single spaces for
// underscores and white space, without the padding `@`.
func CleanName(s string) string {
	if plainName(s) {
		return s
	}
	return string(appendName(nil, s))
}

// plainName reports whether appendName would leave s as it is. It knows ASCII only.
func plainName(s string) bool {
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

// appendName appends the clean form of s. The loop is for ASCII, which nearly all names
// are, and makes nothing but the result.
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
	words := strings.FieldsFunc(norm.NFC.String(s), func(r rune) bool { return r == '_' || blank(r) })
	s = strings.Trim(strings.Join(words, " "), " @")
	return norm.NFC.String(strings.ToUpper(s))
}
