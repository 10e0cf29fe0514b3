package simulator

import (
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/extract"
)

// Outcome is what became of a request.
type Outcome string

// The outcomes. Each request has one.
const (
	OK       Outcome = "ok"        // data
	Empty    Outcome = "empty"     // 200 with no vessel
	NotFound Outcome = "not_found" // 404
	Invalid  Outcome = "invalid"   // 400 or 422 for its values
	Denied   Outcome = "denied"    // 401
	Refused  Outcome = "refused"   // 400 for credits or a blocked endpoint
	Limited  Outcome = "limited"   // 429
	Failed   Outcome = "failed"    // a fault in place of the answer
)

// Bill is the account of a simulator since its start.
type Bill struct {
	Balance     int              `json:"balance"`
	Spent       int              `json:"spent"`         // credits charged
	MaxInFlight int              `json:"max_in_flight"` // over all operations
	Operations  map[string]Tally `json:"operations"`    // by operation name; every one is there
}

// Tally is the account of one operation.
type Tally struct {
	Requests    int             `json:"requests"`
	Answers     int             `json:"answers"` // with data, even if the data are none, as sent
	Limited     int             `json:"limited"` // 429 sent
	Credits     int             `json:"credits"` // charged
	MaxInFlight int             `json:"max_in_flight"`
	Outcomes    map[Outcome]int `json:"outcomes"`
}

// Request is a line of the log.
type Request struct {
	N          int       `json:"n"` // from 0, in the order of the answers
	Day        int       `json:"day"`
	Received   time.Time `json:"received"`
	Answered   time.Time `json:"answered"`
	Operation  string    `json:"operation"`
	Parameters string    `json:"parameters"` // canonical: keys sorted, URL encoded
	Status     int       `json:"status"`     // 0 where the connection was dropped
	Outcome    Outcome   `json:"outcome"`
	Credits    int       `json:"credits"`
	Rows       int       `json:"rows"`
	Fault      FaultKind `json:"fault,omitempty"`
}

// ledger keeps the account.
type ledger struct {
	mu       sync.Mutex
	bill     Bill
	inFlight map[string]int // by operation; the empty name is all
	keepLog  bool
	log      []Request
}

func newLedger(c Config) *ledger {
	l := &ledger{bill: Bill{Balance: c.Credits, Operations: map[string]Tally{}}, inFlight: map[string]int{}, keepLog: c.KeepLog}
	for _, o := range extract.Operations {
		l.bill.Operations[o.Name] = Tally{Outcomes: map[Outcome]int{}}
	}
	return l
}

// enter counts a request into the air, and returns what counts it out again.
func (l *ledger) enter(name string) (leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight[""]++
	l.inFlight[name]++
	l.bill.MaxInFlight = max(l.bill.MaxInFlight, l.inFlight[""])
	t := l.bill.Operations[name]
	t.MaxInFlight = max(t.MaxInFlight, l.inFlight[name])
	l.bill.Operations[name] = t
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.inFlight[""]--
		l.inFlight[name]--
	}
}

// charge takes credits from the balance. It refuses when the full price of an operation is
// not there, even if this answer costs less.
func (l *ledger) charge(price, credits int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bill.Balance < price {
		return false
	}
	l.bill.Balance -= credits
	l.bill.Spent += credits
	return true
}

// record writes a finished request into the account.
func (l *ledger) record(r Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.bill.Operations[r.Operation]
	t.Requests++
	t.Credits += r.Credits
	t.Outcomes[r.Outcome]++
	switch r.Outcome {
	case OK, Empty:
		t.Answers++
	case Limited:
		t.Limited++
	}
	l.bill.Operations[r.Operation] = t
	if l.keepLog {
		r.N = len(l.log)
		l.log = append(l.log, r)
	}
}

// Bill is the account so far. Requests in the air are not in it yet, but for their credits.
func (s *Simulator) Bill() Bill {
	l := s.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bill
	b.Operations = make(map[string]Tally)
	for name, t := range l.bill.Operations {
		outcomes := make(map[Outcome]int)
		for o, n := range t.Outcomes {
			outcomes[o] = n
		}
		t.Outcomes = outcomes
		b.Operations[name] = t
	}
	return b
}

// Log is every request so far, in the order of the answers, if the configuration keeps it.
func (s *Simulator) Log() []Request {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	return append([]Request(nil), s.ledger.log...)
}

// SetBalance makes the balance of the key a number of credits.
func (s *Simulator) SetBalance(credits int) {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	s.ledger.bill.Balance = max(credits, 0)
}
