package extract

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"github.com/fleetlake/fleetlake/extract/api"
)

// Accepted lists the values that the service accepts in the type/country search.
type Accepted struct {
	Types     []string
	Countries []string
}

// acceptedTries is how often the lists are requested: without them a run uses the documented ones.
const acceptedTries = 2

// Bounds of the accepted lists; the service's own have 361 and 273 values.
const (
	mostAccepted    = 5000
	longestAccepted = 200
)

// ReadAccepted requests, free of charge, the lists of accepted types and countries: the service
// answers a value that it refuses with the complete list. It returns an *Error without an answer,
// and another error for an answer without lists, or with lists of impossible size.
func (c *Client) ReadAccepted(ctx context.Context) (Accepted, error) {
	free := api.ByType
	free.Credits = 0 // whatever the answer is: the service finds nothing that it could bill
	r := api.Request{Operation: free, Parameters: url.Values{"type_specific": {api.RefusedValue}, "country": {api.RefusedValue}}, WantsRefusal: true}
	var a Answer
	var err error
	for range acceptedTries {
		if a, err = c.once(ctx, r); err == nil || Judge(err) != Wait || pause(ctx, backoffBase) != nil {
			break
		}
	}
	if err != nil {
		return Accepted{}, err
	}
	body, err := a.Entry.RawBody()
	if err != nil {
		return Accepted{}, err
	}
	return parseAccepted(body)
}

// parseAccepted reads the lists from a 422 of the type/country search.
func parseAccepted(body []byte) (Accepted, error) {
	var refusal struct {
		Detail []struct {
			Field   string   `json:"field"`
			Allowed []string `json:"allowed_values"`
		} `json:"detail"`
	}
	var lists Accepted
	if err := json.Unmarshal(body, &refusal); err != nil {
		return lists, fmt.Errorf("read accepted values: %w", err)
	}
	for _, d := range refusal.Detail {
		switch d.Field {
		case "type_specific":
			lists.Types = d.Allowed
		case "country":
			lists.Countries = d.Allowed
		}
	}
	for _, list := range [][]string{lists.Types, lists.Countries} {
		if len(list) > mostAccepted || slices.ContainsFunc(list, func(v string) bool { return len(v) > longestAccepted }) {
			return Accepted{}, fmt.Errorf("read accepted values: a list of %d values, expected at most %d of at most %d bytes", len(list), mostAccepted, longestAccepted)
		}
	}
	if len(lists.Types) == 0 || len(lists.Countries) == 0 {
		return lists, fmt.Errorf("read accepted values: no lists in %s", api.Brief(body))
	}
	return lists, nil
}
