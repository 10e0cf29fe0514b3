package extract

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

// Outcomes of requests, as the journal and the `requests` table write them.
const (
	OutcomeOK           = "ok"
	OutcomeEmpty        = "empty"        // 200 with no vessels
	OutcomeNotFound     = "not_found"    // the service does not know the vessel
	OutcomeRejected     = "rejected"     // it refuses a value
	OutcomeProbe        = "probe"        // it refused the deliberately wrong values by which a run requests the accepted ones
	OutcomeUnauthorized = "unauthorized" // it refuses the key
	OutcomeNoCredits    = "no_credits"   // the balance is too low
	OutcomeBlocked      = "blocked"      // the key may not use this operation
	OutcomeLimited      = "limited"      // 429
	OutcomeUnavailable  = "unavailable"  // 5xx
	OutcomeNetwork      = "network"      // no whole answer came
	OutcomeUnreadable   = "unreadable"   // an answer that is not what the interface text promises
	OutcomeTooLarge     = "too_large"    // an answer of which the rest is not read
)

// Error is a request without data: the service refused it, or no readable answer came. Status is
// the HTTP status, 0 when no answer came.
type Error struct {
	Operation  string
	Outcome    string
	Status     int
	Message    string // the service's own words, or the connection's
	RetryAfter time.Duration
	NotSent    bool // the connection was never made: nothing can have been billed
	key        *key // that it was sent with
	NoVessel   bool // the page has no vessel although its total says that there are some: it is not billed
}

// Error returns the operation, the status or outcome, and the message.
func (e *Error) Error() string {
	what := e.Outcome
	if e.Status != 0 {
		what = fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status))
	}
	return fmt.Sprintf("%s: %s: %s", e.Operation, what, e.Message)
}

// Class is the outcome, which names the error in a span.
func (e *Error) Class() string { return e.Outcome }

// Verdict is what a caller can do about an error.
type Verdict int

// The verdicts, from the widest to the narrowest.
const (
	StopRun  Verdict = iota // no request will work now
	StopLane                // no request of this operation will work now
	Wait                    // this request may work later
	Skip                    // this request will never work, others may
)

// verdicts has the verdict on each outcome.
var verdicts = map[string]Verdict{
	OutcomeNotFound:     Skip,
	OutcomeRejected:     Skip,
	OutcomeTooLarge:     Skip,
	OutcomeProbe:        Skip,
	OutcomeUnauthorized: StopRun,
	OutcomeNoCredits:    StopRun,
	OutcomeBlocked:      StopLane,
	OutcomeLimited:      Wait,
	OutcomeUnavailable:  Wait,
	OutcomeNetwork:      Wait,
	OutcomeUnreadable:   Wait,
}

// verdict returns what a caller can do about the error. Only the refusal of a request that stands alone is final, as that of a lookup is,
// because the service does not know the vessel: the refusal of a planned search, or of the free
// call, is no answer. An answer that is too large is so the next time, too, and is paid for each time.
func (e *Error) verdict() Verdict {
	v, ok := verdicts[e.Outcome]
	if !ok {
		return StopRun
	}
	o := api.Named(e.Operation)
	if v == Skip && !o.StandsAlone() && (e.Outcome != OutcomeTooLarge || o.Credits == 0) {
		return Wait
	}
	return v
}

// cannotBeRead reports whether the service answered the request, and its answer could not be read.
func (e *Error) cannotBeRead() bool { return e.Status == http.StatusOK && e.Outcome != OutcomeTooLarge }

// TooLarge reports whether err is that of an answer which is larger than is read of one.
func TooLarge(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Outcome == OutcomeTooLarge
}

// Judge returns what to do about err. ErrBudget and an *OutageError stop their lane only, because
// another operation may be cheap enough or be answered. An unknown error stops the run: a person
// should look at it before more credits are spent.
func Judge(err error) Verdict {
	var e *Error
	var away *OutageError
	switch {
	case errors.Is(err, ErrBudget), errors.As(err, &away):
		return StopLane
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return StopRun
	case errors.As(err, &e):
		return e.verdict()
	}
	return StopRun
}
