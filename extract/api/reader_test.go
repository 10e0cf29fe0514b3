package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/fleetlake/fleetlake/extract/jsontext"
)

func TestOneReaderOfSearches(t *testing.T) {
	vessel := `{"imo":"9074729","name":"A"}`
	for name, c := range map[string]struct {
		o     Operation
		body  string
		rows  int
		total int
		fails string // a part of the error; empty for none
	}{
		"a page":                          {ByType, `{"total":2,"items":[` + vessel + `,{}],"limit":100,"page":1}`, 2, 2, ""},
		"keys in another case":            {ByType, `{"Total":2,"ITEMS":[` + vessel + `,{}]}`, 2, 2, ""},
		"a page in detail":                {ByType, `{"detail":{"total":1,"items":[` + vessel + `]}}`, 1, 1, ""},
		"a page beside detail":            {ByType, `{"detail":{"total":1},"items":[` + vessel + `]}`, 1, 1, ""},
		"a page in detail in detail":      {ByType, `{"detail":{"detail":{"total":1,"items":[` + vessel + `]}}}`, 0, -1, "no `items`"},
		"items twice":                     {ByType, `{"total":1,"items":[` + vessel + `],"items":[]}`, 0, 1, "`items` twice"},
		"items twice, the other way":      {ByType, `{"total":1,"items":[],"items":[` + vessel + `]}`, 0, 1, "`items` twice"},
		"items twice, in two cases":       {ByType, `{"total":1,"items":[` + vessel + `],"Items":[]}`, 0, 1, "`items` twice"},
		"items in detail and beside it":   {ByType, `{"detail":{"items":[]},"items":[` + vessel + `]}`, 0, -1, "`items` twice"},
		"items twice, the same":           {ByType, `{"total":1,"items":[` + vessel + `],"items":[` + vessel + `]}`, 1, 1, ""},
		"items and null":                  {ByType, `{"total":1,"items":[` + vessel + `],"items":null}`, 0, 1, "`items` twice"},
		"a total twice":                   {ByType, `{"total":1,"total":2,"items":[` + vessel + `]}`, 0, 1, "`total` twice"},
		"a total twice, the same":         {ByType, `{"total":1,"items":[` + vessel + `],"Total":1}`, 1, 1, ""},
		"no total":                        {ByType, `{"items":[` + vessel + `]}`, 1, -1, ""},
		"a total of null":                 {ByType, `{"total":null,"items":[` + vessel + `]}`, 1, -1, ""},
		"a total as a text":               {ByType, `{"total":" 1 ","items":[` + vessel + `]}`, 1, 1, ""},
		"a total as a power":              {ByType, `{"total":1e2,"items":[` + vessel + `]}`, 1, 100, ""},
		"a total below zero":              {ByType, `{"total":-3,"items":[` + vessel + `]}`, 1, impossibleTotal, ""},
		"a total of more than 64 bits":    {ByType, `{"total":99999999999999999999,"items":[` + vessel + `]}`, 1, mostTotal, ""},
		"a total in words":                {ByType, `{"total":"many","items":[]}`, 0, -1, "a `total` that is no number"},
		"a total that is empty":           {ByType, `{"total":"","items":[]}`, 0, -1, "a `total` that is no number"},
		"a total that is NaN":             {ByType, `{"total":"NaN","items":[]}`, 0, -1, "a `total` that is no number"},
		"a total that is true":            {ByType, `{"total":true,"items":[]}`, 0, -1, "a `total` that is no number"},
		"an empty page":                   {ByType, `{"total":0,"items":[]}`, 0, 0, ""},
		"an empty page of null":           {ByType, `{"total":0,"items":null}`, 0, 0, ""},
		"null, and no total":              {ByType, `{"items":null}`, 0, -1, "no `items`"},
		"an empty page with a total":      {ByType, `{"total":7,"items":[]}`, 0, 7, "no vessel on the page"},
		"no items":                        {ByType, `{"total":7}`, 0, 7, "no `items`"},
		"items that are an object":        {ByType, `{"total":1,"items":{}}`, 0, 1, "no `items`"},
		"items that are numbers":          {ByType, `{"total":3,"items":[1,2,3]}`, 0, 3, "no vessel in the `items`"},
		"an element that is no object":    {ByType, `{"total":2,"items":[7,` + vessel + `]}`, 2, 2, ""},
		"a status search as a page":       {ByType, `{"vessels":[` + vessel + `]}`, 0, -1, "no `items`"},
		"a sentence":                      {ByType, `{"detail":"Too Many Requests"}`, 0, -1, "no `items`"},
		"a list":                          {ByType, `[` + vessel + `]`, 0, -1, "no `items`"},
		"a torn page":                     {ByType, `{"total":1,"items":[` + vessel, 0, -1, "not the JSON"},
		"HTML":                            {ByType, `<html>`, 0, -1, "not the JSON"},
		"nothing":                         {ByType, ``, 0, -1, "an empty body"},
		"a status search":                 {ByStatus, `{"vessels":[` + vessel + `]}`, 1, -1, ""},
		"a status search, another case":   {ByStatus, `{"Vessels":[` + vessel + `]}`, 1, -1, ""},
		"a status search in detail":       {ByStatus, `{"detail":{"vessels":[` + vessel + `]}}`, 1, -1, ""},
		"a status search that is null":    {ByStatus, `{"vessels":null}`, 0, -1, ""},
		"a status search with a total":    {ByStatus, `{"vessels":[],"total":"many"}`, 0, -1, ""},
		"a page as a status search":       {ByStatus, `{"total":1,"items":[` + vessel + `]}`, 0, -1, "no `vessels`"},
		"lists in lists without an end":   {ByType, `{"total":1,"items":[` + strings.Repeat("[", 100_000), 0, -1, "not the JSON"},
		"broken UTF-8, mended to be same": {ByType, "{\"items\":[{\"a\":\"\xff\"}],\"items\":[{\"a\":\"\ufffd\"}],\"total\":1}", 1, 1, ""},
	} {
		got, err := Read(c.o, c.body)
		if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: error %v, want %q", name, err, c.fails)
		}
		if rows := got.Rows; rows != c.rows || got.Total != c.total {
			t.Errorf("%s: %d vessels of %d, want %d of %d", name, rows, got.Total, c.rows, c.total)
		}
		if errors.Is(err, ErrNotJSON) == json.Valid([]byte(c.body)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOneReaderOfLookups(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		rows  int
		fails string
	}{
		"a vessel":                      {`{"name":"A","imo":"9074729","teu":"-"}`, 1, ""},
		"a vessel in detail":            {` { "detail" : { "length": "1 m" , "mmsi" : 371000001 } } `, 1, ""},
		"keys in another case":          {`{"Detail":{"Name":"A"}}`, 1, ""},
		"a position alone":              {`{"latitude":"1.5","longitude":"2"}`, 1, ""},
		"a vessel without a value":      {`{"detail":{"name":"-","imo":null,"mmsi":"N/A","teu":"5"}}`, 0, ""},
		"a sentence":                    {`{"detail":"Vessel not found"}`, 0, ""},
		"a sentence beside a name":      {`{"detail":"Vessel not found","name":"-"}`, 0, ""},
		"an empty object":               {`{}`, 0, ""},
		"an empty detail":               {`{"detail":{}}`, 0, ""},
		"detail in detail":              {`{"detail":{"detail":{"name":"A"}}}`, 0, ""},
		"detail is null":                {`{"detail":null}`, 0, ""},
		"null":                          {` null `, 0, ""},
		"detail twice":                  {`{"detail":{"name":"A"},"detail":"none"}`, 0, "`detail` twice"},
		"detail twice, the other way":   {`{"detail":"none","Detail":{"name":"A"}}`, 0, "`detail` twice"},
		"detail twice, the same":        {`{"detail":{"name":"A"},"detail":{"name":"A"}}`, 1, ""},
		"other members":                 {`{"error":"x"}`, 0, "neither `detail` nor a vessel"},
		"a name in a list":              {`{"vessels":[{"name":"A"}],"n":{"imo":1}}`, 0, "neither `detail` nor a vessel"},
		"a name in a text":              {`{"x":"\"name\":1","y":"\\"}`, 0, "neither `detail` nor a vessel"},
		"a key with an escape":          {`{"n\u0061me":1}`, 1, ""},
		"a list":                        {`[{"name":"A"}]`, 0, "no object"},
		"a text":                        {`"name"`, 0, "no object"},
		"nothing":                       {``, 0, "an empty body"},
		"a torn object":                 {`{"name":"A"`, 0, "not the JSON"},
		"two objects":                   {`{"name":"A"}{}`, 0, "not the JSON"},
		"deeper than any answer":        {`{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `,"name":"A"}`, 0, "not the JSON"},
		"brackets and quotes in texts":  {`{"a":"}]{[","b":"]","name":"}A\""}`, 1, ""},
		"numbers, words and lists":      {"{\"a\":-1.5e+7,\"b\":true\n,\"c\" :[1,[2,{\"d\":[]}]],\"name\":false}", 1, ""},
		"a vessel and members beside":   {`{"detail":{"name":"A"},"status":"ok"}`, 1, ""},
		"a vessel, beside it a name":    {`{"detail":{"teu":1},"name":"A"}`, 0, ""},
		"a name that is an empty list":  {`{"name":[]}`, 0, ""},
		"a name that is a list of one":  {`{"name":["A"]}`, 1, ""},
		"broken UTF-8 beside the name":  {"{\"name\":\"A\",\"teu\":\"\xff\"}", 1, ""},
		"broken UTF-8 in the key":       {"{\"name\xff\":1}", 0, "neither `detail` nor a vessel"},
		"a name, and another in detail": {`{"name":"A","detail":{"name":"B"}}`, 1, ""},
	} {
		for _, o := range []Operation{Info, Location, Particulars} {
			got, err := Read(o, c.body)
			if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: error %v, want %q", name, err, c.fails)
			}
			if got.Rows != c.rows || got.Total != -1 {
				t.Errorf("%s: %+v, want %d vessels", name, got, c.rows)
			}
		}
	}
}

// sameMember is a member of an object as the standard library reads it.
type sameMember struct {
	key   string
	value json.RawMessage
}

// membersByStandard reads an object by the standard library, with the members that are there twice; nil for
// anything else.
func membersByStandard(text []byte) (all []sameMember) {
	d := json.NewDecoder(bytes.NewReader(text))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	for d.More() {
		key, _ := d.Token()
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil
		}
		all = append(all, sameMember{strings.ToLower(key.(string)), value})
	}
	return all
}

// rowsByStandard counts the vessels of a search by the standard library; false for an answer that is refused whatever its
// total is.
func rowsByStandard(o Operation, body []byte) (rows int, ok bool) {
	members := membersByStandard(body)
	for _, m := range members {
		if m.key == "detail" {
			members = append(members, membersByStandard(m.value)...)
		}
	}
	list := json.RawMessage(nil)
	for _, m := range members {
		if m.key == o.List {
			if list != nil && !bytes.Equal(list, m.value) {
				return 0, false
			}
			list = m.value
		}
	}
	var elements []json.RawMessage
	if list == nil || json.Unmarshal(list, &elements) != nil {
		return 0, false
	}
	for _, e := range elements {
		if e[0] == '{' {
			return len(elements), true
		}
	}
	return 0, len(elements) == 0
}

// FuzzRead compares the reader of searches with the standard library, and reads the same answer as a lookup and as a
// balance.
func FuzzRead(f *testing.F) {
	for _, body := range []string{
		`{"total":"1e2","items":[{"imo":"9074729"},{}],"page":1}`, `{"total":-1,"items":null}`, `{"vessels":[{"name":"A\u00e9"}]}`,
		`{"detail":{"credits":"100"}}`, `{"items":[1,2]}`, `{"Total":1,"Items":[{}]}`, `{"detail":{"items":[{}],"total":1}}`,
		`{"items":[],"items":[{}]}`, `{"detail":{"name":"A\\","a":[1,{"b":null}]},"x":-1.5e7 }`, `{"detail":{"items":[{}]},"items":[{}]}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		plain := utf8.ValidString(body) && !strings.ContainsAny(body, `\_-`) && isASCII(body) && strings.Count(body, "[")+strings.Count(body, "{") < 1000
		for _, o := range []Operation{ByType, ByStatus} {
			c, err := Read(o, body)
			if c.Total < impossibleTotal || c.Total > mostTotal {
				t.Errorf("%s: %q has a total of %d", o.Name, body, c.Total)
			}
			if !plain || !json.Valid([]byte(body)) {
				continue
			}
			rows, ok := rowsByStandard(o, []byte(body))
			switch {
			case err == nil && (!ok || rows != c.Rows), err != nil && ok && !o.Paged:
				t.Errorf("%s: %q has %d rows, error %v; by the standard library %d, accepted: %v", o.Name, body, c.Rows, err, rows, ok)
			}
		}
		a, err := ReadLookup(body)
		if err == nil && !json.Valid([]byte(body)) || len(a.Vessel.Raw) > len(a.Root.Raw) {
			t.Errorf("%q is the answer of a lookup: %+v, %v", body, a, err)
		}
		if credits, err := ParseBalance(body); err == nil && utf8.ValidString(body) && !json.Valid([]byte(body)) {
			t.Errorf("%q is a balance of %d, and is no JSON", body, credits)
		}
	})
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

func TestAnswersGiveTheirVesselAndWhatIsBesideIt(t *testing.T) {
	a, err := ReadLookup(`{"Detail": {"name": "A"}, "n": 1}`)
	if err != nil || !a.InDetail() {
		t.Fatal(a, err)
	}
	var keys []string
	each := func(key string, _ jsontext.Value) { keys = append(keys, key) }
	a.Vessel.Members(each)
	a.Root.Members(each)
	if diff := cmp.Diff([]string{"name", "Detail", "n"}, keys); diff != "" {
		t.Error(diff)
	}
	if a, err = ReadLookup(`{"name": "A"}`); err != nil || a.InDetail() {
		t.Error(a, err)
	}
}

// BenchmarkVessel reads the answer of a lookup.
func BenchmarkVessel(b *testing.B) {
	body := `{"detail":{"name":"A","imo":"9074729",` + strings.Repeat(`"length":"142.5 m","managerAddress":"1 Some Street, Some Town",`, 20) + `"x":1}}`
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if c, err := Read(Info, body); err != nil || c.Rows != 1 {
			b.Fatal(c, err)
		}
	}
}

// BenchmarkPage counts the vessels of a page.
func BenchmarkPage(b *testing.B) {
	vessel := `{"name":"NORTHERN_LIGHT","mmsi":"371000001","imo":"9074729","callsign":"3E1234","country":"Panama","countryIso":"PA","shipType":"Cargo vessels","typeSpecific":"Bulk Carrier"}`
	body := `{"total":100,"items":[` + strings.Repeat(vessel+",", 99) + vessel + `],"limit":100,"page":1}`
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if c, err := Read(ByType, body); err != nil || c.Rows != 100 {
			b.Fatal(c, err)
		}
	}
}
