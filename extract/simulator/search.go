package simulator

import (
	"net/http"
	"strconv"

	"github.com/fleetlake/fleetlake/extract/api"
)

// searchByType answers the type/country search. Only an answer with vessels costs credits.
func (f *fleetDay) searchByType(q query, alter FaultKind) answer {
	p := f.cache.get("type:"+strconv.Itoa(q.specificType)+":"+strconv.Itoa(q.country)+":"+strconv.Itoa(q.page)+":"+string(alter), func() page {
		return f.renderPage(q, alter)
	})
	a := answer{status: http.StatusOK, body: p.body, rows: p.rows, outcome: Empty}
	if p.rows > 0 {
		a.outcome, a.credits = OK, api.ByType.Credits
	}
	return a
}

// renderPage returns a page of the type/country search, altered by a fault if there is one.
func (f *fleetDay) renderPage(q query, alter FaultKind) page {
	all := f.matchingEntries(q)
	total, items := len(all), pageOf(all, q.page)
	switch alter {
	case SilentZero:
		total, items = 0, nil
	case MovingTotal:
		if len(items) > 0 {
			total += q.page - 1
		}
	case RepeatedPage:
		if len(items) > 0 {
			items = pageOf(all, max(q.page-1, 1))
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
	b = append(append(b, `],"limit":`...), strconv.Itoa(api.PageSize)...)
	b = append(append(b, `,"page":`...), strconv.Itoa(q.page)...)
	return page{append(b, '}'), len(items)}
}

// matchingEntries returns the entries that a type/country search finds, on all pages
// together.
func (f *fleetDay) matchingEntries(q query) []entry {
	switch {
	case q.country < 0:
		return f.entriesByType[q.specificType]
	case q.specificType < 0:
		return f.entriesByCountry[q.country]
	}
	var both []entry
	for _, e := range f.entriesByCountry[q.country] {
		if n := e.hull(); int(f.hulls[n].specificType) == q.specificType && !f.states[n].has(noType) {
			both = append(both, e)
		}
	}
	return both
}

// pageOf returns the entries of one page; none past the end.
func pageOf(all []entry, page int) []entry {
	if page-1 >= (len(all)+api.PageSize-1)/api.PageSize {
		return nil
	}
	from := (page - 1) * api.PageSize
	return all[from:min(from+api.PageSize, len(all))]
}

// searchByStatus answers the status search. It costs credits whether it finds vessels or not.
func (f *fleetDay) searchByStatus(q query, alter FaultKind) answer {
	p := f.cache.get("status:"+q.parameters+":"+string(alter), func() page { return f.renderStatus(q, alter) })
	a := answer{status: http.StatusOK, body: p.body, rows: p.rows, outcome: Empty, credits: api.ByStatus.Credits}
	if p.rows > 0 {
		a.outcome = OK
	}
	return a
}

// renderStatus returns all vessels of a status search, which has no pages.
func (f *fleetDay) renderStatus(q query, alter FaultKind) page {
	b, count := []byte(`{"vessels":[`), 0
	from, to := q.zone, q.zone+1
	if q.zone < 0 || alter == IgnoredZone && !api.Statuses[q.status].Zoned {
		from, to = 0, len(zones)
	}
	if alter == SilentZero {
		to = from
	}
	for z := from; z < to; z++ {
		for _, e := range f.entriesByStatusAndZone[q.status*len(zones)+z] {
			if !f.passesFilters(e, q) {
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

// passesFilters reports whether a vessel passes the vessel type, laden and for-order filters
// of a status search.
func (f *fleetDay) passesFilters(e entry, q query) bool {
	h := &f.hulls[e.hull()]
	if !specificTypes[h.specificType].matches(q.vesselType) {
		return false
	}
	if q.laden < 0 && q.forOrder == "" {
		return true
	}
	v := f.voyageOn(h, f.day)
	return (q.laden < 0 || v.laden == q.laden) && (q.forOrder == "" || v.forOrder == (q.forOrder == "true"))
}

// lookup answers vessel info, location and particulars.
func (f *fleetDay) lookup(o api.Operation, number string) answer {
	e, ok := f.findEntry(number)
	if !ok {
		return refuseA(http.StatusNotFound, NotFound, "Vessel not found")
	}
	a := answer{status: http.StatusOK, outcome: OK, credits: o.Credits, rows: 1}
	switch o.Name {
	case api.Info.Name:
		a.body = f.renderInfo(e)
	case api.Location.Name:
		a.body = f.renderLocation(e)
	default:
		a.body = f.renderParticulars(e)
	}
	return a
}
