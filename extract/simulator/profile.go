package simulator

import (
	"strconv"
	"time"
)

// hasNewFormat reports whether the service writes a vessel's record in the format seen since
// 2026 (flat, camel case), or in the older one (inside detail, some keys in snake case, and
// with members that no document names).
func (f *fleetDay) hasNewFormat(h *hull) bool { return draw(h.seed, forEnvelope, 0)%2 == 0 }

// envelope wraps a record as the configuration or else the format of the vessel says.
func (f *fleetDay) envelope(h *hull, record []byte) []byte {
	flat := f.hasNewFormat(h)
	if f.config.Envelope != EnvelopeMixed {
		flat = f.config.Envelope == EnvelopeFlat
	}
	if flat {
		return record
	}
	return append(append([]byte(`{"detail":`), record...), '}')
}

// renderInfo returns the answer of vessel info.
func (f *fleetDay) renderInfo(e entry) []byte {
	h := &f.hulls[e.hull()]
	o, position := f.newObject(h), f.position(e)
	f.addIdentity(o, e)
	f.addParticulars(o, e)
	f.addPositionAndVoyage(o, e, position)
	if !f.hasNewFormat(h) {
		f.addUndocumented(o, h, position)
	}
	o.addJSON("engine", f.renderEngine(e))
	o.addJSON("management", f.renderManagement(e))
	o.addSource(position)
	return f.envelope(h, o.json())
}

// renderParticulars returns the answer of vessel particulars.
func (f *fleetDay) renderParticulars(e entry) []byte {
	h := &f.hulls[e.hull()]
	o := f.newObject(h)
	f.addIdentity(o, e)
	f.addParticulars(o, e)
	o.addText("updateTime", formatTime(f.updatedAt(h, f.day)))
	return f.envelope(h, o.json())
}

// addIdentity adds who the vessel is, with the values of the list.
func (f *fleetDay) addIdentity(o *object, e entry) {
	l := f.listing(e)
	o.addNullable("name", l.Name)
	o.addNullable("mmsi", l.MMSI)
	o.addNullable("imo", l.IMO)
	o.addNullable("country", l.Country)
	o.addNullable("countryIso", l.CountryISO)
	o.addNullable("shipType", l.ShipType)
	o.addNullable("typeSpecific", l.TypeSpecific)
	o.addText("callsign", f.callsign(e))
	o.addText("eni", f.eni(o.hull))
}

// addParticulars adds dimensions, tonnage, build and capacities.
func (f *fleetDay) addParticulars(o *object, e entry) {
	p := f.particulars(e)
	o.addNumber("teu", p.TEU, "")
	o.addNumber("length", p.LengthM, " m")
	o.addNumber("beam", p.BeamM, " m")
	o.addNumber("deadweight", p.DeadweightT, "")
	o.addCapacity("grossTonnage", p.GrossTonnage, "")
	o.addCapacity("netTonnage", p.NetTonnage, "")
	o.addText("yearOfBuilt", formatPositive(p.YearBuilt))
	o.addText("hull", p.Hull)
	o.addText("builder", f.dress(o.hull, 9, p.Builder))
	o.addText("material", p.Material)
	o.addText("placeOfBuild", f.dress(o.hull, 10, p.PlaceOfBuild))
	o.addCapacity("ballastWater", p.BallastWater, "")
	o.addCapacity("freshWater", p.FreshWater, "")
	o.addCapacity("crudeOil", p.CrudeOil, "")
	o.addCapacity("gas", p.GasM3, " m³")
	o.addCapacity("grain", p.GrainM3, " m³")
	o.addCapacity("bale", p.BaleM3, " m³")
}

// formatPositive returns a number in digits, or the empty string for 0.
func formatPositive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// statusLabels are the texts by which a profile names the statuses, in the order of
// api.Statuses.
var statusLabels = []string{
	"Underway using Engine", "At Anchor", "Drifting", "Restricted Manoeuvrability",
	"Constrained by Draught", "Moored", "Aground", "Engaged in Fishing", "Underway Sailing",
}

// addPositionAndVoyage adds the members about where the vessel is and where it goes.
func (f *fleetDay) addPositionAndVoyage(o *object, e entry, p Position) {
	f.addCoordinates(o, p)
	if specificTypes[o.hull.specificType].group.isShip() {
		o.addMotion(p)
		o.addDraught(p, f.hasNewFormat(o.hull))
	}
	f.addVoyage(o, p)
	o.addText("navigationalStatus", f.statusLabel(e))
}

// addCoordinates adds latitude and longitude, or the sentinels of a receiver without a fix.
func (f *fleetDay) addCoordinates(o *object, p Position) {
	if p.Latitude == nil && f.sendsSentinel(o.hull, "91") {
		o.addText("latitude", "91")
		o.addText("longitude", "181")
		return
	}
	o.addText("latitude", formatDecimal(p.Latitude, "0"))
	o.addText("longitude", formatDecimal(p.Longitude, "0"))
}

// addMotion adds speed, course and heading.
func (o *object) addMotion(p Position) {
	o.addText("speed", formatDecimal(p.SpeedKn, "102.3"))
	o.addText("course", formatDecimal(p.CourseDeg, "360"))
	o.addText("heading", formatDecimal(p.HeadingDeg, "511"))
}

