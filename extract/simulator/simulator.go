package simulator

import (
	"crypto/subtle"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fleetlake/fleetlake/extract"
)

// Simulator serves a fleet. It is safe for concurrent use.
type Simulator struct {
	config   Config
	laws     laws
	yard     *yard
	gates    map[string]*gate
	ledger   *ledger
	disorder disorder
	control  *http.ServeMux

	setting sync.Mutex // one change of day at a time
	today   atomic.Pointer[census]
}

// New makes a simulator that stands at day 0.
func New(c Config) (*Simulator, error) {
	c, err := c.complete()
	if err != nil {
		return nil, fmt.Errorf("simulator: %w", err)
	}
	s := &Simulator{config: c, laws: laws{c.Rates, c.Dirt}, yard: newYard(c), gates: newGates(c), ledger: newLedger(c)}
	s.disorder.seed = mix(c.Seed + 1)
	s.control = s.controls()
	s.SetDay(0)
	return s, nil
}

// SetDay moves the simulator to a day, forwards or backwards. Days before day 0 are day 0.
func (s *Simulator) SetDay(day int) {
	s.setting.Lock()
	defer s.setting.Unlock()
	day = max(day, 0)
	if f := s.today.Load(); f == nil || f.day != day {
		s.today.Store(take(s.yard, s.laws, &s.config, day))
	}
}

// Day is the day at which the simulator stands.
func (s *Simulator) Day() int { return s.today.Load().day }

// Date is the civil date of that day.
func (s *Simulator) Date() time.Time { return s.today.Load().date }

// census is the fleet of a day.
func (s *Simulator) census(day int) *census {
	if f := s.today.Load(); f.day == day {
		return f
	}
	return take(s.yard, s.laws, &s.config, max(day, 0))
}

// Warm renders the pages of every country, so that requests for them cost next to nothing.
// It stops where the cache is full.
func (s *Simulator) Warm() {
	f := s.today.Load()
	for country, all := range f.byCountry {
		for n := 1; (n-1)*extract.PageSize < len(all); n++ {
			f.byType(query{country: country, kind: -1, page: n}, "")
		}
	}
}

// ServeHTTP answers the requests of the API and of the control paths.
func (s *Simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/simulator/") {
		s.control.ServeHTTP(w, r)
		return
	}
	for _, o := range extract.Operations {
		if r.URL.Path != BasePath+o.Path {
			continue
		}
		if r.Method != o.Method {
			refuseA(http.StatusMethodNotAllowed, Invalid, "Method not allowed").write(w)
			return
		}
		s.serve(o, w, r)
		return
	}
	refuseA(http.StatusNotFound, NotFound, "No such endpoint").write(w)
}

// serve answers a request of an operation and books it.
func (s *Simulator) serve(o extract.Operation, w http.ResponseWriter, r *http.Request) {
	defer s.ledger.enter(o.Name)()
	f, received := s.today.Load(), time.Now()
	parameters, a := s.answer(f, o, r)
	s.ledger.record(Request{
		Day: f.day, Received: received, Answered: time.Now(), Operation: o.Name, Parameters: parameters,
		Status: a.status, Outcome: a.outcome, Credits: a.credits, Rows: a.rows, Fault: a.fault,
	})
	a.write(w)
}

// answer judges a request in the order that the package's comment gives.
func (s *Simulator) answer(f *census, o extract.Operation, r *http.Request) (string, answer) {
	if subtle.ConstantTimeCompare([]byte(r.Header.Get("x-api-key")), []byte(s.config.Key)) != 1 {
		return r.URL.Query().Encode(), unauthorized()
	}
	open, wait := s.gates[o.Name].take(time.Now())
	q, refusal := read(o, r)
	if refusal != nil {
		return q.parameters, *refusal
	}
	fault := s.disorder.strike(o, q.parameters)
	fault.pause(r.Context())
	if !open {
		if !s.config.RetryAfter {
			wait = 0
		}
		return q.parameters, limited(o, wait)
	}
	return q.parameters, s.sell(f, o, q, fault)
}

// sell finds the data and charges for them, unless a fault comes in place of that.
func (s *Simulator) sell(f *census, o extract.Operation, q query, fault strike) answer {
	if fault.instead != nil && !fault.instead.Billed {
		var proper answer
		if fault.instead.Kind == Truncated {
			proper = s.find(f, o, q, fault.alter)
		}
		return fault.instead.answer(o, proper, s.config.Vague)
	}
	a := s.find(f, o, q, fault.alter)
	if !s.ledger.charge(o.Credits, a.credits) {
		return noCredits(o, s.config.Vague)
	}
	a.fault = fault.alter
	if fault.instead != nil {
		credits := a.credits
		a = fault.instead.answer(o, a, s.config.Vague)
		a.credits = credits
	}
	return a
}

// find makes the answer of an operation, with what it costs.
func (s *Simulator) find(f *census, o extract.Operation, q query, alter FaultKind) answer {
	switch o.Name {
	case extract.ByStatus.Name:
		return f.byStatus(q, alter)
	case extract.ByType.Name:
		return f.byType(q, alter)
	case extract.Credits.Name:
		return s.balance()
	default:
		return f.lookup(o, q.vessel)
	}
}

// balance answers my credits, as an object or as a sentence.
func (s *Simulator) balance() answer {
	credits := s.Bill().Balance
	detail := any(map[string]int{"credits": credits})
	if s.config.BalanceText {
		detail = strconv.Itoa(credits) + " credits left."
	}
	return answer{status: http.StatusOK, body: encode(map[string]any{"detail": detail}), outcome: OK}
}

func unauthorized() answer {
	return refuseA(http.StatusUnauthorized, Denied, "Invalid or missing API key")
}

// vagueWords refuse a request for either reason.
const vagueWords = "Insufficient credits or endpoint is blacklisted for this API key"

func noCredits(o extract.Operation, vague bool) answer {
	if vague {
		return refuse(o, http.StatusBadRequest, Refused, vagueWords)
	}
	return refuse(o, http.StatusBadRequest, Refused, "Insufficient credits")
}

func blocked(o extract.Operation, vague bool) answer {
	if vague {
		return refuse(o, http.StatusBadRequest, Refused, vagueWords)
	}
	return refuse(o, http.StatusBadRequest, Refused, "Endpoint is blacklisted for this API key")
}
