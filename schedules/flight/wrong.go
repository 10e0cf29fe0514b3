package flight

import (
	"context"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc/peer"

	"github.com/fleetlake/fleetlake/schedules/listen"
	"github.com/fleetlake/fleetlake/warehouse/turns"
)

// Limits of wrong tokens: how many an address may send within a minute until each further one waits for its refusal, and
// how many addresses are remembered. Who has a right one never waits.
const (
	maxWrong     = 20
	maxAddresses = 4096
	wrongWaits   = time.Second
)

// wrongTokens counts the wrong tokens of each address.
type wrongTokens struct {
	mu    sync.Mutex
	since time.Time // the minute that is counted
	count map[string]int
}

// add counts a wrong token, and returns how many the address has sent in this minute.
func (w *wrongTokens) add(address string, now time.Time) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now.Sub(w.since) >= time.Minute || len(w.count) >= maxAddresses {
		w.since, w.count = now, map[string]int{}
	}
	w.count[address]++
	return w.count[address]
}

// addressOf is the address of a client without its port.
func addressOf(ctx context.Context) string {
	from, ok := peer.FromContext(ctx)
	if !ok {
		return "unknown"
	}
	address := from.Addr.String()
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}

// connectionOf is the connection of a request; nil if it is not one of this server.
func connectionOf(ctx context.Context) *listen.Conn {
	if from, ok := peer.FromContext(ctx); ok {
		return listen.Of(from.LocalAddr)
	}
	return nil
}

// admit finds out who sent a request. The first wrong token of an address in a minute is logged, and the one after which
// the others wait.
func (s *Server) admit(ctx context.Context) (context.Context, error) {
	known, err := s.guard.admit(ctx)
	address := addressOf(ctx)
	if err == nil {
		client := callerOf(known).share(address)
		if len(s.guard.callers) > 0 {
			connectionOf(ctx).Known(client)
		}
		return turns.For(known, client), nil
	}
	if tokenOf(ctx) == "" {
		return nil, err
	}
	n := s.wrong.add(turns.OfAddress(address), time.Now())
	if n == 1 || n == maxWrong {
		s.log.Warn("wrong token for Flight SQL", "address", address, "times", n)
	}
	if n > maxWrong {
		select {
		case <-time.After(wrongWaits):
		case <-ctx.Done():
		}
	}
	return nil, err
}
