package jsontext

import (
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

// AppendText appends s as a JSON text.
func AppendText(b []byte, s string) []byte {
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

// Fold maps the key styles of the API (shipType, ship_type) to one: lower-case letters and
// digits only.
func Fold(key string) string {
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

// WellFormed replaces what JSON allows and databases refuse by U+FFFD: bytes that are not
// UTF-8, and escapes of half a surrogate pair. It reports whether the bytes were UTF-8.
func WellFormed(body string) (string, bool) {
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
