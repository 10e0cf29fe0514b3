package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/schedules/listen/times"
	"github.com/fleetlake/fleetlake/schedules/page"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// largeAnswer is more than what the system takes of an answer that nobody reads.
const largeAnswer = 8 << 20

// heldPage is a page with a statement that does not end, a file that ends with an error, and a large answer.
type heldPage struct {
	address string
	counted *countingListener
	asked   chan struct{} // an element per statement that has begun
	end     chan struct{} // closed, the statements end
}

func newHeldPage(t testing.TB) *heldPage {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &heldPage{address: l.Addr().String(), counted: &countingListener{Listener: l},
		asked: make(chan struct{}, maxConnections), end: make(chan struct{})}
	handler, err := page.New(page.Config{Dir: t.TempDir(),
		Ask: func(context.Context, string, func(worker.Progress)) (page.Table, error) {
			p.asked <- struct{}{}
			<-p.end
			return page.Table{}, nil
		},
		AskFile: func(_ context.Context, _, _ string, to io.Writer) error {
			to.Write(make([]byte, 100_000)) // the client may not read it
			return errors.New("planted")
		},
		Share: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Write(make([]byte, largeAnswer)) // the client may not read it
		})})
	if err != nil {
		t.Fatal(err)
	}
	stop := serveOn(p.counted, handler, times.Of(time.Minute).Write(), slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		stop()
		if err := handler.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// heldKinds are the first bytes of connections that take a place and do nothing with it: silent, within the header,
// within the body of a form, a form that nobody reads, and two that read nothing of what they ask for.
var heldKinds = []string{
	"",
	"GET / HTTP/1.1\r\nHost: local",
	"POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nsql=",
	"POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx",
	"GET /warehouse/fleet.duckdb HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"GET /style.css HTTP/1.1\r\nHost: localhost\r\n\r\n",
}

// hold opens connections of all kinds, which stay open until the end of the test.
func (p *heldPage) hold(t testing.TB, n int) {
	t.Helper()
	for i := range n {
		c, err := net.Dial("tcp", p.address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if err := c.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, heldKinds[i%len(heldKinds)]) // the server may have closed it already
	}
}

// TestAMonitorIsAnsweredAmongAnyClients: as many clients of each kind as there are connections, and statements that do
// not end. Each time that a monitor asks at the same address it is answered, while all of them are there.
func TestAMonitorIsAnsweredAmongAnyClients(t *testing.T) {
	p := newHeldPage(t)
	var asking sync.WaitGroup
	for range 8 {
		asking.Go(func() { askedWhole(t, p.address) })
	}
	for range 8 {
		<-p.asked
	}
	p.hold(t, maxConnections*len(heldKinds))
	monitor := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	for range 100 {
		answer, err := monitor.Get("http://" + p.address + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "ok\n" {
			t.Fatalf("%q, %v", text, err)
		}
		answer.Body.Close()
	}
	if most := p.counted.most.Load(); most != maxConnections+1 { // one is accepted before another one is closed
		t.Errorf("%d connections at once, expected %d and as many", most, maxConnections+1)
	}
	close(p.end)
	asking.Wait() // none of the statements was cut off
}

// askedWhole asks a statement and expects a whole answer.
func askedWhole(t *testing.T, address string) {
	answer, err := (&http.Client{Transport: &http.Transport{}}).Get("http://" + address + "/ask?sql=FROM+vessels")
	if err != nil {
		t.Error(err)
		return
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(text), "</html>") {
		t.Errorf("%v, %s", err, text)
	}
}

// TestASlowReaderIsNotCutOff although many clients read nothing of what they asked for, and others come.
func TestASlowReaderIsNotCutOff(t *testing.T) {
	p := newHeldPage(t)
	reader, err := (&http.Client{Transport: &http.Transport{}}).Get("http://" + p.address + "/warehouse/fleet.duckdb")
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Body.Close()
	for range 4 {
		if n, err := io.CopyN(io.Discard, reader.Body, largeAnswer/4); err != nil {
			t.Fatalf("%d bytes, then %v", n, err)
		}
		p.hold(t, maxConnections)
	}
}

// TestPartOfAFileIsAnErrorOfItsConnection for a client of HTTP/1.0, which takes the end of a connection for that of the
// file.
func TestPartOfAFileIsAnErrorOfItsConnection(t *testing.T) {
	p := newHeldPage(t)
	c, err := net.Dial("tcp", p.address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "GET /ask?sql=x&format=csv HTTP/1.0\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(c); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("%d bytes, then %v", len(text), err)
	}
}

// BenchmarkHealthz among clients of all kinds that hold their connections.
func BenchmarkHealthz(b *testing.B) {
	p := newHeldPage(b)
	defer close(p.end)
	p.hold(b, maxConnections*len(heldKinds))
	monitor := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		answer, err := monitor.Get("http://" + p.address + "/healthz")
		if err != nil {
			b.Fatal(err)
		}
		answer.Body.Close()
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	for _, percent := range []int{50, 99} {
		b.ReportMetric(float64(took[(len(took)-1)*percent/100].Microseconds()), fmt.Sprintf("p%d-µs", percent))
	}
}

// countingListener counts the connections that were accepted and not closed yet.
type countingListener struct {
	net.Listener
	open, most atomic.Int64
}

func (l *countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	n := l.open.Add(1)
	for most := l.most.Load(); n > most && !l.most.CompareAndSwap(most, n); most = l.most.Load() {
	}
	return &countedConn{TCPConn: c.(*net.TCPConn), from: l}, nil
}

type countedConn struct {
	*net.TCPConn
	from   *countingListener
	closed atomic.Bool
}

func (c *countedConn) Close() error {
	if !c.closed.Swap(true) {
		c.from.open.Add(-1)
	}
	return c.TCPConn.Close()
}
