package simulation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
)

// model is the content of the published runs, joined to the truth of the day by the MMSI of each answer.
type model struct {
	*world
	nights  []string
	looks   map[string]*look                          // by night
	proofs  map[string]map[string]bool                // by night: "country", "type", and each sweep that was covered completely
	truth   map[string]map[string]simulator.Vessel    // by night and by each reported MMSI
	linked  map[string]string                         // by MMSI: the first night with an answer that gives it with an IMO number
	numbers map[string]map[string]string              // by night and vessel_id: the MMSI
	ids     map[string]map[string][]simulator.Listing // by night and vessel_id: the entries of the list
}

// look is the content of one night's answers, by MMSI.
type look struct {
	listed  map[string]bool
	looked  map[string]bool            // in any lookup
	whole   map[string]bool            // in one that answers with the whole profile
	sighted map[string]map[string]bool // by sweep
	located map[string][]location      // in a lookup of the position alone
	lookups []lookup
}

// lookup is a lookup of a number that the service answered, whether it found a vessel or not.
type lookup struct {
	operation, number string
	sent              time.Time
	run               string
	entry             int
	found             bool
}

// of returns the id of the vessel whose number it asks for.
func (l lookup) of() string {
	if len(l.number) == len("9074729") {
		return "IMO" + l.number
	}
	return "MMSI" + l.number
}

// location is the answer to a lookup of the position alone. It says where a vessel is, and nothing of its
// registration. An IMO number that the answer lacks is that of the request, if it has one. Some answers have no
// number at all, or do not say when the position was received: then the time of the answer counts.
type location struct {
	imo, mmsi, dated bool
	received         time.Time
}

func newModel(w *world, segments map[string]*segment) *model {
	m := &model{world: w, looks: map[string]*look{}, proofs: w.proofs(segments), truth: map[string]map[string]simulator.Vessel{}, numbers: map[string]map[string]string{},
		linked: map[string]string{}, ids: map[string]map[string][]simulator.Listing{}}
	for _, s := range segments {
		if m.looks[s.Date] == nil {
			m.looks[s.Date] = &look{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]map[string]bool{}, map[string][]location{}, nil}
			m.learnTruth(s.Date)
		}
		for _, e := range s.entries {
			if e.ok() {
				m.answer(s.Date, e)
			}
			if _, number, ok := strings.Cut(e.Parameters, "imo_or_mmsi="); ok && e.Kind == "answer" && (e.Outcome == "ok" || e.Outcome == "not_found") {
				m.looks[s.Date].lookups = append(m.looks[s.Date].lookups, lookup{e.Operation, number, e.Sent, s.Run, e.N, e.Outcome == "ok"})
			}
		}
	}
	m.nights = slices.Sorted(maps.Keys(m.looks))
	for _, date := range m.nights {
		for mmsi := range m.evidence(date) {
			if m.linked[mmsi] == "" && strings.HasPrefix(m.truth[date][mmsi].VesselID, "IMO") {
				m.linked[mmsi] = date
			}
		}
	}
	return m
}

// evidence returns the MMSIs that a night reports with the IMO number of their vessel, if it has one.
func (m *model) evidence(date string) map[string]bool {
	all := m.everything(date)
	for mmsi, locations := range m.looks[date].located {
		if slices.ContainsFunc(locations, func(p location) bool { return p.imo && p.mmsi }) {
			all[mmsi] = true
		}
	}
	return all
}

// locatedAs returns the id of the vessel that a position is about. An answer without an IMO number is about the
// vessel that was reported with this MMSI, tonight or before; if there is none, about one that has no IMO number.
func (m *model) locatedAs(date, mmsi string, of location) string {
	if since := m.linked[mmsi]; !of.imo && (since == "" || since > date) {
		return "MMSI" + mmsi
	}
	return m.truth[date][mmsi].VesselID
}

// learnTruth reads the fleet of a night.
func (m *model) learnTruth(date string) {
	m.truth[date], m.numbers[date], m.ids[date] = map[string]simulator.Vessel{}, map[string]string{}, map[string][]simulator.Listing{}
	for _, v := range m.sim.Truth(dayOf(date)) {
		m.truth[date][v.MMSI], m.numbers[date][v.VesselID] = v, v.MMSI
		for _, l := range v.Stored {
			m.truth[date][*l.MMSI] = v
		}
		m.ids[date][v.VesselID] = v.Stored
	}
}

