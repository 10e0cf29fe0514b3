package simulator

import (
	"math"
	"time"
)

// updatedAt returns when the service changed a vessel's record on a day: in the first two hours,
// so that for a harvest at 02:00 it is in the past.
func (f *fleetDay) updatedAt(h *hull, day int) time.Time {
	return f.config.Start.AddDate(0, 0, day).Add(time.Duration(draw(h.seed, forClock, day)%120) * time.Minute)
}

// position returns the last known position and the voyage, as far as the service knows them.
func (f *fleetDay) position(e entry) Position {
	h := &f.hulls[e.hull()]
	day := min(f.day, f.darkFrom(h)-1)
	g, v := specificTypes[h.specificType].group, f.receivedVoyage(h, day)
	u := draw(h.seed, forClock, -1)
	p := Position{UpdatedAt: f.updatedAt(h, day), DataSource: [3]string{"Terrestrial", "Satellite", "satellite"}[u%3]}
	p.At = p.UpdatedAt.Add(-time.Duration(draw(h.seed, forClock, day)>>32%45) * time.Minute)
	if v.silent { // last received before the first day, or before it was built
		last := f.config.Start.AddDate(0, 0, max(int(h.born), 0)).Add(-time.Duration(1+u>>8%(300*24)) * time.Hour)
		p.At, v.number, v.progress = last, 0, 0
	}
	p.setCoordinates(f, h, v)
	if !g.isShip() {
		return p
	}
	p.setMotion(f, h, v)
	p.DraughtM = float64(2+u>>16%14) + float64(u>>24%10)/10
	p.MaxDraughtM = p.DraughtM + float64(u>>32%4)
	if v.silent {
		return p
	}
	from, to := destinationPort(h, v.number-1), destinationPort(h, v.number)
	p.Destination, p.DestinationUNLOCODE = to.name+" "+to.country, to.locode
	p.LastPort, p.LastPortUNLOCODE = from.name+" "+from.country, from.locode
	p.DepartedAt = f.config.Start.AddDate(0, 0, day-v.day).Add(-time.Duration(u>>40%(20*60)) * time.Minute)
	p.ETA = p.DepartedAt.AddDate(0, 0, v.days)
	return p
}

// destinationPort returns where the nth voyage of a hull ends.
func destinationPort(h *hull, n int) port {
	return ports[draw(h.seed, forPlace, n)%uint64(len(ports))]
}

// setCoordinates puts the vessel on the line between two points of its zone. A vessel that
// sends a sentinel for its coordinates has none.
func (p *Position) setCoordinates(f *fleetDay, h *hull, v voyage) {
	if f.sendsSentinel(h, "91") || f.sendsSentinel(h, "0") {
		return
	}
	z := zones[v.zone]
	part := math.Min(v.progress/.55, 1) // it sails until .55, then lies at the end of the line
	along := func(middle, reach float64, shift uint) *float64 {
		from := 2*unit(draw(h.seed, forPlace, 1<<20+v.number)<<shift) - 1
		to := 2*unit(draw(h.seed, forPlace, 1<<21+v.number)<<shift) - 1
		at := math.Round((middle+reach*(from+(to-from)*part))*1e5) / 1e5
		return &at
	}
	p.Latitude, p.Longitude = along(z.latitude, z.reachNorth, 0), along(z.longitude, z.reachEast, 24)
	if *p.Longitude < -180 {
		*p.Longitude += 360
	}
}

// setMotion sets speed, course and heading, without those for which the vessel sends a
// sentinel.
func (p *Position) setMotion(f *fleetDay, h *hull, v voyage) {
	u := draw(h.seed, forVoyage, 1<<20+v.number)
	speed, course := 0.0, float64(u%3600)/10
	if v.status == underWay || v.status == fishing || v.status == sailing {
		speed = float64(20+u>>16%160) / 10
	}
	heading := math.Floor(course)
	if !f.sendsSentinel(h, "102.3") {
		p.SpeedKn = &speed
	}
	if !f.sendsSentinel(h, "360") {
		p.CourseDeg = &course
	}
	if !f.sendsSentinel(h, "511") {
		p.HeadingDeg = &heading
	}
}

// sentinels are the numbers by which AIS says "not available", with the share of vessels that
// send each. The field keeps the draws of the numbers apart.
var sentinels = map[string]struct {
	field int
	share float64
}{"91": {1, .006}, "0": {2, .004}, "102.3": {3, .01}, "360": {4, .03}, "511": {5, .1}}

// sendsSentinel reports whether a vessel sends a number that says "not available".
func (f *fleetDay) sendsSentinel(h *hull, value string) bool {
	s := sentinels[value]
	return f.dirty(draw(h.seed, forSentinel, s.field), s.share)
}
