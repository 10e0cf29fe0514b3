package share

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
)

// lake is a data directory into which nights without requests are published.
type lake struct {
	t     *testing.T
	dir   string
	first string // the run of its first night
}

// newLake returns a lake with the night of the 20th, whose harvest all tests share.
func newLake(t *testing.T) *lake {
	t.Helper()
	first, err := firstNight()
	if err != nil {
		t.Fatal(err)
	}
	l := &lake{t, t.TempDir(), first.run}
	if err := os.CopyFS(l.dir, os.DirFS(first.dir)); err != nil {
		t.Fatal(err)
	}
	version := l.version(l.first) // it is the published file under another name
	if err := errors.Join(os.Remove(version), os.Link(warehouse.Path(l.dir), version)); err != nil {
		t.Fatal(err)
	}
	return l
}

// version is where the version of a run is kept.
func (l *lake) version(run string) string {
	return filepath.Join(l.dir, "warehouse", "versions", run+".duckdb")
}

// night is a data directory with one run.
type night struct{ dir, run string }

var firstDir string

var firstNight = sync.OnceValues(func() (night, error) {
	dir, err := os.MkdirTemp("", "fleetlake-share-")
	firstDir = dir
	if err != nil {
		return night{}, err
	}
	run, err := publish(dir, 20)
	return night{dir, run}, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(firstDir) // nothing if no test needed it
	os.Exit(code)
}

// publish publishes a night of November 2026 and returns its run.
func (l *lake) publish(day int) string {
	l.t.Helper()
	run, err := publish(l.dir, day)
	if err != nil {
		l.t.Fatal(err)
	}
	return run
}

func publish(dir string, day int) (run string, err error) {
	const key = "planted-key"
	sim, err := simulator.New(simulator.Config{Vessels: 10, Seed: 1, Start: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Key: key, Credits: 1000})
	if err != nil {
		return "", err
	}
	server := httptest.NewServer(sim)
	defer server.Close()
	limits := map[string]int{}
	for _, o := range api.Operations {
		limits[o.Name] = 1_000_000
	}
	offset := time.Since(time.Date(2026, 11, day, 2, 0, 0, 0, time.UTC))
	now := func() time.Time { return time.Now().Add(-offset) }
	p := pipeline.Pipeline{Dir: dir, Now: now, Service: extract.Service{BaseURL: server.URL + simulator.BasePath, Key: key, Limits: limits, MaxInFlight: 1, Now: now}}
	r, err := p.Run(context.Background(), plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "none"}}, "")
	return r.Run, err
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
