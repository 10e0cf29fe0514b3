package transform

import (
	"math"
	"net/url"
	"strconv"

	"github.com/fleetlake/fleetlake/extract/api"
)

// pageFacts is what an answer of a search tells beside its vessels.
type pageFacts struct {
	total int    // over all pages; 0 where it is not told
	wild  string // a total as the service told it that cannot be one
	size  int    // vessels on a full page
	rows  int    // vessels on this page, those that are of no use included
	print uint64 // the vessels and their order: the same for a repeated page
}

// search reads an answer of one of the two searches into its rows. Of an answer that is
// not what was promised no vessel is used.
func (b *Batch) search(r *searchRows, at page, body string) (pageFacts, bool) {
	rowMark, issueMark := r.rows.n, len(b.issues)
	s := &scanner{s: body}
	facts := pageFacts{size: api.PageSize}
	listed := false
	b.pages = append(b.pages, at)
	if s.next() == '{' {
		b.envelope(r, s, at, &facts, &listed)
	}
	if s.end() && listed {
		return facts, true
	}
	r.rows.n, b.issues = rowMark, b.issues[:issueMark]
	b.report(source{entry: at.entry, dataset: r.dataset}, 0, "", clip(body), shapeOf(body))
	return pageFacts{}, false
}

// shapeOf says what is wrong with a body that cannot be used.
func shapeOf(body string) Reason {
	s := &scanner{s: body}
	if s.value(); s.end() {
		return UnexpectedShape
	}
	return NotJSON
}

// clip shortens an answer that is of no use: the journal has all of it.
func clip(body string) string {
	const most = 500
	for i := range body {
		if i > most {
			return body[:i]
		}
	}
	return body
}

// envelope reads the object around the vessels. What else it holds is about the answer and
// not about vessels.
func (b *Batch) envelope(r *searchRows, s *scanner, at page, facts *pageFacts, listed *bool) {
	s.object(func(key value) {
		k, _ := key.text()
		switch next := s.next(); {
		case k == "detail" && next == '{':
			b.envelope(r, s, at, facts, listed)
		case (k == "items" || k == "vessels") && next == '[':
			*listed = true
			s.array(func() {
				facts.rows++
				facts.print = facts.print*0x100000001b3 + b.item(r, s, at)
			})
		case (k == "items" || k == "vessels") && next == 'n':
			*listed = true
			s.value()
		case k == "total":
			total, _ := s.value().text()
			facts.total = whole(total, 0)
			if n, err := strconv.ParseFloat(total, 64); err == nil && (n < 0 || n > MostVessels) {
				facts.total, facts.wild = 0, clip(total)
			}
		case k == "limit":
			limit, _ := s.value().text()
			facts.size = whole(limit, api.PageSize)
		default:
			s.value()
		}
	})
}

// whole reads a positive number that fits a column, or takes the other.
func whole(s string, other int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n <= 0 || n > math.MaxInt32 {
		return other
	}
	return n
}

// item reads one vessel of a list and returns its part of the page's print.
func (b *Batch) item(r *searchRows, s *scanner, at page) uint64 {
	next := s.next()
	start := s.pos
	from := source{entry: at.entry, dataset: r.dataset}
	if next != '{' {
		b.report(from, 0, "", s.value().raw, NotARecord)
		return 1
	}
	var got [fieldCount]value
	r.extras = r.extras[:0]
	s.object(func(key value) {
		k, _ := key.text()
		v := s.value()
		if f := fieldOf(k); f >= 0 && r.only[f] && got[f].kind == isAbsent {
			got[f] = v
		} else {
			r.extras = append(r.extras, member{key: k, value: v})
		}
	})
	from.whole = s.s[start:s.pos]
	reg, ok := b.register(&got, from)
	if !ok {
		return uint64(len(from.whole))
	}
	extra := ""
	if len(r.extras) > 0 {
		extra = string(appendObject(nil, r.extras))
	}
	r.put(uint32(len(b.pages)-1), &reg, extra)
	return uint64(reg.id)<<31 ^ uint64(reg.mmsi)
}

// sweep is what a status search asked.
type sweep struct {
	status, zone, vesselType, laden, forOrder string
}

// sweepOf numbers what a status search asked. Number 0 is no sweep.
func (b *Batch) sweepOf(parameters string) uint32 {
	q, _ := url.ParseQuery(parameters)
	s := sweep{q.Get("navigational_status"), q.Get("world_zone"), q.Get("vessel_type"), q.Get("laden"), q.Get("for_order")}
	n, ok := b.sweepNumbers[s]
	if !ok {
		n = uint32(len(b.sweeps))
		b.sweeps, b.sweepNumbers[s] = append(b.sweeps, s), n
	}
	return n
}
