package simulator

import (
	"strconv"
	"time"

	"github.com/fleetlake/fleetlake/extract"
)

// entry is one line of the list: a hull, and whether it stands under its flag before.
type entry uint32

func newEntry(n int, old bool) entry {
	if old {
		return entry(n)<<1 | 1
	}
	return entry(n) << 1
}

func (e entry) hull() int { return int(e >> 1) }
func (e entry) old() bool { return e&1 == 1 }

// census is the fleet of one day, indexed for the searches. It never changes.
type census struct {
	laws
	yard   *yard
	config *Config
	day    int
	date   time.Time
	hulls  []hull
	byIMO  []uint32
	states []state

	byCountry [][]entry // by stored country, in the order of the hulls
	byKind    [][]entry
	byZone    [][]entry // by status and zone
	cache     *cache
}

// take counts the fleet of a day.
func take(y *yard, l laws, c *Config, day int) *census {
	f := &census{laws: l, yard: y, config: c, day: day, date: c.Start.AddDate(0, 0, day), cache: newCache(c.CacheMiB << 20)}
	f.hulls, f.byIMO = y.until(day)
	f.states = make([]state, len(f.hulls))
	for i := range f.hulls {
		f.states[i] = l.on(&f.hulls[i], day)
	}
	f.byCountry = f.index(len(extract.Countries), func(i int, old bool) int {
		switch s := &f.states[i]; {
		case s.has(noCountry):
			return -1
		case old:
			return int(s.before)
		default:
			return int(s.country)
		}
	})
	f.byKind = f.index(len(kinds), func(i int, _ bool) int {
		if f.states[i].has(noType) {
			return -1
		}
		return int(f.hulls[i].kind)
	})
	f.byZone = f.index(len(extract.Statuses)*len(zones), func(i int, _ bool) int {
		s := &f.states[i]
		if s.status < 0 {
			return -1
		}
		return int(s.status)*len(zones) + int(s.zone)
	})
	return f
}

// index lists the entries of the listed vessels by a key; a negative key is left out. It
// goes over the fleet twice so that the lists share one piece of memory.
func (f *census) index(keys int, key func(i int, old bool) int) [][]entry {
	counts := make([]int, keys)
	f.each(func(e entry) {
		if k := key(e.hull(), e.old()); k >= 0 {
			counts[k]++
		}
	})
	total := 0
	for _, n := range counts {
		total += n
	}
	all, lists := make([]entry, total), make([][]entry, keys)
	for k, n := range counts {
		lists[k], all = all[:0:n], all[n:]
	}
	f.each(func(e entry) {
		if k := key(e.hull(), e.old()); k >= 0 {
			lists[k] = append(lists[k], e)
		}
	})
	return lists
}

// each visits the entries of the listed vessels, the old flag before the new one.
func (f *census) each(visit func(entry)) {
	for i := range f.states {
		s := &f.states[i]
		if !s.has(listed) {
			continue
		}
		if s.has(twin) {
			visit(newEntry(i, true))
		}
		visit(newEntry(i, false))
	}
}

// find is the entry that a lookup by IMO or MMSI means.
func (f *census) find(number string) (entry, bool) {
	n, err := strconv.ParseUint(number, 10, 32)
	switch {
	case err == nil && len(number) == 7:
		return f.findIMO(uint32(n))
	case err == nil && len(number) == 9:
		return f.findMMSI(uint32(n))
	default:
		return 0, false
	}
}

// findIMO finds the vessel whose stored IMO is right and equals the number.
func (f *census) findIMO(imo uint32) (entry, bool) {
	six := uint64(imo / 10)
	if six < f.yard.lowest {
		return 0, false
	}
	ordinal := f.yard.imos.undo(six - f.yard.lowest)
	if ordinal >= uint64(len(f.byIMO)) {
		return 0, false
	}
	n := int(f.byIMO[ordinal])
	found := n < len(f.states) && f.hulls[n].imo == imo && f.states[n].has(alive|storesIMO)
	return newEntry(n, false), found
}

// findMMSI finds the vessel that has the number, or still stands under it.
func (f *census) findMMSI(mmsi uint32) (entry, bool) {
	for _, n := range f.yard.candidates(mmsi, len(f.states)) {
		s := &f.states[n]
		if !s.has(alive) {
			continue
		}
		for _, e := range []entry{newEntry(int(n), false), newEntry(int(n), true)} {
			if (!e.old() || s.has(twin)) && f.mmsi(e) == mmsi {
				return e, true
			}
		}
	}
	return 0, false
}

// country is the registration that an entry stands for, in extract.Countries.
func (f *census) country(e entry) int {
	if e.old() {
		return int(f.states[e.hull()].before)
	}
	return int(f.states[e.hull()].country)
}

func (f *census) mmsi(e entry) uint32 { return f.yard.mmsiUnder(&f.hulls[e.hull()], f.country(e)) }
