package simulator

import (
	"strconv"
	"time"
)

// newStyle reports how the service writes a vessel's record: in the manner seen since 2026
// (flat, camel case), or in the older one (inside detail, some keys in snake case, and with
// members that no document names).
func (f *census) newStyle(h *hull) bool { return draw(h.seed, forEnvelope, 0)%2 == 0 }

// envelope wraps a record as the configuration or the vessel's style has it.
func (f *census) envelope(h *hull, record []byte) []byte {
	flat := f.newStyle(h)
	if f.config.Envelope != EnvelopeMixed {
		flat = f.config.Envelope == EnvelopeFlat
	}
	if flat {
		return record
	}
	return append(append([]byte(`{"detail":`), record...), '}')
}

// profileOf is the answer of vessel info.
func (f *census) profileOf(e entry) []byte {
	h := &f.hulls[e.hull()]
	o, position := f.object(h), f.position(e)
	f.identify(o, e)
	f.measure(o, e)
	f.sail(o, e, position)
	if !f.newStyle(h) {
		f.extras(o, h, position)
	}
	o.raw("engine", f.engineOf(e))
	o.raw("management", f.managementOf(e))
	o.told(position)
	return f.envelope(h, o.done())
}

// particularsOf is the answer of vessel particulars.
func (f *census) particularsOf(e entry) []byte {
	h := &f.hulls[e.hull()]
	o := f.object(h)
	f.identify(o, e)
	f.measure(o, e)
	o.text("updateTime", stamp(f.updated(h)))
	return f.envelope(h, o.done())
}

// identify adds who the vessel is, as the list has it.
func (f *census) identify(o *object, e entry) {
	l := f.listing(e)
	o.set("name", l.Name)
	o.set("mmsi", l.MMSI)
	o.set("imo", l.IMO)
	o.set("country", l.Country)
	o.set("countryIso", l.CountryISO)
	o.set("shipType", l.ShipType)
	o.set("typeSpecific", l.TypeSpecific)
	o.text("callsign", f.callsign(e))
	o.text("eni", f.eni(o.h))
}

// measure adds the particulars.
func (f *census) measure(o *object, e entry) {
	p := f.particulars(e)
	o.number("teu", p.TEU, "")
	o.number("length", p.LengthM, " m")
	o.number("beam", p.BeamM, " m")
	o.number("deadweight", p.DeadweightT, "")
	o.capacity("grossTonnage", p.GrossTonnage, "")
	o.capacity("netTonnage", p.NetTonnage, "")
	o.text("yearOfBuilt", positive(p.YearBuilt))
	o.text("hull", p.Hull)
	o.text("builder", p.Builder)
	o.text("material", p.Material)
	o.text("placeOfBuild", p.PlaceOfBuild)
	o.capacity("ballastWater", p.BallastWater, "")
	o.capacity("freshWater", p.FreshWater, "")
	o.capacity("crudeOil", p.CrudeOil, "")
	o.capacity("gas", p.GasM3, " m³")
	o.capacity("grain", p.GrainM3, " m³")
	o.capacity("bale", p.BaleM3, " m³")
}

// positive is a number in digits, or nothing for 0.
func positive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// statusWords is how a profile writes the statuses, in the order of extract.Statuses.
var statusWords = []string{
	"Underway using Engine", "At Anchor", "Drifting", "Restricted Manoeuvrability",
	"Constrained by Draught", "Moored", "Aground", "Engaged in Fishing", "Underway Sailing",
}

// sail adds position and voyage.
func (f *census) sail(o *object, e entry, p Position) {
	f.fix(o, p)
	if kinds[o.h.kind].group.isShip() {
		o.steer(p)
		o.draught(p, f.newStyle(o.h))
	}
	f.bound(o, p)
	o.text("navigationalStatus", f.statusWord(e))
}

// fix adds the coordinates, or what a receiver without a fix sends.
func (f *census) fix(o *object, p Position) {
	if p.Latitude == nil && f.stray(o.h, "91") {
		o.text("latitude", "91")
		o.text("longitude", "181")
		return
	}
	o.text("latitude", decimal(p.Latitude, "0"))
	o.text("longitude", decimal(p.Longitude, "0"))
}

// steer adds how the vessel moves.
func (o *object) steer(p Position) {
	o.text("speed", decimal(p.SpeedKn, "102.3"))
	o.text("course", decimal(p.CourseDeg, "360"))
	o.text("heading", decimal(p.HeadingDeg, "511"))
}

