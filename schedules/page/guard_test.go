package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/google/go-cmp/cmp"
)

// paths are all paths that the page serves.
var paths = []string{"/", "/live", "/runs/20261120T020000.000Z-7f3a", "/runs/20261120T020000.000Z-7f3a/file", "/style.css", "/icon.svg", "/healthz", "/readyz", "/metrics", "/nowhere"}

func TestForeignHostsAreRefused(t *testing.T) {
	c := open(t, Config{Dir: t.TempDir(), Token: "secret", Hosts: []string{"Fleet.Example:8080"}, Metrics: http.NotFoundHandler()})
	for _, host := range []string{"evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.1.nip.io", "evil-localhost", "localhosts",
		"10.0.0.1", "192.168.1.7:8080", "0.0.0.0", "[::]", "[2001:db8::1]:8080", "fleet.example.evil", "notfleet.example", "sub.fleet.example", "128.0.0.1",
		"[::ffff:10.0.0.1]", "169.254.169.254", "xn--lcalhost-b1a", "2130706433", "127.1", "localhost:80:80"} {
		for _, path := range paths {
			status, _, body := c.ask("GET", path, func(r *http.Request) { r.Host = host; r.SetBasicAuth("x", "secret") })
			want := http.StatusMisdirectedRequest
			if path == "/healthz" || path == "/readyz" { // a monitor asks by whatever address it has
				want = http.StatusOK
			}
			if status != want || strings.Contains(body, "<html") {
				t.Errorf("Host %q, %s: %d %s", host, path, status, body)
			}
		}
	}
	for _, host := range []string{"localhost", "LOCALHOST:9", "127.0.0.1", "127.8.9.1:1", "[::1]", "[::1]:8080", "localhost.", "fleet.example", "FLEET.example:1", "fleet.example."} {
		status, _, body := c.ask("GET", "/healthz", func(r *http.Request) { r.Host = host; r.SetBasicAuth("x", "secret") })
		if status != http.StatusOK {
			t.Errorf("Host %q: %d %s", host, status, body)
		}
	}
}

func TestActionsTakeAFormOfTheSameOrigin(t *testing.T) {
	started := ""
	c := open(t, Config{Dir: t.TempDir(), Slots: slots, RunNow: func(job string, _ bool) error { started = job; return nil }, Stop: func() error { started = "stop"; return nil }})
	token := c.form()
	send := func(path, form string, change func(*http.Request)) int {
		t.Helper()
		r := url.Values{"form": {form}, "job": {"nightly"}}.Encode()
		status, _, _ := c.ask("POST", path, func(q *http.Request) {
			q.Body, q.ContentLength = body(r), int64(len(r))
			q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if change != nil {
				change(q)
			}
		})
		return status
	}
	header := func(name, value string) func(*http.Request) {
		return func(q *http.Request) { q.Header.Set(name, value) }
	}
	for _, origin := range []string{"http://evil.example", "https://evil.example", "null", "http://localhost:1", "http://127.0.0.1:1", "http://127.0.0.1", "file://",
		"http://127.0.0.1.evil.example", c.base + ".evil.example", "https" + strings.TrimPrefix(c.base, "http") + "0"} {
		for _, path := range []string{"/run", "/stop"} {
			if got := send(path, token, header("Origin", origin)); got != http.StatusForbidden {
				t.Errorf("Origin %q, %s: %d", origin, path, got)
			}
		}
	}
	for _, site := range []string{"cross-site", "same-site", "", "bogus"} {
		want := http.StatusForbidden
		if site == "" {
			continue
		}
		if got := send("/run", token, header("Sec-Fetch-Site", site)); got != want {
			t.Errorf("Sec-Fetch-Site %q: %d", site, got)
		}
	}
	for what, form := range map[string]string{"no token": "", "another token": "AAAA", "a longer token": token + "A", "a shorter token": token[1:]} {
		if got := send("/run", form, nil); got != http.StatusForbidden {
			t.Errorf("%s: %d", what, got)
		}
	}
	for _, path := range []string{"/run?form=" + token + "&job=nightly", "/stop?form=" + token} {
		if status, _, _ := c.ask("GET", path, nil); status != http.StatusNotFound {
			t.Errorf("GET %s: %d", path, status)
		}
		if got := send(path, "", nil); got != http.StatusForbidden {
			t.Errorf("POST %s with the token in the address: %d", path, got)
		}
	}
	if started != "" {
		t.Fatalf("a refused request did %q", started)
	}
	if got := send("/run", token, header("Origin", c.base)); got != http.StatusSeeOther || started != "nightly" {
		t.Errorf("the page's own form: %d, started %q", got, started)
	}
	if got := send("/stop", token, header("Sec-Fetch-Site", "same-origin")); got != http.StatusSeeOther || started != "stop" {
		t.Errorf("the page's own stop: %d, %q", got, started)
	}
}

