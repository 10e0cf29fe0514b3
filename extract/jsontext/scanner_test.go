package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestScannerReadsExactlyJSON(t *testing.T) {
	for _, s := range []string{
		`{}`, `[]`, `""`, `0`, `-0.5e+10`, ` [1, "a", null, true, {"b": [ ]}] `, `{"a":{"b":"\u00e9\\\/"}}`, "\t\n1 ",
	} {
		if in := NewScanner(s); in.Value().Kind == Absent || !in.End() {
			t.Errorf("%s is refused", s)
		}
	}
	for _, s := range []string{
		``, ` `, `{`, `[`, `"`, `{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`, `[1 2]`, `01`, `1.`, `-`, `.5`, `+1`, `1e`, `tru`, `nul`,
		`"\x"`, `"\u12g4"`, "\"\n\"", `{a:1}`, `1 1`, `{"a":1}}`, "\xef\xbb\xbf{}", strings.Repeat("[", 100_000),
	} {
		in := NewScanner(s)
		if in.Value(); in.End() {
			t.Errorf("%.20s is accepted", s)
		}
	}
}

func TestTexts(t *testing.T) {
	for in, want := range map[string]string{
		`"plain"`:                "plain",
		`"a\"b\\c\/d\b\f\n\r\t"`: "a\"b\\c/d\b\f\n\r\t",
		`"\u00e9\u0020x"`:        "é x",
		`"\ud83d\udea2"`:         "🚢",
		`"\ud83d"`:               "\ufffd",
		`"\udea2\ud83dx"`:        "\ufffd\ufffdx",
		`12.50`:                  "12.50",
		`null`:                   "",
	} {
		if got, ok := NewScanner(in).Value().Text(); got != want || !ok {
			t.Errorf("%s is %q, want %q", in, got, want)
		}
	}
	for _, in := range []string{`true`, `{"a":1}`, `[1]`} {
		if got, ok := NewScanner(in).Value().Text(); got != in || ok {
			t.Errorf("%s counts as the text %q", in, got)
		}
	}
}

func TestWellFormedReplacesHalfPairs(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"\ud83d\udea2"}`:    `{"a":"\ud83d\udea2"}`,
		`{"a":"\ud83dx"}`:         `{"a":"\ufffdx"}`,
		`{"a":"\uDEA2\uD83D"}`:    `{"a":"\ufffd\ufffd"}`,
		`{"a":"\\ud83d"}`:         `{"a":"\\ud83d"}`,
		`{"a":"\u0041\ud83d"}`:    `{"a":"\u0041\ufffd"}`,
		`{"a":"\ud83d\u0041"}`:    `{"a":"\ufffd\u0041"}`,
		`{"a":"\ud`:               `{"a":"\ud`,
		"{\"a\":\"\xff\\ud83d\"}": "{\"a\":\"\ufffd\\ufffd\"}",
	} {
		if got, _ := WellFormed(in); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
}

// FuzzScanner compares the scanner with the standard library on the same bytes.
func FuzzScanner(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2.5e3,"\u00e9",{"b":null}],"c":true}`, `{"a":"\ud83d"}`, `[[[]]]`, `{"a":1,"a":2}`, `"\"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.Count(s, "[")+strings.Count(s, "{") >= maxDepth || !utf8.ValidString(s) {
			t.Skip()
		}
		in := NewScanner(s)
		v := in.Value()
		if got, want := in.End(), json.Valid([]byte(s)); got != want {
			t.Fatalf("%q: end is %v, but JSON: %v", s, got, want)
		}
		if in.End() && v.Kind == Text {
			var want string
			if err := json.Unmarshal([]byte(s), &want); err != nil {
				t.Fatal(err)
			}
			got, _ := v.Text()
			if got != want {
				t.Errorf("%s reads as %q, want %q", s, got, want)
			}
			var back string
			if err := json.Unmarshal(AppendText(nil, got), &back); err != nil || back != got {
				t.Errorf("%q is written as %s: %v", got, AppendText(nil, got), err)
			}
		}
		if mended, _ := WellFormed(s); json.Valid([]byte(mended)) != json.Valid([]byte(s)) {
			t.Errorf("%s is mended to %s", s, mended)
		}
	})
}
