package simulator_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
)

// lookupChecks are the rules of the lookups.
var lookupChecks = []check{
	{"info costs 5 and has the vessel with its engine and management", 5, func(t *testing.T, s *service) {
		s.costs(t, 5, func() {
			profile := s.profile(t, api.Info, s.number(t, "mmsi"))
			for _, member := range []string{"engine", "management"} {
				var o map[string]*string
				if err := json.Unmarshal(profile[member], &o); err != nil || len(o) == 0 {
					t.Errorf("%s is %s: want an object of strings", member, profile[member])
				}
			}
		})
	}},
	{"particulars cost 1 and have the vessel of the list", 1, func(t *testing.T, s *service) {
		s.costs(t, 1, func() {
			profile := s.profile(t, api.Particulars, s.number(t, "mmsi"))
			if got := string(profile["mmsi"]); got != `"`+s.number(t, "mmsi")+`"` {
				t.Errorf("mmsi is %s, want %s", got, s.number(t, "mmsi"))
			}
		})
	}},
	{"a location costs 1 and has the name, the coordinates and the speed", 1, func(t *testing.T, s *service) {
		s.costs(t, 1, func() { s.record(t, api.Location, s.number(t, "mmsi"), "name", "latitude", "longitude", "speed") })
	}},
	{"a vessel is found by its IMO, too", 1, func(t *testing.T, s *service) {
		profile := s.profile(t, api.Particulars, s.number(t, "imo"))
		if got := string(profile["imo"]); got != `"`+s.number(t, "imo")+`"` {
			t.Errorf("imo is %s, want %s", got, s.number(t, "imo"))
		}
	}},
}

// number returns the IMO or MMSI of the first vessel, on the page already bought, that has a
// correct IMO number.
func (s *service) number(t *testing.T, member string) string {
	t.Helper()
	for _, item := range s.first(t).Items {
		if imo, mmsi := item["imo"], item["mmsi"]; imo != nil && mmsi != nil && rightIMO(*imo) {
			return *item[member]
		}
	}
	t.Skip("no vessel of the first page has an IMO number")
	return ""
}

// rightIMO reports whether a text is a valid IMO number: seven digits of which the last
// checks the others.
func rightIMO(imo string) bool {
	if len(imo) != 7 || strings.Trim(imo, "0123456789") != "" || imo[0] == '0' {
		return false
	}
	sum := 0
	for i := range 6 {
		sum += int(imo[i]-'0') * (7 - i)
	}
	return byte(sum%10) == imo[6]-'0'
}

// profile asks for a vessel and expects the particulars.
func (s *service) profile(t *testing.T, o api.Operation, number string) map[string]json.RawMessage {
	t.Helper()
	return s.record(t, o, number, "name", "mmsi", "imo", "country", "countryIso", "shipType", "typeSpecific", "length", "beam", "deadweight", "grossTonnage", "yearOfBuilt")
}

// record asks for a vessel and expects members of it, each a string or null. The interface
// text puts the vessel into detail; real answers have also been seen without.
func (s *service) record(t *testing.T, o api.Operation, number string, members ...string) map[string]json.RawMessage {
	t.Helper()
	r := s.ask(t, http.StatusOK, o, map[string]string{"imo_or_mmsi": number})
	profile := decode[map[string]json.RawMessage](t, r)
	if detail, ok := profile["detail"]; ok {
		profile = decode[map[string]json.RawMessage](t, reply{body: detail})
	}
	for _, member := range members {
		var value *string
		if err := json.Unmarshal(profile[member], &value); err != nil {
			t.Errorf("%s is %s: want a string", member, profile[member])
		}
	}
	return profile
}

// limitChecks are the rules of the rate limits. One request more than twice the limit exceeds
// it, even if a minute ends in between.
var limitChecks = []check{
	{"more type searches than the limit are 429 of shape C", 101 * 10, func(t *testing.T, s *service) {
		r := exceed(t, s, api.ByType, map[string]string{"country": "Panama", "page": "100000"})
		if d := decode[struct{ Detail string }](t, r).Detail; d != "Too Many Requests" {
			t.Errorf("detail is %q", d)
		}
	}},
	{"more status searches than the limit are 429 of shape A", 31 * 10, func(t *testing.T, s *service) {
		wantShapeA(t, exceed(t, s, api.ByStatus, map[string]string{"navigational_status": "aground"}))
	}},
}

// exceed repeats a request until the service answers 429.
func exceed(t *testing.T, s *service, o api.Operation, parameters map[string]string) reply {
	t.Helper()
	for range 2*o.PerMinute + 1 {
		if r := s.send(t, o, s.key, parameters); r.status == http.StatusTooManyRequests {
			return r
		}
	}
	t.Fatalf("%d requests and no 429", 2*o.PerMinute+1)
	return reply{}
}
