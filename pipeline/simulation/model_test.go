package pipeline

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator"
)

// model is the content of the answers, read from the journal without the program's own readers, and
// joined to the truth of the day by the MMSI of each answer.
type model struct {
	*history
	nights []string
	looks  map[string]*look                          // by night
	proofs map[string]map[string]bool                // by night: "country", "type", and each sweep that was covered completely
	truth  map[string]map[string]simulator.Vessel    // by night and by each reported MMSI
	ids    map[string]map[string][]simulator.Listing // by night and vessel_id: the entries of the list
}

// look is the content of one night's answers, by MMSI.
type look struct {
	listed  map[string]bool
	looked  map[string]bool            // in any lookup
	whole   map[string]bool            // in one that answers with the whole profile
	sighted map[string]map[string]bool // by sweep
}

func newModel(h *history, nights int) *model {
	m := &model{history: h, looks: map[string]*look{}, proofs: map[string]map[string]bool{}, truth: map[string]map[string]simulator.Vessel{}, ids: map[string]map[string][]simulator.Listing{}}
	for day := range nights {
		date := h.date(day)
		m.truth[date], m.ids[date] = map[string]simulator.Vessel{}, map[string][]simulator.Listing{}
		for _, v := range h.sim.Truth(day) {
			m.truth[date][v.MMSI] = v
			for _, l := range v.Stored {
				m.truth[date][*l.MMSI] = v
			}
			m.ids[date][v.VesselID] = v.Stored
		}
	}
	for _, path := range h.segments(h.p) {
		m.read(path)
	}
	m.nights = slices.Sorted(maps.Keys(m.looks))
	m.prove()
	return m
}

// read reads the answers of a segment.
func (m *model) read(path string) {
	var l *look
	var date string
	for e, err := range journal.Read(path) {
		switch {
		case err != nil:
			m.t.Fatal(err)
		case e.Kind == journal.KindPlan:
			date = e.Plan.Date
			if m.looks[date] == nil {
				m.looks[date] = &look{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]map[string]bool{}}
			}
			l = m.looks[date]
		case e.OK():
			m.answer(l, date, e)
		}
	}
}

func (m *model) answer(l *look, date string, e journal.Entry) {
	type vessel struct {
		MMSI string `json:"mmsi"`
	}
	var body struct {
		vessel
		Items   []vessel
		Vessels []vessel
		Detail  *vessel
	}
	if err := json.Unmarshal([]byte(e.Body), &body); err != nil {
		return // a page of HTML
	}
	q, err := url.ParseQuery(e.Parameters)
	if err != nil {
		m.t.Fatal(err)
	}
	switch e.Operation {
	case api.ByType.Name:
		for _, v := range body.Items {
			l.listed[v.MMSI] = true
		}
	case api.ByStatus.Name:
		sweep := strings.Trim(q.Get("navigational_status")+"/"+q.Get("world_zone"), "/")
		if l.sighted[sweep] == nil {
			l.sighted[sweep] = map[string]bool{}
		}
		for _, v := range body.Vessels {
			l.sighted[sweep][v.MMSI] = true
		}
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

// prove reads which partitions were covered completely. An empty answer counts if the last answer
// to the partition was empty too, or if it is repeated.
func (m *model) prove() {
	type partition struct{ kind, value string }
	last := map[partition]string{}
	for _, date := range m.nights {
		kinds := map[string]map[string]bool{"country": {}, "type": {}, "status": {}}
		for _, row := range m.ask(m.p, "SELECT kind, lower(value), bool_or(state = 'complete'), max(received_rows) FROM coverage WHERE state IN ('complete', 'partial', 'suspect') AND snapshot_date = '"+date+"' GROUP BY ALL") {
			p := partition{row[0], row[1]}
			before, asked := last[p]
			kinds[p.kind][p.value] = row[2] == "true" && (row[3] != "0" || before == "0" || !asked)
			last[p] = row[3]
		}
		m.proofs[date] = kinds["status"]
		m.proofs[date]["country"] = all(api.Countries, kinds["country"])
		m.proofs[date]["type"] = all(api.Types, kinds["type"])
	}
}

func all(values []string, in map[string]bool) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return !in[strings.ToLower(strings.TrimSpace(v))] })
}

// check compares each table with its expected rows.
func (m *model) check() {
	proven := 0
	for _, date := range m.nights {
		if m.proofs[date]["country"] || m.proofs[date]["type"] {
			proven++
		}
	}
	if proven*6 < len(m.nights) {
		m.t.Errorf("only %d of %d nights proved that anything was gone", proven, len(m.nights))
	}
	m.t.Logf("%d nights, %d of them proved absence", len(m.nights), proven)
	m.stays()
	m.episodes()
	m.versions()
	m.profiles()
}

