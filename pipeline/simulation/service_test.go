package simulation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/extract/simulator/memory"
)

// service is a simulated service, and a record of each answer that it sent whole. It can be out of
// order for a while, and calls kill at a request.
type service struct {
	answers http.Handler

	mu       sync.Mutex
	sent     []sent
	requests int    // priced ones, since the run began
	killAt   int    // the request at which the process is killed; 0 is none
	answered bool   // it is killed when the service has answered, and else before
	kill     func() // freezes the data directory
	dead     bool   // the process is killed: none of its requests arrives
	away     string // "503", "hanging" or "refused" until the time back
	back     time.Time
	reached  func() // called at the first priced request of a run; may be nil
}

// sent is an answer with data that the service sent whole.
type sent struct {
	at                          time.Time // of the virtual clock, not of the one that a night changed
	operation, parameters, body string
}

// start serves it in memory.
func (s *service) start() (extract.Service, func()) {
	network, stop := memory.Serve(s)
	return extract.Service{BaseURL: "http://127.0.0.1" + simulator.BasePath, Key: "k", Dial: network.Dial}, stop
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	operation, parameters := read(r)
	priced := operation != "" && operation != api.Credits.Name && !strings.Contains(parameters, "accepted-values")
	if !s.admit(w, r, priced) {
		panic(http.ErrAbortHandler)
	}
	a := httptest.NewRecorder()
	cut := aborts(func() { s.answers.ServeHTTP(a, r) })
	whole := !cut && a.Code == http.StatusOK && a.Header().Get("Content-Length") == fmt.Sprint(a.Body.Len()) && json.Valid(a.Body.Bytes())
	s.mu.Lock()
	if whole && priced {
		s.sent = append(s.sent, sent{time.Now(), operation, parameters, a.Body.String()})
	}
	if priced && s.killAt > 0 && s.requests >= s.killAt && !s.dead {
		s.dead = true
		s.kill()
	}
	dead := s.dead
	s.mu.Unlock()
	if cut || dead {
		panic(http.ErrAbortHandler)
	}
	for name, values := range a.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(a.Code)
	w.Write(a.Body.Bytes())
}

// admit counts a request, and reports whether it arrives.
func (s *service) admit(w http.ResponseWriter, r *http.Request, priced bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return false
	}
	if time.Now().Before(s.back) {
		if s.away == "hanging" {
			s.mu.Unlock()
			<-r.Context().Done()
			s.mu.Lock()
		}
		if s.away == "503" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return false
		}
		return false
	}
	if !priced {
		return true
	}
	if s.requests++; s.requests == 1 && s.reached != nil {
		s.mu.Unlock() // it waits in virtual time, and nothing that waits for a mutex lets that pass
		s.reached()
		s.mu.Lock()
	}
	if s.killAt > 0 && s.requests >= s.killAt && !s.answered {
		s.dead = true
		s.kill()
	}
	return !s.dead
}

// aborts calls f, and reports whether it dropped the connection.
func aborts(f func()) (aborted bool) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			aborted = true
		default:
			panic(p)
		}
	}()
	f()
	return false
}

// read returns the operation and the parameters of a request, as the service reads them. The request
// can be read again.
func read(r *http.Request) (operation, parameters string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", ""
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	values := r.URL.Query()
	var fields map[string]string
	if json.Unmarshal(body, &fields) == nil {
		for name, value := range fields {
			values.Set(name, value)
		}
	}
	for _, o := range api.Operations {
		if strings.HasSuffix(r.URL.Path, o.Path) && r.Method == o.Method {
			operation = o.Name
		}
	}
	return operation, values.Encode()
}

// begin resets what is counted for each run.
func (s *service) begin(killAt int, answered bool, kill func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.killAt, s.answered, s.kill, s.dead, s.reached = 0, killAt, answered, kill, false, nil
}

// awayDuring calls a run, some time after whose start the service is away for a while: it answers "503", it is "hanging",
// or connections are "refused". It is back when the run has ended.
func (s *service) awayDuring(after, lasting time.Duration, how string, run func()) {
	away := time.AfterFunc(after, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.away, s.back = how, time.Now().Add(lasting)
	})
	run()
	away.Stop()
	s.mu.Lock()
	s.back = time.Time{}
	s.mu.Unlock()
}

// isDead reports whether the process was killed.
func (s *service) isDead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead
}

// query parses canonical parameters.
func query(parameters string) url.Values {
	q, err := url.ParseQuery(parameters)
	if err != nil {
		panic(err) // the service answered it
	}
	return q
}
