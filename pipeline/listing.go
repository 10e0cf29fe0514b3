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

// listing pages through the partitions of the type/country search. The total on page 1 tells
// what the rest costs; when the whole cover is seen, the totals of the other side tell whether
// it missed vessels.
type listing struct {
	queue    *queue
	ahead    int // pages of one partition that are queued or in the air
	reader   *transform.SearchReader
	met      func(transform.Listed) // is told of each vessel on a page; may be nil
	answered func(key string) bool  // whether an earlier run of the night paid for a request
	want     func(wish)             // asks for the credits of pages that no plan has priced

	mu      sync.Mutex
	cover   []*paging
	checks  []*paging
	byKey   map[string]*paging // by kind and value
	byCover plan.VesselCounts  // by the cover
	whole   bool               // the cover is every type, or every country

	checking bool // the first pages of the checks were asked for
}

// paging is one partition on its way.
type paging struct {
	plan.Partition
	check   bool
	first   int // the first total that a page told; -1 before
	total   int // the greatest that a page told; -1 before the first
	asked   int // pages queued so far
	granted int // pages that may be queued
	wished  int // pages that credits are asked for
	got     int // pages answered
	rows    int
	ended   bool // what it is told cannot be: nothing more is asked
	odd     bool // a page holds more vessels, or fewer, than its total says
	short   bool // there were no credits for the rest
	lost    bool // its first page was not answered
	prints  map[uint64]bool
}

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

func (l *listing) add(p plan.Partition, check bool) *paging {
	pg := &paging{Partition: p, check: check, first: -1, total: -1, prints: map[uint64]bool{}}
	l.byKey[keyOf(p.Type, p.Country)] = pg
	return pg
}

// start queues the first page of a partition that credits were granted to.
func (l *listing) start(p *paging) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.granted = max(1, p.Pages)
	p.asked = 1
	l.queue.push(false, p.Page(1))
}

// begin adds a partition that the plan had left out, and starts it.
func (l *listing) begin(p plan.Partition) {
	l.mu.Lock()
	pg := l.add(p, false)
	l.cover = append(l.cover, pg)
	l.mu.Unlock()
	l.start(pg)
}

// answer takes in a page: its vessels, and what it tells of the pages still to come.
func (l *listing) answer(r api.Request, a extract.Answer) {
	l.mu.Lock()
	p := l.byKey[keyOf(r.Parameters.Get("type_specific"), r.Parameters.Get("country"))]
	if p == nil {
		l.mu.Unlock()
		return // a probe
	}
	p.got++
	p.rows += a.Rows
	if a.Rows > 0 {
		page, _ := strconv.Atoi(r.Parameters.Get("page"))
		l.read(p, page, a)
	}
	w, released := l.more(p, a)
	l.queue.push(true, l.next(p)...)
	l.mu.Unlock()
	if w.requests != 0 || released {
		l.want(w)
	}
}

// read takes in the vessels and the total of a page. The total of a page past the end is 0 and
// means nothing. A page that does not hold as many vessels as its own total says makes the
// partition suspect; the other pages are asked all the same, for the vessels on them.
func (l *listing) read(p *paging, page int, a extract.Answer) {
	print := l.reader.Each(a.Entry, func(v transform.Listed) {
		if l.met == nil {
			return
		}
		if !p.check {
			l.byCover.Add(v)
		}
		l.met(v)
	})
	if p.first < 0 {
		p.first = a.Total
	}
	p.total = max(p.total, a.Total)
	p.odd = p.odd || a.Total >= 0 && a.Rows != min(api.PageSize, a.Total-(page-1)*api.PageSize)
	switch {
	case a.Total < -1, !transform.Plausible(max(p.total, p.rows), p.Expected):
		p.ended = true
	case p.first >= 0 && !transform.PlausibleGrowth(p.first, p.total):
		p.ended = true
	case print != 0 && p.prints[print]:
		p.ended = true
	}
	p.prints[print] = true
}

