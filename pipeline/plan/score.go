package plan

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Weights of the terms of a score. 1 is the value of correcting a stored dataset that is certainly
// wrong; the others are relative to that.
const (
	worthWatched = 100.0 // a person asked for it
	worthNever   = 1.0   // nothing is stored: every answer is new
	worthChanged = 0.9   // the list reported a change since it was looked up
	worthStale   = 1.0   // times the chance that it changed unseen
	worthAid     = 0.1   // factor for aids to navigation: beacons have hardly any particulars
	worthOverdue = 1.0   // for each max_age beyond the first: it grows until the vessel is looked up
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
	job     Job
	now     time.Time
	rates   Rates
	watched map[string]bool
}

// NewScorer returns what scores the vessels of a job with these inputs.
func NewScorer(job Job, f Inputs) scorer {
	s := scorer{job: job, now: f.Now, rates: f.Rates, watched: map[string]bool{}}
	for _, id := range job.Lookup.Watch {
		s.watched[id] = true
	}
	return s
}

// Score returns the value of looking t up now. The total of a vessel that is not due is 0.
func (s scorer) Score(t warehouse.Target) Score {
	at, credits := SeenAt(s.job.Lookup, t), s.job.Lookup.Operation().Credits
	sc := Score{Credits: credits}
	age := s.now.Sub(at)
	never, changed, watched := at.IsZero(), !at.IsZero() && t.ChangedAt.After(at) && Steady(t, age), s.watched[AskFor(t)] || s.watched[t.MMSI]
	due := never || changed || age >= s.job.Lookup.MaxAge || watched && age >= watchEvery
	if !due {
		return sc
	}
	factor := 1.0
	if !t.IsVessel {
		factor = worthAid
	}
	add := func(name string, value, weight float64, why string) {
		sc.Terms = append(sc.Terms, Term{name, value, weight, why})
		sc.Total += value * weight / float64(credits)
	}
	if watched {
		add("watched", 1, worthWatched, "on the watch list")
	}
	switch {
	case never:
		add("never seen", 1, worthNever*factor, "no answer is stored")
	case changed:
		add("changed", 1, worthChanged*factor, "its registration changed since it was looked up")
	default:
		add("stale", s.stale(t, age), worthStale*factor, "the chance that it changed unseen")
	}
	if since := s.waiting(t, age); s.job.Lookup.MaxAge > 0 && since > s.job.Lookup.MaxAge {
		add("overdue", float64(since)/float64(s.job.Lookup.MaxAge)-1, worthOverdue, "how many times its maximum age it has waited")
	}
	return sc
}

// settle is how long after a lookup a change of the registration counts for nothing.
const settle = 20 * time.Hour

// Steady reports whether a change of a vessel that was looked up age ago is a reason to look it up
// again. A vessel that the list and the profile always disagree about changes with every answer, and
// would be looked up every night for nothing.
func Steady(t warehouse.Target, age time.Duration) bool { return age >= settle && t.Versions <= 3 }

// watchEvery is how often a vessel on the watch list is looked up: every night.
const watchEvery = 20 * time.Hour

// stale is the probability that a vessel of its category changed within its age.
func (s scorer) stale(t warehouse.Target, age time.Duration) float64 {
	rate := 0.0
	for _, want := range s.job.Lookup.Want {
		if want != "position" || len(s.job.Lookup.Want) == 1 { // beside other datasets a position is no reason of its own
			rate = max(rate, s.rates.PerDay(want, t))
		}
	}
	return max(leastStale, 1-math.Exp(-rate*age.Hours()/24))
}

// leastStale is the probability of a change where none was ever observed: a due lookup has some value.
const leastStale = 0.01

// waiting is how long a vessel has waited: since its last lookup, or since it was first listed.
func (s scorer) waiting(t warehouse.Target, age time.Duration) time.Duration {
	if SeenAt(s.job.Lookup, t).IsZero() {
		if t.FirstSeen.IsZero() {
			return 0
		}
		return s.now.Sub(t.FirstSeen)
	}
	return age
}

// lookups returns the numbers of the vessels that are due, the highest score first.
func lookups(job Job, f Inputs) []string {
	if len(job.Lookup.Want) == 0 {
		return nil
	}
	s := NewScorer(job, f)
	type scored struct {
		id, vessel string
		total      float64
	}
	var due []scored
	for _, t := range f.Targets {
		id := AskFor(t)
		if id == "" || f.Refused[id] || f.unpaid(api.Lookup(job.Lookup.Operation(), id)) == 0 {
			continue
		}
		if sc := s.Score(t); sc.Total > 0 {
			due = append(due, scored{id, t.VesselID, sc.Total})
		}
	}
	slices.SortFunc(due, func(a, b scored) int {
		return cmp.Or(-cmp.Compare(a.total, b.total), strings.Compare(a.vessel, b.vessel))
	})
	ids := make([]string, len(due))
	for i, d := range due {
		ids[i] = d.id
	}
	return ids
}
