package simulation

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// moving is a fleet that moves while it is read: between any two requests ships change their flags with their MMSIs,
// join the list, leave it for ever, change their names and are sold. A third of them has no IMO number, and ships that join
// get the MMSIs of ships that left. It keeps what it did, and what the answers of each night showed.
type moving struct {
	mu       sync.Mutex
	random   *rand.Rand
	night    int              // the snapshot date of the run that reads the fleet, as the day from the first on
	quiet    int              // until this night nothing moves: the clock was ahead, and that night is read already
	all      map[string]*ship // by first name
	afloat   []*ship
	most     int // of them at a time
	built    int // ships
	numbered int // MMSIs that were made
	founded  int // companies
	left     []*ship
	moves    []move
	refused  map[string]bool // the countries that the service does not accept
	twice    map[*ship]ship  // the ships that the list shows on another page, too, and what it says of them there
	tonight  listing         // the answers of the night that is read
	readings []listing       // those of the nights that are published whole, in the order of reading
	given    int             // MMSIs that were given again
	marked   int             // ships that two pages of a night showed under two flags or types
	missed   int             // ships on no page of a night, which were in the fleet from its start to its end
	withheld int             // countries that the service ceased to accept
}

// ship is a vessel of the moving fleet. She is known by her first name.
type ship struct {
	first, name, imo, mmsi, callsign, kind, country string
	length                                          int
	companies                                       map[string]int // by role: the number in the name of the company
	since                                           map[string]int // the night of the last sale, by role
	moved                                           int            // the night of the last move
	left                                            int            // the night on which she left the list for ever
}

// move is a change of a ship.
type move struct {
	ship  string
	what  string // flag, name, or the role of a company
	night int
	text  string // the value before and after
}

func (m move) String() string { return m.ship + ": " + m.text }

// listing is what the answers of a night showed.
type listing struct {
	night   int
	run     string              // the run that made the night whole
	asked   map[string]bool     // the countries whose pages were sent
	pages   map[string][]string // the ships on the page of each country that has any
	owners  map[string]int      // the companies of lookups, by ship and role; one without a name is none
	refused map[string]bool     // the countries that were not accepted
	stayed  map[string]bool     // the ships that were in the fleet from the start of the night on
}

// flags returns the countries that showed a ship.
func (r listing) flags(first string) (countries []string) {
	for country, page := range r.pages {
		for _, on := range page {
			if on == first {
				countries = append(countries, country)
			}
		}
	}
	return countries
}

// harbour is a country of the moving fleet.
type harbour struct{ digits, flag string }

// harbours are its countries. The service begins to accept two of them later: Tuvalu, and one that nobody knows.
var harbours = map[string]harbour{"Malta": {"215", "MT"}, "Panama": {"351", "PA"}, "Cyprus": {"209", "CY"}, "Liberia": {"636", "LR"}, "Bahamas": {"308", "BS"},
	"Tuvalu": {"572", "TV"}, strange: {"299", ""}}

// strange is a country that is in no list of countries.
const strange = "Freedonia"

// roles are what companies are to a ship.
var roles = []string{"registered_owner", "manager"}

func newMoving(seed uint64, ships int) *moving {
	m := &moving{random: rand.New(rand.NewPCG(seed, 30)), quiet: -1, most: ships, all: map[string]*ship{}, refused: map[string]bool{"Tuvalu": true, strange: true}}
	m.begin(0)
	for range ships {
		m.join()
	}
	for _, v := range m.afloat {
		v.moved = -1
	}
	m.begin(0)
	return m
}

// pick returns a country that the service accepts.
func (m *moving) pick() string {
	accepted := slices.DeleteFunc(slices.Sorted(maps.Keys(harbours)), func(c string) bool { return m.refused[c] })
	return accepted[m.random.IntN(len(accepted))]
}

// number makes an MMSI of a country.
func (m *moving) number(country string) string {
	m.numbered++
	return fmt.Sprintf("%s%06d", harbours[country].digits, m.numbered)
}

// join adds a ship, under the MMSI of one that is known to have left, if there is one of her flag.
func (m *moving) join() {
	v := &ship{first: fmt.Sprintf("MOVER %d", m.built), country: m.pick(), callsign: fmt.Sprintf("C%d", m.built), length: 60 + m.built%200,
		companies: map[string]int{}, since: map[string]int{}, moved: m.night, left: -1}
	v.name, v.kind, v.mmsi = v.first, []string{"Bulk Carrier", "Tug", "Crude Oil Tanker"}[m.random.IntN(3)], m.number(v.country)
	if m.random.IntN(3) > 0 {
		v.imo = imoOf(900_000 + m.built)
	}
	for _, role := range roles {
		m.founded++
		v.companies[role], v.since[role] = m.founded, m.night
	}
	for i, old := range m.left {
		if strings.HasPrefix(v.mmsi, old.mmsi[:3]) && m.missing(old, nil) >= mostUndone+3 { // one of them may be emptied
			v.mmsi, m.left = old.mmsi, slices.Delete(slices.Clone(m.left), i, i+1)
			m.given++
			break
		}
	}
	m.afloat, m.all[v.first] = append(m.afloat, v), v
	m.built++
}

// imoOf appends the check digit to six digits.
func imoOf(six int) string {
	sum, text := 0, fmt.Sprint(six)
	for i, c := range text {
		sum += int(c-'0') * (7 - i)
	}
	return fmt.Sprint(text, sum%10)
}

// mostUndone is how many of the last whole nights a rollback may undo.
const mostUndone = 1

