package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// mix is a fleet, a budget, and what is wanted, over which policies are compared.
type mix struct {
	name      string
	vessels   int
	lookups   int       // a night
	want      []string  // the datasets
	perDay    []float64 // mean changes per vessel and day that the list does not show, by dataset
	announced float64   // mean changes of the registration
	follows   float64   // chance that a dataset changes with the registration
	spread    float64   // how much the rates of groups differ: the standard deviation of the logarithm of each factor
	own       float64   // shape of the gamma distribution of the rates of one group's vessels; 0 is no spread
	listEvery int       // nights between lists
	maxAge    int       // days
	built     float64   // vessels that appear a night, as a share of the fleet
	warm      int       // nights before the ninety that count, in which every policy looks up the oldest first
}

const nightsOfBound = 90

// ship is a vessel of a mix, with its true rates and the nights on which something changes.
type ship struct {
	group     group
	silent    []float64
	announced float64
	changes   [][]int // nights on which a dataset changes, by dataset, in order
	shows     []int   // nights on which the registration changes
	since     int     // the night on which it appears
}

// world is a mix that is played: the same for every policy.
type world struct {
	mix
	ships  []ship
	nights int
}

func newWorld(m mix, seed uint64) *world {
	r := rand.New(rand.NewPCG(seed, 15))
	w := &world{mix: m, nights: m.warm + nightsOfBound}
	lognormal := func() float64 { return math.Exp(m.spread*r.NormFloat64() - m.spread*m.spread/2) }
	factors := func(n int) []float64 {
		all := make([]float64, n)
		for i := range all {
			all[i] = lognormal()
		}
		return all
	}
	type effects struct{ category, band, flag []float64 }
	var silent []effects
	for range m.want {
		silent = append(silent, effects{factors(7), factors(7), factors(40)})
	}
	announced := effects{factors(7), factors(7), factors(40)}
	total := m.vessels + int(float64(m.vessels)*m.built*float64(w.nights))
	for i := range total {
		c, b, f := int(7*math.Pow(r.Float64(), 1.5)), r.IntN(7), int(40*math.Pow(r.Float64(), 2.5))
		s := ship{group: group{fmt.Sprint("category ", c), fmt.Sprint("F", f), b + 1}}
		if i >= m.vessels {
			s.since = 1 + (i-m.vessels)*(w.nights-1)/(total-m.vessels)
		}
		of := func(e effects, mean float64) float64 {
			return mean * e.category[c] * e.band[b] * e.flag[f]
		}
		s.announced = of(announced, m.announced)
		for night := s.since + 1; night < w.nights; night++ {
			if r.Float64() < -math.Expm1(-s.announced) {
				s.shows = append(s.shows, night)
			}
		}
		for d := range m.want {
			s.silent = append(s.silent, of(silent[d], m.perDay[d])*gamma(r, m.own))
			var changes []int
			for night := s.since + 1; night < w.nights; night++ {
				_, shown := slices.BinarySearch(s.shows, night)
				if r.Float64() < -math.Expm1(-s.silent[d]) || shown && r.Float64() < m.follows {
					changes = append(changes, night)
				}
			}
			s.changes = append(s.changes, changes)
		}
		w.ships = append(w.ships, s)
	}
	return w
}

// gamma draws a number with mean 1.
func gamma(r *rand.Rand, shape float64) float64 {
	if shape == 0 {
		return 1
	}
	sum := 0.0
	for range int(shape) { // whole shapes are sums of exponentials
		sum += r.ExpFloat64()
	}
	return sum / float64(int(shape))
}

// game is a world that one policy plays, and what a warehouse would know of it.
type game struct {
	*world
	night   int
	start   time.Time
	seen    []int // the night of the last lookup; -1 is none
	targets []inputs.Target
	spans   map[spanKey]*inputs.Span
	until   []int // what learning has counted, by ship: the night of its latest list
	rates   Rates
}

type spanKey struct {
	dataset string
	group   group
	nights  int
}

func (g *game) now() time.Time { return g.start.AddDate(0, 0, g.night) }

// changed reports whether a dataset changed after a night, up to another.
func (s *ship) changed(d, after, to int) bool {
	i, _ := slices.BinarySearch(s.changes[d], after+1)
	return i < len(s.changes[d]) && s.changes[d][i] <= to
}

