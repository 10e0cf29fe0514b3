package simulator

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

// clientView is what a client sees of a request.
type clientView struct {
	status  int
	header  http.Header
	body    string
	dropped bool // the connection ended before the answer did
}

// askOverNetwork asks for a page over a real connection: faults that drop a connection are
// visible only there.
func askOverNetwork(t *testing.T, server *httptest.Server, parameters string) clientView {
	t.Helper()
	answer, err := get(t, server, api.ByType.Path+"?"+parameters)
	if err != nil {
		return clientView{dropped: true}
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	return clientView{answer.StatusCode, answer.Header, string(b), err != nil}
}

// get sends a GET request with the default key over a new connection.
func get(t *testing.T, server *httptest.Server, path string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+BasePath+path, nil)
	if err != nil {
		return nil, err
	}
	r.Close = true // on a reused connection that fails, the client would send again without a sign
	r.Header.Set("x-api-key", "simulated")
	return http.DefaultClient.Do(r)
}

func TestFaultsInPlaceOfAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		fault   Fault
		status  int
		body    string // its beginning
		dropped bool
		credits int
	}{
		"limited":                  {Fault{Kind: LimitExceeded}, 429, `{"detail":"Too Many Requests"}`, false, 0},
		"unauthorized":             {Fault{Kind: Unauthorized}, 401, `{"error":"Unauthorized","message":"Invalid or missing API key"}`, false, 0},
		"no credits":               {Fault{Kind: NoCredits}, 400, `{"detail":"Insufficient credits"}`, false, 0},
		"unavailable":              {Fault{Kind: Unavailable}, 503, `{"detail":"Database temporarily unavailable"}`, false, 0},
		"server error":             {Fault{Kind: ServerError}, 500, `{"detail":`, false, 0},
		"server error, billed":     {Fault{Kind: ServerError, Billed: true}, 500, `{"detail":`, false, 10},
		"bad gateway":              {Fault{Kind: BadGateway}, 502, `<html>`, false, 0},
		"a page of HTML":           {Fault{Kind: HTMLPage}, 200, `<html>`, false, 0},
		"cut before billing":       {Fault{Kind: Cut}, 0, ``, true, 0},
		"cut after billing":        {Fault{Kind: Cut, Billed: true}, 0, ``, true, 10},
		"truncated before billing": {Fault{Kind: Truncated}, 200, `{"total":`, true, 0},
		"truncated after billing":  {Fault{Kind: Truncated, Billed: true}, 200, `{"total":`, true, 10},
		"silent zero":              {Fault{Kind: SilentZero}, 200, `{"total":0,"items":[],"limit":100,"page":1}`, false, 0},
		"of another operation":     {Fault{Kind: Cut, Operation: "info"}, 200, `{"total":`, false, 10},
		"of another country":       {Fault{Kind: Cut, Match: "country=Panama"}, 200, `{"total":`, false, 10},
		"of this country":          {Fault{Kind: Cut, Match: "country=China"}, 0, ``, true, 0},
		"of each second request":   {Fault{Kind: Cut, Every: 2}, 200, `{"total":`, false, 10},
		"with a very small chance": {Fault{Kind: Cut, Share: 1e-12}, 200, `{"total":`, false, 10},
		"with a chance of one":     {Fault{Kind: Cut, Share: 1}, 0, ``, true, 0},
		"a total that moves later": {Fault{Kind: MovingTotal}, 200, `{"total":`, false, 10},
	} {
		t.Run(name, func(t *testing.T) {
			s := fleet(t, Config{Vessels: 3000})
			server := httptest.NewServer(s)
			defer server.Close()
			if err := s.SetFaults(Faults{c.fault}); err != nil {
				t.Fatal(err)
			}
			got := askOverNetwork(t, server, "country=China")
			if got.status != c.status || !strings.HasPrefix(got.body, c.body) || got.dropped != c.dropped {
				t.Errorf("%d %.100s, dropped %v; want %d %s, dropped %v", got.status, got.body, got.dropped, c.status, c.body, c.dropped)
			}
			if html := strings.HasPrefix(got.body, "<"); html != strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
				t.Errorf("Content-Type %s of %.20s", got.header.Get("Content-Type"), got.body)
			}
			if spent := s.Bill().Spent; spent != c.credits || s.Bill().Operations["by-type"].Credits != spent {
				t.Errorf("charged %d, want %d", spent, c.credits)
			}
			if err := s.SetFaults(nil); err != nil {
				t.Fatal(err)
			}
			if after := askOverNetwork(t, server, "country=China"); after.status != 200 || after.dropped {
				t.Errorf("after the faults: %+v", after)
			}
		})
	}
}

