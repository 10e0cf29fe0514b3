package extract

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator/memory"
)

// vessel is an answer of every priced operation.
const vessel = `{"total":1,"items":[{"imo":"9218301"}],"vessels":[{"imo":"9218301"}],"detail":{"name":"NEWSUN"}}`

// inBubble serves a handler in memory and by virtual time, at the documented limits.
func inBubble(t *testing.T, most int, handler http.HandlerFunc, test func(t *testing.T, c *Client, s *journal.Segment)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := memory.New()
		server := &http.Server{Handler: handler, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
		go server.Serve(network)
		defer server.Close()
		segment, err := journal.Create(t.TempDir(), journal.Entry{Kind: journal.KindPlan, Plan: &journal.Plan{Run: "r", Date: "2026-11-20"}})
		if err != nil {
			t.Fatal(err)
		}
		defer segment.Close()
		s := Service{BaseURL: "http://127.0.0.1", Key: "planted-key", Dial: network.Dial}
		test(t, NewClient(s, NewBudget(most, 0), segment), segment)
	})
}

// free answers the balance and reports whether it was asked.
func free(w http.ResponseWriter, r *http.Request) bool {
	if !strings.HasSuffix(r.URL.Path, Credits.Path) {
		return false
	}
	io.WriteString(w, `{"detail":{"credits":1000}}`)
	return true
}

// TestARequestIsTriedAgain has failures that end, and one that does not while others are answered.
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
						client.Do(ctx, Page("", "Malta", 1))
					}
				})
				_, err := client.Do(ctx, Page("", "Curacao", 1))
				stop()
				others.Wait()
				spent := client.budget.Spent() - 10*client.Stats(ByType).Answers
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

// TestAnOutageIsHeldForAsLongAsThePatienceLasts has one request of which the service knows nothing
// for a while: a little less than the patience, and more.
func TestAnOutageIsHeldForAsLongAsThePatienceLasts(t *testing.T) {
	for away, ok := range map[time.Duration]bool{40 * time.Second: true, 30*time.Minute - time.Second: true, 31 * time.Minute: false} {
		for _, status := range []int{404, 500, 502, 503, 504} {
			var log bytes.Buffer
			back := time.Time{}
			priced := 0
			inBubble(t, 0, func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasSuffix(r.URL.Path, Credits.Path) {
					priced++
				}
				if time.Now().Before(back) {
					w.WriteHeader(status)
				} else if !free(w, r) {
					io.WriteString(w, vessel)
				}
			}, func(t *testing.T, client *Client, _ *journal.Segment) {
				for _, g := range client.outages {
					g.log = slog.New(slog.NewTextHandler(&log, nil))
				}
				start := time.Now()
				back = start.Add(away)
				_, err := client.Do(t.Context(), Sweep{Status: "moored", Zone: "north-sea"}.Request())
				took := time.Since(start)
				if (err == nil) != ok || took > away+probeMost+time.Minute {
					t.Errorf("%d for %v: %v after %v", status, away, err, took)
				}
				if !ok && (Judge(err) != StopLane || !strings.Contains(err.Error(), "no answer for 30m0s") || !strings.Contains(err.Error(), "run the same command again")) {
					t.Errorf("%d for %v: verdict %d on %v", status, away, Judge(err), err)
				}
				if priced > 8 {
					t.Errorf("%d for %v: %d requests that may be billed while the free call tells as much", status, away, priced)
				}
				if n := strings.Count(log.String(), "is away"); n != 1 {
					t.Errorf("%d for %v: the log tells %d times that the service is away", status, away, n)
				}
				if n := strings.Count(log.String(), "answers again"); (n == 1) != ok {
					t.Errorf("%d for %v: the log tells %d times that it is back", status, away, n)
				}
			})
		}
	}
}

