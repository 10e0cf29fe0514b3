package simulation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/transform"
)

// observed is one observation of a vessel, by column. Columns that it has no value of are absent.
type observed map[string]string

// observedOnList returns an entry of the list as the tables should have it.
func observedOnList(v simulator.Vessel, l simulator.Listing, sighting bool) observed {
	o := observed{"mmsi": *l.MMSI, "name": v.Name, "ship_type": v.ShipType}
	if v.ShipType == "Unknown" { // which says nothing
		delete(o, "ship_type")
	}
	if v.StoresIMO {
		o["imo"] = fmt.Sprint(v.IMO)
	}
	switch {
	case l.Country != nil:
		c := reference("countries", *l.Country)
		o["flag"], o["country"] = c[1], c[2]
		if o["register"] = registers[strings.ToLower(strings.TrimSpace(*l.Country))]; o["register"] == "" && c[1] != "" {
			o["register"] = c[2]
		}
	case l.CountryISO != nil && !sighting:
		o["flag"], o["country"], o["register"] = *l.CountryISO, names[*l.CountryISO], names[*l.CountryISO]
	}
	if sighting {
		return o.some()
	}
	if l.Callsign != nil {
		o["callsign"] = *l.Callsign
	}
	if l.TypeSpecific != nil {
		t := reference("vessel_types", *l.TypeSpecific)
		o["vessel_type"], o["category"], o["is_vessel"] = t[1], t[2], t[3]
	}
	return o.some()
}

// some drops empty values.
func (o observed) some() observed {
	maps.DeleteFunc(o, func(_, value string) bool { return value == "" })
	return o
}

// registers are the countries of the service that have a register of their own beside that of their flag.
var registers = map[string]string{"portugal (madeira)": "Madeira", "kerguelen islands": "Kerguelen"}

// names maps each flag to its name.
var names = func() map[string]string {
	all := map[string]string{}
	for _, row := range referenceRows["countries"] {
		all[row[1]] = row[2]
	}
	return all
}()

// referenceRows returns the rows of each reference table, by the name of the table.
var referenceRows = func() map[string][][]string {
	all := map[string][][]string{}
	for _, t := range transform.ReferenceTables() {
		all[t.Name] = t.Rows
	}
	return all
}()

// reference returns the row of a reference table for a spelling, which matches without case.
func reference(table, spelling string) []string {
	for _, row := range referenceRows[table] {
		if strings.EqualFold(row[0], strings.TrimSpace(spelling)) {
			return row
		}
	}
	panic(fmt.Sprintf("%s: no row for %q", table, spelling))
}

// bound lists the columns that belong to a registration: they change together, and while a vessel is
// listed under two flags each entry has its own values.
var bound = []string{"mmsi", "callsign", "flag", "country", "register"}

// known is the last value of each column of a vessel, and when it was last reported.
type known struct {
	observed
	at     map[string]string
	seen   string // the last night with an observation of it
	listed bool   // by a list or a profile, which sightings do not overrule
	mmsis  map[string]bool
	since  string            // the night since which its MMSI is in use
	first  map[string]string // the first night with each MMSI, that of a sighting too
}

// versions follows each vessel_id through every observation of its identity.
func (m *model) versions() {
	state, ids := map[string]*known{}, map[string]bool{}
	doubtful := map[string]bool{}
	var changes [][]string
	for _, date := range m.nights {
		aliases := map[string][]string{}
		seen := map[string]bool{}
		for mmsi := range m.everything(date) {
			seen[m.truth[date][mmsi].VesselID] = true
		}
		m.link(date, seen, ids, func(alias string) {
			id := m.truth[date][alias[len("MMSI"):]].VesselID
			aliases[id] = append(aliases[id], alias)
			seen[id] = true // also where a position alone links the two
		})
		for _, id := range slices.Sorted(maps.Keys(seen)) {
			k := state[id]
			if len(aliases[id]) > 0 {
				var doubt bool
				if k, doubt = inherit(k, state, aliases[id]); doubt || slices.ContainsFunc(aliases[id], func(alias string) bool { return doubtful[alias] }) {
					doubtful[id] = true
				}
			}
			o, fromList, doubt := m.observe(date, id, k)
			// An entry that is listed with the IMO number for the first time may be the old one of
			// two flags, which the service did not list before.
			if doubt || len(aliases[id]) > 0 && len(m.mmsis(date, id)) > len(aliases[id]) && k != nil && o["mmsi"] != k.observed["mmsi"] {
				doubtful[id] = true
			}
			if o == nil {
				if k != nil {
					changes = append(changes, k.linked(id, date)...)
					k.meet(date, m.mmsis(date, id))
					state[id] = k
				}
				continue
			}
			if k == nil {
				k = &known{observed: observed{}, at: map[string]string{}, mmsis: map[string]bool{}, first: map[string]string{}}
			} else {
				changes = append(changes, k.changes(id, date, o)...)
			}
			k.learn(date, o)
			k.meet(date, m.mmsis(date, id))
			k.listed = k.listed || fromList
			state[id] = k
		}
	}
	m.compareVersions(state, doubtful, changes)
}

