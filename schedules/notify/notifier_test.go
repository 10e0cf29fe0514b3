package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// received is what a receiver got.
type received struct {
	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
}

// receiver is a server that answers the first requests with some states and the others with 200.
func receiver(t *testing.T, states ...int) (*httptest.Server, *received) {
	got := &received{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got.mu.Lock()
		defer got.mu.Unlock()
		got.requests, got.bodies = append(got.requests, r), append(got.bodies, string(body))
		if n := len(got.requests); n <= len(states) {
			w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
			w.WriteHeader(states[n-1])
		}
		io.WriteString(w, "{}")
	}))
	t.Cleanup(server.Close)
	return server, got
}

func event() Event {
	return OfFailure("nightly", "2026-11-20", time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC), "disk full")
}

// numbered is an event with an id of its own.
func numbered(i int) Event {
	e := event()
	e.ID = fmt.Sprint("event ", i)
	return e
}

// deliverAll sends events and waits until all are delivered or given up. It returns the log.
func deliverAll(t *testing.T, c Config, events ...Event) string {
	t.Helper()
	var log bytes.Buffer
	c.Log = slog.New(slog.NewTextHandler(&log, nil))
	n, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		n.Send(e)
	}
	n.Close(t.Context()) // the tries of the three run side by side
	return log.String()
}

func TestWebhookIsSigned(t *testing.T) {
	server, got := receiver(t)
	log := deliverAll(t, Config{Webhook: server.URL + "/planted-path?token=planted-token", Secret: "planted-secret"}, event())
	if len(got.bodies) != 1 {
		t.Fatalf("%d requests, want 1: %s", len(got.bodies), log)
	}
	r := got.requests[0]
	if want := Sign("planted-secret", r.Header.Get("X-Fleetlake-Timestamp"), []byte(got.bodies[0])); r.Header.Get("X-Fleetlake-Signature") != want {
		t.Errorf("signature %q, want %q", r.Header.Get("X-Fleetlake-Signature"), want)
	}
	var e Event
	if err := json.Unmarshal([]byte(got.bodies[0]), &e); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(event(), e); diff != "" || r.Header.Get("X-Fleetlake-Event") != e.ID || r.Method != http.MethodPost {
		t.Errorf("event (-want +got):\n%s", diff)
	}
	if strings.Contains(log+got.bodies[0], "planted") {
		t.Errorf("a secret leaked: %s %s", log, got.bodies[0])
	}
}

// TestSignIsHMAC compares the signature with one of another program.
const openssl = "1ba6b8171186efc613e8bcc0cbdab2748f24984d7c5a84faa2637afa0e40d224"

func TestSignIsHMAC(t *testing.T) {
	// printf '1.{}' | openssl dgst -sha256 -hmac key
	if got := Sign("key", "1", []byte("{}")); got != "sha256="+openssl {
		t.Errorf("got %s", got)
	}
}

func TestWebhookIsTriedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		states []int
		want   int // requests
		takes  time.Duration
		log    string
	}{
		"after an error of the server": {[]int{500, 503}, 3, 17 * time.Second, "notification delivered"},
		"after an outage of an hour":   {slices.Repeat([]int{503}, 7), 8, 77*time.Second + 110*time.Minute, "notification delivered"},
		"after too many requests":      {[]int{429}, 2, 2 * time.Second, "notification delivered"},
		"after a night":                {slices.Repeat([]int{503}, 9), 10, 77*time.Second + (230+6*60)*time.Minute, "notification delivered"},
		"but not for ever":             {slices.Repeat([]int{500}, 99), 9 + 11, KeepFor + 17*time.Second, "not accepted within 72h"},
		"not after a refusal":          {[]int{403}, 1, 0, "status 403"},
		"not to elsewhere":             {[]int{302}, 1, 0, "status 302"},
	} {
		t.Run(name, func(t *testing.T) {
			server, got := receiver(t, c.states...) // outside of the bubble: its goroutines never rest
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				log := deliverAll(t, Config{Webhook: server.URL + "/planted", Secret: "planted"}, event())
				if len(got.bodies) != c.want || time.Since(start) != c.takes {
					t.Errorf("%d requests in %v, want %d in %v", len(got.bodies), time.Since(start), c.want, c.takes)
				}
				if !strings.Contains(log, c.log) || strings.Contains(log, "planted") {
					t.Errorf("log: %s", log)
				}
			})
		})
	}
}

func TestServices(t *testing.T) {
	for name, address := range map[string]string{
		"generic":    "generic://HOST/planted-path?disabletls=yes&@Authorization=planted-header",
		"ntfy":       "ntfy://planted-user:planted-password@HOST/planted-topic?scheme=http",
		"gotify":     "gotify://HOST/AzyoeNS.D4iJLVa?disabletls=yes",
		"mattermost": "mattermost://HOST/planted-token?disabletls=yes",
	} {
		t.Run(name, func(t *testing.T) {
			server, got := receiver(t)
			address = strings.Replace(address, "HOST", strings.TrimPrefix(server.URL, "http://"), 1)
			if err := once(t.Context(), newService(1, address), event()); err != nil { // without the tries that follow
				t.Fatal(err)
			}
			log := deliverAll(t, Config{URLs: []string{address}}, event())
			if len(got.bodies) != 2 || !strings.Contains(got.bodies[1], "nightly for 2026-11-20 failed") {
				t.Errorf("got %q, log: %s", got.bodies, log)
			}
			if strings.Contains(log, "planted") || strings.Contains(log, "AzyoeNS") {
				t.Errorf("a secret leaked: %s", log)
			}
		})
	}
}

