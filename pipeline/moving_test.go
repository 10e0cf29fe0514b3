package pipeline

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

// moving is a fleet that moves while it is read: between any two requests ships change their flags with their
// MMSIs, join the list, leave it for ever and change their names. A third of them has no IMO number, and ships that join
// get the MMSIs of ships that left. It keeps what it did, by night; a ship is known by her first name.
type moving struct {
	*hostile
	random *rand.Rand
	night  int
	built  int
	moved  map[string]int  // the night of a ship's last event
	served map[string]bool // the ships on the pages of the night
	stayed map[string]bool // those that were in the fleet the whole night

	gone    map[string]int // the night
	free    []string       // the MMSIs of ships that left, with the night before each
	given   int            // MMSIs that were given again
	flags   []string       // as the ship, the flag before and after
	names   []string       // the same of names
	latest  map[string]int // by event: its night
	missed  int            // ships on no page of a night, which were in the fleet from its start to its end
	doubled int            // ships on two pages of a night
}

// harbours are the countries of the moving fleet, with the digits of their MMSIs.
var harbours = [][3]string{{"Malta", "215", "MT"}, {"Panama", "351", "PA"}, {"Cyprus", "209", "CY"}, {"Liberia", "636", "LR"}, {"Bahamas", "308", "BS"}, {"Tuvalu", "572", "TV"}}

func newMoving(t *testing.T, seed uint64) *moving {
	m := &moving{random: rand.New(rand.NewPCG(seed, 30)), moved: map[string]int{}, served: map[string]bool{}, stayed: map[string]bool{}, gone: map[string]int{}, latest: map[string]int{}}
	m.hostile = newHostile(t, hostileCase{on: m.answered})
	m.fleet = nil
	for range 120 {
		m.join()
	}
	clear(m.moved)
	return m
}

// join adds a ship, under the MMSI of one that left three nights before or earlier, if there is one of her flag.
func (m *moving) join() {
	h := harbours[m.random.IntN(len(harbours))]
	v := ship{mmsi: fmt.Sprintf("%s%06d", h[1], m.built), name: fmt.Sprintf("MOVER %d", m.built), country: h[0], callsign: fmt.Sprintf("C%d", m.built)}
	if v.kind = []string{"", "Tug", "Crude Oil Tanker"}[m.random.IntN(3)]; m.random.IntN(3) > 0 {
		v.imo = imoWithCheck(900_000 + m.built)
	}
	for i, free := range m.free {
		if night, mmsi, _ := strings.Cut(free, " "); strings.HasPrefix(mmsi, h[1]) && night <= fmt.Sprintf("%03d", m.night-3) {
			v.mmsi, m.free = mmsi, slices.Delete(m.free, i, i+1)
			m.given++
			break
		}
	}
	m.fleet = append(m.fleet, v)
	m.moved[v.first()] = m.night
	m.built++
}

// first is the first name of a ship.
func (v ship) first() string { return strings.Split(v.name, " OF ")[0] }

// answered notes which ships the answer to a request has, and moves the fleet before the next one.
func (m *moving) answered(q *call) bool {
	if q.operation != "by-type" || q.probe {
		return false
	}
	harbour := m.having(func(v ship) bool { return v.country == q.values.Get("country") })
	for _, v := range harbour {
		if m.served[v.first()] {
			m.doubled++
		}
		m.served[v.first()] = true
	}
	switch {
	case m.night == 0: // nothing shows what happens before the first night is known
	case len(harbour) > 0:
		for range m.random.IntN(5) {
			m.move()
		}
	case m.random.IntN(30) == 0:
		m.move()
	}
	return false
}

// move lets one ship do something, but none that did something tonight or on the two nights before.
func (m *moving) move() {
	at := m.random.IntN(len(m.fleet))
	v := &m.fleet[at]
	first := v.first()
	if last, moved := m.moved[first]; moved && last > m.night-3 {
		return
	}
	m.moved[first] = m.night
	switch m.random.IntN(6) {
	case 0:
		m.join()
	case 1:
		m.gone[first] = m.night
		m.free = append(m.free, fmt.Sprintf("%03d %s", m.night, v.mmsi))
		delete(m.stayed, first)
		m.fleet = slices.Delete(m.fleet, at, at+1)
	case 2:
		name := fmt.Sprintf("%s OF %d", first, m.night)
		m.note(&m.names, first+": "+v.name+" to "+name)
		v.name = name
	default:
		m.reflag(v)
	}
}

// reflag gives a ship another flag, and an MMSI of it.
func (m *moving) reflag(v *ship) {
	flagOf := func(country string) [3]string {
		return harbours[slices.IndexFunc(harbours, func(h [3]string) bool { return h[0] == country })]
	}
	before, after := flagOf(v.country), harbours[m.random.IntN(len(harbours))]
	if before == after {
		return
	}
	v.country, v.mmsi = after[0], fmt.Sprintf("%s%06d", after[1], m.built)
	m.built++
	m.note(&m.flags, v.first()+": "+before[2]+" to "+after[2])
}

func (m *moving) note(events *[]string, event string) {
	*events = append(*events, event)
	m.latest[event] = m.night
}

// begin and end count what a night misses.
func (m *moving) begin(night int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.night, m.served, m.stayed = night, map[string]bool{}, map[string]bool{}
	for _, v := range m.fleet {
		m.stayed[v.first()] = true
	}
}

func (m *moving) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for first := range m.stayed {
		if !m.served[first] {
			m.missed++
		}
	}
}