// mmsis returns the MMSIs under which a night reports a vessel.
func (m *model) mmsis(date, id string) (all []string) {
	for mmsi := range m.everything(date) {
		if m.truth[date][mmsi].VesselID == id {
			all = append(all, mmsi)
		}
	}
	return all
}

// inherit returns what is known of a vessel under its earlier ids: of several vessels without an IMO
// number, the one that was seen last. It is in doubt if they were seen on the same night.
func inherit(k *known, state map[string]*known, aliases []string) (inherited *known, doubt bool) {
	for _, alias := range aliases {
		before := state[alias]
		delete(state, alias)
		switch {
		case k != nil || before == nil:
		case inherited == nil || before.seen > inherited.seen:
			inherited, doubt = before, false
		case before.seen == inherited.seen:
			doubt = true
		}
	}
	return cmp.Or(k, inherited), doubt
}

// linked is the change of a vessel whose IMO number becomes known, and nothing else about it.
func (k *known) linked(id, date string) [][]string {
	imo, ok := strings.CutPrefix(id, "IMO")
	if !ok || k.observed["imo"] != "" {
		return nil
	}
	rows := k.changes(id, date, observed{"imo": imo})
	k.observed["imo"], k.at["imo"] = imo, date
	return rows
}

// everything returns each MMSI that a night reports.
func (m *model) everything(date string) map[string]bool {
	all := m.others(date)
	maps.Copy(all, m.looks[date].listed)
	return all
}

// observe returns a night's observation of a vessel, and whether that leaves a doubt which of two
// registrations is in use.
func (m *model) observe(date, id string, k *known) (o observed, fromList, doubt bool) {
	look := m.looks[date]
	reported := map[string]simulator.Listing{}
	var v simulator.Vessel
	sighting := false
	for _, pass := range []bool{false, true} {
		if pass && (len(reported) > 0 || k != nil && k.listed) {
			break
		}
		sighting = pass
		for mmsi := range m.everything(date) {
			if m.truth[date][mmsi].VesselID != id || !pass && !look.listed[mmsi] && !look.looked[mmsi] {
				continue
			}
			v = m.truth[date][mmsi]
			l, wasListed := m.entry(v, mmsi)
			reported[mmsi], doubt = l, doubt || !wasListed
		}
	}
	if len(reported) == 0 {
		return nil, false, false
	}
	now, isNow := reported[v.MMSI]
	switch {
	case isNow:
		o = observedOnList(v, now, sighting)
		// A sighting gave it no later than the one in use was first given: nothing says which is newer.
		doubt = doubt || k != nil && k.observed["mmsi"] != v.MMSI && k.first[v.MMSI] != "" && k.first[v.MMSI] <= k.since
		doubt = doubt || k == nil && len(reported) > 1 || k != nil && k.observed["mmsi"] != v.MMSI && k.mmsis[v.MMSI] // it is back under an old flag
		for mmsi := range reported {                                                                                  // or both are new, or the old one is seen for the first time
			doubt = doubt || mmsi != v.MMSI && (k.observed["mmsi"] != v.MMSI && k.observed["mmsi"] != mmsi || !k.mmsis[mmsi])
		}
	default:
		for _, l := range reported {
			o = observedOnList(v, l, sighting)
			// The old flag is seen for the first time, after the new one: nothing says which is older. Or it
			// left the list, and is back: the vessel may have it again.
			doubt = doubt || k != nil && k.observed["mmsi"] == v.MMSI && (!k.mmsis[o["mmsi"]] || m.unlisted(o["mmsi"], k.since, date))
		}
		if k != nil && k.observed["mmsi"] == v.MMSI {
			for _, column := range bound {
				delete(o, column)
			}
		}
		doubt = doubt || k != nil && k.observed["mmsi"] != v.MMSI && k.observed["mmsi"] != o["mmsi"]
	}
	return o, !sighting, doubt
}

