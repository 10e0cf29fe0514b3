package pipeline

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator/memory"
)

// hostileKey is the key of the runs against the hostile service: what is found of it elsewhere was leaked.
const hostileKey = "canary-7f3a91c2d4e85b60"

// ship is a vessel of the hostile service.
type ship struct{ imo, mmsi, name, country, status, zone string }

// ships are the fleet of the hostile service: two pages of Malta, a part of a page of Panama and of
// Cyprus, and none of Tonga.
func ships() []ship {
	fleet := make([]ship, 135)
	for i := range fleet {
		country, digits := "Malta", "215"
		switch {
		case i >= 130:
			country, digits = "Cyprus", "209"
		case i >= 120:
			country, digits = "Panama", "351"
		}
		fleet[i] = ship{imo: imoWithCheck(870_000 + i), mmsi: fmt.Sprintf("%s%06d", digits, i), name: fmt.Sprintf("HOSTILE %d", i), country: country,
			status: "moored", zone: []string{"north-sea", "baltic-sea", "china-coast"}[i%3]}
	}
	return fleet
}

// imoWithCheck appends the check digit: the last digit of the sum of the six others, times 7 to 2.
func imoWithCheck(six int) string {
	sum, text := 0, fmt.Sprintf("%06d", six)
	for i, c := range text {
		sum += int(c-'0') * (7 - i)
	}
	return fmt.Sprintf("%s%d", text, sum%10)
}

// hostile is the service of the interface text over a listener, without a server of HTTP: each connection
// is read and answered by hand. It keeps a ledger of its own.
type hostile struct {
	t     testing.TB
	fleet []ship
	c     hostileCase

	listener net.Listener
	tcp      bool // the listener is a socket of the kernel
	dialled  func(ctx context.Context, network, address string) (net.Conn, error)
	serving  sync.WaitGroup

	mu        sync.Mutex
	open      map[net.Conn]bool
	met       int // connections that were never read
	balance   int
	billed    int
	calls     []*call
	strangers []string // other hosts that were dialled
}

// call is a request, the connection that it came on, and its honest answer.
type call struct {
	net.Conn
	operation, parameters string // in the words of the journal
	values                url.Values
	key                   string
	n, nth                int  // of all requests, and of those of this operation; both from 1
	probe                 bool // it sends a value that is not accepted, to get the list of accepted ones

	status, credits int // of the honest answer
	body            string

	hostile bool
	kept    *string // the bytes of the body that the journal must have; nil is not compared
	sent    int     // bytes that were written
}

// Write counts what was sent.
func (q *call) Write(b []byte) (int, error) {
	n, err := q.Conn.Write(b)
	q.sent += n
	return n, err
}

// say writes text by hand; its errors are those of a client that has gone.
func (q *call) say(text string) { io.WriteString(q, text) }

// keep sets the bytes of the body that the journal must have.
func (q *call) keep(body string) { q.kept = &body }

// answer writes a whole answer, which the journal must keep byte for byte.
func (q *call) answer(status int, body string, headers ...string) {
	q.keep(body)
	text := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", status, http.StatusText(status), len(body))
	for _, h := range headers {
		text += h + "\r\n"
	}
	q.say(text + "\r\n" + body)
}

// wait reads until the client goes away.
func (q *call) wait() { io.Copy(io.Discard, q.Conn) }

// newHostile serves a case in memory, in the bubble of the test.
func newHostile(t testing.TB, c hostileCase) *hostile {
	network := memory.New()
	s := &hostile{t: t, fleet: ships(), c: c, listener: network, dialled: network.Dial, balance: 1_000_000, open: map[net.Conn]bool{}}
	s.serving.Go(s.accept)
	return s
}

// service describes it to the client.
func (s *hostile) service() extract.Service {
	scheme := "http"
	if s.c.tls {
		scheme = "https"
	}
	return extract.Service{BaseURL: scheme + "://127.0.0.1:80/api/vessels_operations", Key: hostileKey, Dial: s.dial, MaxInFlight: 4}
}

// dial connects to the service, and records an address that is not the service's.
func (s *hostile) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if host, _, _ := net.SplitHostPort(address); host != "127.0.0.1" {
		s.mu.Lock()
		s.strangers = append(s.strangers, address)
		s.mu.Unlock()
	}
	return s.dialled(ctx, network, s.listener.Addr().String())
}

// stop closes every connection and waits for what serves them.
func (s *hostile) stop() {
	s.listener.Close()
	s.mu.Lock()
	for c := range s.open {
		c.Close()
	}
	s.mu.Unlock()
	s.serving.Wait()
}

