package extract

import (
	"context"
	"errors"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// ErrBudget reports that the next request could cost more than the run may still spend.
var ErrBudget = errors.New("credit budget of the run is spent")

// Budget decides when a request that may cost credits is sent, and counts what it cost. It is safe for concurrent
// use.
type Budget interface {
	// Reserve sets aside the most that a request of an operation can cost. It waits while that may become possible,
	// and returns ErrBudget when it never will, or the error of ctx.
	Reserve(ctx context.Context, o api.Operation) error

	// Count takes in an entry that is on disk; that of an answer replaces its reservation. Again is how many more
	// tries follow a failed one at most: credits are kept for them.
	Count(o api.Operation, e journal.Entry, again int)

	// Cancel returns reservations of requests that were not sent, and what was kept for tries that are not made.
	Cancel(o api.Operation, requests, again int)
}
