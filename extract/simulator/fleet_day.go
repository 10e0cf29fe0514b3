package simulator

import (
	"strconv"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

// entry is one line of the service's list: a hull under its current flag or, for a while
// after a change of flag, under the previous one. It packs both into one number because a
// fleet of a million vessels has as many entries, in three indexes.
type entry uint32

// newEntry returns the entry of the nth hull, under its previous flag if previous is set.
func newEntry(n int, previous bool) entry {
	if previous {
		return entry(n)<<1 | 1
	}
	return entry(n) << 1
}

// hull returns the number of the hull, its index in fleetDay.hulls.
func (e entry) hull() int { return int(e >> 1) }

// underPreviousFlag reports whether the entry still carries the flag before the last change.
func (e entry) underPreviousFlag() bool { return e&1 == 1 }

// fleetDay is the fleet of one day, indexed for the searches. It never changes once it is
// built, so that requests read it without a lock.
type fleetDay struct {
	model
	shipyard  *shipyard
	config    *Config
	day       int
	date      time.Time
	hulls     []hull
	hullByIMO []uint32 // by ordinal of the IMO number
	states    []state

	entriesByCountry       [][]entry // by index into api.Countries; each in the order of the hulls
	entriesByType          [][]entry // by index into api.Types
	entriesByStatusAndZone [][]entry // by status × zone
	cache                  *cache
}

// newFleetDay derives the state of each hull on a day and indexes the listed vessels. It
// costs time and memory in proportion to the fleet.
func newFleetDay(y *shipyard, m model, c *Config, day int) *fleetDay {
	f := &fleetDay{model: m, shipyard: y, config: c, day: day, date: c.Start.AddDate(0, 0, day), cache: newCache(c.CacheMiB << 20)}
	f.hulls, f.hullByIMO = y.builtUntil(day)
	f.states = make([]state, len(f.hulls))
	for i := range f.hulls {
		f.states[i] = m.stateOn(&f.hulls[i], day)
	}
	f.entriesByCountry = f.groupEntries(len(api.Countries), func(i int, previous bool) int {
		switch s := &f.states[i]; {
		case s.has(noCountry):
			return -1
		case previous:
			return int(s.previousCountry)
		default:
			return int(s.country)
		}
	})
	f.entriesByType = f.groupEntries(len(specificTypes), func(i int, _ bool) int {
		if f.states[i].has(noType) {
			return -1
		}
		return int(f.hulls[i].specificType)
	})
	f.entriesByStatusAndZone = f.groupEntries(len(api.Statuses)*len(zones), func(i int, _ bool) int {
		s := &f.states[i]
		if s.status < 0 {
			return -1
		}
		return int(s.status)*len(zones) + int(s.zone)
	})
	return f
}

// groupEntries returns the entries of the listed vessels by a key; it leaves out those with a
// negative key. It visits the fleet twice, to count and to fill, so that all groups share one
// allocation.
func (f *fleetDay) groupEntries(keys int, key func(i int, previous bool) int) [][]entry {
	counts := make([]int, keys)
	f.eachEntry(func(e entry) {
		if k := key(e.hull(), e.underPreviousFlag()); k >= 0 {
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
	f.eachEntry(func(e entry) {
		if k := key(e.hull(), e.underPreviousFlag()); k >= 0 {
			lists[k] = append(lists[k], e)
		}
	})
	return lists
}

// eachEntry visits the entries of the listed vessels in the order of the hulls, the previous
// flag before the current one.
func (f *fleetDay) eachEntry(visit func(entry)) {
	for i := range f.states {
		s := &f.states[i]
		if !s.has(listed) {
			continue
		}
		if s.has(listedTwice) {
			visit(newEntry(i, true))
		}
		visit(newEntry(i, false))
	}
}

// findEntry returns the entry that a lookup by IMO (seven digits) or MMSI (nine digits)
// means.
func (f *fleetDay) findEntry(number string) (entry, bool) {
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

// findIMO returns the vessel whose IMO number the service stores correctly and that equals
// imo. It inverts the order in which the numbers were issued, because an index by number
// would cost a map of the whole fleet.
func (f *fleetDay) findIMO(imo uint32) (entry, bool) {
	six := uint64(imo / 10)
	if six < f.shipyard.lowestIMO {
		return 0, false
	}
	ordinal := f.shipyard.imoOrder.invert(six - f.shipyard.lowestIMO)
	if ordinal >= uint64(len(f.hullByIMO)) {
		return 0, false
	}
	n := int(f.hullByIMO[ordinal])
	found := n < len(f.states) && f.hulls[n].imo == imo && f.states[n].has(exists|storesIMO)
	return newEntry(n, false), found
}

// findMMSI returns the vessel that has the MMSI now, or that is still listed under it.
func (f *fleetDay) findMMSI(mmsi uint32) (entry, bool) {
	for _, n := range f.shipyard.hullsWithMMSI(mmsi, len(f.states)) {
		s := &f.states[n]
		if !s.has(exists) {
			continue
		}
		for _, e := range []entry{newEntry(int(n), false), newEntry(int(n), true)} {
			if (!e.underPreviousFlag() || s.has(listedTwice)) && f.mmsi(e) == mmsi {
				return e, true
			}
		}
	}
	return 0, false
}

// country returns the country of registration that an entry carries, as an index into
// api.Countries.
func (f *fleetDay) country(e entry) int {
	if e.underPreviousFlag() {
		return int(f.states[e.hull()].previousCountry)
	}
	return int(f.states[e.hull()].country)
}

// mmsi returns the MMSI that an entry carries: its own, or the one that it shares.
func (f *fleetDay) mmsi(e entry) uint32 {
	if h := &f.hulls[e.hull()]; h.sharesOn(sharesMMSI, f.day) {
		e = newEntry(int(h.other), false)
	}
	return f.shipyard.mmsiIn(&f.hulls[e.hull()], f.country(e))
}
