package flight

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/peer"
)

// lookAgain is how long a client waits for a connection until the strangers are looked for again.
const lookAgain = 50 * time.Millisecond

// connections bounds the connections at the same time. At the limit, the oldest one is closed that has sent no request
// of a known client; if there is none, others wait in the system's queue until one is closed, which the idle ones are
// after a while.
type connections struct {
	room   chan struct{} // an element per connection
	closed chan struct{}
	once   sync.Once

	mu        sync.Mutex
	open      map[string]*boundedConn // by the address of the client
	strangers []*boundedConn          // the oldest first
}

func newConnections(most int) *connections {
	return &connections{room: make(chan struct{}, most), closed: make(chan struct{}), open: map[string]*boundedConn{}}
}

// known notes that the client of a request is known.
func (c *connections) known(ctx context.Context) { c.forget(c.of(ctx)) }

// cut closes the connection of a request.
func (c *connections) cut(ctx context.Context) {
	if one := c.of(ctx); one != nil {
		one.Close()
	}
}

// of is the connection of a request; nil if it is closed.
func (c *connections) of(ctx context.Context) *boundedConn {
	from, ok := peer.FromContext(ctx)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[from.Addr.String()]
}

// forget takes a connection from the strangers.
func (c *connections) forget(one *boundedConn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.strangers, one); i >= 0 {
		c.strangers = slices.Delete(c.strangers, i, i+1)
	}
}

// makeRoom waits until there is room for a connection; false if the listener is closed.
func (c *connections) makeRoom() bool {
	for {
		select {
		case c.room <- struct{}{}:
			return true
		case <-c.closed:
			return false
		case <-time.After(lookAgain):
		}
		c.mu.Lock()
		var oldest *boundedConn
		if len(c.strangers) > 0 {
			oldest = c.strangers[0]
		}
		c.mu.Unlock()
		if oldest != nil {
			oldest.Close()
		}
	}
}

// bounded is a listener with a bound of its connections.
type bounded struct {
	net.Listener
	*connections
}

func (b *bounded) Accept() (net.Conn, error) {
	if !b.makeRoom() {
		return nil, net.ErrClosed
	}
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.room
		return nil, err
	}
	one := &boundedConn{Conn: c, among: b.connections}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open[c.RemoteAddr().String()] = one
	b.strangers = append(b.strangers, one)
	return one, nil
}

func (b *bounded) Close() error {
	b.once.Do(func() { close(b.closed) })
	return b.Listener.Close()
}

type boundedConn struct {
	net.Conn
	among *connections
	once  sync.Once
}

func (c *boundedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() {
		c.among.forget(c)
		c.among.mu.Lock()
		delete(c.among.open, c.RemoteAddr().String())
		c.among.mu.Unlock()
		<-c.among.room
	})
	return err
}
