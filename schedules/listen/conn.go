package listen

import (
	"net"
	"sync"
	"time"
)

// Conn is a connection that is closed for another one while it waits for its client and is not held.
type Conn struct {
	net.Conn
	of *Listener

	// of.mu guards these:
	client  string
	known   bool      // the client has shown a token
	held    int       // requests that are being answered
	waiting int       // reads and writes under way
	since   time.Time // it was accepted, or released
}

// Of is the connection that a server knows by its local address; nil if it is not one of a Listener.
func Of(local net.Addr) *Conn {
	if a, ok := local.(address); ok {
		return a.of
	}
	return nil
}

// address is the address of a connection, and leads back to it: servers hand addresses on, and no connections.
type address struct {
	net.Addr
	of *Conn
}

// LocalAddr is net.Conn's, for Of.
func (c *Conn) LocalAddr() net.Addr { return address{c.Conn.LocalAddr(), c} }

// Hold keeps the connection open while a request of it is answered, until release is called.
func (c *Conn) Hold() (release func()) {
	if c == nil {
		return func() {}
	}
	c.of.change(func() { c.held++ })
	return sync.OnceFunc(func() {
		c.of.change(func() { c.held, c.since = c.held-1, time.Now() })
	})
}

// Known says whose the connection is: a client who has shown a token.
func (c *Conn) Known(client string) {
	if c != nil {
		c.of.change(func() { c.client, c.known = client, true })
	}
}

// mayClose reports whether the connection may be closed for another one.
func (c *Conn) mayClose() bool { return c.held == 0 && c.waiting > 0 }

// wait notes that the connection waits for its client, until end is called.
func (c *Conn) wait() (end func()) {
	c.of.change(func() { c.waiting++ })
	return func() { c.of.change(func() { c.waiting-- }) }
}

// Read is net.Conn's.
func (c *Conn) Read(b []byte) (int, error) {
	defer c.wait()()
	return c.Conn.Read(b)
}

// Write is net.Conn's.
func (c *Conn) Write(b []byte) (int, error) {
	defer c.wait()()
	return c.Conn.Write(b)
}

// Cut closes the connection, whoever holds it.
func (c *Conn) Cut() {
	if c != nil {
		_ = c.Close() // the server that reads from it learns why it ends
	}
}

// Reset makes the next Close one that the client of a TCP connection takes for an error, and not for the end of what it
// receives.
func (c *Conn) Reset() {
	if c == nil {
		return
	}
	if tcp, ok := c.Conn.(interface{ SetLinger(seconds int) error }); ok {
		_ = tcp.SetLinger(0) // of a connection that may be closed already
	}
}

// Close is net.Conn's.
func (c *Conn) Close() error {
	err := c.Conn.Close()
	c.of.change(func() { delete(c.of.open, c) })
	return err
}
