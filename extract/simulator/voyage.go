package simulator

import (
	"math"
	"slices"

	"github.com/fleetlake/fleetlake/extract"
)

// voyage is a leg of a vessel's life: to a zone, with a status for each part of the way.
type voyage struct {
	n        int // which one, counted from the first
	status   int // in extract.Statuses, -1 where none is known
	zone     int // in extract.Zones
	laden    int // in extract.Laden, -1 where it carries no cargo
	forOrder bool
	done     float64 // the part that is behind it
	day      int     // of the voyage
	days     int     // that it takes
	dead     bool    // a silent vessel: its last known position is old
}

// The places of the statuses in extract.Statuses.
var (
	underWay   = statusIndex("under-way")
	atAnchor   = statusIndex("at-anchor")
	moored     = statusIndex("moored")
	fishing    = statusIndex("fishing")
	sailing    = statusIndex("sailing")
	inlandZone = place(extract.Zones, "europe-inland")
)

// odd are the statuses that a whole voyage can have, with their shares.
var odd = []struct {
	status int
	share  float64
}{
	{statusIndex("drifting"), .02}, {statusIndex("restricted"), .015}, {statusIndex("constrained"), .005}, {statusIndex("aground"), .003},
}

func statusIndex(name string) int {
	return slices.IndexFunc(extract.Statuses, func(s extract.Status) bool { return s.Name == name })
}

// voyage is the leg that a hull is on, on a day. It needs no history: each vessel has its
// own length of voyages and its own day of departure.
func (l laws) voyage(h *hull, day int) voyage {
	v := voyage{status: -1, laden: -1}
	g := kinds[h.kind].group
	u := draw(h.seed, forVoyage, -1)
	v.day, v.days = int(u>>8%64), 64
	if l.rates.Moved > 0 {
		mean := 1 / l.rates.Moved
		v.days = max(1, int(math.Round(mean*(.5+unit(u)))))
		passed := day + int(u>>8%uint64(v.days))
		v.n, v.day = passed/v.days, passed%v.days
	}
	v.done = float64(v.day) / float64(v.days)
	v.zone = l.zoneOf(h, g, v.n)
	if v.dead = !g.isShip() || unit(draw(h.seed, forSilence, 0)) < shareSilent; v.dead {
		return v
	}
	u = draw(h.seed, forVoyage, v.n)
	v.status = statusOf(g, unit(u), v.done)
	if g.trades() {
		load := draw(h.seed, forLoad, v.n)
		v.laden = [10]int{0, 0, 0, 0, 1, 1, 2, 2, 2, 2}[load%10]
		v.forOrder = v.status == underWay && unit(load) < .08
	}
	return v
}

// statusOf is the status at a part of a voyage: most sail, wait, and lie in port.
func statusOf(g *group, luck, done float64) int {
	for _, o := range odd {
		if luck -= o.share; luck < 0 {
			return o.status
		}
	}
	switch {
	case done < .55 && g.name == "fishing":
		return fishing
	case done < .55 && g.name == "leisure" && luck < .5:
		return sailing
	case done < .55:
		return underWay
	case done < .7 && luck < .6:
		return atAnchor
	default:
		return moored
	}
}

// zoneOf is where a voyage leads: more often than not to the waters that the vessel knows.
func (l laws) zoneOf(h *hull, g *group, n int) int {
	if g.name == "inland" {
		return inlandZone
	}
	u := draw(h.seed, forZone, n)
	if u%10 < 6 {
		u = draw(h.seed, forZone, -1)
	}
	return zoneDie.roll(u)
}
