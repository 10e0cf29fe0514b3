package simulator

import "math"

// purpose is what a random number is drawn for. Numbers for different purposes are
// independent of each other. The order is part of every fleet: a new purpose goes to the end,
// or each seed would give another fleet.
type purpose uint64

const (
	forType purpose = iota
	forFlag
	forSpelling
	forIMO
	forBirth
	forScrapping
	forListing
	forAbsence
	forRename
	forName
	forReflag
	forListedTwice
	forIMOReported
	forIMOHidden
	forCorrection
	forSale
	forOwner
	forSilent
	forVoyage
	forZone
	forLoad
	forPlace
	forSize
	forUnknown
	forCasing
	forNameDirt
	forISO
	forCallsign
	forIMODirt
	forNull
	forClock
	forEnvelope
	forMarker
	forSentinel
	forBuild
	forFault
	forNumbering
	forSaleListed
	forSharing
	forDarkness
	forCongestion
	forOpenRegistry
	forDress
)

// mix scatters the bits of x. It is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// draw returns the nth number of a seed for a purpose, the same one each time.
func draw(seed uint64, p purpose, n int) uint64 {
	return mix(seed + uint64(p)*0x9e3779b97f4a7c15 + uint64(n)*0xd1342543de82ef95)
}

// unit returns a drawn number as a fraction: 0 or more, and less than 1.
func unit(u uint64) float64 { return float64(u>>11) / (1 << 53) }

// daysUntil returns the number of days, at least 1, until an event that happens at a rate per
// day.
func daysUntil(u uint64, rate float64) int {
	if rate <= 0 {
		return math.MaxInt32
	}
	return 1 + int(min(math.Log1p(-unit(u))/math.Log1p(-rate), math.MaxInt32))
}

// permutation is an invertible order of the numbers below size, a product of 2, 3 and 5. It
// makes numbers that look random and never repeat, and needs no table.
type permutation struct{ size, factor, offset, inverse uint64 }

// newPermutation returns a permutation of the numbers below size that a seed determines.
func newPermutation(seed, size uint64) permutation {
	p := permutation{size: size, factor: 30*(mix(seed)%(size/30)) + 7, offset: mix(seed+1) % size}
	// The factor shares no prime with size, so Euclid's algorithm finds its inverse.
	r0, r1, t0, t1 := int64(size), int64(p.factor%size), int64(0), int64(1)
	for r1 != 0 {
		q := r0 / r1
		r0, r1, t0, t1 = r1, r0-q*r1, t1, t0-q*t1
	}
	p.inverse = uint64((t0 + int64(size)) % int64(size))
	return p
}

// apply returns the number at position x.
func (s permutation) apply(x uint64) uint64 { return (s.factor*(x%s.size) + s.offset) % s.size }

// invert returns the position of the number y.
func (s permutation) invert(y uint64) uint64 {
	return (y%s.size + s.size - s.offset) % s.size * s.inverse % s.size
}