// TestTheButtonNamesThePriceOfANightThatHasEnded presses the button of a job whose night has ended,
// of one whose night has not ended, and of one that cannot be priced.
func TestTheButtonNamesThePriceOfANightThatHasEnded(t *testing.T) {
	var started []string
	balance := 9000
	ended := &pipeline.Preview{Job: "nightly", Date: "2026-11-22", Credits: journal.Price{Least: 2000, Expected: 2490, Most: 5000}, Balance: &balance}
	var preview *pipeline.Preview
	var failed error
	c := open(t, Config{Dir: t.TempDir(), Slots: slots,
		RunNow:     func(job string, again bool) error { started = append(started, fmt.Sprint(job, " ", again)); return nil },
		PriceAgain: func(context.Context, string) (*pipeline.Preview, error) { return preview, failed }})
	form := url.Values{"form": {c.form()}, "job": {"nightly"}}
	press := func(want int) string {
		t.Helper()
		status, _, text := c.ask("POST", "/run", func(q *http.Request) {
			text := form.Encode()
			q.Body, q.ContentLength = body(text), int64(len(text))
			q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		})
		if status != want {
			t.Errorf("status %d, want %d", status, want)
		}
		return strings.ReplaceAll(text, "\u00a0", " ")
	}
	press(http.StatusSeeOther) // nothing would be paid for a second time
	preview = ended
	asked := press(http.StatusOK)
	for _, want := range []string{"costs about 2,490 credits, at most 5,000", "The balance is 9,000", "Run again for about 2,490 credits", `name="again" value="yes"`, "2026-11-22"} {
		if !strings.Contains(asked, want) {
			t.Errorf("the question has no %q:\n%s", want, asked)
		}
	}
	preview, failed = nil, errors.New("the warehouse cannot be read")
	if text := press(http.StatusConflict); !strings.Contains(text, "the warehouse cannot be read") {
		t.Errorf("not priced: %s", text)
	}
	form.Set("again", "yes")
	press(http.StatusSeeOther)
	if diff := cmp.Diff([]string{"nightly false", "nightly true"}, started); diff != "" {
		t.Errorf("started (-want +got):\n%s", diff)
	}
}

func TestTokenIsNeeded(t *testing.T) {
	c := open(t, Config{Dir: t.TempDir(), Token: "secret", Hosts: []string{"fleet.example"}, Slots: slots, RunNow: func(string, bool) error { return nil }})
	form := c.form()
	bearer := func(r *http.Request) { r.Header.Set("Authorization", "Bearer secret") }
	password := func(r *http.Request) { r.SetBasicAuth("anybody", "secret") }
	wrong := func(r *http.Request) { r.SetBasicAuth("secret", "Secret") }
	for what, test := range map[string]struct {
		method, host string
		auth         func(*http.Request)
		want         int
	}{
		"reading on loopback is free":            {"GET", "", nil, 200},
		"reading by another name is not":         {"GET", "fleet.example", nil, 401},
		"a wrong token is none":                  {"GET", "fleet.example", wrong, 401},
		"the token as the password":              {"GET", "fleet.example", password, 200},
		"the token as the bearer":                {"GET", "fleet.example", bearer, 200},
		"acting on loopback takes the token":     {"POST", "", nil, 401},
		"acting with it and the form":            {"POST", "", bearer, 303},
		"acting by another name takes the token": {"POST", "fleet.example", nil, 401},
	} {
		path := map[string]string{"GET": "/", "POST": "/run"}[test.method]
		status, h, text := c.ask(test.method, path, func(r *http.Request) {
			if test.host != "" {
				r.Host = test.host
			}
			if test.auth != nil {
				test.auth(r)
			}
			if test.method == "POST" {
				q := url.Values{"form": {form}, "job": {"nightly"}}.Encode()
				r.Body, r.ContentLength = body(q), int64(len(q))
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			}
		})
		if status != test.want || status == 401 && h.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: %d %v, want %d", what, status, h, test.want)
		}
		if strings.Contains(text, "secret") {
			t.Errorf("%s: the token is on the page", what)
		}
	}
}

