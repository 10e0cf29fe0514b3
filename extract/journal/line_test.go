package journal

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"encoding/json"
	"github.com/google/go-cmp/cmp"
)

// readBoth reads a line with readLine and with the decoder alone.
func readBoth(t *testing.T, line string) {
	t.Helper()
	var want Entry
	failed := json.Unmarshal([]byte(line), &want)
	scratch := []byte("of another entry")
	got, err := readLine([]byte(line), &scratch)
	if (err == nil) != (failed == nil) {
		t.Fatalf("%q: error %v, and of the decoder %v", line, err, failed)
	}
	if diff := cmp.Diff(want, got); err == nil && diff != "" {
		t.Errorf("%q: %s", line, diff)
	}
}

func TestLinesReadAsTheDecoderReadsThem(t *testing.T) {
	for name, line := range map[string]string{
		"a page":                         `{"n":7,"kind":"answer","at":"2026-11-20T02:00:00Z","status":200,"body":"{\"total\": 1, \"items\": [{\"name\":\"A\\\\B\"}]}"}`,
		"every short escape":             `{"n":1,"body":"\"\\\/\b\f\n\r\t"}`,
		"an empty body":                  `{"n":1,"body":""}`,
		"an escape at the end":           `{"n":1,"body":"1234567\\"}`,
		"text of eight bytes":            `{"n":1,"body":"12345678"}`,
		"letters beyond ASCII":           `{"n":1,"body":"Curaçao, 上海, 🚢"}`,
		"bytes that are not UTF-8":       "{\"n\":1,\"body\":\"\xff\xfe12345678\xc3\"}",
		"a character by its code":        `{"n":1,"body":"a\u2028b\ud83d\udea2"}`,
		"half of a pair of surrogates":   `{"n":1,"body":"\ud83d"}`,
		"a control character":            "{\"n\":1,\"body\":\"1234\x01\"}",
		"a line end":                     "{\"n\":1,\"body\":\"12345678\n\"}",
		"a body before another member":   `{"n":1,"body":"a","base64":"Yg=="}`,
		"a body twice":                   `{"n":1,"body":"a","body":"b"}`,
		"a body in another style":        `{"n":1,"Body":"a","body":"b"}`,
		"a body in an inner object":      `{"n":1,"plan":{"run":"a","body":"b"}}`,
		"a body in an inner object, cut": `{"n":1,"plan":{"run":"a","body":"b"}`,
		"the key in an earlier text":     `{"n":1,"error":"x,\"body\":\"y","body":"b"}`,
		"an unknown escape":              `{"n":1,"body":"a\x"}`,
		"an open escape":                 `{"n":1,"body":"a\"}`,
		"a quotation mark":               `{"n":1,"body":"a"b"}`,
		"two objects":                    `{"n":1,"body":"a"}{"n":2,"body":"b"}`,
		"another type":                   `{"n":"x","body":"a"}`,
		"a wrong time":                   `{"n":1,"at":"yesterday","body":"a"}`,
		"nothing before the body":        `,"body":"a"}`,
		"no member before the body":      `{,"body":"a"}`,
		"a comma too many":               `{"n":1,,"body":"a"}`,
		"white space":                    `{"n":1 ,"body":"a"}`,
		"no body":                        `{"n":1,"kind":"intent","at":"2026-11-20T02:00:00Z","operation":"by-type"}`,
		"the key alone":                  `,"body":"}`,
		"deep lists":                     `{"n":1,"lost":` + strings.Repeat("[", 20_000) + `,"body":"a"}`,
	} {
		t.Run(name, func(t *testing.T) {
			readBoth(t, line)
			readBoth(t, line+"\n")
		})
	}
}

// FuzzLine compares readLine with the decoder: on any line, and on the line of any body.
func FuzzLine(f *testing.F) {
	f.Add(`{"n":1,"body":"a\"b"}`)
	f.Add(`{"n":1,"plan":{"run":"a","body":"b"}}`)
	f.Add(`{"items":[{"name":"\u00e9\\"}]}`)
	f.Fuzz(func(t *testing.T, s string) {
		readBoth(t, s)
		readBoth(t, `{"n":1,"body":"`+s+`"}`)
		e := answer(s)
		e.At = time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
		var line bytes.Buffer
		if err := json.NewEncoder(&line).Encode(e); err != nil {
			t.Fatal(err)
		}
		readBoth(t, line.String())
	})
}

// BenchmarkReadLine reads the line of a page of listings.
func BenchmarkReadLine(b *testing.B) {
	vessel := `{"name":"NORTHERN_LIGHT_7","mmsi":"352000123","imo":"9074729","callsign":"3E1234","country":"Panama","countryIso":"PA","shipType":"Cargo vessels","typeSpecific":"Bulk Carrier"},`
	e := answer(`{"total":100,"items":[` + strings.TrimSuffix(strings.Repeat(vessel, 100), ",") + `]}`)
	var written bytes.Buffer
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		b.Fatal(err)
	}
	line := written.Bytes()
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	var scratch []byte
	for b.Loop() {
		if got, err := readLine(line, &scratch); err != nil || got.Body != e.Body {
			b.Fatal(err)
		}
	}
}