// addVoyage adds destination, last port, and when the vessel arrives, departed and was last
// received.
func (f *fleetDay) addVoyage(o *object, p Position) {
	destination, lastPort := "unlocodeDestination", "unlocodeLastport"
	if !f.hasNewFormat(o.hull) {
		destination, lastPort = "unlocode_destination", "unlocode_lastport"
	}
	o.addText("destination", f.reportedDestination(o.hull, p))
	o.addText(destination, p.DestinationUNLOCODE)
	o.addText("lastPort", p.LastPort)
	o.addText(lastPort, p.LastPortUNLOCODE)
	o.addText("etaUtc", formatTime(p.ETA))
	o.addText("atdUtc", formatTime(p.DepartedAt))
	o.addText("positionReceived", formatTime(p.At))
}

// statusLabel returns the status as profiles write it; empty for a vessel without one.
func (f *fleetDay) statusLabel(e entry) string {
	if s := f.states[e.hull()].status; s >= 0 {
		return statusLabels[s]
	}
	return ""
}

// reportedDestination returns the destination as the crew entered it, sometimes padded.
func (f *fleetDay) reportedDestination(h *hull, p Position) string {
	if p.Destination != "" && f.dirty(draw(h.seed, forNameDirt, -1), .03) {
		return p.Destination + "@@@"
	}
	return p.Destination
}

// addDraught adds the draught with its unit and, in the older format, the maximum draught.
func (o *object) addDraught(p Position, newStyle bool) {
	now := strconv.FormatFloat(p.DraughtM, 'f', -1, 64)
	if newStyle {
		o.addText("draught", now+" m.")
		return
	}
	o.addText("draught", now+" m. ( max "+strconv.FormatFloat(p.MaxDraughtM, 'f', 1, 64)+")")
	o.addText("currentDraught", now+" m")
}

// addUndocumented adds the members that are in samples and in no document.
func (f *fleetDay) addUndocumented(o *object, h *hull, p Position) {
	o.addText("image", "www.example.com")
	if p.ETA.IsZero() {
		return
	}
	o.addText("distance", strconv.Itoa(int(draw(h.seed, forPlace, f.day)%9000))+".34 kn")
	o.addText("predictedEta", p.ETA.Add(3*time.Hour).Format("Jan 2, 15:04"))
	o.addText("time", strconv.Itoa(max(1, int(p.ETA.Sub(f.date)/(24*time.Hour))))+" days")
	call := f.newObject(h)
	call.addText("portName", p.LastPort)
	call.addText("portSign", p.LastPortUNLOCODE)
	call.addText("arrived", p.DepartedAt.Add(-30*time.Hour).Format("Jan 2, 15:04"))
	call.addText("departed", p.DepartedAt.Format("Jan 2, 15:04"))
	o.addJSON("ports", append(append([]byte{'['}, call.json()...), ']'))
}

// renderEngine returns the engine object of vessel info.
func (f *fleetDay) renderEngine(e entry) []byte {
	o, engine := f.newObject(&f.hulls[e.hull()]), f.engine(e)
	o.addText("fuelType", engine.FuelType)
	o.addText("Propeller", engine.Propeller)
	o.addText("engineType", engine.Type)
	o.addText("engineBuilder", f.dress(o.hull, 8, engine.Builder))
	o.addNumber("enginePower(kW)", engine.PowerKW, "")
	return o.json()
}

// renderManagement returns the management object of vessel info.
func (f *fleetDay) renderManagement(e entry) []byte {
	o, m := f.newObject(&f.hulls[e.hull()]), f.management(e)
	o.addText("P&I", f.dress(o.hull, 0, m.PAndI))
	o.addText("ism", f.dress(o.hull, 1, m.ISM))
	o.addText("ismWeb", m.ManagerWebsite)
	o.addText("manager", f.dress(o.hull, 2, m.Manager))
	o.addText("ismEmail", m.ManagerEmail)
	o.addText("ismAddress", f.dress(o.hull, 3, m.ManagerAddress))
	o.addText("ismWebsite", m.ManagerWebsite)
	o.addText("managerEmail", m.ManagerEmail)
	o.addText("managerAddress", f.dress(o.hull, 4, m.ManagerAddress))
	o.addText("managerWebsite", m.ManagerWebsite)
	o.addText("registeredOwner", f.dress(o.hull, 5, m.RegisteredOwner))
	o.addText("registeredOwnerEmail", m.OwnerEmail)
	o.addText("ClassificationSociety", f.dress(o.hull, 6, m.ClassSociety))
	o.addText("registeredOwnerAddress", f.dress(o.hull, 7, m.OwnerAddress))
	o.addText("registeredOwnerWebsite", m.OwnerWebsite)
	return o.json()
}

// formatTime returns a time as the service writes it, or the empty string for the zero time.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("Jan 02, 2006 15:04 UTC")
}

// formatDecimal returns a number, or for nil the sentinel that says "not available".
func formatDecimal(n *float64, sentinel string) string {
	if n == nil {
		return sentinel
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

// matches reports whether a vessel answers to a vessel_type of the status search.
func (k specificType) matches(filter string) bool {
	return filter == "" || filter == k.vesselType || filter == k.widerVesselType
}