// unlisted reports whether an MMSI was not listed on one of the nights from a date to before another.
func (m *model) unlisted(mmsi, from, before string) bool {
	return slices.ContainsFunc(m.nights, func(date string) bool { return from <= date && date < before && !m.looks[date].listed[mmsi] })
}

// entry returns the entry of the list under an MMSI. A vessel that is not listed has none, and lookups
// report it all the same: then the entry is derived from the truth, as it was listed on another day.
// The entry of a vessel that was never listed under its flag is unknown, but for its type.
func (m *model) entry(v simulator.Vessel, mmsi string) (l simulator.Listing, wasListed bool) {
	for _, l := range v.Stored {
		if *l.MMSI == mmsi {
			return l, true
		}
	}
	l = simulator.Listing{MMSI: &v.MMSI, Callsign: &v.Callsign}
	for day := dayOf(m.nights[len(m.nights)-1]); day >= 0; day-- { // its spelling does not change
		for _, s := range m.sim.Truth(day) {
			if s.Hull != v.Hull || len(s.Stored) == 0 {
				continue
			}
			last := s.Stored[len(s.Stored)-1]
			l.TypeSpecific = last.TypeSpecific
			if s.Country == v.Country {
				l.Country, l.CountryISO = last.Country, last.CountryISO
				return l, true
			}
		}
	}
	return l, false
}

// changes returns the rows that an observation makes.
func (k *known) changes(id, date string, o observed) [][]string {
	var rows [][]string
	for _, column := range slices.Sorted(maps.Keys(o)) {
		if o[column] == k.observed[column] {
			continue
		}
		before := k.at[column]
		if before == "" {
			before = k.seen
		}
		rows = append(rows, []string{id, column, k.observed[column], o[column], before, date})
	}
	return rows
}

// meet records the MMSIs under which a night reports a vessel.
func (k *known) meet(date string, mmsis []string) {
	for _, mmsi := range mmsis {
		k.first[mmsi] = cmp.Or(k.first[mmsi], date)
	}
}

func (k *known) learn(date string, o observed) {
	if o["mmsi"] != "" && o["mmsi"] != k.observed["mmsi"] {
		k.since = date
	}
	for column, value := range o {
		k.observed[column], k.at[column] = value, date
	}
	k.seen = date
	k.mmsis[o["mmsi"]] = true
}

// compareVersions compares the changes, and the last known values. It leaves out the columns that
// belong to a registration for a vessel whose two registrations left a doubt.
func (m *model) compareVersions(state map[string]*known, doubtful map[string]bool, changes [][]string) {
	certain := func(rows [][]string) [][]string {
		return slices.DeleteFunc(rows, func(row []string) bool { return doubtful[row[0]] && slices.Contains(bound, row[1]) })
	}
	m.compare("changes", certain(m.ask("SELECT vessel_id, field, old_value, new_value, seen_before, seen_after FROM changes WHERE dataset = 'registration'")), certain(changes))
	var want [][]string
	columns := []string{"name", "imo", "mmsi", "callsign", "flag", "country", "register", "ship_type", "vessel_type", "category", "is_vessel"}
	for id, k := range state {
		for _, column := range columns {
			want = append(want, []string{id, column, k.observed[column], k.seen})
		}
	}
	var got [][]string
	for _, row := range m.ask("SELECT vessel_id, last_seen, name, imo, mmsi, callsign, flag, country, register, ship_type, vessel_type, category, is_vessel FROM registration WHERE valid_to IS NULL") {
		for i, column := range columns {
			got = append(got, []string{row[0], column, row[2+i], row[1]})
		}
	}
	m.compare("registration", certain(got), certain(want))
}
