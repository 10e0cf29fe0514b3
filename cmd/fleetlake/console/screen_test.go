package console

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/pipeline/wording"
)

// TestAScreenShowsNoControlCharacters, however a text is cut into writes.
func TestAScreenShowsNoControlCharacters(t *testing.T) {
	for in, want := range map[string]string{
		"plain, 日本, é 🚢\n\tand a tab\n":  "plain, 日本, é 🚢\n\tand a tab\n",
		"\x1b[2J\a\r\x00\x7f\n":          `\u001b[2J\u0007\u000d\u0000\u007f` + "\n",
		"\u009b31m \u0085 \u202eright\n": `\u009b31m \u0085 \u202eright` + "\n",
		"\U000e0041 tag\n":               `\udb40\udc41 tag` + "\n",
		"\x9b31m \xff\n":                 `\x9b31m \xff` + "\n",
		"cut off \xe6\x97\n":             `cut off \xe6\x97` + "\n",
		"":                               "",
	} {
		for size := 1; size <= len(in)+1; size++ {
			var b strings.Builder
			s := ForPager(&b)
			for rest := in; rest != ""; rest = rest[min(size, len(rest)):] {
				if n, err := s.Write([]byte(rest[:min(size, len(rest))])); err != nil || n != min(size, len(rest)) {
					t.Fatal(n, err)
				}
			}
			if b.String() != want {
				t.Errorf("%q in parts of %d is %q, want %q", in, size, b.String(), want)
			}
		}
	}
}

// FuzzScreen checks that nothing comes through that moves a cursor, and that JSON keeps its meaning.
func FuzzScreen(f *testing.F) {
	f.Add("\u009b31m", 2)
	f.Add("\x9b\xe6", 1)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		var b, j strings.Builder
		s := ForPager(&b)
		cut = min(max(cut, 0), len(text))
		s.Write([]byte(text[:cut]))
		s.Write([]byte(text[cut:] + "\n"))
		if strings.ContainsFunc(b.String(), func(r rune) bool {
			return r != '\n' && r != '\t' && (wording.Hidden(r) || r == '\ufffd' && !strings.ContainsRune(text, r))
		}) {
			t.Errorf("%q is %q", text, b.String())
		}
		value, err := json.Marshal(strings.ToValidUTF8(text, ""))
		if err != nil {
			t.Fatal(err)
		}
		ForPager(&j).Write(value)
		var got string
		if err := json.Unmarshal([]byte(j.String()), &got); err != nil || got != strings.ToValidUTF8(text, "") {
			t.Errorf("%q is %q: %v", text, j.String(), err)
		}
	})
}
