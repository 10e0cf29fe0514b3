package extract

import (
	"net/http"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// price returns what an answer with data costs by the interface text, in credits.
func price(o api.Operation, e *journal.Entry, rows int) (int, journal.Charge) {
	if o.Credits == 0 || o.OnlyFound && rows == 0 {
		return 0, journal.ChargeFree
	}
	if o.Ceiling {
		return o.Credits, journal.ChargeUnknown // balances tell what it cost
	}
	return o.Credits, journal.ChargePriced
}

// charge returns what a request without data counts as, in credits. By the interface text every
// request of a priced operation costs credits, except these:
//
//	never sent, or the free call      free
//	401                               free: authentication failures cost nothing
//	422                               free: validation precedes billing
//	costs only for a vessel: 4xx, 503 free: there is none
//	an empty page despite its total   free: it has no vessel
//	429, or no credits                assumed free: the service did no work, or had nothing left to bill
//	everything else                   unknown: it counts as spent until the balance proves otherwise
//
// Another 5xx, a redirect, an unreadable answer and one that breaks off are unknown for
// these operations too: a gateway may have them in place of a page that the service returned.
func charge(o api.Operation, err *Error) (int, journal.Charge) {
	switch {
	case o.Credits == 0, err.NotSent, err.Status == http.StatusUnauthorized, err.Status == http.StatusUnprocessableEntity:
		return 0, journal.ChargeFree
	case err.NoVessel, o.OnlyFound && (err.Status >= 400 && err.Status < 500 || err.Status == http.StatusServiceUnavailable):
		return 0, journal.ChargeFree
	case err.Outcome == OutcomeLimited, err.Outcome == OutcomeNoCredits:
		return 0, journal.ChargeAssumed
	}
	return o.Credits, journal.ChargeUnknown
}

// countAnswer adds an answer to the counts of its operation, and logs it.
func (c *Client) countAnswer(r api.Request, e journal.Entry) {
	c.service.Log.Debug("request", "endpoint", e.Operation, "parameters", e.Parameters, "status", e.Status,
		"outcome", e.Outcome, "credits", e.Credits, "took", e.Received.Sub(e.Sent))
	c.count(r.Operation, func(s *Stats) {
		s.Requests++
		s.Credits += e.Credits
		switch {
		case e.OK():
			s.Answers++
		case e.Outcome == OutcomeLimited:
			s.Limited++
		}
		if e.Charge == journal.ChargeUnknown {
			s.Unknown += e.Credits
		}
	})
}
