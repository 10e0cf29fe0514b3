package simulator

// These are the shares of the locations that have fewer members than a full one.
const (
	shareReduced = 0.2  // position and voyage, without IMO, status and ports; does not depend on Dirt
	shareMinimal = 0.02 // as the interface text promises: without a time, and half of them without a number
)

// renderLocation returns the answer of vessel location: the position and the voyage of a
// profile. Which members it has differs from vessel to vessel and from day to day.
func (f *fleetDay) renderLocation(e entry) []byte {
	h := &f.hulls[e.hull()]
	o, l, p := f.newObject(h), f.listing(e), f.position(e)
	u := draw(h.seed, forEnvelope, 1+f.day)
	minimal, numbered := f.dirty(u, shareMinimal), !f.dirty(u, shareMinimal/2)
	reduced := !minimal && unit(mix(u)) < shareReduced
	o.addNullable("name", l.Name)
	if numbered {
		o.addNullable("mmsi", l.MMSI)
	}
	if numbered && !reduced {
		o.addNullable("imo", l.IMO)
	}
	switch {
	case minimal:
		f.addMinimal(o, p)
	case reduced:
		f.addReduced(o, p)
	default:
		o.addText("callsign", f.callsign(e))
		o.addNullable("typeSpecific", l.TypeSpecific)
		f.addCoordinates(o, p)
		o.addMotion(p)
		if specificTypes[h.specificType].group.isShip() {
			o.addDraught(p, f.hasNewFormat(h))
		}
		f.addVoyage(o, p)
		o.addText("navigationalStatus", f.statusLabel(e))
		o.addSource(p)
	}
	return f.envelope(h, o.json())
}

// addMinimal adds the members that the interface text promises. They do not say when the
// position was received.
func (f *fleetDay) addMinimal(o *object, p Position) {
	f.addCoordinates(o, p)
	o.addText("speed", formatDecimal(p.SpeedKn, "102.3"))
	o.addText("course", formatDecimal(p.CourseDeg, "360"))
	o.addText("destination", f.reportedDestination(o.hull, p))
}

// addReduced adds what a coastal receiver knows about a vessel.
func (f *fleetDay) addReduced(o *object, p Position) {
	f.addCoordinates(o, p)
	o.addMotion(p)
	o.addText("destination", f.reportedDestination(o.hull, p))
	o.addText("etaUtc", formatTime(p.ETA))
	o.addText("positionReceived", formatTime(p.At))
	o.addSource(p)
}

// addSource adds where the service has a record from, and when it last changed it.
func (o *object) addSource(p Position) {
	o.addText("updateTime", formatTime(p.UpdatedAt))
	o.addText("dataSource", p.DataSource)
}
