package extract

import (
	"context"
	"log/slog"
	"net"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

// Service describes the API: its address, the key, and the limits within which to use it.
type Service struct {
	BaseURL     string          // ends in /api/vessels_operations; plain http only to loopback
	Key         string          // never logged
	Limits      map[string]int  // requests per minute by operation name; absent is the documented limit
	Raw         []api.Operation // of the configuration: those whose answers are kept whole
	MaxInFlight int             // requests in flight per operation; 0 is 8
	Timeout     time.Duration   // of one request, from dial to the last byte; 0 is 60 s
	Patience    time.Duration   // how long the service may give no answer before an operation is given up; 0 is 30 minutes

	// ReadKey reads the key again, where it can change while the process runs; nil if it cannot. A client reads it at its
	// start, and after a 401.
	ReadKey func() (string, error)

	// Now is the clock that entries are dated by; nil is time.Now. The rate limits always
	// keep real time.
	Now func() time.Time

	// Log records each request at debug level, and the begin and end of each outage; nil discards.
	Log *slog.Logger

	// InFlight drains the requests in flight when the process must end at once; may be nil.
	InFlight *InFlight

	// Dial makes connections instead of the network, in tests that keep virtual time.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Operations returns the operations that the client has a lane for, the free call last.
func (s Service) Operations() []api.Operation { return append(slices.Clone(s.Raw), api.Operations...) }

// PerMinute returns the limit of an operation in requests per minute.
func (s Service) PerMinute(o api.Operation) int {
	if n := s.Limits[o.Name]; n > 0 {
		return n
	}
	return o.PerMinute
}

// MostInFlight returns how many requests of one operation may be in flight.
func (s Service) MostInFlight() int {
	if s.MaxInFlight > 0 {
		return s.MaxInFlight
	}
	return 8 // at 50 a minute, answers of five seconds keep more than four in flight
}
