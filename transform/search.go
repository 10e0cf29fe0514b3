package transform

import (
	"errors"
	"net/url"
	"strings"
	"sync"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/jsontext"
)

// Page is what the pages of a partition are compared by.
type Page struct {
	Fingerprint uint64   // the vessels and their order: the same for a repeated page; 0 for no page
	vessels     []uint64 // those with an identity, in their order; of a status search only where the service may ignore the zone
	elsewhere   int      // vessels whose own type or country is another one that can be asked for
	rows        int      // vessels on the page, unusable ones included
}

// OfAnother reports whether most vessels of a page are of another partition than was asked for.
func (p Page) OfAnother() bool { return 2*p.elsewhere > p.rows }

// Unreadable reports whether a page is full of vessels that no row can have, as none has a number. Pages like that are
// worth nothing, however many the total promises.
func (p Page) Unreadable() bool { return p.rows >= api.PageSize && len(p.vessels) == 0 }

// search reads an answer of one of the two searches into its rows. It returns false, and uses no
// vessel, for an answer that api.ReadSearch refuses.
func (b *Batch) search(r *searchRows, at page, body string) (api.Contents, Page, bool) {
	rowMark, issueMark := r.rows.n, len(b.issues)
	b.elsewhere = 0
	b.pages = append(b.pages, at)
	var read Page
	_, zoneOptional := b.sweeps[at.sweep].World()
	contents, err := api.ReadSearch(r.operation, body, func(s *jsontext.Scanner) {
		vessel := b.item(r, s, at)
		read.Fingerprint = read.Fingerprint*0x100000001b3 + vessel
		if vessel >= firstVessel && (r == &b.listings || zoneOptional) {
			read.vessels = append(read.vessels, vessel)
		}
	})
	if err != nil {
		r.rows.n, b.issues = rowMark, b.issues[:issueMark]
		b.report(source{entry: at.entry, dataset: r.dataset}, 0, "", clip(body), reasonOf(err))
		return api.Contents{}, Page{}, false
	}
	read.rows, read.elsewhere = contents.Rows, b.elsewhere
	return contents, read, true
}

// reasonOf returns why an answer cannot be used: NotJSON or UnexpectedShape.
func reasonOf(unread error) Reason {
	if errors.Is(unread, api.ErrNotJSON) {
		return NotJSON
	}
	return UnexpectedShape
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

// item reads one vessel of a list and returns its part of the page's fingerprint.
func (b *Batch) item(r *searchRows, s *jsontext.Scanner, at page) uint64 {
	next := s.Next()
	start := s.Position()
	from := source{entry: at.entry, dataset: r.dataset}
	if next != '{' {
		b.report(from, 0, "", s.Value().Raw, NotARecord)
		return 1
	}
	var got [fieldCount]jsontext.Value
	r.extras = r.extras[:0]
	s.Object(func(key jsontext.Value) {
		k, _ := key.Text()
		v := s.Value()
		if f := fieldOf(k); f >= 0 && r.only[f] && got[f].Kind == jsontext.Absent {
			got[f] = v
		} else {
			r.extras = append(r.extras, member{key: k, value: v})
		}
	})
	from.whole = s.From(start)
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
	b.asked, _, _ = api.PartitionOf(operation, parameters)
}

// compareWithAsked counts a vessel that says itself that it is of another type, or country, than the list
// was asked for. A spelling that cannot be asked for proves nothing.
func (b *Batch) compareWithAsked(got *[fieldCount]jsontext.Value) {
	field, others := fieldCountry, countriesAsked
	switch b.asked.Kind {
	case api.KindCountry:
	case api.KindType:
		field, others = fieldVesselType, typesAsked
	default:
		return
	}
	text, _ := got[field].Text()
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
