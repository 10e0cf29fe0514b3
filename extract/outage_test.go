package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
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
		test(t, NewClient(s, newCap(most), segment), segment)
	})
}

// free answers the balance and reports whether it was asked.
func free(w http.ResponseWriter, r *http.Request) bool {
	if !strings.HasSuffix(r.URL.Path, api.Credits.Path) {
		return false
	}
	io.WriteString(w, `{"detail":{"credits":1000}}`)
	return true
}

// TestAnOutageEndsItsLaneWhenThePatienceIsOver has outages that are a little shorter than the patience,
// and longer.
func TestAnOutageEndsItsLaneWhenThePatienceIsOver(t *testing.T) {
	for away, ok := range map[time.Duration]bool{40 * time.Second: true, 30*time.Minute - time.Second: true, 31 * time.Minute: false} {
		for _, status := range []int{404, 500, 502, 503, 504} {
			var log bytes.Buffer
			back := time.Time{}
			priced := 0
			inBubble(t, 0, func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasSuffix(r.URL.Path, api.Credits.Path) {
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
				_, err := client.do(t.Context(), api.Sweep{Status: "moored", Zone: "north-sea"}.Request())
				took := time.Since(start)
				if (err == nil) != ok || took > away+probeMost+time.Minute {
					t.Errorf("%d for %v: %v after %v", status, away, err, took)
				}
				if !ok && (Judge(err) != StopLane || !strings.Contains(err.Error(), "no answer for 30m0s") || !strings.Contains(err.Error(), "run the same command again")) {
					t.Errorf("%d for %v: verdict %d on %v", status, away, Judge(err), err)
				}
				if priced > 8 {
					t.Errorf("%d for %v: %d requests that may be billed, where the free call would do", status, away, priced)
				}
				if n := strings.Count(log.String(), "is away"); n != 1 {
					t.Errorf("%d for %v: the log has %d times that the service is away", status, away, n)
				}
				if n := strings.Count(log.String(), "answers again"); (n == 1) != ok {
					t.Errorf("%d for %v: the log has %d times that it is back", status, away, n)
				}
			})
		}
	}
}

// TestTheLongestOutageIsReported reads which operation has no answer, since when, and the last failure.
func TestTheLongestOutageIsReported(t *testing.T) {
	away := false
	inBubble(t, 0, func(w http.ResponseWriter, r *http.Request) {
		if away && !strings.HasSuffix(r.URL.Path, api.ByStatus.Path) {
			w.WriteHeader(503)
			io.WriteString(w, `{"detail":"Database temporarily unavailable"}`)
		} else if !free(w, r) {
			io.WriteString(w, vessel)
		}
	}, func(t *testing.T, client *Client, _ *journal.Segment) {
		client.do(t.Context(), api.Sweep{Status: "drifting"}.Request())
		if o := client.Unanswered(); o != nil {
			t.Errorf("before: %v", o)
		}
		away = true
		short, end := context.WithTimeout(t.Context(), 400*time.Millisecond)
		defer end()
		client.do(short, api.Page("", "Malta", 1))
		if o := client.Unanswered(); o != nil {
			t.Errorf("after a moment: %v", o)
		}
		away = false
		client.do(t.Context(), api.Page("", "Malta", 1))
		away = true
		since := time.Now().UTC().Format(time.RFC3339)
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
		defer stop()
		client.do(ctx, api.Page("", "Malta", 1))
		o := client.Unanswered()
		if o == nil || o.Operation != api.ByType.Name || !strings.Contains(o.Error(), "no answer for 10m0s, since "+since+" (by-type: 503 Service Unavailable: Database temporarily unavailable)") {
			t.Errorf("after: %v", o)
		}
	})
}

