package simulator

import (
	"sync"
	"time"
)

// Outcome is how a request ended.
type Outcome string

// These are the outcomes; each request has one.
const (
	OK       Outcome = "ok"        // data
	Empty    Outcome = "empty"     // 200 with no vessel
	NotFound Outcome = "not_found" // 404
	Invalid  Outcome = "invalid"   // 400 or 422 for its values
	Denied   Outcome = "denied"    // 401
	Refused  Outcome = "refused"   // 400 for credits or a blocked endpoint
	Limited  Outcome = "limited"   // 429
	Failed   Outcome = "failed"    // a fault replaced the answer
)

// Bill is what was requested and charged since the simulator started. Amounts are credits.
type Bill struct {
	Balance     int                      `json:"balance"`
	Spent       int                      `json:"spent"`         // credits charged
	MaxInFlight int                      `json:"max_in_flight"` // over all operations
	Operations  map[string]OperationBill `json:"operations"`    // by operation name; with every operation
}

// OperationBill is the bill of one operation.
type OperationBill struct {
	Requests    int             `json:"requests"`
	Answers     int             `json:"answers"` // 200 with data, including empty pages
	Limited     int             `json:"limited"` // 429 sent
	Credits     int             `json:"credits"` // charged
	MaxInFlight int             `json:"max_in_flight"`
	Outcomes    map[Outcome]int `json:"outcomes"`
}

// Request is one line of the request log.
type Request struct {
	N          int       `json:"n"` // from 0, in the order of the answers
	Day        int       `json:"day"`
	Received   time.Time `json:"received"`
	Answered   time.Time `json:"answered"`
	Operation  string    `json:"operation"`
	Parameters string    `json:"parameters"` // canonical: keys sorted, URL encoded
	Status     int       `json:"status"`     // HTTP status; 0 where the connection was dropped
	Outcome    Outcome   `json:"outcome"`
	Credits    int       `json:"credits"` // charged
	Rows       int       `json:"rows"`
	Fault      FaultKind `json:"fault,omitempty"`
}

// ledger keeps the bill, and the log if the configuration asks for it. It is safe for
// concurrent use.
type ledger struct {
	mu       sync.Mutex
	bill     Bill
	inFlight map[string]int // by operation; under the empty name, all together
	keepLog  bool
	log      []Request
}

// newLedger returns a ledger with the opening balance and a bill for each operation.
func newLedger(c Config) *ledger {
	l := &ledger{bill: Bill{Balance: c.Credits, Operations: map[string]OperationBill{}}, inFlight: map[string]int{}, keepLog: c.KeepLog}
	for _, o := range operations {
		l.bill.Operations[o.Name] = OperationBill{Outcomes: map[Outcome]int{}}
	}
	return l
}

// begin counts a request as in flight until the caller calls end.
func (l *ledger) begin(name string) (end func()) {
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

// charge takes credits from the balance and reports whether it could. It charges nothing when
// the balance does not cover the full price of the operation, even if this answer costs less:
// that is how the service refuses.
func (l *ledger) charge(fullPrice, credits int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bill.Balance < fullPrice {
		return false
	}
	l.bill.Balance -= credits
	l.bill.Spent += credits
	return true
}

// record adds a finished request to the bill and the log.
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

// Bill returns the bill so far. A request that is still in flight is not in it, except for
// its credits.
func (s *Simulator) Bill() Bill {
	l := s.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bill
	b.Operations = make(map[string]OperationBill)
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

// Log returns every request so far in the order of the answers; none unless Config.KeepLog is
// set.
func (s *Simulator) Log() []Request {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	return append([]Request(nil), s.ledger.log...)
}

// SetBalance sets the balance of the API key, in credits. A negative balance becomes 0.
func (s *Simulator) SetBalance(credits int) {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	s.ledger.bill.Balance = max(credits, 0)
}
