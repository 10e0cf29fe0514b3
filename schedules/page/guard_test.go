package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/warehouse/turns"
	"github.com/fleetlake/fleetlake/warehouse/worker"
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
	c := open(t, Config{Dir: t.TempDir(), Schedule: schedule, RunNow: func(job string, _ bool) error { started = job; return nil }, Stop: func() error { started = "stop"; return nil }})
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
	c := open(t, Config{Dir: t.TempDir(), Schedule: schedule,
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
	c := open(t, Config{Dir: t.TempDir(), Token: "secret", TrustLoopback: true, Hosts: []string{"fleet.example"}, Schedule: schedule, RunNow: func(string, bool) error { return nil }})
	form := c.form()
	bearer := func(r *http.Request) { r.Header.Set("Authorization", "Bearer secret") }
	password := func(r *http.Request) { r.SetBasicAuth("anybody", "secret") }
	wrong := func(r *http.Request) { r.SetBasicAuth("secret", "Secret") }
	for what, test := range map[string]struct {
		method, host string
		auth         func(*http.Request)
		want         int
	}{
		"reading on trusted loopback is free":    {"GET", "", nil, 200},
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
	c := open(t, Config{Dir: t.TempDir(), Token: token, TrustLoopback: true, Hosts: []string{"fleet.example"}, Share: share})
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
		c := open(t, Config{Dir: t.TempDir(), Token: token, TrustLoopback: true, Schedule: schedule, RunNow: func(string, bool) error { return nil }})
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

// TestAProxyThatSaysNothingIsNotTrusted: with a token configured, a proxy of this machine that adds no header, as nginx
// does without further words, makes nobody local.
func TestAProxyThatSaysNothingIsNotTrusted(t *testing.T) {
	c := open(t, Config{Dir: t.TempDir(), Token: "secret", Ready: func() error { return errors.New("the newest run failed") }, Metrics: http.NotFoundHandler()})
	for _, path := range []string{"/", "/metrics", "/ask?sql=SELECT+1", "/list/vessels"} {
		if status, _, _ := c.ask("GET", path, nil); status != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d", path, status)
		}
		if status, _, _ := c.ask("GET", path, func(r *http.Request) { r.Header.Set("Authorization", "Bearer secret") }); status == http.StatusUnauthorized {
			t.Errorf("%s with the token: %d", path, status)
		}
	}
	if status, _, text := c.ask("GET", "/readyz", nil); status != http.StatusServiceUnavailable || strings.Contains(text, "newest run") {
		t.Errorf("a probe: %d %s", status, text)
	}
}

// TestWhoAsksThroughAProxy: only a trusted proxy says who asks, and only the last address that is not its own counts.
func TestWhoAsksThroughAProxy(t *testing.T) {
	s := &site{Config: Config{Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.1.0.0/16")}}}
	for name, c := range map[string]struct{ from, forwarded, want string }{
		"a client":                               {"203.0.113.9:4711", "", "203.0.113.9"},
		"a client that says it is another":       {"203.0.113.9:4711", "198.51.100.1", "203.0.113.9"},
		"a client of the proxy":                  {"127.0.0.1:4711", "203.0.113.9", "203.0.113.9"},
		"one that wrote an address before":       {"127.0.0.1:4711", "198.51.100.1, 203.0.113.9", "203.0.113.9"},
		"a client behind two proxies":            {"127.0.0.1:4711", "203.0.113.9, 10.1.2.3", "203.0.113.9"},
		"what is no address":                     {"127.0.0.1:4711", "203.0.113.9, unknown", "127.0.0.1"},
		"a proxy that says nothing":              {"127.0.0.1:4711", "", "127.0.0.1"},
		"an address of both kinds":               {"[::ffff:127.0.0.1]:4711", "::ffff:203.0.113.9", "203.0.113.9"},
		"a connection without an address at all": {"", "203.0.113.9", ""},
	} {
		r := &http.Request{RemoteAddr: c.from, Header: http.Header{}}
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := s.remote(r); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestAStatementIsRunForItsClient: by the address that a trusted proxy says, of IPv6 the network.
func TestAStatementIsRunForItsClient(t *testing.T) {
	var clients []string
	c := open(t, Config{Dir: t.TempDir(), Token: "secret", Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		Ask: func(ctx context.Context, _ string, _ func(worker.Progress)) (Table, error) {
			clients = append(clients, turns.Client(ctx))
			return Table{}, nil
		}})
	for _, address := range []string{"203.0.113.9", "2001:db8::7", "2001:db8::8", ""} {
		status, _, _ := c.ask("GET", "/ask?sql=SELECT+1", func(r *http.Request) {
			r.SetBasicAuth("anna", "secret")
			if address != "" {
				r.Header.Set("X-Forwarded-For", address)
			}
		})
		if status != http.StatusOK {
			t.Errorf("%q: %d", address, status)
		}
	}
	if want := []string{"203.0.113.9", "2001:db8::/64", "2001:db8::/64", "127.0.0.1"}; !slices.Equal(clients, want) {
		t.Errorf("the clients are %q, want %q", clients, want)
	}
}

// TestAFloodOfOneClientDelaysNoOtherPage: the pages of one client that read the published file leave room for another's.
func TestAFloodOfOneClientDelaysNoOtherPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := New(Config{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		flood, end := context.WithCancel(turns.For(t.Context(), "192.0.2.1"))
		defer end()
		for range 50 {
			go h.site.looks.Take(flood, -1)
		}
		synctest.Wait()
		began := time.Now()
		leave, err := h.site.looks.Take(turns.For(t.Context(), "192.0.2.2"), -1)
		if err != nil || time.Since(began) != 0 {
			t.Fatalf("%v after %v", err, time.Since(began))
		}
		leave()
		if taken, waiting := h.site.looks.Counts(); taken != 1 || waiting != 49 {
			t.Errorf("%d pages of the flood read and %d wait", taken, waiting)
		}
	})
}

// TestAPageElsewhereRunsNoStatement in the browser of an analyst who has given it the token: the form has the statement,
// and the analyst has to run it.
func TestAPageElsewhereRunsNoStatement(t *testing.T) {
	ran := 0
	c := open(t, Config{Dir: t.TempDir(), Ask: func(context.Context, string, func(worker.Progress)) (Table, error) { ran++; return Table{}, nil },
		AskFile: func(context.Context, string, string, io.Writer) error {
			ran++
			return errors.New("none")
		}})
	browser := func(headers ...string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64)")
			for i := 0; i < len(headers); i += 2 {
				r.Header.Set(headers[i], headers[i+1])
			}
			if r.Method == "POST" {
				q := url.Values{"sql": {"SELECT 42"}}.Encode()
				r.Body, r.ContentLength = body(q), int64(len(q))
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			}
		}
	}
	for name, q := range map[string]struct {
		method string
		change func(*http.Request)
		status int
		runs   bool
	}{
		"a link elsewhere":                          {"GET", browser("Sec-Fetch-Site", "cross-site"), 200, false},
		"a page under another name of this machine": {"GET", browser("Sec-Fetch-Site", "same-site"), 200, false},
		"an image elsewhere without a trusted line": {"GET", browser(), 200, false},
		"a link elsewhere that names itself":        {"GET", browser("Referer", "http://evil.example/"), 200, false},
		"a form elsewhere":                          {"POST", browser("Sec-Fetch-Site", "cross-site"), 403, false},
		"a form elsewhere without a trusted line":   {"POST", browser("Origin", "http://evil.example"), 403, false},
		"a link of this page":                       {"GET", browser("Sec-Fetch-Site", "same-origin"), 200, true},
		"a link of this page without a trusted one": {"GET", browser("Referer", c.base+"/ask"), 200, true},
		"an address that a person typed":            {"GET", browser("Sec-Fetch-Site", "none"), 200, true},
		"the form of this page":                     {"POST", browser("Sec-Fetch-Site", "same-origin"), 200, true},
		"the form without a trusted line":           {"POST", browser("Origin", c.base), 200, true},
		"a program":                                 {"GET", nil, 200, true},
	} {
		ran = 0
		path := map[string]string{"GET": "/ask?sql=SELECT+42", "POST": "/ask"}[q.method]
		status, _, text := c.ask(q.method, path, q.change)
		if status != q.status || (ran == 1) != q.runs || (status == 200 && !q.runs) != strings.Contains(text, "A link of another page brought this statement") {
			t.Errorf("%s: %d, ran %d times", name, status, ran)
		}
		if !q.runs && q.method == "GET" {
			if c.ask("GET", path+"&format=csv", q.change); ran != 0 {
				t.Errorf("%s: a file is made", name)
			}
		}
	}
}

// TestWrongTokensMeetALimit gives one wrong token too many: it is logged, and for a minute no other wrong one is looked
// at. The right one is always accepted, since there may be many people behind one address.
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
	if got := ask("another guess"); got != http.StatusTooManyRequests {
		t.Errorf("the next: %d", got)
	}
	if got := ask("secret"); got != http.StatusOK {
		t.Errorf("the right one: %d", got)
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
	c := open(t, Config{Dir: t.TempDir(), Token: "secret", TrustLoopback: true, Ready: func() error { return errors.New("the newest run of nightly failed") }})
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
	c := open(t, Config{Dir: t.TempDir(), Metrics: http.NotFoundHandler(), Healthy: func() error { return errors.New("no") },
		Ask: func(context.Context, string, func(worker.Progress)) (Table, error) { return Table{}, nil }})
	for _, path := range append(slices.Clone(paths), askPath, askScript) {
		_, h, _ := c.ask("GET", path, nil)
		for name, want := range map[string]string{"Content-Security-Policy": "default-src 'none';", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "SAMEORIGIN",
			"Referrer-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin"} {
			if !strings.HasPrefix(h.Get(name), want) {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
		if csp := h.Get("Content-Security-Policy"); strings.Contains(csp, "unsafe") || strings.Contains(csp, "script-src") != (path == askPath || path == "/live") || strings.Contains(csp, "*") {
			t.Errorf("%s: policy %q", path, csp)
		}
		if h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s is readable from elsewhere", path)
		}
	}
}