// TestErrorsHaveNoSecret has services that cannot be reached, or refuse, with secrets in every
// part of their addresses.
func TestErrorsHaveNoSecret(t *testing.T) {
	server, _ := receiver(t, 400, 400, 400, 400, 400, 400, 400, 400)
	host := strings.TrimPrefix(server.URL, "http://")
	for _, address := range []string{
		"generic://HOST/planted-path?disabletls=yes&template=planted-template",
		"ntfy://planted-user:planted%2Fpassword@HOST/planted-topic?scheme=http",
		"mattermost://planted@HOST/planted-token?disabletls=yes",
		"rocketchat://planted@HOST/planted1/planted2",
		"smtp://planted-user:planted-password@HOST/?from=a@planted.example&to=b@planted.example",
		"gotify://HOST/planted",
		"matrix://planted:planted@HOST/?rooms=!planted:planted",
	} {
		for _, to := range []string{host, "127.0.0.1:1"} {
			if to == host && strings.HasPrefix(address, "smtp") {
				continue // it would wait for a greeting
			}
			s := newService(1, strings.Replace(address, "HOST", to, 1))
			err := once(t.Context(), s, event())
			if err == nil || strings.Contains(err.Error(), "planted") || strings.Contains(s.name(), "planted") {
				t.Errorf("%s: %v", address, err)
			}
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for name, c := range map[string]Config{
		"no address":           {URLs: []string{"planted"}},
		"a service of nobody":  {URLs: []string{"planted://planted"}},
		"a broken address":     {URLs: []string{"slack://planted:%zz@x"}},
		"a webhook by mail":    {Webhook: "smtp://planted"},
		"a relative webhook":   {Webhook: "/planted"},
		"a webhook of nowhere": {Webhook: "https:///planted"},
	} {
		if n, err := New(c); err == nil || strings.Contains(err.Error(), "planted") || n != nil {
			t.Errorf("%s: got %v, %v", name, n, err)
		}
	}
}

// stub is a target that misbehaves.
type stub struct {
	sent atomic.Int32
	act  func(ctx context.Context) error
}

func (s *stub) id() string   { return fmt.Sprintf("%p", s) }
func (s *stub) name() string { return "stub" }

func (s *stub) send(ctx context.Context, _ Event) error {
	s.sent.Add(1)
	return s.act(ctx)
}

func TestNoTargetHarmsTheOthers(t *testing.T) {
	for name, act := range map[string]func(ctx context.Context) error{
		"a panic":        func(context.Context) error { panic("planted") },
		"a hang":         func(ctx context.Context) error { <-ctx.Done(); <-time.After(time.Hour); return nil },
		"an error":       func(context.Context) error { return errors.New("broken") },
		"a late success": func(ctx context.Context) error { <-time.After(9 * time.Second); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				good := &stub{act: func(context.Context) error { return nil }}
				n := begin(Config{Log: slog.New(slog.NewTextHandler(&log, nil))}, []target{&stub{act: act}, good})
				start := time.Now()
				for i := range 3 {
					n.Send(numbered(i))
				}
				synctest.Wait()
				if good.sent.Load() != 3 {
					t.Errorf("%d of 3 sent at once", good.sent.Load())
				}
				if time.Since(start) != 0 {
					t.Error("Send waited")
				}
				n.Close(t.Context()) // the tries of the three run side by side
				took := time.Since(start)
				<-time.After(2 * time.Hour) // what hangs ends
				if good.sent.Load() != 3 || took > KeepFor+longestWait || strings.Contains(log.String(), "planted") {
					t.Errorf("%d of 3 sent in %v, log: %s", good.sent.Load(), took, log.String())
				}
			})
		})
	}
}

func TestCloseGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := &stub{act: func(ctx context.Context) error { <-ctx.Done(); return errors.New("down") }}
		lost := 0
		n := begin(Config{Log: slog.New(slog.DiscardHandler), Lost: func() { lost++ }}, []target{down})
		for i := range 3 * queued { // more than fit the outbox: Send must not wait
			n.Send(numbered(i))
		}
		if lost != 2*queued {
			t.Errorf("%d lost, want %d", lost, 2*queued)
		}
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		n.Close(ctx)
		if took := time.Since(start); took > 3*time.Second || lost != 3*queued {
			t.Errorf("closed after %v, %d lost", took, lost)
		}
	})
}

func TestOnlyWantedKindsAreSent(t *testing.T) {
	server, got := receiver(t)
	quiet, loud := event(), numbered(1)
	quiet.Kinds, loud.Kinds = []Kind{Partial}, []Kind{Credits, Partial}
	deliverAll(t, Config{Webhook: server.URL, On: []Kind{Failed, Credits}}, quiet, loud)
	if len(got.bodies) != 1 || !strings.Contains(got.bodies[0], `"credits"`) {
		t.Errorf("got %q", got.bodies)
	}
}
