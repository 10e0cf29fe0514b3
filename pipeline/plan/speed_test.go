package plan

import (
	"fmt"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// BenchmarkDecide plans a night of 200,000 vessels of 1,400 groups, under a cap, and without one. It is
// to take at most 30 ms.
//
//	go test ./pipeline/plan -run '^$' -bench Decide
func BenchmarkDecide(b *testing.B) {
	f := fleetOf(200_000)
	for name, job := range map[string]Job{
		"particulars":        {Budget: 5000, List: List{By: "cheapest", MaxAge: 20 * time.Hour}, Lookup: Lookup{Want: []string{"particulars"}, MaxAge: 30 * 24 * time.Hour}},
		"profiles, watching": {Budget: 5000, List: List{By: "none"}, Lookup: Lookup{Want: []string{"particulars", "engine", "management"}, MaxAge: 30 * 24 * time.Hour, Watch: []string{"7654321"}}},
		"no cap":             {List: List{By: "none"}, Lookup: Lookup{Want: []string{"particulars"}, MaxAge: 30 * 24 * time.Hour}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if d := Decide(job, f, documented); len(d.Lookups) == 0 {
					b.Fatal("no lookups")
				}
			}
		})
	}
}

// fleetOf returns the inputs of a fleet whose datasets were seen up to 90 days ago, or never.
func fleetOf(vessels int) Inputs {
	f := Inputs{Now: tonight, Refused: map[string]bool{"7000001": true}, Tonight: map[string]PastAnswer{}}
	for i := range vessels {
		t := inputs.Target{VesselID: fmt.Sprintf("IMO%07d", 1_000_000+i), IMO: 1_000_000 + i, IsVessel: true, Versions: 1, FirstSeen: tonight.AddDate(0, 0, -100),
			Category: fmt.Sprint("category ", i%7), Flag: fmt.Sprint("F", i%40), AgeBand: i % 5, ChangedAt: tonight.AddDate(0, 0, -i%300)}
		if i%5 > 0 {
			at := tonight.Add(-time.Duration(i*7919%(90*24)) * time.Hour)
			t.ParticularsAt, t.EngineAt, t.ManagementAt = at, at, at.Add(-time.Hour)
		}
		f.Targets = append(f.Targets, t)
	}
	var spans []inputs.Span
	for i := range 1400 {
		for _, dataset := range []string{"registration", "particulars", "engine", "management"} {
			spans = append(spans, inputs.Span{Dataset: dataset, Category: fmt.Sprint("category ", i%7), Flag: fmt.Sprint("F", i%40), AgeBand: i % 5, Unchanged: 4000, Changes: 1 + i%9, Within: 30})
		}
	}
	f.Rates = LearnRates(spans)
	return f
}
