package api

import (
	"net/url"
	"strconv"
)

// Request is one request of an operation. Two requests with the same Key are the same request.
type Request struct {
	Operation    Operation
	Parameters   url.Values
	WantsRefusal bool // its value is refused on purpose: the 422 lists the accepted values
}

// Page returns the request for one page, from 1, of the type/country search. An empty filter is not
// sent.
func Page(typeSpecific, country string, page int) Request {
	v := url.Values{"page": {strconv.Itoa(page)}}
	setIf(v, "type_specific", typeSpecific)
	setIf(v, "country", country)
	return Request{Operation: ByType, Parameters: v}
}

// Sweep is one navigational-status search. Empty fields are not sent.
type Sweep struct {
	Status, Zone, VesselType, Laden, ForOrder string
}

// SweepOf returns the sweep of a status search from its parameters, in the spelling of the request.
func SweepOf(v url.Values) Sweep {
	return Sweep{Status: v.Get("navigational_status"), Zone: v.Get("world_zone"),
		VesselType: v.Get("vessel_type"), Laden: v.Get("laden"), ForOrder: v.Get("for_order")}
}

// Request returns the request of the sweep.
func (s Sweep) Request() Request {
	v := url.Values{"navigational_status": {s.Status}}
	setIf(v, "world_zone", s.Zone)
	setIf(v, "vessel_type", s.VesselType)
	setIf(v, "laden", s.Laden)
	setIf(v, "for_order", s.ForOrder)
	return Request{Operation: ByStatus, Parameters: v}
}

// String returns the value of the sweep's partition: "moored/north-sea?laden=ballast".
func (s Sweep) String() string { return statusValue(s.Request().Parameters) }

// World returns the same search without its zone; false if it has none, or if its status is searched for by zone. Such a
// zone is optional in the interface, and a service that ignores it answers with the world.
func (s Sweep) World() (Sweep, bool) {
	status, known := StatusNamed(s.Status)
	world := s
	world.Zone = ""
	return world, known && !status.Zoned && s.Zone != ""
}

// Lookup returns the request for one vessel by its IMO number or MMSI.
func Lookup(o Operation, imoOrMMSI string) Request {
	return Request{Operation: o, Parameters: url.Values{"imo_or_mmsi": {imoOrMMSI}}}
}

// NumberOf returns the IMO number or MMSI in the parameters of a lookup, as it was sent.
func NumberOf(v url.Values) string { return v.Get("imo_or_mmsi") }

// Key identifies the request: the name of the operation and its canonical parameters.
func (r Request) Key() string { return Key(r.Operation.Name, r.Parameters.Encode()) }

// Key joins an operation's name and canonical parameters, as a journal entry has them.
func Key(operation, parameters string) string { return operation + " " + parameters }

func setIf(v url.Values, key, value string) {
	if value != "" {
		v.Set(key, value)
	}
}
