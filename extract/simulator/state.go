package simulator

import "math"

// state is what a day makes of a hull.
type state struct {
	country     uint16 // of registration, in extract.Countries
	before      uint16 // country before the last change of flag
	renames     uint16
	reflags     uint16
	sales       uint16
	corrections uint16
	is          condition
	status      int8 // in extract.Statuses, -1 where none is known
	zone        int8 // in extract.Zones, -1 where no status is known
}

// condition is a set of facts about a vessel on a day.
type condition uint8

const (
	alive     condition = 1 << iota // built and not scrapped
	listed                          // in the searches
	twin                            // listed under the flag before, too
	showsIMO                        // has an IMO and the service knows it
	storesIMO                       // and stores it right
	noCountry                       // the stored country is null
	noType                          // the stored type is null
)

func (s *state) has(c condition) bool { return s.is&c == c }

// Shares of dirty values in the fleet, at Dirt 1.
const (
	shareBadDigit  = 0.005 // IMO with a wrong check digit
	shareNoIMO     = 0.003 // IMO that is there and stored as null
	shareHiding    = 0.02  // IMO that is shown late, of the first fleet
	shareNoCountry = 0.003
	shareNoType    = 0.004
	shareTwin      = 0.4 // changes of flag after which the old entry stays for a while
	shareSilent    = 0.2 // vessels without status, zone and fresh position; not dirt
)

// laws make the state of a hull on any day, from nothing but the seed.
type laws struct {
	rates Rates
	dirt  float64
}

// dirty reports whether a dirty value of the given share strikes.
func (l laws) dirty(u uint64, share float64) bool { return unit(u) < share*l.dirt }

// on is the state of a hull on a day.
func (l laws) on(h *hull, day int) state {
	s := state{country: h.home, status: -1, zone: -1}
	start := max(int(h.born), 0)
	if day < start || day >= start+gap(draw(h.seed, forScrapping, 0), l.rates.Scrapped) {
		return s
	}
	s.is = alive
	if !l.away(h, start, day) {
		s.is |= listed
	}
	nulls := draw(h.seed, forNull, 0)
	if l.dirty(nulls, shareNoCountry) {
		s.is |= noCountry
	} else if l.dirty(nulls<<20, shareNoType) {
		s.is |= noType
	}
	if !kinds[h.kind].group.isShip() {
		return s
	}
	l.showIMO(h, start, day, &s)
	from := max(int(h.born), -history)
	s.renames, _ = l.changes(h, forRename, l.rates.Renamed, from, day)
	s.sales = events(h, forSale, l.rates.Sold, from, day)
	s.corrections = events(h, forCorrection, l.rates.Corrected, from, day)
	l.reflag(h, from, day, &s)

	if v := l.voyage(h, day); v.status >= 0 {
		s.status, s.zone = int8(v.status), int8(v.zone)
	}
	return s
}

// happening steps through the days on which something happens to a hull.
type happening struct {
	h    *hull
	p    purpose
	rate float64 // a day
	n    int     // which one, from 0
	at   int     // its day
}

// first is the first time that something happens after a day.
func first(h *hull, p purpose, rate float64, after int) happening {
	e := happening{h: h, p: p, rate: rate, n: -1, at: after}
	e.next()
	return e
}

func (e *happening) next() {
	e.n++
	e.at += gap(draw(e.h.seed, e.p, e.n), e.rate)
}

// events counts how often something happened to a hull.
func events(h *hull, p purpose, rate float64, from, day int) uint16 {
	e := first(h, p, rate, from)
	for e.at <= day && e.n < math.MaxUint16 {
		e.next()
	}
	return uint16(e.n)
}

// changes counts the days on which a hull was renamed, or reflagged: for no reason that we
// know of, or because it was sold. It says which of them was the last.
func (l laws) changes(h *hull, p purpose, rate float64, from, day int) (count uint16, last int) {
	own, sale := first(h, p, rate, from), first(h, forSale, l.rates.Sold, from)
	for count < math.MaxUint16 {
		at := min(own.at, sale.at)
		if at > day {
			break
		}
		happened := own.at == at || l.shows(sale, p)
		if own.at == at {
			own.next()
		}
		if sale.at == at {
			sale.next()
		}
		if happened {
			count, last = count+1, at
		}
	}
	return count, last
}

// shows reports whether a sale renames the vessel, or reflags it: of those that show, half do
// the first, a quarter the second and a quarter both.
func (l laws) shows(sale happening, p purpose) bool {
	u := draw(sale.h.seed, forShown, sale.n)
	if unit(u) >= l.rates.SoldShows {
		return false
	}
	return u%4 == 3 || (p == forReflag) == (u%4 == 2)
}

// away reports whether a vessel is unlisted on a day.
func (l laws) away(h *hull, start, day int) bool {
	for n, at := 0, start; ; n++ {
		at += gap(draw(h.seed, forListing, n), l.rates.Unlisted)
		back := at + 1 + int(draw(h.seed, forAbsence, n)%10)
		if at > day {
			return false
		}
		if day < back {
			return true
		}
		at = back
	}
}

// showIMO decides whether the service knows the IMO yet and how it stores it.
func (l laws) showIMO(h *hull, start, day int, s *state) {
	if h.imo == 0 {
		return
	}
	hiding := shareHiding
	if h.born > 0 {
		hiding = .3 // a new vessel is known by its MMSI first
	}
	if l.dirty(draw(h.seed, forHiding, 0), hiding) && day < start+gap(draw(h.seed, forShowing, 0), l.rates.Identified) {
		return
	}
	s.is |= showsIMO
	if !l.dirty(draw(h.seed, forIMODirt, 0), shareBadDigit+shareNoIMO) {
		s.is |= storesIMO
	}
}

// reflag finds the country of registration, and whether the entry before is still listed.
// Only a vessel with a good IMO has two entries: by MMSI alone they would be two vessels.
func (l laws) reflag(h *hull, from, day int, s *state) {
	count, last := l.changes(h, forReflag, l.rates.Reflagged, from, day)
	s.reflags, s.before = count, s.country
	for n := range int(count) {
		s.before, s.country = s.country, nextCountry(h, s.country, n)
	}
	u := draw(h.seed, forTwin, int(count))
	stays := 1 + int(u>>40%60)
	if count > 0 && s.has(listed|storesIMO) && day < last+stays && l.dirty(u<<24, shareTwin) {
		s.is |= twin
	}
}

// nextCountry is where the nth change of flag leads from a country.
func nextCountry(h *hull, from uint16, n int) uint16 {
	for try := 0; ; try++ {
		u := draw(h.seed, forFlag, 1+n*64+try)
		f := flagDie.roll(u)
		if f != flagOf[from] && flags[f].iso != "" {
			return uint16(spelling(f, draw(u, forSpelling, n)))
		}
	}
}