func (m *model) answer(date string, e entry) {
	type vessel struct {
		MMSI     string `json:"mmsi"`
		IMO      string `json:"imo"`
		Received string `json:"positionReceived"`
	}
	var body struct {
		vessel
		Items   []vessel
		Vessels []vessel
		Detail  *vessel
	}
	if err := json.Unmarshal([]byte(e.text()), &body); err != nil {
		return // a page of HTML
	}
	l := m.looks[date]
	switch e.Operation {
	case api.ByType.Name:
		for _, v := range body.Items {
			l.listed[v.MMSI] = true
		}
	case api.ByStatus.Name:
		k, _ := searchOf(e.Operation, e.Parameters)
		if l.sighted[k.value] == nil {
			l.sighted[k.value] = map[string]bool{}
		}
		for _, v := range body.Vessels {
			l.sighted[k.value][v.MMSI] = true
		}
	case api.Location.Name:
		if body.Detail != nil {
			body.vessel = *body.Detail
		}
		_, asked, _ := strings.Cut(e.Parameters, "=")
		byIMO := len(asked) == len("9074729")
		mmsi := asked
		if byIMO {
			mmsi = m.numbers[date]["IMO"+asked]
		}
		mmsi = cmp.Or(body.MMSI, mmsi)
		l.located[mmsi] = append(l.located[mmsi], location{byIMO || body.IMO != "", body.MMSI != "", body.Received != "", e.Received})
	case api.Particulars.Name, api.Info.Name:
		if body.Detail != nil {
			body.vessel = *body.Detail
		}
		l.looked[body.MMSI] = true
		if e.Operation == api.Info.Name {
			l.whole[body.MMSI] = true
		}
	}
}

func all(values []string, in map[string]bool) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return !in[strings.ToLower(strings.TrimSpace(v))] })
}

// check compares each table with its expected rows.
func (m *model) check() {
	m.stays()
	m.episodes()
	m.versions()
	m.profiles()
}

// compare reports the rows that are missing, and those that should not be.
func (m *model) compare(what string, got, want [][]string) {
	count := map[string]int{}
	for _, row := range want {
		count[strings.Join(row, " | ")]++
	}
	for _, row := range got {
		count[strings.Join(row, " | ")]--
	}
	wrong := 0
	for _, row := range slices.Sorted(maps.Keys(count)) {
		switch n := count[row]; {
		case n == 0:
			continue
		case n > 0:
			m.fail("history", "%s: missing: %s", what, row)
		default:
			m.fail("history", "%s: false:   %s", what, row)
		}
		if wrong++; wrong == 20 {
			break
		}
	}
}

// stay is a stay on the list that the table should have.
type stay struct {
	id, from, to, last, missing, absent, proof string
	listing                                    simulator.Listing // the evidence of the last night
}

func (s stay) row() []string {
	return []string{s.id, s.from, s.to, s.last, s.missing, s.absent, s.proof}
}

// stays follows each vessel_id through the nights: its stay lasts until two successive nights with complete
// coverage have it in no search, or until one has not and a lookup no longer finds it. Then it must truly be gone,
// since the first of them.
func (m *model) stays() {
	open, done := map[string]*stay{}, [][]string{}
	known := map[string]bool{} // ids that a registration was ever seen of
	for _, date := range m.nights {
		listed := map[string]simulator.Listing{}
		seen := map[string]bool{}    // in any way
		sighted := map[string]bool{} // in a status search
		for mmsi := range m.looks[date].listed {
			v := m.truth[date][mmsi]
			listed[v.VesselID] = v.Stored[len(v.Stored)-1]
			seen[v.VesselID] = true
		}
		for mmsi := range m.others(date) {
			seen[m.truth[date][mmsi].VesselID] = true
		}
		for _, sweep := range m.looks[date].sighted {
			for mmsi := range sweep {
				sighted[m.truth[date][mmsi].VesselID] = true
			}
		}
		m.link(date, seen, known, func(alias string) {
			if s := open[alias]; s != nil {
				s.to, s.missing = dayBefore(date), ""
				done = append(done, s.row())
				delete(open, alias)
			}
		})
		for id, l := range listed {
			if open[id] == nil {
				open[id] = &stay{id: id, from: date}
			}
			open[id].last, open[id].missing, open[id].listing = date, "", l
		}
		for id, s := range open {
			if sighted[id] {
				s.missing = ""
			}
			switch missed := s.last < date && !sighted[id] && m.misses(date, s.listing); {
			case missed && s.missing == "":
				s.missing = date
			case missed:
				s.proof = "missing twice"
			}
			if s.proof == "" && s.missing != "" && strings.HasPrefix(id, "IMO") && m.notFound(date, id) { // an MMSI is given up with the flag
				s.proof = "not found by lookup"
			}
			if s.proof == "" {
				continue
			}
			for _, night := range []string{s.missing, date} {
				if len(m.ids[night][id]) > 0 && !m.silent[night] {
					m.fail("history", "%s: %s is recorded as gone and is on the list", night, id)
				}
			}
			s.to, s.absent = s.last, date
			done = append(done, s.row())
			delete(open, id)
		}
	}
	for _, s := range open {
		done = append(done, s.row())
	}
	m.compare("listed", m.ask("SELECT vessel_id, from_date, to_date, last_date, missing_since, absent_on, proof FROM listed"), done)
	m.dailyCounts()
}

