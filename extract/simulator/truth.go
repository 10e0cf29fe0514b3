package simulator

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
)

// Truth returns the whole fleet of a day, in the order in which it was built: every vessel
// that is built and not scrapped, listed or not. It does not change the day of the simulator.
// For a day other than the current one it derives the whole fleet anew.
func (s *Simulator) Truth(day int) []Vessel {
	f := s.fleetOn(day)
	all := make([]Vessel, 0, len(f.states))
	for i := range f.states {
		if f.states[i].has(exists) {
			all = append(all, f.truthAbout(i))
		}
	}
	return all
}

// truthAbout returns the truth about the nth hull.
func (f *fleetDay) truthAbout(i int) Vessel {
	h, s, e := &f.hulls[i], &f.states[i], newEntry(i, false)
	k, voyage := specificTypes[h.specificType], f.voyageOn(h, f.day)
	country := f.country(e)
	v := Vessel{
		Hull: i, IMO: int(h.imo), MMSI: formatMMSI(f.mmsi(e)), Name: f.name(h, int(s.renames)), Callsign: f.callsign(e), ENI: f.eni(h),
		Flag: flags[flagOf[country]].iso, Country: api.Countries[country],
		Type: k.name, ShipType: k.group.label, IsShip: k.group.isShip(),
		ShowsIMO: s.has(showsIMO), StoresIMO: s.has(storesIMO), Listed: s.has(listed),
		Particulars: f.particulars(e), Engine: f.engine(e), Management: f.management(e), Position: f.position(e),
	}
	v.VesselID = "MMSI" + v.MMSI
	if v.StoresIMO {
		v.VesselID = "IMO" + strconv.Itoa(v.IMO)
	} else if h.sharesOn(sharesIMO, f.day) && v.ShowsIMO {
		v.VesselID = "IMO" + *f.storedIMO(h, s)
	}
	if voyage.status >= 0 {
		v.Status, v.Zone = api.Statuses[voyage.status].Name, zones[voyage.zone].name
	}
	if voyage.laden >= 0 {
		v.Laden, v.ForOrder = api.Laden[voyage.laden], voyage.forOrder
	}
	if s.has(listedTwice) {
		v.Stored = append(v.Stored, f.listing(newEntry(i, true)))
	}
	if s.has(listed) {
		v.Stored = append(v.Stored, f.listing(e))
	}
	return v
}

// formatMMSI returns an MMSI with all nine digits.
func formatMMSI(mmsi uint32) string { return fmt.Sprintf("%09d", mmsi) }

// name returns the name of a hull after a number of changes of name.
func (f *fleetDay) name(h *hull, renames int) string {
	u := draw(h.seed, forName, renames)
	if !specificTypes[h.specificType].group.isShip() {
		return chooseWord("names", u) + " " + strconv.Itoa(int(u>>32%90)+1)
	}
	name := chooseWord("first", u>>8) + " " + chooseWord("names", u>>24)
	if u>>40%4 == 0 {
		name += " " + strconv.Itoa(int(u>>48%98)+2)
	}
	return name
}

// callsign returns the call sign of an entry. It belongs to the registration, like the MMSI,
// so it changes with the flag.
func (f *fleetDay) callsign(e entry) string {
	h := &f.hulls[e.hull()]
	if !specificTypes[h.specificType].group.isShip() {
		return ""
	}
	u := draw(h.seed, forCallsign, f.country(e))
	return string([]byte{'A' + byte(u%26), 'A' + byte(u>>8%26), 'A' + byte(u>>16%26), 'A' + byte(u>>24%26), '0' + byte(u>>32%10)})
}

// eni returns the European number of an inland vessel; empty for others.
func (f *fleetDay) eni(h *hull) string {
	if specificTypes[h.specificType].group.name != "inland" {
		return ""
	}
	return fmt.Sprintf("%08d", 2_000_000+draw(h.seed, forCallsign, -1)%5_000_000)
}

// isUnknown reports whether the service lacks a value that the vessel has.
func (f *fleetDay) isUnknown(h *hull, field int) bool {
	return f.dirty(draw(h.seed, forUnknown, field), .06)
}

