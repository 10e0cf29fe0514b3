package crash

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"

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
}

func (s *watchedService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests++
	mine := s.requests == s.at
	s.mu.Unlock()
	if s.arrival != nil {
		s.arrival()
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
