package transform

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fleetlake/fleetlake/extract/api"
)

// pageSum is what the pages of a partition say together.
type pageSum struct {
	pages    int    // usable pages, without those past the end
	needed   int    // pages that hold all vessels
	rows     int    // vessels on all usable pages
	total    int    // vessels of the partition, as the service says; 0 is unknown
	odd      string // a contradiction between pages; empty when there is none
	unusable string // outcome of the first page that cannot be used
}

// sum adds up the pages of a partition. A page past the end says total 0, which counts as no
// total.
func (p *partition) sum() pageSum {
	s := pageSum{needed: 1}
	size, numbers := api.PageSize, slices.Sorted(maps.Keys(p.pages))
	for _, n := range numbers {
		o := p.pages[n]
		if o.usable && o.wild != "" {
			s.odd = fmt.Sprintf("a total of %s vessels", o.wild)
		}
		if !o.usable || o.total == 0 {
			continue
		}
		size = o.size
		if s.total != 0 && s.total != o.total && s.odd == "" {
			s.odd = fmt.Sprintf("total moved from %d to %d", s.total, o.total)
		}
		s.total = max(s.total, o.total)
	}
	if p.kind != api.KindStatus {
		s.needed = max(1, (s.total+size-1)/size)
	}
	prints := map[uint64]int{}
	for _, n := range numbers {
		o := p.pages[n]
		if !o.usable {
			if s.unusable == "" {
				s.unusable = o.outcome
			}
			continue
		}
		s.rows += o.rows
		if n > s.needed {
			if o.rows > 0 && s.odd == "" {
				s.odd = "vessels past the end"
			}
			continue
		}
		s.pages++
		if s.odd == "" && p.kind != api.KindStatus {
			s.odd = s.oddPage(n, size, o, prints)
		}
	}
	return s
}

// oddPage returns what contradicts the other pages about a page; empty when nothing does.
// prints holds the fingerprints of the pages before it.
func (s *pageSum) oddPage(n, size int, o observation, prints map[uint64]int) string {
	want := min(size, s.total-(n-1)*size)
	if s.total == 0 {
		want = o.rows // without a total, no page can be too short
	}
	if o.rows < want {
		return fmt.Sprintf("short page %d", n)
	}
	if first, again := prints[o.print]; again && o.rows > 0 {
		return fmt.Sprintf("page %d repeats page %d", n, first)
	}
	prints[o.print] = n
	return ""
}
