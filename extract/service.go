package extract

import (
	"context"
	"log/slog"
	"net"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

// Service is where the API is and how we may use it.
type Service struct {
	BaseURL     string         // ends in /api/vessels_operations; plain http only to loopback
	Key         string         // never logged
	Limits      map[string]int // requests per minute by operation name; absent is the documented limit
	MaxInFlight int            // requests in the air per lane; 0 is 8
	Timeout     time.Duration  // of one request, from dial to the last byte; 0 is 60 s
	Patience    time.Duration  // how long the service may give no answer before an operation is given up; 0 is 30 minutes

	// Now is the clock that entries are dated by; nil is time.Now. The rate limits always
	// keep real time.
	Now func() time.Time

	// Log is told of each request, and when the service goes away and comes back; nil discards.
	Log *slog.Logger

	// Brake gives up the requests in the air when the process must end at once; may be nil.
	InFlight *InFlight

	// Dial makes connections instead of the network, in tests that keep virtual time.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// PerMinute returns the limit of an operation.
func (s Service) PerMinute(o api.Operation) int {
	if n := s.Limits[o.Name]; n > 0 {
		return n
	}
	return o.PerMinute
}

// MostInFlight returns how many requests of one lane may be in the air.
func (s Service) MostInFlight() int {
	if s.MaxInFlight > 0 {
		return s.MaxInFlight
	}
	return 8 // at 50 a minute, answers of five seconds keep more than four in the air
}
