package forecast

import (
	"maps"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// TestQuestionsAreForecast: each night asks what is due by then, as the plan of a real one does, within its cap; and
// positions in bulk take the place of lookups.
func TestQuestionsAreForecast(t *testing.T) {
	s, _ := large(100)
	portCalls := api.RawOperation{Parameters: map[string]string{"imo_or_mmsi": api.AVessel},
		Operation: api.Operation{Name: "port-calls", Credits: 5, PerMinute: 15, Raw: true}}
	bulk := api.RawOperation{Parameters: map[string]string{"imo_or_mmsi": api.Vessels},
		Operation: api.Operation{Name: api.BulkLocation, Credits: 4, PerMinute: 15, Raw: true, Ceiling: true}}
	job := plan.Job{List: plan.List{By: "none"}, Asks: []plan.Ask{{Operation: portCalls, MaxAge: 60 * time.Hour}}}
	s.Vessels = [][]string{{"1000001", "1000002", "1000003"}}
	s.Asked = map[string]time.Time{"port-calls imo_or_mmsi=1000003": start.Add(-time.Hour)}
	inBulk := job
	inBulk.Lookup = plan.Lookup{Want: []string{"position"}, MaxAge: 20 * time.Hour, Bulk: &bulk}
	capped := job
	capped.Budget = 9 // pays for one
	asked := maps.Clone(s.Asked)
	f, err := Run(t.Context(), s, []Scenario{{Job: job, Nights: following(start, 4)}, {Job: inBulk, Nights: following(start, 2)}, {Job: capped, Nights: following(start, 2)}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]int{{10, 0, 5, 10}, {14, 8}, {5, 5}} { // vessel 3 is due on the third night, the others again on the fourth
		for night, credits := range want {
			if n := f[i].Nights[night+1]; n.Spending.Questions != credits {
				t.Errorf("scenario %d, night %d: %+v, want %d credits of questions", i, night, n.Spending, credits)
			}
		}
	}
	if n := f[1].Nights[2]; n.Spending.Lookups > 4 || n.Requests < 2 {
		t.Errorf("with positions in bulk: %+v", n)
	}
	if !maps.Equal(asked, s.Asked) {
		t.Error("a forecast changes the state that it begins with")
	}
}
