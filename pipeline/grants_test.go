package pipeline

import (
	"testing"
	"testing/synctest"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// testSpending returns the spending of a run that asks for the partitions of a listing, and its queue of status
// searches.
func testSpending(l *listing, limit credits.Limit) (*spending, *queue) {
	account := credits.NewAccount()
	account.Begin(credits.Run{ID: "r"})
	s, sweep := newSpending(account, "r", limit, 0), newQueue()
	h := harvest{listing: l}
	s.begin(l, sweep, nil, h.candidates())
	return s, sweep
}

// TestSearchesThatNoCreditIsLeftForEndAtOnce has credits for no search at all: no request is queued,
// and no lane waits for a decision that would never come.
func TestSearchesThatNoCreditIsLeftForEndAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		panama := plan.Partition{Country: "Panama", Expected: 5, Pages: 1, Unpaid: 1}
		l := newListing(plan.Plan{Cover: []plan.Partition{panama}}, true)
		s, sweep := testSpending(l, credits.AtMost(3))
		for o, q := range map[api.Operation]*queue{api.ByType: l.queue, api.ByStatus: sweep} {
			if r, ok := q.pop(t.Context()); ok { // a wait without an end is a deadlock, which synctest reports
				t.Errorf("%s asks %s", o.Name, r.Key())
			}
		}
		if !s.work.lacking[keyOf("", "Panama")] {
			t.Errorf("%v lack credits, want Panama", s.work.lacking)
		}
	})
}
