package api

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseBalance(t *testing.T) {
	cases := map[string]struct {
		body string
		want int
		ok   bool
	}{
		"an object":             {`{"detail":{"credits":100}}`, 100, true},
		"an object with text":   {`{"detail":{"credits":"100"}}`, 100, true},
		"a sentence":            {`{"detail":"99929 credits left."}`, 99929, true},
		"a sentence with comma": {`{"detail":"99,929 credits left."}`, 99929, true},
		"nothing":               {`{"detail":{}}`, 0, false},
		"HTML":                  {`<html>`, 0, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got, err := ParseBalance(c.body); got != c.want || (err == nil) != c.ok {
				t.Errorf("got %d, %v", got, err)
			}
		})
	}
}

// TestSharesOfAPrice: what another lookup sells counts as much as it costs there.
func TestSharesOfAPrice(t *testing.T) {
	for name, c := range map[string]struct {
		operation Operation
		want      map[string]float64
	}{
		"a search":             {ByType, map[string]float64{"registration": 1}},
		"two for one price":    {Location, map[string]float64{"position": 0.5, "voyage": 0.5}},
		"several":              {Info, map[string]float64{"particulars": 0.2, "position": 0.1, "voyage": 0.1, "engine": 0.3, "management": 0.3}},
		"no dataset":           {Credits, map[string]float64{}},
		"all are sold":         {Operation{Credits: 4, datasets: "particulars position voyage"}, map[string]float64{"particulars": 0.5, "position": 0.25, "voyage": 0.25}},
		"cheaper than its own": {Operation{Credits: 1, datasets: "particulars position voyage engine"}, map[string]float64{"particulars": 0.5, "position": 0.25, "voyage": 0.25, "engine": 0}},
		"none is sold":         {Operation{Credits: 2, datasets: "engine management"}, map[string]float64{"engine": 0.5, "management": 0.5}},
		"free of charge":       {Operation{datasets: "engine management"}, map[string]float64{"engine": 0.5, "management": 0.5}},
	} {
		if diff := cmp.Diff(c.want, c.operation.Shares()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestPartitionsAreReadFromWhatIsAsked makes the requests of each kind of partition, and reads the
// partition back from their parameters, as the journal keeps them.
func TestPartitionsAreReadFromWhatIsAsked(t *testing.T) {
	for name, c := range map[string]struct {
		asks Request
		want Partition
		page int
	}{
		"a country":                    {Page("", "Panama", 1), Partition{"country", "Panama"}, 1},
		"a type, another page":         {Page("Container Ship", "", 7), Partition{"type", "Container Ship"}, 7},
		"a type of a country":          {Page("Tug", "Malta", 2), Partition{"type+country", "Tug|Malta"}, 2},
		"a status in a zone":           {Sweep{Status: "moored", Zone: "north-sea"}.Request(), Partition{"status", "moored/north-sea"}, 1},
		"a status worldwide":           {Sweep{Status: "aground"}.Request(), Partition{"status", "aground"}, 1},
		"a status with filters":        {Sweep{Status: "moored", Zone: "north-sea", VesselType: "cargo", Laden: "ballast"}.Request(), Partition{"status", "moored/north-sea?laden=ballast&vessel_type=cargo"}, 1},
		"a filter without a zone":      {Sweep{Status: "drifting", ForOrder: "true"}.Request(), Partition{"status", "drifting?for_order=true"}, 1},
		"a country with signs in URLs": {Page("", "Côte d'Ivoire & more", 3), Partition{"country", "Côte d'Ivoire & more"}, 3},
	} {
		got, page, ok := PartitionOf(c.asks.Operation.Name, c.asks.Parameters.Encode())
		if got != c.want || page != c.page || !ok {
			t.Errorf("%s: got %v, page %d, %v", name, got, page, ok)
		}
	}
	if got := (Sweep{Status: "moored", Zone: "north-sea", Laden: "ballast"}).Partition(); got != (Partition{KindStatus, "moored/north-sea?laden=ballast"}) {
		t.Errorf("the partition of a sweep is %v", got)
	}
	for name, c := range map[string]struct {
		value string
		want  Sweep
		ok    bool
	}{
		"worldwide":                         {"aground", Sweep{Status: "aground"}, true},
		"in a zone":                         {"moored/north-sea", Sweep{Status: "moored", Zone: "north-sea"}, true},
		"with all filters, in any order":    {" moored/north-sea?vessel_type=wood-chips+carrier&laden=ballast&for_order=false ", Sweep{"moored", "north-sea", "wood-chips carrier", "ballast", "false"}, true},
		"with a filter that no search has":  {"moored?cargo=1", Sweep{}, false},
		"with a filter that cannot be read": {"moored?laden=%zz", Sweep{}, false},
		"without a status":                  {"", Sweep{}, false},
	} {
		p := Partition{KindStatus, c.value}
		got, ok := p.Sweep()
		if ok != c.ok || ok && got != c.want {
			t.Errorf("a search %s: got %+v, %v", name, got, ok)
		}
		want := strings.TrimSpace(c.value)
		if ok {
			want = c.want.String()
		}
		if canonical := p.Canonical(); canonical != (Partition{KindStatus, want}) || ok && canonical != got.Partition() {
			t.Errorf("a search %s: its canonical partition is %v", name, canonical)
		}
	}
	if _, ok := (Partition{KindCountry, "Panama"}).Sweep(); ok {
		t.Error("a country is a status search")
	}
	for name, c := range map[string]struct{ operation, parameters string }{
		"a lookup":                {"info", "imo_or_mmsi=9218301"},
		"the balance":             {"credits", ""},
		"a list without a filter": {"by-type", "page=1"},
		"no parameters at all":    {"by-type", "%zz"},
	} {
		if got, _, ok := PartitionOf(c.operation, c.parameters); ok {
			t.Errorf("%s has the partition %v", name, got)
		}
	}
	for text, want := range map[string]int{"": 1, "0": 1, "-3": 1, "x": 1, "99999999999": 1, "12": 12} {
		if _, page, _ := PartitionOf("by-type", "country=Malta&page="+text); page != want {
			t.Errorf("page %q is read as %d, want %d", text, page, want)
		}
	}
}
