package transform

import (
	"cmp"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
)

// request is a row of the requests table: what was sent, and what came of it.
type request struct {
	entry                 int
	operation, parameters string
	sent, received        time.Time
	status, credits       int
	charge, outcome       string
	rows                  int
}

// requestOf is the row of an answer.
func requestOf(e *journal.Entry, rows int) request {
	return request{
		entry: e.N, operation: e.Operation, parameters: e.Parameters, sent: e.Sent, received: e.Received,
		status: e.Status, credits: e.Credits, charge: string(e.Charge), outcome: e.Outcome, rows: rows,
	}
}

// unanswered is the row of an intent that nothing came of: it may have been billed, and so
// it counts as the most it can cost.
func unanswered(e *journal.Entry) request {
	return request{
		entry: e.N, operation: e.Operation, parameters: e.Parameters, sent: e.At,
		credits: e.Credits, charge: string(journal.ChargeUnknown), outcome: "unknown",
	}
}

// requestTable returns all requests, in the order of the lake file.
func (b *Batch) requestTable() []request {
	all := slices.Clone(b.requests)
	for _, e := range b.pending {
		all = append(all, unanswered(&e))
	}
	slices.SortFunc(all, func(a, b request) int { return cmp.Compare(a.entry, b.entry) })
	return all
}
