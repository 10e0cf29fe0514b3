package pipeline

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// TestAWithdrawnCountry: a country that the service accepts no more stops no departure of another, and its own
// ships are not gone.
func TestAWithdrawnCountry(t *testing.T) {
	t.Parallel()
	publishing(t, func(t *testing.T) {
		p, first := &Pipeline{Dir: t.TempDir()}, "IMO"+ships()[0].imo
		for night := range 3 {
			time.Sleep(time.Until(time.Date(2000, 1, 1+night, 2, 0, 0, 0, time.UTC))) // of virtual time: the next night comes
			s := newHostile(t, hostileCase{on: func(q *call) bool { return night > 0 && q.probe }, does: withoutCyprus})
			if night > 0 {
				s.fleet = withoutFirst(s.fleet)
			}
			p.Service = s.service()
			r, err := p.Run(t.Context(), plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "country"}}, "")
			s.stop()
			must(t, err)
			if said := slices.ContainsFunc(r.News, func(n string) bool { return n == `country "Cyprus" is no longer accepted` }); said != (night > 0) {
				t.Errorf("night %d says %q", night, r.News)
			}
		}
		want := [][]string{{"country no longer accepted", "5", "false"}, {"missing twice", "1", "true"}}
		got := publishedRows(t, p.Dir, "SELECT proof, count(*), bool_and(absent_on IS NOT NULL AND vessel_id = '"+first+"') FROM listed WHERE to_date IS NOT NULL GROUP BY proof ORDER BY proof")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("stays that ended (-want +got):\n%s", diff)
		}
	})
}

// withoutCyprus answers with the accepted values, of which Cyprus is none any more.
func withoutCyprus(q *call) {
	types, _ := json.Marshal(api.Types)
	countries, _ := json.Marshal(slices.DeleteFunc(slices.Clone(api.Countries), func(c string) bool { return c == "Cyprus" }))
	q.answer(422, fmt.Sprintf(`{"detail":[{"field":"type_specific","allowed_values":%s},{"field":"country","allowed_values":%s}]}`, types, countries))
}
