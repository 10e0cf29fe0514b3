package forecast

import (
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// fleet is the vessels of a simulation: those that the warehouse knows, which are what plan.Decide sees,
// and beside them what it does not see. The slices have an element for each vessel.
type fleet struct {
	targets []inputs.Target
	byID    map[string]int32     // the index of a vessel, by the number that it is looked up by
	seen    [][]int32            // minutes since start when a dataset was last observed, by dataset; never is none
	perDay  [][]float32          // changes of a dataset, by dataset
	places  map[string][]uint16  // the index of a vessel's partition, by kind; nowhere is none
	state   []condition          //
	refused map[string]time.Time // until when a number is not looked up
	misses  map[string]int       // how often a number was not found

	hidden  []hidden // vessels that no search has listed yet
	changed []int32  // vessels whose registration changed, and no search has listed the change yet
	left    []int32  // vessels that left the list, and no search has shown it yet

	start    time.Time
	rates    plan.Rates
	datasets []string
	stays    []float64 // chance that a dataset stays as it is when the registration changes
	yield    []float64 // share of the answers that have a dataset
	missing  float64   // share of the vessels that the service does not know by their number
	listed   int       // ships on the list
	counter  []int     // of measure
	maxAge   int       // in hours; the job's max_age and a day
}

// condition is a set of facts about a vessel that the warehouse does not know.
type condition uint8

const (
	gone     condition = 1 << iota // it has left the list
	stale                          // its registration changed, and the list has not been read since
	outdated                       // its registration changed since its last lookup
)

// hidden is a vessel that no search has listed yet.
type hidden struct {
	places map[string]uint16
	like   int32 // a known vessel that it resembles; below 0 is none
}

const (
	never   = -1 << 31 // the time of a dataset that was not observed
	nowhere = 1<<16 - 1
)

// newFleet copies the vessels of a state.
func newFleet(s State, job plan.Job) *fleet {
	f := &fleet{targets: append(make([]inputs.Target, 0, len(s.Targets)+len(s.Targets)/10+s.Unlisted), s.Targets...),
		byID:   make(map[string]int32, len(s.Targets)),
		places: map[string][]uint16{}, state: make([]condition, len(s.Targets)), refused: map[string]time.Time{},
		misses: map[string]int{},
		start:  s.Now, rates: s.Rates, datasets: Datasets(job.Lookup), maxAge: int(job.Lookup.MaxAge.Hours()) + 24}
	f.seen, f.perDay = make([][]int32, len(f.datasets)), make([][]float32, len(f.datasets))
	for d, dataset := range f.datasets {
		f.stays = append(f.stays, 1-s.Rates.Follows(dataset))
		f.seen[d], f.perDay[d] = make([]int32, len(s.Targets)), make([]float32, len(s.Targets))
		for i := range f.targets {
			t := &f.targets[i]
			f.seen[d][i] = f.minutes(*t.Seen(dataset))
			f.perDay[d][i] = float32(s.Rates.PerDay(dataset, *t))
		}
	}
	for i := range f.targets {
		f.byID[f.targets[i].Number()] = int32(i)
		if f.newest(i) != never && f.minutes(f.targets[i].ChangedAt) > f.newest(i) {
			f.state[i] |= outdated
		}
	}
	f.assumeAllListed()
	for id := range s.Refused {
		f.refused[id] = s.Now.AddDate(100, 0, 0) // it will be looked up, and not be found, again and again: free of charge
	}
	f.learnAnswers(s)
	return f
}

// assumeAllListed counts every vessel as listed if no list was ever read.
func (f *fleet) assumeAllListed() {
	listed := false
	for i := range f.targets {
		listed = listed || f.targets[i].Listed
	}
	for i := range f.targets {
		f.targets[i].Listed = f.targets[i].Listed || !listed
		if f.counts(i) {
			f.listed++
		}
	}
}

// learnAnswers measures how many lookups find no vessel, and which datasets the answers lack.
func (f *fleet) learnAnswers(s State) {
	f.yield = make([]float64, len(f.datasets))
	answered, refused := 0, 0
	has := make([]int, len(f.datasets))
	for i := range f.targets {
		if !f.counts(i) {
			continue
		}
		newest := f.newest(i)
		switch {
		case newest != never:
			answered++
			for d := range f.datasets {
				if f.seen[d][i] >= newest-60 {
					has[d]++
				}
			}
		case s.Refused[f.targets[i].Number()]:
			refused++
		}
	}
	for d := range f.yield {
		f.yield[d] = 1
		if answered >= enoughAnswers {
			f.yield[d] = float64(has[d]) / float64(answered)
		}
	}
	if answered >= enoughAnswers {
		f.missing = float64(refused) / float64(answered+refused)
	}
}

// enoughAnswers is how many answers show what lookups find.
const enoughAnswers = 100

// newest returns when any dataset of a vessel was last observed.
func (f *fleet) newest(i int) int32 {
	newest := int32(never)
	for d := range f.seen {
		newest = max(newest, f.seen[d][i])
	}
	return newest
}

// minutes returns an instant as the fleet stores it.
func (f *fleet) minutes(at time.Time) int32 {
	if at.IsZero() {
		return never
	}
	return int32(max(at.Sub(f.start)/time.Minute, never+1))
}

// counts reports whether the measures are also of a vessel: whether it is a ship, and listed as far as
// anybody knows.
func (f *fleet) counts(i int) bool { return f.targets[i].IsVessel && f.targets[i].Listed }

// add makes a hidden vessel a known one, and returns its index.
func (f *fleet) add(h hidden, now time.Time) int32 {
	i := int32(len(f.targets))
	t := inputs.Target{IsVessel: true}
	if h.like >= 0 {
		like := f.targets[h.like]
		t = inputs.Target{IsVessel: like.IsVessel, Category: like.Category, Flag: like.Flag, VesselType: like.VesselType}
	}
	t.IMO = inventedIMO + int(i)
	t.VesselID, t.Listed, t.FirstSeen, t.ChangedAt, t.Versions = "IMO"+strconv.Itoa(t.IMO), true, now, now, 1
	f.targets = append(f.targets, t)
	f.byID[t.Number()] = i
	f.state = append(f.state, 0)
	for kind, all := range f.places {
		place, ok := h.places[kind]
		if !ok {
			place = nowhere
		}
		f.places[kind] = append(all, place)
	}
	for d, dataset := range f.datasets {
		f.seen[d], f.perDay[d] = append(f.seen[d], never), append(f.perDay[d], float32(f.rates.PerDay(dataset, t)))
	}
	if f.counts(int(i)) {
		f.listed++
	}
	return i
}

// inventedIMO is above every IMO number that exists.
const inventedIMO = 10_000_000

// look applies the answer to a lookup of a vessel at a time, and returns what it costs.
func (f *fleet) look(i int32, o api.Operation, at time.Time) (credits int) {
	t := &f.targets[i]
	if f.state[i]&gone != 0 || f.newest(int(i)) == never && chance(uint64(i), 0) < f.missing {
		id := t.Number()
		f.refused[id] = at.AddDate(0, 0, min(7<<f.misses[id], 182))
		f.misses[id]++
		return 0
	}
	for d, dataset := range f.datasets {
		if o.Has(dataset) && chance(uint64(i), uint64(d)+1) < f.yield[d] {
			f.seen[d][i] = f.minutes(at)
			*t.Seen(dataset) = at
		}
	}
	if o != plan.PositionAlone {
		f.state[i] &^= outdated
	}
	return o.Credits
}

// refusedNow returns the numbers that are not looked up at a time.
func (f *fleet) refusedNow(now time.Time) map[string]bool {
	refused := make(map[string]bool, len(f.refused))
	for id, until := range f.refused {
		if until.After(now) {
			refused[id] = true
		}
	}
	return refused
}

// chance returns a number from 0 to 1 that is always the same for a vessel and a purpose.
func chance(vessel, purpose uint64) float64 {
	return float64(rand.New(rand.NewPCG(vessel*0x9e3779b97f4a7c15+1, purpose+1)).Uint64()>>11) / (1 << 53)
}
