package simulator

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

// FaultKind is the name of a fault in JSON.
type FaultKind string

// These faults replace the answer. Fault.Billed says whether the service finds and charges
// the data before it fails.
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

// These faults delay or alter an answer. The bill follows what is sent.
const (
	Slow         FaultKind = "slow"          // delayed by Fault.Least to Fault.Most
	SilentZero   FaultKind = "silent-zero"   // a search finds no vessel
	MovingTotal  FaultKind = "moving-total"  // by-type: the total grows from page to page
	RepeatedPage FaultKind = "repeated-page" // by-type: the vessels of the page before
	ShortPage    FaultKind = "short-page"    // by-type: up to seven vessels are missing
	IgnoredZone  FaultKind = "ignored-zone"  // by-status: the world answers for the zone of a status that needs none
)

// Fault is a rule that makes requests go wrong. Each rule counts the requests that it
// concerns. At most one of Every, Next and Share is set; a rule with none of them concerns
// every request.
type Fault struct {
	Kind      FaultKind `json:"kind"`
	Operation string    `json:"operation,omitempty"` // only this operation; empty is every priced one
	Match     string    `json:"match,omitempty"`     // only requests whose canonical parameters contain it, such as "country=Panama"

	Every int     `json:"every,omitempty"` // every nth request
	Next  int     `json:"next,omitempty"`  // the next n requests
	Share float64 `json:"share,omitempty"` // at random, from the simulator's seed; at most 1

	Billed     bool          `json:"billed,omitempty"`      // charged, though the answer fails
	RetryAfter time.Duration `json:"retry_after,omitempty"` // for limited and unavailable
	Least      time.Duration `json:"least,omitempty"`       // for slow: the shortest delay
	Most       time.Duration `json:"most,omitempty"`        // for slow: the longest delay
}

// Faults is a list of rules in order of precedence. Of the rules that replace the answer the
// first that applies wins, and so does the first of those that alter it; delays add up.
// Requests refused for their key or their values are not counted.
type Faults []Fault

// replacing and altering are the kinds that replace an answer and those that alter one.
var (
	replacing = []FaultKind{LimitExceeded, Unauthorized, NoCredits, Blocked, Unavailable, ServerError, BadGateway, HTMLPage, Cut, Truncated}
	altering  = []FaultKind{SilentZero, MovingTotal, RepeatedPage, ShortPage, IgnoredZone}
)

// in reports whether kinds has the kind.
func (k FaultKind) in(kinds []FaultKind) bool {
	return slices.Contains(kinds, k)
}

// check returns an error if the rule can apply to no request or contradicts itself.
func (f Fault) check() error {
	set := 0
	for _, is := range []bool{f.Every != 0, f.Next != 0, f.Share != 0} {
		if is {
			set++
		}
	}
	known := isOperation(f.Operation)
	switch {
	case f.Kind != Slow && !f.Kind.in(replacing) && !f.Kind.in(altering):
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
func (f Fault) concerns(o api.Operation) bool {
	if f.Operation != "" && f.Operation != o.Name || f.Operation == "" && o.Credits == 0 {
		return false
	}
	switch f.Kind {
	case SilentZero:
		return o.IsSearch()
	case IgnoredZone:
		return o.IsSearch() && !o.Paged
	}
	return !f.Kind.in(altering) || o.Paged
}

// activeFaults is the list of rules that is in force, with a counter for each.
type activeFaults struct {
	seed   uint64
	mu     sync.Mutex
	rules  Faults
	counts []int
}

// faultEffect is what goes wrong with one request.
type faultEffect struct {
	replacement *Fault
	alteration  FaultKind
	delay       time.Duration
}

// SetFaults replaces all rules and resets their counters; nil removes every fault. It returns
// an error, and keeps the rules in force, if a rule is not valid.
func (s *Simulator) SetFaults(faults Faults) error {
	for _, f := range faults {
		if err := f.check(); err != nil {
			return err
		}
	}
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.rules = append(Faults(nil), faults...)
	s.faults.counts = make([]int, len(faults))
	return nil
}

// effectOn counts a request against each rule and returns what goes wrong with it.
func (a *activeFaults) effectOn(o api.Operation, parameters string) faultEffect {
	a.mu.Lock()
	defer a.mu.Unlock()
	var effect faultEffect
	for i, f := range a.rules {
		if !f.concerns(o) || !strings.Contains(parameters, f.Match) {
			continue
		}
		a.counts[i]++
		u := draw(a.seed+uint64(i), forFault, a.counts[i])
		switch n := a.counts[i]; {
		case f.Every > 0 && n%f.Every != 0, f.Next > 0 && n > f.Next, f.Share > 0 && unit(u) >= f.Share:
			continue
		}
		switch {
		case f.Kind == Slow:
			effect.delay += f.Least + time.Duration(unit(mix(u))*float64(max(f.Most-f.Least, 0)))
		case f.Kind.in(replacing) && effect.replacement == nil:
			effect.replacement = &a.rules[i]
		case f.Kind.in(altering) && effect.alteration == "":
			effect.alteration = f.Kind
		}
	}
	return effect
}

// waitDelay waits for the delay, or until the client has gone away: the service finds and
// charges the data in both cases.
func (e faultEffect) waitDelay(ctx context.Context) {
	if e.delay <= 0 {
		return
	}
	timer := time.NewTimer(e.delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// answer returns what the fault sends in place of original, the answer without a fault.
func (f *Fault) answer(o api.Operation, original answer, vague bool) answer {
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
		a = htmlPage(http.StatusBadGateway, Failed)
	case HTMLPage:
		a = htmlPage(http.StatusOK, Failed)
	case Cut:
		a = answer{dropped: true, outcome: Failed}
	case Truncated:
		a = original
		a.truncated, a.outcome, a.credits = true, Failed, 0
	}
	a.fault = f.Kind
	return a
}
