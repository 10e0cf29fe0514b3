package main

import (
	"net"
	"net/http"
	"slices"
	"sync"
)

// limitListener bounds the connections of the page. Where there are as many as may be, the oldest
// that has not sent its request yet makes room: however many clients connect and say nothing, a
// monitor that comes after them is answered. One whose request is being answered is not cut off.
type limitListener struct {
	net.Listener
	room   chan struct{} // one for each connection
	closed chan struct{}
	once   sync.Once

	mu    sync.Mutex
	fresh []*limitedConn // without a request, the oldest first
}

func newLimitListener(l net.Listener, most int) *limitListener {
	return &limitListener{Listener: l, room: make(chan struct{}, most-1), closed: make(chan struct{})} // and one that waits for room
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

// state is told by the server what becomes of a connection.
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

// limitedConn gives its place back when it is closed.
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
