package transform

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/fleetlake/fleetlake/extract/api"
)

// Pages are the answers to the requests for the pages of one partition, by their numbers. They are the one judge of
// whether these have the whole partition: a harvest asks them while it pages, and the coverage of the night at its end.
// The zero value has no page.
type Pages struct {
	byNumber map[int]pageFacts
	overlap  Overlap
}

// Verdict says what the pages of a partition prove.
type Verdict struct {
	Pages, Needed int // pages that were read, without those past the end, and pages for all vessels of the total
	Rows          int // vessels on all pages
	Total         int // vessels of the partition, as the service says; 0 is unknown

	// Contradiction says how the pages contradict each other, or their totals; empty if they do not. Then nothing
	// proves which vessels the partition lacks, and another look at the same pages would not prove it either.
	Contradiction string

	// Moved says how the list moved while its pages were read, each of which has as many vessels as it said itself:
	// vessels can have moved from a page that was not read yet to one that was. Empty if it did not.
	Moved string
}

// Whole reports whether the pages have all vessels of the partition.
func (v Verdict) Whole() bool { return v.EveryPage() && v.Moved == "" }

// EveryPage reports whether each page was read and has as many vessels as it said. The list may have moved meanwhile.
func (v Verdict) EveryPage() bool { return v.Contradiction == "" && v.Pages >= v.Needed }

// Add adds a page by its number, with what its answer has. Pages come in any order, each once.
func (p *Pages) Add(number int, c api.Contents, page Page) {
	if p.byNumber == nil {
		p.byNumber = map[int]pageFacts{}
	}
	p.overlap.Add(number, page)
	p.byNumber[number] = factsOf(c, page)
}

// pageFacts has the facts of the answer to the request for a page that the judge of pages needs.
type pageFacts struct {
	total           int    // vessels over all pages; 0 where the answer has none, or an impossible one
	impossibleTotal string // the text of a total that cannot be one; empty otherwise
	rows            int    // vessels on the page, unusable ones included
	fingerprint     uint64
	unreadable      bool
	ofAnother       bool
}

// factsOf returns the facts of a page from its answer.
func factsOf(c api.Contents, page Page) pageFacts {
	f := pageFacts{total: max(0, c.Total), rows: c.Rows, fingerprint: page.Fingerprint, unreadable: page.Unreadable(),
		ofAnother: page.OfAnother()}
	if c.HasImpossibleTotal() {
		f.total, f.impossibleTotal = 0, cmp.Or(clip(c.TotalText), fmt.Sprint(c.Total))
	}
	return f
}

// Judge says what the pages of a partition of a kind prove, which had so many vessels when it was last covered; -1
// where that is unknown. A page past the end has a total of 0, which counts as no total.
func (p *Pages) Judge(kind string, expected int) Verdict {
	v, numbers, impossible := Verdict{Needed: 1}, slices.Sorted(maps.Keys(p.byNumber)), ""
	for _, n := range numbers {
		f := p.byNumber[n]
		if f.impossibleTotal != "" {
			impossible = fmt.Sprintf("a total of %s vessels", f.impossibleTotal)
		}
		if f.total == 0 {
			continue
		}
		if v.Total != 0 && v.Total != f.total && v.Moved == "" {
			v.Moved = fmt.Sprintf("total moved from %d to %d", v.Total, f.total)
		}
		v.Total = max(v.Total, f.total)
	}
	if kind != api.KindStatus {
		v.Needed = max(1, (v.Total+api.PageSize-1)/api.PageSize)
	}
	between, prints := "", map[uint64]int{}
	for _, n := range numbers {
		f := p.byNumber[n]
		v.Rows += f.rows
		if n <= v.Needed {
			v.Pages++
		}
		if between == "" {
			between = v.contradictionOf(kind, n, f, prints)
		}
	}
	v.Contradiction = cmp.Or(impossible, between, p.overlap.Contradiction())
	if v.Contradiction == "" && !Plausible(v.Total, expected) {
		v.Contradiction = fmt.Sprintf("%d vessels, and %d when it was last covered", v.Total, expected)
	}
	if v.Contradiction == "" && v.Moved == "" && kind != api.KindStatus && v.Pages >= v.Needed && v.Rows != v.Total {
		v.Contradiction = fmt.Sprintf("%d of %d vessels", v.Rows, v.Total)
	}
	return v
}

// contradictionOf returns how a page contradicts the others; empty if it does not. prints has the fingerprints of the
// pages before it, and receives its own. A last page that is empty now shows that the list became shorter.
func (v *Verdict) contradictionOf(kind string, n int, f pageFacts, prints map[uint64]int) string {
	total := cmp.Or(f.total, v.Total)
	want := min(api.PageSize, total-(n-1)*api.PageSize)
	if total == 0 {
		want = f.rows // without a total, no page can be too short
	}
	switch first, again := prints[f.fingerprint]; {
	case f.unreadable && kind != api.KindStatus:
		return fmt.Sprintf("no vessel on page %d has a number", n)
	case f.ofAnother:
		return fmt.Sprintf("page %d is of another partition", n)
	case n > v.Needed && f.rows > 0:
		return "vessels past the end"
	case n > v.Needed, kind == api.KindStatus:
		return ""
	case n > 1 && n == v.Needed && f.rows == 0 && f.total == 0:
		v.Moved = cmp.Or(v.Moved, fmt.Sprintf("short page %d", n))
	case f.rows < want:
		return fmt.Sprintf("short page %d", n)
	case f.rows > want && want == api.PageSize:
		return fmt.Sprintf("long page %d", n)
	case f.rows > want:
		return fmt.Sprintf("%d of %d vessels", (n-1)*api.PageSize+f.rows, total)
	case again && f.rows > 0 && f.fingerprint != 0:
		return fmt.Sprintf("page %d repeats page %d", n, first)
	}
	prints[f.fingerprint] = n
	return ""
}