// TestARequestThatFailsForItselfEndsBeforeThePatience has a service that answers all requests but one,
// which is the last of its lane. It is held for minutes where another that was sent later was
// answered, or where it is a lookup and the free call is answered: else nothing tells it from an outage.
func TestARequestThatFailsForItselfEndsBeforeThePatience(t *testing.T) {
	cases := map[string]struct {
		operation Operation
		others    time.Duration // the first other request, after the first failure; 0 is none
		free      bool          // the free call is answered
		most      time.Duration
		least     time.Duration
	}{
		"a search, and another was answered":       {ByStatus, time.Second, true, 10 * time.Minute, loneWait},
		"a list, and another was answered":         {ByType, time.Second, true, 10 * time.Minute, loneWait},
		"a search, and no other is asked":          {ByStatus, 0, true, 40 * time.Minute, 30 * time.Minute},
		"a lookup, and no other is asked":          {Particulars, 0, true, 10 * time.Minute, loneWait},
		"a lookup, and nothing at all is answered": {Particulars, 0, false, 40 * time.Minute, 30 * time.Minute},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			inBubble(t, 0, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				poison := strings.Contains(r.URL.RawQuery+string(body), "poison")
				if poison || !c.free && strings.HasSuffix(r.URL.Path, Credits.Path) {
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
						if _, err := client.Do(t.Context(), Request{Operation: c.operation, Parameters: map[string][]string{"n": {"good"}}}); err != nil {
							t.Error(err)
						}
					})
				}
				_, err := client.Do(t.Context(), Request{Operation: c.operation, Parameters: map[string][]string{"n": {"poison"}}})
				took := time.Since(start)
				other.Wait()
				if err == nil || took < c.least || took > c.most {
					t.Errorf("%v after %v, want between %v and %v", err, took, c.least, c.most)
				}
			})
		})
	}
}

