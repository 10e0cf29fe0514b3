package api

import (
	"encoding/json"
	"testing"
)

// readByStandard is Read of a search by the standard library alone; ok is false for a page that it refuses.
func readByStandard(o Operation, body []byte) (rows int, ok bool) {
	var p struct {
		page
		sighted
	}
	list, err := "items", json.Unmarshal(body, &p.page)
	if o.Name == ByStatus.Name {
		list, err = "vessels", json.Unmarshal(body, &p.sighted)
	}
	items := p.Items
	if o.Name == ByStatus.Name {
		items = p.Vessels
	}
	switch {
	case err != nil:
		return 0, false
	case items == nil:
		return 0, isNull(body, list) && (o.Name == ByStatus.Name || p.Total != nil && *p.Total == 0)
	}
	return len(*items), len(*items) > 0 || p.Total == nil || *p.Total <= 0
}

// FuzzRead compares the reader of pages, whose decoder is a faster one, with the standard library.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"total":"1e2","items":[{"imo":"9074729"},{}],"page":1}`))
	f.Add([]byte(`{"total":-1,"items":null}`))
	f.Add([]byte(`{"vessels":[{"name":"A\u00e9"}]}`))
	f.Add([]byte(`{"detail":{"credits":"100"}}`))
	f.Add([]byte(`{"items":[1,2]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, o := range []Operation{ByType, ByStatus} {
			c, err := Read(o, body)
			if rows, ok := readByStandard(o, body); ok != (err == nil) || ok && rows != c.Rows {
				t.Errorf("%s: %q has %d rows, error %v; by the standard library %d, accepted: %v", o.Name, body, c.Rows, err, rows, ok)
			}
			if c.Total < impossibleTotal || c.Total > mostTotal {
				t.Errorf("%s: %q has a total of %d", o.Name, body, c.Total)
			}
		}
		if credits, err := ParseBalance(body); err == nil && !json.Valid(body) {
			t.Errorf("%q is a balance of %d, and is no JSON", body, credits)
		}
	})
}