// listed is the last night up to now on which the list was read.
func (g *game) listed() int { return g.night - g.night%g.listEvery }

// span is where observations of a dataset of a ship are counted.
func (g *game) span(dataset string, s *ship, nights int) *inputs.Span {
	if nights > 0 { // as rates.sql: intervals of about the same length together
		nights = int(math.Pow(2, math.Round(2*math.Log2(float64(nights)))/2) + .5)
	}
	key := spanKey{dataset, s.group, nights}
	if g.spans[key] == nil {
		g.spans[key] = &inputs.Span{Dataset: dataset, Category: s.group.category, Flag: s.group.flag, AgeBand: s.group.ageBand, Within: float64(nights)}
	}
	return g.spans[key]
}

// lookUp looks a ship up, and counts what that shows.
func (g *game) lookUp(i int) {
	s, last := &g.ships[i], g.seen[i]
	g.seen[i] = g.night
	t := &g.targets[i]
	t.ParticularsAt, t.EngineAt, t.ManagementAt = g.now(), g.now(), g.now()
	if last < 0 {
		return
	}
	k, _ := slices.BinarySearch(s.shows, last+1)
	announced := k < len(s.shows) && s.shows[k] <= g.night
	for d, dataset := range g.want {
		changed, nights := s.changed(d, last, g.night), g.night-last
		switch {
		case announced:
			span := g.span(dataset, s, 0)
			span.Signals++
			if changed {
				span.Followed++
			}
		case changed:
			g.span(dataset, s, nights).Changes++
		default:
			g.span(dataset, s, 0).Unchanged += float64(nights)
		}
	}
}

// list reads tonight's list.
func (g *game) list() {
	for i := range g.ships {
		s := &g.ships[i]
		if s.since > g.night {
			continue
		}
		from := max(s.since, g.until[i])
		k, _ := slices.BinarySearch(s.shows, from+1)
		if k < len(s.shows) && s.shows[k] <= g.night {
			g.span("registration", s, g.night-from).Changes++
			g.targets[i].ChangedAt = g.now().Add(-time.Hour)
		} else {
			g.span("registration", s, 0).Unchanged += float64(g.night - from)
		}
		g.until[i] = g.night
	}
}

// result is what a policy achieved: the share of vessel-nights and datasets that are right, and the
// longest that a vessel waited, in nights.
type result struct {
	right  float64
	oldest int
}

// play plays a strategy.
func (w *world) play(p strategy) result {
	g := &game{world: w, start: time.Date(2026, 9, 1, 2, 0, 0, 0, time.UTC), spans: map[spanKey]*inputs.Span{}, until: make([]int, len(w.ships))}
	for i := range w.ships {
		s := &w.ships[i]
		g.seen = append(g.seen, -1)
		g.targets = append(g.targets, inputs.Target{VesselID: fmt.Sprintf("IMO%07d", i+1), IMO: i + 1, IsVessel: true, Versions: 1,
			Category: s.group.category, Flag: s.group.flag, AgeBand: s.group.ageBand, FirstSeen: g.start.AddDate(0, 0, s.since)})
	}
	right, all, oldest := 0, 0, 0
	for g.night = range w.nights {
		if g.night%w.listEvery == 0 {
			g.list()
		}
		strategy := p
		if g.night < w.warm {
			strategy = oldestFirst
		} else if p.learns {
			if (g.night-w.warm)%7 == 0 {
				g.rates = g.learn()
			}
		}
		chosen := strategy.choose(g)
		for _, i := range chosen[:min(len(chosen), w.lookups)] {
			g.lookUp(i)
		}
		if g.night < w.warm {
			continue
		}
		for i := range w.ships {
			s := &w.ships[i]
			if s.since > g.night {
				continue
			}
			oldest = max(oldest, g.night-max(g.seen[i], s.since))
			for d := range w.want {
				all++
				if g.seen[i] >= 0 && !s.changed(d, g.seen[i], g.night) {
					right++
				}
			}
		}
	}
	return result{float64(right) / float64(all), oldest}
}

func (g *game) learn() Rates {
	var spans []inputs.Span
	for _, s := range g.spans {
		spans = append(spans, *s)
	}
	return LearnRates(spans)
}
