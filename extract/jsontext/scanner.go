package jsontext

import "strings"

// Kind is the type of a JSON value.
type Kind uint8

// These are the types; Absent is the zero value.
const (
	Absent Kind = iota
	Null
	Text
	Number
	Boolean
	Object
	Array
)

// Value is a JSON value as a part of the text that was read: nothing is copied or decoded.
type Value struct {
	Raw     string // its JSON
	Kind    Kind
	escaped bool // a text with escape sequences
}

// Text returns the text of a value that should be text. A number counts as its digits, null
// and an absent value as the empty string. ok is false for a boolean, an object or an array;
// then the text is its JSON.
func (v Value) Text() (s string, ok bool) {
	switch v.Kind {
	case Text:
		if v.escaped {
			return unescape(v.Raw[1 : len(v.Raw)-1]), true
		}
		return v.Raw[1 : len(v.Raw)-1], true
	case Number:
		return v.Raw, true
	case Absent, Null:
		return "", true
	}
	return v.Raw, false
}

// Members calls each with the members of a value that is an object, in their order; a value of another type
// has none.
func (v Value) Members(each func(key string, member Value)) {
	if v.Kind != Object {
		return
	}
	s := Scanner{s: v.Raw}
	s.Object(func(key Value) {
		k, _ := key.Text()
		each(k, s.Value())
	})
}

// Scanner reads JSON from start to end without building a tree, because pages of vessels are
// most of the bytes of a harvest. It accepts exactly the JSON grammar. The first error ends
// it: bad is set, and every later read returns nothing.
type Scanner struct {
	s     string
	pos   int
	depth int
	bad   bool
}

// NewScanner returns a scanner at the start of a text.
func NewScanner(text string) *Scanner { return &Scanner{s: text} }

// maxDepth is how deep values may nest. It bounds the stack, since a service may send
// anything.
const maxDepth = 1000

// Next skips white space and returns the next byte without reading it; 0 at the end.
func (s *Scanner) Next() byte {
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
func (s *Scanner) take(c byte) bool {
	if s.Next() != c {
		return s.fail()
	}
	s.pos++
	return true
}

// fail ends the scanner with an error. It returns false, for callers that return it.
func (s *Scanner) fail() bool {
	s.bad, s.pos = true, len(s.s)
	return false
}

// End reports whether the scanner has read everything and found no error.
func (s *Scanner) End() bool { return s.Next() == 0 && s.pos == len(s.s) && !s.bad }

// Object reads an object. It calls each for every key; each must read the value.
func (s *Scanner) Object(each func(key Value)) {
	s.list('{', '}', func() {
		key := Value{}
		if s.Next() == '"' {
			key = s.text()
		} else {
			s.fail()
		}
		if s.take(':') {
			each(key)
		}
	})
}

// Array reads an array. It calls each for every element; each must read it.
func (s *Scanner) Array(each func()) { s.list('[', ']', each) }

// list reads a list between two brackets, with commas between its elements.
func (s *Scanner) list(opening, closing byte, each func()) {
	if s.depth++; s.depth > maxDepth {
		s.fail()
	}
	if !s.take(opening) {
		return
	}
	if s.Next() == closing {
		s.pos++
		s.depth--
		return
	}
	for {
		each()
		if s.Next() == closing {
			s.pos++
			s.depth--
			return
		}
		if !s.take(',') {
			return
		}
	}
}

// Value reads any value.
func (s *Scanner) Value() Value {
	c := s.Next()
	start := s.pos
	switch {
	case c == '"':
		return s.text()
	case c == '{':
		s.Object(func(Value) { s.Value() })
		return s.since(start, Object)
	case c == '[':
		s.Array(func() { s.Value() })
		return s.since(start, Array)
	case c == 't':
		return s.word("true", Boolean)
	case c == 'f':
		return s.word("false", Boolean)
	case c == 'n':
		return s.word("null", Null)
	}
	return s.number()
}

// Position returns how many bytes were read.
func (s *Scanner) Position() int { return s.pos }

// From returns the text between a position and the current one.
func (s *Scanner) From(position int) string { return s.s[position:s.pos] }

// since returns the value between start and the current position.
func (s *Scanner) since(start int, k Kind) Value {
	if s.bad {
		return Value{}
	}
	return Value{Raw: s.s[start:s.pos], Kind: k}
}

// word reads one of the words true, false and null.
func (s *Scanner) word(w string, k Kind) Value {
	start := s.pos
	if !strings.HasPrefix(s.s[start:], w) {
		s.fail()
	} else {
		s.pos += len(w)
	}
	return s.since(start, k)
}

// text reads a text, quotation marks included.
func (s *Scanner) text() Value {
	start, escaped := s.pos, false
	for i := start + 1; i < len(s.s); i++ {
		switch c := s.s[i]; {
		case plain[c]:
		case c == '"':
			s.pos = i + 1
			return Value{Raw: s.s[start:s.pos], Kind: Text, escaped: escaped}
		case c == '\\':
			escaped = true
			n := escape(s.s[i:])
			if n == 0 {
				s.fail()
				return Value{}
			}
			i += n - 1
		default:
			s.fail()
			return Value{}
		}
	}
	s.fail()
	return Value{}
}

// plain has the bytes that stand for themselves in a text.
var plain = func() (is [256]bool) {
	for c := range is {
		is[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return is
}()

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
func (s *Scanner) number() Value {
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
	return s.since(start, Number)
}

// at reports whether c is the next byte.
func (s *Scanner) at(c byte) bool { return s.pos < len(s.s) && s.s[s.pos] == c }

// digits reads one or more digits, and reports whether there was one.
func (s *Scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.s) && '0' <= s.s[s.pos] && s.s[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > start
}