// more compares the pages that a partition needs with those that it was granted. It returns
// what to ask credits for, and whether some were given back.
func (l *listing) more(p *paging, a extract.Answer) (w wish, released bool) {
	last := plan.Pages(p.total)
	switch {
	case p.ended, a.Rows == 0, p.check && p.rows == a.Rows && !l.missing(p):
		last = p.asked // nothing more is asked; a check shows as many as the cover
	case p.total < 0 && a.Rows == api.PageSize:
		last = p.got + 1 // no page tells a total: go on until one is not full
	case p.total < 0:
		last = p.asked
	}
	last = max(last, p.asked)
	if last <= p.granted {
		w.credits = -api.ByType.Credits * l.unpaid(p, last, p.granted)
		p.granted = last
		return w, w.credits != 0 || p.got == 1
	}
	if last <= p.granted+p.wished {
		return w, p.got == 1
	}
	from := p.granted + p.wished
	p.wished = last - p.granted
	n := last - from
	what := plan.PartitionsOfList
	if p.check {
		what = plan.ListChecks
	}
	return wish{operation: api.ByType, what: what, requests: n, credits: api.ByType.Credits * l.unpaid(p, from, last),
		worth: l.worth(p, n), queue: func() { l.grant(p, n) }, drop: func() { l.cutShort(p) }, rest: true}, true
}

// worth is what the rest of a partition brings by credit. That of a check brings nothing that
// is known.
func (l *listing) worth(p *paging, n int) float64 {
	if p.check {
		return 0
	}
	return plan.Worth(max(p.total, p.rows), p.Nights) / float64(n)
}

// unpaid counts the pages after one and up to another that no earlier run of the night paid for.
func (l *listing) unpaid(p *paging, after, last int) (n int) {
	for page := after + 1; page <= last; page++ {
		if !l.answered(p.Page(page).Key()) {
			n++
		}
	}
	return n
}

// grant lets a partition ask for so many more pages.
func (l *listing) grant(p *paging, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.granted, p.wished = p.granted+n, p.wished-n
	l.queue.push(true, l.next(p)...)
}

// cutShort notes that the rest of a partition is not asked for lack of credits.
func (l *listing) cutShort(p *paging) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.short = true
}

// next returns the pages to queue now: a few ahead of what is answered, however many there are.
func (l *listing) next(p *paging) (next []api.Request) {
	for p.asked < p.granted && p.asked-p.got < l.ahead && !p.ended {
		p.asked++
		next = append(next, p.Page(p.asked))
	}
	return next
}

// rested goes on with partitions of which pages were lost: when nothing is in the air any
// more, a page that has no answer gets none. It reports whether there is more to ask.
func (l *listing) rested() (more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range slices.Concat(l.cover, l.checks) {
		switch {
		case p.asked == 0:
		case p.got == 0, p.ended: // the first page is lost, and what it would have told
			p.lost, p.granted = p.got == 0, p.asked
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

// incomplete notes that a part of the cover is left out: what is not seen cannot be compared.
func (l *listing) incomplete() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.whole = false
}

// missing reports whether the partition holds more vessels than the cover showed of it.
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

// unseenPages is what a partition that was never seen is taken to need, until its first page
// tells: enough for every vessel of the world.
const unseenPages = 20

// unsure returns the credits that partitions may give back, because their first pages are not
// answered yet, and those that they may come to need beyond what they were granted.
func (l *listing) unsure() (back, more int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.cover {
		if p.got > 0 || p.asked == 0 || p.lost {
			continue
		}
		back += p.Unpaid
		switch {
		case p.Expected < 0:
			more += unseenPages
		case p.Unpaid > 0:
			more += max(1, p.granted/plan.Growth)
		}
	}
	if l.whole && !l.checking {
		for _, p := range l.checks {
			more += p.Unpaid
		}
	}
	return back * api.ByType.Credits, more * api.ByType.Credits
}

// openEnds counts the partitions that were not seen to their end.
type openEnds struct {
	short  int // of the cover, for lack of credits
	odd    int // of the cover, because what they were told cannot be
	lost   int // of the cover: refused, or not answered
	checks int
}

// begun counts the partitions of the cover that credits were granted to.
func (l *listing) begun() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.cover {
		if p.asked > 0 {
			n++
		}
	}
	return n
}

func (l *listing) leftOut() (open openEnds) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.cover {
		if p.asked == 0 {
			continue // it was granted no credits
		}
		switch {
		case p.ended, p.odd && !p.short:
			open.odd++
		case p.short:
			open.short++
		case !p.complete():
			open.lost++
		}
	}
	for _, p := range l.checks {
		if l.whole && !p.complete() {
			open.checks++
		}
	}
	return open
}

// complete reports whether every page that there is was answered, with as many vessels as it says.
func (p *paging) complete() bool {
	return p.asked > 0 && p.got >= p.asked && p.asked >= p.granted && p.wished == 0 && !p.ended && !p.odd && !p.short
}

func keyOf(typ, country string) string { return strings.ToLower(typ + "|" + country) }
