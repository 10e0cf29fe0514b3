package share

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/warehouse/turns"
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
	dir, first := pipelinetest.Night(t)
	return &lake{t, dir, first}
}

// version is where the version of a run is kept.
func (l *lake) version(run string) string {
	return filepath.Join(l.dir, "warehouse", "versions", run+".duckdb")
}

func TestMain(m *testing.M) { os.Exit(pipelinetest.Run(m)) }

// publish publishes a night of November 2026 and returns its run.
func (l *lake) publish(day int) string {
	l.t.Helper()
	return pipelinetest.Publish(l.t, l.dir, day)
}

// reader is a client of the handler.
type reader struct {
	t   *testing.T
	url string
}

func serve(t *testing.T, s *sharer) reader {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.handler().ServeHTTP(w, r.WithContext(turns.For(r.Context(), r.Header.Get("X-Client")))) // as the page does
	}))
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
