package main

import (
	"net"
	"net/http"
	"slices"
	"sync"
)

// limitListener bounds the connections of the page. At the limit, the oldest
// connection without a request is closed: however many clients connect and send nothing, a monitor
// that connects after them is answered. A connection whose request is being answered is not closed.
type limitListener struct {
	net.Listener
	room   chan struct{} // an element per connection
	closed chan struct{}
	once   sync.Once

	mu    sync.Mutex
	fresh []*limitedConn // without a request yet, the oldest first
}

func newLimitListener(l net.Listener, most int) *limitListener {
	return &limitListener{Listener: l, room: make(chan struct{}, most-1), closed: make(chan struct{})} // one more waits for room
}

func (l *limitListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	select {
	case l.room <- struct{}{}:
	default:
		l.closeOldest()
		select {
		case l.room <- struct{}{}:
		case <-l.closed:
			c.Close()
			return nil, net.ErrClosed
		}
	}
	limited := &limitedConn{Conn: c, of: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fresh = append(l.fresh, limited)
	return limited, nil
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
	if i := slices.Index(l.fresh, c); i >= 0 {
		l.fresh = slices.Delete(l.fresh, i, i+1)
	}
}

func (l *limitListener) closeOldest() {
	l.mu.Lock()
	var oldest *limitedConn
	if len(l.fresh) > 0 {
		oldest = l.fresh[0]
	}
	l.mu.Unlock()
	if oldest != nil {
		oldest.Close()
	}
}

// limitedConn makes room in its listener when it is closed.
type limitedConn struct {
	net.Conn
	of   *limitListener
	once sync.Once
}

func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() {
		c.of.forget(c)
		<-c.of.room
	})
	return err
}
