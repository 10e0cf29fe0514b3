package simulator

import (
	"math"
	"time"
)

// updated is when the service last touched a vessel's record: in the first two hours of the
// day, so that a harvest at 02:00 finds it in the past.
func (f *census) updated(h *hull) time.Time {
	return f.date.Add(time.Duration(draw(h.seed, forClock, f.day)%120) * time.Minute)
}

// position is the last known position, as far as the service tells it.
func (f *census) position(e entry) Position {
	h := &f.hulls[e.hull()]
	g, v := kinds[h.kind].group, f.voyage(h, f.day)
	u := draw(h.seed, forClock, -1)
	p := Position{UpdatedAt: f.updated(h), DataSource: [3]string{"Terrestrial", "Satellite", "satellite"}[u%3]}
	p.At = p.UpdatedAt.Add(-time.Duration(draw(h.seed, forClock, f.day)>>32%45) * time.Minute)
	if v.dead { // it was heard once, before the first day or when it was built
		last := f.config.Start.AddDate(0, 0, max(int(h.born), 0)).Add(-time.Duration(1+u>>8%(300*24)) * time.Hour)
		p.At, v.n, v.done = last, 0, 0
	}
	p.place(f, h, v)
	if !g.isShip() {
		return p
	}
	p.move(f, h, v)
	p.DraughtM = float64(2+u>>16%14) + float64(u>>24%10)/10
	p.MaxDraughtM = p.DraughtM + float64(u>>32%4)
	if v.dead {
		return p
	}
	from, to := portFor(h, v.n-1), portFor(h, v.n)
	p.Destination, p.DestinationUNLOCODE = to.name+" "+to.country, to.locode
	p.LastPort, p.LastPortUNLOCODE = from.name+" "+from.country, from.locode
	p.DepartedAt = f.date.AddDate(0, 0, -v.day).Add(-time.Duration(u>>40%(20*60)) * time.Minute)
	p.ETA = p.DepartedAt.AddDate(0, 0, v.days)
	return p
}

// portFor is where the nth voyage of a hull ends.
func portFor(h *hull, n int) port {
	return ports[draw(h.seed, forPlace, n)%uint64(len(ports))]
}

// place puts the vessel on the line between two points of its zone. A stray transmitter
// sends 91 and 181, or 0 and 0: then the position is unknown.
func (p *Position) place(f *census, h *hull, v voyage) {
	if f.stray(h, "91") || f.stray(h, "0") {
		return
	}
	z := zones[v.zone]
	part := math.Min(v.done/.55, 1) // where it lies afterwards
	along := func(middle, reach float64, shift uint) *float64 {
		from := 2*unit(draw(h.seed, forPlace, 1<<20+v.n)<<shift) - 1
		to := 2*unit(draw(h.seed, forPlace, 1<<21+v.n)<<shift) - 1
		at := math.Round((middle+reach*(from+(to-from)*part))*1e5) / 1e5
		return &at
	}
	p.Latitude, p.Longitude = along(z.latitude, z.north, 0), along(z.longitude, z.east, 24)
	if *p.Longitude < -180 {
		*p.Longitude += 360
	}
}

// move gives the vessel speed, course and heading.
func (p *Position) move(f *census, h *hull, v voyage) {
	u := draw(h.seed, forVoyage, 1<<20+v.n)
	speed, course := 0.0, float64(u%3600)/10
	if v.status == underWay || v.status == fishing || v.status == sailing {
		speed = float64(20+u>>16%160) / 10
	}
	heading := math.Floor(course)
	if !f.stray(h, "102.3") {
		p.SpeedKn = &speed
	}
	if !f.stray(h, "360") {
		p.CourseDeg = &course
	}
	if !f.stray(h, "511") {
		p.HeadingDeg = &heading
	}
}

// strays are the numbers by which transmitters say that they do not know, with the share of
// vessels that send them.
var strays = map[string]struct {
	field int
	share float64
}{"91": {1, .006}, "0": {2, .004}, "102.3": {3, .01}, "360": {4, .03}, "511": {5, .1}}

func (f *census) stray(h *hull, value string) bool {
	s := strays[value]
	return f.dirty(draw(h.seed, forSentinel, s.field), s.share)
}
