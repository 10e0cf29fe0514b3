package pipeline

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

func TestPagingAsksEveryPageOnce(t *testing.T) {
	cases := map[string]struct {
		totals []int // by page, from the first
		rows   []int
		want   int // pages asked
	}{
		"an empty partition":            {[]int{0}, []int{0}, 1},
		"one page":                      {[]int{100}, []int{100}, 1},
		"three pages":                   {[]int{201, 201, 201}, []int{100, 100, 1}, 3},
		"a total that grows on the way": {[]int{200, 301, 301, 301}, []int{100, 100, 100, 1}, 4},
		"a page past the end":           {[]int{200, 0}, []int{100, 0}, 2},
		"no total at all":               {[]int{-1, -1, -1}, []int{100, 100, 7}, 3},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			l := newListing(plan.Plan{Cover: []plan.Partition{{Country: "Malta", Expected: -1}}}, true)
			s, _ := testSpending(l, credits.Limit{})
			var asked []string
			for {
				r, ok := l.queue.pop(t.Context())
				if !ok {
					break
				}
				n := len(asked)
				asked = append(asked, r.Parameters.Get("page"))
				s.listed(l.answer(r, extract.Answer{Contents: api.Contents{Rows: c.rows[n], Total: c.totals[n]}}))
				l.queue.close()
				s.requestEnded()
			}
			var want []string
			for i := range c.want {
				want = append(want, fmt.Sprint(i+1))
			}
			if !slices.Equal(asked, want) {
				t.Errorf("asked for pages %v, want %v", asked, want)
			}
			suspect := c.totals[0] < 0 // nothing says that the last page is the last
			if fate := fateOfFirst(s); (fate.State == report.Suspect) != suspect || l.cover[0].complete() == suspect {
				t.Errorf("the partition is %+v", fate)
			}
		})
	}
}

// fateOfFirst is what became of the first partition of a spending's listing.
func fateOfFirst(s *spending) report.Fate {
	h := harvest{listing: s.work.listing, spending: s, requests: newRequestLog()}
	return h.fateOfPartition(h.listing.cover[0])
}
