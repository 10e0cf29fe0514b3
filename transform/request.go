package transform

import (
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
)

// request is a row of the requests table: a request and its outcome.
type request struct {
	entry                 int // number of the answer, or else of the intent, in its segment
	operation, parameters string
	sent, received        time.Time
	status, credits       int
	charge, outcome       string
	rows                  int
}

// requestOf returns the row of an answer with a number of records.
func requestOf(e *journal.Entry, rows int) request {
	r := request{
		entry: e.N, operation: e.Operation, parameters: e.Parameters, sent: e.Sent, received: e.Received,
		status: e.Status, credits: e.Credits, charge: string(e.Charge), outcome: e.Outcome, rows: rows,
	}
	if e.Kind == journal.KindBalance { // the call is free; earlier versions wrote there what the balance settled
		r.credits, r.charge = 0, string(journal.ChargeFree)
	}
	return r
}

// unanswered returns the row of an intent without an answer. The service may have charged it,
// so it counts with the highest price it can have.
func unanswered(e *journal.Entry) request {
	return request{
		entry: e.N, operation: e.Operation, parameters: e.Parameters, sent: e.At,
		credits: e.Credits, charge: string(journal.ChargeUnknown), outcome: "unknown",
	}
}
