package plan

import (
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/transform"
)

// countUnpaid counts the requests of each search that the runs of the night have no answer to. The
// others are not sent again, and cost nothing.
func (d *Plan) countUnpaid(f Inputs) {
	for i := range d.Cover {
		d.Cover[i].countUnpaid(f)
	}
	if len(d.Checks) > 0 {
		tonight := f.countVessels(d.Cover)
		for i := range d.Checks {
			d.Checks[i].countUnpaidOfCheck(f, tonight)
		}
	}
	for i := range d.Sweeps {
		d.Sweeps[i].Unpaid = f.unpaid(d.Sweeps[i].Request())
	}
}

// countUnpaid counts the pages of a partition, by the total that its first page reported tonight or
// else by the last known total, and the pages that are still to be paid for.
func (p *Partition) countUnpaid(f Inputs) {
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

// countUnpaidOfCheck counts the pages of a check: the first, or all if the first reported tonight that
// the cover does not list every vessel of the partition. The first page is billed if the cover lists
// a vessel of the partition tonight, or if the partition had one when it was last covered.
func (p *Partition) countUnpaidOfCheck(f Inputs, tonight VesselCounts) {
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

// countVessels counts the vessels that the night's pages of a cover list.
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

// unpaid is 1 if no run of the night has an answer to a request, else 0.
func (f Inputs) unpaid(r api.Request) int {
	if _, ok := f.Tonight[r.Key()]; ok {
		return 0
	}
	return 1
}

// begun reports whether a run of the night has the first page of a partition.
func (f Inputs) begun(p Partition) bool {
	return f.unpaid(p.Page(1)) == 0
}

// VesselCounts counts the vessels on pages by type and by country, ignoring case.
type VesselCounts struct{ types, countries map[string]int }

// NewVesselCounts returns counts of no vessels.
func NewVesselCounts() VesselCounts { return VesselCounts{map[string]int{}, map[string]int{}} }

// Add counts a vessel.
func (s VesselCounts) Add(v transform.Listed) {
	s.types[strings.ToLower(strings.TrimSpace(v.Type))]++
	s.countries[strings.ToLower(strings.TrimSpace(v.Country))]++
}

// Of returns the number of vessels of the partition's type, or of its country if it has no type.
func (s VesselCounts) Of(p Partition) int {
	if p.Type == "" {
		return s.countries[strings.ToLower(p.Country)]
	}
	return s.types[strings.ToLower(p.Type)]
}

func (s VesselCounts) any() bool { return len(s.types) > 0 }

// PastAnswer is what paging needs of an answer that is in the journal. Total is -1 if the answer reports none.
type PastAnswer struct {
	Rows, Total int
	Entry       journal.Entry
}
