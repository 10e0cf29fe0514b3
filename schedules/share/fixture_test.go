package share

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// lake is a data directory into which nights without requests are published.
type lake struct {
	t   *testing.T
	dir string
	p   pipeline.Pipeline
}

func newLake(t *testing.T) *lake {
	t.Helper()
	const key = "planted-key"
	sim, err := simulator.New(simulator.Config{Vessels: 10, Seed: 1, Start: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Key: key, Credits: 1000})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(sim)
	t.Cleanup(server.Close)
	dir := t.TempDir()
	limits := map[string]int{}
	for _, o := range api.Operations {
		limits[o.Name] = 1_000_000
	}
	return &lake{t, dir, pipeline.Pipeline{Dir: dir, Service: extract.Service{BaseURL: server.URL + simulator.BasePath, Key: key, Limits: limits, MaxInFlight: 1}}}
}

// publish publishes a night of November 2026 and returns its run.
func (l *lake) publish(day int) string {
	l.t.Helper()
	offset := time.Since(time.Date(2026, 11, day, 2, 0, 0, 0, time.UTC))
	l.p.Now = func() time.Time { return time.Now().Add(-offset) }
	l.p.Service.Now = l.p.Now
	r, err := l.p.Run(l.t.Context(), plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "none"}}, "")
	if err != nil {
		l.t.Fatal(err)
	}
	return r.Run
}

// reader is a client of the handler.
type reader struct {
	t   *testing.T
	url string
}

func serve(t *testing.T, s *sharer) reader {
	server := httptest.NewServer(s.handler())
	t.Cleanup(server.Close)
	return reader{t, server.URL}
}

func quiet(dir string) *sharer { return newSharer(dir, slog.New(slog.DiscardHandler)) }

// ask sends a request with headers, given as name and value in turn.
func (r reader) ask(method, name string, headers ...string) (*http.Response, []byte) {
	r.t.Helper()
	q, err := http.NewRequestWithContext(r.t.Context(), method, r.url+Prefix+name, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	for h := range slices.Chunk(headers, 2) {
		q.Header.Set(h[0], h[1])
	}
	w, err := http.DefaultClient.Do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return w, body
}

// current returns current.json.
func (r reader) current() (c current) {
	r.t.Helper()
	w, body := r.ask("GET", "current.json")
	if w.StatusCode != http.StatusOK {
		r.t.Fatalf("current.json: %d %s", w.StatusCode, body)
	}
	if err := json.Unmarshal(body, &c); err != nil {
		r.t.Fatal(err)
	}
	return c
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
