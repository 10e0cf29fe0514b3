package simulator

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/extract"
)

// FaultKind says what goes wrong.
type FaultKind string

// What comes in place of the answer. Fault.Billed says whether the service did the work, and
// charged for it, before that.
const (
	LimitExceeded FaultKind = "limited"      // 429
	Unauthorized  FaultKind = "unauthorized" // 401
	NoCredits     FaultKind = "no-credits"   // 400, whatever the balance
	Blocked       FaultKind = "blocked"      // 400, the endpoint is blocked for the key
	Unavailable   FaultKind = "unavailable"  // 503
	ServerError   FaultKind = "server-error" // 500
	BadGateway    FaultKind = "bad-gateway"  // 502, an HTML page
	HTMLPage      FaultKind = "html"         // 200, an HTML page
	Cut           FaultKind = "cut"          // the connection is dropped
	Truncated     FaultKind = "truncated"    // half of the body, then the connection is dropped
)

// What is wrong with an answer that comes. The bill follows what is sent.
const (
	Slow         FaultKind = "slow"          // after a wait of Fault.Least to Fault.Most
	SilentZero   FaultKind = "silent-zero"   // a search finds none
	MovingTotal  FaultKind = "moving-total"  // by-type: the total grows from page to page
	RepeatedPage FaultKind = "repeated-page" // by-type: the vessels of the page before
	ShortPage    FaultKind = "short-page"    // by-type: up to seven vessels are lacking
)

// Fault is a rule for something that goes wrong. It counts the requests that it applies to
// by itself; of Every, Next and Share at most one is set, and with none it always strikes.
type Fault struct {
	Kind      FaultKind `json:"kind"`
	Operation string    `json:"operation,omitempty"` // only this one; empty is every priced one
	Match     string    `json:"match,omitempty"`     // only where the canonical parameters contain it: "country=Panama"

	Every int     `json:"every,omitempty"` // each nth request
	Next  int     `json:"next,omitempty"`  // the next n requests
	Share float64 `json:"share,omitempty"` // by chance, from the simulator's seed

	Billed     bool          `json:"billed,omitempty"`
	RetryAfter time.Duration `json:"retry_after,omitempty"` // limited and unavailable
	Least      time.Duration `json:"least,omitempty"`       // slow
	Most       time.Duration `json:"most,omitempty"`
}

// Faults are rules in order: of those that come in place of the answer the first that
// strikes wins, and likewise of those that alter it; waits add up. Requests that are refused
// for their key or their values count for none.
type Faults []Fault

var (
	instead = []FaultKind{LimitExceeded, Unauthorized, NoCredits, Blocked, Unavailable, ServerError, BadGateway, HTMLPage, Cut, Truncated}
	altered = []FaultKind{SilentZero, MovingTotal, RepeatedPage, ShortPage}
)

func (k FaultKind) in(kinds []FaultKind) bool {
	return slices.Contains(kinds, k)
}

// check reports a rule that says nothing or too much.
func (f Fault) check() error {
	set := 0
	for _, is := range []bool{f.Every != 0, f.Next != 0, f.Share != 0} {
		if is {
			set++
		}
	}
	_, known := extract.OperationNamed(f.Operation)
	switch {
	case f.Kind != Slow && !f.Kind.in(instead) && !f.Kind.in(altered):
		return fmt.Errorf("fault %q: no such kind", f.Kind)
	case f.Operation != "" && !known:
		return fmt.Errorf("fault %q: no operation %q", f.Kind, f.Operation)
	case set > 1 || f.Every < 0 || f.Next < 0 || f.Share < 0 || !(f.Share <= 1):
		return fmt.Errorf("fault %q: want one of every, next and share, positive, share at most 1", f.Kind)
	case f.Least < 0 || f.Most < f.Least && f.Most != 0:
		return fmt.Errorf("fault %q: wait from %v to %v", f.Kind, f.Least, f.Most)
	}
	return nil
}

// concerns reports whether the rule is about an operation.
func (f Fault) concerns(o extract.Operation) bool {
	if f.Operation != "" && f.Operation != o.Name || f.Operation == "" && o.Credits == 0 {
		return false
	}
	if f.Kind == SilentZero {
		return o.Name == extract.ByType.Name || o.Name == extract.ByStatus.Name
	}
	return !f.Kind.in(altered) || o.Name == extract.ByType.Name
}

// disorder is the set of rules in force, with their counters.
type disorder struct {
	seed   uint64
	mu     sync.Mutex
	faults Faults
	counts []int
}

// strike is what goes wrong with one request.
type strike struct {
	instead *Fault
	alter   FaultKind
	wait    time.Duration
}

// SetFaults replaces the rules of what goes wrong, with fresh counters; nil ends all faults.
func (s *Simulator) SetFaults(faults Faults) error {
	for _, f := range faults {
		if err := f.check(); err != nil {
			return err
		}
	}
	s.disorder.mu.Lock()
	defer s.disorder.mu.Unlock()
	s.disorder.faults = append(Faults(nil), faults...)
	s.disorder.counts = make([]int, len(faults))
	return nil
}

// strike counts a request and says what goes wrong with it.
func (d *disorder) strike(o extract.Operation, parameters string) strike {
	d.mu.Lock()
	defer d.mu.Unlock()
	var s strike
	for i, f := range d.faults {
		if !f.concerns(o) || !strings.Contains(parameters, f.Match) {
			continue
		}
		d.counts[i]++
		u := draw(d.seed+uint64(i), forFault, d.counts[i])
		switch n := d.counts[i]; {
		case f.Every > 0 && n%f.Every != 0, f.Next > 0 && n > f.Next, f.Share > 0 && unit(u) >= f.Share:
			continue
		}
		switch {
		case f.Kind == Slow:
			s.wait += f.Least + time.Duration(unit(mix(u))*float64(max(f.Most-f.Least, 0)))
		case f.Kind.in(instead) && s.instead == nil:
			s.instead = &d.faults[i]
		case f.Kind.in(altered) && s.alter == "":
			s.alter = f.Kind
		}
	}
	return s
}

// pause waits, or until the client has gone away: it pays all the same.
func (s strike) pause(ctx context.Context) {
	if s.wait <= 0 {
		return
	}
	timer := time.NewTimer(s.wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// answer is what the fault puts in place of an answer.
func (f *Fault) answer(o extract.Operation, proper answer, vague bool) answer {
	var a answer
	switch f.Kind {
	case LimitExceeded:
		a = limited(o, f.RetryAfter)
	case Unauthorized:
		a = unauthorized()
	case NoCredits:
		a = noCredits(o, vague)
	case Blocked:
		a = blocked(o, vague)
	case Unavailable:
		a = refuse(o, http.StatusServiceUnavailable, Failed, "Database temporarily unavailable")
		a.retryAfter = f.RetryAfter
	case ServerError:
		a = refuse(o, http.StatusInternalServerError, Failed, "Internal Server Error")
	case BadGateway:
		a = proxyPage(http.StatusBadGateway, Failed)
	case HTMLPage:
		a = proxyPage(http.StatusOK, Failed)
	case Cut:
		a = answer{cut: true, outcome: Failed}
	case Truncated:
		a = proper
		a.truncated, a.outcome, a.credits = true, Failed, 0
	}
	a.fault = f.Kind
	return a
}
