package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// serve answers every request with a handler, and returns a client of it with a cap in credits.
func serve(t *testing.T, most int, handler http.HandlerFunc) (*Client, *journal.Segment) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return connect(t, server.URL, most)
}

func connect(t *testing.T, url string, most int) (*Client, *journal.Segment) {
	t.Helper()
	segment, err := journal.Create(t.TempDir(), journal.Entry{Kind: journal.KindPlan, Plan: &journal.Plan{Run: "r", Date: "2026-11-20"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { segment.Close() })
	limits := map[string]int{}
	for _, o := range api.Operations {
		limits[o.Name] = 1_000_000
	}
	s := Service{BaseURL: url, Key: "planted-key", Limits: limits, Timeout: 2 * time.Second}
	return NewClient(s, newCap(most), segment), segment
}

// last returns the last answer of a segment.
func last(t *testing.T, s *journal.Segment) journal.Entry {
	t.Helper()
	var found journal.Entry
	for e, err := range journal.Read(s.Path()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == journal.KindAnswer {
			found = e
		}
	}
	return found
}

func TestAnswersHaveAnOutcomeAVerdictAndACharge(t *testing.T) {
	curacao, particulars := api.Page("", "Curacao", 1), api.Lookup(api.Particulars, "9218301")
	sweep := api.Sweep{Status: "moored", Zone: "north-sea"}.Request()
	cases := map[string]struct {
		request api.Request
		status  int
		body    string
		outcome string
		verdict Verdict // of an error
		credits int
		charge  journal.Charge
	}{
		"a page":                          {curacao, 200, `{"total":1,"items":[{"imo":"9218301"}],"limit":100,"page":1}`, OutcomeOK, 0, 10, journal.ChargePriced},
		"a total and no vessel":           {curacao, 200, `{"total":120,"items":[],"limit":100,"page":1}`, OutcomeUnreadable, Wait, 0, journal.ChargeFree},
		"an empty page is free":           {curacao, 200, `{"total":0,"items":[],"limit":100,"page":1}`, OutcomeEmpty, 0, 0, journal.ChargeFree},
		"a sweep":                         {sweep, 200, `{"vessels":[{"mmsi":"306256000"}]}`, OutcomeOK, 0, 10, journal.ChargePriced},
		"an empty sweep costs as much":    {sweep, 200, `{"vessels":[]}`, OutcomeEmpty, 0, 10, journal.ChargePriced},
		"a vessel in detail":              {particulars, 200, `{"detail":{"name":"NEWSUN","imo":"9218301"}}`, OutcomeOK, 0, 1, journal.ChargePriced},
		"a vessel without envelope":       {particulars, 200, `{"name":"NEWSUN","imo":"9218301"}`, OutcomeOK, 0, 1, journal.ChargePriced},
		"an empty detail":                 {particulars, 200, `{"detail":{}}`, OutcomeEmpty, 0, 1, journal.ChargePriced},
		"a refused key":                   {particulars, 401, `{"error":"Unauthorized","message":"Invalid or missing API key"}`, OutcomeUnauthorized, StopRun, 0, journal.ChargeFree},
		"an unknown vessel":               {particulars, 404, `{"error":"Not found","message":"No such vessel"}`, OutcomeNotFound, Skip, 1, journal.ChargeUnknown},
		"a search that is not found":      {curacao, 404, `{"detail":"Not Found"}`, OutcomeNotFound, Wait, 0, journal.ChargeFree},
		"a status search not found":       {sweep, 404, `{"error":"Not found","message":""}`, OutcomeNotFound, Wait, 10, journal.ChargeUnknown},
		"too many requests":               {sweep, 429, `{"error":"Rate limit exceeded","message":""}`, OutcomeLimited, Wait, 0, journal.ChargeAssumed},
		"a list whose database is away":   {curacao, 503, `{"detail":"Database temporarily unavailable"}`, OutcomeUnavailable, Wait, 0, journal.ChargeFree},
		"a list behind a broken gateway":  {curacao, 502, `<html>`, OutcomeUnavailable, Wait, 10, journal.ChargeUnknown},
		"a sweep while all is down":       {sweep, 503, ``, OutcomeUnavailable, Wait, 10, journal.ChargeUnknown},
		"no credits, shape A":             {sweep, 400, `{"error":"Bad request","message":"Insufficient credits"}`, OutcomeNoCredits, StopRun, 0, journal.ChargeAssumed},
		"no credits, shape B":             {curacao, 400, `{"detail":"Insufficient credits"}`, OutcomeNoCredits, StopRun, 0, journal.ChargeFree},
		"a blocked operation":             {curacao, 400, `{"detail":"This endpoint is blacklisted for your key"}`, OutcomeBlocked, StopLane, 0, journal.ChargeFree},
		"a blocked status search":         {sweep, 400, `{"error":"Bad request","message":"endpoint blacklisted"}`, OutcomeBlocked, StopLane, 10, journal.ChargeUnknown},
		"a bad value in a sweep":          {sweep, 400, `{"error":"Bad request","message":"world_zone is required"}`, OutcomeRejected, Wait, 10, journal.ChargeUnknown},
		"a value not in the list":         {curacao, 422, `{"detail":[{"field":"country","value":"x","message":"not accepted","allowed_values":["A"]}]}`, OutcomeRejected, Wait, 0, journal.ChargeFree},
		"the framework's own 422":         {curacao, 422, `{"detail":[{"loc":["query","page"],"msg":"not an integer","type":"int"}]}`, OutcomeRejected, Wait, 0, journal.ChargeFree},
		"a page of HTML":                  {curacao, 200, `<html><body>Welcome</body></html>`, OutcomeUnreadable, Wait, 10, journal.ChargeUnknown},
		"JSON that is something else":     {curacao, 200, `{"ok":true}`, OutcomeUnreadable, Wait, 10, journal.ChargeUnknown},
		"an empty body":                   {particulars, 200, ``, OutcomeUnreadable, Wait, 1, journal.ChargeUnknown},
		"a redirect is not followed":      {particulars, 302, ``, OutcomeUnreadable, Wait, 1, journal.ChargeUnknown},
		"a status that nobody knows":      {particulars, 418, `{}`, OutcomeUnreadable, Wait, 1, journal.ChargeUnknown},
		"forbidden":                       {particulars, 403, `{}`, OutcomeBlocked, StopLane, 1, journal.ChargeUnknown},
		"null on an empty page":           {curacao, 200, `{"total":0,"items":null,"limit":100,"page":1}`, OutcomeEmpty, 0, 0, journal.ChargeFree},
		"null where vessels are promised": {curacao, 200, `{"total":3,"items":null,"limit":100,"page":1}`, OutcomeUnreadable, Wait, 10, journal.ChargeUnknown},
		"null of a sweep":                 {sweep, 200, `{"vessels":null}`, OutcomeEmpty, 0, 10, journal.ChargePriced},
		"a total beyond all numbers":      {curacao, 200, `{"total":99999999999999999999,"items":[{}]}`, OutcomeOK, 0, 10, journal.ChargePriced},
		"a total with a fraction":         {curacao, 200, `{"total":1.0,"items":[{}]}`, OutcomeOK, 0, 10, journal.ChargePriced},
		"a total as text is still a page": {curacao, 200, `{"total":"1","items":[{}]}`, OutcomeOK, 0, 10, journal.ChargePriced},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			client, segment := serve(t, 0, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("x-api-key") != "planted-key" {
					t.Error("the key is missing")
				}
				if c.status == 302 {
					w.Header().Set("Location", "/elsewhere")
				}
				w.WriteHeader(c.status)
				io.WriteString(w, c.body)
			})
			_, err := client.once(t.Context(), c.request)
			e := last(t, segment)
			if e.Outcome != c.outcome || e.Credits != c.credits || e.Charge != c.charge || e.Status != c.status || e.Body != c.body {
				t.Errorf("journal says %s, %d credits, %s, status %d, body %q", e.Outcome, e.Credits, e.Charge, e.Status, e.Body)
			}
			failed := c.outcome != OutcomeOK && c.outcome != OutcomeEmpty
			if (err != nil) != failed {
				t.Fatalf("error %v", err)
			}
			if failed && Judge(err) != c.verdict {
				t.Errorf("verdict %d on %v, want %d", Judge(err), err, c.verdict)
			}
			if spent := client.credits(); spent != c.credits {
				t.Errorf("budget counts %d, want %d", spent, c.credits)
			}
		})
	}
}

