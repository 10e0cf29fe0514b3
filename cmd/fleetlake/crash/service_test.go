package crash

import (
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
)

// moment is where in an answer the service kills the program.
type moment int

// The moments of an answer.
const (
	arrived  moment = iota // the request is there, and not billed
	billed                 // it is billed, and nothing of the answer is sent
	halfSent               // half of the body is sent
	allSent                // all of it is
	moments
)

func (m moment) String() string {
	return [...]string{"when request %d has arrived", "when request %d is billed", "in the middle of answer %d", "when answer %d is sent"}[m]
}

// watchedService answers as the simulator does. It kills the program at a moment of an answer.
type watchedService struct {
	sim *simulator.Simulator

	mu       sync.Mutex
	requests int    // so far
	at       int    // the answer at which it kills, from 1; 0 is none
	moment   moment // of this answer
	kill     func() // ends the program
	arrival  func() // is called for each request before its answer; may be nil

	open   int        // connections
	closed *sync.Cond // that a connection is
}

// start serves it until the test ends, and returns the address.
func (s *watchedService) start(t testing.TB) (address string) {
	s.closed = sync.NewCond(&s.mu)
	server := httptest.NewUnstartedServer(s)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch state {
		case http.StateNew:
			s.open++
		case http.StateClosed:
			s.open--
			s.closed.Broadcast()
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// nobody is the path of a request that is none of the program's.
const nobody = "/nobody"

// starting starts a process that sends requests. These see all that was set before: the race detector does not see
// that the process lies between.
func (s *watchedService) starting(start func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return start()
}

// settle returns when the requests of a process that has ended are all answered: some of them may be in the
// listener's queue when it is killed, and are billed after that. The queue is in the order of arrival.
func (s *watchedService) settle(t testing.TB, address string) {
	t.Helper()
	last, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get(address + nobody)
	if err != nil {
		t.Fatal(err)
	}
	last.Body.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.open > 0 {
		s.closed.Wait()
	}
}

func (s *watchedService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == nobody {
		return
	}
	s.mu.Lock()
	s.requests++
	mine, arrival := s.requests == s.at, s.arrival
	s.mu.Unlock()
	if arrival != nil {
		arrival()
	}
	at := func(m moment) bool {
		if !mine || m != s.moment {
			return false
		}
		s.kill()
		return true
	}
	if at(arrived) {
		return
	}
	answer := httptest.NewRecorder()
	s.sim.ServeHTTP(answer, r)
	at(billed)
	body := answer.Body.Bytes()
	maps.Copy(w.Header(), answer.Header())
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(answer.Code)
	w.Write(body[:len(body)/2])
	w.(http.Flusher).Flush()
	at(halfSent)
	w.Write(body[len(body)/2:])
	w.(http.Flusher).Flush()
	at(allSent)
}
