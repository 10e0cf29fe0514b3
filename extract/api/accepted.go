package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Accepted lists the values that the service accepts in the type/country search.
type Accepted struct {
	Types     []string
	Countries []string
}

// Bounds of the accepted lists; the service's own have 361 and 273 values.
const (
	MostAccepted    = 5000
	LongestAccepted = 200
)

// mostWithdrawn is how many values the service may cease to accept. A list that lacks more is of another service,
// or of one that is out of order.
const mostWithdrawn = 30

// ParseAccepted reads the lists from a 422 of the type/country search.
func ParseAccepted(body string) (Accepted, error) {
	var refusal struct {
		Detail []struct {
			Field   string   `json:"field"`
			Allowed []string `json:"allowed_values"`
		} `json:"detail"`
	}
	var lists Accepted
	if err := json.Unmarshal([]byte(body), &refusal); err != nil {
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
		if len(list) > MostAccepted || slices.ContainsFunc(list, func(v string) bool { return len(v) > LongestAccepted }) {
			return Accepted{}, fmt.Errorf("read accepted values: a list of %d values, expected at most %d of at "+
				"most %d bytes", len(list), MostAccepted, LongestAccepted)
		}
	}
	if len(lists.Types) == 0 || len(lists.Countries) == 0 {
		return lists, fmt.Errorf("read accepted values: no lists in %s", brief(body))
	}
	return lists, nil
}

// Withdrawn returns the documented values that are accepted no more, as partitions; none if they are too many.
func (a Accepted) Withdrawn() (all []Partition) {
	for _, list := range []struct {
		kind              string
		known, acceptable []string
	}{{KindType, Types, a.Types}, {KindCountry, Countries, a.Countries}} {
		accepted := map[string]bool{}
		for _, v := range list.acceptable {
			accepted[strings.ToLower(strings.TrimSpace(v))] = true
		}
		for _, v := range list.known {
			if !accepted[strings.ToLower(strings.TrimSpace(v))] {
				all = append(all, Partition{Kind: list.kind, Value: v})
			}
		}
	}
	if len(all) > mostWithdrawn {
		return nil
	}
	return all
}
