package simulator_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
)

// The contract suite is written from the interface text alone. It checks every service that
// implements it: the simulator, and the real service when these name it:
//
//	FLEETLAKE_CONTRACT_URL      the base URL, ending in /api/vessels_operations
//	FLEETLAKE_CONTRACT_KEY      an API key
//	FLEETLAKE_CONTRACT_CREDITS  the most that the suite may spend
//
// A check whose highest price no longer fits is skipped, with a message.

func TestContractOfSimulator(t *testing.T) {
	for name, config := range map[string]simulator.Config{
		"default":                  {Vessels: 5000},
		"another seed and window":  {Seed: 7, Vessels: 8000, Window: simulator.MovingWindow},
		"clean fleet, flat, vague": {Vessels: 4000, Dirt: -1, Envelope: simulator.EnvelopeFlat, Vague: true, RetryAfter: true},
	} {
		t.Run(name, func(t *testing.T) {
			config.Key = "contract"
			s, err := simulator.New(config)
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(s)
			defer server.Close()
			checkContract(t, &service{base: server.URL + simulator.BasePath, key: "contract", credits: 10_000})
		})
	}
}

func TestContractOfService(t *testing.T) {
	base, key := os.Getenv("FLEETLAKE_CONTRACT_URL"), os.Getenv("FLEETLAKE_CONTRACT_KEY")
	if base == "" || key == "" {
		t.Skip("no FLEETLAKE_CONTRACT_URL and FLEETLAKE_CONTRACT_KEY: the real service is not tried")
	}
	credits, err := strconv.Atoi(os.Getenv("FLEETLAKE_CONTRACT_CREDITS"))
	if err != nil {
		t.Fatalf("FLEETLAKE_CONTRACT_CREDITS is %q: want a number of credits", os.Getenv("FLEETLAKE_CONTRACT_CREDITS"))
	}
	checkContract(t, &service{base: strings.TrimSuffix(base, "/"), key: key, credits: credits})
}

// service is a service under test.
type service struct {
	base, key string
	credits   int       // that may still be spent
	page      *listPage // the first page of Panama, once it was bought
}

// check is one rule of the contract.
type check struct {
	rule  string
	price int // the most that it can cost
	run   func(*testing.T, *service)
}

// checkContract checks the rules in order, the expensive and the disruptive ones last.
func checkContract(t *testing.T, s *service) {
	for _, c := range slices.Concat(authChecks, typeChecks, statusChecks, lookupChecks, limitChecks) {
		t.Run(c.rule, func(t *testing.T) {
			if c.price > s.credits {
				t.Skipf("may cost %d credits, and %d are left of the cap", c.price, s.credits)
			}
			s.credits -= c.price
			c.run(t, s)
		})
	}
}

// reply is an answer as it was received.
type reply struct {
	status int
	body   []byte
}

// send sends a request: by-status with a JSON body, the others with a query.
func (s *service) send(t *testing.T, o api.Operation, key string, parameters map[string]string) reply {
	t.Helper()
	var body io.Reader
	address := s.base + o.Path
	if o.Method == http.MethodPost {
		b, err := json.Marshal(parameters)
		if err != nil {
			t.Fatal(err)
		}
		body = bytes.NewReader(b)
	} else if len(parameters) > 0 {
		values := make(url.Values)
		for k, v := range parameters {
			values.Set(k, v)
		}
		address += "?" + values.Encode()
	}
	r, err := http.NewRequestWithContext(t.Context(), o.Method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("x-api-key", key)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{answer.StatusCode, b}
}

// ask sends a request with the key and expects a status.
func (s *service) ask(t *testing.T, want int, o api.Operation, parameters map[string]string) reply {
	t.Helper()
	r := s.send(t, o, s.key, parameters)
	if r.status != want {
		t.Fatalf("%s %v: status %d, want %d: %.300s", o.Name, parameters, r.status, want, r.body)
	}
	return r
}

// decode reads the body as JSON.
func decode[T any](t *testing.T, r reply) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(r.body, &v); err != nil {
		t.Fatalf("%v: %.300s", err, r.body)
	}
	return v
}

// wantShapeA expects {error, message}, two strings that are not empty.
func wantShapeA(t *testing.T, r reply) {
	t.Helper()
	e := decode[struct{ Error, Message string }](t, r)
	if e.Error == "" || e.Message == "" {
		t.Errorf("error %q and message %q: want both, in %s", e.Error, e.Message, r.body)
	}
}

// balance returns the balance that my credits reports.
func (s *service) balance(t *testing.T) int {
	t.Helper()
	b := decode[struct{ Detail struct{ Credits *int } }](t, s.ask(t, http.StatusOK, api.Credits, nil))
	if b.Detail.Credits == nil {
		t.Fatal("my credits has no integer detail.credits")
	}
	return *b.Detail.Credits
}

// costs expects that do changes the balance by a number of credits.
func (s *service) costs(t *testing.T, want int, do func()) {
	t.Helper()
	before := s.balance(t)
	do()
	if got := before - s.balance(t); got != want {
		t.Errorf("cost %d credits, want %d", got, want)
	}
}

// authChecks are the rules of the API key and the balance.
var authChecks = []check{
	{"a request without a key is 401 of shape A", 0, func(t *testing.T, s *service) { refusedKey(t, s, "") }},
	{"a request with a wrong key is 401 of shape A", 0, func(t *testing.T, s *service) { refusedKey(t, s, "no-such-key") }},
	{"my credits is an integer and is free", 0, func(t *testing.T, s *service) {
		s.costs(t, 0, func() { s.balance(t) })
	}},
}

// refusedKey expects 401 from every operation.
func refusedKey(t *testing.T, s *service, key string) {
	for o, parameters := range map[*api.Operation]map[string]string{
		&api.ByStatus: {"navigational_status": "drifting"}, &api.ByType: {"country": "Panama"},
		&api.Info: {"imo_or_mmsi": "9218301"}, &api.Location: {"imo_or_mmsi": "9218301"}, &api.Particulars: {"imo_or_mmsi": "9218301"}, &api.Credits: nil,
	} {
		r := s.send(t, *o, key, parameters)
		if r.status != http.StatusUnauthorized {
			t.Errorf("%s: status %d, want 401", o.Name, r.status)
			continue
		}
		wantShapeA(t, r)
	}
}
