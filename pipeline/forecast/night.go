package forecast

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// simulation is a fleet and its world on their way through the nights of one scenario.
type simulation struct {
	*fleet
	world    *world
	scenario Scenario
	begun    State
	random   *rand.Rand
	at       time.Time // until when the world is simulated
	owed     Churn     // parts of events that have not happened yet

	spent struct { // credits up to now
		night, day, month int
		date              string
		at                time.Time
	}
	lookedUp int // lookups of the night

	asked map[string]time.Time // when questions were last answered
	bulk  inputs.Bulk
}

// newSimulation puts each vessel into a partition of each kind.
func newSimulation(s State, c Scenario) *simulation {
	m := &simulation{fleet: newFleet(s, c.Job), world: newWorld(s, c.Job), scenario: c, begun: s,
		random: rand.New(rand.NewPCG(1, 2)), at: s.Now, asked: maps.Clone(s.Asked), bulk: s.Bulk}
	m.spent.day, m.spent.month, m.spent.at = s.SpentDay, s.SpentMonth, s.SpentAt
	vessels := s.Unlisted
	for _, t := range m.targets {
		vessels += countOf(t.Listed)
	}
	m.hidden = make([]hidden, s.Unlisted)
	for i := range m.hidden {
		m.hidden[i] = hidden{places: map[string]uint16{}, like: -1}
	}
	for _, partitions := range listed(c.Job.List) {
		name := partitions[0].Kind
		d := newDrawer(m.world.kinds[name].sizes, vessels)
		m.places[name] = make([]uint16, len(s.Targets))
		for i := range m.places[name] {
			if m.places[name][i] = nowhere; m.targets[i].Listed {
				m.places[name][i] = d.draw(m.random)
			}
		}
		d = newDrawer(m.world.unlistedIn(m.world.kinds[name]), 0)
		for _, h := range m.hidden {
			h.places[name] = d.draw(m.random)
		}
	}
	return m
}

// drift lets the world change until a time: vessels arrive and leave, and registrations change.
func (m *simulation) drift(now time.Time) {
	days := max(0, now.Sub(m.at).Hours()/24) * float64(len(m.targets)+len(m.hidden))
	m.at = now
	if len(m.targets) == 0 {
		return
	}
	due := func(owed *float64, rate float64) int {
		*owed += rate * days
		n := int(*owed)
		*owed -= float64(n)
		return n
	}
	for range due(&m.owed.Leave, m.begun.Churn.Leave) {
		if i := int32(m.random.IntN(len(m.targets))); m.state[i]&gone == 0 && m.hasPlace(i) {
			m.state[i] |= gone
			m.left = append(m.left, i)
			m.resize(m.placesOf(i), -1)
		}
	}
	for range due(&m.owed.Change, m.begun.Churn.Change) {
		if i := int32(m.random.IntN(len(m.targets))); m.state[i]&(gone|stale) == 0 && m.hasPlace(i) {
			m.state[i] |= stale | outdated
			m.changed = append(m.changed, i)
		}
	}
	for range due(&m.owed.Arrive, m.begun.Churn.Arrive) {
		like := int32(m.random.IntN(len(m.targets)))
		h := hidden{places: m.placesOf(like), like: like}
		m.hidden = append(m.hidden, h)
		m.resize(h.places, 1)
	}
}

// hasPlace reports whether any partition lists a vessel.
func (m *simulation) hasPlace(i int32) bool {
	for _, all := range m.places {
		if all[i] != nowhere {
			return true
		}
	}
	return false
}

// placesOf returns the partitions of a vessel.
func (m *simulation) placesOf(i int32) map[string]uint16 {
	places := make(map[string]uint16, len(m.places))
	for kind, all := range m.places {
		places[kind] = all[i]
	}
	return places
}

// resize adds a number to the vessels of partitions.
func (m *simulation) resize(places map[string]uint16, by int) {
	for kind, place := range places {
		if place != nowhere {
			m.world.kinds[kind].sizes[place] = max(0, m.world.kinds[kind].sizes[place]+by)
		}
	}
}

