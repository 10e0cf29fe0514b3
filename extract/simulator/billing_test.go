package simulator

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
)

func TestBillFollowsThePrices(t *testing.T) {
	s := fleet(t, Config{Vessels: 3000, Credits: 1000})
	vessel := s.Truth(0)[0].MMSI
	for _, step := range []struct {
		name       string
		operation  api.Operation
		parameters string
		status     int
		credits    int
	}{
		{"a page with vessels", api.ByType, "country=china", 200, 10},
		{"a page past the end", api.ByType, "country=china&page=99", 200, 0},
		{"a country without vessels", api.ByType, "country=Bhutan", 200, 0},
		{"an unknown country", api.ByType, "country=Utopia", 422, 0},
		{"a page that is no number", api.ByType, "country=china&page=x", 422, 0},
		{"a status with vessels", api.ByStatus, `{"navigational_status":"moored","world_zone":"china-coast"}`, 200, 10},
		{"a status without vessels", api.ByStatus, `{"navigational_status":"sailing","world_zone":"azov-sea","vessel_type":"urea-carrier"}`, 200, 10},
		{"a status without its zone", api.ByStatus, `{"navigational_status":"moored"}`, 400, 0},
		{"a status search that is no JSON", api.ByStatus, `moored`, 400, 0},
		{"a status search with a number", api.ByStatus, `{"navigational_status":5}`, 400, 0},
		{"info", api.Info, "imo_or_mmsi=" + vessel, 200, 5},
		{"info of an unknown vessel", api.Info, "imo_or_mmsi=9999999", 404, 0},
		{"info of no number", api.Info, "imo_or_mmsi=ship", 404, 0},
		{"info without a vessel", api.Info, "", 400, 0},
		{"location", api.Location, "imo_or_mmsi=" + vessel, 200, 1},
		{"location of an unknown vessel", api.Location, "imo_or_mmsi=9999999", 404, 0},
		{"location without a vessel", api.Location, "", 400, 0},
		{"particulars", api.Particulars, "imo_or_mmsi=" + vessel, 200, 1},
		{"particulars of an unknown vessel", api.Particulars, "imo_or_mmsi=0", 404, 0},
		{"my credits", api.Credits, "", 200, 0},
	} {
		before := s.Bill()
		if w := ask(s, step.operation, step.parameters); w.Code != step.status {
			t.Errorf("%s: status %d, want %d: %s", step.name, w.Code, step.status, w.Body)
		}
		after := s.Bill()
		if got := before.Balance - after.Balance; got != step.credits || after.Spent-before.Spent != got {
			t.Errorf("%s: charged %d, want %d", step.name, got, step.credits)
		}
		of := step.operation.Name
		if got := after.Operations[of].Credits - before.Operations[of].Credits; got != step.credits || after.Operations[of].Requests != before.Operations[of].Requests+1 {
			t.Errorf("%s: recorded as %+v", step.name, after.Operations[of])
		}
	}
	if b := s.Bill(); b.Spent != 37 || b.Balance != 963 || b.MaxInFlight != 1 || b.Operations["by-type"].Answers != 3 {
		t.Errorf("%+v", b)
	}
}

