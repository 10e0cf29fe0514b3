package pipeline

import (
	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// more compares the pages that a partition needs with those that it was granted. It returns the
// candidate for more credits, or the credits to return, and whether to submit that.
func (l *listing) more(p *paging, a extract.Answer) (w candidate, released bool) {
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
	if last <= p.granted {
		w.credits = -api.ByType.Credits * l.unpaid(p, last, p.granted)
		p.granted = last
		return w, w.credits != 0 || p.got == 1
	}
	if last <= p.granted+p.requested {
		return w, p.got == 1
	}
	from := p.granted + p.requested
	p.requested = last - p.granted
	n := last - from
	what := plan.PartitionsOfList
	if p.check {
		what = plan.ListChecks
	}
	return candidate{operation: api.ByType, kind: what, requests: n, credits: api.ByType.Credits * l.unpaid(p, from, last),
		worth: l.worth(p, n), queue: func() { l.grant(p, n) }, drop: func() { l.cutShort(p) }, rest: true}, true
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

// unseenPages is the assumed number of pages of a partition that was never listed, until its first
// page reports the total: 2,000 vessels.
const unseenPages = 20

// unsure returns the credits that partitions may return, because their first pages are not answered
// yet, and the credits that they may need beyond what they were granted.
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
