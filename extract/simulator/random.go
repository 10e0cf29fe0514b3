package simulator

import "math"

// purpose keeps the numbers drawn for one thing apart from those drawn for another.
type purpose uint64

const (
	forKind purpose = iota
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
	forTwin
	forShowing
	forHiding
	forCorrection
	forSale
	forOwner
	forSilence
	forVoyage
	forZone
	forLoad
	forPlace
	forSize
	forGap
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
	forNumbers
	forShown
)

// mix scatters the bits of x (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// draw is the nth number of a seed for a purpose: always the same one.
func draw(seed uint64, p purpose, n int) uint64 {
	return mix(seed + uint64(p)*0x9e3779b97f4a7c15 + uint64(n)*0xd1342543de82ef95)
}

// unit is a drawn number as a fraction from 0 up to, but not including, 1.
func unit(u uint64) float64 { return float64(u>>11) / (1 << 53) }

// gap is the number of days to an event that happens with the given rate a day, at least 1.
func gap(u uint64, rate float64) int {
	if rate <= 0 {
		return math.MaxInt32
	}
	return 1 + int(min(math.Log1p(-unit(u))/math.Log1p(-rate), math.MaxInt32))
}

// shuffle is a permutation of the numbers below m, m a product of 2, 3 and 5, that can be
// undone: it makes numbers that look random, never repeat and need no table.
type shuffle struct{ m, factor, offset, inverse uint64 }

func newShuffle(seed uint64, m uint64) shuffle {
	s := shuffle{m: m, factor: 30*(mix(seed)%(m/30)) + 7, offset: mix(seed+1) % m}
	// The factor shares no prime with m, so that Euclid finds its inverse.
	r0, r1, t0, t1 := int64(m), int64(s.factor%m), int64(0), int64(1)
	for r1 != 0 {
		q := r0 / r1
		r0, r1, t0, t1 = r1, r0-q*r1, t1, t0-q*t1
	}
	s.inverse = uint64((t0 + int64(m)) % int64(m))
	return s
}

func (s shuffle) at(x uint64) uint64   { return (s.factor*(x%s.m) + s.offset) % s.m }
func (s shuffle) undo(y uint64) uint64 { return (y%s.m + s.m - s.offset) % s.m * s.inverse % s.m }