// bound adds where the vessel goes and comes from, and when all that was received.
func (f *census) bound(o *object, p Position) {
	destination, lastPort := "unlocodeDestination", "unlocodeLastport"
	if !f.newStyle(o.h) {
		destination, lastPort = "unlocode_destination", "unlocode_lastport"
	}
	o.text("destination", f.typed(o.h, p))
	o.text(destination, p.DestinationUNLOCODE)
	o.text("lastPort", p.LastPort)
	o.text(lastPort, p.LastPortUNLOCODE)
	o.text("etaUtc", stamp(p.ETA))
	o.text("atdUtc", stamp(p.DepartedAt))
	o.text("positionReceived", stamp(p.At))
}

// statusWord is the status as profiles write it.
func (f *census) statusWord(e entry) string {
	if s := f.states[e.hull()].status; s >= 0 {
		return statusWords[s]
	}
	return ""
}

// typed is the destination as the crew typed it, here and there padded.
func (f *census) typed(h *hull, p Position) string {
	if p.Destination != "" && f.dirty(draw(h.seed, forNameDirt, -1), .03) {
		return p.Destination + "@@@"
	}
	return p.Destination
}

// draught writes the draught with its unit and, in the older style, the greatest one.
func (o *object) draught(p Position, newStyle bool) {
	now := strconv.FormatFloat(p.DraughtM, 'f', -1, 64)
	if newStyle {
		o.text("draught", now+" m.")
		return
	}
	o.text("draught", now+" m. ( max "+strconv.FormatFloat(p.MaxDraughtM, 'f', 1, 64)+")")
	o.text("currentDraught", now+" m")
}

// extras adds the members that only samples show.
func (f *census) extras(o *object, h *hull, p Position) {
	o.text("image", "www.example.com")
	if p.ETA.IsZero() {
		return
	}
	o.text("distance", strconv.Itoa(int(draw(h.seed, forPlace, f.day)%9000))+".34 kn")
	o.text("predictedEta", p.ETA.Add(3*time.Hour).Format("Jan 2, 15:04"))
	o.text("time", strconv.Itoa(max(1, int(p.ETA.Sub(f.date)/(24*time.Hour))))+" days")
	call := f.object(h)
	call.text("portName", p.LastPort)
	call.text("portSign", p.LastPortUNLOCODE)
	call.text("arrived", p.DepartedAt.Add(-30*time.Hour).Format("Jan 2, 15:04"))
	call.text("departed", p.DepartedAt.Format("Jan 2, 15:04"))
	o.raw("ports", append(append([]byte{'['}, call.done()...), ']'))
}

func (f *census) engineOf(e entry) []byte {
	o, engine := f.object(&f.hulls[e.hull()]), f.engine(e)
	o.text("fuelType", engine.FuelType)
	o.text("Propeller", engine.Propeller)
	o.text("engineType", engine.Type)
	o.text("engineBuilder", engine.Builder)
	o.number("enginePower(kW)", engine.PowerKW, "")
	return o.done()
}

func (f *census) managementOf(e entry) []byte {
	o, m := f.object(&f.hulls[e.hull()]), f.management(e)
	o.text("P&I", m.PAndI)
	o.text("ism", m.ISM)
	o.text("ismWeb", m.ManagerWebsite)
	o.text("manager", m.Manager)
	o.text("ismEmail", m.ManagerEmail)
	o.text("ismAddress", m.ManagerAddress)
	o.text("ismWebsite", m.ManagerWebsite)
	o.text("managerEmail", m.ManagerEmail)
	o.text("managerAddress", m.ManagerAddress)
	o.text("managerWebsite", m.ManagerWebsite)
	o.text("registeredOwner", m.RegisteredOwner)
	o.text("registeredOwnerEmail", m.OwnerEmail)
	o.text("ClassificationSociety", m.ClassSociety)
	o.text("registeredOwnerAddress", m.OwnerAddress)
	o.text("registeredOwnerWebsite", m.OwnerWebsite)
	return o.done()
}

// stamp writes a time as the service does; a zero time is missing.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("Jan 02, 2006 15:04 UTC")
}

// decimal writes a number, or the sentinel that stands for an unknown one.
func decimal(n *float64, sentinel string) string {
	if n == nil {
		return sentinel
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

// matches reports whether a vessel answers to a vessel_type of the status search.
func (k kind) matches(filter string) bool {
	return filter == "" || filter == k.filter || filter == k.wider
}