func TestFaultsCount(t *testing.T) {
	for name, c := range map[string]struct {
		faults Faults
		want   string // one letter a request: x for 503, L for 429, . for data
	}{
		"every third":            {Faults{{Kind: Unavailable, Every: 3}}, "..x..x..x"},
		"the next two":           {Faults{{Kind: Unavailable, Next: 2}}, "xx......."},
		"always":                 {Faults{{Kind: Unavailable}}, "xxxxxxxxx"},
		"the first rule wins":    {Faults{{Kind: Unavailable, Every: 4}, {Kind: LimitExceeded, Every: 2}}, ".L.x.L.x."},
		"each counts for itself": {Faults{{Kind: Unavailable, Next: 1}, {Kind: LimitExceeded, Next: 2}}, "xL......."},
	} {
		t.Run(name, func(t *testing.T) {
			s := fleet(t, Config{})
			if err := s.SetFaults(c.faults); err != nil {
				t.Fatal(err)
			}
			got := ""
			for range c.want {
				ask(s, api.ByType, "country=Utopia") // refused requests do not count
				got += map[int]string{200: ".", 503: "x", 429: "L"}[ask(s, api.ByType, "country=China").Code]
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestFaultsByChanceFollowTheSeed(t *testing.T) {
	run := func(seed uint64) (s string) {
		f := fleet(t, Config{Seed: seed})
		if err := f.SetFaults(Faults{{Kind: Unavailable, Share: .3}}); err != nil {
			t.Fatal(err)
		}
		for range 200 {
			s += map[int]string{200: ".", 503: "x"}[ask(f, api.ByType, "country=China").Code]
		}
		return s
	}
	if a, b := run(1), run(1); a != b || a == run(2) {
		t.Errorf("seed 1 gives %s and %s, seed 2 %s", a, b, run(2))
	}
	if n := strings.Count(run(1), "x"); n < 40 || n > 80 {
		t.Errorf("%d of 200, want about 60", n)
	}
}

func TestRetryAfterOfFaults(t *testing.T) {
	s := fleet(t, Config{})
	for _, kind := range []FaultKind{LimitExceeded, Unavailable} {
		if err := s.SetFaults(Faults{{Kind: kind, RetryAfter: 90 * time.Second}}); err != nil {
			t.Fatal(err)
		}
		if got := ask(s, api.ByType, "country=China").Header().Get("Retry-After"); got != "90" {
			t.Errorf("%s: Retry-After %q", kind, got)
		}
	}
}

func TestPagesThatAreWrong(t *testing.T) {
	s := fleet(t, Config{Vessels: 5000})
	good := []listAnswer{list(t, s, "country=China"), list(t, s, "country=China&page=2"), list(t, s, "country=China&page=3")}
	if good[0].Total <= 200 {
		t.Fatalf("China has %d vessels, want three pages", good[0].Total)
	}
	altered := func(kind FaultKind, page string) listAnswer {
		if err := s.SetFaults(Faults{{Kind: kind}}); err != nil {
			t.Fatal(err)
		}
		return list(t, s, "country=China&page="+page)
	}
	if a := altered(MovingTotal, "3"); a.Total == good[0].Total || len(a.Items) != len(good[2].Items) {
		t.Errorf("moving total: %d after %d", a.Total, good[0].Total)
	}
	if a := altered(RepeatedPage, "2"); *a.Items[0].MMSI != *good[0].Items[0].MMSI || a.Page != 2 {
		t.Errorf("repeated page: page %d begins with %s", a.Page, *a.Items[0].MMSI)
	}
	if a := altered(ShortPage, "1"); len(a.Items) != 93 || a.Total != good[0].Total {
		t.Errorf("short page: %d of %d vessels", len(a.Items), a.Total)
	}
	if err := s.SetFaults(Faults{{Kind: SilentZero, Operation: "by-status"}}); err != nil {
		t.Fatal(err)
	}
	moored := `{"navigational_status":"moored","world_zone":"china-coast"}`
	before := s.Bill().Spent
	if w := ask(s, api.ByStatus, moored); w.Body.String() != `{"vessels":[]}` || s.Bill().Spent != before+10 {
		t.Errorf("silent zero: %s for %d credits", w.Body, s.Bill().Spent-before)
	}
	if err := s.SetFaults(nil); err != nil {
		t.Fatal(err)
	}
	if w := ask(s, api.ByStatus, moored); w.Body.String() == `{"vessels":[]}` {
		t.Error("the silent zero outlives its end")
	}
	if a := list(t, s, "country=China&page=2"); a.Total != good[0].Total || *a.Items[0].MMSI != *good[1].Items[0].MMSI {
		t.Error("the faults outlive their end")
	}
}

func TestSlowAnswersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fleet(t, Config{})
		if err := s.SetFaults(Faults{{Kind: Slow, Least: time.Second, Most: 5 * time.Second}}); err != nil {
			t.Fatal(err)
		}
		shortest, longest := time.Hour, time.Duration(0)
		for range 200 {
			start := time.Now()
			if w := ask(s, api.ByType, "country=China"); w.Code != 200 {
				t.Fatalf("%d", w.Code)
			}
			took := time.Since(start)
			shortest, longest = min(shortest, took), max(longest, took)
		}
		if shortest < time.Second || shortest > 1500*time.Millisecond || longest > 5*time.Second || longest < 4500*time.Millisecond {
			t.Errorf("from %v to %v, want 1 s to 5 s", shortest, longest)
		}
	})
}

func TestSlowAnswerIsBilledWhenTheClientLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fleet(t, Config{})
		if err := s.SetFaults(Faults{{Kind: Slow, Least: time.Minute}}); err != nil {
			t.Fatal(err)
		}
		r := newRequest(api.ByType, "country=China")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		s.ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))
		if took := time.Since(start); took != time.Second || s.Bill().Spent != 10 {
			t.Errorf("after %v, %d credits", took, s.Bill().Spent)
		}
	})
}

