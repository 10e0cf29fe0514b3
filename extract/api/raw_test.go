package api

import (
	"errors"
	"testing"
)

func TestReadRaw(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		rows int
	}{
		"an object":               {`{"portCalls": [{"port": "Bergen"}]}`, 1},
		"a list":                  {`[{"port": "Bergen"}]`, 1},
		"a number":                {`{"wind": 3}`, 1},
		"false says something":    {`{"laden": false}`, 1},
		"a detail with values":    {`{"detail": {"wind": 3}}`, 1},
		"null":                    {`null`, 0},
		"an empty object":         {`{}`, 0},
		"an empty list":           {`[]`, 0},
		"an empty list in a list": {`{"portCalls": []}`, 0},
		"an empty detail":         {`{"detail": {"portCalls": [], "port": ""}}`, 0},
		"a sentence":              {`{"detail": "No port calls found"}`, 0},
		"a sentence alone":        {`"No port calls found"`, 0},
	} {
		got, err := ReadRaw(c.body)
		if err != nil || got.Rows != c.rows || got.Total != -1 {
			t.Errorf("%s: %+v, %v; want %d rows", name, got, err, c.rows)
		}
	}
	for _, body := range []string{"", "<html></html>", `{"a": 1`, `{"a": 1} x`} {
		if _, err := ReadRaw(body); !errors.Is(err, ErrNotJSON) {
			t.Errorf("%q: %v", body, err)
		}
	}
}

func TestRawRequests(t *testing.T) {
	o := RawOperation{Operation: Operation{Name: "history", Method: "GET", Path: "/h", Credits: 5, Raw: true},
		Parameters: map[string]string{"imo_or_mmsi": "{vessel}", "when": "{day}T00:00", "fixed": "yes"}}
	r, err := o.Request(map[string]string{"vessel": "9218301", "day": "2026-11-20"})
	if want := "history fixed=yes&imo_or_mmsi=9218301&when=2026-11-20T00%3A00"; err != nil || r.Key() != want {
		t.Errorf("%s, %v; want %s", r.Key(), err, want)
	}
	if _, err := o.Request(map[string]string{"vessel": "9218301"}); err == nil || err.Error() != "history: no value for {day}" {
		t.Errorf("without a day: %v", err)
	}
	if o.VesselParameter() != "imo_or_mmsi" || !o.Asks(ADay) || o.Asks(Vessels) {
		t.Errorf("placeholders: %v", o.Placeholders())
	}
	if Named("history") != (Operation{Name: "history", Raw: true}) || Named("info") != Info {
		t.Error("Named")
	}
}

// TestOffersSayWhatTheInterfaceSays and no more: what it leaves out has no default.
func TestOffersSayWhatTheInterfaceSays(t *testing.T) {
	for _, o := range Offers {
		if _, own := OperationNamed(o.Name); own || o.Facts == "" {
			t.Errorf("%s: our own, or without facts", o.Name)
		}
		if (o.Path == "") != (o.Method == "") || o.Path == "" && len(o.Parameters) > 0 {
			t.Errorf("%s: half of a request", o.Name)
		}
	}
	if o, ok := OfferNamed("port-calls"); !ok || o.Credits != 5 {
		t.Errorf("port-calls: %+v", o)
	}
}
