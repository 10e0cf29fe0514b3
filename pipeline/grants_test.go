package pipeline

import (
	"testing"
	"testing/synctest"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// TestSearchesThatNoCreditIsLeftForEndAtOnce has credits for no search at all: no request is queued,
// and no lane waits for a decision that would never come.
func TestSearchesThatNoCreditIsLeftForEndAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		panama := plan.Partition{Country: "Panama", Expected: 5, Pages: 1, Unpaid: 1}
		l := newListing(plan.Plan{Cover: []plan.Partition{panama}}, true)
		sweep := newQueue()
		g := newGrants(extract.NewBudget(3, 0), l, sweep, func() int { return 0 })
		g.plan([]candidate{{operation: api.ByType, kind: plan.PartitionsOfList, requests: 1, credits: 10, worth: 5, queue: func() { l.start(l.cover[0]) }}}, nil)
		for name, q := range map[string]*queue{"list": l.queue, "sweep": sweep} {
			if r, ok := q.pop(t.Context()); ok { // a wait without an end is a deadlock, which synctest reports
				t.Errorf("the %s asks %s", name, r.Key())
			}
		}
		if got := g.leftOut()[plan.PartitionsOfList]; got != 1 {
			t.Errorf("%d partitions are left out, want 1", got)
		}
	})
}
