package transform

import "strings"

// kind is what a JSON value is.
type kind uint8

const (
	isAbsent kind = iota
	isNull
	isText
	isNumber
	isBoolean
	isObject
	isArray
)

// value is a JSON value where it stands in the answer: nothing is copied or decoded.
type value struct {
	raw     string // its JSON
	kind    kind
	escaped bool // a text with backslashes
}

// text returns what is promised to be text. A number counts as its digits; null and no
// value as "".
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

// scanner reads JSON from start to end and makes no tree of it: pages of vessels are most
// of the bytes that a harvest pays for. It accepts exactly what JSON is. The first mistake
// ends it: then bad is set, and every read is empty.
type scanner struct {
	s     string
	pos   int
	depth int
	bad   bool
}

// maxDepth is how deep values may nest.
const maxDepth = 1000

// next skips white space and returns the byte that follows; 0 at the end.
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

// take skips white space and reads c, or fails.
func (s *scanner) take(c byte) bool {
	if s.next() != c {
		return s.fail()
	}
	s.pos++
	return true
}

func (s *scanner) fail() bool {
	s.bad, s.pos = true, len(s.s)
	return false
}

// end reports whether everything was read and was JSON.
func (s *scanner) end() bool { return s.next() == 0 && s.pos == len(s.s) && !s.bad }

// object reads an object; each must read the value of its key.
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

// array reads an array; each must read one element.
func (s *scanner) array(each func()) { s.list('[', ']', each) }

// list reads what stands between two brackets, with commas between.
func (s *scanner) list(open, shut byte, each func()) {
	if s.depth++; s.depth > maxDepth {
		s.fail()
	}
	if !s.take(open) {
		return
	}
	if s.next() == shut {
		s.pos++
		s.depth--
		return
	}
	for {
		each()
		if s.next() == shut {
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

// since is the value from start to here.
func (s *scanner) since(start int, k kind) value {
	if s.bad {
		return value{}
	}
	return value{raw: s.s[start:s.pos], kind: k}
}

func (s *scanner) word(w string, k kind) value {
	start := s.pos
	if !strings.HasPrefix(s.s[start:], w) {
		s.fail()
	} else {
		s.pos += len(w)
	}
	return s.since(start, k)
}

// text reads a text, from its opening quotation mark on.
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

// escape returns the length of the escape that s begins with; 0 if it is none.
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

// hex reads the code unit of an escape like \u00e9.
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

func (s *scanner) at(c byte) bool { return s.pos < len(s.s) && s.s[s.pos] == c }

// digits reads one or more digits.
func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.s) && '0' <= s.s[s.pos] && s.s[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > start
}
