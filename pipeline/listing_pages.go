package pipeline

import (
	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// need is how many pages of a partition are needed, compared with those that it was granted.
type need struct {
	of     *paging
	first  bool // its first page was answered now
	fewer  int  // pages to pay for that are not needed
	more   int  // pages that wait for credits
	unpaid int  // how many of these no earlier run of the night paid for
	worth  float64
}

// need compares the pages that a partition needs with those that it was granted.
func (l *listing) need(p *paging, a extract.Answer) need {
	n := need{of: p, first: p.got == 1}
	last := plan.Pages(p.total)
	switch {
	case p.ended, a.Rows == 0, p.check && p.rows == a.Rows && !l.missing(p):
		last = p.asked // no more pages are needed; the cover lists all vessels of a check
	case p.total < 0 && a.Rows == api.PageSize:
		last = p.got + 1 // no page reports a total: continue until one is not full
	case p.total < 0:
		last = p.asked
	}
	last = max(last, p.asked)
	switch from := p.granted + p.requested; {
	case last <= p.granted:
		n.fewer, p.granted = l.unpaid(p, last, p.granted), last
	case last > from:
		p.requested = last - p.granted
		n.more, n.unpaid, n.worth = last-from, l.unpaid(p, from, last), l.worth(p, last-from)
	}
	return n
}

// worth is the value of the rest of a partition per credit. That of a check is unknown, and 0.
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

// grant queues n more pages of a partition, whose credits were granted.
func (l *listing) grant(p *paging, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.granted, p.requested = p.granted+n, p.requested-n
	l.queue.push(true, l.next(p)...)
}

// cutShort records that the rest of a partition gets no credits.
func (l *listing) cutShort(p *paging) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.short = true
}

// checksToCome returns the credits that checks will ask for, if the cover becomes complete.
func (l *listing) checksToCome() (credits int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.whole || l.checking {
		return 0
	}
	for _, p := range l.checks {
		credits += p.Unpaid * api.ByType.Credits
	}
	return credits
}
