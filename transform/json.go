package transform

import "strings"

// kind is the type of a JSON value.
type kind uint8

// These are the types; isAbsent is the zero value.
const (
	isAbsent kind = iota
	isNull
	isText
	isNumber
	isBoolean
	isObject
	isArray
)

// value is a JSON value as a part of the answer: nothing is copied or decoded.
type value struct {
	raw     string // its JSON, a part of the answer
	kind    kind
	escaped bool // a text with escape sequences
}

// text returns the text of a value that should be text. A number counts as its digits, null
// and an absent value as the empty string. ok is false for a boolean, an object or an array;
// then the text is its JSON.
func (v value) text() (s string, ok bool) {
	switch v.kind {
	case isText:
		if v.escaped {
			return unescape(v.raw[1 : len(v.raw)-1]), true
		}
		return v.raw[1 : len(v.raw)-1], true
	case isNumber:
		return v.raw, true
	case isAbsent, isNull:
		return "", true
	}
	return v.raw, false
}

// scanner reads JSON from start to end without building a tree, because pages of vessels are
// most of the bytes of a harvest. It accepts exactly the JSON grammar. The first error ends
// it: bad is set, and every later read returns nothing.
type scanner struct {
	s     string
	pos   int
	depth int
	bad   bool
}

// maxDepth is how deep values may nest. It bounds the stack, since a service may send
// anything.
const maxDepth = 1000

// next skips white space and returns the next byte without reading it; 0 at the end.
func (s *scanner) next() byte {
	for ; s.pos < len(s.s); s.pos++ {
		switch c := s.s[s.pos]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// take skips white space and reads c. It fails when another byte follows.
func (s *scanner) take(c byte) bool {
	if s.next() != c {
		return s.fail()
	}
	s.pos++
	return true
}

// fail ends the scanner with an error. It returns false, for callers that return it.
func (s *scanner) fail() bool {
	s.bad, s.pos = true, len(s.s)
	return false
}

// end reports whether the scanner has read everything and found no error.
func (s *scanner) end() bool { return s.next() == 0 && s.pos == len(s.s) && !s.bad }

// object reads an object. It calls each for every key; each must read the value.
func (s *scanner) object(each func(key value)) {
	s.list('{', '}', func() {
		key := value{}
		if s.next() == '"' {
			key = s.text()
		} else {
			s.fail()
		}
		if s.take(':') {
			each(key)
		}
	})
}

// array reads an array. It calls each for every element; each must read it.
func (s *scanner) array(each func()) { s.list('[', ']', each) }

// list reads a list between two brackets, with commas between its elements.
func (s *scanner) list(opening, closing byte, each func()) {
	if s.depth++; s.depth > maxDepth {
		s.fail()
	}
	if !s.take(opening) {
		return
	}
	if s.next() == closing {
		s.pos++
		s.depth--
		return
	}
	for {
		each()
		if s.next() == closing {
			s.pos++
			s.depth--
			return
		}
		if !s.take(',') {
			return
		}
	}
}

// value reads any value.
func (s *scanner) value() value {
	c := s.next()
	start := s.pos
	switch {
	case c == '"':
		return s.text()
	case c == '{':
		s.object(func(value) { s.value() })
		return s.since(start, isObject)
	case c == '[':
		s.array(func() { s.value() })
		return s.since(start, isArray)
	case c == 't':
		return s.word("true", isBoolean)
	case c == 'f':
		return s.word("false", isBoolean)
	case c == 'n':
		return s.word("null", isNull)
	}
	return s.number()
}

// since returns the value between start and the current position.
func (s *scanner) since(start int, k kind) value {
	if s.bad {
		return value{}
	}
	return value{raw: s.s[start:s.pos], kind: k}
}

// word reads one of the words true, false and null.
func (s *scanner) word(w string, k kind) value {
	start := s.pos
	if !strings.HasPrefix(s.s[start:], w) {
		s.fail()
	} else {
		s.pos += len(w)
	}
	return s.since(start, k)
}

// text reads a text, quotation marks included.
func (s *scanner) text() value {
	start, escaped := s.pos, false
	for i := start + 1; i < len(s.s); i++ {
		switch c := s.s[i]; {
		case c == '"':
			s.pos = i + 1
			return value{raw: s.s[start:s.pos], kind: isText, escaped: escaped}
		case c < ' ':
			s.fail()
			return value{}
		case c == '\\':
			escaped = true
			n := escape(s.s[i:])
			if n == 0 {
				s.fail()
				return value{}
			}
			i += n - 1
		}
	}
	s.fail()
	return value{}
}

// escape returns the length of the escape sequence at the beginning of s; 0 if there is none.
func escape(s string) int {
	if len(s) < 2 {
		return 0
	}
	if s[1] == 'u' {
		if _, ok := hex(s); ok {
			return 6
		}
		return 0
	}
	if strings.IndexByte(`"\/bfnrt`, s[1]) < 0 {
		return 0
	}
	return 2
}

// hex returns the code unit of an escape sequence like \u00e9.
func hex(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	r := rune(0)
	for i := 2; i < 6; i++ {
		d := strings.IndexByte("0123456789abcdef", s[i]|0x20)
		if d < 0 || s[i] < '0' {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

// number reads a number, or fails.
func (s *scanner) number() value {
	start := s.pos
	if s.at('-') {
		s.pos++
	}
	if s.at('0') {
		s.pos++
	} else if !s.digits() {
		s.fail()
	}
	if s.at('.') {
		if s.pos++; !s.digits() {
			s.fail()
		}
	}
	if s.at('e') || s.at('E') {
		if s.pos++; s.at('+') || s.at('-') {
			s.pos++
		}
		if !s.digits() {
			s.fail()
		}
	}
	return s.since(start, isNumber)
}

// at reports whether c is the next byte.
func (s *scanner) at(c byte) bool { return s.pos < len(s.s) && s.s[s.pos] == c }

// digits reads one or more digits, and reports whether there was one.
func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.s) && '0' <= s.s[s.pos] && s.s[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > start
}
