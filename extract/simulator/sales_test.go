package simulator

import "testing"

// TestSalesChangeTheList counts, among the vessels sold on a day, those whose name or flag
// changed on the same day.
func TestSalesChangeTheList(t *testing.T) {
	for name, c := range map[string]struct {
		shows                          float64
		listed, renamed, flagged, both [2]float64 // share of the sales, at least and at most
	}{
		"by default, three of five": {0, [2]float64{.55, .66}, [2]float64{.38, .52}, [2]float64{.24, .36}, [2]float64{.1, .2}},
		"all":                       {1, [2]float64{1, 1}, [2]float64{.69, .81}, [2]float64{.44, .56}, [2]float64{.2, .3}},
		"none":                      {-1, [2]float64{}, [2]float64{}, [2]float64{}, [2]float64{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := fleet(t, Config{Vessels: 30_000, Rates: Rates{Sold: .02, Renamed: -1, Reflagged: -1, SoldShows: c.shows}})
			was := make(map[int]Vessel)
			for _, v := range s.Truth(6) {
				was[v.Hull] = v
			}
			sold, listed, renamed, flagged, both := 0, 0, 0, 0, 0
			for _, v := range s.Truth(7) {
				before, known := was[v.Hull]
				name, flag := before.Name != v.Name, before.Flag != v.Flag
				switch {
				case !known || before.Management == (Management{}): // the service does not know its management
				case before.Management != v.Management:
					sold++
					listed += countIf(name || flag)
					renamed += countIf(name)
					flagged += countIf(flag)
					both += countIf(name && flag)
				case name || flag:
					t.Errorf("%s changes without a sale", v.VesselID)
				}
			}
			if sold < 300 {
				t.Fatalf("%d sales", sold)
			}
			for what, share := range map[string]struct {
				n    int
				want [2]float64
			}{"listed": {listed, c.listed}, "renamed": {renamed, c.renamed}, "reflagged": {flagged, c.flagged}, "both": {both, c.both}} {
				if got := float64(share.n) / float64(sold); got < share.want[0] || got > share.want[1] {
					t.Errorf("%s: %.2f of %d sales, want %v", what, got, sold, share.want)
				}
			}
		})
	}
}

// TestChangesOnOneDayAreOne expects that a vessel renamed on the same day by chance and by a
// sale has one new name, and that days can be visited in any order.
func TestChangesOnOneDayAreOne(t *testing.T) {
	l := model{rates: Rates{Sold: .3, Renamed: .3, SoldShows: 1}}
	together := 0
	for seed := range uint64(200) {
		h := &hull{seed: mix(seed)}
		count := uint16(0)
		for day := 1; day <= 40; day++ {
			own, sold := happens(h, forRename, day), happens(h, forSale, day)
			sale := eventSeries{hull: h, number: int(countEvents(h, forSale, .3, 0, day)) - 1}
			if own || sold && l.saleShows(sale, forRename) {
				count++
			}
			together += countIf(own && sold)
			got, last := l.countChanges(h, forRename, .3, 0, day)
			if got != count || count > 0 && last > day {
				t.Fatalf("hull %d, day %d: %d changes, the last on %d, want %d", seed, day, got, last, count)
			}
		}
	}
	if together < 100 {
		t.Errorf("%d days with both", together)
	}
}

// happens reports whether an event happens to a hull on a day, at a rate of 0.3 per day.
func happens(h *hull, p purpose, day int) bool {
	return countEvents(h, p, .3, 0, day) > countEvents(h, p, .3, 0, day-1)
}
