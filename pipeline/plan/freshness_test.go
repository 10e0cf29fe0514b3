package plan

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// market is a fleet of ships that are sold often, and usually renamed or reflagged at a sale, with
// what a warehouse knows of it: the list of each night, and the management of the vessels that were
// looked up.
type market struct {
	nights  [][]simulator.Vessel // the truth
	budget  int                  // lookups a night
	targets map[string]*inputs.Target
	stored  map[string]simulator.Management
	rates   Rates
}

// policy chooses the vessels to look up tonight.
type policy func(m *market, night int, now time.Time) []string

// newMarket begins with every management known, as after a long first harvest.
func newMarket(nights [][]simulator.Vessel, budget int, perDay float64, now time.Time) *market {
	m := &market{nights: nights, budget: budget, targets: map[string]*inputs.Target{}, stored: map[string]simulator.Management{}, rates: Rates{map[string]model{"management": {base: perDay, follows: 0.95}}}}
	for _, v := range nights[0] {
		m.targets[hullOf(v)] = &inputs.Target{VesselID: hullOf(v), IMO: v.Hull + 1, IsVessel: true, Name: v.Name, Flag: v.Flag, ManagementAt: now, ChangedAt: now.AddDate(0, 0, -1)}
		m.stored[hullOf(v)] = v.Management
	}
	return m
}

func hullOf(v simulator.Vessel) string { return fmt.Sprintf("IMO%07d", v.Hull) }

// play runs a policy over the nights and returns the share of vessel-nights whose stored
// management equals the truth, by night, and the greatest age in nights that any had.
func (m *market) play(p policy, start time.Time) (curve []float64, oldest int) {
	for night, fleet := range m.nights {
		now := start.AddDate(0, 0, night)
		truth := map[string]simulator.Vessel{}
		for _, v := range fleet {
			truth[hullOf(v)] = v
			if t := m.targets[hullOf(v)]; t != nil && (t.Name != v.Name || t.Flag != v.Flag) {
				t.Name, t.Flag, t.ChangedAt = v.Name, v.Flag, now // the list reports it, for a tenth of a credit
			}
		}
		if night > 0 {
			for _, id := range p(m, night, now) {
				if v, ok := truth[id]; ok {
					m.stored[id], m.targets[id].ManagementAt = v.Management, now
				}
			}
		}
		right, all := 0, 0
		for id, t := range m.targets {
			if v, ok := truth[id]; ok {
				all++
				if v.Management == m.stored[id] {
					right++
				}
				oldest = max(oldest, int(now.Sub(t.ManagementAt).Hours()/24))
			}
		}
		if night >= warmUp {
			curve = append(curve, float64(right)/float64(all))
		}
	}
	return curve, oldest
}

func (m *market) sorted(less func(a, b *inputs.Target) int) []string {
	var all []*inputs.Target
	for _, t := range m.targets {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *inputs.Target) int { return cmp.Or(less(a, b), strings.Compare(a.VesselID, b.VesselID)) })
	var ids []string
	for _, t := range all {
		ids = append(ids, t.VesselID)
	}
	return ids
}

// warmUp is how many nights each policy plays before the sixty that count: at the start everything is
// right under any policy.
const warmUp = 15

// The three policies.
var policies = []struct {
	name string
	policy
}{
	{"round robin", func(m *market, night int, _ time.Time) []string {
		ids := m.sorted(func(a, b *inputs.Target) int { return 0 })
		first := (night - 1) * m.budget % len(ids)
		return append(ids[first:], ids[:first]...)[:m.budget]
	}},
	{"oldest first", func(m *market, _ int, _ time.Time) []string {
		return m.sorted(func(a, b *inputs.Target) int { return a.ManagementAt.Compare(b.ManagementAt) })[:m.budget]
	}},
	{"value per credit", func(m *market, _ int, now time.Time) []string {
		var targets []inputs.Target
		ids := map[string]string{}
		for _, t := range m.targets {
			targets = append(targets, *t)
			ids[t.Number()] = t.VesselID
		}
		chosen := lookups(Job{Lookup: Lookup{Want: []string{"management"}, MaxAge: 30 * 24 * time.Hour}}, Inputs{Now: now, Targets: targets, Rates: m.rates})
		var vessels []string
		for _, id := range chosen[:min(m.budget, len(chosen))] {
			vessels = append(vessels, ids[id])
		}
		return vessels
	}},
}

