package plan

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

func TestRatesOfFewObservations(t *testing.T) {
	tanker := inputs.Target{Category: "tanker", Flag: "PA", AgeBand: 2}
	span := inputs.Span{Dataset: "management", Category: "tanker", Flag: "PA", AgeBand: 2}
	with := func(unchanged float64, changes int, within float64) []inputs.Span {
		s := span
		s.Unchanged, s.Changes, s.Within = unchanged, changes, within
		return []inputs.Span{s}
	}
	beside := func(spans []inputs.Span, category string, unchanged float64, changes int) []inputs.Span {
		s := span
		s.Category, s.Unchanged, s.Changes, s.Within = category, unchanged, changes, 1
		return append(spans, s)
	}
	for name, c := range map[string]struct {
		spans   []inputs.Span
		dataset string
		want    float64
		within  float64 // of want
	}{
		"nothing is observed: the prior":                        {nil, "management", 0.001, 1e-12},
		"of a position nothing is learnt":                       {with(1e6, 10, 1), "position", 1, 1e-12},
		"another dataset says nothing":                          {with(1e6, 10, 1), "engine", 1.0 / 3000, 1e-12},
		"the prior counts as one change":                        {with(1000, 0, 0), "management", 1.0 / 2000, 1e-9},
		"a hundred changes outweigh it":                         {with(10_000, 99, 1e-3), "management", 100.0 / 11_000, 0.01},
		"no change in a long time":                              {with(1e6, 0, 0), "management", 1 / 1.001e6, 0.001},
		"after a long interval there may be more than a change": {with(0, 10_000, 200), "management", 0.02, 10},
		"a group that differs, often observed":                  {beside(with(10_000, 1000, 1), "cargo", 100_000, 1000), "management", 0.0955, 0.03},
		"a group that differs by chance, hardly observed":       {beside(with(10, 1, 1), "cargo", 100_000, 1000), "management", 0.01, 0.25},
	} {
		t.Run(name, func(t *testing.T) {
			if got := LearnRates(c.spans).PerDay(c.dataset, tanker); math.Abs(got-c.want) > c.within*c.want {
				t.Errorf("%v a day, want %v", got, c.want)
			}
		})
	}
}

func TestHowOftenAChangeFollows(t *testing.T) {
	for name, c := range map[string]struct {
		signals, followed int
		want              float64
	}{
		"never observed":  {0, 0, 0.5},
		"once":            {1, 1, 2.0 / 3},
		"often, and half": {1000, 500, 0.5},
		"nearly always":   {998, 979, 0.98},
	} {
		t.Run(name, func(t *testing.T) {
			got := LearnRates([]inputs.Span{{Dataset: "engine", Signals: c.signals, Followed: c.followed}}).Follows("engine")
			if math.Abs(got-c.want) > 1e-9 {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// TestRatesOfASimulatedFleet draws changes at known rates, looks vessels up at intervals that differ, and
// compares the estimates with the truth: those of groups that were often observed one by one, and all
// in the mean. Estimates without the groups, and those of each cell on its own, are further off.
func TestRatesOfASimulatedFleet(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 15))
	factors := func(n int, spread float64) []float64 {
		all := make([]float64, n)
		for i := range all {
			all[i] = math.Exp(spread*r.NormFloat64() - spread*spread/2)
		}
		return all
	}
	categories, bands, flags := factors(6, 0.7), factors(8, 0.4), factors(40, 0.6)
	const base = 0.01
	truth := func(c, b, f int) float64 { return base * categories[c] * bands[b] * flags[f] }
	type cell struct{ c, b, f int }
	seen := map[cell][]inputs.Span{}
	for range 4000 {
		at := cell{r.IntN(6), r.IntN(8), int(40 * math.Pow(r.Float64(), 3))}
		for range 3 {
			s := inputs.Span{Dataset: "particulars", Category: string(rune('a' + at.c)), AgeBand: at.b, Flag: string(rune('A' + at.f))}
			days := math.Ceil(60 * r.Float64())
			if r.Float64() < -math.Expm1(-truth(at.c, at.b, at.f)*days) {
				s.Changes, s.Within = 1, days
			} else {
				s.Unchanged = days
			}
			seen[at] = append(seen[at], s)
		}
	}
	var all []inputs.Span
	for _, spans := range seen {
		all = append(all, spans...)
	}
	rates, whole := LearnRates(all), learnOne(all)
	var offRates, offWhole, offAlone, weight float64
	for at, spans := range seen {
		want := truth(at.c, at.b, at.f)
		off := func(got float64) float64 { return math.Abs(math.Log(got/want)) * float64(len(spans)) }
		offRates += off(rates.PerDay("particulars", inputs.Target{Category: spans[0].Category, AgeBand: at.b, Flag: spans[0].Flag}))
		offWhole, offAlone, weight = offWhole+off(whole), offAlone+off(learnOne(spans)), weight+float64(len(spans))
	}
	t.Logf("mean error of the logarithm: %.3f with groups, %.3f of the whole, %.3f of each cell alone", offRates/weight, offWhole/weight, offAlone/weight)
	if off := offRates / weight; off > 0.15 || off > 0.3*offWhole/weight || off > 0.5*offAlone/weight {
		t.Errorf("mean error of the logarithm %.3f; %.3f without groups, %.3f of each cell alone", off, offWhole/weight, offAlone/weight)
	}
}

// learnOne estimates one rate for all spans.
func learnOne(spans []inputs.Span) float64 {
	var alike []inputs.Span
	for _, s := range spans {
		s.Category, s.AgeBand, s.Flag = "", 0, ""
		alike = append(alike, s)
	}
	return LearnRates(alike).PerDay("particulars", inputs.Target{})
}
