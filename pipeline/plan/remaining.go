package plan

import (
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/transform"
)

// remaining counts what of each search the runs of the night have no answer to. What they have
// is not asked for again, and costs nothing.
func (d *Plan) remaining(f Inputs) {
	for i := range d.Cover {
		d.Cover[i].remains(f)
	}
	if len(d.Checks) > 0 {
		tonight := f.countVessels(d.Cover)
		for i := range d.Checks {
			d.Checks[i].remainsOfCheck(f, tonight)
		}
	}
	for i := range d.Sweeps {
		d.Sweeps[i].Unpaid = f.unpaid(d.Sweeps[i].Request())
	}
}

// remains counts the pages of a partition, by the total that its first page told tonight or
// else by the last that is known, and those among them that are still to be asked.
func (p *Partition) remains(f Inputs) {
	p.Nights = NightsOld(p.at, f.Now)
	p.Pages, p.Unpaid = max(1, Pages(p.Expected)), 0
	if first, ok := f.Tonight[p.Page(1).Key()]; ok {
		p.Pages = max(1, Pages(first.Total))
		if !transform.Plausible(first.Total, p.Expected) {
			p.Pages = 1
		}
	}
	for n := 1; n <= p.Pages; n++ {
		p.Unpaid += f.unpaid(p.Page(n))
	}
	if p.billed = p.Unpaid; p.Expected == 0 && !f.begun(*p) {
		p.billed = 0
	}
}

// remainsOfCheck counts the pages of a check: the first, and all if the first told tonight that the
// cover does not show every vessel of the partition. It holds a vessel if the night's pages of the
// cover show one of it, or if it did when it was last covered.
func (p *Partition) remainsOfCheck(f Inputs, tonight VesselCounts) {
	p.Pages, p.Unpaid = 1, 0
	first, begun := f.Tonight[p.Page(1).Key()]
	if begun && first.Total > tonight.Of(*p) && transform.Plausible(first.Total, p.Expected) {
		p.Pages = Pages(first.Total)
	}
	for n := 1; n <= p.Pages; n++ {
		p.Unpaid += f.unpaid(p.Page(n))
	}
	if p.billed = p.Unpaid; !begun && tonight.Of(*p) == 0 && (p.Expected == 0 || p.Expected < 0 && tonight.any()) {
		p.billed = 0
	}
}

// countVessels counts the vessels that the pages of a cover show.
func (f Inputs) countVessels(cover []Partition) VesselCounts {
	s, reader := NewVesselCounts(), transform.NewSearchReader()
	for _, p := range cover {
		for n := 1; n <= p.Pages; n++ {
			if t, ok := f.Tonight[p.Page(n).Key()]; ok && t.Rows > 0 {
				reader.Each(t.Entry, s.Add)
			}
		}
	}
	return s
}

// unpaid is 1 if the night has no answer to a request.
func (f Inputs) unpaid(r api.Request) int {
	if _, ok := f.Tonight[r.Key()]; ok {
		return 0
	}
	return 1
}

// begun reports whether the night has the first page of a partition.
func (f Inputs) begun(p Partition) bool {
	return f.unpaid(p.Page(1)) == 0
}

// VesselCounts counts vessels on pages by the type and by the country that they are stored under, without case.
type VesselCounts struct{ types, countries map[string]int }

func NewVesselCounts() VesselCounts { return VesselCounts{map[string]int{}, map[string]int{}} }

func (s VesselCounts) Add(v transform.Listed) {
	s.types[strings.ToLower(strings.TrimSpace(v.Type))]++
	s.countries[strings.ToLower(strings.TrimSpace(v.Country))]++
}

// Of counts those of a type, or of a country.
func (s VesselCounts) Of(p Partition) int {
	if p.Type == "" {
		return s.countries[strings.ToLower(p.Country)]
	}
	return s.types[strings.ToLower(p.Type)]
}

func (s VesselCounts) any() bool { return len(s.types) > 0 }

// PastAnswer is what paging needs of an answer that lies in the journal.
type PastAnswer struct {
	Rows, Total int
	Entry       journal.Entry
}
