package plan

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// mixes are the ten over which the policies are compared.
var mixes = []mix{
	{name: "management, tight", vessels: 1500, lookups: 25, want: []string{"management"}, perDay: []float64{.01}, announced: .003, follows: .7, spread: .5, own: 4, listEvery: 1, maxAge: 30, built: .0002, warm: 60},
	{name: "as many changes as lookups", vessels: 1500, lookups: 75, want: []string{"management"}, perDay: []float64{.03}, announced: .02, follows: .9, spread: .5, own: 4, listEvery: 1, maxAge: 14, built: .0002, warm: 40},
	{name: "particulars, ample", vessels: 1500, lookups: 150, want: []string{"particulars"}, perDay: []float64{.02}, announced: .001, follows: .3, spread: .6, own: 4, listEvery: 1, maxAge: 7, built: .0002, warm: 40},
	{name: "a young warehouse", vessels: 2000, lookups: 40, want: []string{"particulars"}, perDay: []float64{.004}, announced: .002, follows: .5, spread: .5, own: 4, listEvery: 1, maxAge: 30, built: .001},
	{name: "whole profiles", vessels: 1500, lookups: 30, want: []string{"particulars", "engine", "management"}, perDay: []float64{.01, .002, .02}, announced: .002, follows: .5, spread: .6, own: 4, listEvery: 1, maxAge: 30, built: .0002, warm: 60},
	{name: "no signals", vessels: 1500, lookups: 50, want: []string{"management"}, perDay: []float64{.02}, announced: 0, follows: 0, spread: .7, own: 4, listEvery: 1, maxAge: 20, built: .0002, warm: 60},
	{name: "signals alone", vessels: 1500, lookups: 30, want: []string{"management"}, perDay: []float64{.0005}, announced: .015, follows: .95, spread: .4, own: 4, listEvery: 1, maxAge: 30, built: .0002, warm: 60},
	{name: "a list every fifth night", vessels: 1500, lookups: 35, want: []string{"management"}, perDay: []float64{.008}, announced: .012, follows: .8, spread: .5, own: 4, listEvery: 5, maxAge: 30, built: .0005, warm: 60},
	{name: "many changes", vessels: 2000, lookups: 40, want: []string{"particulars"}, perDay: []float64{.05}, announced: .005, follows: .6, spread: .8, own: 2, listEvery: 1, maxAge: 15, built: .0005, warm: 60},
	{name: "a small fleet of like vessels", vessels: 300, lookups: 10, want: []string{"management"}, perDay: []float64{.02}, announced: .01, follows: .6, spread: .1, listEvery: 1, maxAge: 20, built: .001, warm: 60},
}

// strategy returns the indices of the ships to look up tonight, the most valuable first.
type strategy struct {
	name   string
	learns bool
	choose func(g *game) []int
}

// known returns the ships that the list has shown up to now.
func (g *game) known() []int {
	var all []int
	for i := range g.ships {
		if g.ships[i].since <= g.listed() {
			all = append(all, i)
		}
	}
	return all
}

