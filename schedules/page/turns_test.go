package page

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/schedules/listen/times"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// crowd sends requests from many addresses to one handler, and counts the answers by their status.
type crowd struct {
	handler  http.Handler
	mu       sync.Mutex
	statuses map[int]int
}

// asks sends a request and does not wait for its answer.
func (c *crowd) asks(address, path string) {
	go func() {
		status := c.status(address, path)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.statuses[status]++
	}()
}

func (c *crowd) status(address, path string) int {
	r, w := httptest.NewRequest("GET", path, nil), httptest.NewRecorder()
	r.Host, r.RemoteAddr = "fleet.example", address+":1"
	r.SetBasicAuth("anybody", "secret")
	c.handler.ServeHTTP(w, r)
	return w.Code
}

// expect waits until nothing happens any more, and compares how many answers there are of each status.
func (c *crowd) expect(t *testing.T, ok, refused int) {
	t.Helper()
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.statuses[http.StatusOK] != ok || c.statuses[http.StatusServiceUnavailable] != refused || len(c.statuses) > 2 {
		t.Errorf("answers by status: %v, expected %d good ones and %d refused", c.statuses, ok, refused)
	}
}

// newCrowd is a crowd before a page whose statements, metrics and probes do not end until the returned channel is
// closed.
func newCrowd(t *testing.T) (c *crowd, hang chan struct{}) {
	hang = make(chan struct{})
	h, err := New(Config{Dir: t.TempDir(), Token: "secret", Hosts: []string{"fleet.example"},
		Ask:     func(context.Context, string, func(worker.Progress)) (Table, error) { <-hang; return Table{}, nil },
		Metrics: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }),
		Ready:   func() error { <-hang; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return &crowd{handler: h, statuses: map[int]int{}}, hang
}

// TestAFloodLeavesPlacesToOthers: one client has a part of the requests that run and wait, and is refused what is
// beyond; another one is answered, and monitors are, whatever address they come from.
func TestAFloodLeavesPlacesToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, hang := newCrowd(t)
		const part = requestsAtOnce/2 + requestsWaiting/2
		for range part + 10 {
			c.asks("10.0.0.1", "/ask?sql=FROM+vessels")
		}
		c.expect(t, 0, 10)
		for _, address := range []string{"10.0.0.1", "10.0.0.2"} {
			if got := c.status(address, "/healthz"); got != http.StatusOK {
				t.Errorf("a monitor at %s: status %d", address, got)
			}
		}
		if got := c.status("10.0.0.2", "/icon.svg"); got != http.StatusOK {
			t.Errorf("another client: status %d", got)
		}
		close(hang)
		c.expect(t, part, 10)
	})
}

// TestEachKindOfRequestIsBounded for one client: whatever hangs, so many of its connections are held.
func TestEachKindOfRequestIsBounded(t *testing.T) {
	for path, most := range map[string]int{
		"/ask?sql=FROM+vessels": (requestsAtOnce + requestsWaiting) / 2,
		"/metrics":              (scrapesAtOnce + scrapesWaiting) / 2,
		"/readyz":               (probesAtOnce + probesWaiting) / 2,
	} {
		t.Run(path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, hang := newCrowd(t)
				for range most + 5 {
					c.asks("10.0.0.1", path)
				}
				c.expect(t, 0, 5)
				c.asks("10.0.0.2", path)
				c.expect(t, 0, 5)
				close(hang)
				c.expect(t, most+1, 5)
			})
		})
	}
}

// TestWhoWaitsTooLongIsRefused: the requests that hang keep their places.
func TestWhoWaitsTooLongIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, hang := newCrowd(t)
		for range requestsAtOnce/2 + 3 {
			c.asks("10.0.0.1", "/ask?sql=FROM+vessels")
		}
		c.expect(t, 0, 0)
		time.Sleep(times.Of(time.Minute).Request)
		c.expect(t, 0, 3)
		close(hang)
		c.expect(t, requestsAtOnce/2, 3)
	})
}
