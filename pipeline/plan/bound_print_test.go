package plan

import (
	"fmt"
	"os"
	"testing"
)

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

func BenchmarkBound(b *testing.B) {
	for b.Loop() {
		strategies := []strategy{roundRobin, oldestFirst, byChance, ours,
			{name: "one rate", choose: func(g *game) []int { return decide(g) }},
			{name: "true group rates", choose: func(g *game) []int {
				return g.by(func(i int) float64 {
					return g.gainOf(i, func(d int) float64 { return g.ships[i].mean[d] }, g.ships[i].announced)
				})
			}},
			{name: "true gated", choose: func(g *game) []int {
				return g.by(func(i int) float64 {
					if age := g.night - g.seen[i]; g.seen[i] >= 0 && age < g.maxAge && !g.shownSince(i) {
						return 0
					}
					return g.gainOf(i, func(d int) float64 { return g.ships[i].silent[d] }, g.ships[i].announced)
				})
			}},
			{name: "true bounded", choose: func(g *game) []int {
				return g.by(func(i int) float64 {
					if age := g.night - max(g.seen[i], g.ships[i].since); age >= 2*max(g.maxAge, g.vessels/g.lookups) {
						return 1e7 * float64(age)
					}
					return g.gainOf(i, func(d int) float64 { return g.ships[i].silent[d] }, g.ships[i].announced)
				})
			}},
			knownRates, knownChanges}
		for n, m := range mixes {
			w := newWorld(m, uint64(n+1))
			fmt.Fprintf(os.Stdout, "%-40s", m.name)
			for _, s := range strategies {
				r := w.play(s)
				fmt.Fprintf(os.Stdout, "  %s %.3f (%d)", s.name, r.right, r.oldest)
			}
			fmt.Fprintln(os.Stdout)
		}
	}
}
