package transform

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
		if in := (&scanner{s: s}); in.value().kind == isAbsent || !in.end() {
			t.Errorf("%s is refused", s)
		}
	}
	for _, s := range []string{
		``, ` `, `{`, `[`, `"`, `{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`, `[1 2]`, `01`, `1.`, `-`, `.5`, `+1`, `1e`, `tru`, `nul`,
		`"\x"`, `"\u12g4"`, "\"\n\"", `{a:1}`, `1 1`, `{"a":1}}`, "\xef\xbb\xbf{}", strings.Repeat("[", 100_000),
	} {
		in := &scanner{s: s}
		if in.value(); in.end() {
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
		if got, ok := (&scanner{s: in}).value().text(); got != want || !ok {
			t.Errorf("%s is %q, want %q", in, got, want)
		}
	}
	for _, in := range []string{`true`, `{"a":1}`, `[1]`} {
		if got, ok := (&scanner{s: in}).value().text(); got != in || ok {
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
		if got, _ := wellFormed(in); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
}

func TestObjectsHaveSortedKeysOnce(t *testing.T) {
	members := (&scanner{s: `{"b": 1, "a": {"z": [1, 2]}, "b": "2"}`}).members().members
	if got, want := string(appendObject(nil, members)), `{"a":{"z": [1, 2]},"b":"2"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
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
		in := &scanner{s: s}
		v := in.value()
		if got, want := in.end(), json.Valid([]byte(s)); got != want {
			t.Fatalf("%q: end is %v, but JSON: %v", s, got, want)
		}
		if in.end() && v.kind == isText {
			var want string
			if err := json.Unmarshal([]byte(s), &want); err != nil {
				t.Fatal(err)
			}
			got, _ := v.text()
			if got != want {
				t.Errorf("%s reads as %q, want %q", s, got, want)
			}
			var back string
			if err := json.Unmarshal(appendText(nil, got), &back); err != nil || back != got {
				t.Errorf("%q is written as %s: %v", got, appendText(nil, got), err)
			}
		}
		if mended, _ := wellFormed(s); json.Valid([]byte(mended)) != json.Valid([]byte(s)) {
			t.Errorf("%s is mended to %s", s, mended)
		}
	})
}