// particulars returns the true particulars, without those that the service does not know.
func (f *fleetDay) particulars(e entry) Particulars {
	h, s := &f.hulls[e.hull()], &f.states[e.hull()]
	k := specificTypes[h.specificType]
	if !k.group.isShip() {
		return Particulars{}
	}
	u := draw(h.seed, forSize, 0)
	length := k.group.minLengthM + (k.group.maxLengthM-k.group.minLengthM)*unit(u)*unit(u)
	beam := math.Max(3, length/(5.5+unit(u<<20)))
	gross := math.Max(5, .023*length*length*beam)
	p := Particulars{
		LengthM: int(length), BeamM: int(beam), GrossTonnage: int(gross), NetTonnage: max(1, int(gross*.55)),
		DeadweightT: int(gross * k.group.deadweightPerGT), YearBuilt: f.config.Start.AddDate(0, 0, int(h.born)).Year(),
		Hull: [2]string{"SINGLE HULL", "DOUBLE HULL"}[u%2], Builder: chooseWord("builders", u>>8), Material: [3]string{"STEEL", "STEEL/ORDINARY", "ALUMINIUM"}[u>>16%3],
		PlaceOfBuild: chooseWord("places", u>>24), BallastWater: int(gross * .4), FreshWater: int(length) + 1,
	}
	p.setCapacities(k)
	for n := range int(s.corrections) { // each one changes a measure
		c := draw(h.seed, forCorrection, 1<<20+n)
		measured := []*int{&p.DeadweightT, &p.GrossTonnage, &p.NetTonnage, &p.FreshWater}[c%4]
		*measured += 1 + int(c>>8%9)
	}
	f.clearUnknown(h, &p)
	return p
}

// setCapacities sets the capacities that the type of vessel has.
func (p *Particulars) setCapacities(k specificType) {
	switch k.vesselType {
	case "container-ship":
		p.TEU = p.GrossTonnage*3/40 + 1
	case "lng-tanker", "lpg-tanker":
		p.GasM3 = p.GrossTonnage * 14 / 10
	case "crude-oil-tanker", "oil-products-tanker":
		p.CrudeOil = p.DeadweightT * 11 / 10
	case "bulk-carrier", "general-cargo", "cargo-vessels":
		p.GrainM3 = p.DeadweightT * 132 / 100
		p.BaleM3 = p.GrainM3 * 96 / 100
	}
}

// clearUnknown clears the particulars that the service does not know about a vessel.
func (f *fleetDay) clearUnknown(h *hull, p *Particulars) {
	for i, n := range []*int{
		&p.LengthM, &p.BeamM, &p.DeadweightT, &p.GrossTonnage, &p.NetTonnage, &p.TEU, &p.YearBuilt,
		&p.BallastWater, &p.FreshWater, &p.CrudeOil, &p.GasM3, &p.GrainM3, &p.BaleM3,
	} {
		if f.isUnknown(h, i) {
			*n = 0
		}
	}
	for i, s := range []*string{&p.Hull, &p.Builder, &p.Material, &p.PlaceOfBuild} {
		if f.isUnknown(h, 20+i) {
			*s = ""
		}
	}
}

// engine returns the true engine; zero where the service does not know it.
func (f *fleetDay) engine(e entry) Engine {
	h := &f.hulls[e.hull()]
	g := specificTypes[h.specificType].group
	if !g.isShip() || f.isUnknown(h, 30) {
		return Engine{}
	}
	u := draw(h.seed, forSize, 1)
	return Engine{
		FuelType: "MARINE DIESEL", Propeller: [3]string{"1", "1 FIXED PITCH", "2 CONTROLLABLE PITCH"}[u%3],
		Type: chooseWord("engines", u>>8), Builder: chooseWord("enginemakers", u>>16), PowerKW: 80 + int(unit(draw(h.seed, forSize, 0))*g.maxLengthM*100),
	}
}

// management returns the current owner and manager. Owners follow each other in a fixed
// cycle, so that a sale always changes the name.
func (f *fleetDay) management(e entry) Management {
	h, s := &f.hulls[e.hull()], &f.states[e.hull()]
	if !specificTypes[h.specificType].group.isShip() || f.isUnknown(h, 31) {
		return Management{}
	}
	u := draw(h.seed, forOwner, 0)
	owner := chooseWord("companies", u>>16+5*uint64(s.sales))
	manager := chooseWord("companies", u>>24+7*uint64(s.sales))
	street := strconv.Itoa(int(u>>32%90)+1) + " Quay Street, Port City"
	m := Management{
		Manager: manager, ManagerEmail: "ops@example.com", ManagerAddress: street, ManagerWebsite: "www.example.com",
		RegisteredOwner: owner, OwnerEmail: "owner@example.com", OwnerAddress: "1 " + strings.ToUpper(owner[:1]) + " Street, Port City", OwnerWebsite: "www.example.com",
		ISM: manager, ClassSociety: chooseWord("classes", u>>40), PAndI: chooseWord("clubs", u>>48),
	}
	for i, s := range []*string{&m.ManagerEmail, &m.ManagerWebsite, &m.OwnerEmail, &m.OwnerAddress, &m.OwnerWebsite, &m.ClassSociety, &m.PAndI} {
		if f.dirty(draw(h.seed, forUnknown, 40+i), .2) {
			*s = ""
		}
	}
	return m
}
