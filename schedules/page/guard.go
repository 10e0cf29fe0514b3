package page

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/schedules/listen"
	"github.com/fleetlake/fleetlake/warehouse/turns"
)

// Requests that are answered at the same time, and that wait for it, of which one client has a part: of pages, of the
// metrics, and of monitors, whose answer is small and must not wait for those of pages.
const (
	requestsAtOnce, requestsWaiting = 64, 64
	scrapesAtOnce, scrapesWaiting   = 4, 8
	probesAtOnce, probesWaiting     = 16, 16
)

// MaxHeld is how many connections may be held while their requests are answered, or wait for it. A server allows more
// connections, so that a monitor is always accepted.
const MaxHeld = requestsAtOnce + requestsWaiting + scrapesAtOnce + scrapesWaiting + probesAtOnce + probesWaiting

// policy is what the pages may load: their own stylesheet, icon and frame, and no script.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"

// mayRunScripts is what the policy of a page has besides that loads a script of ours.
const mayRunScripts = "; script-src 'self'"

// mayFetch lets the script of a page ask for its next state.
func mayFetch(w http.ResponseWriter) {
	w.Header().Set("Content-Security-Policy", policy+mayRunScripts+"; connect-src 'self'")
}

// guard checks each request: the name in the Host header, the token and, for requests that change
// something, the origin.
func (s *site) guard(next http.Handler) http.Handler {
	next = http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "SAMEORIGIN")
		h.Set("Referrer-Policy", "same-origin") // no-referrer would take the origin from our own forms
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		w = &paced{ResponseWriter: w, most: s.Times.Page}
		host := hostName(r.Host)
		r = r.WithContext(turns.For(r.Context(), turns.OfAddress(s.remote(r)))) // everybody here has the same token
		switch {
		case isProbe(r): // answers everybody, under any name, and says only whether all is well
			s.inTurn(s.probes, next, w, r)
		case !isLoopback(host) && !s.allowed(host):
			http.Error(w, "this page is not served under that name; allowed names are configured", http.StatusMisdirectedRequest)
		case s.tooMany(w, r):
		case !s.mayAsk(r, host):
			s.countWrongToken(r)
			s.challenge(w)
		case r.URL.Path == "/metrics":
			s.inTurn(s.scrapes, next, w, r)
		default:
			s.inTurn(s.requests, next, w, r)
		}
	})
}

// inTurn answers a request when it is the turn of its client. Its connection is not closed for another one meanwhile.
func (s *site) inTurn(places *turns.Turns, next http.Handler, w http.ResponseWriter, r *http.Request) {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		defer listen.Of(local).Hold()()
	}
	leave, err := places.Take(r.Context(), s.Times.Request)
	if err != nil {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many requests at the same time, of which each client has a part; try again later",
			http.StatusServiceUnavailable)
		return
	}
	defer leave()
	next.ServeHTTP(w, r)
}

// mayAsk reports whether the request may be answered: once there is a token, everybody needs it, unless loopback is
// trusted, on which reading is free then. Without a token, actions rest on the form's token alone.
func (s *site) mayAsk(r *http.Request, host string) bool {
	local := s.isLocal(r, host)
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead || r.URL.Path == askPath
	if local && (reads || s.Token == "") {
		return true
	}
	return s.Token != "" && s.hasToken(r)
}

// isLocal reports whether a request comes from this machine. A proxy on the same host asks on
// loopback for people who are elsewhere, under a name that it may rewrite: what it forwards is not
// local. One that does not say that it forwards cannot be told from a person of this machine, so that
// with a token nobody is local unless the configuration says that loopback has no such proxy. Whoever may open a Unix
// socket is: its permissions say who that is.
func (s *site) isLocal(r *http.Request, host string) bool {
	if !isLoopback(host) || forwarded(r) {
		return false
	}
	return arrivedOnSocket(r) || (s.Token == "" || s.TrustLoopback) && arrivedOnLoopback(r)
}

// arrivedOnSocket reports whether the connection came in on a Unix socket.
func arrivedOnSocket(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && local.Network() == "unix"
}

// forwardedBy are the headers by which proxies say that they ask for somebody else.
var forwardedBy = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Server", "X-Forwarded-Port", "X-Real-Ip", "Via"}

func forwarded(r *http.Request) bool {
	return slices.ContainsFunc(forwardedBy, func(name string) bool { return len(r.Header.Values(name)) > 0 })
}

// isProbe reports whether a monitor asks for the health of the process.
func isProbe(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && (r.URL.Path == "/healthz" || r.URL.Path == "/readyz")
}

// hasToken reads the token as a bearer, or as the password of any user, which browsers can ask
// a person for.
func (s *site) hasToken(r *http.Request) bool {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		_, given, ok = r.BasicAuth()
	}
	return ok && equalSecrets(given, s.Token)
}

// challenge asks for the token, or says that there is none to ask for.
func (s *site) challenge(w http.ResponseWriter) {
	if s.Token == "" {
		http.Error(w, "this page is for this machine only; configure a token to serve it to others", http.StatusForbidden)
		return
	}
	w.Header().Set("WWW-Authenticate", `Basic realm="fleetlake: any name, the token as the password", charset="UTF-8"`)
	http.Error(w, "a token is needed", http.StatusUnauthorized)
}

// equalSecrets compares secrets in constant time.
func equalSecrets(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// hostName removes the port from a Host header, and the dot of the root domain.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// isLoopback reports whether a name can only mean this machine.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// arrivedOnLoopback reports whether the connection came in on a loopback address. An unknown
// address counts as no.
func arrivedOnLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	a, err := netip.ParseAddrPort(local.String())
	return err == nil && a.Addr().Unmap().IsLoopback()
}

func (s *site) allowed(host string) bool {
	for _, h := range s.Hosts {
		if host != "" && host == hostName(h) {
			return true
		}
	}
	return false
}

// checkHosts refuses names that would serve the page to everybody.
func checkHosts(hosts []string, token string) error {
	for _, h := range hosts {
		name := hostName(h)
		if name == "" || strings.ContainsAny(h, "*/ @") {
			return fmt.Errorf("status page host %q: want a name or an address, without wildcards", h)
		}
		if token == "" && !isLoopback(name) {
			return fmt.Errorf("status page host %q: a name beyond this machine needs a token", h)
		}
	}
	return nil
}
