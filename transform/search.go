package transform

import (
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/fleetlake/fleetlake/extract/api"
)

// pageFacts has the facts of a search answer that coverage needs. api.Read reads the same members
// while a harvest runs, for paging.
type pageFacts struct {
	total           int    // vessels over all pages; 0 where the answer has none, or an impossible one
	impossibleTotal string // the text of a total that cannot be one; empty otherwise
	size            int    // vessels on a full page
	Page
}

// Page is what the pages of a partition are compared by.
type Page struct {
	Fingerprint uint64   // the vessels and their order: the same for a repeated page; 0 for no page
	vessels     []uint64 // those with an identity, in their order
	elsewhere   int      // vessels whose own type or country is another one that can be asked for
	rows        int      // vessels on the page, unusable ones included
}

// OfAnother reports whether most vessels of a page are of another partition than was asked for.
func (p Page) OfAnother() bool { return 2*p.elsewhere > p.rows }

// search reads an answer of one of the two searches into its rows. It returns false, and uses no
// vessel, for an answer of another shape than the interface text promises.
func (b *Batch) search(r *searchRows, at page, body string) (pageFacts, bool) {
	rowMark, issueMark := r.rows.n, len(b.issues)
	s := &scanner{s: body}
	facts := pageFacts{size: api.PageSize}
	b.elsewhere = 0
	listed := false
	b.pages = append(b.pages, at)
	if s.next() == '{' {
		b.envelope(r, s, at, &facts, &listed)
	}
	facts.elsewhere = b.elsewhere
	if s.end() && listed {
		return facts, true
	}
	r.rows.n, b.issues = rowMark, b.issues[:issueMark]
	b.report(source{entry: at.entry, dataset: r.dataset}, 0, "", clip(body), shapeOf(body))
	return pageFacts{}, false
}

// shapeOf returns why a body cannot be used: NotJSON or UnexpectedShape.
func shapeOf(body string) Reason {
	s := &scanner{s: body}
	if s.value(); s.end() {
		return UnexpectedShape
	}
	return NotJSON
}

// clip shortens an unusable answer for its issue: the journal has all of it.
func clip(body string) string {
	const most = 500
	for i := range body {
		if i > most {
			return body[:i]
		}
	}
	return body
}

// envelope reads the object around the vessels. Its other members are about the answer and are not
// kept.
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
				vessel := b.item(r, s, at)
				facts.Fingerprint = facts.Fingerprint*0x100000001b3 + vessel
				if vessel >= firstVessel && r == &b.listings {
					facts.vessels = append(facts.vessels, vessel)
				}
			})
		case (k == "items" || k == "vessels") && next == 'n':
			*listed = true
			s.value()
		case k == "total":
			total, _ := s.value().text()
			facts.total = api.PositiveOr(total, 0)
			switch n, err := strconv.ParseFloat(total, 64); {
			case err != nil:
			case !(n >= 0 && n <= api.MostVessels): // nor NaN
				facts.total, facts.impossibleTotal = 0, clip(total)
			default:
				facts.total = int(n) // 120.0 and 1.2e2 are numbers, too
			}
		case k == "limit":
			limit, _ := s.value().text()
			facts.size = api.PositiveOr(limit, api.PageSize)
		default:
			s.value()
		}
	})
}

// item reads one vessel of a list and returns its part of the page's fingerprint.
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
	b.compareWithAsked(&got)
	n := numbersOf(&got)
	if r.numbersOnly {
		return printOf(n.id, n.mmsi, from.whole)
	}
	reg, ok := b.register(&got, n, from)
	if !ok {
		return printOf(0, 0, from.whole)
	}
	extra := ""
	if len(r.extras) > 0 {
		extra = string(appendObject(nil, r.extras))
	}
	r.put(uint32(len(b.pages)-1), &reg, extra)
	return printOf(reg.id, reg.mmsi, from.whole)
}

// asks notes what a search asks for, to compare the vessels of its answer with that.
func (b *Batch) asks(operation, parameters string) {
	b.asked = api.Partition{}
	if p, _, ok := api.PartitionOf(operation, parameters); ok && operation == api.ByType.Name {
		b.asked = p
	}
}

// compareWithAsked counts a vessel that says itself that it is of another type, or country, than the list
// was asked for. A spelling that cannot be asked for proves nothing.
func (b *Batch) compareWithAsked(got *[fieldCount]value) {
	field, others := fieldCountry, countriesAsked
	switch b.asked.Kind {
	case api.KindCountry:
	case api.KindType:
		field, others = fieldVesselType, typesAsked
	default:
		return
	}
	text, _ := got[field].text()
	if text = strings.TrimSpace(text); text != "" && !strings.EqualFold(text, b.asked.Value) && others()[strings.ToLower(text)] {
		b.elsewhere++
	}
}

// The values that a list can be asked for, in lower case.
var (
	countriesAsked = sync.OnceValue(func() map[string]bool { return lowered(api.Countries) })
	typesAsked     = sync.OnceValue(func() map[string]bool { return lowered(api.Types) })
)

func lowered(values []string) map[string]bool {
	set := make(map[string]bool, len(values))
	for _, v := range values {
		set[strings.ToLower(v)] = true
	}
	return set
}

// firstVessel is above the parts of all records without identity, and below those of all others.
const firstVessel = 1 << 31

// printOf returns the part of a vessel in the fingerprint of its page. For a record without identity it
// is the length of the record.
func printOf(id vesselID, mmsi MMSI, whole string) uint64 {
	if id == 0 {
		return uint64(len(whole))
	}
	return uint64(id)<<31 ^ uint64(mmsi)
}

// sweepOf returns the batch's number of the sweep with these parameters. Number 0 is no sweep.
func (b *Batch) sweepOf(parameters string) uint32 {
	q, _ := url.ParseQuery(parameters)
	s := api.SweepOf(q)
	n, ok := b.sweepNumbers[s]
	if !ok {
		n = uint32(len(b.sweeps))
		b.sweeps, b.sweepNumbers[s] = append(b.sweeps, s), n
	}
	return n
}
