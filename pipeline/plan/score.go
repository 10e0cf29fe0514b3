package plan

import (
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

// Factors of a score, which is in years: the years for which a lookup makes stored datasets right, by
// credit. No dataset is counted on for more than mostYears, so that a watched vessel comes first, and one
// that waits too long before all others.
const (
	mostYears    = 10.0
	worthWatched = 1e6   // a person asked for it
	worthAid     = 0.001 // factor for aids to navigation: beacons have hardly any particulars, and vessels come first
	worthOverdue = 100   // for each wait of the longest wait
)

// mostRoundsWaited is the longest wait of a vessel, in maximum ages, or in rounds of the fleet if one
// takes longer than the maximum age.
const mostRoundsWaited = 2

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
	job     Job
	now     time.Time
	credits float64
	rates   Rates
	follows []float64          // by wanted dataset
	groups  map[group]*hazards // of the vessels scored so far
	watched map[string]bool    // IMO and MMSI numbers
	longest time.Duration      // the longest wait; 0 is none
}

// group is the vessels that change at the same rates.
type group struct {
	category, flag string
	ageBand        int
}

// hazards are the changes per day of a group.
type hazards struct {
	silent    []float64 // of each wanted dataset, while the registration stays as it is
	announced float64   // of the registration
}

// NewScorer returns what scores the vessels of a job with these inputs.
func NewScorer(job Job, f Inputs) *scorer {
	s := &scorer{job: job, now: f.Now, credits: float64(job.Lookup.Operation().Credits), rates: f.Rates, groups: map[group]*hazards{}, watched: map[string]bool{}}
	for _, id := range job.Lookup.Watch {
		s.watched[id] = true
	}
	for _, dataset := range job.Lookup.Want {
		s.follows = append(s.follows, f.Rates.Follows(dataset))
	}
	s.longest = mostRoundsWaited * max(job.Lookup.MaxAge, s.round(f.Targets))
	return s
}

// paceOver is the time over which the pace of lookups is measured, or the maximum age if that is less.
const paceOver = 7 * 24 * time.Hour

// round is how long it takes to look every vessel up once, at the pace of the last maximum age; 0 if
// no lookup was made then.
func (s *scorer) round(targets []warehouse.Target) time.Duration {
	recent, window := 0, min(s.job.Lookup.MaxAge, paceOver)
	since := s.now.Add(-window)
	for i := range targets {
		if !oldestOf(s.job.Lookup.Want, &targets[i]).Before(since) {
			recent++
		}
	}
	if recent == 0 {
		return 0
	}
	return time.Duration(float64(window) * float64(len(targets)) / float64(recent))
}

// reason is a part of a score: how many stored datasets are expected to be wrong, and the years for
// which a lookup makes them right.
type reason struct{ wrong, years float64 }

// reasons are the parts of a score. The zero value is of a vessel that is not due.
type reasons struct {
	watched               bool
	never, changed, stale reason
	overdue               float64 // waits of the longest wait, from 1 on; else 0
}

// total is the value per credit.
func (r *reasons) total(credits float64) float64 {
	sum := r.never.years + r.changed.years + r.stale.years + r.overdue*worthOverdue
	if r.watched {
		sum += worthWatched
	}
	return sum / credits
}

// reasons returns the reasons for looking t up now.
func (s *scorer) reasons(t *warehouse.Target) (r reasons) {
	oldest := oldestOf(s.job.Lookup.Want, t)
	age, never := s.now.Sub(oldest), oldest.IsZero()
	changed, watched := !never && t.ChangedAt.After(oldest) && steady(t, age), len(s.watched) > 0 && (s.watched[askFor(t)] || s.watched[t.MMSI])
	if !never && !changed && age < s.job.Lookup.MaxAge && (!watched || age < watchEvery) {
		return r
	}
	r.watched = watched
	h, weight := s.hazards(t), 1/daysOfYear
	if !t.IsVessel {
		weight *= worthAid
	}
	for i, dataset := range s.job.Lookup.Want {
		part, at, right := &r.stale, seenAt(dataset, t), 0.0
		switch {
		case at.IsZero():
			part = &r.never
		default:
			age := s.now.Sub(at)
			right = stillRight(h.silent[i], age)
			if t.ChangedAt.After(at) && steady(t, age) {
				part, right = &r.changed, right*(1-s.follows[i])
			}
		}
		part.wrong += 1 - right
		part.years += weight * gain(right, h.silent[i], h.announced*s.follows[i])
	}
	if s.longest > 0 {
		if waited := s.waiting(t, age); waited >= s.longest {
			r.overdue = float64(waited) / float64(s.longest)
		}
	}
	return r
}

const daysOfYear = 365.25

// hazards returns the rates of the group of a vessel.
func (s *scorer) hazards(t *warehouse.Target) *hazards {
	g := group{t.Category, t.Flag, t.AgeBand}
	h, known := s.groups[g]
	if !known {
		h = &hazards{announced: s.rates.PerDay("registration", *t)}
		for _, dataset := range s.job.Lookup.Want {
			h.silent = append(h.silent, max(1/(mostYears*daysOfYear), s.rates.PerDay(dataset, *t)))
		}
		s.groups[g] = h
	}
	return h
}

// Score returns the value of looking t up now. The total of a vessel that is not due is 0.
func (s *scorer) Score(t warehouse.Target) Score {
	r := s.reasons(&t)
	sc := Score{Credits: int(s.credits), Total: r.total(s.credits)}
	if r.watched {
		sc.Terms = append(sc.Terms, Term{"watched", 1, worthWatched, "on the watch list"})
	}
	for _, part := range []struct {
		name string
		reason
		why string
	}{
		{"never seen", r.never, "datasets of which no answer is stored, times the years that one stays right"},
		{"changed", r.changed, "datasets that changed with the registration, times the years that a lookup makes one right"},
		{"stale", r.stale, "datasets that changed unseen, times the years that a lookup makes one right"},
	} {
		if part.years > 0 {
			sc.Terms = append(sc.Terms, Term{part.name, part.wrong, part.years / part.wrong, part.why})
		}
	}
	if r.overdue > 0 {
		sc.Terms = append(sc.Terms, Term{"overdue", r.overdue, worthOverdue, "how many times the longest wait it has waited"})
	}
	return sc
}

// settle is how long after a lookup a change of the registration counts for nothing.
const settle = 20 * time.Hour

// Steady reports whether a change of a vessel that was looked up age ago is a reason to look it up
// again. A vessel that the list and the profile always disagree about changes with every answer, and
// would be looked up every night for nothing.
func Steady(t warehouse.Target, age time.Duration) bool { return steady(&t, age) }

func steady(t *warehouse.Target, age time.Duration) bool { return age >= settle && t.Versions <= 3 }

// watchEvery is how often a vessel on the watch list is looked up: every night.
const watchEvery = 20 * time.Hour

// waiting is how long a vessel has waited: since its last lookup, or since it was first listed.
func (s *scorer) waiting(t *warehouse.Target, age time.Duration) time.Duration {
	if oldestOf(s.job.Lookup.Want, t).IsZero() {
		if t.FirstSeen.IsZero() {
			return 0
		}
		return s.now.Sub(t.FirstSeen)
	}
	return age
}
