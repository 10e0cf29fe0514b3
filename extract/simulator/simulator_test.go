package simulator

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/google/go-cmp/cmp"
)

// fleet returns a simulator without rate limits.
func fleet(t testing.TB, c Config) *Simulator {
	t.Helper()
	if c.Limits == nil {
		c.Limits = noLimits()
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask passes a request with the default key directly to the handler. The parameters are the
// query, or the JSON body of the status search.
func ask(s *Simulator, o api.Operation, parameters string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, newRequest(o, parameters))
	return w
}

// newRequest returns a request with the default key.
func newRequest(o api.Operation, parameters string) *http.Request {
	r := httptest.NewRequest(o.Method, BasePath+o.Path+"?"+parameters, nil)
	if o.Method == http.MethodPost {
		r = httptest.NewRequest(o.Method, BasePath+o.Path, strings.NewReader(parameters))
	}
	r.Header.Set("x-api-key", "simulated")
	return r
}

// listAnswer is an answer of the type/country search.
type listAnswer struct {
	Total, Limit, Page int
	Items              []Listing
}

// list asks for a page and decodes it.
func list(t testing.TB, s *Simulator, parameters string) listAnswer {
	t.Helper()
	w := ask(s, api.ByType, parameters)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", parameters, w.Code, w.Body)
	}
	var a listAnswer
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// allPages asks for every page of every value of a filter.
func allPages(t testing.TB, s *Simulator, field string, values []string) []Listing {
	t.Helper()
	var all []Listing
	for _, value := range values {
		for page, left := 1, math.MaxInt; left > 0; page++ {
			a := list(t, s, field+"="+url.QueryEscape(value)+"&page="+strconv.Itoa(page))
			if left = min(left, a.Total) - len(a.Items); page == 1 {
				left = a.Total - len(a.Items)
			}
			all = append(all, a.Items...)
		}
	}
	return all
}

// lines returns the listings as sorted JSON texts, so that sets can be compared.
func lines(t testing.TB, all []Listing) []string {
	t.Helper()
	out := make([]string, len(all))
	for i, l := range all {
		b, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = string(b)
	}
	slices.Sort(out)
	return out
}

func TestNewRefuses(t *testing.T) {
	for name, c := range map[string]Config{
		"a negative number of vessels": {Vessels: -1},
		"more vessels than MMSIs":      {Vessels: 1_000_001},
		"a limit of no operation":      {Limits: map[string]int{"by-name": 5}},
		"a limit of 0":                 {Limits: map[string]int{"info": 0}},
		"an unknown window":            {Window: 3},
		"an unknown envelope":          {Envelope: 9},
		"dirt that is no number":       {Dirt: math.NaN()},
		"a rate above one half":        {Rates: Rates{Moved: 0.6}},
		"more sales listed than made":  {Rates: Rates{SoldShows: 1.1}},
		"a rate that is no number":     {Rates: Rates{Sold: math.NaN()}},
		"a cache of negative size":     {CacheMiB: -1},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := New(c); err == nil {
				t.Errorf("%+v was accepted", c)
			}
		})
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	a, b := fleet(t, Config{Seed: 42, Vessels: 3000}), fleet(t, Config{Seed: 42, Vessels: 3000})
	other := fleet(t, Config{Seed: 43, Vessels: 3000})
	a.SetDay(5)
	b.SetDay(90) // the days visited before do not matter
	b.SetDay(0)
	b.SetDay(5)
	other.SetDay(5)
	requests := map[string]api.Operation{
		"country=China&page=2":                    api.ByType,
		"type_specific=Bulk+Carrier":              api.ByType,
		`{"navigational_status":"drifting"}`:      api.ByStatus,
		"country=Panama&type_specific=Oil+Tanker": api.ByType,
	}
	for _, v := range a.Truth(5)[:200] {
		requests["imo_or_mmsi="+v.MMSI] = api.Info
		requests["imo_or_mmsi="+v.MMSI+"&again"] = api.Particulars
		requests["imo_or_mmsi="+v.MMSI+"&where"] = api.Location
	}
	same := 0
	for parameters, o := range requests {
		first := ask(a, o, parameters).Body.Bytes()
		if second := ask(b, o, parameters).Body.Bytes(); !bytes.Equal(first, second) {
			t.Errorf("%s: %.200s and %.200s", parameters, first, second)
		}
		if bytes.Equal(first, ask(other, o, parameters).Body.Bytes()) {
			same++
		}
	}
	if same > 2 { // the refused type, and perhaps one that neither fleet has
		t.Errorf("another seed gives %d equal answers", same)
	}
	if diff := cmp.Diff(a.Truth(30), b.Truth(30)); diff != "" {
		t.Errorf("the truth differs: %s", diff)
	}
}

