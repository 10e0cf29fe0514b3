package listen

import (
	"cmp"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/turns"
)

// Listener is a listener with a limit of its connections.
type Listener struct {
	net.Listener
	most int

	mu      sync.Mutex
	changed *sync.Cond // a connection began to wait for its client, or is gone, or the listener is closed
	open    map[*Conn]bool
	closed  bool
}

// Limit allows so many connections of a listener at the same time.
func Limit(l net.Listener, most int) *Listener {
	limited := &Listener{Listener: l, most: most, open: map[*Conn]bool{}}
	limited.changed = sync.NewCond(&limited.mu)
	return limited
}

// Accept returns the next connection, a *Conn. It closes another one if there is no room.
func (l *Listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	one := &Conn{Conn: c, of: l, client: turns.OfAddress(c.RemoteAddr().String()), since: time.Now()}
	if !l.enter(one) {
		return nil, errors.Join(net.ErrClosed, c.Close())
	}
	return one, nil
}

// enter makes room for a connection; false if the listener is closed. It waits while each connection is held or is
// being read, which is short: what holds them is bounded.
func (l *Listener) enter(one *Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.open) >= l.most && !l.closed {
		worst := l.worst()
		if worst == nil {
			l.changed.Wait()
			continue
		}
		delete(l.open, worst)
		_ = worst.Conn.Close() // the server that reads from it learns why it ends
	}
	l.open[one] = true
	return !l.closed
}

// worst is the connection to close for another one; nil if there is none.
func (l *Listener) worst() (worst *Conn) {
	waiting := map[string]int{} // connections of each client
	for c := range l.open {
		if c.mayClose() {
			waiting[c.client]++
		}
	}
	for c := range l.open {
		if c.mayClose() && (worst == nil || closeBefore(c, worst, waiting)) {
			worst = c
		}
	}
	return worst
}

// closeBefore reports whether a is to be closed rather than b. This is the rule of the package.
func closeBefore(a, b *Conn, waiting map[string]int) bool {
	if a.known != b.known {
		return b.known
	}
	return cmp.Or(cmp.Compare(waiting[b.client], waiting[a.client]), a.since.Compare(b.since)) < 0
}

// Close ends Accept. The connections stay open.
func (l *Listener) Close() error {
	l.mu.Lock()
	l.closed = true
	l.changed.Broadcast()
	l.mu.Unlock()
	return l.Listener.Close()
}

// change changes the state of a connection, and tells Accept.
func (l *Listener) change(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
	l.changed.Signal()
}