// TestAMovingFleet harvests nights of a fleet that moves while it is read, some of them in several runs. No vessel is
// gone that is not, every one that is gone is proved gone by the second night after, dated from the first whose list
// had to miss her, and every new flag and name is found once.
func TestAMovingFleet(t *testing.T) {
	t.Parallel()
	for seed := range uint64(long(2, 5)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			publishing(t, func(t *testing.T) {
				m := newMoving(t, seed)
				p := &Pipeline{Dir: t.TempDir(), Service: m.service()}
				nights := long(9, 200)
				for night := range nights {
					time.Sleep(time.Until(time.Date(2000, 1, 1+night, 2, 0, 0, 0, time.UTC))) // of virtual time: the next night comes
					m.begin(night)
					m.harvest(t, p)
					m.end()
				}
				m.stop()
				m.check(t, p.Dir, nights-1)
				if m.missed == 0 {
					t.Error("the lists missed no ship that was in the fleet all night: the nights are too quiet to test anything")
				}
			})
		})
	}
}

// harvest runs a night to its end; some nights are interrupted, and resumed.
func (m *moving) harvest(t *testing.T, p *Pipeline) {
	t.Helper()
	job := plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "country"}, Lookup: plan.Lookup{Want: []string{"particulars"}, MaxAge: 30 * 24 * time.Hour, MaxRequests: 40}}
	for interrupted := m.random.IntN(3); ; interrupted-- {
		ctx, cancel := context.WithCancel(t.Context())
		if interrupted > 0 {
			stop := time.AfterFunc(time.Duration(1+m.random.IntN(300))*time.Second, cancel)
			defer stop.Stop()
		}
		r, err := p.Run(ctx, job, time.Date(2000, 1, 1+m.night, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
		cancel()
		if interrupted <= 0 {
			must(t, err)
		}
		if r.State == report.StateDone {
			return
		}
		if interrupted < -3 {
			t.Fatalf("night %d does not end: %s: %s", m.night, r.State, r.Reason)
		}
		time.Sleep(time.Minute)
	}
}

// check compares what is published after the last night with what happened.
func (m *moving) check(t *testing.T, dir string, last int) {
	t.Helper()
	known := map[string]string{} // the vessels by their first names
	for _, row := range publishedRows(t, dir, "SELECT split_part(name, ' OF ', 1), count(*), string_agg(vessel_id, ' ') FROM vessels GROUP BY 1") {
		if known[row[0]] = row[2]; row[1] != "1" && m.moved[row[0]] < last { // on the night of a new flag she may stand under both
			t.Errorf("%s is %s vessels: %s", row[0], row[1], row[2])
		}
	}
	for first, moved := range m.moved {
		if known[first] == "" && moved < last {
			t.Errorf("%s is no vessel", first)
		}
	}
	proved := map[string]bool{}
	for _, row := range publishedRows(t, dir, `SELECT split_part(v.name, ' OF ', 1), l.missing_since - DATE '2000-01-01', l.absent_on - DATE '2000-01-01', l.proof, v.vessel_id
			FROM listed AS l JOIN vessels AS v USING (vessel_id) WHERE l.absent_on IS NOT NULL`) {
		night, gone := m.gone[row[0]]
		switch {
		case !gone:
			t.Errorf("%s, %s, is proved gone (%s), and is not", row[0], row[4], row[3])
		case row[1] != fmt.Sprint(night) && row[1] != fmt.Sprint(night+1):
			t.Errorf("%s left on night %d and is gone since night %s", row[0], night, row[1])
		}
		proved[row[0]] = true
	}
	for first, night := range m.gone {
		if night+2 <= last && !proved[first] {
			t.Errorf("%s, %s, left on night %d and is not proved gone after night %d", first, known[first], night, last)
		}
	}
	compare := func(what, query string, events []string) {
		want, got := map[string]bool{}, map[string]bool{}
		for _, e := range events {
			if first, _, _ := strings.Cut(e, ":"); m.latest[e] < last && m.gone[first] == 0 {
				want[e] = true
			}
		}
		for _, row := range publishedRows(t, dir, query) {
			if got[row[0]] = true; !slices.Contains(events, row[0]) {
				t.Errorf("%s: false: %s", what, row[0])
			}
		}
		for _, e := range slices.Sorted(maps.Keys(want)) {
			if !got[e] {
				t.Errorf("%s: missing: %s, of night %d", what, e, m.latest[e])
			}
		}
	}
	compare("reflaggings", "SELECT split_part(name, ' OF ', 1) || ': ' || flag_before || ' to ' || flag_after FROM reflaggings", m.flags)
	compare("renamings", "SELECT split_part(name_after, ' OF ', 1) || ': ' || name_before || ' to ' || name_after FROM renamings", m.names)
	t.Logf("%d left, %d changed their flags and %d their names; %d had the number of one that had left; the lists missed %d ships, and %d were on two pages", len(m.gone), len(m.flags), len(m.names), m.given, m.missed, m.doubled)
}

// publishedRows asks the published warehouse, for texts.
func publishedRows(t *testing.T, dir, query string) (all [][]string) {
	t.Helper()
	db := openPublished(t, dir)
	defer db.Close()
	rows, err := db.Query("SELECT COLUMNS(*)::VARCHAR FROM (" + query + ")")
	must(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	must(t, err)
	for rows.Next() {
		row, into := make([]string, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		must(t, rows.Scan(into...))
		all = append(all, row)
	}
	must(t, rows.Err())
	return all
}
