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
// MMSIs, join the list, leave it for ever and change their names. It keeps what it did, by night.
type moving struct {
	*hostile
	random *rand.Rand
	night  int
	built  int
	moved  map[string]int  // by IMO number: the night of its last event
	served map[string]bool // IMO numbers on the pages of the night
	stayed map[string]bool // those that were in the fleet the whole night

	gone    map[string]int // by IMO number: the night
	flags   []string       // as the IMO number, the flag before and after
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

// join adds a ship.
func (m *moving) join() {
	h := harbours[m.random.IntN(len(harbours))]
	m.fleet = append(m.fleet, ship{imo: imoWithCheck(900_000 + m.built), mmsi: fmt.Sprintf("%s%06d", h[1], m.built), name: fmt.Sprintf("MOVER %d", m.built), country: h[0]})
	m.moved[m.fleet[len(m.fleet)-1].imo] = m.night
	m.built++
}

// answered notes which ships the answer to a request has, and moves the fleet before the next one.
func (m *moving) answered(q *call) bool {
	if q.operation != "by-type" || q.probe {
		return false
	}
	harbour := m.having(func(v ship) bool { return v.country == q.values.Get("country") })
	for _, v := range harbour {
		if m.served[v.imo] {
			m.doubled++
		}
		m.served[v.imo] = true
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
	if last, moved := m.moved[v.imo]; moved && last > m.night-3 {
		return
	}
	m.moved[v.imo] = m.night
	switch m.random.IntN(6) {
	case 0:
		m.join()
	case 1:
		m.gone[v.imo] = m.night
		delete(m.stayed, v.imo)
		m.fleet = slices.Delete(m.fleet, at, at+1)
	case 2:
		name := fmt.Sprintf("%s OF %d", strings.Split(v.name, " OF ")[0], m.night)
		m.note(&m.names, v.imo+" "+v.name+" to "+name)
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
	m.built++
	v.country, v.mmsi = after[0], fmt.Sprintf("%s%06d", after[1], m.built)
	m.note(&m.flags, v.imo+" "+before[2]+" to "+after[2])
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
		m.stayed[v.imo] = true
	}
}

func (m *moving) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for imo := range m.stayed {
		if !m.served[imo] {
			m.missed++
		}
	}
}

// TestAMovingFleet harvests nights of a fleet that moves while it is read, some of them in several runs. No vessel is
// gone that is not, every one that is gone is proved gone by the second night after, dated from the first whose list
// had to miss her, and every new flag and name is found once.
func TestAMovingFleet(t *testing.T) {
	t.Parallel()
	for seed := range uint64(long(2, 200)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			publishing(t, func(t *testing.T) {
				m := newMoving(t, seed)
				p := &Pipeline{Dir: t.TempDir(), Service: m.service()}
				const nights = 9
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
	listed := map[string]bool{}
	for _, v := range m.fleet {
		listed["IMO"+v.imo] = true
	}
	for _, row := range publishedRows(t, dir, "SELECT vessel_id, day(missing_since) - 1, day(absent_on) - 1, proof FROM listed WHERE absent_on IS NOT NULL") {
		night, gone := m.gone[strings.TrimPrefix(row[0], "IMO")]
		switch {
		case !gone:
			t.Errorf("%s is proved gone (%s), and is not", row[0], row[3])
		case row[1] != fmt.Sprint(night) && row[1] != fmt.Sprint(night+1):
			t.Errorf("%s left on night %d and is gone since night %s", row[0], night, row[1])
		}
		listed[row[0]] = false
	}
	for imo, night := range m.gone {
		if was, known := listed["IMO"+imo]; night+2 <= last && (was || !known) {
			t.Errorf("IMO%s left on night %d and is not proved gone after night %d", imo, night, last)
		}
	}
	compare := func(what, query string, events []string) {
		want, got := map[string]bool{}, map[string]bool{}
		for _, e := range events {
			if m.latest[e] < last && m.gone[e[:7]] == 0 {
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
	compare("reflaggings", "SELECT imo || ' ' || flag_before || ' to ' || flag_after FROM reflaggings", m.flags)
	compare("renamings", "SELECT imo || ' ' || name_before || ' to ' || name_after FROM renamings", m.names)
	t.Logf("%d left, %d changed their flags and %d their names; the lists missed %d ships, and %d were on two pages", len(m.gone), len(m.flags), len(m.names), m.missed, m.doubled)
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
