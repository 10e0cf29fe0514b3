package pipeline

import (
	"testing"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/google/go-cmp/cmp"
)

// TestTheSearchesFeedTheLookups checks the lanes of a harvest: both searches add lookups, so that the
// lookups are drained last, and progress names the lanes in the order of the operations.
func TestTheSearchesFeedTheLookups(t *testing.T) {
	for name, c := range map[string]struct {
		lookup plan.Lookup
		want   []string
	}{
		"particulars": {plan.Lookup{Want: []string{"particulars"}}, []string{"by-status feeds", "by-type feeds", "particulars"}},
		"profiles":    {plan.Lookup{Want: plan.Datasets}, []string{"by-status feeds", "by-type feeds", "info"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := work{job: plan.Job{Lookup: c.lookup}}
			h := &harvest{work: w, listing: newListing(w.decided, false), sweep: newQueue(), lookups: newLookups(w)}
			h.grants = newGrants(extract.NewBudget(0, 0), h.listing, h.sweep, func() int { return 0 })
			var got []string
			for _, l := range h.lanesOfRun() {
				name := l.operation.Name
				if l.feeds == h.lookups.queue {
					name += " feeds"
				}
				got = append(got, name)
				if (l.queue == h.lookups.queue) != (l.operation != api.ByStatus && l.operation != api.ByType) {
					t.Errorf("the lane %s has another lane's queue", name)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("lanes (-want +got):\n%s", diff)
			}
		})
	}
}
