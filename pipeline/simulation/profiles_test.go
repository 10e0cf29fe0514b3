package simulation

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/transform"
)

// profiles follows the answers to the lookups of each vessel: its particulars, and if the job looks up
// whole profiles also its engine, its management and its positions.
func (m *model) profiles() {
	for _, d := range []struct {
		table transform.Table
		of    func(simulator.Vessel) any
		by    func(*look) map[string]bool
	}{
		{transform.Particulars, func(v simulator.Vessel) any { return v.Particulars }, func(l *look) map[string]bool { return l.looked }},
		{transform.Engine, func(v simulator.Vessel) any { return v.Engine }, func(l *look) map[string]bool { return l.whole }},
		{transform.Management, func(v simulator.Vessel) any { return v.Management }, func(l *look) map[string]bool { return l.whole }},
	} {
		m.dataset(d.table, d.of, d.by)
	}
	m.positions()
}

// dataset follows one dataset of a profile, and compares its changes and what is known of it
// at the end.
func (m *model) dataset(table transform.Table, of func(simulator.Vessel) any, by func(*look) map[string]bool) {
	state, ids := map[string]*known{}, map[string]bool{}
	var changes [][]string
	for _, date := range m.nights {
		seen := map[string]bool{}
		for mmsi := range m.everything(date) {
			seen[m.truth[date][mmsi].VesselID] = true
		}
		aliases := map[string][]string{}
		m.link(date, seen, ids, func(alias string) {
			id := m.truth[date][alias[len("MMSI"):]].VesselID
			aliases[id] = append(aliases[id], alias)
		})
		for id, of := range aliases {
			if k, _ := inherit(state[id], state, of); k != nil {
				state[id] = k
			}
		}
		today := map[string]observed{}
		for mmsi := range by(m.looks[date]) {
			v := m.truth[date][mmsi]
			today[v.VesselID] = observedBy(table, of(v))
		}
		for id, o := range today {
			switch k := state[id]; {
			case len(o) == 0:
			case k == nil:
				state[id] = &known{observed: observed{}, at: map[string]string{}, mmsis: map[string]bool{}}
				state[id].learn(date, o)
			default:
				changes = append(changes, k.changes(id, date, o)...)
				k.learn(date, o)
			}
		}
	}
	m.compare("changes of "+table.Name, m.ask("SELECT vessel_id, field, old_value, new_value, seen_before, seen_after FROM changes WHERE dataset = '"+table.Name+"' AND field <> 'eni'"), changes)
	columns := columnsOf(of(simulator.Vessel{}))
	texts := strings.Join(columns, "::VARCHAR, ") + "::VARCHAR" // a version without any of them is of a beacon, or has only the number of an inland vessel
	var got, want [][]string
	for id, k := range state {
		row := []string{id}
		for _, column := range columns {
			row = append(row, k.observed[column])
		}
		want = append(want, row)
	}
	got = m.ask(fmt.Sprintf("SELECT vessel_id, %[2]s FROM %[1]s WHERE valid_to IS NULL AND coalesce(%[2]s) IS NOT NULL", table.Name, texts))
	m.compare(table.Name, got, want)
}

// columnsOf lists the columns of a part of the truth: its fields have their names in JSON.
func columnsOf(part any) (columns []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(part)) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		columns = append(columns, name)
	}
	return columns
}

// observedBy returns a part of the truth as the tables write it. Values that the service does not
// know are absent.
func observedBy(table transform.Table, part any) observed {
	b, err := json.Marshal(part)
	if err != nil {
		panic(err)
	}
	var values map[string]any
	if err := json.Unmarshal(b, &values); err != nil {
		panic(err)
	}
	o := observed{}
	for column, value := range values {
		field, _ := table.Schema.FieldsByName(column)
		n, isNumber := value.(float64)
		switch {
		case !isNumber:
			o[column] = strings.ToUpper(value.(string))
			if strings.HasSuffix(column, "email") || strings.HasSuffix(column, "website") {
				o[column] = strings.ToLower(value.(string))
			}
		case field[0].Type.ID() == arrow.FLOAT64:
			o[column] = strconv.FormatFloat(n, 'f', 1, 64)
		default:
			o[column] = strconv.Itoa(int(n))
		}
	}
	return o
}

// positions compares each observed position with the truth: there is one row for each position that a
// whole profile or a lookup of the position alone reported, however often. An answer to a lookup by MMSI that
// has no IMO number and whose MMSI no registration of an earlier night has may be kept under either id: a lookup of the position
// alone makes none, and what another run of the night knows is published with it or after it.
func (m *model) positions() {
	rows, either := map[string][]string{}, map[string]bool{}
	add := func(id string, at time.Time) {
		row := []string{id, at.UTC().Format("2006-01-02 15:04:05.999999-07")}
		rows[strings.Join(row, " ")] = row
	}
	for _, date := range m.nights {
		for mmsi := range m.looks[date].whole {
			v := m.truth[date][mmsi]
			if p := v.Position; !p.At.IsZero() && p.Latitude != nil {
				add(v.VesselID, p.At)
			}
		}
		for mmsi, locations := range m.looks[date].located {
			p := m.truth[date][mmsi].Position
			for _, of := range locations {
				switch {
				case p.Latitude == nil:
				case of.dated:
					add(m.locatedAs(date, mmsi, of), p.At)
				default:
					add(m.locatedAs(date, mmsi, of), of.received)
				}
				if !of.imo && !m.registered(mmsi, date) {
					either["MMSI"+mmsi], either[m.truth[date][mmsi].VesselID] = true, true
				}
			}
		}
	}
	certain := func(rows [][]string) [][]string {
		return slices.DeleteFunc(rows, func(row []string) bool { return either[row[0]] })
	}
	m.compare("positions", certain(m.ask("SELECT vessel_id, position_at::VARCHAR FROM positions WHERE latitude IS NOT NULL")), certain(slices.Collect(maps.Values(rows))))
}

// registered reports whether an answer of an earlier night that makes a registration gave an MMSI.
func (m *model) registered(mmsi, before string) bool {
	return slices.ContainsFunc(m.nights, func(date string) bool { return date < before && m.everything(date)[mmsi] })
}
