package listen

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// from is the address of a client.
type from string

func (f from) Network() string { return "tcp" }
func (f from) String() string  { return string(f) + ":1" }

// addressed is a connection of a client.
type addressed struct {
	net.Conn
	from
}

func (a addressed) RemoteAddr() net.Addr { return a.from }

// arrivals is a listener of connections that a test sends.
type arrivals chan net.Conn

func (a arrivals) Accept() (net.Conn, error) {
	c, ok := <-a
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (a arrivals) Close() error   { close(a); return nil }
func (a arrivals) Addr() net.Addr { return from("here") }

// server is a limited listener whose server reads from each connection until it ends.
type server struct {
	arrivals arrivals
	*Listener
	open    map[string]*Conn // by the name of the client and the number of its connection
	came    []string
	clients []net.Conn
	gone    sync.Map // the names of those that have ended
}

func newServer(most int) *server {
	s := &server{arrivals: make(arrivals), open: map[string]*Conn{}}
	s.Listener = Limit(s.arrivals, most)
	return s
}

// comes connects a client; the server accepts it, and reads unless it is busy with it.
func (s *server) comes(name string, busy bool) {
	client, end := net.Pipe()
	s.clients = append(s.clients, client)
	accepted := make(chan net.Conn, 1)
	go func() {
		if c, err := s.Accept(); err == nil {
			accepted <- c
		}
	}()
	s.arrivals <- addressed{end, from(name)}
	synctest.Wait()
	name = fmt.Sprint(name, " ", len(s.came))
	s.came = append(s.came, name)
	one := (<-accepted).(*Conn)
	s.open[name] = one
	if busy {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, one) // until it is closed
		one.Close()
		s.gone.Store(name, true)
	}()
	synctest.Wait()
	time.Sleep(time.Second) // of the bubble: none is as old as another
}

// stay are the connections that are open.
func (s *server) stay() []string {
	synctest.Wait()
	return slices.DeleteFunc(slices.Clone(s.came), func(name string) bool {
		_, gone := s.gone.Load(name)
		return gone
	})
}

// leave ends all connections.
func (s *server) leave() {
	for _, c := range s.open {
		c.Cut()
	}
	s.Listener.Close()
	synctest.Wait()
}

func (s *server) expect(t *testing.T, want ...string) {
	t.Helper()
	if got := s.stay(); !slices.Equal(got, want) {
		t.Errorf("%q stay, expected %q", got, want)
	}
}

func TestWhoHasMostGoesFirst(t *testing.T) {
	for name, test := range map[string]struct {
		clients []string
		stay    []string
	}{
		"the oldest of one client":           {[]string{"a", "a", "a", "a"}, []string{"a 1", "a 2", "a 3"}},
		"the oldest of the client with most": {[]string{"b", "a", "a", "c"}, []string{"b 0", "a 2", "c 3"}},
		"the oldest of several with as many": {[]string{"b", "a", "c", "d"}, []string{"a 1", "c 2", "d 3"}},
		"a flood closes its own":             {[]string{"b", "a", "a", "a", "a", "a"}, []string{"b 0", "a 4", "a 5"}},
		"one network of IPv6 is one client":  {[]string{"[2001:db8::9]", "10.0.0.1", "[2001:db8::1]", "c"}, []string{"10.0.0.1 1", "[2001:db8::1] 2", "c 3"}},
		"none, while there is room":          {[]string{"a", "a", "a"}, []string{"a 0", "a 1", "a 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer(3)
				defer s.leave()
				for _, c := range test.clients {
					s.comes(c, false)
				}
				s.expect(t, test.stay...)
			})
		})
	}
}

func TestAHeldConnectionStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(2)
		defer s.leave()
		s.comes("a", false)
		release := s.open["a 0"].Hold()
		again := s.open["a 0"].Hold()
		s.comes("a", false)
		s.comes("b", false)
		s.expect(t, "a 0", "b 2")
		release()
		release() // a second time is nothing
		s.comes("b", false)
		s.expect(t, "a 0", "b 3")
		again()
		time.Sleep(time.Second)
		s.comes("c", false)
		s.expect(t, "a 0", "c 4") // it was released after b came
	})
}

// TestAConnectionThatIsReadStays: the server has not begun to wait for its client, whose request may have come.
func TestAConnectionThatIsReadStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(1)
		defer s.leave()
		s.comes("a", true)
		_, end := net.Pipe()
		accepted := false
		go func() {
			_, err := s.Accept()
			accepted = err == nil
		}()
		s.arrivals <- addressed{end, from("b")}
		synctest.Wait()
		if accepted {
			t.Fatal("closed before its client had a chance")
		}
		go func() { _, _ = s.open["a 0"].Read(make([]byte, 1)) }()
		synctest.Wait()
		if !accepted {
			t.Error("another client waits although this one says nothing")
		}
	})
}

// TestPartOfARequestHelpsNobody: who sends a byte now and then goes before who came later.
func TestPartOfARequestHelpsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(2)
		defer s.leave()
		s.comes("a", false)
		s.comes("a", false)
		if _, err := s.clients[0].Write([]byte("GET")); err != nil {
			t.Fatal(err)
		}
		s.comes("a", false)
		s.expect(t, "a 1", "a 2")
	})
}

// TestAStrangerGoesBeforeAKnownClient, who has more connections.
func TestAStrangerGoesBeforeAKnownClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(3)
		defer s.leave()
		s.comes("a", false)
		s.comes("a", false)
		s.comes("b", false)
		s.open["a 0"].Known("token")
		s.open["a 1"].Known("token")
		s.comes("b", false)
		s.comes("c", false)
		s.expect(t, "a 0", "a 1", "c 4")
		s.open["c 4"].Known("another token")
		s.comes("d", false)
		s.expect(t, "a 1", "c 4", "d 5")
	})
}

// TestAClosedListenerAcceptsNothing, also if it waits for room.
func TestAClosedListenerAcceptsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(1)
		s.comes("a", true)
		client, end := net.Pipe()
		ended := make(chan error, 1)
		go func() {
			_, err := s.Accept()
			ended <- err
		}()
		s.arrivals <- addressed{end, from("b")}
		synctest.Wait()
		s.Listener.Close()
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("%v", err)
		}
		if _, err := client.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("the client that waited for room: %v", err)
		}
	})
}

// TestOf leads from the address that a server knows to the connection.
func TestOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(1)
		defer s.leave()
		s.comes("a", false)
		one := s.open["a 0"]
		if Of(one.LocalAddr()) != one || one.LocalAddr().String() != "pipe" {
			t.Errorf("%v, of %v", Of(one.LocalAddr()), one.LocalAddr())
		}
		if Of(from("elsewhere")) != nil || Of(nil) != nil {
			t.Error("a connection of no address")
		}
		var none *Conn
		none.Hold()()
		none.Known("nobody")
		none.Cut()
	})
}
