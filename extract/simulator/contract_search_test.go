package simulator_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
)

// listPage is an answer of the type/country search.
type listPage struct {
	Total *int
	Items []map[string]*string
	Limit *int
	Page  *int
}

// itemMembers are the members of a vessel item.
var itemMembers = []string{"name", "mmsi", "imo", "callsign", "country", "countryIso", "shipType", "typeSpecific"}

// rejected is a 422 of shape D.
type rejected struct {
	Detail []struct {
		Field   string
		Value   *string
		Message string
		Allowed []string `json:"allowed_values"`
	}
}

// typeChecks are the rules of the type/country search.
var typeChecks = []check{
	{"no filter is 422 and names both parameters", 0, func(t *testing.T, s *service) {
		d := decode[rejected](t, s.ask(t, http.StatusUnprocessableEntity, api.ByType, nil)).Detail
		if len(d) != 1 || d[0].Value != nil || d[0].Message == "" {
			t.Fatalf("got %+v, want one entry with a message and no value", d)
		}
		fields := strings.Split(strings.ReplaceAll(d[0].Field, " ", ""), ",")
		if slices.Sort(fields); !slices.Equal(fields, []string{"country", "type_specific"}) {
			t.Errorf("field is %q", d[0].Field)
		}
	}},
	{"an invalid type is 422 with the complete list", 0, func(t *testing.T, s *service) {
		invalid(t, s, map[string]string{"type_specific": "no such type"}, map[string][]string{"type_specific": api.Types})
	}},
	{"an invalid country is 422 with the complete list", 0, func(t *testing.T, s *service) {
		invalid(t, s, map[string]string{"country": "no such country"}, map[string][]string{"country": api.Countries})
	}},
	{"a valid filter beside an invalid one is not reported", 0, func(t *testing.T, s *service) {
		invalid(t, s, map[string]string{"country": "Panama", "type_specific": "no such type"}, map[string][]string{"type_specific": api.Types})
	}},
	{"two invalid values are two entries", 0, func(t *testing.T, s *service) {
		invalid(t, s, map[string]string{"type_specific": "x", "country": "y"}, map[string][]string{"type_specific": api.Types, "country": api.Countries})
	}},
	{"a page below 1 is 422", 0, func(t *testing.T, s *service) {
		for _, page := range []string{"0", "-1"} {
			s.ask(t, http.StatusUnprocessableEntity, api.ByType, map[string]string{"country": "Panama", "page": page})
		}
	}},
	{"a page that is no number is 422 of the framework's own shape", 0, func(t *testing.T, s *service) {
		r := s.ask(t, http.StatusUnprocessableEntity, api.ByType, map[string]string{"country": "Panama", "page": "two"})
		d := decode[struct{ Detail []map[string]any }](t, r).Detail
		if len(d) == 0 || d[0]["field"] != nil {
			t.Errorf("got %s, want a detail without field", r.body)
		}
	}},
	{"a 422 is free", 0, func(t *testing.T, s *service) {
		s.costs(t, 0, func() {
			s.ask(t, http.StatusUnprocessableEntity, api.ByType, map[string]string{"country": "no such country"})
		})
	}},
	{"a page with vessels costs 10, has at most 100 of them and the total of all pages", 10, func(t *testing.T, s *service) {
		var p listPage
		s.costs(t, 10, func() { p = s.list(t, map[string]string{"country": "Panama"}) })
		if *p.Page != 1 || len(p.Items) != min(*p.Total, api.PageSize) || len(p.Items) == 0 {
			t.Fatalf("page %d with %d of %d vessels", *p.Page, len(p.Items), *p.Total)
		}
		s.page = &p
	}},
	{"a vessel item has its eight members and stored spellings of accepted values", 0, func(t *testing.T, s *service) {
		for _, item := range s.first(t).Items {
			for _, member := range itemMembers {
				if _, ok := item[member]; !ok {
					t.Errorf("no %s in %v", member, item)
				}
			}
			if c := item["country"]; c == nil || !strings.EqualFold(*c, "Panama") {
				t.Errorf("country of %v", item)
			}
			if k := item["typeSpecific"]; k != nil && !slices.ContainsFunc(api.Types, func(a string) bool { return strings.EqualFold(a, *k) }) {
				t.Errorf("type %q is not accepted", *k)
			}
		}
	}},
	{"the second page echoes its number and has other vessels", 10, func(t *testing.T, s *service) {
		first := s.first(t)
		if *first.Total <= api.PageSize {
			t.Skip("Panama has one page")
		}
		p := s.list(t, map[string]string{"country": "Panama", "page": "2"})
		if *p.Page != 2 || *p.Total != *first.Total || len(p.Items) != min(*p.Total-api.PageSize, api.PageSize) {
			t.Errorf("page %d with %d of %d vessels", *p.Page, len(p.Items), *p.Total)
		}
		seen := make(map[string]bool)
		for _, item := range append(slices.Clone(first.Items), p.Items...) {
			if m := item["mmsi"]; m != nil && seen[*m] {
				t.Errorf("%s is on two pages", *m)
			} else if m != nil {
				seen[*m] = true
			}
		}
	}},
	{"matching ignores case and outer spaces", 10, func(t *testing.T, s *service) {
		if p := s.list(t, map[string]string{"country": "  pANAMa "}); *p.Total != *s.first(t).Total {
			t.Errorf("total %d, want %d", *p.Total, *s.first(t).Total)
		}
	}},
	{"both filters together narrow the search", 10, func(t *testing.T, s *service) {
		i := slices.IndexFunc(s.first(t).Items, func(item map[string]*string) bool { return item["typeSpecific"] != nil })
		if i < 0 {
			t.Skip("no vessel of the first page has a type")
		}
		wanted := *s.page.Items[i]["typeSpecific"]
		p := s.list(t, map[string]string{"country": "Panama", "type_specific": wanted})
		if *p.Total < 1 || *p.Total > *s.page.Total {
			t.Errorf("total %d of %d", *p.Total, *s.page.Total)
		}
		for _, item := range p.Items {
			if k, c := item["typeSpecific"], item["country"]; k == nil || c == nil || !strings.EqualFold(*k, wanted) || !strings.EqualFold(*c, "Panama") {
				t.Errorf("not a %s of Panama: %v", wanted, item)
			}
		}
	}},
	{"a page past the end is empty, with total 0, and free", 10, func(t *testing.T, s *service) {
		s.costs(t, 0, func() {
			p := s.list(t, map[string]string{"country": "Panama", "page": "100000"})
			if *p.Total != 0 || len(p.Items) != 0 || *p.Page != 100000 {
				t.Errorf("page %d with %d of %d vessels", *p.Page, len(p.Items), *p.Total)
			}
		})
	}},
}

