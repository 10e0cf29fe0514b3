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

	"github.com/fleetlake/fleetlake/extract/api"
)

// Simulator serves a fleet over HTTP. It is safe for concurrent use.
type Simulator struct {
	config   Config
	model    model
	shipyard *shipyard
	limiters map[string]*limiter
	ledger   *ledger
	faults   activeFaults
	control  *http.ServeMux

	settingDay sync.Mutex // one change of the day at a time
	today      atomic.Pointer[fleetDay]
}

// New returns a simulator at day 0. It returns an error if a field of the configuration is
// out of range. Building the first fleet costs time in proportion to its size.
func New(c Config) (*Simulator, error) {
	c, err := c.complete()
	if err != nil {
		return nil, fmt.Errorf("simulator: %w", err)
	}
	s := &Simulator{config: c, model: model{c.Rates, c.Anomalies, c.Dirt}, shipyard: newShipyard(c), limiters: newLimiters(c), ledger: newLedger(c)}
	s.faults.seed = mix(c.Seed + 1)
	s.control = s.controlPaths()
	s.SetDay(0)
	return s, nil
}

// SetDay moves the simulator to a day, forwards or backwards. A day before day 0 is day 0. A
// request that has begun still answers for the day at which it began.
func (s *Simulator) SetDay(day int) {
	s.settingDay.Lock()
	defer s.settingDay.Unlock()
	day = max(day, 0)
	if f := s.today.Load(); f == nil || f.day != day {
		s.today.Store(newFleetDay(s.shipyard, s.model, &s.config, day))
	}
}

// Day returns the current day.
func (s *Simulator) Day() int { return s.today.Load().day }

// fleetOn returns the fleet of a day.
func (s *Simulator) fleetOn(day int) *fleetDay {
	if f := s.today.Load(); f.day == day {
		return f
	}
	return newFleetDay(s.shipyard, s.model, &s.config, max(day, 0))
}

// Warm renders the pages of every country into the cache, so that requests for them cost next
// to nothing: a benchmark of a client then measures the client. Only benchmarks call it. It has no effect beyond the
// size of the cache.
func (s *Simulator) Warm() {
	f := s.today.Load()
	for country, all := range f.entriesByCountry {
		for n := 1; (n-1)*api.PageSize < len(all); n++ {
			f.searchByType(query{country: country, specificType: -1, page: n}, "")
		}
	}
}

// ServeHTTP answers the requests of the API and of the control paths.
func (s *Simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/simulator/") {
		s.control.ServeHTTP(w, r)
		return
	}
	for _, o := range operations {
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

// serve answers a request for an operation and records it in the ledger.
func (s *Simulator) serve(o api.Operation, w http.ResponseWriter, r *http.Request) {
	defer s.ledger.begin(o.Name)()
	f, received := s.today.Load(), time.Now()
	parameters, a := s.answer(f, o, r)
	s.ledger.record(Request{
		Day: f.day, Received: received, Answered: time.Now(), Operation: o.Name, Parameters: parameters,
		Status: a.status, Outcome: a.outcome, Credits: a.credits, Rows: a.rows, Fault: a.fault,
	})
	a.write(w)
}

// answer answers a request in the steps of the package comment. It also returns the canonical
// parameters, for the log.
func (s *Simulator) answer(f *fleetDay, o api.Operation, r *http.Request) (string, answer) {
	if subtle.ConstantTimeCompare([]byte(r.Header.Get("x-api-key")), []byte(s.config.Key)) != 1 {
		return r.URL.Query().Encode(), unauthorized()
	}
	open, wait := s.limiters[o.Name].admit(time.Now())
	q, refusal := parseRequest(o, r)
	if refusal != nil {
		return q.parameters, *refusal
	}
	fault := s.faults.effectOn(o, q.parameters)
	fault.waitDelay(r.Context())
	if !open {
		if !s.config.RetryAfter {
			wait = 0
		}
		return q.parameters, limited(o, wait)
	}
	return q.parameters, s.fulfil(f, o, q, fault)
}

// fulfil finds the data and charges for them, unless a fault replaces the answer.
func (s *Simulator) fulfil(f *fleetDay, o api.Operation, q query, fault faultEffect) answer {
	if fault.replacement != nil && !fault.replacement.Billed {
		var original answer
		if fault.replacement.Kind == Truncated {
			original = s.answerFor(f, o, q, fault.alteration)
		}
		return fault.replacement.answer(o, original, s.config.Vague)
	}
	a := s.answerFor(f, o, q, fault.alteration)
	if !s.ledger.charge(o.Credits, a.credits) {
		return noCredits(o, s.config.Vague)
	}
	a.fault = fault.alteration
	if fault.replacement != nil {
		credits := a.credits
		a = fault.replacement.answer(o, a, s.config.Vague)
		a.credits = credits
	}
	return a
}

// answerFor returns the answer of an operation, with what it costs.
func (s *Simulator) answerFor(f *fleetDay, o api.Operation, q query, alter FaultKind) answer {
	switch o.Name {
	case api.ByStatus.Name:
		return f.searchByStatus(q, alter)
	case api.ByType.Name:
		return f.searchByType(q, alter)
	case api.Credits.Name:
		return s.creditsAnswer()
	default:
		if o.Raw {
			return f.answerUndocumented(o, q.parameters)
		}
		return f.lookup(o, q.vessel)
	}
}

// creditsAnswer returns the balance, as an object or as a sentence.
func (s *Simulator) creditsAnswer() answer {
	credits := s.Bill().Balance
	detail := any(map[string]int{"credits": credits})
	if s.config.BalanceText {
		detail = strconv.Itoa(credits) + " credits left."
	}
	return answer{status: http.StatusOK, body: encode(map[string]any{"detail": detail}), outcome: OK}
}

// unauthorized returns the 401 for a missing or wrong key.
func unauthorized() answer {
	return refuseA(http.StatusUnauthorized, Denied, "Invalid or missing API key")
}

// ambiguousRefusal is the message of a service that does not distinguish an empty balance from a
// blocked endpoint.
const ambiguousRefusal = "Insufficient credits or endpoint is blacklisted for this API key"

// noCredits returns the 400 for a balance that does not cover the price.
func noCredits(o api.Operation, vague bool) answer {
	if vague {
		return refuse(o, http.StatusBadRequest, Refused, ambiguousRefusal)
	}
	return refuse(o, http.StatusBadRequest, Refused, "Insufficient credits")
}

// blocked returns the 400 for an endpoint that the key may not use.
func blocked(o api.Operation, vague bool) answer {
	if vague {
		return refuse(o, http.StatusBadRequest, Refused, ambiguousRefusal)
	}
	return refuse(o, http.StatusBadRequest, Refused, "Endpoint is blacklisted for this API key")
}
