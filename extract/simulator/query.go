package simulator

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fleetlake/fleetlake/extract"
)

// query is a request that was understood.
type query struct {
	parameters string // canonical: keys sorted, URL encoded
	kind       int    // by-type: in extract.Types, -1 for any
	country    int    // by-type: in extract.Countries, -1 for any
	page       int
	status     int // by-status: in extract.Statuses
	zone       int // by-status: in extract.Zones, -1 for the world
	vesselType string
	laden      int // in extract.Laden, -1 for any
	forOrder   string
	vessel     string // lookups
}

// rejection is one entry of the 422 of shape D.
type rejection struct {
	Field   string   `json:"field"`
	Value   *string  `json:"value"`
	Message string   `json:"message"`
	Allowed []string `json:"allowed_values,omitempty"`
}

// read understands a request, or says why not. The parameters are known either way.
func read(o extract.Operation, r *http.Request) (query, *answer) {
	if o.Name == extract.ByStatus.Name {
		return readStatus(r)
	}
	values := r.URL.Query()
	q := query{parameters: values.Encode()}
	switch o.Name {
	case extract.ByType.Name:
		return q, q.readType(values)
	case extract.Info.Name, extract.Location.Name, extract.Particulars.Name:
		q.vessel = strings.TrimSpace(values.Get("imo_or_mmsi"))
		if q.vessel == "" {
			a := refuseA(http.StatusBadRequest, Invalid, "imo_or_mmsi is required")
			return q, &a
		}
	}
	return q, nil
}

// readType checks the parameters of the type/country search.
func (q *query) readType(values url.Values) *answer {
	q.page = 1
	if values.Has("page") {
		text := strings.TrimSpace(values.Get("page"))
		page, err := strconv.Atoi(text)
		if err != nil {
			return &answer{status: http.StatusUnprocessableEntity, outcome: Invalid, body: encode(map[string]any{"detail": []any{map[string]any{
				"type": "int_parsing", "loc": []string{"query", "page"}, "input": values.Get("page"),
				"msg": "Input should be a valid integer, unable to parse string as an integer",
			}}})}
		}
		q.page = page
	}
	var rejected []rejection
	q.kind = filter(values, "type_specific", extract.Types, &rejected)
	q.country = filter(values, "country", extract.Countries, &rejected)
	if !values.Has("type_specific") && !values.Has("country") {
		rejected = append(rejected, rejection{Field: "type_specific,country", Message: "At least one of type_specific and country is required"})
	}
	if q.page < 1 {
		text := values.Get("page")
		rejected = append(rejected, rejection{Field: "page", Value: &text, Message: "page must be 1 or greater"})
	}
	if rejected == nil {
		return nil
	}
	return &answer{status: http.StatusUnprocessableEntity, outcome: Invalid, body: encode(map[string]any{"detail": rejected})}
}

// filter finds a value of the type/country search in its list, without regard to case and
// outer spaces; -1 when it was not sent or is rejected.
func filter(values url.Values, field string, accepted []string, rejected *[]rejection) int {
	if !values.Has(field) {
		return -1
	}
	value := values.Get(field)
	wanted := strings.TrimSpace(value)
	i := slices.IndexFunc(accepted, func(a string) bool { return strings.EqualFold(a, wanted) })
	if i < 0 {
		*rejected = append(*rejected, rejection{field, &value, "Invalid value for " + field, accepted})
	}
	return i
}

// statusLimit is the most that is read of the body of a status search.
const statusLimit = 1 << 20

// readStatus checks the body of the status search. Its values are exact.
func readStatus(r *http.Request) (query, *answer) {
	var q query
	reject := func(message string) (query, *answer) {
		a := refuseA(http.StatusBadRequest, Invalid, message)
		return q, &a
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, statusLimit))
	if err != nil {
		return reject("The body cannot be read")
	}
	var sent map[string]any
	if err := json.Unmarshal(body, &sent); err != nil || sent == nil {
		return reject("The body is not a JSON object")
	}
	values := make(url.Values)
	for field, value := range sent {
		if value == nil {
			continue // as if it were not sent
		}
		text, ok := value.(string)
		if !ok {
			return reject(field + " must be a string")
		}
		values.Set(field, text)
	}
	q.parameters = values.Encode()
	return q.readZone(values, reject)
}

// readZone checks the values of the status search against their enumerations.
func (q *query) readZone(values url.Values, reject func(string) (query, *answer)) (query, *answer) {
	statuses := make([]string, len(extract.Statuses))
	for i, s := range extract.Statuses {
		statuses[i] = s.Name
	}
	if !values.Has("navigational_status") {
		return reject("navigational_status is required")
	}
	for _, check := range []struct {
		field    string
		accepted []string
		into     *int
	}{
		{"navigational_status", statuses, &q.status}, {"world_zone", extract.Zones, &q.zone},
		{"vessel_type", extract.VesselTypes, new(int)}, {"laden", extract.Laden, &q.laden}, {"for_order", extract.ForOrder, new(int)},
	} {
		*check.into = slices.Index(check.accepted, values.Get(check.field))
		if values.Has(check.field) && *check.into < 0 {
			return reject("Invalid value for " + check.field)
		}
	}
	if q.zone < 0 && extract.Statuses[q.status].Zoned {
		return reject("world_zone is required for " + extract.Statuses[q.status].Name)
	}
	q.vesselType, q.forOrder = values.Get("vessel_type"), values.Get("for_order")
	return *q, nil
}