func TestRefusalsKeepTheirOrder(t *testing.T) {
	s := fleet(t, Config{Vessels: 500, Credits: 9, Limits: map[string]int{"by-type": 2}})
	for name, step := range map[string]struct{ key, parameters string }{
		"the key comes before the values": {"other", "country=Utopia"},
	} {
		r := newRequest(api.ByType, step.parameters)
		r.Header.Set("x-api-key", step.key)
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
	want := func(name, parameters string, status int, words string) {
		t.Helper()
		if w := ask(s, api.ByType, parameters); w.Code != status || !strings.Contains(w.Body.String(), words) {
			t.Errorf("%s: %d %.200s", name, w.Code, w.Body)
		}
	}
	want("a refused value counts against the limit", "country=Utopia", 422, "allowed_values")
	want("a page that is no number comes before an unknown value", "country=Utopia&page=x", 422, "int_parsing")
	want("the values come before the limit", "country=Utopia", 422, "allowed_values")
	want("the limit comes before the credits", "country=Panama", 429, `{"detail":"Too Many Requests"}`)
	w := ask(s, api.ByStatus, `{"navigational_status":"drifting"}`)
	if w.Code != 400 || !strings.Contains(w.Body.String(), `"message":"Insufficient credits"`) {
		t.Errorf("too few credits: %d %s", w.Code, w.Body)
	}
	if w = ask(s, api.Particulars, "imo_or_mmsi=9999999"); w.Code != 404 {
		t.Errorf("9 credits are enough for particulars: %d %s", w.Code, w.Body)
	}
	s.SetBalance(0)
	if w = ask(s, api.Particulars, "imo_or_mmsi=9999999"); w.Code != 400 {
		t.Errorf("no credits, even for what would be free: %d %s", w.Code, w.Body)
	}
	s.SetBalance(9)
	if s.Bill().Balance != 9 {
		t.Errorf("balance %d after refusals", s.Bill().Balance)
	}
}

func TestTooFewCreditsAndBlockedEndpoint(t *testing.T) {
	for name, c := range map[string]struct {
		config Config
		faults Faults
		o      api.Operation
		body   string
	}{
		"no credits, by type":      {Config{Credits: -1}, nil, api.ByType, `{"detail":"Insufficient credits"}`},
		"no credits, info":         {Config{Credits: 4}, nil, api.Info, `{"error":"Bad Request","message":"Insufficient credits"}`},
		"blocked, by type":         {Config{}, Faults{{Kind: Blocked, Operation: "by-type"}}, api.ByType, `{"detail":"Endpoint is blacklisted for this API key"}`},
		"blocked, particulars":     {Config{}, Faults{{Kind: Blocked}}, api.Particulars, `{"error":"Bad Request","message":"Endpoint is blacklisted for this API key"}`},
		"blocked in vague words":   {Config{Vague: true}, Faults{{Kind: Blocked}}, api.ByType, `{"detail":"` + ambiguousRefusal + `"}`},
		"no credits in vague ones": {Config{Vague: true, Credits: -1}, nil, api.ByType, `{"detail":"` + ambiguousRefusal + `"}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := fleet(t, c.config)
			if err := s.SetFaults(c.faults); err != nil {
				t.Fatal(err)
			}
			if w := ask(s, c.o, "country=China&imo_or_mmsi="+s.Truth(0)[0].MMSI); w.Code != 400 || w.Body.String() != c.body {
				t.Errorf("%d %s, want 400 %s", w.Code, w.Body, c.body)
			}
			if w := ask(s, api.Credits, ""); w.Code != 200 {
				t.Errorf("my credits: %d", w.Code)
			}
			if s.Bill().Spent != 0 {
				t.Error("a refusal was charged")
			}
		})
	}
}

func TestBalanceForms(t *testing.T) {
	for want, c := range map[string]Config{
		`{"detail":{"credits":99929}}`:       {Credits: 99929},
		`{"detail":"99929 credits left."}`:   {Credits: 99929, BalanceText: true},
		`{"detail":{"credits":0}}`:           {Credits: -1},
		`{"detail":{"credits":1000000}}`:     {},
		`{"detail":"1000000 credits left."}`: {BalanceText: true},
	} {
		if got := ask(fleet(t, c), api.Credits, "").Body.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestEnvelopes(t *testing.T) {
	for envelope, want := range map[Envelope]string{EnvelopeDetail: `{"detail":{"name":`, EnvelopeFlat: `{"name":`} {
		s := fleet(t, Config{Vessels: 40, Envelope: envelope})
		for _, v := range s.Truth(0) {
			for _, o := range []api.Operation{api.Info, api.Location, api.Particulars} {
				if w := ask(s, o, "imo_or_mmsi="+v.MMSI); !strings.HasPrefix(w.Body.String(), want) {
					t.Errorf("%.60s, want %s", w.Body, want)
				}
			}
		}
	}
}

func TestPathsAndMethods(t *testing.T) {
	s := fleet(t, Config{})
	for request, want := range map[string]int{
		"POST " + BasePath + api.ByType.Path:  405,
		"GET " + BasePath + api.ByStatus.Path: 405,
		"GET " + BasePath + "/get-the-moon":   404,
		"GET " + api.ByType.Path:              404,
		"GET /simulator/moon":                 404,
	} {
		method, path, _ := strings.Cut(request, " ")
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, httptest.NewRequest(method, path, nil)); w.Code != want {
			t.Errorf("%s: %d, want %d", request, w.Code, want)
		}
	}
}

// FuzzRequest sends any parameters and expects one of the documented statuses with a body.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{"country=Panama", "page=-1", "%zz", `{"navigational_status":"moored","world_zone":"north-sea"}`, `{"laden":null}`, "null", "imo_or_mmsi=002111234"} {
		f.Add(seed)
	}
	s := fleet(f, Config{Vessels: 300, Credits: 1 << 50})
	known := map[int]bool{200: true, 400: true, 404: true, 422: true}
	f.Fuzz(func(t *testing.T, parameters string) {
		for _, o := range api.Operations {
			r := httptest.NewRequest(o.Method, BasePath+o.Path, strings.NewReader(parameters))
			r.URL.RawQuery = parameters
			r.Header.Set("x-api-key", "simulated")
			w := httptest.NewRecorder()
			if s.ServeHTTP(w, r); !known[w.Code] || w.Body.Len() == 0 {
				t.Errorf("%s %q: %d %s", o.Name, parameters, w.Code, w.Body)
			}
		}
	})
}
