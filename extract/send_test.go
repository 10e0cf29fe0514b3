package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// TestARequestIsTriedAgain has failures that end, and one that lasts while others are answered.
func TestARequestIsTriedAgain(t *testing.T) {
	cases := map[string]struct {
		fail  http.HandlerFunc // answers Curacao
		times int
		ok    bool
		sent  int
		each  int // what a failure counts as
	}{
		"503 twice, then a page":                  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, 2, true, 3, 0},
		"500 for one request for ever":            {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, 99, false, 4, 10},
		"HTML once":                               {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") }, 1, true, 2, 10},
		"a value that is refused again and again": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(422) }, 99, false, 2, 0},
		"a search that is not found for ever":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, 99, false, 4, 0},
		"a search that is not found, and found":   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, 2, true, 3, 0},
		"a cut connection may have been billed":   {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 1, true, 2, 10},
		"a body that is cut may have been billed": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, vessel)
		}, 1, true, 2, 10},
		"a broken gateway may have let it be paid": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }, 1, true, 2, 10},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			sent := 0
			inBubble(t, 0, func(w http.ResponseWriter, r *http.Request) {
				if free(w, r) {
					return
				}
				mu.Lock()
				defer mu.Unlock()
				if r.FormValue("country") == "Curacao" {
					if sent++; sent <= c.times {
						c.fail(w, r)
						return
					}
				}
				io.WriteString(w, vessel)
			}, func(t *testing.T, client *Client, _ *journal.Segment) {
				ctx, stop := context.WithCancel(t.Context())
				var others sync.WaitGroup
				others.Go(func() {
					for ctx.Err() == nil {
						client.do(ctx, api.Page("", "Malta", 1))
					}
				})
				_, err := client.do(ctx, api.Page("", "Curacao", 1))
				stop()
				others.Wait()
				spent := client.credits() - 10*client.Stats(api.ByType).Answers
				failed := sent
				if c.ok {
					failed--
				}
				// A try after which no other request was answered does not count: one or two more.
				if (err == nil) != c.ok || sent < c.sent || sent > c.sent+2 || c.ok && sent != c.sent || spent != failed*c.each {
					t.Errorf("error %v after %d requests and %d credits; want %d and %d each", err, sent, spent, c.sent, c.each)
				}
			})
		})
	}
}

// TestAFailureOfOneRequestEndsBeforeThePatience has a service that answers all requests but one, which
// is the last of its lane. It is given up after minutes if another that was sent later was answered, or
// if it is a lookup and the free call is answered: otherwise it could be an outage.
func TestAFailureOfOneRequestEndsBeforeThePatience(t *testing.T) {
	cases := map[string]struct {
		operation api.Operation
		others    time.Duration // the first other request, after the first failure; 0 is none
		free      bool          // the free call is answered
		most      time.Duration
		least     time.Duration
	}{
		"a search, and another was answered":       {api.ByStatus, time.Second, true, 10 * time.Minute, loneWait},
		"a list, and another was answered":         {api.ByType, time.Second, true, 10 * time.Minute, loneWait},
		"a search, and no other is asked":          {api.ByStatus, 0, true, 40 * time.Minute, 30 * time.Minute},
		"a lookup, and no other is asked":          {api.Particulars, 0, true, 10 * time.Minute, loneWait},
		"a lookup, and nothing at all is answered": {api.Particulars, 0, false, 40 * time.Minute, 30 * time.Minute},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			inBubble(t, 0, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				poison := strings.Contains(r.URL.RawQuery+string(body), "poison")
				if poison || !c.free && strings.HasSuffix(r.URL.Path, api.Credits.Path) {
					w.WriteHeader(500)
				} else if !free(w, r) {
					io.WriteString(w, vessel)
				}
			}, func(t *testing.T, client *Client, _ *journal.Segment) {
				start := time.Now()
				var other sync.WaitGroup
				if c.others > 0 {
					other.Go(func() {
						time.Sleep(c.others)
						if _, err := client.do(t.Context(), api.Request{Operation: c.operation, Parameters: map[string][]string{"n": {"good"}}}); err != nil {
							t.Error(err)
						}
					})
				}
				_, err := client.do(t.Context(), api.Request{Operation: c.operation, Parameters: map[string][]string{"n": {"poison"}}})
				took := time.Since(start)
				other.Wait()
				if err == nil || took < c.least || took > c.most {
					t.Errorf("%v after %v, want between %v and %v", err, took, c.least, c.most)
				}
			})
		})
	}
}

// TestEveryRequestIsAnsweredByAServiceThatIsBusyHalfOfTheTime has half of all answers be 503, at random.
func TestEveryRequestIsAnsweredByAServiceThatIsBusyHalfOfTheTime(t *testing.T) {
	inBubble(t, 0, func(w http.ResponseWriter, r *http.Request) {
		if rand.N(2) == 0 {
			w.WriteHeader(503)
		} else if !free(w, r) {
			io.WriteString(w, vessel)
		}
	}, func(t *testing.T, client *Client, _ *journal.Segment) {
		start := time.Now()
		var sending sync.WaitGroup
		for _, o := range []api.Operation{api.ByType, api.ByStatus, api.Particulars} {
			for n := range 15 {
				sending.Go(func() {
					if _, err := client.do(t.Context(), api.Request{Operation: o, Parameters: map[string][]string{"n": {fmt.Sprint(n)}}}); err != nil {
						t.Error(err)
					}
				})
			}
		}
		sending.Wait()
		if took := time.Since(start); took > 20*time.Minute {
			t.Errorf("took %v", took)
		}
	})
}

// TestAProbeFollowsAnAnsweredFreeCallWithoutAnother has each second request of all be answered 503: the
// free call, sent before each probe, would take every answer.
func TestAProbeFollowsAnAnsweredFreeCallWithoutAnother(t *testing.T) {
	asked := 0
	inBubble(t, 0, func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked == 2 || asked > 2 && asked%2 == 1 {
			w.WriteHeader(503)
		} else if !free(w, r) {
			io.WriteString(w, vessel)
		}
	}, func(t *testing.T, client *Client, _ *journal.Segment) {
		if _, err := client.do(t.Context(), api.Lookup(api.Particulars, "9218300")); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := client.do(t.Context(), api.Lookup(api.Particulars, "9218301")); err != nil || time.Since(start) > 30*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// TestNothingIsSentWhenTheJournalIsGone has an admitted request whose journal disappears before it is sent, as
// one does that waits for its turn. What it reserved is free again.
func TestNothingIsSentWhenTheJournalIsGone(t *testing.T) {
	sent := 0
	inBubble(t, api.Particulars.Credits, func(w http.ResponseWriter, r *http.Request) { sent++ }, func(t *testing.T, client *Client, s *journal.Segment) {
		ticket, err := client.Admit(t.Context(), api.Particulars)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(s.Path(), s.Path()+".away"); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Send(t.Context(), ticket, api.Lookup(api.Particulars, "9074729")); !errors.Is(err, journal.ErrGone) {
			t.Errorf("got %v, want %v", err, journal.ErrGone)
		}
		if _, err := client.Admit(t.Context(), api.Particulars); !errors.Is(err, journal.ErrGone) {
			t.Errorf("the next one: got %v, want %v", err, journal.ErrGone)
		}
		if sent > 0 {
			t.Errorf("%d requests were sent", sent)
		}
		if err := os.Rename(s.Path()+".away", s.Path()); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Admit(t.Context(), api.Particulars); err != nil { // the cap has room for one
			t.Errorf("when it is back: %v", err)
		}
	})
}
