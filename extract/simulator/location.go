package simulator

// Shares of the locations that tell less than all.
const (
	shareCore = 0.2  // position and voyage, without IMO, status and ports; not dirt
	shareBare = 0.02 // as the first document of the service has it, which does not say when
)

// locationOf is the answer of vessel location: of a profile, the position and the voyage. How
// much of them it tells differs from vessel to vessel and from day to day.
func (f *census) locationOf(e entry) []byte {
	h := &f.hulls[e.hull()]
	o, l, p := f.object(h), f.listing(e), f.position(e)
	u := draw(h.seed, forEnvelope, 1+f.day)
	o.set("name", l.Name)
	o.set("mmsi", l.MMSI)
	switch {
	case f.dirty(u, shareBare):
		f.bare(o, l, p)
	case unit(mix(u)) < shareCore:
		f.core(o, p)
	default:
		o.set("imo", l.IMO)
		o.text("callsign", f.callsign(e))
		o.set("typeSpecific", l.TypeSpecific)
		f.fix(o, p)
		o.steer(p)
		if kinds[h.kind].group.isShip() {
			o.draught(p, f.newStyle(h))
		}
		f.bound(o, p)
		o.text("navigationalStatus", f.statusWord(e))
		o.told(p)
	}
	return f.envelope(h, o.done())
}

// bare adds what the interface text promises.
func (f *census) bare(o *object, l Listing, p Position) {
	o.set("imo", l.IMO)
	f.fix(o, p)
	o.text("speed", decimal(p.SpeedKn, "102.3"))
	o.text("course", decimal(p.CourseDeg, "360"))
	o.text("destination", f.typed(o.h, p))
}

// core adds what a receiver on the coast knows of a vessel.
func (f *census) core(o *object, p Position) {
	f.fix(o, p)
	o.steer(p)
	o.text("destination", f.typed(o.h, p))
	o.text("etaUtc", stamp(p.ETA))
	o.text("positionReceived", stamp(p.At))
	o.told(p)
}

// told adds where the service has a record from, and when it last touched it.
func (o *object) told(p Position) {
	o.text("updateTime", stamp(p.UpdatedAt))
	o.text("dataSource", p.DataSource)
}
