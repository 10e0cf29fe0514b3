package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func (d *double) data(path string, r *http.Request, body []byte) answer {
	q := r.URL.Query()
	switch path {
	case statusSearch:
		return d.searchStatus(r.Method, body)
	case typeSearch:
		return d.searchTypes(q.Get("type_specific"), q.Get("country"), q.Get("page"))
	case creditsCall:
		return jsonAnswer(200, map[string]any{"detail": map[string]any{"credits": d.balance}}, 0)
	}
	number := q.Get("imo_or_mmsi")
	for _, h := range d.fleet {
		if number == h.imo || number == h.mmsi && number != "" {
			return jsonAnswer(200, map[string]any{"detail": h.profile()}, prices[path])
		}
	}
	return refusal(404, "Not Found", "vessel not found")
}

// searchStatus answers the search by navigational status, which costs 10 credits always.
func (d *double) searchStatus(method string, body []byte) answer {
	var sent struct {
		Status string `json:"navigational_status"`
		Zone   string `json:"world_zone"`
	}
	if err := json.Unmarshal(body, &sent); err != nil || method != http.MethodPost {
		return refusal(400, "Bad Request", "a POST with a JSON body is needed")
	}
	needsZone, known := interfaceStatuses[sent.Status]
	if !known || sent.Zone == "" && needsZone || sent.Zone != "" && !slices.Contains(strings.Fields(interfaceZones), sent.Zone) {
		return refusal(400, "Bad Request", "invalid parameter value")
	}
	found := []any{}
	for _, h := range d.fleet {
		if h.status == sent.Status && (sent.Zone == "" || h.zone == sent.Zone) {
			found = append(found, map[string]string{"imo": h.imo, "mmsi": h.mmsi, "name": h.name, "country": h.flag, "shipType": h.category})
		}
	}
	return jsonAnswer(200, map[string]any{"vessels": found}, 10)
}

// searchTypes answers the search by type and country, which costs 10 credits when a vessel
// is returned.
func (d *double) searchTypes(specific, country, page string) answer {
	refused := []any{}
	check := func(field, value, accepted string) {
		list := strings.Split(strings.TrimSpace(accepted), "\n")
		if value != "" && !slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, strings.TrimSpace(value)) }) {
			refused = append(refused, map[string]any{"field": field, "value": value, "message": "not an accepted value", "allowed_values": list})
		}
	}
	check("type_specific", specific, interfaceTypes)
	check("country", country, interfaceCountries)
	number, err := strconv.Atoi(page)
	switch {
	case specific == "" && country == "":
		refused = append(refused, map[string]any{"field": "type_specific,country", "value": nil, "message": "one of them is needed"})
	case page == "":
		number = 1
	case err != nil || number < 1:
		refused = append(refused, map[string]any{"field": "page", "value": page, "message": "must be 1 or greater"})
	}
	if len(refused) > 0 {
		return jsonAnswer(422, map[string]any{"detail": refused}, 0)
	}
	found := []any{}
	for _, h := range d.fleet {
		if (country == "" || strings.EqualFold(h.flag, strings.TrimSpace(country))) &&
			(specific == "" || strings.EqualFold(h.specific, strings.TrimSpace(specific))) {
			found = append(found, h.item())
		}
	}
	total, items := len(found), []any{}
	if from := (number - 1) * 100; from < total {
		items = found[from:min(total, from+100)]
	}
	if len(items) == 0 {
		return jsonAnswer(200, map[string]any{"total": 0, "items": items, "limit": 100, "page": number}, 0)
	}
	return jsonAnswer(200, map[string]any{"total": total, "items": items, "limit": 100, "page": number}, 10)
}

func jsonAnswer(status int, value any, credits int) answer {
	body, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return answer{status, http.Header{"Content-Type": {"application/json"}}, body, credits}
}

// refusal is an error body of shape A.
func refusal(status int, name, message string) answer {
	return jsonAnswer(status, map[string]string{"error": name, "message": message}, 0)
}

// plainDetail is an error body of shapes B and C.
func plainDetail(status int, words string) answer {
	return jsonAnswer(status, map[string]string{"detail": words}, 0)
}