// compare reports the rows that are missing, and those that should not be.
func (m *model) compare(what string, got, want [][]string) {
	m.t.Helper()
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
			m.t.Errorf("%s: missing: %s", what, row)
		default:
			m.t.Errorf("%s: false:   %s", what, row)
		}
		if wrong++; wrong == 20 {
			break
		}
	}
	m.t.Logf("%s: %d rows", what, len(want))
}

// stay is a stay on the list that the table should have.
type stay struct {
	id, from, to, last, absent string
	listing                    simulator.Listing // the evidence of the last night
}

func (s stay) row() []string { return []string{s.id, s.from, s.to, s.last, s.absent} }

// stays follows each vessel_id through the nights: its stay lasts until a night with complete coverage
// does not list it. Then it must truly be gone.
func (m *model) stays() {
	open, done := map[string]*stay{}, [][]string{}
	known := map[string]bool{} // ids that a registration was ever seen of
	for i, date := range m.nights {
		listed := map[string]simulator.Listing{}
		seen := map[string]bool{} // in any way
		for mmsi := range m.looks[date].listed {
			v := m.truth[date][mmsi]
			listed[v.VesselID] = v.Stored[len(v.Stored)-1]
			seen[v.VesselID] = true
		}
		for mmsi := range m.others(date) {
			seen[m.truth[date][mmsi].VesselID] = true
		}
		m.link(date, seen, known, func(alias string) {
			if s := open[alias]; s != nil {
				s.to = m.nightBefore(date)
				done = append(done, s.row())
				delete(open, alias)
			}
		})
		for id, l := range listed {
			if open[id] == nil {
				open[id] = &stay{id: id, from: date}
			}
			open[id].last, open[id].listing = date, l
		}
		for id, s := range open {
			if seen[id] || !m.proves(date, s.listing) {
				continue
			}
			if len(m.ids[date][id]) > 0 {
				m.t.Errorf("night %d: %s is recorded as gone and is on the list", i, id)
			}
			s.to, s.absent = s.last, date
			done = append(done, s.row())
			delete(open, id)
		}
	}
	for _, s := range open {
		done = append(done, s.row())
	}
	m.compare("listed", m.ask(m.p, "SELECT vessel_id, from_date, to_date, last_date, absent_on FROM listed"), done)
}

// others returns the MMSIs in the sightings and lookups of a night.
func (m *model) others(date string) map[string]bool {
	all := maps.Clone(m.looks[date].looked)
	for _, sweep := range m.looks[date].sighted {
		maps.Copy(all, sweep)
	}
	return all
}

// nightBefore is the civil day before a night.
func (m *model) nightBefore(date string) string {
	for day := 0; ; day++ {
		if m.date(day+1) == date {
			return m.date(day)
		}
	}
}

// proves reports whether the coverage of a night would have included a vessel with this entry of the list.
func (m *model) proves(date string, l simulator.Listing) bool {
	return m.proofs[date]["country"] && l.Country != nil || m.proofs[date]["type"] && l.TypeSpecific != nil
}

// link calls f with each MMSI that was a vessel without an IMO until tonight, and has one tonight.
func (m *model) link(date string, seen, known map[string]bool, f func(alias string)) {
	look := m.looks[date]
	for _, mmsi := range slices.Sorted(maps.Keys(m.truth[date])) {
		v := m.truth[date][mmsi]
		if !v.StoresIMO || !(look.listed[mmsi] || m.others(date)[mmsi]) {
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
	for i, date := range m.nights {
		for sweep, sighted := range m.looks[date].sighted {
			ids := map[string]bool{}
			for mmsi := range sighted {
				ids[m.truth[date][mmsi].VesselID] = true
			}
			for id := range ids {
				k := key{id, sweep}
				e := open[k]
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
				if v, ok := m.vessel(date, k.id); ok && v.Listed && (v.Status == sweep || v.Status+"/"+v.Zone == sweep) {
					m.t.Errorf("night %d: %s is recorded as gone from %s and is there", i, k.id, sweep)
				}
				row(k, e)
				delete(open, k)
			}
		}
	}
	for k, e := range open {
		row(k, e)
	}
	m.compare("episodes", m.ask(m.p, "SELECT vessel_id, sweep, first_date, last_date, nights, nights_unseen FROM episodes"), rows)
}

func (m *model) vessel(date, id string) (simulator.Vessel, bool) {
	for _, v := range m.truth[date] {
		if v.VesselID == id {
			return v, true
		}
	}
	return simulator.Vessel{}, false
}
