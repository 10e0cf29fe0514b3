package pipeline

import (
	"context"
	"net"
	"net/http"
	"testing"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/simulator"
)

// memory is a network of pipes, so that client and simulator live in one bubble of virtual
// time and the documented limits can be kept at full length in seconds.
type memory struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (m memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

func (m memory) Close() error   { return nil }
func (m memory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func (m memory) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case m.conns <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

// connect serves a simulator in memory, until the test ends, and returns how to call it.
func connect(t *testing.T, sim *simulator.Simulator, key string) (extract.Service, func()) {
	t.Helper()
	m := memory{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: sim}
	done := make(chan struct{})
	go func() {
		server.Serve(m)
		close(done)
	}()
	stop := func() {
		close(m.closed)
		server.Close()
		<-done
	}
	return extract.Service{BaseURL: "http://127.0.0.1" + simulator.BasePath, Key: key, Dial: m.dial, MaxInFlight: 8}, stop
}
