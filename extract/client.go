package extract

import (
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// Client sends requests within the rate limits and the budget, and appends every answer to the
// segment. It is safe for concurrent use.
type Client struct {
	service   Service
	transport *http.Transport
	lanes     map[string]*Lane
	budget    Budget
	segment   *journal.Segment

	outages  map[string]*outage
	unknowns map[string]*unknowns
	inFlight map[string]chan struct{} // by operation: one element for each request in flight
	keys     *keys
	large    chan struct{} // one element for each large body in memory

	mu    sync.Mutex
	stats map[string]*Stats

	balanceRead atomic.Bool // a balance was read
}

// Stats counts the work of one operation.
type Stats struct {
	Requests int // sent, retries included
	Answers  int // with data, even if they have no vessel
	Retries  int
	Limited  int // 429
	Credits  int // as counted
	Unknown  int // the part of Credits that may not have been billed
}

// NewClient returns a client of a service that spends from the budget and appends to the
// segment.
func NewClient(s Service, b Budget, segment *journal.Segment) *Client {
	s.MaxInFlight = s.MostInFlight()
	if s.Timeout == 0 {
		s.Timeout = time.Minute
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Patience == 0 {
		s.Patience = DefaultPatience
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	c := &Client{service: s, transport: newTransport(s), budget: b, segment: segment, lanes: map[string]*Lane{},
		stats:   map[string]*Stats{},
		outages: map[string]*outage{}, unknowns: map[string]*unknowns{}, inFlight: map[string]chan struct{}{},
		keys: newKeys(s), large: make(chan struct{}, largeBodies)}
	for _, o := range s.Operations() {
		c.outages[o.Name] = newOutage(o, s.Patience, s.Log)
		c.unknowns[o.Name] = newUnknowns()
		c.inFlight[o.Name] = make(chan struct{}, s.MaxInFlight)
		c.lanes[o.Name] = newLane(s.PerMinute(o))
		c.stats[o.Name] = &Stats{}
	}
	return c
}

func (c *Client) now() time.Time { return c.service.Now().UTC() }

// Lane returns the lane of an operation.
func (c *Client) Lane(o api.Operation) *Lane { return c.lanes[o.Name] }

// Stats returns the counts of an operation so far.
func (c *Client) Stats(o api.Operation) Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return *c.stats[o.Name]
}

func (c *Client) count(o api.Operation, f func(*Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(c.stats[o.Name])
}

// Inherit takes the lane's slot of a request that an earlier process sent, so that the rate limit
// is kept over a restart.
func (c *Client) Inherit(e journal.Entry) {
	lane, ok := c.lanes[e.Operation]
	switch {
	case !ok:
	case e.Kind == journal.KindIntent: // it may have been sent just after
		lane.Inherit(e.At, e.At)
	case e.Kind == journal.KindAnswer, e.Kind == journal.KindBalance:
		lane.Inherit(e.Sent, e.Received)
	}
}