func TestDayDoesNotReadTheClock(t *testing.T) {
	s := fleet(t, Config{Vessels: 50, Start: time.Date(2031, 5, 6, 7, 8, 9, 0, time.FixedZone("", 3600))})
	s.SetDay(2)
	v := s.Truth(2)[0]
	w := ask(s, api.Particulars, "imo_or_mmsi="+v.MMSI)
	if !strings.Contains(w.Body.String(), `"updateTime":"May 08, 2031 0`) {
		t.Errorf("no updateTime of 2031-05-08 before 02:00 in %s", w.Body)
	}
}

func TestTheListsAgreeWithTheTruth(t *testing.T) {
	for name, c := range map[string]Config{
		"default":     {Seed: 1, Vessels: 4000},
		"very dirty":  {Seed: 2, Vessels: 1500, Dirt: 8},
		"clean":       {Seed: 3, Vessels: 1500, Dirt: -1},
		"much change": {Seed: 4, Vessels: 1500, Rates: Rates{Built: .01, Scrapped: .01, Unlisted: .05, Reflagged: .05, Renamed: .05}},
	} {
		t.Run(name, func(t *testing.T) {
			s := fleet(t, c)
			for _, day := range []int{0, 40} {
				s.SetDay(day)
				var all, withCountry, withType []Listing
				for _, v := range s.Truth(day) {
					if v.Listed != (len(v.Stored) > 0) {
						t.Fatalf("listed is %v with %d entries", v.Listed, len(v.Stored))
					}
					all = append(all, v.Stored...)
				}
				for _, l := range all {
					if l.Country != nil {
						withCountry = append(withCountry, l)
					}
					if l.TypeSpecific != nil {
						withType = append(withType, l)
					}
					if l.Country == nil && l.TypeSpecific == nil {
						t.Errorf("no list can contain %v", *l.MMSI)
					}
				}
				if diff := cmp.Diff(lines(t, withCountry), lines(t, allPages(t, s, "country", api.Countries))); diff != "" {
					t.Errorf("day %d by country: %s", day, diff)
				}
				if diff := cmp.Diff(lines(t, withType), lines(t, allPages(t, s, "type_specific", api.Types))); diff != "" {
					t.Errorf("day %d by type: %s", day, diff)
				}
			}
		})
	}
}

func TestSweepsAgreeWithTheTruth(t *testing.T) {
	s := fleet(t, Config{Vessels: 4000})
	s.SetDay(9)
	want := make(map[string]string) // status and zone by MMSI
	for _, v := range s.Truth(9) {
		for _, l := range v.Stored {
			if v.Status != "" {
				want[*l.MMSI] = v.Status + "/" + v.Zone
			}
		}
	}
	got := make(map[string]string)
	for _, status := range api.Statuses {
		for _, zone := range api.Zones {
			body := `{"navigational_status":"` + status.Name + `","world_zone":"` + zone + `"}`
			var a struct{ Vessels []struct{ MMSI string } }
			if err := json.Unmarshal(ask(s, api.ByStatus, body).Body.Bytes(), &a); err != nil {
				t.Fatal(err)
			}
			for _, v := range a.Vessels {
				got[v.MMSI] = status.Name + "/" + zone
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) < 2000 {
		t.Errorf("%d found: %s", len(got), diff)
	}
}

func TestSweepFilters(t *testing.T) {
	s := fleet(t, Config{Vessels: 4000})
	count := make(map[string]int)
	for _, v := range s.Truth(0) {
		if v.Status != "under-way" || v.Zone != "china-coast" {
			continue
		}
		n := len(v.Stored)
		count[""] += n
		if v.ShipType == "Cargo vessels" {
			count[`,"vessel_type":"cargo-vessels"`] += n
		}
		if v.Type == "Bulk Carrier" {
			count[`,"vessel_type":"bulk-carrier","laden":"laden"`] += map[bool]int{v.Laden == "laden": n}[true]
		}
		count[`,"laden":"ballast"`] += map[bool]int{v.Laden == "ballast": n}[true]
		count[`,"for_order":"true"`] += map[bool]int{v.ForOrder: n}[true]
		count[`,"for_order":"false"`] += map[bool]int{!v.ForOrder: n}[true]
	}
	for filter, want := range count {
		body := `{"navigational_status":"under-way","world_zone":"china-coast"` + filter + `}`
		if got := strings.Count(ask(s, api.ByStatus, body).Body.String(), `"mmsi"`); got != want || want == 0 && filter != `,"vessel_type":"bulk-carrier","laden":"laden"` {
			t.Errorf("%s: %d vessels, want %d", filter, got, want)
		}
	}
}