// by orders the known ships by a number, the highest first.
func (g *game) by(value func(i int) float64) []int {
	all, values := g.known(), make([]float64, len(g.ships))
	for _, i := range all {
		values[i] = value(i)
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	return slices.DeleteFunc(all, func(i int) bool { return values[i] <= 0 })
}

// oldestFirst and roundRobin are the rules that people use.
var oldestFirst = strategy{name: "oldest first", choose: func(g *game) []int {
	return g.by(func(i int) float64 { return float64(g.night-g.seen[i]) + 1e-3 })
}}

var roundRobin = strategy{name: "round robin", choose: func(g *game) []int {
	all := g.known()
	first := g.night * g.lookups % len(all)
	return append(slices.Clone(all[first:]), all[:first]...)
}}

// shownSince reports whether the list has shown a change of a ship since its last lookup.
func (g *game) shownSince(i int) bool {
	k, _ := slices.BinarySearch(g.ships[i].shows, g.seen[i]+1)
	return k < len(g.ships[i].shows) && g.ships[i].shows[k] <= g.listed()
}

// byChance is the scoring by the chance of a change, with the true mean rates.
var byChance = strategy{name: "by chance of change", choose: func(g *game) []int {
	return g.by(func(i int) float64 {
		age := g.night - g.seen[i]
		overdue := max(0, float64(age)/float64(g.maxAge)-1)
		switch {
		case g.seen[i] < 0:
			return 1 + max(0, float64(g.night-g.ships[i].since)/float64(g.maxAge)-1)
		case g.shownSince(i):
			return 0.9 + overdue
		case age < g.maxAge:
			return 0
		}
		return -math.Expm1(-slices.Max(g.perDay)*float64(age)) + overdue
	})
}}

// knownRates knows the true rates of each vessel, and looks up those whose gain is highest.
var knownRates = strategy{name: "known rates", choose: func(g *game) []int {
	return g.by(func(i int) float64 {
		return g.gainOf(i, func(d int) float64 { return g.ships[i].silent[d] }, g.ships[i].announced)
	})
}}

func (g *game) gainOf(i int, silent func(d int) float64, announced float64) (sum float64) {
	for d := range g.want {
		days, often := math.Inf(1), max(1e-5, silent(d))
		if g.seen[i] >= 0 {
			days = float64(g.night - g.seen[i])
			if g.shownSince(i) {
				days -= math.Log1p(-g.follows) / often
			}
		}
		gained, _ := gain(days, often, announced*g.follows)
		sum += gained
	}
	return sum
}

// knownChanges knows what is wrong, and when it changes next: it looks up the wrong ones that stay
// right for the longest time.
var knownChanges = strategy{name: "known changes", choose: func(g *game) []int {
	return g.by(func(i int) (nights float64) {
		for d := range g.want {
			if g.seen[i] >= 0 && !g.ships[i].changed(d, g.seen[i], g.night) {
				continue
			}
			next, _ := slices.BinarySearch(g.ships[i].changes[d], g.night+1)
			until := g.nights
			if next < len(g.ships[i].changes[d]) {
				until = g.ships[i].changes[d][next]
			}
			nights += float64(until - g.night)
		}
		return nights
	})
}}

// ours is Decide with rates that it learns from what its lookups and lists show. The other two leave
// out one of its ideas: the changes that the list shows, and the rates that it learns.
var (
	ours         = strategy{name: "this plan", learns: true, choose: func(g *game) []int { return decide(g, func(*inputs.Target) {}) }}
	withoutSigns = strategy{name: "no signs", learns: true, choose: func(g *game) []int { return decide(g, func(t *inputs.Target) { t.ChangedAt = time.Time{} }) }}
	withoutRates = strategy{name: "priors", choose: func(g *game) []int { return decide(g, func(*inputs.Target) {}) }}
)

func decide(g *game, change func(*inputs.Target)) []int {
	var targets []inputs.Target
	for _, i := range g.known() {
		t := g.targets[i]
		change(&t)
		targets = append(targets, t)
	}
	job := Job{List: List{By: "none"}, Lookup: Lookup{Want: g.want, MaxAge: time.Duration(g.maxAge) * 24 * time.Hour, MaxRequests: g.lookups}}
	var chosen []int
	for _, id := range Decide(job, Inputs{Now: g.now(), Targets: targets, Rates: g.rates}, documented).Lookups {
		imo, err := strconv.Atoi(id)
		if err != nil {
			panic(err) // every ship has an IMO number
		}
		chosen = append(chosen, imo-1)
	}
	return chosen
}

// longestWaited is the longest wait of any vessel that README.md states, in maximum ages or rounds of the
// fleet, whichever is longer.
const longestWaited = 2.5

// TestThePlanIsNearTheBestPossible plays each mix, and compares the plan with the policy that knows the true
// rate of each vessel, and with with round robin: it is within 5 % of the one, never below the other, and
// no vessel waits longer than stated.
func TestThePlanIsNearTheBestPossible(t *testing.T) {
	for n, m := range mixes {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(m, uint64(n+1))
			robin, plan, bound := w.play(roundRobin), w.play(ours), w.play(knownRates)
			t.Logf("%.3f round robin, %.3f this plan, %.3f with known rates; the longest wait is %d nights", robin.right, plan.right, bound.right, plan.oldest)
			if plan.right < 0.95*bound.right || plan.right < robin.right {
				t.Errorf("%.3f is right, %.3f with known rates, %.3f round robin", plan.right, bound.right, robin.right)
			}
			if most := longestWaited * max(float64(m.maxAge), float64(m.vessels)/float64(m.lookups)); float64(plan.oldest) > most {
				t.Errorf("a vessel waited %d nights, more than %.0f", plan.oldest, most)
			}
		})
	}
}

// BenchmarkBound prints what share of vessel-nights is right under each policy, and the longest wait in
// nights.
//
//	go test ./pipeline/plan -run '^$' -bench Bound -benchtime 1x
func BenchmarkBound(b *testing.B) {
	strategies := []strategy{roundRobin, oldestFirst, byChance, withoutSigns, withoutRates, ours, knownRates, knownChanges}
	for b.Loop() {
		fmt.Fprintf(os.Stdout, "\n%-31s%8s%8s", "90 nights", "vessels", "a night")
		for _, s := range strategies {
			fmt.Fprintf(os.Stdout, "%20s", s.name)
		}
		fmt.Fprintln(os.Stdout)
		for n, m := range mixes {
			w := newWorld(m, uint64(n+1))
			fmt.Fprintf(os.Stdout, "%-31s%8d%8d", m.name, m.vessels, m.lookups)
			for _, s := range strategies {
				r := w.play(s)
				fmt.Fprintf(os.Stdout, "%14.3f (%3d)", r.right, r.oldest)
			}
			fmt.Fprintln(os.Stdout)
		}
	}
}
