package flight

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// TestAClientThatReadsNothingLocksNobodyOut: it opens as many answers as may run and reads none. After queries.stall
// their turns are others', and its connections are closed with what waits to be sent.
func TestAClientThatReadsNothingLocksNobodyOut(t *testing.T) {
	f := newServer(t, func(w *worker.Config, _ *Config) { w.Limits.Stall = 500 * time.Millisecond })
	for range 2 {
		stuck := f.client()
		info, err := stuck.Execute(t.Context(), "SELECT repeat('x', 1000) AS s FROM range(200000)")
		if err != nil {
			t.Fatal(err)
		}
		r, err := stuck.DoGet(t.Context(), info.GetEndpoint()[0].GetTicket())
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
	}
	if got := f.client().good("SELECT 1"); got != "1;" {
		t.Errorf("another client: %s", got)
	}
	for end := time.Now().Add(10 * time.Second); f.pool.Stats().Running > 0; {
		if time.Now().After(end) {
			t.Fatalf("%d queries run for a client that reads nothing", f.pool.Stats().Running)
		}
		time.Sleep(10 * time.Millisecond) // a pool announces nobody
	}
	if !strings.Contains(f.log.String(), "outcome=stalled") {
		t.Errorf("log: %s", f.log)
	}
}

// TestSilentConnectionsTakeNoPlace: as many connections as there may be, that send nothing or only the preface, are
// closed for a client who asks.
func TestSilentConnectionsTakeNoPlace(t *testing.T) {
	f := newServer(t, func(_ *worker.Config, c *Config) { c.Clients = clients })
	known := f.client()
	robot := with(t.Context(), "Bearer token-of-the-robot")
	if got, err := known.query(robot, "SELECT 1"); err != nil || got != "1;" {
		t.Fatal(got, err)
	}
	for i := range 2 * maxConnections {
		c, err := net.Dial("tcp", f.address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if i%2 == 0 {
			if _, err := c.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")); err != nil {
				t.Fatal(err)
			}
		}
	}
	began := time.Now()
	if got, err := f.client().query(robot, "SELECT 2"); err != nil || got != "2;" {
		t.Errorf("a new client: %s, %v", got, err)
	}
	if got, err := known.query(robot, "SELECT 3"); err != nil || got != "3;" {
		t.Errorf("a client that was there before: %s, %v", got, err)
	}
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestAFloodOfOneTokenDelaysNoOther: one client sends more statements than may run and wait, each of which takes as long
// as any may, and another one has its answer at once.
func TestAFloodOfOneTokenDelaysNoOther(t *testing.T) {
	f := newServer(t, func(w *worker.Config, c *Config) {
		c.Clients = []Client{{Name: "robot", Token: "token-of-the-robot"}, {Name: "anna", Token: "token-of-anna"}}
		w.Limits.Time = 10 * time.Second
	})
	robot, anna := f.client(), f.client()
	flooding, leave := context.WithCancel(with(t.Context(), "Bearer token-of-the-robot"))
	defer leave()
	var flood sync.WaitGroup
	defer flood.Wait()
	for range 40 {
		flood.Go(func() {
			_, _ = robot.query(flooding, "SELECT count(*) FROM range(100000000) AS a, range(100000) AS b") // ends with leave
		})
	}
	for s := f.pool.Stats(); s.Running < 1 || s.Waiting < 15; s = f.pool.Stats() {
		time.Sleep(time.Millisecond) // a pool announces nobody
	}
	for range 3 {
		began := time.Now()
		got, err := anna.query(with(t.Context(), "Bearer token-of-anna"), "SELECT 1")
		if took := time.Since(began); err != nil || got != "1;" || took > 5*time.Second {
			t.Errorf("the other client: %s, %v after %v", got, err, took)
		}
	}
	if s := f.pool.Stats(); s.Running != 1 || s.Waiting != 15 {
		t.Errorf("of 2 places and 30 in the queue the flood has %d and %d", s.Running, s.Waiting)
	}
	leave()
}

// TestWrongTokensAreLoggedAndWait, and who has the right one does not.
func TestWrongTokensAreLoggedAndWait(t *testing.T) {
	f := newServer(t, func(_ *worker.Config, c *Config) { c.Clients = clients })
	c := f.client()
	wrong, right := with(t.Context(), "Bearer planted-guess"), with(t.Context(), "Bearer token-of-the-robot")
	guess := func() time.Duration {
		began := time.Now()
		if _, err := c.GetTableTypes(wrong); status.Code(err) != codes.Unauthenticated {
			t.Errorf("a wrong token: %v", err)
		}
		return time.Since(began)
	}
	for range maxWrong {
		if took := guess(); took >= wrongWaits {
			t.Errorf("it took %v", took)
		}
	}
	if took := guess(); took < wrongWaits {
		t.Errorf("after %d of them: %v", maxWrong, took)
	}
	began := time.Now()
	if _, err := c.GetTableTypes(right); err != nil || time.Since(began) >= wrongWaits {
		t.Errorf("the right one: %v after %v", err, time.Since(began))
	}
	if log := f.log.String(); strings.Count(log, "wrong token for Flight SQL") != 2 || strings.Contains(log, "planted-guess") {
		t.Errorf("log: %s", log)
	}
}
