package store

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// proxy stands between a client and the gateway, counts requests and makes some fail.
type proxy struct {
	*httptest.Server
	pass  http.Handler
	fault func(r *http.Request) trouble // what happens to a request

	mu       sync.Mutex
	arrived  map[string]int // requests by what they are for
	answered map[string]int // those that the gateway took and the client heard of
	bytes    int64          // of content that arrived
}

// trouble is what a proxy does to one request.
type trouble int

const (
	none    trouble = iota
	busy            // 503 SlowDown
	reset           // the connection ends in the middle of the content
	stalled         // nothing moves until the client gives up
	lost            // the gateway does it, and the connection ends before the answer
	damaged         // a byte of the content is another one when it arrives
)

// startProxy starts a proxy without faults.
func startProxy(t testing.TB, g *gateway) *proxy {
	t.Helper()
	to, err := url.Parse(g.endpoint)
	must(t, err)
	p := &proxy{arrived: map[string]int{}, answered: map[string]int{}, fault: func(*http.Request) trouble { return none }}
	p.pass = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host // it is part of the signature
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// change changes the proxy between two requests.
func (p *proxy) change(how func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	how()
}

// purpose names what a request is for.
func purpose(r *http.Request) string {
	q := r.URL.Query()
	switch {
	case q.Has("partNumber"):
		return "part"
	case q.Has("uploadId"):
		return r.Method + " upload"
	case q.Has("uploads"):
		return r.Method + " uploads"
	case q.Has("list-type"):
		return "list"
	}
	return r.Method
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind := purpose(r)
	p.mu.Lock()
	p.arrived[kind]++
	trouble, pass := p.fault(r), p.pass
	p.mu.Unlock()
	r.Body = &countingBody{r.Body, p}
	switch trouble {
	case none:
		pass.ServeHTTP(w, r)
		p.mu.Lock()
		p.answered[kind]++
		p.mu.Unlock()
	case busy:
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>`)
	case reset:
		_, _ = io.CopyN(io.Discard, r.Body, r.ContentLength/2)
		hangUp(w)
	case stalled:
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server see that the client gives up
		<-r.Context().Done()
	case damaged:
		content, _ := io.ReadAll(r.Body)
		content[len(content)/2] ^= 1
		r.Body = io.NopCloser(bytes.NewReader(content))
		pass.ServeHTTP(w, r)
	case lost:
		pass.ServeHTTP(httptest.NewRecorder(), r)
		hangUp(w)
	}
}

// hangUp resets the connection of a request.
func hangUp(w http.ResponseWriter) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}

// countingBody counts the content that a client sends.
type countingBody struct {
	io.ReadCloser
	p *proxy
}

func (b *countingBody) Read(to []byte) (int, error) {
	n, err := b.ReadCloser.Read(to)
	b.p.mu.Lock()
	b.p.bytes += int64(n)
	b.p.mu.Unlock()
	return n, err
}

// count returns how many requests of a purpose arrived, and how many were answered.
func (p *proxy) count(kind string) (arrived, answered int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.arrived[kind], p.answered[kind]
}

// oneInTen makes a tenth of the requests fail, each in one of the ways, from a fixed seed.
func oneInTen(ways ...trouble) func(*http.Request) trouble {
	random := rand.New(rand.NewPCG(19, 11))
	return func(*http.Request) trouble {
		if random.IntN(10) > 0 {
			return none
		}
		return ways[random.IntN(len(ways))]
	}
}