// missing counts the whole nights in a row that missed a ship which left, before one that did not accept her country. Nights
// that are emptied do not count.
func (m *moving) missing(v *ship, emptied map[int]bool) (nights int) {
	for _, r := range m.readings {
		if r.night < v.left {
			continue
		}
		if r.refused[v.country] {
			break
		}
		if r.night > v.left && !emptied[r.night] {
			nights++
		}
	}
	return nights
}

// shown counts the whole nights after a night that showed a ship.
func (m *moving) shown(v *ship, since int) (nights int) {
	for _, r := range m.readings {
		if r.night > since && len(r.flags(v.first)) > 0 {
			nights++
		}
	}
	return nights
}

// known counts the whole nights after a sale whose lookups gave the company.
func (m *moving) known(v *ship, role string, since int) (nights int) {
	for _, r := range m.readings {
		if r.night > since && r.owners[v.first+role] == v.companies[role] {
			nights++
		}
	}
	return nights
}

// settled reports whether the published nights know a ship as she is, whatever is rolled back.
func (m *moving) settled(v *ship) bool { return m.shown(v, v.moved) > mostUndone+1 }

// step lets one ship do something, if the published nights know what she did before.
func (m *moving) step() {
	if m.random.IntN(6) == 0 {
		if len(m.afloat) < m.most {
			m.join()
		}
		return
	}
	at := m.random.IntN(len(m.afloat))
	v := m.afloat[at]
	if _, twice := m.twice[v]; twice || !m.settled(v) {
		return
	}
	switch m.random.IntN(7) {
	case 0:
		v.moved, v.left = m.night, m.night
		m.left = append(m.left, v)
		delete(m.tonight.stayed, v.first)
		m.afloat = slices.Delete(m.afloat, at, at+1)
	case 1:
		name := fmt.Sprintf("%s OF %d", v.first, m.numbered)
		m.numbered++
		m.note(v, "name", v.name+" to "+name)
		v.name, v.moved = name, m.night
	case 2, 3:
		m.sell(v)
	default:
		m.reflag(v)
	}
}

func (m *moving) note(v *ship, what, text string) {
	m.moves = append(m.moves, move{v.first, what, m.night, text})
}

// sell gives a ship another owner or manager.
func (m *moving) sell(v *ship) {
	role := roles[m.random.IntN(len(roles))]
	if m.known(v, role, v.since[role]) <= mostUndone+1 {
		return
	}
	m.founded++
	m.note(v, role, fmt.Sprintf("%d to %d", v.companies[role], m.founded))
	v.companies[role], v.since[role] = m.founded, m.night
}

// reflag gives a ship another flag, and an MMSI of it, and at times another call sign.
func (m *moving) reflag(v *ship) {
	country := m.pick()
	if country == v.country || country == strange || v.country == strange {
		return
	}
	m.note(v, "flag", harbours[v.country].flag+" to "+harbours[country].flag)
	v.country, v.mmsi, v.moved = country, m.number(country), m.night
	if m.random.IntN(3) == 0 {
		v.callsign = fmt.Sprintf("C%d", m.numbered+1000)
	}
}

// begin begins to read a night, or goes on with one. At the start of a new night the service may cease to accept a country,
// or accept it again, and its list may show a ship twice.
func (m *moving) begin(night int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tonight.night == night && m.tonight.run == "" && m.tonight.pages != nil && night > 0 {
		return
	}
	anew := m.tonight.night == night // after a rollback
	m.night, m.tonight = night, listing{night: night, asked: map[string]bool{}, pages: map[string][]string{}, owners: map[string]int{}, refused: m.refused, stayed: map[string]bool{}}
	for _, v := range m.afloat {
		m.tonight.stayed[v.first] = true
	}
	if anew || night <= m.quiet {
		return
	}
	m.change()
	m.tonight.refused = maps.Clone(m.refused)
	m.twice = map[*ship]ship{}
	for range m.random.IntN(3) {
		m.double()
	}
}

// change lets the service cease to accept a country, or accept one.
func (m *moving) change() {
	if m.night == 10 {
		delete(m.refused, "Tuvalu")
	}
	if m.night == 20 {
		delete(m.refused, strange)
	}
	for _, country := range []string{"Bahamas", "Cyprus"} {
		switch {
		case m.refused[country] && m.random.IntN(5) == 0:
			delete(m.refused, country)
		case !m.refused[country] && m.random.IntN(20) == 0 && !slices.ContainsFunc(m.afloat, func(v *ship) bool { return v.country == country && m.shown(v, v.moved) == 0 }):
			m.refused[country] = true // every ship of it is known to be there
			m.withheld++
		}
	}
}

// double lets the list show a ship on the page of another country, too, at times as another type.
func (m *moving) double() {
	v, country := m.afloat[m.random.IntN(len(m.afloat))], m.pick()
	if country == v.country || country == strange || v.country == strange || m.refused[v.country] || !m.settled(v) {
		return
	}
	other := *v
	if other.country = country; m.random.IntN(3) == 0 {
		other.kind = "Passenger"
	}
	m.twice[v] = other
}

// end ends a night that a run made whole. A run asks for little or nothing if the clock was ahead, and a later night has
// what is as fresh.
func (m *moving) end(run string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tonight.run != "" || len(m.tonight.asked) < len(accepted(m.tonight.refused)) {
		return
	}
	m.tonight.run = run
	for first := range m.tonight.stayed {
		if len(m.tonight.flags(first)) == 0 {
			m.missed++
		}
	}
	m.readings = append(m.readings, m.tonight)
}

// undo forgets the nights whose runs are not published any more.
func (m *moving) undo(published map[string]bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.readings = slices.DeleteFunc(m.readings, func(r listing) bool { return !published[r.run] })
}
