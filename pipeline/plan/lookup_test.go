package plan

import (
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
)

// TestTheCheapestLookupThatHasAllDatasets looks at every choice of datasets that a job can want.
func TestTheCheapestLookupThatHasAllDatasets(t *testing.T) {
	for choice := range 1 << len(Datasets) {
		var want []string
		for i, dataset := range Datasets {
			if choice>>i&1 == 1 {
				want = append(want, dataset)
			}
		}
		expected := api.Info
		switch strings.Join(want, " ") {
		case "", "particulars":
			expected = api.Particulars
		case "position":
			expected = api.Location
		}
		if got := (Lookup{Want: want}).Operation(); got != expected {
			t.Errorf("%v is asked of %s, want %s", want, got.Name, expected.Name)
		}
	}
}

func TestOperationsByWhatTheyAnswer(t *testing.T) {
	for o, want := range map[api.Operation]string{
		api.ByType: "search: registration", api.ByStatus: "search: sighting", api.Credits: ": ", api.Particulars: "lookup: particulars",
		api.Location: "lookup: position voyage", api.Info: "lookup: particulars engine management position voyage",
	} {
		kind := ""
		if o.IsSearch() {
			kind += "search"
		}
		if o.IsLookup() {
			kind += "lookup"
		}
		if got := kind + ": " + strings.Join(o.Datasets(), " "); got != want {
			t.Errorf("%s is a %s, want %s", o.Name, got, want)
		}
	}
}
