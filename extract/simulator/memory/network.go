package memory

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Network is a network with one address, at which a server accepts every connection that is
// dialled. It is a net.Listener.
type Network struct {
	connections chan net.Conn
	closed      chan struct{}
	once        sync.Once
}

// New returns a network without a server.
func New() *Network {
	return &Network{connections: make(chan net.Conn), closed: make(chan struct{})}
}

// Serve serves a handler in a new network. stop closes the server, and returns when its goroutine has ended.
func Serve(h http.Handler) (n *Network, stop func()) {
	n = New()
	server := &http.Server{Handler: h}
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(n) })
	return n, func() {
		server.Close()
		serving.Wait()
	}
}

// Accept waits for a connection. After Close it returns net.ErrClosed.
func (n *Network) Accept() (net.Conn, error) {
	select {
	case c := <-n.connections:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

// Close ends every Accept and Dial that waits. Connections stay open. It
// returns nil: it has an error because net.Listener has one.
func (n *Network) Close() error {
	n.once.Do(func() { close(n.closed) })
	return nil
}

// Addr returns a loopback address, because a client may use plain http only there.
func (n *Network) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// Dial connects to the server, whatever the address. It waits until the server accepts, and
// returns the context's error or net.ErrClosed if it does not.
func (n *Network) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case n.connections <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-n.closed:
		return nil, net.ErrClosed
	}
}
