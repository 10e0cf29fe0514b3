package api

import (
	"fmt"
	"iter"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/extract/jsontext"
)

// Offer is an operation that the interface names without the shape of its answers. An empty field is not documented:
// the configuration must say it.
type Offer struct {
	Name       string
	Method     string
	Path       string
	Parameters map[string]string // templates; see RawOperation
	Credits    int               // 0 is not documented
	Facts      string            // what the interface says of it, and no more
}

// BulkLocation is the name of the bulk location search. Nothing is documented of its answers; those whose vessels have
// the keys of a location feed positions and voyages.
const BulkLocation = "bulk-location"

// Offers lists the operations that the interface names and whose answers it does not describe, with what it says.
var Offers = []Offer{
	{Name: BulkLocation, Method: "GET", Path: "/get-vessels-location-bulk-search", Parameters: map[string]string{"imo_or_mmsi": "{vessels}"},
		Facts: "positions of up to 50 vessels a request"},
	{Name: "port-calls", Method: "GET", Path: "/port-calls-by-vessel", Parameters: map[string]string{"imo_or_mmsi": "{vessel}"}, Credits: 5,
		Facts: "the port history of a vessel"},
	{Name: "history", Credits: 5, Facts: "voyage reconstruction over 2 years of data; 5 credits a day"},
	{Name: "area", Credits: 10, Facts: "vessels in a geographic area"},
	{Name: "inspections", Credits: 3, Facts: "port state control inspections and certificates of a vessel"},
	{Name: "weather", Facts: "conditions at the location of a vessel"},
	{Name: "engine-data", Facts: "engine specifications, fuel type, power"},
	{Name: "management-data", Facts: "owner, manager, P&I details"},
	{Name: "port-calls-by-port", Facts: "arrivals, departures and expected vessels of a port"},
}

// OfferNamed returns the offer with a name; false if the interface names none like it.
func OfferNamed(name string) (Offer, bool) {
	i := slices.IndexFunc(Offers, func(o Offer) bool { return o.Name == name })
	if i < 0 {
		return Offer{}, false
	}
	return Offers[i], true
}

// MostInBulk is how many vessels one request of the bulk location search may name, by the interface text.
const MostInBulk = 50

// Placeholders of the templates of a RawOperation's parameters.
const (
	AVessel = "{vessel}"  // the IMO number or MMSI of one vessel
	Vessels = "{vessels}" // those of up to MostInBulk vessels, separated by commas
	ADay    = "{day}"     // YYYY-MM-DD
)

// RawOperation is an operation whose answers are kept whole, as the configuration has it. Parameters are templates:
// each value may have placeholders, which the questions of a job fill in.
type RawOperation struct {
	Operation
	Parameters map[string]string
	Rows       string // the JSON path of the list whose elements are the rows of its view; empty for one row an answer
	Columns    []RawColumn
}

// RawColumn is a column of the view of a raw operation: a name, the JSON path of its value, and a type of SQL.
type RawColumn struct {
	Name string `json:"name"`
	Path string `json:"path"`
	Type string `json:"type"`
}

// placeholder matches a placeholder of a template.
var placeholder = regexp.MustCompile(`\{([a-z][a-z0-9_]*)\}`)

// Placeholders lists the names in the templates of the parameters, sorted, each once.
func (o RawOperation) Placeholders() []string {
	var names []string
	for _, template := range o.Parameters {
		for _, found := range placeholder.FindAllStringSubmatch(template, -1) {
			names = append(names, found[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Asks reports whether a template has a placeholder.
func (o RawOperation) Asks(placeholder string) bool {
	return slices.Contains(o.Placeholders(), strings.Trim(placeholder, "{}"))
}

// VesselParameter returns the parameter that names one vessel; empty if there is none.
func (o RawOperation) VesselParameter() string {
	for _, name := range slices.Sorted(maps.Keys(o.Parameters)) {
		if o.Parameters[name] == AVessel {
			return name
		}
	}
	return ""
}

// Request returns the request with these values of the placeholders. Its error names a placeholder without a value.
func (o RawOperation) Request(values map[string]string) (Request, error) {
	r := Request{Operation: o.Operation, Parameters: url.Values{}}
	for _, name := range o.Placeholders() {
		if values[name] == "" {
			return r, fmt.Errorf("%s: no value for {%s}", o.Name, name)
		}
	}
	for name, template := range o.Parameters {
		r.Parameters.Set(name, placeholder.ReplaceAllStringFunc(template, func(found string) string { return values[strings.Trim(found, "{}")] }))
	}
	return r, nil
}

// ReadRaw reads an answer of which nothing is documented but that it is JSON. It has a row unless there is nothing in
// it. A `detail` that is a sentence, or an answer that is one, says that there is nothing.
func ReadRaw(text string) (Contents, error) {
	s := jsontext.NewScanner(text)
	v := s.Value()
	c := Contents{Total: -1}
	if !s.End() {
		return c, notJSON(text)
	}
	if v.Kind != jsontext.Text && !nothingIn(v) {
		c.Rows = 1
	}
	return c, nil
}

// Located yields the objects in a JSON text that have the keys of a location, which name a vessel and say where it is,
// in lists and objects of at most mostNested levels. What is in such an object is part of it.
func Located(text string) iter.Seq[jsontext.Value] {
	return func(yield func(jsontext.Value) bool) {
		s := jsontext.NewScanner(text)
		if v := s.Value(); s.End() {
			locatedIn(v, mostNested, yield)
		}
	}
}

// mostNested bounds the levels, since each is read again for the one below it.
const mostNested = 5

// locatedIn yields those in a value, and reports whether to go on.
func locatedIn(v jsontext.Value, levels int, yield func(jsontext.Value) bool) bool {
	var inner []jsontext.Value
	keys := map[string]bool{}
	switch v.Kind {
	case jsontext.Object:
		v.Members(func(key string, member jsontext.Value) {
			keys[jsontext.Fold(key)] = true
			inner = append(inner, member)
		})
	case jsontext.Array:
		s := jsontext.NewScanner(v.Raw)
		s.Array(func() { inner = append(inner, s.Value()) })
	}
	if (keys["imo"] || keys["mmsi"]) && keys["latitude"] && keys["longitude"] {
		return yield(v)
	}
	return levels == 0 || !slices.ContainsFunc(inner, func(v jsontext.Value) bool { return !locatedIn(v, levels-1, yield) })
}

// nothingIn reports whether a value is null, an empty text, or a list or an object with nothing in it.
func nothingIn(v jsontext.Value) bool {
	switch v.Kind {
	case jsontext.Null, jsontext.Absent:
		return true
	case jsontext.Text:
		text, _ := v.Text()
		return strings.TrimSpace(text) == ""
	case jsontext.Array:
		return strings.Trim(v.Raw, "[] \t\r\n") == ""
	case jsontext.Object:
		nothing := true
		v.Members(func(key string, inner jsontext.Value) {
			sentence := structural(key) == "detail" && inner.Kind == jsontext.Text
			nothing = nothing && (sentence || nothingIn(inner))
		})
		return nothing
	}
	return false
}