// mean is the share of vessel-nights.
func mean(curve []float64) float64 {
	sum := 0.0
	for _, v := range curve {
		sum += v
	}
	return sum / float64(len(curve))
}

// playPolicies plays all of them over the same sixty nights at equal credits.
func playPolicies(vessels int) (curves map[string][]float64, oldest map[string]int, err error) {
	start := time.Date(2026, 9, 1, 2, 0, 0, 0, time.UTC)
	const perDay, visible = 0.104, 0.98 // as many change in a night as can be looked up
	sim, err := simulator.New(simulator.Config{Seed: 3, Vessels: vessels, Start: start, Dirt: -1,
		Rates: simulator.Rates{Sold: perDay, SoldShows: visible, Renamed: -1, Reflagged: -1, Built: -1, Scrapped: -1, Unlisted: -1}})
	if err != nil {
		return nil, nil, err
	}
	var nights [][]simulator.Vessel
	for day := range warmUp + 60 {
		nights = append(nights, sim.Truth(day))
	}
	curves, oldest = map[string][]float64{}, map[string]int{}
	for _, p := range policies {
		curves[p.name], oldest[p.name] = newMarket(nights, vessels/10, perDay*(1-visible), start).play(p.policy, start)
	}
	return curves, oldest, nil
}

// TestValuePerCreditKeepsTheFleetFresh compares the scoring with the two rules that people use: at
// equal credits, the stored data is right on more vessel-nights, and no vessel waits for ever.
func TestValuePerCreditKeepsTheFleetFresh(t *testing.T) {
	if testing.Short() {
		t.Skip("plays sixty nights of 2,000 vessels by three policies")
	}
	curves, oldest, err := playPolicies(2000)
	if err != nil {
		t.Fatal(err)
	}
	ours, robin, first := mean(curves["value per credit"]), mean(curves["round robin"]), mean(curves["oldest first"])
	t.Logf("share of vessel-nights that are right: %.3f by value, %.3f round robin, %.3f oldest first", ours, robin, first)
	if ours < 1.5*robin || ours < 1.3*first {
		t.Errorf("%.2f times round robin, want 1.5; %.2f times oldest first, want 1.3", ours/robin, ours/first)
	}
	if worst := oldest["value per credit"]; worst > 60 {
		t.Errorf("a vessel was %d nights old", worst)
	}
}

// BenchmarkFreshness prints the three curves.
//
//	go test ./pipeline -run '^$' -bench Freshness -benchtime 1x
func BenchmarkFreshness(b *testing.B) {
	for b.Loop() {
		curves, oldest, err := playPolicies(2000)
		if err != nil {
			b.Fatal(err)
		}
		fmt.Fprintf(os.Stdout, "\nshare of vessels whose stored management is right, at 10 %% of the fleet a night\n%-18s", "night")
		for night := 0; night < 60; night += 6 {
			fmt.Fprintf(os.Stdout, "%6d", night)
		}
		fmt.Fprintf(os.Stdout, "%8s%8s\n", "mean", "oldest")
		for _, p := range policies {
			fmt.Fprintf(os.Stdout, "%-18s", p.name)
			for night := 0; night < 60; night += 6 {
				fmt.Fprintf(os.Stdout, "%6.2f", curves[p.name][night])
			}
			fmt.Fprintf(os.Stdout, "%8.3f%8d\n", mean(curves[p.name]), oldest[p.name])
			b.ReportMetric(mean(curves[p.name]), strings.ReplaceAll(p.name, " ", "-"))
		}
	}
}
