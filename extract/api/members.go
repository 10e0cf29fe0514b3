package api

import (
	"bytes"
	"encoding/json"
)

// members is what the members of an object say about a vessel.
type members struct {
	count      int
	identified bool   // one of them is a name or a number
	detail     []byte // the value of the last `detail`; nil if there is none
}

// membersOf reads the members of a value that is known to be JSON; none if it is no object. Values are
// not decoded: a harvest has a hundred thousand lookups, each of which has a few dozen.
func membersOf(object []byte) (m members) {
	rest := skip(object)
	if firstByte(rest) != '{' {
		return m
	}
	for rest = skip(rest[1:]); rest[0] != '}'; rest = skip(rest) {
		key, after := cutValue(rest)
		value, after := cutValue(skip(after))
		switch string(textOf(key)) {
		case "name", "imo", "mmsi":
			m.identified = true
		case "detail":
			m.detail = value
		}
		m.count, rest = m.count+1, after
	}
	return m
}

// skip returns what follows white space, a colon or a comma.
func skip(text []byte) []byte {
	for i, c := range text {
		switch c {
		case ' ', '\t', '\r', '\n', ':', ',':
		default:
			return text[i:]
		}
	}
	return nil
}

// firstByte returns the first byte that skip does not skip; 0 if there is none.
func firstByte(text []byte) byte {
	if text = skip(text); len(text) > 0 {
		return text[0]
	}
	return 0
}

// textOf returns the text of a key.
func textOf(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	key := ""
	_ = json.Unmarshal(quoted, &key) // it is a text
	return []byte(key)
}

// cutValue cuts JSON after its first value.
func cutValue(text []byte) (value, rest []byte) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth--; depth < 0 { // of the object around a number or a word
				return text[:i], text[i:]
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return text[:i], text[i:]
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return text[:i+1], text[i+1:]
		}
	}
	return text, nil
}
