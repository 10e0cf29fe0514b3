package pipeline

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// hostileConnections are wrong below HTTP, in TLS, and in the head of an answer.
func hostileConnections() map[string]hostileCase {
	nothing := func(c hostileCase) hostileCase { // no answer ever comes
		c.ends, c.covered, c.most = "partial service", "failed 7", endless
		switch {
		case c.answers != "":
		case c.tls: // the connection was never made
			c.answers = "0 network free; credits 0 network"
		default:
			c.answers = "0 network free; 0 network unknown; credits 0 network"
		}
		return c
	}
	whole := func(c hostileCase) hostileCase { // the answer is as good as any
		c.ends, c.covered, c.billed = "done", "complete 7", true
		if c.on == nil {
			c.on, c.answers = every, "200 empty free; 200 ok priced; 422 probe free; credits 200 ok"
		}
		return c
	}
	return map[string]hostileCase{
		"a connection that is closed at once":                nothing(hostileCase{meets: func(net.Conn) {}, tcp: true}),
		"a connection that is reset at once":                 nothing(hostileCase{meets: cut}),
		"a connection that nobody reads":                     nothing(hostileCase{meets: func(net.Conn) { took(2 * time.Minute) }}),
		"a connection that is closed after the request line": nothing(hostileCase{meets: func(c net.Conn) { readTo(c, '\n') }, tcp: true}),
		"a connection that is closed after the request":      nothing(hostileCase{on: every, does: func(*call) {}, tcp: true}),
		"a connection that is reset after the request":       nothing(hostileCase{on: every, does: func(q *call) { cut(q.Conn) }, tcp: true}),
		"a connection that is closed in mid-header":          nothing(hostileCase{on: every, does: writes("HTTP/1.1 200 OK\r\nContent-Ty"), tcp: true}),
		"a connection that is closed after the status line":  nothing(hostileCase{on: every, does: writes("HTTP/1.1 200 OK\r\n"), tcp: true}),
		"an answer that never comes":                         nothing(hostileCase{on: every, does: (*call).wait}),
		"an answer that never comes to searches":             nothing(hostileCase{on: priced, does: (*call).wait, billed: true, answers: "0 network unknown"}),
		"a head of a byte a second":                          nothing(hostileCase{on: priced, does: drips("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"), answers: "0 network unknown"}),
		"a status line without a number":                     nothing(hostileCase{on: every, does: writes("HTTP/1.1 OK\r\nContent-Length: 0\r\n\r\n"), tcp: true}),
		"a status of five digits":                            nothing(hostileCase{on: every, does: writes("HTTP/1.1 20000 OK\r\nContent-Length: 0\r\n\r\n")}),
		"a status below zero":                                nothing(hostileCase{on: every, does: writes("HTTP/1.1 -20 OK\r\nContent-Length: 0\r\n\r\n")}),
		"an answer of HTTP/0.9":                              nothing(hostileCase{on: every, does: writes(`{"total":0,"items":[]}`)}),
		"an answer of HTTP/2":                                nothing(hostileCase{on: every, does: writes("\x00\x00\x12\x04\x00\x00\x00\x00\x00PRI * HTTP/2.0\r\n\r\n")}),
		"the greeting of another protocol":                   nothing(hostileCase{on: every, does: writes("SSH-2.0-OpenSSH_9.6\r\n"), tcp: true}),
		"bytes without a meaning":                            nothing(hostileCase{on: every, does: writes(strings.Repeat("\x00\xff\x13\x37", 4096))}),
		"another protocol, by 101":                           nothing(hostileCase{on: every, does: writes("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"), answers: "101 unreadable free; 101 unreadable unknown; credits 101 unreadable"}),
		"a storm of 100 Continue":                            nothing(hostileCase{on: every, does: floods("", "HTTP/1.1 100 Continue\r\n\r\n"), tcp: true}),
		"a storm of 103 with 4 KB each":                      nothing(hostileCase{on: every, does: floods("", "HTTP/1.1 103 Early Hints\r\nLink: "+strings.Repeat("z", 4096)+"\r\n\r\n")}),
		"a head without an end":                              nothing(hostileCase{on: every, does: floods("HTTP/1.1 200 OK\r\n", "X-More: "+strings.Repeat("y", 1000)+"\r\n"), tcp: true}),
		"a line of a head of 10 MB":                          nothing(hostileCase{on: every, does: func(q *call) { q.say("HTTP/1.1 200 OK\r\nX-More: "); q.say(tenMB()); q.say("\r\n\r\n") }, tcp: true, large: true}),
		"a name of a header of 10 MB":                        nothing(hostileCase{on: every, does: func(q *call) { q.say("HTTP/1.1 200 OK\r\n"); q.say(tenMB()); q.say(": x\r\n\r\n") }, large: true}),
		"twenty thousand short headers":                      nothing(hostileCase{on: every, does: withHead(strings.Repeat("A: b\r\n", 20_000)+"Content-Length: 2\r\n", "{}")}),
		"a header without a name":                            nothing(hostileCase{on: every, does: withHead(": x\r\nContent-Length: 2\r\n", "{}")}),
		"a header with a NUL":                                nothing(hostileCase{on: every, does: withHead("X-Nul: a\x00b\r\nContent-Length: 2\r\n", "{}")}),
		"a length below zero":                                nothing(hostileCase{on: every, does: withHead("Content-Length: -1\r\n", "{}"), tcp: true}),
		"a length in words":                                  nothing(hostileCase{on: every, does: withHead("Content-Length: many\r\n", "{}")}),
		"a length beyond all numbers":                        nothing(hostileCase{on: every, does: withHead("Content-Length: 99999999999999999999\r\n", "{}")}),
		"two lengths that differ":                            nothing(hostileCase{on: every, does: withHead("Content-Length: 2\r\nContent-Length: 20\r\n", "{}"), tcp: true}),
		"a coding of transfer that nobody knows":             nothing(hostileCase{on: every, does: withHead("Transfer-Encoding: rot13\r\n", "{}")}),

		"TLS that is spoken in plain text":     nothing(hostileCase{tls: true, meets: func(c net.Conn) { readTo(c, 0); io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n") }, tcp: true}),
		"TLS that is cut in the handshake":     nothing(hostileCase{tls: true, meets: func(c net.Conn) { readTo(c, 0) }, tcp: true}),
		"TLS that is cut in mid-record":        nothing(hostileCase{tls: true, meets: func(c net.Conn) { readTo(c, 0); io.WriteString(c, "\x16\x03\x03\x00\x7a\x02\x00") }}),
		"TLS whose handshake never ends":       nothing(hostileCase{tls: true, meets: func(c net.Conn) { io.Copy(io.Discard, c) }}),
		"TLS of an alert alone":                nothing(hostileCase{tls: true, meets: func(c net.Conn) { readTo(c, 0); io.WriteString(c, "\x15\x03\x03\x00\x02\x02\x28") }}),
		"TLS with a certificate of nobody":     nothing(hostileCase{tls: true, meets: overTLS(&tls.Config{}), tcp: true}),
		"TLS with a certificate of another":    nothing(hostileCase{tls: true, meets: overTLS(&tls.Config{ServerName: "another.example"})}),
		"TLS that is too old":                  nothing(hostileCase{tls: true, meets: overTLS(&tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}), tcp: true}),
		"TLS of random bytes in the handshake": nothing(hostileCase{tls: true, meets: func(c net.Conn) { readTo(c, 0); io.WriteString(c, strings.Repeat("\x16\x03\x01\xff\xff\x13", 5000)) }}),

		"a few early hints before the answer": whole(hostileCase{does: hinted, tcp: true}),
		"a hundred cookies":                   whole(hostileCase{does: honestly(cookies()...)}),
		"two lengths that agree":              whole(hostileCase{on: priced, answers: "200 empty free; 200 ok priced", does: func(q *call) { q.headed(fmt.Sprintf("Content-Length: %d\r\nContent-Length: %[1]d\r\n", len(q.body))) }}),
		"another service, by Alt-Svc":         whole(hostileCase{does: honestly(`Alt-Svc: h2="collector.example:443"; ma=86400`, "Link: <https://collector.example/>; rel=preload", "Refresh: 0; url=https://collector.example/")}),
		"a clock of 1970":                     whole(hostileCase{does: honestly("Date: Thu, 01 Jan 1970 00:00:00 GMT")}),
		"a clock of 2199":                     whole(hostileCase{does: honestly("Date: Tue, 01 Jan 2199 00:00:00 GMT")}),
		"a clock in words":                    whole(hostileCase{does: honestly("Date: yesterday", "Age: -1", "Expires: 0", "Last-Modified: \xff")}),
		"a Retry-After beside an answer":      whole(hostileCase{does: honestly("Retry-After: 31536000")}),
	}
}

// tenMB is made once: what a test takes itself counts as much as what the run takes.
var tenMB = sync.OnceValue(func() string { return strings.Repeat("y", 10<<20) })

// Requests that meet a behaviour.
func every(*call) bool     { return true }
func priced(q *call) bool  { return q.operation != "credits" && !q.probe }
func pages(q *call) bool   { return q.operation == "by-type" && !q.probe && q.credits > 0 }
func sweeps(q *call) bool  { return q.operation == "by-status" }
func lookups(q *call) bool { return q.operation == "particulars" }
func balance(q *call) bool { return q.operation == "credits" }

// first are the first so many of some requests.
func first(n int, of func(*call) bool) func(*call) bool {
	return func(q *call) bool { return of(q) && q.nth <= n }
}

// writes sends text instead of an answer.
func writes(text string) func(*call) {
	return func(q *call) { q.keep(""); q.say(text) }
}

// withHead sends a head and a body.
func withHead(head, body string) func(*call) {
	return writes("HTTP/1.1 200 OK\r\n" + head + "\r\n" + body)
}

// headed writes the honest body under other headers.
func (q *call) headed(headers string) {
	q.keep(q.body)
	q.say("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + headers + "\r\n" + q.body)
}

// honestly gives the honest answer with more headers.
func honestly(headers ...string) func(*call) {
	return func(q *call) { q.answer(q.status, q.body, headers...) }
}

func cookies() (all []string) {
	for i := range 100 {
		all = append(all, fmt.Sprintf("Set-Cookie: session%d=%s; Domain=.example.com", i, strings.Repeat("z", 100)))
	}
	return all
}

// hinted sends what HTTP allows before an answer.
func hinted(q *call) {
	q.say(strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n", 3))
	q.answer(q.status, q.body)
}

// floods repeats text until the client goes away.
func floods(head, text string) func(*call) {
	return func(q *call) {
		q.keep("")
		q.say(head)
		for {
			if _, err := io.WriteString(q, text); err != nil {
				return
			}
		}
	}
}

// drips sends a byte a second. The first comes after half of one, so that none comes in the moment in
// which the time of the request is over.
func drips(text string) func(*call) {
	return func(q *call) {
		q.keep("")
		took(500 * time.Millisecond)
		for _, b := range []byte(text) {
			if _, err := q.Write([]byte{b}); err != nil {
				return
			}
			took(time.Second)
		}
	}
}

// readTo reads until a byte; until there is something for 0.
func readTo(c net.Conn, end byte) {
	for b := make([]byte, 1); ; {
		if n, err := c.Read(b); err != nil || n == 1 && (b[0] == end || end == 0) {
			if end == 0 {
				drainBehind(c)
			}
			return
		}
	}
}

// drainBehind reads the rest of a client's first message: a client of the bubble writes only what is read.
func drainBehind(c net.Conn) {
	c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	io.Copy(io.Discard, c)
	c.SetReadDeadline(time.Time{})
}

// cut ends a connection so that the client of a kernel's socket sees a reset.
func cut(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	c.Close()
}

// overTLS serves TLS with a certificate that nobody signed, and would answer.
func overTLS(config *tls.Config) func(net.Conn) {
	return func(c net.Conn) {
		config := config.Clone()
		config.Certificates = []tls.Certificate{unsigned()}
		s := tls.Server(c, config)
		if s.Handshake() == nil {
			if r, err := http.ReadRequest(bufio.NewReader(s)); err == nil && r.Header.Get("x-api-key") != "" {
				panic("the key was sent under a certificate that nobody signed")
			}
		}
	}
}

// unsigned is a certificate that signs itself.
var unsigned = sync.OnceValue(func() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"another.example"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
})