// TestAServiceThatIsBusyEverySecondTimeIsAskedToTheEnd has half of all answers be 503, by chance.
func TestAServiceThatIsBusyEverySecondTimeIsAskedToTheEnd(t *testing.T) {
	inBubble(t, 0, func(w http.ResponseWriter, r *http.Request) {
		if rand.N(2) == 0 {
			w.WriteHeader(503)
		} else if !free(w, r) {
			io.WriteString(w, vessel)
		}
	}, func(t *testing.T, client *Client, _ *journal.Segment) {
		start := time.Now()
		var sending sync.WaitGroup
		for _, o := range []Operation{ByType, ByStatus, Particulars} {
			for n := range 15 {
				sending.Go(func() {
					if _, err := client.Do(t.Context(), Request{Operation: o, Parameters: map[string][]string{"n": {fmt.Sprint(n)}}}); err != nil {
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

// TestAFreeCallThatIsAnsweredIsNoReasonToAskItAgain has each second request of all be answered 503: the
// free call, sent before each probe, would take every answer.
func TestAFreeCallThatIsAnsweredIsNoReasonToAskItAgain(t *testing.T) {
	asked := 0
	inBubble(t, 0, func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked == 2 || asked > 2 && asked%2 == 1 {
			w.WriteHeader(503)
		} else if !free(w, r) {
			io.WriteString(w, vessel)
		}
	}, func(t *testing.T, client *Client, _ *journal.Segment) {
		if _, err := client.Do(t.Context(), Lookup(Particulars, "9218300")); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := client.Do(t.Context(), Lookup(Particulars, "9218301")); err != nil || time.Since(start) > 30*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// TestWhatIsUnansweredIsTold asks what has no answer, since when, and in whose words.
func TestWhatIsUnansweredIsTold(t *testing.T) {
	away := false
	inBubble(t, 0, func(w http.ResponseWriter, r *http.Request) {
		if away && !strings.HasSuffix(r.URL.Path, ByStatus.Path) {
			w.WriteHeader(503)
			io.WriteString(w, `{"detail":"Database temporarily unavailable"}`)
		} else if !free(w, r) {
			io.WriteString(w, vessel)
		}
	}, func(t *testing.T, client *Client, _ *journal.Segment) {
		client.Do(t.Context(), Sweep{Status: "drifting"}.Request())
		if o := client.Unanswered(); o != nil {
			t.Errorf("before: %v", o)
		}
		away = true
		since := time.Now().UTC().Format(time.RFC3339)
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
		defer stop()
		client.Do(ctx, Page("", "Malta", 1))
		o := client.Unanswered()
		if o == nil || o.Operation != ByType.Name || !strings.Contains(o.Error(), "no answer for 10m0s, since "+since+" (by-type: 503 Service Unavailable: Database temporarily unavailable)") {
			t.Errorf("after: %v", o)
		}
	})
}

func TestAnOutageIsVisibleWhileItLasts(t *testing.T) {
	away := true
	inBubble(t, 0, func(w http.ResponseWriter, _ *http.Request) {
		if away {
			w.WriteHeader(503)
			return
		}
		io.WriteString(w, vessel)
	}, func(t *testing.T, client *Client, _ *journal.Segment) {
		start := time.Now()
		done := make(chan error)
		go func() {
			_, err := client.Do(t.Context(), Page("", "Malta", 1))
			done <- err
		}()
		time.Sleep(5 * time.Minute)
		if since, why := client.Away(ByType); !since.Equal(start) || !strings.Contains(why, "503") {
			t.Errorf("away since %v, %q; want since %v", since, why, start)
		}
		away = false
		if err := <-done; err != nil {
			t.Error(err)
		}
		if since, _ := client.Away(ByType); !since.IsZero() {
			t.Errorf("still away since %v", since)
		}
	})
}

func TestRetryAfterIsKeptFor503(t *testing.T) {
	var asked []time.Time
	inBubble(t, 0, func(w http.ResponseWriter, _ *http.Request) {
		if asked = append(asked, time.Now()); len(asked) == 1 {
			w.Header().Set("Retry-After", "90")
			w.WriteHeader(503)
			return
		}
		io.WriteString(w, vessel)
	}, func(t *testing.T, client *Client, _ *journal.Segment) {
		if _, err := client.Do(t.Context(), Page("", "Malta", 1)); err != nil || len(asked) != 2 || asked[1].Sub(asked[0]) < 90*time.Second {
			t.Errorf("%v, asked at %v", err, asked)
		}
	})
}

// TestAStormOfRefusedRatesCostsOneSlot has a lane that asks once a minute and is refused.
func TestAStormOfRefusedRatesCostsOneSlot(t *testing.T) {
	var back time.Time
	inBubble(t, 0, func(w http.ResponseWriter, _ *http.Request) {
		if time.Now().Before(back) {
			w.WriteHeader(429)
			return
		}
		io.WriteString(w, vessel)
	}, func(t *testing.T, client *Client, _ *journal.Segment) {
		back = time.Now().Add(20 * time.Minute)
		if _, err := client.Do(t.Context(), Page("", "Malta", 1)); err != nil || client.Lane(ByType).PerMinute() != 49 {
			t.Errorf("%v, %d a minute are left of 50", err, client.Lane(ByType).PerMinute())
		}
	})
}

// TestAStopEndsEveryWait stops a client in each of the places where it waits.
func TestAStopEndsEveryWait(t *testing.T) {
	cases := map[string]http.HandlerFunc{
		"Retry-After of an hour": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(429)
		},
		"a 503 with the same": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(503)
		},
		"a storm of 429s":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) },
		"an outage":         func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"answers that hang": func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() },
	}
	for name, handler := range cases {
		t.Run(name, func(t *testing.T) {
			inBubble(t, 100, handler, func(t *testing.T, client *Client, segment *journal.Segment) {
				ctx, stop := context.WithCancel(t.Context())
				var sending sync.WaitGroup
				for _, o := range []Operation{ByStatus, ByType, Particulars} {
					for n := range 8 {
						sending.Go(func() { client.Do(ctx, Request{Operation: o, Parameters: map[string][]string{"n": {fmt.Sprint(n)}}}) })
					}
				}
				time.Sleep(30 * time.Second)
				stop()
				start := time.Now()
				sending.Wait()
				if took := time.Since(start); took > grace {
					t.Errorf("stopped after %v, want at most %v", took, grace)
				}
				intents, answers := 0, 0
				for e, err := range journal.Read(segment.Path()) {
					if err != nil {
						t.Fatal(err)
					}
					switch e.Kind {
					case journal.KindIntent:
						intents++
					case journal.KindAnswer:
						answers++
					}
				}
				if intents == 0 || intents != answers {
					t.Errorf("%d intents and %d answers: what was given up must be in the journal", intents, answers)
				}
			})
		})
	}
}

// TestTheFreeCallNeverWaitsForTheBudget has every credit reserved by requests that are refused in
// words that only the balance can explain.
func TestTheFreeCallNeverWaitsForTheBudget(t *testing.T) {
	inBubble(t, 20, func(w http.ResponseWriter, r *http.Request) {
		if !free(w, r) {
			w.WriteHeader(400)
			io.WriteString(w, `{"detail":"credits are insufficient or the endpoint is blacklisted"}`)
		}
	}, func(t *testing.T, client *Client, _ *journal.Segment) {
		start := time.Now()
		var sending sync.WaitGroup
		for n := range 8 {
			sending.Go(func() {
				if _, err := client.Do(t.Context(), Page("", "Malta", n+1)); Judge(err) != StopLane {
					t.Errorf("verdict %d on %v", Judge(err), err)
				}
			})
		}
		sending.Wait()
		if took := time.Since(start); took > time.Minute {
			t.Errorf("took %v", took)
		}
	})
}

// TestABombIsCutOff sends bodies that are small on the wire and huge when unpacked, many at
// a time, and looks at how much is held.
func TestABombIsCutOff(t *testing.T) {
	var bomb bytes.Buffer
	z, _ := gzip.NewWriterLevel(&bomb, gzip.BestSpeed)
	blanks := bytes.Repeat([]byte(" "), 1<<20)
	for range 64 {
		z.Write(blanks)
	}
	z.Close()
	client, segment := serve(t, 0, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(bomb.Bytes())
	})
	for o, most := range map[*Request]int{
		{Operation: ByType, Parameters: map[string][]string{}}:   maxOtherBody,
		{Operation: ByStatus, Parameters: map[string][]string{}}: maxBody,
	} {
		_, err := client.once(t.Context(), *o)
		e := last(t, segment)
		if Judge(err) != Wait || e.Outcome != OutcomeUnreadable || e.Credits != 10 || len(e.Body) != most {
			t.Errorf("%s: %v, %s, %d credits, %d bytes kept", o.Operation.Name, err, e.Outcome, e.Credits, len(e.Body))
		}
	}
	var sending sync.WaitGroup
	client.large = make(chan struct{}, 1)
	client.large <- struct{}{} // somebody else has the last turn
	client.service.Timeout = 200 * time.Millisecond
	for range 8 {
		sending.Go(func() {
			if _, err := client.once(t.Context(), Request{Operation: ByStatus}); Judge(err) != Wait {
				t.Errorf("without a turn: %v", err)
			}
		})
	}
	sending.Wait()
	if e := last(t, segment); len(e.Body) > smallBody || e.Charge != journal.ChargeUnknown {
		t.Errorf("without a turn %d bytes were read, %s", len(e.Body), e.Charge)
	}
}

// TestABodyThatIsNoTextTakesNoMoreInTheJournal has zeros, each of which would take six bytes in a
// line of JSON.
func TestABodyThatIsNoTextTakesNoMoreInTheJournal(t *testing.T) {
	client, segment := serve(t, 0, func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, maxBody)) })
	a, err := client.once(t.Context(), Request{Operation: ByStatus})
	if Judge(err) != Wait || a.Entry.Body != "" {
		t.Errorf("%v, and %d bytes are held until the next try", err, len(a.Entry.Body))
	}
	e := last(t, segment)
	body, err := e.RawBody()
	if err != nil || !bytes.Equal(body, make([]byte, maxBody)) || len(e.Body)+len(e.Base64) > maxBody*3/2 {
		t.Errorf("%v, %d bytes of %d are kept, as %d and %d", err, len(body), maxBody, len(e.Body), len(e.Base64))
	}
}

// TestWordsOfTheServiceControlNothing has refusals, answers and broken heads with characters that
// would control a terminal, or turn the text that stands beside them.
func TestWordsOfTheServiceControlNothing(t *testing.T) {
	const words = "red\x1b[31m bell\a nul\x00 turned\u202etxt.exe\u2066 mark\ufeff line\u2028end\x7f\u009b"
	quoted, _ := json.Marshal(words)
	cases := map[string]http.HandlerFunc{
		"a refusal": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500); w.Write([]byte(words)) },
		"shape A": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
			fmt.Fprintf(w, `{"error":%s,"message":%[1]s}`, quoted)
		},
		"shape B": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(400)
			fmt.Fprintf(w, `{"detail":%s}`, quoted)
		},
		"shape D": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(422)
			fmt.Fprintf(w, `{"detail":[{"field":%s,"message":%[1]s}]}`, quoted)
		},
		"an answer":       func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(words)) },
		"an answer, JSON": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"wrong":%s}`, quoted) },
		"a head": func(w http.ResponseWriter, _ *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			defer c.Close()
			io.WriteString(c, words+"\r\n\r\n")
		},
	}
	for name, handler := range cases {
		t.Run(name, func(t *testing.T) {
			client, segment := serve(t, 0, handler)
			_, err := client.once(t.Context(), Page("", "Malta", 1))
			if err == nil {
				t.Fatal("no error")
			}
			for _, text := range []string{err.Error(), last(t, segment).Error} {
				if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("shows %q", text)
				}
			}
		})
	}
}

func TestTheServicesWordsAreBounded(t *testing.T) {
	long := strings.Repeat("words of the service ", 250_000)
	for name, body := range map[string]string{"text": long, "shape A": `{"error":"` + long + `","message":"x"}`,
		"shape B": `{"detail":"` + long + `"}`, "shape D": `{"detail":[{"field":"country","message":"` + long + `"}]}`} {
		if m := message([]byte(body)); len(m) > 2*mostWords || strings.Contains(m, "\n") {
			t.Errorf("%s: %d bytes are shown", name, len(m))
		}
	}
	values := strings.TrimSuffix(strings.Repeat(`"v",`, mostAccepted+1), ",")
	for name, types := range map[string]string{"many values": values, "a long one": `"` + long + `"`} {
		_, err := parseAccepted([]byte(`{"detail":[{"field":"type_specific","allowed_values":[` + types + `]},{"field":"country","allowed_values":["Malta"]}]}`))
		if err == nil || len(err.Error()) > 2*mostWords {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestARefusedConnectionCostsNothingAndIsHeld(t *testing.T) {
	inBubble(t, 10, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, vessel) }, func(t *testing.T, client *Client, _ *journal.Segment) {
		s := client.service
		dial, back := s.Dial, time.Now().Add(20*time.Minute)
		s.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if time.Now().Before(back) {
				return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
			}
			return dial(ctx, network, address)
		}
		client.http = newHTTP(s)
		if _, err := client.Do(t.Context(), Page("", "Malta", 1)); err != nil || client.budget.Spent() != 10 {
			t.Errorf("%v, %d credits", err, client.budget.Spent())
		}
	})
}

// TestAnOutageThatTheBudgetCannotCarryEndsWithATrueReason has failures that may be billed.
func TestAnOutageThatTheBudgetCannotCarryEndsWithATrueReason(t *testing.T) {
	inBubble(t, 25, func(w http.ResponseWriter, r *http.Request) {
		if !free(w, r) {
			w.WriteHeader(500)
		}
	}, func(t *testing.T, client *Client, _ *journal.Segment) {
		_, err := client.Do(t.Context(), Page("", "Malta", 1))
		if !errors.Is(err, ErrBudget) || client.budget.Spent() != 20 || !strings.Contains(err.Error(), "500") {
			t.Errorf("%v after %d credits", err, client.budget.Spent())
		}
	})
}
