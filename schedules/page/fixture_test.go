package page

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
)

const plantedKey = "planted-key-7c1d"

// morning is the time at which the tests request pages: after the third night.
var morning = time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)

// nightly is the job of the tests.
var nightly = plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "country"},
	Sweep:  plan.Sweep{Statuses: []string{"moored", "at-anchor", "aground"}, Zones: api.Zones},
	Lookup: plan.Lookup{Want: []string{"particulars"}, MaxRequests: 50}}

// harvested harvests three nights of a simulated fleet once for all tests, and gives each test a copy.
func harvested(t *testing.T) string {
	t.Helper()
	source, err := threeNights()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, part := range []string{"warehouse", "journal"} {
		if err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(source, part))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var threeNights = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "fleetlake-page-")
	if err != nil {
		return "", err
	}
	limits := map[string]int{}
	for _, o := range api.Operations {
		limits[o.Name] = -1
	}
	first := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	sim, err := simulator.New(simulator.Config{Vessels: 1500, Seed: 3, Start: first, Key: plantedKey, Credits: 1_000_000, Limits: limits})
	if err != nil {
		return "", err
	}
	server := httptest.NewServer(sim)
	defer server.Close()
	fast := map[string]int{}
	for name := range limits {
		fast[name] = 1_000_000
	}
	for day := range 3 {
		sim.SetDay(day)
		offset := time.Since(first.AddDate(0, 0, day).Add(2 * time.Hour))
		now := func() time.Time { return time.Now().Add(-offset) }
		p := &pipeline.Pipeline{Dir: dir, Now: now, Service: extract.Service{BaseURL: server.URL + simulator.BasePath, Key: plantedKey, Limits: fast, MaxInFlight: 8, Now: now}}
		if _, err := p.Run(context.Background(), nightly, ""); err != nil {
			return "", err
		}
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	code := pipelinetest.Run(m)
	if dir, err := threeNights(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// client sends requests to one handler over a real connection.
type client struct {
	t    *testing.T
	base string
}

// open serves a page of a configuration. Its clock stands still in the morning.
func open(t *testing.T, c Config) client {
	t.Helper()
	c.Now = func() time.Time { return morning }
	h, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return client{t, server.URL}
}

// ask sends a request as a browser would and returns status and body.
func (c client) ask(method, path string, change func(*http.Request)) (int, http.Header, string) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	w, err := stay.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer w.Body.Close()
	b, err := io.ReadAll(w.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return w.StatusCode, w.Header, string(b)
}

// get returns the body of a page that must exist.
func (c client) get(path string) string {
	c.t.Helper()
	status, _, body := c.ask("GET", path, nil)
	if status != http.StatusOK {
		c.t.Fatalf("GET %s: %d\n%s", path, status, body)
	}
	return body
}

// form returns the token of the page's forms.
func (c client) form() string {
	c.t.Helper()
	_, after, ok := strings.Cut(c.get("/"), `name="form" value="`)
	if !ok {
		c.t.Fatal("the page has no form")
	}
	token, _, _ := strings.Cut(after, `"`)
	return token
}

// numbers queries the warehouse itself.
func numbers(t *testing.T, dir, sql string) []int {
	t.Helper()
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	rows, err := w.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []int
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		for i := range row {
			all = append(all, record(row).number(i))
		}
	}
	return all
}

func schedule() (Schedule, error) { return Schedule{Slots: slots()}, nil }

// slots is a schedule with one slot to come and one that was missed before the last run.
func slots() []SlotView {
	return []SlotView{
		{Job: "nightly", Date: "2026-11-23", At: morning.Add(18 * time.Hour), State: "next"},
		{Job: "nightly", Date: "2026-11-19", At: morning.Add(-78 * time.Hour), State: "missed", Reason: "no process was waiting"},
	}
}
