package transform

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape decodes the inside of a text with escape sequences. Half of a surrogate pair
// becomes U+FFFD.
func unescape(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		i++
		if s[i] != 'u' {
			b = append(b, "\"\\/\b\f\n\r\t"[strings.IndexByte(`"\/bfnrt`, s[i])])
			continue
		}
		r, _ := hex(s[i-1:])
		i += 4
		if utf16.IsSurrogate(r) {
			low, _ := hex(s[i+1:])
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				i += 6
			}
		}
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}

// appendText appends s as a JSON text.
func appendText(b []byte, s string) []byte {
	const digits = "0123456789abcdef"
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// member is a key of an object with its value.
type member struct {
	key    string
	folded string // the key in one style
	value  value
	used   bool // a column or an issue has its value
}

// appendObject appends members as a JSON object with sorted keys; of equal keys it keeps the
// last. It sorts the members in place.
func appendObject(b []byte, members []member) []byte {
	slices.SortStableFunc(members, func(a, b member) int { return strings.Compare(a.key, b.key) })
	b = append(b, '{')
	for i, m := range members {
		if i+1 < len(members) && members[i+1].key == m.key {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(append(appendText(b, m.key), ':'), m.value.raw...)
	}
	return append(b, '}')
}

// fold maps the key styles of the API (shipType, ship_type) to one: lower-case letters and
// digits only.
func fold(key string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case r < utf8.RuneSelf && (r < '0' || r > '9') && (r < 'a' || r > 'z'):
			return -1
		}
		return r
	}, key)
}

// wellFormed replaces what JSON allows and databases refuse by U+FFFD: bytes that are not
// UTF-8, and escapes of half a surrogate pair. It reports whether the bytes were UTF-8.
func wellFormed(body string) (string, bool) {
	valid := utf8.ValidString(body)
	if !valid {
		body = strings.ToValidUTF8(body, "\uFFFD")
	}
	if !strings.Contains(body, `\ud`) && !strings.Contains(body, `\uD`) {
		return body, valid
	}
	b := []byte(body)
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		high, _ := hex(body[i:])
		if !utf16.IsSurrogate(high) {
			i++ // skips the escaped character
			continue
		}
		low, _ := hex(body[min(i+6, len(body)):])
		if utf16.DecodeRune(high, low) == utf8.RuneError {
			copy(b[i:], `\ufffd`)
			i += 5
		} else {
			i += 11
		}
	}
	return string(b), valid
}
