package simulator

import (
	"math"
	"slices"

	"github.com/fleetlake/fleetlake/extract/api"
)

// voyage is the voyage that a vessel is on: to a zone, with a status for each part of the
// way.
type voyage struct {
	number   int // counted from the vessel's first
	status   int // index into api.Statuses, -1 where none is known
	zone     int // index into api.Zones
	laden    int // index into api.Laden, -1 where it carries no cargo
	forOrder bool
	progress float64 // from 0 to 1
	day      int     // of the voyage, from 0
	days     int     // length of the voyage
	silent   bool    // never received since day 0: its last known position is old
}

// These are positions in api.Statuses and api.Zones.
var (
	underWay   = statusIndex("under-way")
	atAnchor   = statusIndex("at-anchor")
	moored     = statusIndex("moored")
	fishing    = statusIndex("fishing")
	sailing    = statusIndex("sailing")
	inlandZone = indexOf(api.Zones, "europe-inland")
)

// rareStatuses are statuses that last for a whole voyage, with the share of voyages that have
// them.
var rareStatuses = []struct {
	status int
	share  float64
}{
	{statusIndex("drifting"), .02}, {statusIndex("restricted"), .015}, {statusIndex("constrained"), .005}, {statusIndex("aground"), .003},
}

// statusIndex returns the position of a status in api.Statuses.
func statusIndex(name string) int {
	return slices.IndexFunc(api.Statuses, func(s api.Status) bool { return s.Name == name })
}

// voyageOn returns the voyage that a hull is on, on a day, as far as anybody receives it: a ship
// that went dark has the place of its last voyage, and no status.
func (m model) voyageOn(h *hull, day int) voyage {
	dark := m.darkFrom(h)
	v := m.receivedVoyage(h, min(day, dark-1))
	if day >= dark {
		v.status, v.laden, v.forOrder = -1, -1, false
	}
	return v
}

// receivedVoyage returns the voyage that a hull is on, on a day before it went dark. It needs no
// history: each vessel has voyages of a constant length and a first day of departure.
func (m model) receivedVoyage(h *hull, day int) voyage {
	v := voyage{status: -1, laden: -1}
	g := specificTypes[h.specificType].group
	u := draw(h.seed, forVoyage, -1)
	v.day, v.days = int(u>>8%64), 64
	if m.rates.Moved > 0 {
		mean := 1 / m.rates.Moved
		v.days = max(1, int(math.Round(mean*(.5+unit(u)))))
		passed := day + int(u>>8%uint64(v.days))
		v.number, v.day = passed/v.days, passed%v.days
	}
	v.progress = float64(v.day) / float64(v.days)
	v.zone = m.destinationZone(h, g, v.number)
	if v.silent = !g.isShip() || unit(draw(h.seed, forSilent, 0)) < shareSilent; v.silent {
		return v
	}
	u = draw(h.seed, forVoyage, v.number)
	v.status = statusOf(g, unit(u), v.progress)
	if m.waitsForBerth(h, v, day) {
		v.status = atAnchor
	}
	if g.carriesCargo() {
		load := draw(h.seed, forLoad, v.number)
		v.laden = [10]int{0, 0, 0, 0, 1, 1, 2, 2, 2, 2}[load%10]
		v.forOrder = v.status == underWay && unit(load) < .08
	}
	return v
}

// statusOf returns the status at a point of a voyage, progress from 0 to 1: a vessel first
// sails, then waits at anchor, then lies in port. chance, from 0 to 1, chooses among the
// possible statuses.
func statusOf(g *group, chance, progress float64) int {
	for _, o := range rareStatuses {
		if chance -= o.share; chance < 0 {
			return o.status
		}
	}
	switch {
	case progress < .55 && g.name == "fishing":
		return fishing
	case progress < .55 && g.name == "leisure" && chance < .5:
		return sailing
	case progress < .55:
		return underWay
	case progress < .7 && chance < .6:
		return atAnchor
	default:
		return moored
	}
}

// destinationZone returns the zone to which the nth voyage leads: mostly the home waters of
// the vessel.
func (m model) destinationZone(h *hull, g *group, n int) int {
	if g.name == "inland" {
		return inlandZone
	}
	u := draw(h.seed, forZone, n)
	if u%10 < 6 {
		u = draw(h.seed, forZone, -1)
	}
	return zoneChoice.pick(u)
}