func TestTheBalanceDistinguishesNoCreditsFromABlockedOperation(t *testing.T) {
	for left, want := range map[int]string{9: OutcomeNoCredits, 10: OutcomeBlocked} {
		client, segment := serve(t, 0, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, api.Credits.Path) {
				fmt.Fprintf(w, `{"detail":{"credits":%d}}`, left)
				return
			}
			w.WriteHeader(400)
			io.WriteString(w, `{"detail":"Insufficient credits or endpoint is blacklisted"}`)
		})
		client.do(t.Context(), api.Page("", "Curacao", 1))
		if e := last(t, segment); e.Outcome != want {
			t.Errorf("with %d credits left: %s, want %s", left, e.Outcome, want)
		}
	}
}

func TestRetriesStayWithinTheBudget(t *testing.T) {
	client, _ := serve(t, 15, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	_, err := client.do(t.Context(), api.Page("", "Curacao", 1))
	if !errors.Is(err, ErrBudget) || client.credits() != 10 {
		t.Errorf("%v after %d credits; want %v after 10", err, client.credits(), ErrBudget)
	}
}

func TestAServerThatCannotBeReachedCostsNothing(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	client, segment := connect(t, server.URL, 0)
	_, err := client.once(t.Context(), api.Page("", "Curacao", 1))
	if e := last(t, segment); e.Outcome != OutcomeNetwork || e.Charge != journal.ChargeFree || e.Credits != 0 {
		t.Errorf("journal says %s, %d credits, %s", e.Outcome, e.Credits, e.Charge)
	}
	if Judge(err) != Wait {
		t.Errorf("verdict %d on %v, want Wait", Judge(err), err)
	}
}

func TestCancellingKeepsTheAnswerInFlight(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	client, segment := serve(t, 0, func(w http.ResponseWriter, _ *http.Request) {
		cancel()
		io.WriteString(w, `{"total":1,"items":[{"imo":"9218301"}]}`)
	})
	if _, err := client.do(ctx, api.Page("", "Curacao", 1)); err != nil {
		t.Error(err)
	}
	if e := last(t, segment); e.Outcome != OutcomeOK {
		t.Errorf("journal says %s", e.Outcome)
	}
	if _, err := client.do(ctx, api.Page("", "Curacao", 2)); !errors.Is(err, context.Canceled) {
		t.Errorf("a new request after cancelling: %v", err)
	}
}

func TestAcceptedListsAreReadFromARefusal(t *testing.T) {
	client, _ := serve(t, 0, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(422)
		io.WriteString(w, `{"detail":[{"field":"type_specific","value":"x","message":"no","allowed_values":["Tug","Yacht"]},
			{"field":"country","value":"x","message":"no","allowed_values":["Malta"]}]}`)
	})
	got, err := client.ReadAccepted(t.Context())
	if err != nil || len(got.Types) != 2 || len(got.Countries) != 1 || client.credits() != 0 {
		t.Errorf("%v, %v, %d credits", got, err, client.credits())
	}
}

func TestCheckURL(t *testing.T) {
	for base, ok := range map[string]bool{
		"https://api.example.com/api/vessels_operations": true,
		"http://127.0.0.1:8080/api":                      true,
		"http://localhost:1/":                            true,
		"http://[::1]:1/":                                true,
		"http://api.example.com/":                        false,
		"ftp://localhost/":                               false,
		"api.example.com":                                false,
		"":                                               false,
	} {
		if err := CheckURL(base); (err == nil) != ok {
			t.Errorf("%q: %v", base, err)
		}
	}
}

func TestVocabularyIsThatOfTheInterface(t *testing.T) {
	for name, c := range map[string][2]int{"types": {len(api.Types), 361}, "countries": {len(api.Countries), 273}, "zones": {len(api.Zones), 41}, "vessel types": {len(api.VesselTypes), 36}, "statuses": {len(api.Statuses), 9}} {
		if c[0] != c[1] {
			t.Errorf("%d %s, want %d", c[0], name, c[1])
		}
	}
}