// TestTheWarehouseTakesTheTokenToo checks that what is offered below /warehouse/ is guarded as the page
// is, and that the page says how DuckDB reads it.
func TestTheWarehouseTakesTheTokenToo(t *testing.T) {
	share := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "the file") })
	const token = "planted-token-of-the-page"
	c := open(t, Config{Dir: t.TempDir(), Token: token, Hosts: []string{"fleet.example"}, Share: share})
	for name, q := range map[string]struct {
		host, authorization string
		status              int
	}{
		"from this machine":               {"localhost", "", http.StatusOK},
		"from elsewhere without a token":  {"fleet.example", "", http.StatusUnauthorized},
		"from elsewhere with a bearer":    {"fleet.example", "Bearer " + token, http.StatusOK},
		"from elsewhere with a wrong one": {"fleet.example", "Bearer another", http.StatusUnauthorized},
		"under a foreign name":            {"evil.example", "Bearer " + token, http.StatusMisdirectedRequest},
	} {
		status, _, body := c.ask("GET", "/warehouse/fleet.duckdb", func(r *http.Request) {
			r.Host = q.host
			if q.authorization != "" {
				r.Header.Set("Authorization", q.authorization)
			}
		})
		if status != q.status || (body == "the file") != (q.status == http.StatusOK) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	if page := c.get("/"); !strings.Contains(page, "ATTACH") || !strings.Contains(page, "BEARER_TOKEN") || strings.Contains(page, token) {
		t.Error("the page does not say how to attach the warehouse with the token, or has the token")
	}
	if page := open(t, Config{Dir: t.TempDir(), Share: share}).get("/"); !strings.Contains(page, "ATTACH") || strings.Contains(page, "BEARER_TOKEN") {
		t.Error("the page of this machine does not say how to attach the warehouse, or wants a token")
	}
	without := open(t, Config{Dir: t.TempDir()})
	if status, _, _ := without.ask("GET", "/warehouse/fleet.duckdb", nil); status != http.StatusNotFound || strings.Contains(without.get("/"), "ATTACH") {
		t.Errorf("a page without the warehouse: %d", status)
	}
}

// TestAProxyOfThisMachineEndsItsTrust has a proxy on the same host that forwards requests of people
// elsewhere to loopback, under a name that it rewrites: they are not local, and need the token.
func TestAProxyOfThisMachineEndsItsTrust(t *testing.T) {
	for token, want := range map[string]int{"": http.StatusForbidden, "secret": http.StatusUnauthorized} {
		c := open(t, Config{Dir: t.TempDir(), Token: token, Slots: slots, RunNow: func(string, bool) error { return nil }})
		form := c.form()
		for _, header := range []string{"", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via"} {
			for _, method := range []string{"GET", "POST"} {
				status, _, _ := c.ask(method, map[string]string{"GET": "/", "POST": "/run"}[method], func(r *http.Request) {
					if header != "" {
						r.Header.Set(header, "203.0.113.9")
					}
					q := url.Values{"form": {form}, "job": {"nightly"}}.Encode()
					r.Body, r.ContentLength = body(q), int64(len(q))
					r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				})
				expected := want
				switch {
				case header == "" && method == "GET":
					expected = http.StatusOK
				case header == "" && token == "":
					expected = http.StatusSeeOther
				}
				if status != expected {
					t.Errorf("token %q, %s with %q: %d, want %d", token, method, header, status, expected)
				}
			}
		}
	}
}

