package pipeline

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/transform"
)

// listing pages through the partitions of the type/country search. The total on page 1 gives the
// price of the rest; when the whole cover is listed, the totals of the checks reveal whether it
// missed vessels.
type listing struct {
	queue    *queue
	ahead    int // the most pages of one partition that are queued or in flight
	reader   *transform.SearchReader
	onVessel func(transform.Listed) // called with each vessel on a page; may be nil
	answered func(key string) bool  // whether an earlier run of the night paid for a request

	mu      sync.Mutex
	cover   []*paging
	checks  []*paging
	byKey   map[string]*paging // by kind and value
	byCover plan.VesselCounts  // vessels on the pages of the cover
	whole   bool               // the cover is every type, or every country

	checking bool // check was called: the checks are candidates, or cannot be made
}

// paging is the progress of one partition.
type paging struct {
	plan.Partition
	id           int // as a candidate
	check        bool
	first        int // the first total that a page reported; -1 before
	total        int // the greatest total that a page reported; -1 before
	asked        int // pages queued so far
	granted      int // pages that may be queued
	requested    int // pages that wait for credits
	got          int // pages answered
	rows         int
	ended        bool // its totals are implausible: no more pages are requested
	short        bool // the rest of its pages got no credits
	fingerprints map[uint64]bool
	pages        transform.Pages // what was answered: whether it is the whole partition, is for them to judge
}

// newListing returns the listing of a plan. whole says that its cover is every type, or every country.
func newListing(d plan.Plan, whole bool) *listing {
	l := &listing{queue: newQueue(), ahead: 8, reader: transform.NewSearchReader(), answered: func(string) bool { return false },
		byKey: map[string]*paging{}, byCover: plan.NewVesselCounts(), whole: whole}
	for _, p := range d.Cover {
		l.cover = append(l.cover, l.add(p, false))
	}
	for _, p := range d.Checks {
		l.checks = append(l.checks, l.add(p, true))
	}
	return l
}

// add makes the paging of a partition, and registers it for answers.
func (l *listing) add(p plan.Partition, check bool) *paging {
	pg := &paging{Partition: p, check: check, first: -1, total: -1, fingerprints: map[uint64]bool{}}
	l.byKey[keyOf(p.Type, p.Country)] = pg
	return pg
}

// start queues the first page of a partition that was granted credits.
func (l *listing) start(p *paging) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.granted = max(1, p.Pages)
	p.asked = 1
	l.queue.push(false, p.Page(1))
}

// addWaiting adds a partition that the plan left out, and that may be granted credits later.
func (l *listing) addWaiting(p plan.Partition) *paging {
	l.mu.Lock()
	defer l.mu.Unlock()
	pg := l.add(p, false)
	l.cover = append(l.cover, pg)
	return pg
}

// answer reads a page, its vessels and its total, and queues the next pages that were granted. It returns what the
// partition needs instead of what it was granted.
func (l *listing) answer(r api.Request, a extract.Answer) need {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.byKey[keyOf(r.Parameters.Get("type_specific"), r.Parameters.Get("country"))]
	if p == nil {
		return need{} // a probe
	}
	p.got++
	p.rows += a.Rows
	page, _ := strconv.Atoi(r.Parameters.Get("page"))
	if a.Rows > 0 {
		l.read(p, page, a)
	} else {
		p.pages.Add(page, a.Contents, transform.Page{})
	}
	n := l.need(p, a)
	l.queue.push(true, l.next(p)...)
	return n
}

// read reads the vessels and the total of a page. The total of a page past the end is 0 and means
// nothing. A page that contradicts its total makes the partition suspect; the other pages are requested all the
// same, for the vessels on them.
func (l *listing) read(p *paging, page int, a extract.Answer) {
	var each func(transform.Listed)
	if l.onVessel != nil {
		each = func(v transform.Listed) {
			if !p.check {
				l.byCover.Add(v)
			}
			l.onVessel(v)
		}
	}
	read := l.reader.Each(a.Entry, each)
	p.pages.Add(page, a.Contents, read)
	if p.first < 0 {
		p.first = a.Total
	}
	p.total = max(p.total, a.Total)
	switch {
	case a.Total < -1, !transform.Plausible(max(p.total, p.rows), p.Expected):
		p.ended = true
	case p.first >= 0 && !transform.PlausibleGrowth(p.first, p.total):
		p.ended = true
	case read.Fingerprint != 0 && p.fingerprints[read.Fingerprint], read.Unreadable():
		p.ended = true
	}
	p.fingerprints[read.Fingerprint] = true
}

// next returns the pages to queue now: at most so many ahead of the answered ones.
func (l *listing) next(p *paging) (next []api.Request) {
	for p.asked < p.granted && p.asked-p.got < l.ahead && !p.ended {
		p.asked++
		next = append(next, p.Page(p.asked))
	}
	return next
}

// skipLostPages continues partitions behind pages that have no answer. It is called when no request
// is in flight, so that these pages will not be answered. It reports whether it queued any.
func (l *listing) skipLostPages() (more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range slices.Concat(l.cover, l.checks) {
		switch {
		case p.asked == 0:
		case p.got == 0, p.ended: // without the first page there is no total
			p.granted = p.asked
		default:
			for range min(l.ahead, p.granted-p.asked) {
				p.asked++
				l.queue.push(true, p.Page(p.asked))
				more = true
			}
		}
	}
	return more
}

// incomplete records that a part of the cover is left out, so that checks have nothing to compare with.
func (l *listing) incomplete() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.whole = false
}

// missing reports whether the partition has more vessels than the pages of the cover list of it.
func (l *listing) missing(p *paging) bool { return p.total > l.byCover.Of(p.Partition) }

// check returns the checks, once, if the cover is complete.
func (l *listing) check() []*paging {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.whole || l.checking {
		return nil
	}
	l.checking = true
	for _, p := range l.cover {
		if !p.complete() {
			return nil
		}
	}
	return l.checks
}

// complete reports whether every page was answered, with as many vessels as it said. A check needs no further page if
// the cover lists all its vessels.
func (p *paging) complete() bool {
	v := p.verdict()
	return p.asked > 0 && p.got >= p.asked && p.asked >= p.granted && p.requested == 0 && !p.ended && !p.short &&
		v.Contradiction == "" && (v.EveryPage() || p.check)
}

// verdict returns what the pages so far prove.
func (p *paging) verdict() transform.Verdict {
	return p.pages.Judge(p.Partition.Name().Kind, p.Expected)
}

func keyOf(typ, country string) string { return strings.ToLower(typ + "|" + country) }