// notFound reports whether the lookups of a night by the number of an id end with the service not knowing it any
// more, although one of the same operation had found it before.
func (m *model) notFound(date, id string) bool {
	latest := map[string]lookup{}
	for _, l := range m.looks[date].lookups {
		if l.of() != id {
			continue
		}
		before, asked := latest[l.operation]
		if !asked || cmp.Or(before.sent.Compare(l.sent), cmp.Compare(before.run, l.run), cmp.Compare(before.entry, l.entry)) < 0 {
			latest[l.operation] = l
		}
	}
	known := false
	for _, l := range latest {
		if l.found {
			return false
		}
		for _, night := range m.nights {
			known = known || slices.ContainsFunc(m.looks[night].lookups, func(k lookup) bool {
				return k.found && k.operation == l.operation && k.number == l.number && k.sent.Before(l.sent)
			})
		}
	}
	return known
}

// dailyCounts compares the nightly counts with the fleet of each night, by flag.
func (m *model) dailyCounts() {
	const counts = "SELECT snapshot_date, flag, category, is_vessel, listed FROM fleet_daily"
	const fleets = "SELECT n.night, flag, category, is_vessel, count(*) FROM (SELECT DISTINCT snapshot_date AS night FROM runs) AS n, fleet_on(n.night) GROUP BY ALL"
	m.compare("fleet_daily", m.ask(counts), m.ask(fleets))
}

// others returns the MMSIs in the sightings and lookups of a night.
func (m *model) others(date string) map[string]bool {
	all := maps.Clone(m.looks[date].looked)
	for _, sweep := range m.looks[date].sighted {
		maps.Copy(all, sweep)
	}
	return all
}

// dayBefore is the civil day before a night.
func dayBefore(date string) string {
	return start.AddDate(0, 0, dayOf(date)-1).Format(time.DateOnly)
}

// misses reports whether the coverage of a night would have included a vessel with this entry of the list.
func (m *model) misses(date string, l simulator.Listing) bool {
	return m.proofs[date]["country"] && l.Country != nil || m.proofs[date]["type"] && l.TypeSpecific != nil
}

// link calls f with each MMSI that was a vessel without an IMO until tonight, and has one tonight.
func (m *model) link(date string, seen, known map[string]bool, f func(alias string)) {
	for _, mmsi := range slices.Sorted(maps.Keys(m.evidence(date))) {
		if !m.truth[date][mmsi].StoresIMO {
			continue
		}
		if alias := "MMSI" + mmsi; known[alias] {
			f(alias)
			delete(known, alias)
		}
	}
	for id := range seen {
		known[id] = true
	}
}

// episodes follows each vessel_id through the sightings of each sweep.
func (m *model) episodes() {
	type key struct{ id, sweep string }
	type episode struct {
		first, last   string
		nights, i, un int
	}
	open, rows := map[key]*episode{}, [][]string{}
	row := func(k key, e *episode) {
		rows = append(rows, []string{k.id, k.sweep, e.first, e.last, fmt.Sprint(e.nights), fmt.Sprint(e.un)})
	}
	seen := map[string]map[string]int{} // the last night before tonight on which each vessel was in each status and zone
	for i, date := range m.nights {
		tonight := map[key]bool{} // the vessels, each in a status and zone
		for sweep, sighted := range m.looks[date].sighted {
			place, _, _ := strings.Cut(sweep, "?")
			ids := map[string]bool{}
			for mmsi := range sighted {
				ids[m.truth[date][mmsi].VesselID] = true
			}
			for id := range ids {
				k := key{id, sweep}
				tonight[key{id, place}] = true
				e := open[k]
				for at, last := range seen[id] {
					if e != nil && at != place && last > e.i { // she was elsewhere since
						row(k, e)
						e = nil
					}
				}
				if e == nil {
					e = &episode{first: date, i: i - 1}
					open[k] = e
				}
				e.un += i - e.i - 1
				e.last, e.i = date, i
				e.nights++
			}
			if !m.proofs[date][sweep] {
				continue
			}
			for k, e := range open {
				if k.sweep != sweep || ids[k.id] {
					continue
				}
				// A search that had none the night before may be empty by a silent fault.
				if v, ok := m.vessel(date, k.id); (len(ids) > 0 || !m.silent[date]) && ok && v.Listed && (v.Status == sweep || v.Status+"/"+v.Zone == sweep) {
					m.fail("history", "%s: %s is recorded as gone from %s and is there", date, k.id, sweep)
				}
				row(k, e)
				delete(open, k)
			}
		}
		for k := range tonight {
			if seen[k.id] == nil {
				seen[k.id] = map[string]int{}
			}
			seen[k.id][k.sweep] = i
		}
	}
	for k, e := range open {
		row(k, e)
	}
	m.compare("episodes", m.ask("SELECT vessel_id, sweep, first_date, last_date, nights, nights_unseen FROM episodes"), rows)
}

func (m *model) vessel(date, id string) (simulator.Vessel, bool) {
	for _, v := range m.truth[date] {
		if v.VesselID == id {
			return v, true
		}
	}
	return simulator.Vessel{}, false
}
