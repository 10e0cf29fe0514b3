package simulator

import (
	"slices"
	"sync"
)

// hull is what never changes about a vessel.
type hull struct {
	seed         uint64
	born         int32  // the day on which it was built; negative is before day 0
	imo          uint32 // 0 where it has none
	mmsi         uint32 // of a station; 0 for a ship, whose MMSI depends on its flag
	number       uint32 // in the order of building, from 0
	other        uint32 // number of the hull with which it shares a number, see shares
	specificType uint16 // index into api.Types
	firstCountry uint16 // of registration, as an index into api.Countries
	shares       sharing
}

// historyDays is how many days before day 0 the changes of the first fleet begin: a fleet
// whose vessels had never been renamed or sold would not look like a real one.
const historyDays = 400

// shipyard builds hulls, each a function of the seed and its number, and keeps every hull
// that it built. It is safe for concurrent use.
type shipyard struct {
	seed      uint64
	vessels   int     // built up to day 0
	built     float64 // per day, as a share of vessels
	anomalies Anomalies
	imoOrder  permutation // of the first six digits of IMO numbers, counted from lowestIMO
	lowestIMO uint64
	mmsiOrder permutation // of the last six digits of ships' MMSI numbers

	mu                sync.RWMutex
	day               int // built up to this day; -1 is nothing yet
	hulls             []hull
	hullByIMO         []uint32          // by ordinal of the IMO number
	hullByStationMMSI map[uint32]uint32 // aids, coast stations and aircraft
	issuedMMSIs       map[stationClass]uint32
}

// stationClass is a class of stations, such as aids to navigation, in one country. MMSI
// numbers are issued per class.
type stationClass struct {
	group *group
	flag  int
}

// newShipyard returns a shipyard that has built nothing yet.
func newShipyard(c Config) *shipyard {
	y := &shipyard{seed: mix(c.Seed), vessels: c.Vessels, built: c.Rates.Built, anomalies: c.Anomalies, day: -1, hullByStationMMSI: map[uint32]uint32{}, issuedMMSIs: map[stationClass]uint32{}}
	// IMO numbers begin with 5 to 9 as in the real fleet, unless this fleet needs more of them.
	prefixes := uint64(500_000)
	if y.lowestIMO = 500_000; c.Vessels > 500_000 {
		y.lowestIMO, prefixes = 100_000, 900_000
	}
	y.imoOrder = newPermutation(draw(y.seed, forNumbering, 0), prefixes)
	y.mmsiOrder = newPermutation(draw(y.seed, forNumbering, 2), 1_000_000)
	return y
}

// builtUntil returns the hulls built up to a day, and the number of the hull for each issued
// IMO number, in the order of issue. The shipyard only appends to both, so the slices that a
// caller has stay valid.
func (y *shipyard) builtUntil(day int) ([]hull, []uint32) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.day < 0 {
		y.hulls = slices.Grow(y.hulls, y.vessels)
		for range y.vessels {
			y.build(-int(draw(y.seed, forBirth, len(y.hulls)) % (40 * 365)))
		}
		y.day = 0
	}
	for ; y.day < day; y.day++ {
		for len(y.hulls) < y.hullsBuiltBy(y.day+1) {
			y.build(y.day + 1)
		}
	}
	return y.hulls[:y.hullsBuiltBy(day)], y.hullByIMO
}

// hullsBuiltBy returns how many hulls were ever built up to a day.
func (y *shipyard) hullsBuiltBy(day int) int {
	return y.vessels + int(float64(day)*y.built*float64(y.vessels))
}

// build adds the next hull, built on a day.
func (y *shipyard) build(born int) {
	n := uint32(len(y.hulls))
	h := hull{seed: draw(y.seed, forBuild, int(n)), born: int32(born), number: n}
	h.specificType = uint16(typeChoice.pick(draw(h.seed, forType, 0)))
	f := flagChoice.pick(draw(h.seed, forFlag, 0))
	h.firstCountry = uint16(chooseSpelling(f, draw(h.seed, forSpelling, 0)))

	g := specificTypes[h.specificType].group
	if unit(draw(h.seed, forIMO, 0)) < g.imoShare {
		h.imo = y.nextIMO(n)
	}
	if g.mmsiPrefix != "" {
		h.mmsi = y.nextStationMMSI(n, stationClass{g, f})
	}
	y.shareNumber(&h)
	y.hulls = append(y.hulls, h)
}

// chooseSpelling returns one of the accepted spellings of a flag, as an index into
// api.Countries: seven times of ten the most common one.
func chooseSpelling(f int, u uint64) int {
	all := flags[f].spellings
	if u%10 < 7 {
		return all[0]
	}
	return all[(u>>8)%uint64(len(all))]
}

// nextIMO issues an IMO number to the nth hull, or 0 when all numbers are issued.
func (y *shipyard) nextIMO(n uint32) uint32 {
	for uint64(len(y.hullByIMO)) < y.imoOrder.size {
		imo := withCheckDigit(uint32(y.lowestIMO + y.imoOrder.apply(uint64(len(y.hullByIMO)))))
		y.hullByIMO = append(y.hullByIMO, n)
		if imo != 1234567 && imo != 9876543 { // crews enter these two for "no number"
			return imo
		}
	}
	return 0
}

// withCheckDigit appends the check digit to the first six digits of an IMO number.
func withCheckDigit(six uint32) uint32 {
	sum, rest := uint32(0), six
	for factor := uint32(2); factor <= 7; factor++ {
		sum += rest % 10 * factor
		rest /= 10
	}
	return six*10 + sum%10
}

// nextStationMMSI issues the MMSI of an aid to navigation (99MIDxxxx), a coast station
// (00MIDxxxx) or an aircraft (111MIDxxx). A country that has run out of numbers issues its
// first ones again.
func (y *shipyard) nextStationMMSI(n uint32, s stationClass) uint32 {
	issued := y.issuedMMSIs[s]
	y.issuedMMSIs[s]++
	mids := flags[s.flag].mids
	prefix, room := uint32(parseNumber(s.group.mmsiPrefix)), uint32(10_000)
	if len(s.group.mmsiPrefix) == 3 {
		room = 1000
	}
	mid := mids[issued/room%uint32(len(mids))]
	mmsi := (prefix*1000+mid)*room + (issued*7919+1)%room
	if _, taken := y.hullByStationMMSI[mmsi]; !taken {
		y.hullByStationMMSI[mmsi] = n
	}
	return mmsi
}

// mmsiIn returns the MMSI of a hull under the flag of a country. A ship that returns to a
// flag gets its earlier number back.
func (y *shipyard) mmsiIn(h *hull, spelling int) uint32 {
	if h.mmsi != 0 {
		return h.mmsi
	}
	mids := flags[flagOf[spelling]].mids
	return mids[h.seed%uint64(len(mids))]*1_000_000 + uint32(y.mmsiOrder.apply(uint64(h.number)))
}

// hullsWithMMSI returns the hulls, of the first size, that can have an MMSI. Under each flag,
// the last six digits of a ship's MMSI are the same; the caller checks the rest.
func (y *shipyard) hullsWithMMSI(mmsi uint32, size int) []uint32 {
	y.mu.RLock()
	defer y.mu.RUnlock()
	if n, ok := y.hullByStationMMSI[mmsi]; ok && int(n) < size {
		return []uint32{n}
	}
	var all []uint32
	for n := y.mmsiOrder.invert(uint64(mmsi % 1_000_000)); n < uint64(size); n += y.mmsiOrder.size {
		all = append(all, uint32(n))
	}
	return all
}
