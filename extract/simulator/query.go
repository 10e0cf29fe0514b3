package simulator

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
)

// query is a request whose parameters are valid.
type query struct {
	parameters   string // canonical: keys sorted, URL encoded
	specificType int    // by-type: index into api.Types, -1 for any
	country      int    // by-type: index into api.Countries, -1 for any
	page         int    // by-type: from 1
	status       int    // by-status: index into api.Statuses
	zone         int    // by-status: index into api.Zones, -1 for the world
	vesselType   string
	laden        int // by-status: index into api.Laden, -1 for any
	forOrder     string
	vessel       string // lookups: the IMO or MMSI as it was sent
}

// rejection is one entry of a 422 of shape D.
type rejection struct {
	Field   string   `json:"field"`
	Value   *string  `json:"value"`
	Message string   `json:"message"`
	Allowed []string `json:"allowed_values,omitempty"`
}

// parseRequest returns the query of a request, or the answer that refuses it. The query has
// its canonical parameters in both cases.
func parseRequest(o api.Operation, r *http.Request) (query, *answer) {
	if o.Name == api.ByStatus.Name {
		return parseByStatus(r)
	}
	values := r.URL.Query()
	q := query{parameters: values.Encode()}
	switch {
	case o.IsSearch():
		return q, q.parseByType(values)
	case o.IsLookup():
		q.vessel = strings.TrimSpace(values.Get("imo_or_mmsi"))
		if q.vessel == "" {
			a := refuseA(http.StatusBadRequest, Invalid, "imo_or_mmsi is required")
			return q, &a
		}
	}
	return q, nil
}

// parseByType reads the parameters of the type/country search. It returns nil, or the 422
// that names everything it rejects.
func (q *query) parseByType(values url.Values) *answer {
	q.page = 1
	if values.Has("page") {
		text := strings.TrimSpace(values.Get("page"))
		page, err := strconv.Atoi(text)
		if err != nil {
			return unprocessable([]any{map[string]any{
				"type": "int_parsing", "loc": []string{"query", "page"}, "input": values.Get("page"),
				"msg": "Input should be a valid integer, unable to parse string as an integer",
			}})
		}
		q.page = page
	}
	var rejected []rejection
	q.specificType = acceptedIndex(values, "type_specific", api.Types, &rejected)
	q.country = acceptedIndex(values, "country", api.Countries, &rejected)
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
	return unprocessable(rejected)
}

// unprocessable returns a 422 with a detail.
func unprocessable(detail any) *answer {
	return &answer{status: http.StatusUnprocessableEntity, outcome: Invalid, body: encode(map[string]any{"detail": detail})}
}

// acceptedIndex returns the position of a parameter's value in the accepted list, without
// regard to case and outer spaces; -1 when the parameter was not sent or its value is
// rejected.
func acceptedIndex(values url.Values, field string, accepted []string, rejected *[]rejection) int {
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

// maxStatusBody is the largest body of a status search that is read, in bytes.
const maxStatusBody = 1 << 20

// parseByStatus reads the body of the status search. Its values must match exactly, case
// included.
func parseByStatus(r *http.Request) (query, *answer) {
	var q query
	reject := func(message string) (query, *answer) {
		a := refuseA(http.StatusBadRequest, Invalid, message)
		return q, &a
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxStatusBody))
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
			continue // null counts as not sent
		}
		text, ok := value.(string)
		if !ok {
			return reject(field + " must be a string")
		}
		values.Set(field, text)
	}
	q.parameters = values.Encode()
	return q.parseStatusFilters(values, reject)
}

// parseStatusFilters checks the values of the status search against the lists of accepted
// values.
func (q *query) parseStatusFilters(values url.Values, reject func(string) (query, *answer)) (query, *answer) {
	statuses := make([]string, len(api.Statuses))
	for i, s := range api.Statuses {
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
		{"navigational_status", statuses, &q.status}, {"world_zone", api.Zones, &q.zone},
		{"vessel_type", api.VesselTypes, new(int)}, {"laden", api.Laden, &q.laden}, {"for_order", api.ForOrder, new(int)},
	} {
		*check.into = slices.Index(check.accepted, values.Get(check.field))
		if values.Has(check.field) && *check.into < 0 {
			return reject("Invalid value for " + check.field)
		}
	}
	if q.zone < 0 && api.Statuses[q.status].Zoned {
		return reject("world_zone is required for " + api.Statuses[q.status].Name)
	}
	q.vesselType, q.forOrder = values.Get("vessel_type"), values.Get("for_order")
	return *q, nil
}
