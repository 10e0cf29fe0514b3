package page

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/schedules/listen/times"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// slowQuestion is a page whose statement waits for its turn behind two others, runs and answers, each for some time.
func slowQuestion(t *testing.T, answers error) (h *Handler, asked *int, left *bool) {
	t.Helper()
	asked, left = new(int), new(bool)
	h, err := New(Config{Dir: t.TempDir(), Ask: func(ctx context.Context, _ string, tell func(worker.Progress)) (Table, error) {
		*asked++
		for _, p := range []worker.Progress{{Before: 2}, {Before: 0}, {Running: true}} {
			tell(p)
			select {
			case <-time.After(20 * time.Second):
			case <-ctx.Done():
				*left = true
				return Table{}, ctx.Err()
			}
		}
		answer := "42"
		return Table{Columns: []TableColumn{{Name: "n", Number: true}}, Rows: [][]*string{{&answer}}, Total: 1}, answers
	}})
	if err != nil {
		t.Fatal(err)
	}
	return h, asked, left
}

// askedBy is a request as a browser or a program sends it.
func askedBy(ctx context.Context, accept string) *http.Request {
	r := httptest.NewRequestWithContext(ctx, "GET", "/ask?sql=FROM+vessels", nil)
	r.Host = "localhost"
	r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, loopback{}))
	r.Header.Set("Accept", accept)
	return r
}

// loopback is the address at which the requests of askedBy arrive.
type loopback struct{}

func (loopback) Network() string { return "tcp" }
func (loopback) String() string  { return "127.0.0.1:80" }

// TestASlowStatementSaysThatItGoesOn to a browser: its place, that it runs, and then the answer, for which it ran once.
func TestASlowStatementSaysThatItGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, asked, _ := slowQuestion(t, nil)
		defer h.Close()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, askedBy(t.Context(), "text/html,*/*"))
		rest := strings.ReplaceAll(w.Body.String(), "\u00a0", " ")
		for _, want := range []string{"<!doctype html>", "has waited 1 s for its turn, of at most 30 s. Before it: 2 statements.",
			"has waited 16 s", "has waited 20 s for its turn, of at most 30 s. It is the next.",
			"has run for 40 s, of at most 1 min 00 s.", "has run for 56 s", "1 row in 1 min 00 s", ">42<", "</html>"} {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("no %q in\n%s", want, rest)
			}
			rest = after
		}
		if *asked != 1 || w.Code != http.StatusOK || !w.Flushed {
			t.Errorf("asked %d times, status %d, flushed: %v", *asked, w.Code, w.Flushed)
		}
	})
}

// TestWhoLeavesEndsTheStatement, at whatever it is.
func TestWhoLeavesEndsTheStatement(t *testing.T) {
	for name, after := range map[string]time.Duration{"before the page begins": time.Second / 2, "while it waits": 5 * time.Second, "while it runs": 45 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			h, _, left := slowQuestion(t, nil)
			defer h.Close()
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			began := time.Now()
			h.ServeHTTP(httptest.NewRecorder(), askedBy(ctx, "text/html"))
			if !*left || time.Since(began) != after {
				t.Errorf("%s: ended %v after %v", name, *left, time.Since(began))
			}
		})
	}
}

// TestAProgramGetsTheStatusOfASlowStatement, as there is nothing of the page before there is an answer.
func TestAProgramGetsTheStatusOfASlowStatement(t *testing.T) {
	for name, test := range map[string]struct {
		answers error
		status  int
	}{
		"an answer": {nil, http.StatusOK},
		"a refusal": {errors.New("planted"), http.StatusBadRequest},
		"no turn":   {worker.ErrBusy, http.StatusServiceUnavailable},
	} {
		synctest.Test(t, func(t *testing.T) {
			h, _, _ := slowQuestion(t, test.answers)
			defer h.Close()
			w := httptest.NewRecorder()
			h.ServeHTTP(w, askedBy(t.Context(), "*/*"))
			if w.Code != test.status || strings.Contains(w.Body.String(), "has run for") || (w.Header().Get("Retry-After") != "") != (test.answers == worker.ErrBusy) {
				t.Errorf("%s: status %d, %v", name, w.Code, w.Header())
			}
		})
	}
}

// TestAStatementRunsOnlyForAPerson who opens the page: not for a browser that fetches it ahead, nor for one that asks for
// its head, nor after it was cancelled.
func TestAStatementRunsOnlyForAPerson(t *testing.T) {
	h, asked, _ := slowQuestion(t, nil)
	defer h.Close()
	for name, test := range map[string]struct {
		method, query, purpose string
		status                 int
	}{
		"ahead":     {"GET", "", "prefetch;prerender", http.StatusServiceUnavailable},
		"a head":    {"HEAD", "", "", http.StatusOK},
		"cancelled": {"GET", "&edit=1", "", http.StatusOK},
	} {
		r := askedBy(t.Context(), "text/html")
		r.Method, r.URL.RawQuery = test.method, r.URL.RawQuery+test.query
		r.Header.Set("Sec-Purpose", test.purpose)
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != test.status || *asked != 0 {
			t.Errorf("%s: status %d, asked %d times", name, w.Code, *asked)
		}
	}
}

// TestAResponseHasItsTimeFromItsFirstByte, however long it took to make, and a page that says that it goes on from each.
func TestAResponseHasItsTimeFromItsFirstByte(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _, _ := slowQuestion(t, nil)
		defer h.Close()
		for _, accept := range []string{"*/*", "text/html"} {
			w := &slowWriter{ResponseRecorder: httptest.NewRecorder()}
			h.ServeHTTP(w, askedBy(t.Context(), accept))
			if left := time.Until(w.deadline); left != times.Of(time.Minute).Page {
				t.Errorf("%s: the client has %v for the rest", accept, left)
			}
		}
	})
}
