package plan

import (
	"math"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// Factors of a score, which is in days: the days for which a lookup makes stored datasets right, by
// credit. No dataset is counted on for more than mostDays, so that a watched vessel comes first, and one
// that waits too long before all others.
const (
	mostDays     = 10 * 365.0
	worthWatched = 1e8   // a person asked for it
	aidFactor    = 0.001 // factor for aids to navigation: beacons have hardly any particulars, and vessels come first
	worthOverdue = 1e5   // for each wait of the longest wait
)

// The longest wait of a vessel, in maximum ages, or in rounds of the fleet if one takes longer than the
// maximum age: the credits do not reach for less. The pace of lookups is that of the last week.
const (
	mostRoundsWaited = 2
	paceOver         = 7 * 24 * time.Hour
)

// Term is one reason to look a vessel up: its value times its weight is what it adds.
type Term struct {
	Name   string  `json:"term"`
	Value  float64 `json:"value"`
	Weight float64 `json:"weight"`
	Why    string  `json:"why"`
}

// Score is the value of a lookup per credit, with the terms that it consists of.
type Score struct {
	Terms   []Term  `json:"terms"`
	Credits int     `json:"credits"`
	Total   float64 `json:"total"` // sum of value times weight, by credit
}

// scorer scores vessels for one job on one night. It is pure: the same inputs give the same scores.
type scorer struct {
	want    []string // datasets
	maxAge  time.Duration
	often   time.Duration // how old what is known of a watched vessel may get
	now     time.Time
	credits float64 // of a lookup
	rates   Rates
	groups  map[group]*hazards // of the vessels scored so far
	watched numbers
	only    bool          // no others are due
	rest    []string      // the wanted datasets but the position, if that is bought alone; else empty
	longest time.Duration // the longest wait; 0 is none
}

// group is the vessels that change at the same rates.
type group struct {
	category, flag string
	ageBand        int
}

// hazard is how often a dataset of a group changes, and what the list shows of it.
type hazard struct {
	silent, announced float64 // changes per day without and with one of the registration
	signal            float64 // the days that a change of the registration counts as
}

// hazards are those of the wanted datasets.
type hazards [4]hazard

// NewScorer returns what scores the vessels of a job with these inputs.
func NewScorer(job Job, f Inputs) *scorer {
	s := newScorer(job, f)
	if len(s.want) > 0 {
		recent := 0
		for i := range f.Targets {
			recent += s.recent(oldestOf(s.want, &f.Targets[i]))
		}
		s.longest = s.longestWait(recent, len(f.Targets))
	}
	return s
}

// newScorer leaves out the longest wait.
func newScorer(job Job, f Inputs) *scorer {
	s := &scorer{want: job.Lookup.Want, maxAge: job.Lookup.MaxAge, often: job.Lookup.WatchAge(), now: f.Now,
		credits: float64(job.Lookup.Operation().Credits), rates: f.Rates,
		groups: map[group]*hazards{}, watched: numbers{map[int]bool{}, map[string]bool{}}}
	for _, id := range job.Lookup.Watch {
		s.watched.add(id)
	}
	if s.only = job.Lookup.WatchedOnly; job.Lookup.PositionsAlone() {
		s.rest = slices.DeleteFunc(slices.Clone(s.want), func(w string) bool { return w == "position" })
	}
	return s
}

// recent is 1 if a lookup counts for the pace, and 0 if it is older.
func (s *scorer) recent(at time.Time) int {
	if s.now.Sub(at) <= min(s.maxAge, paceOver) {
		return 1
	}
	return 0
}

// longestWait returns the longest wait of a fleet of which some vessels were looked up recently.
func (s *scorer) longestWait(recent, vessels int) time.Duration {
	round := s.maxAge
	if recent > 0 {
		round = max(round, time.Duration(float64(min(s.maxAge, paceOver))*float64(vessels)/float64(recent)))
	}
	return mostRoundsWaited * round
}

// reason is a part of a score: how many stored datasets are expected to be wrong, and the days for
// which a lookup makes them right.
type reason struct{ wrong, days float64 }

// reasons are the parts of a score.
type reasons struct {
	due, watched                   bool
	positionAlone                  bool // nothing but the position is due
	never, missing, changed, stale reason
	waited                         time.Duration // since the last lookup, or since it was first listed
}

// total is the value of a lookup in days.
func (r *reasons) total() float64 {
	sum := r.never.days + r.missing.days + r.changed.days + r.stale.days
	if r.watched {
		sum += worthWatched
	}
	return sum
}

// overdue is how many times the longest wait a vessel has waited, from 1 on; else 0.
func overdue(waited, longest time.Duration) float64 {
	if longest <= 0 || waited < longest {
		return 0
	}
	return float64(waited) / float64(longest)
}

// reasons returns the reasons for looking t up now; oldest is when the oldest of the wanted datasets was
// seen.
func (s *scorer) reasons(t *inputs.Target, oldest time.Time) (r reasons) {
	age, never := s.now.Sub(oldest), oldest.IsZero()
	r.watched = len(s.watched.mmsi) > 0 && (s.watched.has(t) || s.watched.mmsi[t.MMSI])
	switch {
	case s.only && !r.watched:
		return r
	case r.watched && len(s.rest) > 0 && !s.isDue(t, oldestOf(s.rest, t)):
		r.positionAlone = true
		r.due = s.now.Sub(t.PositionAt) >= s.often
	default:
		r.due = s.isDue(t, oldest) || r.watched && age >= s.often
	}
	if !r.due {
		return r
	}
	h, weight := s.hazards(t), 1.0
	if !t.IsVessel {
		weight *= aidFactor
	}
	for i, dataset := range s.want {
		part, days := &r.never, math.Inf(1)
		if at := *t.Seen(dataset); !at.IsZero() {
			age := age
			if !at.Equal(oldest) {
				age = s.now.Sub(at)
			}
			part, days = &r.stale, max(0, age.Hours()/24)
			switch {
			case t.MissingSince.After(at):
				part, days = &r.missing, days+h[i].signal
			case t.ChangedAt.After(at) && steady(t, age):
				part, days = &r.changed, days+h[i].signal
			}
		}
		gained, right := gain(days, h[i].silent, h[i].announced)
		part.wrong += 1 - right
		part.days += weight * gained
	}
	switch {
	case !never:
		r.waited = age
	case !t.FirstSeen.IsZero():
		r.waited = s.now.Sub(t.FirstSeen)
	}
	return r
}

// isDue reports whether datasets that were last seen then are due for any vessel: they never were, they
// are too old, the registration has changed since, or the list has missed the vessel since. What the list
// misses has changed its flag or type, or is gone: a lookup by its number says which.
func (s *scorer) isDue(t *inputs.Target, seen time.Time) bool {
	age := s.now.Sub(seen)
	return seen.IsZero() || age >= s.maxAge || t.MissingSince.After(seen) || t.ChangedAt.After(seen) && steady(t, age)
}

// DueAt returns when a vessel that is not due now, and whose registration stays as it is, is due again; zero
// for never.
func (s *scorer) DueAt(t inputs.Target) time.Time {
	watched := s.watched.has(&t) || s.watched.mmsi[t.MMSI]
	all := oldestOf(s.want, &t)
	switch {
	case s.only && !watched:
		return time.Time{}
	case all.After(s.now): // its last answers had no value
		return all
	case watched && len(s.rest) > 0:
		rest, position := oldestOf(s.rest, &t).Add(s.maxAge), t.PositionAt.Add(s.often)
		if position.Before(rest) {
			return position
		}
		return rest
	case watched:
		return all.Add(s.often)
	}
	return all.Add(s.maxAge)
}

// hazards returns the rates of the group of a vessel.
func (s *scorer) hazards(t *inputs.Target) *hazards {
	g := group{t.Category, t.Flag, t.AgeBand}
	h, known := s.groups[g]
	if !known {
		h = &hazards{}
		for i, dataset := range s.want {
			silent, follows := max(1/mostDays, s.rates.PerDay(dataset, *t)), s.rates.Follows(dataset)
			h[i] = hazard{silent, follows * s.rates.PerDay("registration", *t), -math.Log1p(-follows) / silent}
		}
		s.groups[g] = h
	}
	return h
}

// Score returns the value of looking t up now. The total of a vessel that is not due is 0.
func (s *scorer) Score(t inputs.Target) Score {
	sc := Score{Credits: int(s.credits)}
	r := s.reasons(&t, oldestOf(s.want, &t))
	if r.positionAlone {
		sc.Credits = PositionAlone.Credits
	}
	if !r.due {
		return sc
	}
	add := func(name string, value, weight float64, why string) {
		if value*weight > 0 {
			sc.Terms = append(sc.Terms, Term{name, value, weight, why})
			sc.Total += value * weight / float64(sc.Credits)
		}
	}
	if r.watched {
		add("watched", 1, worthWatched, "on the watch list")
	}
	for _, part := range []struct {
		name string
		reason
		why string
	}{
		{"never seen", r.never, "datasets of which no answer is stored, times the days that an answer stays right"},
		{"missing", r.missing, "datasets that are doubtful since the list missed the vessel, times the days that a lookup gains"},
		{"changed", r.changed, "datasets that are wrong since the registration changed, times the days that a lookup gains"},
		{"stale", r.stale, "datasets that changed unseen, times the days that a lookup gains"},
	} {
		add(part.name, part.wrong, part.days/max(part.wrong, math.SmallestNonzeroFloat64), part.why)
	}
	add("overdue", overdue(r.waited, s.longest), worthOverdue, "how many times the longest wait it has waited")
	return sc
}

// settle is how long after a lookup a change of the registration counts for nothing.
const settle = 20 * time.Hour

// Steady reports whether a change of a vessel that was looked up age ago is a reason to look it up
// again. A vessel that the list and the profile always disagree about changes with every answer, and
// would be looked up every night for nothing.
func Steady(t inputs.Target, age time.Duration) bool { return steady(&t, age) }

func steady(t *inputs.Target, age time.Duration) bool { return age >= settle && t.Versions <= 3 }

// watchEvery is how old what is known of a vessel on the watch list may get, unless the maximum age is
// less: every night it is looked up. If the position is wanted beside other datasets, that is how old the
// position may get; the others are looked up when they are due for any vessel.
const watchEvery = 20 * time.Hour

// WatchAge is how old the position, or what is known in all, of a watched vessel may get.
func (l Lookup) WatchAge() time.Duration { return min(watchEvery, l.MaxAge) }