// night simulates a run.
func (m *simulation) night(now time.Time) Night {
	m.drift(now)
	m.begin(now)
	f := plan.Inputs{Now: now, Totals: m.world.totals, Targets: m.targets, Refused: m.refusedNow(now), Rates: m.begun.Rates,
		Spent: credits.Spent{Night: m.spent.night, Day: m.spent.day, Month: m.spent.month}, LookedUp: m.lookedUp,
		Vessels: m.begun.Vessels, Asked: m.asked, Bulk: m.bulk}
	job := m.scenario.Job
	job.Floor = 0
	d := plan.Decide(job, f, m.scenario.PerMinute)
	n := Night{At: now}
	questions := m.ask(&n, d, f)
	s := m.search(d, now)
	n.Spending.List, n.Spending.Sweep = s.list*api.ByType.Credits, s.sweeps*api.ByStatus.Credits
	lookups, spent := m.lookUp(d, s, d.Allowance.Limit.Plus(-s.credits()-n.Spending.Questions), now)
	n.Spending.Lookups = spent
	n.Credits = n.Spending.Questions + n.Spending.List + n.Spending.Sweep + spent
	n.Requests = questions + s.list + s.sweeps + lookups
	n.Waiting = max(0, d.Due+len(s.urgent)-lookups)
	n.Minutes = max(n.Minutes, m.minutesOf(api.ByType, s.list), m.minutesOf(api.ByStatus, s.sweeps),
		m.minutesOf(job.Lookup.Operation(), lookups))
	m.spent.night, m.spent.day, m.spent.month = m.spent.night+n.Credits, m.spent.day+n.Credits, m.spent.month+n.Credits
	m.lookedUp += lookups
	n.Covered = s.covered
	n.Covered.Listed = 1 - float64(len(m.hidden))/math.Max(1, float64(len(m.hidden)+m.listed))
	return n
}

// ask asks the questions of a night, which come before everything else. It returns how many they are.
func (m *simulation) ask(n *Night, d plan.Plan, f plan.Inputs) (questions int) {
	minutes := map[string]float64{}
	for _, q := range d.Questions {
		o := q.Operation.Operation
		for _, r := range q.Requests {
			f.NoteAsked(o.Name, r.Parameters.Encode(), f.Now)
		}
		questions += len(q.Requests)
		n.Spending.Questions += len(q.Requests) * o.Credits
		minutes[o.Name] += m.minutesOf(o, len(q.Requests))
		n.Minutes = max(n.Minutes, minutes[o.Name])
	}
	m.asked = f.Asked
	for _, number := range d.InBulk {
		if i, ok := m.byID[number]; ok {
			m.look(i, plan.PositionAlone, f.Now)
		}
		m.bulk = inputs.BulkLocates
	}
	return questions
}

// begin forgets what was spent before the night, the day and the month of a run.
func (m *simulation) begin(now time.Time) {
	now, last := now.UTC(), m.spent.at.UTC()
	if date := now.In(location(m.scenario.Job)).Format(time.DateOnly); date != m.spent.date {
		m.spent.date, m.spent.night, m.lookedUp = date, 0, 0
	}
	if now.YearDay() != last.YearDay() || now.Year() != last.Year() {
		m.spent.day = 0
	}
	if now.Month() != last.Month() || now.Year() != last.Year() {
		m.spent.month = 0
	}
	m.spent.at = now
}

func location(job plan.Job) *time.Location {
	if job.Location == nil {
		return time.UTC
	}
	return job.Location
}

// minutesOf returns how long a lane takes for some requests.
func (m *simulation) minutesOf(o api.Operation, requests int) float64 {
	return float64(requests) / float64(m.scenario.PerMinute(o)) / plan.Pace
}

// lookUp makes the lookups of a night: those of vessels that the searches list for the first time or as
// changed come before those of the plan. left is what the night has to pay them. It returns how many it made, and
// their credits.
func (m *simulation) lookUp(d plan.Plan, s searched, left credits.Limit, now time.Time) (lookups, spent int) {
	l := m.scenario.Job.Lookup
	if len(l.Want) == 0 {
		return 0, 0
	}
	o := l.Operation()
	pace := m.minutesOf(o, 1)
	done := make(map[int32]bool, len(s.urgent))
	look := func(i int32, o api.Operation) {
		if done[i] || lookups >= d.Room || !left.Allows(o.Credits) {
			return
		}
		done[i] = true
		cost := m.look(i, o, now.Add(time.Duration(pace*float64(lookups)*float64(time.Minute))))
		left, spent = left.Plus(-cost), spent+cost
		lookups++
	}
	for _, id := range d.Positions {
		if i, ok := m.byID[id]; ok {
			look(i, plan.PositionAlone)
		}
	}
	for _, i := range s.urgent {
		look(i, o)
	}
	for _, id := range append(slices.Clip(d.Lookups), d.Further...) {
		if i, ok := m.byID[id]; ok {
			look(i, o)
		}
	}
	return lookups, spent
}
