package journal

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"encoding/json"
)

// bodyKey comes before the body in the line of an answer, as Append writes it: the body is the last
// member.
var bodyKey = []byte(`,"body":"`)

// readLine reads the line of an entry. Nearly all bytes of a journal are bodies, whose only escapes are
// those of quotation marks and line ends: such a body is decoded here, in a third of the time of a JSON
// decoder, into scratch, which the next call may overwrite. Any other line is left to the decoder.
func readLine(line []byte, scratch *[]byte) (e Entry, err error) {
	line = bytes.TrimSuffix(line, []byte{'\n'})
	at := bytes.Index(line, bodyKey)                                       // in a text, its quotation marks would be escaped
	if at < 1 || bytes.IndexByte([]byte("{,: \t\r\n"), line[at-1]) >= 0 || // the body is not the next member
		!bytes.HasSuffix(line, []byte(`"}`)) || len(line) < at+len(bodyKey)+2 {
		return e, json.Unmarshal(line, &e)
	}
	body, ok := unescape(*scratch, line[at+len(bodyKey):len(line)-2])
	*scratch = body
	if ok && utf8.Valid(body) {
		// Without the body the line is an object only if the body is a member of the entry itself.
		rest := append(line[:at:at], '}')
		if json.Unmarshal(rest, &e) == nil {
			e.Body = string(body)
			return e, nil
		}
		e = Entry{}
	}
	return e, json.Unmarshal(line, &e)
}

// unescape decodes the inside of a JSON text into b, which it enlarges as needed. It returns false for
// what is not a whole text, or has a character by its code (\u0000).
//
// It copies eight bytes at a time, and then looks where the first of them is that does not stand for
// itself: a byte of special has its highest bit set where the same byte of the word is below a space, a
// quotation mark or a backslash; of those, the lowest is always right.
func unescape(b, text []byte) ([]byte, bool) {
	const every, high = 0x0101010101010101, 0x8080808080808080
	if cap(b) < len(text) {
		b = make([]byte, len(text)+len(text)/4)
	}
	b = b[:len(text)]
	n := 0
	for len(text) > 0 {
		if len(text) >= 8 { // and b has as much room: no escape is shorter than what it stands for
			word := binary.LittleEndian.Uint64(text)
			binary.LittleEndian.PutUint64(b[n:], word)
			quote, backslash := word^every*'"', word^every*'\\'
			special := (word-every*' ')&^word | (quote-every)&^quote | (backslash-every)&^backslash
			plain := bits.TrailingZeros64(special&high) / 8 // 8 if none is special
			n, text = n+plain, text[plain:]
			if plain == 8 {
				continue
			}
		}
		c, size := text[0], 1
		switch {
		case c == '\\' && len(text) > 1 && unescaped[text[1]] != 0:
			c, size = unescaped[text[1]], 2
		case c == '\\', c == '"', c < ' ':
			return b, false
		}
		b[n], text = c, text[size:]
		n++
	}
	return b[:n], true
}

// unescaped has the meaning of the character after a backslash; 0 for all that have none of one byte.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
