package transform

import (
	"fmt"
	"hash/maphash"
	"slices"
)

// Overlap finds vessels that are on two pages of a partition. Its pages are read one after the other: if
// the list changes meanwhile, or the service mixes up pages, a vessel can be on two pages and another on
// none, although each page is full and the total stays. Then the answers do not prove which vessels the
// partition does not have. The zero value has no page.
type Overlap struct {
	rows, again int // vessels, and those of them that were there before
	seen        vesselSet
	ends        map[int][]uint64 // by page: its first vessel, and its last three
	shifted     int              // a page that begins with what the page before it ends with; 0 is none
}

// lastOfPage is how many vessels that came or went between two pages are seen by the ends of the pages.
const lastOfPage = 3

// mayRepeat is how many vessels of a partition the service itself may list twice: it has some in two
// records, and these stay where they are.
func mayRepeat(rows int) int { return max(3, rows/100) }

// Add adds a page by its number. Pages come in any order, each once.
func (o *Overlap) Add(page int, p Page) {
	if o.ends == nil {
		o.ends = map[int][]uint64{}
	}
	for _, vessel := range p.vessels {
		if o.rows++; !o.seen.add(vessel) {
			o.again++
		}
	}
	if len(p.vessels) == 0 {
		return
	}
	o.ends[page] = append([]uint64{p.vessels[0]}, p.vessels[max(0, len(p.vessels)-lastOfPage):]...)
	for n := page; n <= page+1; n++ {
		before, after := o.ends[n-1], o.ends[n]
		if len(before) > 0 && len(after) > 0 && slices.Contains(before[1:], after[0]) {
			o.shifted = n
		}
	}
}

// Contradiction says how the pages overlap; "" if they do not, or no more than the records of a service do.
func (o *Overlap) Contradiction() string {
	switch {
	case o.again > mayRepeat(o.rows):
		return fmt.Sprintf("%d vessels are listed twice", o.again)
	case o.shifted > 0:
		return fmt.Sprintf("page %d begins with the end of page %d", o.shifted, o.shifted-1)
	}
	return ""
}

// vesselSet is a set of vessels, none of which is 0. A night adds a million, for which a map takes several times
// as long: it moves them again and again as it grows.
type vesselSet struct {
	slots []uint64 // a power of two, at most half of them used; each vessel is in the first free one from its place
	n     int
}

// add adds a vessel, and reports whether it is new.
func (s *vesselSet) add(vessel uint64) bool {
	if 2*s.n >= len(s.slots) {
		old := s.slots
		s.slots = make([]uint64, max(256, 2*len(old)))
		for _, v := range old {
			if v != 0 {
				s.slots[s.place(v)] = v
			}
		}
	}
	i := s.place(vessel)
	if s.slots[i] == vessel {
		return false
	}
	s.slots[i] = vessel
	s.n++
	return true
}

// vesselSeed makes the places unknown to a service: it cannot choose vessels that all belong in one slot.
var vesselSeed = maphash.MakeSeed()

// place returns the slot that a vessel is in, or that it belongs in.
func (s *vesselSet) place(vessel uint64) uint64 {
	last := uint64(len(s.slots) - 1)
	i := maphash.Comparable(vesselSeed, vessel) & last
	for s.slots[i] != 0 && s.slots[i] != vessel {
		i = (i + 1) & last
	}
	return i
}
