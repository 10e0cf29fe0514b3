package page

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/schedules/page/pagetest"
)

const plantedKey = pagetest.Key

// morning is the time at which the tests request pages: after the third night.
var morning = pagetest.Morning

// harvested is the fixture of the package pagetest.
func harvested(t *testing.T) string { return pagetest.Harvested(t) }

// texts and numbers query the warehouse itself.
func texts(t *testing.T, dir, sql string) []string { return pagetest.Texts(t, dir, sql) }
func numbers(t *testing.T, dir, sql string) []int  { return pagetest.Numbers(t, dir, sql) }

func TestMain(m *testing.M) { os.Exit(pipelinetest.Run(m)) }

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

func schedule() (Schedule, error) { return Schedule{Slots: slots()}, nil }

// slots is a schedule with one slot to come and one that was missed before the last run.
func slots() []SlotView {
	return []SlotView{
		{Job: "nightly", Date: "2026-11-23", At: morning.Add(18 * time.Hour), State: "next"},
		{Job: "nightly", Date: "2026-11-19", At: morning.Add(-78 * time.Hour), State: "missed", Reason: "no process was waiting"},
	}
}
