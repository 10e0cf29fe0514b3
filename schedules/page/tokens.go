package page

import (
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// What a client may try: so many wrong tokens a minute, from so many addresses that are remembered.
const (
	mostWrong     = 10
	mostAddresses = 4096
)

// tokens counts the wrong tokens of each address, so that nobody can try them all.
type tokens struct {
	mu    sync.Mutex
	wrong map[string]*wrongs
}

type wrongs struct {
	count int
	since time.Time
}

// blocked returns how long an address must wait before another token of it is looked at; 0 is not
// at all.
func (t *tokens) blocked(address string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.wrong[address]
	if w == nil || w.count < mostWrong {
		return 0
	}
	return max(time.Minute-now.Sub(w.since), 0)
}

// miss counts a wrong token and returns how many the address gave within the minute.
func (t *tokens) add(address string, now time.Time) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	for a, w := range t.wrong {
		if now.Sub(w.since) >= time.Minute {
			delete(t.wrong, a)
		}
	}
	if t.wrong == nil || len(t.wrong) >= mostAddresses {
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

// tooMany answers an address that has given too many wrong tokens, and reports whether it has.
func (s *site) tooMany(w http.ResponseWriter, r *http.Request) bool {
	if s.Token == "" || r.Header.Get("Authorization") == "" {
		return false
	}
	wait := s.tokens.blocked(remote(r), s.Now())
	if wait <= 0 {
		return false
	}
	w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
	http.Error(w, "too many wrong tokens; wait a minute", http.StatusTooManyRequests)
	return true
}

// missed notes a wrong token. The first of an address and the last before it must wait are logged.
func (s *site) countWrongToken(r *http.Request) {
	if s.Token == "" || r.Header.Get("Authorization") == "" {
		return
	}
	if n := s.tokens.add(remote(r), s.Now()); n == 1 || n == mostWrong {
		s.Log.Warn("wrong token for the page", "address", remote(r), "times", n)
	}
}

// remote is the address of a client without its port.
func remote(r *http.Request) string {
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		return host
	}
	return r.RemoteAddr
}
