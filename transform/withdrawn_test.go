package transform

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// TestWithdrawnValuesAreNotAsked: a planned partition whose value the latest list of accepted values lacks says so.
func TestWithdrawnValuesAreNotAsked(t *testing.T) {
	accepting := func(n int, without ...string) journal.Exchange {
		types, _ := json.Marshal(api.Types)
		countries, _ := json.Marshal(slices.DeleteFunc(slices.Clone(api.Countries), func(c string) bool { return slices.Contains(without, c) }))
		return valuesRefused(n, fmt.Sprintf(`{"detail":[{"field":"type_specific","allowed_values":%s},{"field":"country","allowed_values":%s}]}`, types, countries))
	}
	for name, c := range map[string]struct {
		answers []journal.Exchange
		want    string
	}{
		"no list":                        {nil, "not asked"},
		"a list without the value":       {[]journal.Exchange{accepting(1, "Malta")}, "no longer accepted"},
		"a list with it":                 {[]journal.Exchange{accepting(1, "Tonga")}, "not asked"},
		"a later list with it":           {[]journal.Exchange{accepting(1, "Malta"), accepting(2)}, "not asked"},
		"a list that lacks far too many": {[]journal.Exchange{accepting(1, api.Countries[:200]...)}, "not asked"},
		"a refusal without a list":       {[]journal.Exchange{accepting(1, "Malta"), valuesRefused(2, `{"detail":"no"}`)}, "no longer accepted"},
	} {
		t.Run(name, func(t *testing.T) {
			b := NewBatch()
			b.Add(journal.Exchange{Entry: journal.Entry{Kind: journal.KindPlan, Plan: &journal.Plan{Run: "r", Date: "2026-11-20", Partitions: []journal.Partition{{Operation: "by-type", Kind: "country", Value: "Malta", Expected: -1}}}}})
			for _, a := range c.answers {
				b.Add(a)
			}
			if rows := b.coverageRows(); len(rows) != 1 || rows[0].state != skipped || rows[0].reason != c.want {
				t.Errorf("%+v, want %s", rows, c.want)
			}
		})
	}
}

// valuesRefused is the answer to the values that a run sends to learn the accepted ones.
func valuesRefused(n int, body string) journal.Exchange {
	return journal.Exchange{Entry: journal.Entry{N: n, Kind: journal.KindAnswer, Operation: "by-type", Parameters: "country=%3Faccepted-values&type_specific=%3Faccepted-values", Status: 422, Outcome: "probe", Body: body}}
}
