package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The accepted values, copied from the interface text.
var (
	//go:embed testdata/interface/countries.txt
	interfaceCountries string
	//go:embed testdata/interface/types.txt
	interfaceTypes string
	//go:embed testdata/interface/zones.txt
	interfaceZones string
)

// interfaceStatuses says of each navigational status whether its search needs a zone.
var interfaceStatuses = map[string]bool{
	"under-way": true, "at-anchor": true, "drifting": false, "restricted": true, "constrained": false,
	"moored": true, "aground": false, "fishing": true, "sailing": true,
}

// prices and perMinute are what one request of an operation costs at most, and how many are
// allowed in a minute. The path names the operation.
var (
	prices = map[string]int{"/get-vessels-by-navigational-status": 10, "/vessels-by-types-and-countries": 10,
		"/get-vessel-info": 5, "/get-vessel-particulars": 1, "/get-vessel-location": 1, "/my-credits": 0}
	perMinute = map[string]int{"/get-vessels-by-navigational-status": 15, "/vessels-by-types-and-countries": 50,
		"/get-vessel-info": 15, "/get-vessel-particulars": 50, "/my-credits": 50}
)

// Paths of the operations that the tests ask about.
const (
	statusSearch = "/get-vessels-by-navigational-status"
	typeSearch   = "/vessels-by-types-and-countries"
	particulars  = "/get-vessel-particulars"
	creditsCall  = "/my-credits"
)

// double serves the interface text a second time. It shares no code with the program or with
// the simulator, so that what one of them misreads does not go unseen. It keeps a separate
// ledger of requests, answers and charges.
type double struct {
	key    string
	fleet  []hull
	limits map[string]int // requests a minute by path; none is no limit
	fault  func(call) fault

	mu      sync.Mutex
	server  *http.Server
	address string
	balance int
	log     []event
}

// event is a request as the double saw it.
type event struct {
	at          time.Time
	path, asked string
	probe       bool
	status      int // 0 when a fault spoke on the connection itself
	billed      int
	honest      bool // the answer left as the interface text has it
}

// call is a request before it is answered. Counts begin at 1.
type call struct {
	path, asked string
	n, nth      int  // of all requests, and of those of this path that ask for accepted values
	probe       bool // it sends a value that is not accepted, to get the list of accepted ones
	since       time.Duration
}

// fault is how the double misbehaves. The zero fault is an honest answer.
type fault struct {
	billed bool                       // a changed answer is billed nevertheless
	change func(a *answer)            // changes the answer
	speak  func(c net.Conn, a answer) // takes the connection; it is closed afterwards
	before func()                     // happens before the answer, which stays honest
}

// answer is what goes out.
type answer struct {
	status  int
	header  http.Header
	body    []byte
	credits int
}

// newDouble serves a fleet until the test ends.
func newDouble(t testing.TB, fleet []hull) *double {
	t.Helper()
	notShort(t)
	d := &double{key: canary, fleet: fleet, balance: 1_000_000, address: "127.0.0.1:0"}
	d.up(t)
	t.Cleanup(d.down)
	return d
}

// up listens again, at the address that it had.
func (d *double) up(t testing.TB) {
	l, err := net.Listen("tcp", d.address)
	if err != nil {
		t.Error(err)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.address = l.Addr().String()
	d.server = &http.Server{Handler: d}
	go d.server.Serve(l)
}

// down closes the listener and every connection: from now on connections are refused.
func (d *double) down() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.server.Close()
}

func (d *double) base() string { return "http://" + d.address + "/api/vessels_operations" }

// events returns the log so far.
func (d *double) events() []event {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.log)
}

func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/api/vessels_operations")
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	a, f := d.decide(path, r, body)
	if f.before != nil {
		f.before()
	}
	if f.speak != nil {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		f.speak(c, a)
		return
	}
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	w.Write(a.body)
}

// decide answers a request, bills it and writes it into the log.
func (d *double) decide(path string, r *http.Request, body []byte) (answer, fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, asked := time.Now(), askedFor(r, body)
	a := d.honest(now, path, r, body)
	var f fault
	if d.fault != nil {
		c := call{path: path, asked: asked, n: len(d.log) + 1, nth: 1, probe: a.status == 422}
		for _, e := range d.log {
			if e.path == path && !e.probe {
				c.nth++
			}
		}
		if len(d.log) > 0 {
			c.since = now.Sub(d.log[0].at)
		}
		f = d.fault(c)
	}
	e := event{at: now, path: path, asked: asked, probe: a.status == 422, honest: f.change == nil && f.speak == nil}
	if f.change != nil {
		f.change(&a)
	}
	if e.honest || f.billed {
		e.billed = a.credits
		d.balance -= a.credits
	}
	if f.speak == nil {
		e.status = a.status
	}
	d.log = append(d.log, e)
	return a, f
}

// askedFor is a request in words that do not depend on the order of its parameters.
func askedFor(r *http.Request, body []byte) string {
	var sent map[string]string
	if json.Unmarshal(body, &sent) == nil {
		var words []string
		for _, k := range slices.Sorted(maps.Keys(sent)) {
			words = append(words, k+"="+sent[k])
		}
		return strings.Join(words, "&")
	}
	q := r.URL.Query()
	if q.Get("page") == "1" {
		q.Del("page")
	}
	return q.Encode()
}

// honest is the answer of the interface text.
func (d *double) honest(now time.Time, path string, r *http.Request, body []byte) answer {
	price, known := prices[path]
	switch {
	case !known:
		return refusal(404, "Not Found", path)
	case r.Header.Get("x-api-key") != d.key:
		return refusal(401, "Unauthorized", "Invalid or missing API key")
	case d.over(now, path):
		if path == typeSearch {
			return plainDetail(429, "Too Many Requests")
		}
		return refusal(429, "Too Many Requests", "Rate limit exceeded")
	}
	a := d.data(path, r, body)
	if a.credits = min(a.credits, price); a.credits > d.balance {
		const words = "Your credits are insufficient or the endpoint is blacklisted"
		if path == typeSearch {
			return plainDetail(400, words)
		}
		return refusal(400, "Bad Request", words)
	}
	return a
}

// over reports whether one more request would be too many, for a window that moves and for
// one that begins with each minute of the clock.
func (d *double) over(now time.Time, path string) bool {
	limit, limited := d.limits[path]
	if !limited {
		return false
	}
	moving, fixed := 0, 0
	for _, e := range d.log {
		if e.path != path {
			continue
		}
		if now.Sub(e.at) < time.Minute {
			moving++
		}
		if e.at.Truncate(time.Minute).Equal(now.Truncate(time.Minute)) {
			fixed++
		}
	}
	return max(moving, fixed) >= limit
}

// spent is what was billed from an event on.
func spent(log []event) (credits int) {
	for _, e := range log {
		credits += e.billed
	}
	return credits
}

// answered is how many requests of a path had an honest answer with data, by what they asked.
func answered(log []event, path string) map[string]int {
	times := map[string]int{}
	for _, e := range log {
		if e.path == path && e.honest && e.status == http.StatusOK {
			times[e.asked]++
		}
	}
	return times
}

// paidTwice lists what was billed more than once.
func paidTwice(log []event) []string {
	times, twice := map[string]int{}, []string{}
	for _, e := range log {
		if e.billed > 0 {
			if times[e.path+" "+e.asked]++; times[e.path+" "+e.asked] == 2 {
				twice = append(twice, fmt.Sprintf("%s %s", e.path, e.asked))
			}
		}
	}
	return twice
}
