package simulator

import (
	"net/http"
	"strconv"

	"github.com/fleetlake/fleetlake/extract"
)

// byType answers the type/country search. Only an answer with vessels costs credits.
func (f *census) byType(q query, alter FaultKind) answer {
	p := f.cache.get("type:"+strconv.Itoa(q.kind)+":"+strconv.Itoa(q.country)+":"+strconv.Itoa(q.page)+":"+string(alter), func() page {
		return f.renderPage(q, alter)
	})
	a := answer{status: http.StatusOK, body: p.body, rows: p.rows, outcome: Empty}
	if p.rows > 0 {
		a.outcome, a.credits = OK, extract.ByType.Credits
	}
	return a
}

// renderPage writes a page of the type/country search, altered by a fault if one is given.
func (f *census) renderPage(q query, alter FaultKind) page {
	all := f.matches(q)
	total, items := len(all), cut(all, q.page)
	switch alter {
	case SilentZero:
		total, items = 0, nil
	case MovingTotal:
		if len(items) > 0 {
			total += q.page - 1
		}
	case RepeatedPage:
		if len(items) > 0 {
			items = cut(all, max(q.page-1, 1))
		}
	case ShortPage:
		items = items[:len(items)-min(7, max(len(items)-1, 0))]
	}
	if len(items) == 0 {
		total = 0
	}
	b := make([]byte, 0, 64+220*len(items))
	b = append(append(b, `{"total":`...), strconv.Itoa(total)...)
	b = append(b, `,"items":[`...)
	for i, e := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = f.appendListing(b, e)
	}
	b = append(append(b, `],"limit":`...), strconv.Itoa(extract.PageSize)...)
	b = append(append(b, `,"page":`...), strconv.Itoa(q.page)...)
	return page{append(b, '}'), len(items)}
}

// matches are the entries of a type/country search, over all pages.
func (f *census) matches(q query) []entry {
	switch {
	case q.country < 0:
		return f.byKind[q.kind]
	case q.kind < 0:
		return f.byCountry[q.country]
	}
	var both []entry
	for _, e := range f.byCountry[q.country] {
		if n := e.hull(); int(f.hulls[n].kind) == q.kind && !f.states[n].has(noType) {
			both = append(both, e)
		}
	}
	return both
}

// cut is one page of the entries; none past the end.
func cut(all []entry, page int) []entry {
	if page-1 >= (len(all)+extract.PageSize-1)/extract.PageSize {
		return nil
	}
	from := (page - 1) * extract.PageSize
	return all[from:min(from+extract.PageSize, len(all))]
}

// byStatus answers the status search. That costs credits whether it finds vessels or not.
func (f *census) byStatus(q query, alter FaultKind) answer {
	p := f.cache.get("status:"+q.parameters+":"+string(alter), func() page { return f.renderStatus(q, alter) })
	a := answer{status: http.StatusOK, body: p.body, rows: p.rows, outcome: Empty, credits: extract.ByStatus.Credits}
	if p.rows > 0 {
		a.outcome = OK
	}
	return a
}

// renderStatus writes all vessels of a status search: it has no pages.
func (f *census) renderStatus(q query, alter FaultKind) page {
	b, count := []byte(`{"vessels":[`), 0
	from, to := q.zone, q.zone+1
	if q.zone < 0 {
		from, to = 0, len(zones)
	}
	if alter == SilentZero {
		to = from
	}
	for z := from; z < to; z++ {
		for _, e := range f.byZone[q.status*len(zones)+z] {
			if !f.sails(e, q) {
				continue
			}
			if count++; count > 1 {
				b = append(b, ',')
			}
			b = f.appendSummary(b, e)
		}
	}
	return page{append(b, `]}`...), count}
}

// sails reports whether a vessel passes the filters of a status search.
func (f *census) sails(e entry, q query) bool {
	h := &f.hulls[e.hull()]
	if !kinds[h.kind].matches(q.vesselType) {
		return false
	}
	if q.laden < 0 && q.forOrder == "" {
		return true
	}
	v := f.voyage(h, f.day)
	return (q.laden < 0 || v.laden == q.laden) && (q.forOrder == "" || v.forOrder == (q.forOrder == "true"))
}

// lookup answers vessel info, location and particulars.
func (f *census) lookup(o extract.Operation, number string) answer {
	e, ok := f.find(number)
	if !ok {
		return refuseA(http.StatusNotFound, NotFound, "Vessel not found")
	}
	a := answer{status: http.StatusOK, outcome: OK, credits: o.Credits, rows: 1}
	switch o.Name {
	case extract.Info.Name:
		a.body = f.profileOf(e)
	case extract.Location.Name:
		a.body = f.locationOf(e)
	default:
		a.body = f.particularsOf(e)
	}
	return a
}
