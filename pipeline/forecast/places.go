package forecast

import (
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// world is the partitions of the searches with the vessels that they really have, and what the
// warehouse knows of them.
type world struct {
	totals []inputs.Total
	known  map[api.Partition]int // the index of a total
	partly map[api.Partition]int // vessels of partitions that were never covered completely
	kinds  map[string]*kind      // of the list
	sweeps map[api.Partition]int // vessels that a status search lists
	seen   float64               // share of the fleet that status searches list
}

// kind is the partitions of the list of one kind: they list each vessel at most once.
type kind struct {
	names []api.Partition
	place map[api.Partition]uint16
	sizes []int
}

// keyed returns a partition as the service compares it: without regard to case.
func keyed(p api.Partition) api.Partition {
	return api.Partition{Kind: p.Kind, Value: strings.ToLower(p.Value)}
}

// newWorld returns the partitions that a job lists and sweeps. A partition that was never covered has as
// many vessels as a rank-size rule gives it of those that are assumed beside the known ones.
func newWorld(s State, job plan.Job) *world {
	w := &world{totals: slices.Clone(s.Totals), known: map[api.Partition]int{}, partly: map[api.Partition]int{},
		kinds: map[string]*kind{}, sweeps: map[api.Partition]int{}}
	for i, t := range w.totals {
		w.known[keyed(api.Partition{Kind: t.Kind, Value: t.Value})] = i
	}
	for _, p := range s.Partly {
		w.partly[keyed(api.Partition{Kind: p.Kind, Value: p.Value})] = p.Expected
	}
	for _, partitions := range listed(job.List) {
		k := &kind{names: partitions, place: map[api.Partition]uint16{}, sizes: w.sizes(partitions, s.Unlisted)}
		for i, p := range partitions {
			k.place[p] = uint16(i)
		}
		w.kinds[partitions[0].Kind] = k
	}
	searches := plan.Decide(plan.Job{List: plan.List{By: "none"}, Sweep: job.Sweep}, plan.Inputs{Now: s.Now},
		Scenario{}.PerMinute).Sweeps
	var partitions []api.Partition
	for _, search := range searches {
		partitions = append(partitions, keyed(search.Partition()))
	}
	found := 0
	for i, n := range w.sizes(partitions, int(shareWithStatus*float64(s.Unlisted))) {
		w.sweeps[partitions[i]] = n
		found += n
	}
	if all := len(s.Targets) + s.Unlisted; all > 0 {
		w.seen = min(1, float64(found)/float64(all))
	}
	return w
}

// shareWithStatus is the assumed share of the vessels that have a navigational status; the others have
// been silent for long.
const shareWithStatus = 0.8

// listed returns the partitions of each kind that a job may list by.
func listed(l plan.List) (kinds [][]api.Partition) {
	types, countries := l.Types, l.Countries
	all := func(of []string, named func(string) api.Partition) (partitions []api.Partition) {
		for _, v := range of {
			partitions = append(partitions, keyed(named(v)))
		}
		return partitions
	}
	byType := func(of []string) []api.Partition {
		return all(of, func(v string) api.Partition { return api.ListPartition(v, "") })
	}
	byCountry := func(of []string) []api.Partition {
		return all(of, func(v string) api.Partition { return api.ListPartition("", v) })
	}
	switch {
	case l.By == "none":
		return nil
	case len(types) > 0 && len(countries) > 0:
		var pairs []api.Partition
		for _, t := range types {
			pairs = append(pairs, all(countries, func(c string) api.Partition { return api.ListPartition(t, c) })...)
		}
		return [][]api.Partition{pairs}
	case len(types) > 0:
		return [][]api.Partition{byType(types)}
	case len(countries) > 0:
		return [][]api.Partition{byCountry(countries)}
	}
	return [][]api.Partition{byType(api.Types), byCountry(api.Countries)}
}

// sizes returns how many vessels partitions have: those of their last coverage, or those that they
// reported. Where nothing is known of any, each gets a part of the vessels that nothing has listed.
func (w *world) sizes(partitions []api.Partition, unlisted int) []int {
	sizes, unknown := make([]int, len(partitions)), 0.0
	for i, p := range partitions {
		if t, ok := w.known[p]; ok {
			sizes[i] = w.totals[t].Rows
		} else {
			sizes[i] = w.partly[p]
			unknown += 1 / float64(i+1)
		}
	}
	if len(w.partly) > 0 {
		return sizes
	}
	sum := 0.0
	for i, p := range partitions {
		if _, ok := w.known[p]; !ok {
			before := sum
			sum += float64(unlisted) / float64(i+1) / unknown
			sizes[i] = int(sum) - int(before)
		}
	}
	return sizes
}

// cover records that a partition was covered completely.
func (w *world) cover(operation string, p api.Partition, rows int, at time.Time) {
	i, ok := w.known[p]
	if !ok {
		i = len(w.totals)
		w.known[p] = i
		w.totals = append(w.totals, inputs.Total{Operation: operation, Kind: p.Kind, Value: p.Value})
	}
	w.totals[i].Rows, w.totals[i].At = rows, at
}

// unlistedIn returns how many vessels of each partition of a kind no search has listed.
func (w *world) unlistedIn(k *kind) []int {
	sizes := make([]int, len(k.sizes))
	for i, p := range k.names {
		if _, ok := w.known[p]; !ok {
			sizes[i] = k.sizes[i]
		}
	}
	return sizes
}

// drawer draws partitions at random, each as often as it has vessels.
type drawer struct {
	upTo []int // the vessels of all partitions up to this one
	of   int   // vessels in all, those of no partition included
}

func newDrawer(sizes []int, vessels int) drawer {
	d := drawer{upTo: make([]int, len(sizes))}
	for i, n := range sizes {
		d.of += n
		d.upTo[i] = d.of
	}
	d.of = max(d.of, vessels, 1)
	return d
}

// draw returns the index of a partition, or nowhere.
func (d drawer) draw(r *rand.Rand) uint16 {
	i := sort.SearchInts(d.upTo, r.IntN(d.of)+1)
	if i == len(d.upTo) {
		return nowhere
	}
	return uint16(i)
}
