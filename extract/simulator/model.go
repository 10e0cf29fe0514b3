package simulator

import "math"

// model derives the state of a hull on any day from the seed alone. It keeps no memory, so
// days can be visited in any order.
type model struct {
	rates     Rates
	anomalies Anomalies
	dirt      float64
}

// dirty reports whether a value is one of the given share of dirty values.
func (m model) dirty(u uint64, share float64) bool { return unit(u) < share*m.dirt }

// stateOn returns the state of a hull on a day.
func (m model) stateOn(h *hull, day int) state {
	s := state{country: h.firstCountry, status: -1, zone: -1}
	start := max(int(h.born), 0)
	if day < start || day >= start+daysUntil(draw(h.seed, forScrapping, 0), m.rates.Scrapped) {
		return s
	}
	s.conditions = exists
	if !m.unlistedOn(h, start, day) {
		s.conditions |= listed
	}
	nulls := draw(h.seed, forNull, 0)
	if m.dirty(nulls, shareNoCountry) {
		s.conditions |= noCountry
	} else if m.dirty(nulls<<20, shareNoType) {
		s.conditions |= noType
	}
	if !specificTypes[h.specificType].group.isShip() {
		return s
	}
	m.setIMO(h, start, day, &s)
	from := max(int(h.born), -historyDays)
	s.renames, _ = m.countChanges(h, forRename, m.rates.Renamed, from, day)
	s.sales = countEvents(h, forSale, m.rates.Sold, from, day)
	s.corrections = countEvents(h, forCorrection, m.rates.Corrected, from, day)
	m.setRegistration(h, from, day, &s)

	if v := m.voyageOn(h, day); v.status >= 0 {
		s.status, s.zone = int8(v.status), int8(v.zone)
	}
	return s
}

// eventSeries is the series of days on which one kind of event happens to a hull; it is
// at one of them.
type eventSeries struct {
	hull    *hull
	purpose purpose
	rate    float64 // per day
	number  int     // of the event, from 0
	day     int     // of the event
}

// firstEvent returns the series at its first event after a day.
func firstEvent(h *hull, p purpose, rate float64, after int) eventSeries {
	e := eventSeries{hull: h, purpose: p, rate: rate, number: -1, day: after}
	e.next()
	return e
}

// next moves the series to its next event.
func (e *eventSeries) next() {
	e.number++
	e.day += daysUntil(draw(e.hull.seed, e.purpose, e.number), e.rate)
}

// countEvents returns how often a kind of event happened to a hull up to a day.
func countEvents(h *hull, p purpose, rate float64, from, day int) uint16 {
	e := firstEvent(h, p, rate, from)
	for e.day <= day && e.number < math.MaxUint16 {
		e.next()
	}
	return uint16(e.number)
}

// countChanges returns on how many days up to a day a hull was renamed (or reflagged), and
// the last of these days. A change comes by itself or with a sale; both on the same day are
// one change.
func (m model) countChanges(h *hull, p purpose, rate float64, from, day int) (count uint16, last int) {
	own, sale := firstEvent(h, p, rate, from), firstEvent(h, forSale, m.rates.Sold, from)
	for count < math.MaxUint16 {
		at := min(own.day, sale.day)
		if at > day {
			break
		}
		happened := own.day == at || m.saleShows(sale, p)
		if own.day == at {
			own.next()
		}
		if sale.day == at {
			sale.next()
		}
		if happened {
			count, last = count+1, at
		}
	}
	return count, last
}

// saleShows reports whether a sale renames (or reflags) the vessel. Of the sales that change the
// list, half rename the vessel, a quarter reflag it, and a quarter do both.
func (m model) saleShows(sale eventSeries, p purpose) bool {
	u := draw(sale.hull.seed, forSaleListed, sale.number)
	if unit(u) >= m.rates.SoldShows {
		return false
	}
	return u%4 == 3 || (p == forReflag) == (u%4 == 2)
}

// unlistedOn reports whether the searches leave out a vessel on a day. An absence lasts 1 to
// 10 days.
func (m model) unlistedOn(h *hull, start, day int) bool {
	for n, at := 0, start; ; n++ {
		at += daysUntil(draw(h.seed, forListing, n), m.rates.Unlisted)
		end := at + 1 + int(draw(h.seed, forAbsence, n)%10)
		if at > day {
			return false
		}
		if day < end {
			return true
		}
		at = end
	}
}

// setIMO decides whether the service knows the IMO number yet, and whether it stores it
// correctly.
func (m model) setIMO(h *hull, start, day int, s *state) {
	if h.imo == 0 {
		return
	}
	late := shareIMOReportedLate
	if h.born > 0 {
		late = .3 // a new vessel is often known by its MMSI first
	}
	if m.dirty(draw(h.seed, forIMOHidden, 0), late) && day < start+daysUntil(draw(h.seed, forIMOReported, 0), m.rates.Identified) {
		return
	}
	s.conditions |= showsIMO
	if !h.sharesOn(sharesIMO, day) && !m.dirty(draw(h.seed, forIMODirt, 0), shareBadDigit+shareNoIMO) {
		s.conditions |= storesIMO
	}
}

// setRegistration sets the country of registration, and whether the entry under the previous
// flag is still listed. Only a vessel with a correct IMO number is listed twice: by MMSI
// alone, its entries would be two vessels.
func (m model) setRegistration(h *hull, from, day int, s *state) {
	count, last := m.countChanges(h, forReflag, m.rates.Reflagged, from, day)
	s.previousCountry = s.country
	for n := range int(count) {
		s.previousCountry, s.country = s.country, m.nextCountry(h, s.country, n)
	}
	u := draw(h.seed, forListedTwice, int(count))
	daysListed := 1 + int(u>>40%60)
	if count > 0 && s.has(listed|storesIMO) && day < last+daysListed && m.dirty(u<<24, shareListedTwice) {
		s.conditions |= listedTwice
	}
}

// nextCountry returns the country of registration after the nth change of flag: always
// another flag, never Unknown.
func (m model) nextCountry(h *hull, from uint16, n int) uint16 {
	for try := 0; ; try++ {
		u := draw(h.seed, forFlag, 1+n*64+try)
		f := m.newFlag(h, n, u)
		if f != flagOf[from] && flags[f].iso != "" {
			return uint16(chooseSpelling(f, draw(u, forSpelling, n)))
		}
	}
}
