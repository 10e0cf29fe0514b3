package pipeline

import (
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/transform"
)

// remaining counts what of each search the runs of the night have no answer to. What they have
// is not asked for again, and costs nothing.
func (d *decision) remaining(f inputs) {
	for i := range d.cover {
		d.cover[i].remains(f)
	}
	if len(d.checks) > 0 {
		tonight := f.countVessels(d.cover)
		for i := range d.checks {
			d.checks[i].remainsOfCheck(f, tonight)
		}
	}
	for i := range d.sweeps {
		d.sweeps[i].unpaid = f.unpaid(d.sweeps[i].Request())
	}
}

// remains counts the pages of a partition, by the total that its first page told tonight or
// else by the last that is known, and those among them that are still to be asked.
func (p *partition) remains(f inputs) {
	p.nights = nightsOld(p.at, f.now)
	p.pages, p.unpaid = max(1, pages(p.expected)), 0
	if first, ok := f.tonight[p.page(1).Key()]; ok {
		p.pages = max(1, pages(first.total))
		if !transform.Plausible(first.total, p.expected) {
			p.pages = 1
		}
	}
	for n := 1; n <= p.pages; n++ {
		p.unpaid += f.unpaid(p.page(n))
	}
	if p.billed = p.unpaid; p.expected == 0 && !f.begun(*p) {
		p.billed = 0
	}
}

// remainsOfCheck counts the pages of a check: the first, and all if the first told tonight that the
// cover does not show every vessel of the partition. It holds a vessel if the night's pages of the
// cover show one of it, or if it did when it was last covered.
func (p *partition) remainsOfCheck(f inputs, tonight vesselCounts) {
	p.pages, p.unpaid = 1, 0
	first, begun := f.tonight[p.page(1).Key()]
	if begun && first.total > tonight.of(*p) && transform.Plausible(first.total, p.expected) {
		p.pages = pages(first.total)
	}
	for n := 1; n <= p.pages; n++ {
		p.unpaid += f.unpaid(p.page(n))
	}
	if p.billed = p.unpaid; !begun && tonight.of(*p) == 0 && (p.expected == 0 || p.expected < 0 && tonight.any()) {
		p.billed = 0
	}
}

// countVessels counts the vessels that the pages of a cover show.
func (f inputs) countVessels(cover []partition) vesselCounts {
	s, reader := newVesselCounts(), transform.NewSearchReader()
	for _, p := range cover {
		for n := 1; n <= p.pages; n++ {
			if t, ok := f.tonight[p.page(n).Key()]; ok && t.rows > 0 {
				reader.Each(t.entry, s.add)
			}
		}
	}
	return s
}

// unpaid is 1 if the night has no answer to a request.
func (f inputs) unpaid(r api.Request) int {
	if _, ok := f.tonight[r.Key()]; ok {
		return 0
	}
	return 1
}

// begun reports whether the night has the first page of a partition.
func (f inputs) begun(p partition) bool {
	return f.unpaid(p.page(1)) == 0
}

// vesselCounts counts vessels on pages by the type and by the country that they are stored under, without case.
type vesselCounts struct{ types, countries map[string]int }

func newVesselCounts() vesselCounts { return vesselCounts{map[string]int{}, map[string]int{}} }

func (s vesselCounts) add(v transform.Listed) {
	s.types[strings.ToLower(strings.TrimSpace(v.Type))]++
	s.countries[strings.ToLower(strings.TrimSpace(v.Country))]++
}

// of counts those of a type, or of a country.
func (s vesselCounts) of(p partition) int {
	if p.typ == "" {
		return s.countries[strings.ToLower(p.country)]
	}
	return s.types[strings.ToLower(p.typ)]
}

func (s vesselCounts) any() bool { return len(s.types) > 0 }

// pastAnswer is what paging needs of an answer that lies in the journal.
type pastAnswer struct {
	rows, total int
	entry       journal.Entry
}
