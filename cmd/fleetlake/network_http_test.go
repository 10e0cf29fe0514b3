package main

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSlowClientsTakeFewConnections opens 1,000 connections that send half a request. They take no more
// than the cap allows, and a monitor that connects after them is answered at once, several times,
// although each of them keeps its end open.
func TestSlowClientsTakeFewConnections(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	counted := &countingListener{Listener: l}
	stop := serveOn(counted, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "here") }), slog.New(slog.DiscardHandler))
	defer stop()
	for range 1000 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: local"); err != nil {
			t.Fatal(err)
		}
	}
	monitor := &http.Client{Transport: &http.Transport{}, Timeout: headerTimeout / 2}
	for range maxConnections + 1 {
		answer, err := monitor.Get("http://" + l.Addr().String() + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	if most := counted.most.Load(); most != maxConnections {
		t.Errorf("%d connections at once, want at most %d, and as many", most, maxConnections)
	}
}

// TestSlowReadersStarveNobody has more clients than there are connections ask for a large answer, of which
// they read nothing: a monitor that comes after them is answered, and a client that reads is not cut off.
func TestSlowReadersStarveNobody(t *testing.T) {
	const large = 8 << 20
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer serveOn(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/large" {
			w.Write(make([]byte, large))
		}
	}), slog.New(slog.DiscardHandler))()
	reader, err := (&http.Client{Transport: &http.Transport{}}).Get("http://" + l.Addr().String() + "/large")
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Body.Close()
	read := make(chan int64)
	go func() {
		var n int64
		for err := error(nil); err == nil; { // the number says whether all came
			var some int64
			some, err = io.CopyN(io.Discard, reader.Body, large/64)
			n += some
			time.Sleep(30 * time.Millisecond) // a client whose network is not the fastest
		}
		read <- n
	}()
	for range 2 * maxConnections {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	monitor := &http.Client{Transport: &http.Transport{}, Timeout: writeTimeout / 2}
	answer, err := monitor.Get("http://" + l.Addr().String() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if n := <-read; n != large {
		t.Errorf("a client that reads got %d bytes of %d", n, large)
	}
}

// TestIdleConnectionsStarveNobody asks from more clients than there are connections, each of which
// would keep its own: a monitor that comes after them is answered.
func TestIdleConnectionsStarveNobody(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer serveOn(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "here") }), slog.New(slog.DiscardHandler))()
	for range maxConnections + 1 {
		client := &http.Client{Transport: &http.Transport{}, Timeout: headerTimeout}
		answer, err := client.Get("http://" + l.Addr().String() + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, answer.Body)
		defer answer.Body.Close()
	}
}

// countingListener counts the connections that were accepted and not closed yet.
type countingListener struct {
	net.Listener
	open, most atomic.Int64
}

func (l *countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	n := l.open.Add(1)
	for most := l.most.Load(); n > most && !l.most.CompareAndSwap(most, n); most = l.most.Load() {
	}
	return &countedConn{Conn: c, from: l}, nil
}

type countedConn struct {
	net.Conn
	from   *countingListener
	closed atomic.Bool
}

func (c *countedConn) Close() error {
	if !c.closed.Swap(true) {
		c.from.open.Add(-1)
	}
	return c.Conn.Close()
}

// TestARequestIsNotCutOff has as many requests under way as the page answers at a time, and more
// clients that say nothing: each request is answered.
func TestARequestIsNotCutOff(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var begun sync.WaitGroup
	begun.Add(maxConnections - 1)
	release := make(chan struct{})
	defer serveOn(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		begun.Done()
		<-release
		io.WriteString(w, "here")
	}), slog.New(slog.DiscardHandler))()
	var group sync.WaitGroup
	for range maxConnections - 1 {
		group.Go(func() {
			answer, err := (&http.Client{Transport: &http.Transport{}}).Get("http://" + l.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			defer answer.Body.Close()
			if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "here" {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
	begun.Wait()
	for range 10 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	time.Sleep(50 * time.Millisecond) // that the server closes none of them has no event to wait for
	close(release)
	group.Wait()
}
