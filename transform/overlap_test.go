package transform

import (
	"math/rand/v2"
	"testing"
)

// TestAVesselSetIsASet adds vessels, many of them again, and compares the answers with those of a map.
func TestAVesselSetIsASet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s vesselSet
	known := map[uint64]bool{}
	for range 20_000 {
		vessel := firstVessel + r.Uint64N(10_000)
		if r.IntN(10) == 0 {
			vessel = r.Uint64() | 1
		}
		if got, want := s.add(vessel), !known[vessel]; got != want {
			t.Fatalf("the vessel %d, after %d others: new is %t, want %t", vessel, len(known), got, want)
		}
		known[vessel] = true
	}
	if s.n != len(known) || 2*s.n > len(s.slots)+2 {
		t.Errorf("%d vessels in %d slots, want %d vessels in at least twice as many slots", s.n, len(s.slots), len(known))
	}
}
