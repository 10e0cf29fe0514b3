package transform

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fleetlake/fleetlake/extract/api"
)

// pageSum sums up the pages of a partition.
type pageSum struct {
	pages         int    // usable pages, without those past the end
	needed        int    // pages for all vessels of the total
	rows          int    // vessels on all usable pages
	total         int    // vessels of the partition, as the service says; 0 is unknown
	contradiction string // between pages; empty when there is none
	unusable      string // outcome of the first page that cannot be used
}

// received returns how many vessels are on the usable pages of a partition, and whether there is such a page.
func (p *partition) received() (rows int, answered bool) {
	for _, o := range p.pages {
		if o.usable {
			rows, answered = rows+o.rows, true
		}
	}
	return rows, answered
}

// sum sums up the pages of a partition. A page past the end has a total of 0, which counts as no
// total.
func (p *partition) sum() pageSum {
	s := pageSum{needed: 1}
	size, numbers := api.PageSize, slices.Sorted(maps.Keys(p.pages))
	for _, n := range numbers {
		o := p.pages[n]
		if o.usable && o.impossibleTotal != "" {
			s.contradiction = fmt.Sprintf("a total of %s vessels", o.impossibleTotal)
		}
		if !o.usable || o.total == 0 {
			continue
		}
		size = o.size
		if s.total != 0 && s.total != o.total && s.contradiction == "" {
			s.contradiction = fmt.Sprintf("total moved from %d to %d", s.total, o.total)
		}
		s.total = max(s.total, o.total)
	}
	if p.kind != api.KindStatus {
		s.needed = max(1, (s.total+size-1)/size)
	}
	prints, overlap := map[uint64]int{}, Overlap{}
	for _, n := range numbers {
		o := p.pages[n]
		if !o.usable {
			if s.unusable == "" {
				s.unusable = o.outcome
			}
			continue
		}
		s.rows += o.rows
		overlap.Add(n, o.Page)
		if s.contradiction == "" && o.OfAnother() {
			s.contradiction = fmt.Sprintf("page %d is of another partition", n)
		}
		if n > s.needed {
			if o.rows > 0 && s.contradiction == "" {
				s.contradiction = "vessels past the end"
			}
			continue
		}
		s.pages++
		if s.contradiction == "" && p.kind != api.KindStatus {
			s.contradiction = s.contradictionOf(n, size, o, prints)
		}
	}
	if s.contradiction == "" {
		s.contradiction = overlap.Contradiction()
	}
	return s
}

// contradictionOf returns how a page contradicts the others; empty if it does not. prints has the
// fingerprints of the pages before it, and receives its own.
func (s *pageSum) contradictionOf(n, size int, o observation, prints map[uint64]int) string {
	want := min(size, s.total-(n-1)*size)
	if s.total == 0 {
		want = o.rows // without a total, no page can be too short
	}
	if o.rows < want {
		return fmt.Sprintf("short page %d", n)
	}
	if first, again := prints[o.Fingerprint]; again && o.rows > 0 {
		return fmt.Sprintf("page %d repeats page %d", n, first)
	}
	prints[o.Fingerprint] = n
	return ""
}
