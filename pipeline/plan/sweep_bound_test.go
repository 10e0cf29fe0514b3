package plan

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// sea is a status in a zone: its vessels, how often they leave, and the night on which it was last searched.
type sea struct {
	api.Sweep
	vessels int
	leave   float64 // a vessel and day
	last    int
}

// newSeas returns every status and zone, searched within the five nights before: most have few vessels,
// some have thousands.
func newSeas() []*sea {
	r := rand.New(rand.NewPCG(7, 15))
	var all []*sea
	for _, s := range api.Statuses {
		leave := 0.1 + 0.6*r.Float64()
		zones := api.Zones
		if !s.Zoned {
			zones = []string{""}
		}
		for _, zone := range zones {
			all = append(all, &sea{Sweep: api.Sweep{Status: s.Name, Zone: zone}, vessels: int(math.Exp(1 + 6.5*r.Float64()*r.Float64()*1.4)), leave: leave * math.Exp(0.4*r.NormFloat64()), last: -len(all) % 5})
		}
	}
	return all
}

// sail plays ninety nights, and returns the share of vessel-nights whose status and zone are known, the
// credits, and the longest wait of a search.
func sail(choose func(seas []*sea, night int) []*sea) (right float64, credits, oldest int) {
	seas := newSeas()
	known, all := 0.0, 0.0
	for night := range 90 {
		for _, s := range choose(seas, night) {
			s.last = night
			credits += api.ByStatus.Credits
		}
		for _, s := range seas {
			all += float64(s.vessels)
			known += float64(s.vessels) * math.Exp(-s.leave*float64(night-s.last))
			oldest = max(oldest, night-s.last)
		}
	}
	return known / all, credits, oldest
}

// spacedByPlan is Decide with every: auto, under a cap, or with the order that a plan has without it, of
// searches as old as they are large. It learns from the stays that earlier searches showed.
func spacedByPlan(auto bool, budget int) func(seas []*sea, night int) []*sea {
	return func(seas []*sea, night int) (made []*sea) {
		now, byName := tonight.AddDate(0, 0, night), map[string]*sea{}
		f := Inputs{Now: now}
		job := Job{Budget: budget, List: List{By: "none"}, Sweep: Sweep{Zones: api.Zones, Auto: auto}}
		for _, s := range api.Statuses {
			job.Sweep.Statuses = append(job.Sweep.Statuses, s.Name)
		}
		var spans []inputs.Span
		for _, s := range seas {
			byName[s.String()] = s
			f.Totals = append(f.Totals, inputs.Total{Kind: api.KindStatus, Value: s.String(), Rows: s.vessels, At: tonight.AddDate(0, 0, s.last)})
			left := -math.Expm1(-s.leave) * float64(s.vessels) * float64(min(night+5, 20))
			spans = append(spans, inputs.Span{Dataset: StatusDataset, Category: strings.ToLower(s.Status), Flag: s.Zone, Changes: int(left), Within: 1,
				Unchanged: float64(s.vessels*min(night+5, 20)) - left})
		}
		f.Rates = LearnRates(spans)
		for _, s := range Decide(job, f, func(api.Operation) int { return math.MaxInt / 100_000 }).Sweeps {
			made = append(made, byName[s.String()])
		}
		return made
	}
}

// seaStrategies are the rules to compare at a cap of credits a night.
func seaStrategies(budget int) map[string]func(seas []*sea, night int) []*sea {
	n := budget / api.ByStatus.Credits
	return map[string]func(seas []*sea, night int) []*sea{
		"round robin": func(seas []*sea, night int) []*sea {
			first := night * n % len(seas)
			return append(slices.Clone(seas[first:]), seas[:first]...)[:min(n, len(seas))]
		},
		"vessels by nights": spacedByPlan(false, budget),
		"every: auto":       spacedByPlan(true, budget),
		"known rates": func(seas []*sea, night int) []*sea {
			all := slices.Clone(seas)
			value := func(s *sea) float64 {
				gained, _ := gain(float64(night-s.last), s.leave, 0)
				return gained * float64(s.vessels)
			}
			slices.SortStableFunc(all, func(a, b *sea) int { return cmp.Compare(value(b), value(a)) })
			return all[:min(n, len(all))]
		},
	}
}

// TestSpacedSweepsAreNearTheBestPossible compares every: auto with the policy that knows how often vessels
// leave each zone, under caps that pay for a twelfth and for a quarter of all searches a night. Without a cap it
// makes half of the searches, and knows nearly as much.
func TestSpacedSweepsAreNearTheBestPossible(t *testing.T) {
	if testing.Short() {
		t.Skip("plays ninety nights by three policies, twice")
	}
	for _, budget := range []int{200, 600} {
		strategies := seaStrategies(budget)
		auto, spent, oldest := sail(strategies["every: auto"])
		best, _, _ := sail(strategies["known rates"])
		robin, _, _ := sail(strategies["round robin"])
		t.Logf("%d credits: %.3f auto, %.3f known rates, %.3f round robin; the longest wait is %d nights", budget, auto, best, robin, oldest)
		if auto < 0.95*best || auto < robin || spent > 90*budget {
			t.Errorf("%d credits: %.3f is right, %.3f with known rates, %.3f round robin, for %d credits", budget, auto, best, robin, spent)
		}
		if most := MostNights + len(newSeas())*api.ByStatus.Credits*oldShare/budget; oldest > most {
			t.Errorf("%d credits: a search waited %d nights, more than %d", budget, oldest, most)
		}
	}
	whole, all, _ := sail(spacedByPlan(false, 0))
	auto, spent, _ := sail(spacedByPlan(true, 0))
	t.Logf("without a cap %.3f for %d credits, all searches every night %.3f for %d", auto, spent, whole, all)
	if float64(spent) > 0.6*float64(all) || auto < 0.95*whole {
		t.Errorf("without a cap %.3f for %d credits; all searches every night %.3f for %d", auto, spent, whole, all)
	}
}

// BenchmarkSweeps prints the share of vessel-nights whose status and zone are known, under each rule.
//
//	go test ./pipeline/plan -run '^$' -bench Sweeps -benchtime 1x
func BenchmarkSweeps(b *testing.B) {
	for b.Loop() {
		for _, budget := range []int{200, 400, 600, 1200, 2500} {
			fmt.Fprintf(os.Stdout, "%5d credits a night:", budget)
			for _, name := range []string{"round robin", "vessels by nights", "every: auto", "known rates"} {
				right, credits, oldest := sail(seaStrategies(budget)[name])
				fmt.Fprintf(os.Stdout, "  %s %.3f (%d credits a night, longest wait %d)", name, right, credits/90, oldest)
			}
			fmt.Fprintln(os.Stdout)
		}
	}
}
