package simulator

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/google/go-cmp/cmp"
)

// controlRequest sends a control request, which needs no key.
func controlRequest(s *Simulator, method, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	return w
}

func TestControlOverHTTP(t *testing.T) {
	s := fleet(t, Config{Vessels: 200, KeepLog: true})
	for _, step := range []struct {
		request, body string
		status        int
		answer        string // its beginning
	}{
		{"GET /simulator/day", "", 200, `{"day":0,"date":"2026-01-01"}`},
		{"POST /simulator/day", `{"day": 31}`, 200, `{"day":31,"date":"2026-02-01"}`},
		{"GET /simulator/day", "", 200, `{"day":31,"date":"2026-02-01"}`},
		{"POST /simulator/day", `{"day": -1}`, 400, `{"error":`},
		{"POST /simulator/day", `{}`, 400, `{"error":`},
		{"POST /simulator/day", `{"tag": 3}`, 400, `{"error":`},
		{"GET /simulator/truth?day=x", "", 400, `{"error":`},
		{"GET /simulator/truth?day=3", "", 200, `{"hull":0,"vessel_id":"`},
		{"POST /simulator/faults", `[{"kind":"unavailable","next":1}]`, 200, `[{"kind":"unavailable","next":1}]`},
		{"POST /simulator/faults", `[{"kind":"gremlins"}]`, 400, `{"error":"Bad Request","message":"fault \"gremlins\"`},
		{"POST /simulator/balance", `{"credits": 12}`, 200, `{"balance":12,`},
		{"POST /simulator/balance", `{}`, 400, `{"error":`},
		{"GET /simulator/bill", "", 200, `{"balance":12,"spent":0,`},
		{"DELETE /simulator/bill", "", 405, ``},
	} {
		method, path, _ := strings.Cut(step.request, " ")
		if w := controlRequest(s, method, path, step.body); w.Code != step.status || !strings.HasPrefix(w.Body.String(), step.answer) {
			t.Errorf("%s %s: %d %.200s", step.request, step.body, w.Code, w.Body)
		}
	}
	if codes := [2]int{ask(s, api.ByType, "country=China").Code, ask(s, api.ByType, "country=China").Code}; codes != [2]int{503, 200} {
		t.Errorf("with one fault: %v", codes)
	}
	var log []Request
	for d := json.NewDecoder(controlRequest(s, "GET", "/simulator/log", "").Body); d.More(); {
		var r Request
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		log = append(log, r)
	}
	if len(log) != 2 || log[0].Fault != Unavailable || log[1].Credits != 10 || log[1].Parameters != "country=China" || log[1].Day != 31 {
		t.Errorf("log %+v", log)
	}
}

func TestTruthOverHTTPIsTheTruth(t *testing.T) {
	s := fleet(t, Config{Vessels: 300})
	s.SetDay(7)
	for path, want := range map[string][]Vessel{"/simulator/truth": s.Truth(7), "/simulator/truth?day=2": s.Truth(2)} {
		var got []Vessel
		for lines := bufio.NewScanner(controlRequest(s, "GET", path, "").Body); lines.Scan(); {
			var v Vessel
			if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
				t.Fatal(err)
			}
			got = append(got, v)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	if s.Day() != 7 {
		t.Errorf("asking for the truth moved the day to %d", s.Day())
	}
}

// TestManyAtOnce sends requests from several goroutines while others change the day. It is
// for the race detector, and it expects that no request is missing from the bill or the log.
func TestManyAtOnce(t *testing.T) {
	s := fleet(t, Config{Vessels: 800, KeepLog: true, CacheMiB: 1, Rates: Rates{Built: .01}})
	server := httptest.NewServer(s)
	defer server.Close()
	if err := s.SetFaults(Faults{{Kind: Unavailable, Every: 5}, {Kind: Cut, Billed: true, Every: 7}}); err != nil {
		t.Fatal(err)
	}
	vessel := s.Truth(0)[0].MMSI
	var wait sync.WaitGroup
	for worker := range 8 {
		wait.Go(func() {
			for n := range 40 {
				if worker == 0 {
					s.SetDay(n % 4)
					s.Truth(n % 6)
					s.Warm()
					s.Bill()
					continue
				}
				path := []string{
					fmt.Sprintf("%s?country=China&page=%d", api.ByType.Path, n%3+1),
					api.Info.Path + "?imo_or_mmsi=" + vessel,
					api.Credits.Path,
				}[n%3]
				if answer, err := get(t, server, path); err == nil {
					answer.Body.Close()
				}
			}
		})
	}
	wait.Wait()
	b, log, charged := s.Bill(), s.Log(), 0
	requests := 0
	for name, tally := range b.Operations {
		outcomes := 0
		for _, n := range tally.Outcomes {
			outcomes += n
		}
		if outcomes != tally.Requests {
			t.Errorf("%s: %d outcomes of %d requests", name, outcomes, tally.Requests)
		}
		requests += tally.Requests
	}
	for _, r := range log {
		charged += r.Credits
	}
	if requests != 7*40 || len(log) != requests || charged != b.Spent || b.Balance != 1_000_000-b.Spent || b.MaxInFlight < 1 || b.MaxInFlight > 7 {
		t.Errorf("%d requests, %d in the log, %d charged: %+v", requests, len(log), charged, b)
	}
}
