package main

import (
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// slowWrite is how long a client may take to receive atOnce bytes when others wait for its connection.
const slowWrite = time.Second

// lookAgain is how long a client waits for a connection until the slow ones are looked for again.
const lookAgain = 50 * time.Millisecond

// limitListener bounds the connections of the page. At the limit, the connection is closed whose client has
// been receiving the same bytes for longest, and at least slowWrite; if there is none, the oldest one without
// a request. However many clients connect and send nothing, or read nothing, a monitor that connects after
// them is answered. Another connection whose request is being answered is not closed.
type limitListener struct {
	net.Listener
	room   chan struct{} // an element per connection
	closed chan struct{}
	once   sync.Once

	mu    sync.Mutex
	fresh []*limitedConn // without a request yet, the oldest first
	busy  []*limitedConn // with a write that has not returned, the oldest first
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
	case len(l.busy) > 0 && time.Since(l.busy[0].since) >= slowWrite:
		worst = l.busy[0]
	case len(l.fresh) > 0:
		worst = l.fresh[0]
	}
	l.mu.Unlock()
	if worst != nil {
		worst.Close()
	}
}

// limitedConn makes room in its listener when it is closed.
type limitedConn struct {
	net.Conn
	of    *limitListener
	since time.Time // the write began that has not returned; guarded by the listener
	once  sync.Once
}

// atOnce is how many bytes a slow client must receive within slowWrite.
const atOnce = 32 << 10

// Write writes to the client, atOnce at a time, and is seen as busy meanwhile.
func (c *limitedConn) Write(b []byte) (written int, err error) {
	for {
		n, err := c.writeSome(b[written:min(len(b), written+atOnce)])
		if written += n; err != nil || written == len(b) {
			return written, err
		}
	}
}

func (c *limitedConn) writeSome(b []byte) (int, error) {
	l := c.of
	l.mu.Lock()
	c.since = time.Now()
	l.busy = append(l.busy, c)
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.busy = leave(l.busy, c)
	}()
	return c.Conn.Write(b)
}

// leave removes a connection from a list that may have it.
func leave(list []*limitedConn, c *limitedConn) []*limitedConn {
	if i := slices.Index(list, c); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() {
		c.of.forget(c)
		<-c.of.room
	})
	return err
}