func TestAnOutageIsVisibleWhileItLasts(t *testing.T) {
	var back atomic.Bool
	inBubble(t, 0, func(w http.ResponseWriter, _ *http.Request) {
		if !back.Load() {
			w.WriteHeader(503)
			return
		}
		io.WriteString(w, vessel)
	}, func(t *testing.T, client *Client, _ *journal.Segment) {
		start := time.Now()
		done := make(chan error)
		go func() {
			_, err := client.do(t.Context(), api.Page("", "Malta", 1))
			done <- err
		}()
		time.Sleep(5 * time.Minute)
		if since, why := client.Away(api.ByType); !since.Equal(start) || !strings.Contains(why, "503") {
			t.Errorf("away since %v, %q; want since %v", since, why, start)
		}
		back.Store(true)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if since, _ := client.Away(api.ByType); !since.IsZero() {
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
		if _, err := client.do(t.Context(), api.Page("", "Malta", 1)); err != nil || len(asked) != 2 || asked[1].Sub(asked[0]) < 90*time.Second {
			t.Errorf("%v, asked at %v", err, asked)
		}
	})
}

// TestRepeated429sCostOneSlot has a lane that sends one request a minute, each answered 429.
func TestRepeated429sCostOneSlot(t *testing.T) {
	var back time.Time
	inBubble(t, 0, func(w http.ResponseWriter, _ *http.Request) {
		if time.Now().Before(back) {
			w.WriteHeader(429)
			return
		}
		io.WriteString(w, vessel)
	}, func(t *testing.T, client *Client, _ *journal.Segment) {
		back = time.Now().Add(20 * time.Minute)
		if _, err := client.do(t.Context(), api.Page("", "Malta", 1)); err != nil || client.Lane(api.ByType).PerMinute() != 49 {
			t.Errorf("%v, %d a minute are left of 50", err, client.Lane(api.ByType).PerMinute())
		}
	})
}

// TestAStopEndsEveryWait stops a client in each place where it waits.
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
		"repeated 429s":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) },
		"an outage":         func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"answers that hang": func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() },
	}
	for name, handler := range cases {
		t.Run(name, func(t *testing.T) {
			inBubble(t, 100, handler, func(t *testing.T, client *Client, segment *journal.Segment) {
				ctx, stop := context.WithCancel(t.Context())
				var sending sync.WaitGroup
				for _, o := range []api.Operation{api.ByStatus, api.ByType, api.Particulars} {
					for n := range 8 {
						sending.Go(func() {
							client.do(ctx, api.Request{Operation: o, Parameters: map[string][]string{"n": {fmt.Sprint(n)}}})
						})
					}
				}
				time.Sleep(30 * time.Second)
				stop()
				start := time.Now()
				sending.Wait()
				if took := time.Since(start); took > shutdownGrace {
					t.Errorf("stopped after %v, want at most %v", took, shutdownGrace)
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
				if _, err := client.do(t.Context(), api.Page("", "Malta", n+1)); Judge(err) != StopLane {
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

func TestARefusedConnectionIsAnOutageThatCostsNothing(t *testing.T) {
	inBubble(t, 10, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, vessel) }, func(t *testing.T, client *Client, _ *journal.Segment) {
		s := client.service
		dial, back := s.Dial, time.Now().Add(20*time.Minute)
		s.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if time.Now().Before(back) {
				return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
			}
			return dial(ctx, network, address)
		}
		client.transport = newTransport(s)
		if _, err := client.do(t.Context(), api.Page("", "Malta", 1)); err != nil || client.credits() != 10 {
			t.Errorf("%v, %d credits", err, client.credits())
		}
	})
}

// TestAnOutageBeyondTheBudgetNamesBothReasons has failures that may be billed.
func TestAnOutageBeyondTheBudgetNamesBothReasons(t *testing.T) {
	inBubble(t, 25, func(w http.ResponseWriter, r *http.Request) {
		if !free(w, r) {
			w.WriteHeader(500)
		}
	}, func(t *testing.T, client *Client, _ *journal.Segment) {
		_, err := client.do(t.Context(), api.Page("", "Malta", 1))
		if !errors.Is(err, ErrBudget) || client.credits() != 20 || !strings.Contains(err.Error(), "500") {
			t.Errorf("%v after %d credits", err, client.credits())
		}
	})
}
