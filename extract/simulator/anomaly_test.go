package simulator

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/google/go-cmp/cmp"
)

func TestSharedNumbers(t *testing.T) {
	for name, c := range map[string]struct {
		anomalies Anomalies
		number    func(Vessel) string // that a ship shows
		own       func(*fleetDay, Vessel) (entry, bool)
	}{
		"an IMO number is shown by the ship that has it and by another": {
			Anomalies{SharedIMO: .01}, func(v Vessel) string { return v.VesselID },
			func(f *fleetDay, v Vessel) (entry, bool) { return f.findEntry(strconv.Itoa(v.IMO)) },
		},
		"an MMSI is shown by the ship that has it and by another": {
			Anomalies{SharedMMSI: .01}, func(v Vessel) string { return v.MMSI },
			func(f *fleetDay, v Vessel) (entry, bool) { return f.findEntry(v.MMSI) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := fleet(t, Config{Vessels: 20_000, Dirt: -1, Anomalies: c.anomalies})
			shared := func(day int) (pairs [][]Vessel) {
				by := make(map[string][]Vessel)
				for _, v := range s.Truth(day) {
					by[c.number(v)] = append(by[c.number(v)], v)
				}
				for _, number := range slices.Sorted(maps.Keys(by)) {
					if len(by[number]) > 1 {
						pairs = append(pairs, by[number])
					}
				}
				return pairs
			}
			first, all := shared(0), shared(14)
			if len(first) < 40 || len(first) > 95 || len(all) < 100 || len(all) > 175 || len(shared(40)) > len(all)+5 {
				t.Fatalf("%d pairs at first, %d in two weeks, want about half of 1%% of 13,500, and all", len(first), len(all))
			}
			s.SetDay(14)
			for _, p := range all {
				owner, other := p[0], p[1] // a hull shares a number with an earlier one
				if owner.Type == other.Type {
					t.Errorf("two ships of one type: %s", owner.Type)
				}
				e, ok := c.own(s.today.Load(), owner)
				if !ok || e.hull() != owner.Hull {
					t.Errorf("a lookup by %s does not find its owner", c.number(owner))
				}
				if e, ok := c.own(s.today.Load(), other); ok && e.hull() == other.Hull {
					t.Errorf("hull %d is found by a number that it does not show, or that is not its own", other.Hull)
				}
			}
		})
	}
}

func TestGoneDark(t *testing.T) {
	s := fleet(t, Config{Vessels: 10_000, Rates: Rates{Built: -1, Scrapped: -1, Unlisted: -1}, Anomalies: Anomalies{GoneDark: .002}})
	before, after, dark := s.Truth(4), s.Truth(12), 0
	for i, v := range s.Truth(11) {
		switch was, is := before[i], after[i]; {
		case v.Status != "" && is.Status == "":
			dark++
			if !is.Listed || is.Position.At.After(v.Position.At) {
				t.Errorf("%s went dark: listed %v, last received %v, and %v the day before", is.VesselID, is.Listed, is.Position.At, v.Position.At)
			}
		case was.Status != "" && v.Status == "" && (is.Status != "" || !cmp.Equal(is.Position, v.Position)):
			t.Errorf("%s was dark and is received again (before, now):\n%s", is.VesselID, cmp.Diff(v.Position, is.Position))
		}
	}
	if dark < 5 || dark > 30 {
		t.Errorf("%d went dark on one day, want about .2%% of 7,500", dark)
	}
}

func TestOpenRegistry(t *testing.T) {
	for share, want := range map[float64][2]float64{0: {.05, .3}, .5: {.45, .7}, 1: {1, 1}} {
		s := fleet(t, Config{Vessels: 10_000, Rates: Rates{Built: -1, Scrapped: -1}, Anomalies: Anomalies{OpenRegistry: share}})
		first, last, changed, open := s.Truth(0), s.Truth(60), 0, 0
		for i, v := range last {
			if v.Flag != first[i].Flag {
				changed++
				open += countIf(slices.Contains([]string{"PA", "LR", "MH"}, v.Flag))
			}
		}
		if got := float64(open) / float64(changed); changed < 100 || got < want[0] || got > want[1] {
			t.Errorf("%v: %.2f of %d changes of flag lead to an open registry, want %v", share, got, changed, want)
		}
	}
}

