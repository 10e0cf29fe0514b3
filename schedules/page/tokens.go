package page

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/turns"
)

// Limits of wrong tokens: tries a minute of one address, and the number of addresses remembered.
const (
	maxWrong     = 10
	maxAddresses = 4096
)

// tokens counts the wrong tokens of each address, so that nobody can guess the token by trying.
type tokens struct {
	mu    sync.Mutex
	wrong map[string]*wrongs
}

type wrongs struct {
	count int
	since time.Time
}

// blocked returns how long an address must wait before it may try another token; 0 is no wait.
func (t *tokens) blocked(address string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.wrong[address]
	if w == nil || w.count < maxWrong {
		return 0
	}
	return max(time.Minute-now.Sub(w.since), 0)
}

// add counts a wrong token and returns how many the address sent within the minute.
func (t *tokens) add(address string, now time.Time) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	for a, w := range t.wrong {
		if now.Sub(w.since) >= time.Minute {
			delete(t.wrong, a)
		}
	}
	if t.wrong == nil || len(t.wrong) >= maxAddresses {
		t.wrong = map[string]*wrongs{}
	}
	w := t.wrong[address]
	if w == nil {
		w = &wrongs{since: now}
		t.wrong[address] = w
	}
	w.count++
	return w.count
}

// tooMany answers an address that has given too many wrong tokens and gives another one, and reports whether it has. The
// right one is always accepted: behind one address there are many people.
func (s *site) tooMany(w http.ResponseWriter, r *http.Request) bool {
	if s.Token == "" || r.Header.Get("Authorization") == "" || s.hasToken(r) {
		return false
	}
	wait := s.tokens.blocked(turns.OfAddress(s.remote(r)), s.Now())
	if wait <= 0 {
		return false
	}
	w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
	http.Error(w, "too many wrong tokens; wait a minute", http.StatusTooManyRequests)
	return true
}

// countWrongToken counts a wrong token. It logs the first of an address and the last before the wait.
func (s *site) countWrongToken(r *http.Request) {
	if s.Token == "" || r.Header.Get("Authorization") == "" {
		return
	}
	if n := s.tokens.add(turns.OfAddress(s.remote(r)), s.Now()); n == 1 || n == maxWrong {
		s.Log.Warn("wrong token for the page", "address", s.remote(r), "times", n)
	}
}

// remote is the address of a client without its port. A proxy that is trusted says for whom it asks: the last address
// that no such proxy has.
func (s *site) remote(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	if !s.isProxy(host) {
		return host
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		address, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break // what is before it may say anything
		}
		if host = address.Unmap().String(); !s.isProxy(host) {
			break
		}
	}
	return host
}

// isProxy reports whether an address is that of a trusted proxy.
func (s *site) isProxy(host string) bool {
	address, err := netip.ParseAddr(host)
	return err == nil && slices.ContainsFunc(s.Proxies, func(p netip.Prefix) bool { return p.Contains(address.Unmap()) })
}
