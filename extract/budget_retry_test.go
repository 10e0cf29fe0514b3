package extract

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

// reserves reports whether an operation gets credits at once.
func reserves(t *testing.T, b *Budget, o api.Operation, credits int) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	return b.Reserve(ctx, o.Name, credits) == nil
}

// TestASearchThatFailsKeepsItsCredits has lookups that want the credits of its next try.
func TestASearchThatFailsKeepsItsCredits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(40, 0)
		b.ClaimRetry(api.ByStatus.Name, 30)
		if !reserves(t, b, api.Particulars, 10) {
			t.Error("a lookup does not get what nobody needs")
		}
		if reserves(t, b, api.Particulars, 1) {
			t.Error("a lookup gets what is kept for a search")
		}
		if !reserves(t, b, api.ByStatus, 10) {
			t.Error("the search does not get what is kept for it")
		}
		b.Release(api.ByStatus.Name, 20)
		if !reserves(t, b, api.Particulars, 20) {
			t.Error("a lookup does not get what the search gave back")
		}
	})
}

// TestUnbilledCreditsGoToSearchesFirst has lookups that want them while searches wait for credits.
func TestUnbilledCreditsGoToSearchesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(40, 0)
		b.Settle(0, 35)
		b.KeepForSearches(0, true)
		if !reserves(t, b, api.Particulars, 1) {
			t.Error("a lookup waits although every outcome is known")
		}
		b.MarkUnknown(30)
		b.refund(30)
		if reserves(t, b, api.Particulars, 1) {
			t.Error("a lookup gets what came back while a search waits")
		}
		if !b.Grant(api.ByStatus.Name, 30) {
			t.Error("the search does not get it")
		}
		b.KeepForSearches(0, false)
		if !reserves(t, b, api.Particulars, 1) {
			t.Error("a lookup does not get what the search left")
		}
	})
}

// TestWhatASearchGivesBackWaitsForTheDecision has searches that wait for credits, and one that turns
// out to cost nothing: lookups took the credits before it was decided which search gets them.
func TestWhatASearchGivesBackWaitsForTheDecision(t *testing.T) {
	for name, give := range map[string]func(b *Budget){
		"a page without vessels": func(b *Budget) { b.cheaper(); b.Settle(10, 0) },
		"a search that is given up": func(b *Budget) {
			b.ClaimRetry(api.ByStatus.Name, 10)
			b.Settle(10, 0)
			b.Release(api.ByStatus.Name, 10)
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := NewBudget(19, 0)
			if !reserves(t, b, api.ByStatus, 10) {
				t.Fatal("the search gets nothing")
			}
			b.KeepForSearches(0, true)
			give(b)
			if reserves(t, b, api.Particulars, 1) {
				t.Errorf("%s: a lookup takes what is not decided yet", name)
			}
			if !b.Grant(api.ByType.Name, 10) {
				t.Errorf("%s: the search that waits does not get it", name)
			}
			b.KeepForSearches(0, false)
			if !reserves(t, b, api.Particulars, 9) {
				t.Errorf("%s: lookups do not get the rest", name)
			}
		})
	}
}