func TestSetFaultsRefuses(t *testing.T) {
	for name, f := range map[string]Fault{
		"an unknown kind":       {Kind: "gremlins"},
		"no kind":               {},
		"an unknown operation":  {Kind: Cut, Operation: "by-name"},
		"two counts":            {Kind: Cut, Every: 2, Next: 3},
		"a negative count":      {Kind: Cut, Next: -1},
		"a share above one":     {Kind: Cut, Share: 1.1},
		"a wait that ends soon": {Kind: Slow, Least: 2, Most: 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := fleet(t, Config{})
			if err := s.SetFaults(Faults{{Kind: Unavailable}}); err != nil {
				t.Fatal(err)
			}
			if err := s.SetFaults(Faults{f}); err == nil {
				t.Errorf("%+v was accepted", f)
			}
			if ask(s, api.ByType, "country=China").Code != 503 {
				t.Error("the earlier rules are gone")
			}
		})
	}
}

func TestFaultsAsJSON(t *testing.T) {
	var faults Faults
	text := `[{"kind":"cut","operation":"by-type","every":7,"billed":true},{"kind":"slow","least":1000000000,"most":2000000000}]`
	if err := json.Unmarshal([]byte(text), &faults); err != nil {
		t.Fatal(err)
	}
	want := Faults{{Kind: Cut, Operation: "by-type", Every: 7, Billed: true}, {Kind: Slow, Least: time.Second, Most: 2 * time.Second}}
	for i := range want {
		if faults[i] != want[i] || faults[i].check() != nil {
			t.Errorf("%+v, want %+v", faults[i], want[i])
		}
	}
}
