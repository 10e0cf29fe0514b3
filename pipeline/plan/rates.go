package plan

import (
	"math"

	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// Rates is how often each dataset of a vessel changes while its registration stays as it is, and how likely it
// changes together with the registration; and how often vessels leave a status and zone. The zero value has learnt
// nothing, and answers with the priors.
type Rates struct{ datasets map[string]model }

// priors are the rates that hold before anything is observed, in changes per vessel and day. Each
// counts as one change observed at that rate, so that observations soon outweigh it. A position is
// not learnt: a ship under way has another one at every observation.
var priors = map[string]float64{
	"registration": 1.0 / 1000, // a new name, flag, type or number about every three years
	"particulars":  1.0 / 1000,
	"engine":       1.0 / 3000,
	"management":   1.0 / 1000,
	"position":     1,
	StatusDataset:  1.0 / 3, // a stay of three days
}

// priorFollows is the assumed chance that a dataset changes together with the registration.
const priorFollows = 0.5

// model is what is known of one dataset: the rate of a vessel is the base times a factor for each
// group that it belongs to.
type model struct {
	base           float64 // changes per vessel and day
	category, flag map[string]float64
	ageBand        map[int]float64
	follows        float64 // chance that the dataset changes when the registration does
}

// PerDay returns how often a dataset of a vessel changes, per day, while its registration stays as it
// is. The dataset registration is how often the registration changes.
func (r Rates) PerDay(dataset string, t inputs.Target) float64 {
	m, learnt := r.datasets[dataset]
	if !learnt {
		return priors[dataset]
	}
	return m.base * factor(m.category, t.Category) * factor(m.ageBand, t.AgeBand) * factor(m.flag, t.Flag)
}

// Follows returns the chance that a dataset changes when the registration of its vessel does.
func (r Rates) Follows(dataset string) float64 {
	if m, learnt := r.datasets[dataset]; learnt {
		return m.follows
	}
	return priorFollows
}

// factor is that of a group; a group that was never observed is like the whole.
func factor[K comparable](of map[K]float64, group K) float64 {
	if f, ok := of[group]; ok {
		return f
	}
	return 1
}

// LearnRates estimates the rates from what answers showed.
//
// A lookup shows whether a dataset differs from the answer before, not when it changed, nor how often
// (interval censoring). Changes are taken as a Poisson process whose rate is a product: a base, and a
// factor for the category, the age band and the flag of the vessel. Each factor has a gamma prior with
// mean 1, and its estimate is the mean of its posterior, (a + changes) / (a + expected changes): a
// group with few observations stays near 1. How strongly, the shape a, is not set: it is the one under
// which the counts of all groups are most likely (they are negative binomial then). An EM iteration
// replaces each pair of different answers by the number of changes to be expected in its interval,
// rate × days / (1 − exp(−rate × days)), and repeats the estimates until they stay.
//
// Sources: Robbins, "An empirical Bayes approach to statistics" (1956), and Efron and Morris (1973) for
// shrinkage to the group; DuMouchel, "Bayesian data mining in large frequency tables" (1999), for the
// gamma-Poisson model whose prior is fitted; Cho and Garcia-Molina, "Estimating frequency of change"
// (2003), for what a visitor sees of changes; Dempster, Laird and Rubin (1977) for the iteration.
func LearnRates(spans []inputs.Span) Rates {
	byDataset := map[string][]inputs.Span{}
	for _, s := range spans {
		byDataset[s.Dataset] = append(byDataset[s.Dataset], s)
	}
	r := Rates{map[string]model{}}
	for dataset, observed := range byDataset {
		if prior := priors[dataset]; prior > 0 {
			r.datasets[dataset] = learn(observed, prior)
		}
	}
	return r
}

const (
	mostRounds = 60   // of the iteration
	settled    = 1e-4 // relative change of the base at which it ends
)

// learn fits the model of one dataset.
func learn(spans []inputs.Span, prior float64) model {
	m := model{base: prior, category: map[string]float64{}, flag: map[string]float64{}, ageBand: map[int]float64{}}
	changes, expected := make([]float64, len(spans)), make([]float64, len(spans))
	for range mostRounds {
		before := m.base
		n, days := 1.0, 1/prior
		for i, s := range spans {
			f := factor(m.category, s.Category) * factor(m.ageBand, s.AgeBand) * factor(m.flag, s.Flag)
			changes[i], expected[i] = float64(s.Changes)*changesWithin(m.base*f*s.Within),
				f*(s.Unchanged+float64(s.Changes)*s.Within)
			n, days = n+changes[i], days+expected[i]
		}
		m.base = n / days
		for i := range expected {
			expected[i] *= m.base
		}
		fit(m.category, spans, changes, expected, func(s inputs.Span) string { return s.Category })
		fit(m.ageBand, spans, changes, expected, func(s inputs.Span) int { return s.AgeBand })
		fit(m.flag, spans, changes, expected, func(s inputs.Span) string { return s.Flag })
		if math.Abs(m.base-before) < settled*before {
			break
		}
	}
	signals, followed := 2.0, 2*priorFollows
	for _, s := range spans {
		signals, followed = signals+float64(s.Signals), followed+float64(s.Followed)
	}
	m.follows = followed / signals
	return m
}

// changesWithin is the expected number of changes between two answers that differ, when so many would
// be expected without knowing that they differ.
func changesWithin(expected float64) float64 {
	if expected < 1e-6 {
		return 1
	}
	return expected / -math.Expm1(-expected)
}

// fit estimates the factors of one grouping, given the changes and what the other factors let expect,
// and updates what is expected.
func fit[K comparable](factors map[K]float64, spans []inputs.Span, changes, expected []float64, group func(inputs.Span) K) {
	sums := map[K]count{}
	for i, s := range spans {
		g := group(s)
		c := sums[g]
		sums[g] = count{c.changes + changes[i], c.expected + expected[i]/factor(factors, g)}
	}
	if len(sums) < 2 {
		return // one group is the whole
	}
	shape, after := shapeOf(sums), map[K]float64{}
	for g, c := range sums {
		after[g] = (shape + c.changes) / (shape + c.expected)
	}
	for i, s := range spans {
		g := group(s)
		expected[i] *= after[g] / factor(factors, g)
	}
	for g, f := range after {
		factors[g] = f
	}
}

// count is the changes of a group, and how many its days let expect at the rate of the whole.
type count struct{ changes, expected float64 }

// leastShape and mostShape bound the shape of a prior: at the least a group owes little to the whole,
// at the most all groups are alike.
const leastShape, mostShape = 0.25, 4096.0

// shapeOf returns the shape of the gamma prior under which the counts are most likely.
func shapeOf[K comparable](sums map[K]count) float64 {
	best, at := math.Inf(-1), mostShape
	for a := mostShape; a >= leastShape; a /= 2 {
		likely := 0.0
		for _, c := range sums {
			likely += logLikely(c, a)
		}
		if likely > best+1e-9 {
			best, at = likely, a
		}
	}
	return at
}

// logLikely is the logarithm of the negative binomial probability of a count, but for terms without
// the shape.
func logLikely(c count, shape float64) float64 {
	with, _ := math.Lgamma(c.changes + shape)
	without, _ := math.Lgamma(shape)
	return with - without + shape*math.Log(shape/(shape+c.expected)) - c.changes*math.Log(shape+c.expected)
}
