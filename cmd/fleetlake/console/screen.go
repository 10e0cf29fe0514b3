package console

import (
	"fmt"
	"io"
	"os"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"golang.org/x/term"
)

// Screen writes to a terminal. Control and formatting characters that the text has, beside the ends of lines and tabs,
// are written as JSON escapes them, \u009b, and bytes that are no text as \x9b: what the service or a statement says must
// not move the cursor, change colours or turn the direction of a text, in any format. JSON keeps its meaning.
type Screen struct {
	file *os.File
	to   io.Writer // file
	rest []byte    // the beginning of a character, whose end comes with the next Write
}

// ForTerminal returns a Screen for a terminal, and the file itself for anything else: what is piped or written to a file
// keeps its bytes.
func ForTerminal(f *os.File) io.Writer {
	if !term.IsTerminal(int(f.Fd())) {
		return f
	}
	return &Screen{file: f, to: f}
}

// ForPager returns what writes a text to w that a pager displays.
func ForPager(w io.Writer) *Screen { return &Screen{to: w} }

// Write writes a text. Its error is that of the terminal.
func (s *Screen) Write(b []byte) (int, error) {
	text := append(s.rest, b...)
	out := make([]byte, 0, len(text))
	for len(text) > 0 && utf8.FullRune(text) {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			out = fmt.Appendf(out, `\x%02x`, text[0])
		case r == '\n' || r == '\t' || !wording.Hidden(r):
			out = append(out, text[:size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[size:]
	}
	s.rest = append([]byte(nil), text...)
	if _, err := s.to.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// fileOf is the file behind a writer; nil if there is none.
func fileOf(w io.Writer) *os.File {
	switch w := w.(type) {
	case *os.File:
		return w
	case *Screen:
		return w.file
	}
	return nil
}
