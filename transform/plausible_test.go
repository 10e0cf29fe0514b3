package transform

import (
	"testing"

	"github.com/fleetlake/fleetlake/extract/journal"
)

// TestImpossibleTotalIsSuspect reads totals that no fleet has: nothing is allocated by them, and
// their partitions are suspect.
func TestImpossibleTotalIsSuspect(t *testing.T) {
	for name, c := range map[string]struct {
		expected, total, rows int
		state                 string
	}{
		"as many as the page has":              {-1, 7, 7, complete},
		"two thousand million vessels":         {-1, 2_000_000_000, 100, suspect},
		"more than fits a column":              {-1, 3_000_000_000_000, 100, suspect},
		"less than none":                       {-1, -7, 7, suspect},
		"far more than the partition last had": {50, 500_000, 100, suspect},
		"as many as it may have grown to":      {50, 20_500, 100, partial},
	} {
		t.Run(name, func(t *testing.T) {
			cov := coverage{}
			cov.plan(&journal.Plan{Partitions: []journal.Partition{{Operation: "by-type", Kind: "country", Value: "Malta", Expected: c.expected}}}, true)
			b := NewBatch()
			e := pageOf(1, "country=Malta&page=1", c.total, 0, c.rows)
			contents, read, ok := b.search(&b.listings, page{}, b.body(&e, b.listings.dataset))
			cov.observe("by-type", "country=Malta&page=1", observation{contents: contents, page: read, usable: ok})
			rows := cov.table(nil)
			if len(rows) != 1 || rows[0].state != c.state {
				t.Errorf("%+v, want %s", rows, c.state)
			}
		})
	}
}
