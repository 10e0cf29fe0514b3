package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readDecoded is readVessel by the standard decoder alone; ok is false for an answer that it refuses.
func readDecoded(body []byte) (c Contents, ok bool) {
	var root map[string]json.RawMessage
	if err := json.Unmarshal(body, &root); err != nil {
		return Contents{}, false
	}
	if inner := (map[string]json.RawMessage)(nil); json.Unmarshal(root["detail"], &inner) == nil && inner != nil {
		root = inner
	}
	for _, key := range []string{"name", "imo", "mmsi"} {
		if _, ok := root[key]; ok {
			return Contents{Rows: 1, Total: -1}, true
		}
	}
	if _, ok := root["detail"]; ok || len(root) == 0 {
		return Contents{Total: -1}, true
	}
	return Contents{}, false
}

func compareVessel(t *testing.T, body string) {
	t.Helper()
	got, err := readVessel([]byte(body))
	want, ok := readDecoded([]byte(body))
	if diff := cmp.Diff(want, got); diff != "" || (err == nil) != ok {
		t.Errorf("%.200q: error %v, and accepted by the decoder: %v; %s", body, err, ok, diff)
	}
}

func TestAVesselIsReadAsTheDecoderReadsIt(t *testing.T) {
	for name, body := range map[string]string{
		"a vessel":                     `{"name":"A","imo":"9074729","teu":"-"}`,
		"a vessel in detail":           ` { "detail" : { "length": "1 m" , "mmsi" : null } } `,
		"a sentence":                   `{"detail":"Vessel not found"}`,
		"an empty object":              `{}`,
		"an empty detail":              `{"detail":{}}`,
		"detail in detail":             `{"detail":{"detail":1}}`,
		"detail in detail, a vessel":   `{"detail":{"detail":{"name":"A"}}}`,
		"detail is null":               `{"detail":null}`,
		"detail twice":                 `{"detail":{"name":"A"},"detail":"none"}`,
		"detail twice, the other way":  `{"detail":"none","detail":{"name":"A"}}`,
		"other members":                `{"error":"x"}`,
		"a name in a list":             `{"vessels":[{"name":"A"}],"n":{"imo":1}}`,
		"a name in a text":             `{"x":"\"name\":1","y":"\\"}`,
		"a key with an escape":         `{"n\u0061me":1}`,
		"another case":                 `{"Name":"A","IMO":1}`,
		"a key that is not UTF-8":      "{\"name\xff\":1}",
		"bad UTF-8 in a value":         "{\"name\":\"\xff\"}",
		"numbers, words and lists":     "{\"a\":-1.5e+7,\"b\":true\n,\"c\" :[1,[2,{\"d\":[]}]],\"name\":false}",
		"a huge number":                `{"teu":` + strings.Repeat("9", 5000) + `,"name":1}`,
		"brackets in texts":            `{"a":"}]{[","b":"]","name":"}"}`,
		"null":                         ` null `,
		"a list":                       `[{"name":"A"}]`,
		"a text":                       `"name"`,
		"a number":                     `1`,
		"nothing":                      ``,
		"white space":                  ` `,
		"not JSON":                     `<html>`,
		"a torn object":                `{"name":"A"`,
		"two objects":                  `{"name":"A"}{}`,
		"deep nesting":                 `{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `,"name":"A"}`,
		"deeper than the decoder goes": `{"a":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `,"name":"A"}`,
	} {
		t.Run(name, func(t *testing.T) { compareVessel(t, body) })
	}
}

func FuzzVessel(f *testing.F) {
	f.Add(`{"detail":{"name":"A\\","a":[1,{"b":null}]},"x":-1.5e7 }`)
	f.Add(`{"n\u0061me":"\"","detail":[]}`)
	f.Fuzz(compareVessel)
}

// BenchmarkVessel reads the answer of a lookup.
func BenchmarkVessel(b *testing.B) {
	body := []byte(`{"detail":{"name":"A","imo":"9074729",` + strings.Repeat(`"length":"142.5 m","managerAddress":"1 Some Street, Some Town",`, 20) + `"x":1}}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if c, err := readVessel(body); err != nil || c.Rows != 1 {
			b.Fatal(c, err)
		}
	}
}
