package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// slowest is how long a client may take to receive atOnce bytes, or to send its whole form, when others wait for
// its connection.
const (
	slowest = time.Second
	atOnce  = 32 << 10
)

// lookAgain is how long a client waits for a connection until the slow ones are looked for again.
const lookAgain = 50 * time.Millisecond

// limitListener bounds the connections of the page. At the limit, the connection is closed whose client has
// been receiving the same bytes, or sending its form, for longest, and at least slowest; if there is none, the
// oldest one without a request. However many clients connect and send nothing, or read nothing, a monitor that
// connects after them is answered. Another connection whose request is being answered is not closed.
type limitListener struct {
	net.Listener
	room   chan struct{} // an element per connection
	closed chan struct{}
	once   sync.Once

	mu    sync.Mutex
	fresh []*limitedConn // without a request yet, the oldest first
	waits []*waiting     // for clients, the oldest first
}

func newLimitListener(l net.Listener, most int) *limitListener {
	return &limitListener{Listener: l, room: make(chan struct{}, most-1), closed: make(chan struct{})} // one more waits for room
}

func (l *limitListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if !l.makeRoom() {
		c.Close()
		return nil, net.ErrClosed
	}
	limited := &limitedConn{Conn: c, of: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fresh = append(l.fresh, limited)
	return limited, nil
}

// makeRoom waits until there is room for a connection, and closes others for it. It returns false if the
// listener is closed.
func (l *limitListener) makeRoom() bool {
	for {
		select {
		case l.room <- struct{}{}:
			return true
		default:
			l.closeWorst()
		}
		select {
		case l.room <- struct{}{}:
			return true
		case <-l.closed:
			return false
		case <-time.After(lookAgain):
		}
	}
}

func (l *limitListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// state is the ConnState hook of the server: a connection that has sent something is no longer fresh.
func (l *limitListener) state(c net.Conn, s http.ConnState) {
	if limited, ok := c.(*limitedConn); ok && s != http.StateNew {
		l.forget(limited)
	}
}

func (l *limitListener) forget(c *limitedConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fresh = leave(l.fresh, c)
}

// closeWorst closes the connection that others may have, if there is one.
func (l *limitListener) closeWorst() {
	l.mu.Lock()
	var worst *limitedConn
	switch {
	case len(l.waits) > 0 && time.Since(l.waits[0].since) >= slowest:
		worst = l.waits[0].conn
	case len(l.fresh) > 0:
		worst = l.fresh[0]
	}
	l.mu.Unlock()
	if worst != nil {
		worst.Close()
	}
}

// waiting is a wait for a client that receives or sends.
type waiting struct {
	conn  *limitedConn
	since time.Time
}

// wait notes that a connection waits for its client, until the returned function is called.
func (l *limitListener) wait(c *limitedConn) (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := &waiting{c, time.Now()}
	l.waits = append(l.waits, w)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.waits = leave(l.waits, w)
	}
}

// leave removes an element from a list that may have it.
func leave[T comparable](list []T, one T) []T {
	if i := slices.Index(list, one); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// limitedConn makes room in its listener when it is closed.
type limitedConn struct {
	net.Conn
	of   *limitListener
	once sync.Once
}

// Write writes to the client, atOnce at a time.
func (c *limitedConn) Write(b []byte) (written int, err error) {
	for {
		end := c.of.wait(c)
		n, err := c.Conn.Write(b[written:min(len(b), written+atOnce)])
		end()
		if written += n; err != nil || written == len(b) {
			return written, err
		}
	}
}

func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() {
		c.of.forget(c)
		<-c.of.room
	})
	return err
}

// connKey is the key of the connection in the context of a request.
type connKey struct{}

// withConn is the ConnContext hook of the server.
func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// watchBodies passes requests on, and notes which connections wait for the rest of their request.
func watchBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*limitedConn); ok && r.ContentLength != 0 {
			b := &watchedBody{ReadCloser: r.Body, conn: c}
			defer b.ended()
			r.Body = b
		}
		next.ServeHTTP(w, r)
	})
}

// watchedBody is the body of a request. Its connection waits for the client from the first read until the last.
type watchedBody struct {
	io.ReadCloser
	conn *limitedConn
	end  func() // of the wait; nil is none
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.end == nil {
		b.end = b.conn.of.wait(b.conn)
	}
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.ended()
	}
	return n, err
}

func (b *watchedBody) ended() {
	if b.end != nil {
		b.end()
	}
}