func (s *hostile) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.open[c] = true
		s.mu.Unlock()
		s.serving.Go(func() {
			defer func() {
				c.Close()
				s.mu.Lock()
				delete(s.open, c)
				s.mu.Unlock()
			}()
			s.converse(c)
		})
	}
}

// converse reads one request and answers it.
func (s *hostile) converse(c net.Conn) {
	if s.c.meets != nil {
		s.mu.Lock()
		s.met++
		s.mu.Unlock()
		s.c.meets(c)
		return
	}
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	q := s.call(c, r, body)
	if !q.hostile {
		q.answer(q.status, q.body)
		return
	}
	s.c.does(q)
}

// call writes a request into the ledger, and bills it.
func (s *hostile) call(c net.Conn, r *http.Request, body []byte) *call {
	q := &call{Conn: c, values: r.URL.Query(), key: r.Header.Get("x-api-key")}
	var sent map[string]string
	if json.Unmarshal(body, &sent) == nil {
		for k, v := range sent {
			q.values.Set(k, v)
		}
	}
	q.parameters = q.values.Encode()
	q.probe = strings.Contains(q.parameters, "accepted-values")
	for _, o := range api.Operations {
		if strings.HasSuffix(r.URL.Path, o.Path) {
			q.operation = o.Name
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	q.n, q.nth = len(s.calls)+1, 1
	for _, before := range s.calls {
		if before.operation == q.operation && !before.probe {
			q.nth++
		}
	}
	s.calls = append(s.calls, q)
	s.honest(q)
	q.hostile = s.c.on(q)
	switch {
	case !q.hostile:
		s.billed += q.credits
	case s.c.billed:
		s.billed += max(q.credits, s.c.bills)
	}
	return q
}

// honest sets the answer of the interface text.
func (s *hostile) honest(q *call) {
	q.status = 200
	switch {
	case q.key != hostileKey:
		q.status, q.body = 401, `{"error":"Unauthorized","message":"Invalid or missing API key"}`
	case q.operation == "credits":
		q.body = fmt.Sprintf(`{"detail":{"credits":%d}}`, s.balance-s.billed)
	case q.probe:
		types, _ := json.Marshal(api.Types)
		countries, _ := json.Marshal(api.Countries)
		q.status, q.body = 422, fmt.Sprintf(`{"detail":[{"field":"type_specific","allowed_values":%s},{"field":"country","allowed_values":%s}]}`, types, countries)
	case q.operation == "by-type":
		page, _ := strconv.Atoi(q.values.Get("page"))
		found := s.having(func(v ship) bool { return v.country == q.values.Get("country") })
		items := found[min(len(found), 100*(page-1)):min(len(found), 100*page)]
		q.body, q.credits = pageBody(len(found), page, items), 10
		if len(items) == 0 {
			q.body, q.credits = pageBody(0, page, nil), 0
		}
	case q.operation == "by-status":
		zone := q.values.Get("world_zone")
		q.body = fmt.Sprintf(`{"vessels":[%s]}`, objects(s.having(func(v ship) bool {
			return v.status == q.values.Get("navigational_status") && (zone == "" || v.zone == zone)
		})))
		q.credits = 10
	default:
		number := q.values.Get("imo_or_mmsi")
		found := s.having(func(v ship) bool { return v.imo == number || v.mmsi == number })
		if len(found) == 0 {
			q.status, q.body = 404, `{"error":"Not Found","message":"vessel not found"}`
			return
		}
		q.body, q.credits = profileOf(found[0]), 1
	}
}

func (s *hostile) having(is func(ship) bool) []ship {
	return slices.DeleteFunc(slices.Clone(s.fleet), func(v ship) bool { return !is(v) })
}

// pageBody is a page of the search by type and country.
func pageBody(total, page int, items []ship) string {
	return fmt.Sprintf(`{"total":%d,"items":[%s],"limit":100,"page":%d}`, total, objects(items), page)
}

// objects are vessels as searches have them.
func objects(fleet []ship) string {
	var b bytes.Buffer
	for i, v := range fleet {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":%q,"mmsi":%q,"imo":%q,"callsign":null,"country":%q,"shipType":"Cargo","typeSpecific":"Bulk Carrier"}`, v.name, v.mmsi, v.imo, v.country)
	}
	return b.String()
}

// profileOf is the answer of a lookup.
func profileOf(v ship) string {
	return fmt.Sprintf(`{"detail":{"name":%q,"imo":%q,"mmsi":%q,"country":%q,"shipType":"Cargo","typeSpecific":"Bulk Carrier","grossTonnage":"31877","length":"176 m","beam":"30 m","yearOfBuilt":"2009"}}`,
		v.name, v.imo, v.mmsi, v.country)
}

// took waits out a time of the bubble.
func took(d time.Duration) { <-time.After(d) }
