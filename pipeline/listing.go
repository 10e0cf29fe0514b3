package pipeline

import (
	"strings"
	"sync"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/transform"
)

// listing pages through the partitions of the type/country search. The total on page 1 asks
// for the rest; when the whole cover is seen, the totals of the other side tell whether it
// missed vessels.
type listing struct {
	queue *queue
	roll  *transform.Roll        // reads who is on a page; nil if nobody wants to know
	met   func(transform.Listed) // is told of each

	mu     sync.Mutex
	cover  []*paging
	checks []*paging
	byKey  map[string]*paging // by kind and value
	types  map[string]int     // vessels seen, by stored type without case
	lands  map[string]int     // and by stored country
	whole  bool               // the cover is every type, or every country

	checking bool // the first pages of the checks are queued
}

// paging is one partition on its way.
type paging struct {
	partition
	check bool
	total int // the greatest that a page told; -1 before the first
	asked int // pages asked for so far
	got   int // pages answered
	rows  int
}

func newListing(d decision, whole bool) *listing {
	l := &listing{queue: newQueue(), byKey: map[string]*paging{}, types: map[string]int{}, lands: map[string]int{}, whole: whole}
	for _, p := range d.cover {
		l.cover = append(l.cover, l.add(p, false))
	}
	for _, p := range d.checks {
		l.checks = append(l.checks, l.add(p, true))
	}
	for _, p := range l.cover {
		l.queue.push(false, p.page(1))
	}
	return l
}

func (l *listing) add(p partition, check bool) *paging {
	pg := &paging{partition: p, check: check, total: -1, asked: 1}
	l.byKey[keyOf(p.typ, p.country)] = pg
	return pg
}

// answer takes in a page: its vessels, and what it tells of the pages still to come.
func (l *listing) answer(r extract.Request, a extract.Answer) {
	p := l.byKey[keyOf(r.Parameters.Get("type_specific"), r.Parameters.Get("country"))]
	if p == nil {
		return // a probe
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p.got++
	p.rows += a.Rows
	if a.Rows > 0 {
		p.total = max(p.total, a.Total) // the total of a page past the end is 0 and means nothing
	}
	if l.roll != nil && a.Rows > 0 {
		l.roll.Each(a.Entry, func(v transform.Listed) {
			if !p.check {
				l.types[strings.ToLower(strings.TrimSpace(v.Type))]++
				l.lands[strings.ToLower(strings.TrimSpace(v.Country))]++
			}
			l.met(v)
		})
	}
	l.queue.push(true, l.more(p, a)...)
}

// more returns the pages of a partition that its newest page tells to ask for.
func (l *listing) more(p *paging, a extract.Answer) []extract.Request {
	last := pages(p.total)
	switch {
	case a.Rows == 0:
		return nil
	case p.total < 0 && a.Rows == extract.PageSize:
		last = p.asked + 1 // no page tells a total: go on until one is not full
	case p.check && p.rows == a.Rows && !l.missing(p):
		return nil // the cover showed as many: nothing hides here
	}
	var next []extract.Request
	for ; p.asked < last; p.asked++ {
		next = append(next, p.page(p.asked+1))
	}
	return next
}

// missing reports whether the partition holds more vessels than the cover showed of it.
func (l *listing) missing(p *paging) bool {
	shown := l.types[strings.ToLower(p.typ)]
	if p.typ == "" {
		shown = l.lands[strings.ToLower(p.country)]
	}
	return p.total > shown
}

// check queues the first pages of the other side, once the cover is complete, and reports
// whether there are any.
func (l *listing) check() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.whole || len(l.checks) == 0 {
		return false
	}
	for _, p := range l.cover {
		if !p.complete() {
			return false
		}
	}
	l.checking = true
	for _, p := range l.checks {
		l.queue.push(false, p.page(1))
	}
	return true
}

// unseenPages is what a partition that was never seen is taken to need, until its first page
// tells: enough for every vessel of the world.
const unseenPages = 20

// later returns the pages that are expected and not yet asked for.
func (l *listing) later() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.cover {
		switch {
		case p.got > 0:
		case p.expected < 0:
			n += unseenPages
		default:
			n += max(0, pages(p.expected)-1)
		}
	}
	if l.whole && !l.checking {
		n += len(l.checks)
	}
	return n
}

// leftOut counts the partitions that were not seen to their end: of the cover, and checks.
func (l *listing) leftOut() (cover, checks int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.cover {
		if !p.complete() {
			cover++
		}
	}
	for _, p := range l.checks {
		if l.whole && !p.complete() {
			checks++
		}
	}
	return cover, checks
}

// complete reports whether every page that was asked for was answered.
func (p *paging) complete() bool { return p.got >= p.asked }

func (p *paging) page(n int) extract.Request { return extract.Page(p.typ, p.country, n) }

func keyOf(typ, country string) string { return strings.ToLower(typ + "|" + country) }
