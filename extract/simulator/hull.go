package simulator

import (
	"slices"
	"sync"
)

// hull is what never changes of a vessel.
type hull struct {
	seed uint64
	born int32  // day
	imo  uint32 // 0 where it has none
	mmsi uint32 // of what is no ship; a ship's depends on its flag
	n    uint32 // place in the yard
	kind uint16
	home uint16 // first country of registration, in extract.Countries
}

// history is how many days before day 0 the changes of the first fleet begin.
const history = 400

// yard builds hulls, each a function of the seed and its number, and never forgets one.
type yard struct {
	seed    uint64
	vessels int
	built   float64
	imos    shuffle // over the first six digits of IMO numbers, from lowest
	lowest  uint64
	digits  shuffle // over the last six digits of ships' MMSI numbers

	mu       sync.RWMutex
	day      int
	hulls    []hull
	byIMO    []uint32          // hull by ordinal of the IMO
	stations map[uint32]uint32 // hull by MMSI, of what is no ship
	issued   map[station]uint32
}

// station is a class of MMSI in a country.
type station struct {
	group *group
	flag  int
}

func newYard(c Config) *yard {
	y := &yard{seed: mix(c.Seed), vessels: c.Vessels, built: c.Rates.Built, day: -1, stations: map[uint32]uint32{}, issued: map[station]uint32{}}
	// Numbers look like those of today's fleet unless it is larger than they allow.
	prefixes := uint64(500_000)
	if y.lowest = 500_000; c.Vessels > 500_000 {
		y.lowest, prefixes = 100_000, 900_000
	}
	y.imos = newShuffle(draw(y.seed, forNumbers, 0), prefixes)
	y.digits = newShuffle(draw(y.seed, forNumbers, 2), 1_000_000)
	return y
}

// until returns the hulls that were built up to a day, with the hulls by IMO ordinal. Both
// are only ever appended to, so that what is returned stays as it is.
func (y *yard) until(day int) ([]hull, []uint32) {
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
		for len(y.hulls) < y.size(y.day+1) {
			y.build(y.day + 1)
		}
	}
	return y.hulls[:y.size(day)], y.byIMO
}

// size is the number of hulls that were ever built up to a day.
func (y *yard) size(day int) int { return y.vessels + int(float64(day)*y.built*float64(y.vessels)) }

// build adds the next hull.
func (y *yard) build(born int) {
	n := uint32(len(y.hulls))
	h := hull{seed: draw(y.seed, forBuild, int(n)), born: int32(born), n: n}
	h.kind = uint16(kindDie.roll(draw(h.seed, forKind, 0)))
	f := flagDie.roll(draw(h.seed, forFlag, 0))
	h.home = uint16(spelling(f, draw(h.seed, forSpelling, 0)))

	g := kinds[h.kind].group
	if unit(draw(h.seed, forIMO, 0)) < g.imo {
		h.imo = y.nextIMO(n)
	}
	if g.mmsi != "" {
		h.mmsi = y.nextStation(n, station{g, f})
	}
	y.hulls = append(y.hulls, h)
}

// spelling chooses how a flag is written: mostly in the commonest way.
func spelling(f int, u uint64) int {
	all := flags[f].spellings
	if u%10 < 7 {
		return all[0]
	}
	return all[(u>>8)%uint64(len(all))]
}

// nextIMO issues an IMO number, none when all are issued.
func (y *yard) nextIMO(n uint32) uint32 {
	for uint64(len(y.byIMO)) < y.imos.m {
		imo := withCheckDigit(uint32(y.lowest + y.imos.at(uint64(len(y.byIMO)))))
		y.byIMO = append(y.byIMO, n)
		if imo != 1234567 && imo != 9876543 { // these stand for "no number" in the wild
			return imo
		}
	}
	return 0
}

// withCheckDigit completes the first six digits of an IMO number.
func withCheckDigit(six uint32) uint32 {
	sum, rest := uint32(0), six
	for factor := uint32(2); factor <= 7; factor++ {
		sum += rest % 10 * factor
		rest /= 10
	}
	return six*10 + sum%10
}

// nextStation issues the MMSI of an aid, a coast station or an aircraft: 99MIDxxxx,
// 00MIDxxxx, 111MIDxxx. A country with no number left issues its first ones again.
func (y *yard) nextStation(n uint32, s station) uint32 {
	issued := y.issued[s]
	y.issued[s]++
	mids := flags[s.flag].mids
	prefix, room := uint32(number(s.group.mmsi)), uint32(10_000)
	if len(s.group.mmsi) == 3 {
		room = 1000
	}
	mid := mids[issued/room%uint32(len(mids))]
	mmsi := (prefix*1000+mid)*room + (issued*7919+1)%room
	if _, taken := y.stations[mmsi]; !taken {
		y.stations[mmsi] = n
	}
	return mmsi
}

// mmsiUnder is the MMSI of a hull that is registered in a country. A ship that comes back
// to a flag gets its old number.
func (y *yard) mmsiUnder(h *hull, spelling int) uint32 {
	if h.mmsi != 0 {
		return h.mmsi
	}
	mids := flags[flagOf[spelling]].mids
	return mids[h.seed%uint64(len(mids))]*1_000_000 + uint32(y.digits.at(uint64(h.n)))
}

// candidates are the hulls below size that can have an MMSI.
func (y *yard) candidates(mmsi uint32, size int) []uint32 {
	y.mu.RLock()
	defer y.mu.RUnlock()
	if n, ok := y.stations[mmsi]; ok && int(n) < size {
		return []uint32{n}
	}
	var all []uint32
	for n := y.digits.undo(uint64(mmsi % 1_000_000)); n < uint64(size); n += y.digits.m {
		all = append(all, uint32(n))
	}
	return all
}