// invalid expects a 422 with one entry for each rejected field, each with the complete list
// of accepted values.
func invalid(t *testing.T, s *service, parameters map[string]string, want map[string][]string) {
	t.Helper()
	d := decode[rejected](t, s.ask(t, http.StatusUnprocessableEntity, api.ByType, parameters)).Detail
	if len(d) != len(want) {
		t.Fatalf("%d entries, want %d: %+v", len(d), len(want), d)
	}
	for _, e := range d {
		if e.Value == nil || *e.Value != parameters[e.Field] || e.Message == "" {
			t.Errorf("%s: value %v, message %q", e.Field, e.Value, e.Message)
		}
		got, accepted := slices.Clone(e.Allowed), slices.Clone(want[e.Field])
		slices.Sort(got)
		slices.Sort(accepted)
		if !slices.Equal(got, accepted) {
			t.Errorf("%s: %d allowed values, want the %d of the interface text", e.Field, len(got), len(accepted))
		}
	}
}

// list asks for a page and expects all members of the answer.
func (s *service) list(t *testing.T, parameters map[string]string) listPage {
	t.Helper()
	r := s.ask(t, http.StatusOK, api.ByType, parameters)
	p := decode[listPage](t, r)
	if p.Total == nil || p.Items == nil || p.Limit == nil || p.Page == nil || *p.Limit != api.PageSize {
		t.Fatalf("not a page of limit 100: %.300s", r.body)
	}
	return p
}

// first returns the page that an earlier check bought.
func (s *service) first(t *testing.T) *listPage {
	t.Helper()
	if s.page == nil {
		t.Skip("the first page was not bought, or is not as it should be")
	}
	return s.page
}

// statusChecks are the rules of the status search.
var statusChecks = []check{
	{"a status that needs a zone is 400 of shape A without one", 10, func(t *testing.T, s *service) {
		wantShapeA(t, s.ask(t, http.StatusBadRequest, api.ByStatus, map[string]string{"navigational_status": "moored"}))
	}},
	{"a value outside its enumeration is 400 of shape A", 50, func(t *testing.T, s *service) {
		for field, value := range map[string]string{
			"navigational_status": "parked", "world_zone": "atlantis", "vessel_type": "wood-chips-carrier", "laden": "half", "for_order": "yes",
		} {
			parameters := map[string]string{"navigational_status": "moored", "world_zone": "north-sea"}
			parameters[field] = value
			wantShapeA(t, s.ask(t, http.StatusBadRequest, api.ByStatus, parameters))
		}
	}},
	{"a status search costs 10 and lists vessels whose members are strings", 10, func(t *testing.T, s *service) {
		s.costs(t, 10, func() {
			expectSightings(t, s, map[string]string{"navigational_status": "moored", "world_zone": "north-sea"})
		})
	}},
	{"a status search costs 10 for no vessels, too", 10, func(t *testing.T, s *service) {
		s.costs(t, 10, func() {
			expectSightings(t, s, map[string]string{
				"navigational_status": "sailing", "world_zone": "azov-sea", "vessel_type": "wood-chips carrier", "laden": "partial", "for_order": "true",
			})
		})
	}},
	{"drifting needs no zone", 10, func(t *testing.T, s *service) {
		expectSightings(t, s, map[string]string{"navigational_status": "drifting"})
	}},
}

// expectSightings sends a status search and expects vessels whose members are strings.
func expectSightings(t *testing.T, s *service, parameters map[string]string) {
	t.Helper()
	r := s.ask(t, http.StatusOK, api.ByStatus, parameters)
	p := decode[struct{ Vessels []map[string]json.RawMessage }](t, r)
	if p.Vessels == nil {
		t.Fatalf("no vessels in %.300s", r.body)
	}
	for _, v := range p.Vessels {
		for _, member := range []string{"imo", "mmsi", "name", "country", "shipType"} {
			if b := v[member]; len(b) == 0 || b[0] != '"' {
				t.Fatalf("%s is %s: want a string", member, b)
			}
		}
	}
}