func TestCongestion(t *testing.T) {
	calm := fleet(t, Config{Vessels: 20_000})
	busy := fleet(t, Config{Vessels: 20_000, Anomalies: Anomalies{Congestion: Congestion{Zone: "south-east-asia", From: 5, Days: 7, Share: .8}}})
	for day, want := range map[int][2]float64{4: {1, 1}, 5: {1.5, 4}, 6: {2.5, 8}, 10: {2.5, 8}, 11: {1.5, 4}, 12: {1, 1}} {
		usual, elsewhere := waiting(calm, day)
		now, others := waiting(busy, day)
		if got := float64(now) / float64(usual); usual < 20 || got < want[0] || got > want[1] {
			t.Errorf("day %d: %d wait, usually %d, want %v times as many", day, now, usual, want)
		}
		if elsewhere != others {
			t.Errorf("day %d: %d wait in other zones, usually %d", day, others, elsewhere)
		}
	}
}

// waiting counts the cargo vessels and tankers at anchor in the zone of Singapore, and in others.
func waiting(s *Simulator, day int) (there, elsewhere int) {
	for _, v := range s.Truth(day) {
		if v.Status == "at-anchor" && v.Laden != "" {
			there += countIf(v.Zone == "south-east-asia")
			elsewhere += countIf(v.Zone != "south-east-asia")
		}
	}
	return there, elsewhere
}

// TestDemoFleetHasEachAnomaly expects in the nights of the demo what its questions are about.
func TestDemoFleetHasEachAnomaly(t *testing.T) {
	s := fleet(t, Demo(6000, fleet(t, Config{}).config.Start))
	found, ids, mmsis := make(map[string]int), make(map[string]int), make(map[string]int)
	first := make(map[int]Vessel)
	for _, v := range s.Truth(0) {
		first[v.Hull] = v
	}
	for _, v := range s.Truth(14) {
		if v.Listed {
			ids[v.VesselID]++
			mmsis[v.MMSI]++
		}
		was, known := first[v.Hull]
		found["built"] += countIf(!known)
		found["gone dark"] += countIf(known && was.Status != "" && v.Status == "" && v.Listed)
		found["tankers reflagged to Panama, Liberia or the Marshall Islands"] += countIf(known && v.ShipType == "Tankers" && was.Flag != v.Flag && slices.Contains([]string{"PA", "LR", "MH"}, v.Flag))
		found["sold"] += countIf(known && was.Management.RegisteredOwner != v.Management.RegisteredOwner)
		found["IMO numbers that fail their check"] += countIf(v.ShowsIMO && !v.StoresIMO && v.VesselID[:3] != "IMO")
	}
	for _, n := range ids {
		found["IMO numbers of two ships"] += countIf(n > 1)
	}
	for _, n := range mmsis {
		found["MMSIs of two ships"] += countIf(n > 1)
	}
	if len(found) != 7 {
		t.Errorf("found %v", found)
	}
	for what, n := range found {
		if n < 3 {
			t.Errorf("%s: %d, want some", what, n)
		}
	}
}

func TestAnomaliesOutOfRange(t *testing.T) {
	for want, a := range map[string]Anomalies{
		"simulator: anomalies: SharedIMO -0.1: want 0 to 1":                               {SharedIMO: -.1},
		"simulator: anomalies: SharedMMSI 1.1: want 0 to 1":                               {SharedMMSI: 1.1},
		"simulator: anomalies: GoneDark NaN: want 0 to 1":                                 {GoneDark: math.NaN()},
		"simulator: anomalies: OpenRegistry 2: want 0 to 1":                               {OpenRegistry: 2},
		"simulator: anomalies: Congestion.Share 2: want 0 to 1":                           {Congestion: Congestion{Share: 2}},
		`simulator: anomalies: congestion in "atlantis": no such zone`:                    {Congestion: Congestion{Zone: "atlantis"}},
		"simulator: anomalies: congestion of -1 days from day 0 on: want neither below 0": {Congestion: Congestion{Zone: api.Zones[0], Days: -1}},
		"simulator: anomalies: congestion of 7 days from day -3 on: want neither below 0": {Congestion: Congestion{Zone: api.Zones[0], From: -3, Days: 7}},
	} {
		if _, err := New(Config{Vessels: 10, Anomalies: a}); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