// TestWrongTokensMeetALimit gives one wrong token too many: it is logged, and for a minute not even
// the right one is accepted.
func TestWrongTokensMeetALimit(t *testing.T) {
	var log bytes.Buffer
	c := open(t, Config{Dir: t.TempDir(), Token: "secret", Hosts: []string{"fleet.example"}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	ask := func(token string) int {
		status, _, _ := c.ask("GET", "/icon.svg", func(r *http.Request) {
			r.Host = "fleet.example"
			r.SetBasicAuth("x", token)
		})
		return status
	}
	for i := range maxWrong {
		if got := ask("guess"); got != http.StatusUnauthorized {
			t.Fatalf("wrong token %d: %d", i+1, got)
		}
	}
	if got := ask("secret"); got != http.StatusTooManyRequests {
		t.Errorf("the next, even the right one: %d", got)
	}
	if n := strings.Count(log.String(), "wrong token for the page"); n != 2 || strings.Contains(log.String(), "guess") {
		t.Errorf("%d lines, want the first and the last, without the token:\n%s", n, log.String())
	}
}

// TestTheLimitOfWrongTokensEndsAfterAMinute checks that the limit ends, and that each address has one.
func TestTheLimitOfWrongTokensEndsAfterAMinute(t *testing.T) {
	var seen tokens
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for range maxWrong {
		seen.add("10.0.0.1", start)
	}
	for after, want := range map[time.Duration]time.Duration{0: time.Minute, 59 * time.Second: time.Second, time.Minute: 0} {
		if got := seen.blocked("10.0.0.1", start.Add(after)); got != want {
			t.Errorf("after %v: blocked for %v, want %v", after, got, want)
		}
	}
	if got := seen.blocked("10.0.0.2", start); got != 0 {
		t.Errorf("another address is blocked for %v", got)
	}
	if n := seen.add("10.0.0.1", start.Add(time.Minute)); n != 1 {
		t.Errorf("the count did not start again: %d", n)
	}
}

// TestProbesGiveStrangersNoReason checks the answer to a monitor elsewhere without a token.
func TestProbesGiveStrangersNoReason(t *testing.T) {
	c := open(t, Config{Dir: t.TempDir(), Token: "secret", Ready: func() error { return errors.New("the newest run of nightly failed") }})
	for host, want := range map[string]bool{"": true, "10.0.0.7:8080": false} {
		status, _, text := c.ask("GET", "/readyz", func(r *http.Request) {
			if host != "" {
				r.Host = host
			}
		})
		if status != http.StatusServiceUnavailable || strings.Contains(text, "nightly") != want {
			t.Errorf("as %q: %d %s", host, status, text)
		}
	}
}

func TestHostsBeyondThisMachineNeedAToken(t *testing.T) {
	for what, c := range map[string]Config{
		"a name without a token": {Dir: "x", Hosts: []string{"fleet.example"}},
		"a wildcard":             {Dir: "x", Hosts: []string{"*"}, Token: "t"},
		"an address of a page":   {Dir: "x", Hosts: []string{"http://fleet.example"}, Token: "t"},
		"an empty name":          {Dir: "x", Hosts: []string{""}, Token: "t"},
		"no directory":           {},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
	if _, err := New(Config{Dir: "x", Hosts: []string{"localhost:8080"}}); err != nil {
		t.Errorf("a loopback name: %v", err)
	}
}

func TestEveryAnswerHasTheHeaders(t *testing.T) {
	c := open(t, Config{Dir: t.TempDir(), Metrics: http.NotFoundHandler(), Healthy: func() error { return errors.New("no") }})
	for _, path := range paths {
		_, h, _ := c.ask("GET", path, nil)
		for name, want := range map[string]string{"Content-Security-Policy": "default-src 'none';", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "SAMEORIGIN",
			"Referrer-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin"} {
			if !strings.HasPrefix(h.Get(name), want) {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
		if csp := h.Get("Content-Security-Policy"); strings.Contains(csp, "unsafe") || strings.Contains(csp, "script-src") || strings.Contains(csp, "*") {
			t.Errorf("%s: policy %q", path, csp)
		}
		if h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s is readable from elsewhere", path)
		}
	}
}
