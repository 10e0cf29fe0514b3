package simulator

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
)

func TestTablesCoverTheAcceptedValues(t *testing.T) {
	spelled := make([]int, len(api.Countries))
	for _, f := range flags {
		if len(f.mids) == 0 || f.iso != "" && len(f.iso) != 2 {
			t.Errorf("flag %+v", f)
		}
		for _, s := range f.spellings {
			spelled[s]++
		}
	}
	for i, n := range spelled {
		if n != 1 {
			t.Errorf("%s is a spelling of %d flags", api.Countries[i], n)
		}
	}
	for i, k := range specificTypes {
		if k.name != api.Types[i] || k.group == nil {
			t.Errorf("type %s has %+v", api.Types[i], k)
		}
	}
	for i, z := range zones {
		if z.name != api.Zones[i] || z.weight <= 0 {
			t.Errorf("zone %s has %+v", api.Zones[i], z)
		}
	}
	for _, list := range [][]string{api.Countries, api.Types} {
		lower := make(map[string]bool)
		for _, v := range list {
			lower[strings.ToLower(v)] = true
		}
		if len(lower) != len(list) {
			t.Error("two accepted values differ in case only")
		}
	}
}

func TestNumbersAreValidAndUnique(t *testing.T) {
	s := fleet(t, Config{Vessels: 25_000, Rates: Rates{Built: .01}})
	imos, mmsis := make(map[int]bool), make(map[string]bool)
	for _, v := range s.Truth(30) {
		if mmsis[v.MMSI] {
			t.Errorf("MMSI %s twice", v.MMSI)
		}
		mmsis[v.MMSI] = true
		if v.IMO == 0 {
			continue
		}
		if imos[v.IMO] || withCheckDigit(uint32(v.IMO/10)) != uint32(v.IMO) || len(strconv.Itoa(v.IMO)) != 7 {
			t.Errorf("IMO %d", v.IMO)
		}
		imos[v.IMO] = true
	}
	if share := float64(len(imos)) / float64(len(mmsis)); share < .6 || share > .72 {
		t.Errorf("%.2f of the vessels have an IMO number, want about two thirds", share)
	}
}

func TestCheckDigitOfKnownShips(t *testing.T) {
	for _, imo := range []uint32{9218301, 9011014, 9742170, 9811000} {
		if got := withCheckDigit(imo / 10); got != imo {
			t.Errorf("%d: got %d", imo, got)
		}
	}
}

func TestPermutationCanBeInverted(t *testing.T) {
	for _, m := range []uint64{500_000, 900_000, 1_000_000} {
		s := newPermutation(m, m)
		seen := make([]bool, m)
		for x := range m {
			y := s.apply(x)
			if seen[y] || s.invert(y) != x {
				t.Fatalf("%d of %d becomes %d and then %d", x, m, y, s.invert(y))
			}
			seen[y] = true
		}
	}
}

func TestClassesOfMMSI(t *testing.T) {
	s := fleet(t, Config{Vessels: 25_000})
	found := make(map[string]int)
	for _, v := range s.Truth(0) {
		prefix := ""
		for _, g := range groups {
			if g.name == specificTypes[slices.Index(api.Types, v.Type)].group.name {
				prefix = g.mmsiPrefix
			}
		}
		found[prefix]++
		if prefix == "" && (v.MMSI[0] < '2' || v.MMSI[0] > '7') || !strings.HasPrefix(v.MMSI, prefix) || len(v.MMSI) != 9 {
			t.Errorf("%s has MMSI %s", v.Type, v.MMSI)
		}
		if prefix != "" && v.IsShip {
			t.Errorf("%s is a ship: %v", v.Type, v.IsShip)
		}
	}
	if len(found) != 4 {
		t.Errorf("classes %v, want ships, aids, coast stations and aircraft", found)
	}
}

func TestFleetLooksLikeTheWorld(t *testing.T) {
	s := fleet(t, Config{Vessels: 30_000})
	countries, types, spellings := make(map[string]int), make(map[string]int), make(map[string]map[string]bool)
	silent := 0
	for _, v := range s.Truth(0) {
		countries[v.Flag]++
		types[v.Type]++
		if v.Status == "" {
			silent++
		}
		for _, l := range v.Stored {
			if l.Country != nil {
				if spellings[v.Flag] == nil {
					spellings[v.Flag] = make(map[string]bool)
				}
				spellings[v.Flag][*l.Country] = true
			}
		}
	}
	if countries["PA"] < 20*countries["CO"] || countries["CN"] < 1500 || len(countries) < 180 || countries["BT"] != 0 {
		t.Errorf("%d flags; PA %d, CN %d, CO %d, BT %d", len(countries), countries["PA"], countries["CN"], countries["CO"], countries["BT"])
	}
	if types["Bulk Carrier"] < 1000 || types["Fishing"] < 1000 || len(types) < 300 {
		t.Errorf("%d types; %d bulk carriers, %d fishing", len(types), types["Bulk Carrier"], types["Fishing"])
	}
	if len(spellings["US"]) < 8 {
		t.Errorf("the United States are written as %v", spellings["US"])
	}
	if silent < 5000 || silent > 8000 {
		t.Errorf("%d vessels without status, want about a fifth of 30,000", silent)
	}
}

func TestFleetChangesByDay(t *testing.T) {
	s := fleet(t, Config{Seed: 5, Vessels: 20_000})
	before := make(map[int]Vessel)
	for _, v := range s.Truth(10) {
		before[v.Hull] = v
	}
	changed := make(map[string]int)
	count := func(what string, is bool) {
		if is {
			changed[what]++
		}
	}
	after := s.Truth(20)
	for _, v := range after {
		old, known := before[v.Hull]
		delete(before, v.Hull)
		if !known {
			changed["built"]++
			continue
		}
		if old.IMO != v.IMO || old.Type != v.Type {
			t.Errorf("hull %d changes its IMO or its type", v.Hull)
		}
		if (old.Flag != v.Flag) != (old.MMSI != v.MMSI) || (old.Flag != v.Flag) && old.Callsign == v.Callsign {
			t.Errorf("hull %d: flag %s to %s, MMSI %s to %s, call sign %s to %s", v.Hull, old.Flag, v.Flag, old.MMSI, v.MMSI, old.Callsign, v.Callsign)
		}
		count("renamed", old.Name != v.Name)
		count("reflagged", old.Flag != v.Flag)
		count("two flags", len(v.Stored) == 2)
		count("unlisted", old.Listed && !v.Listed)
		count("listed again", !old.Listed && v.Listed)
		count("shows its IMO", !old.ShowsIMO && v.ShowsIMO)
		count("hides its IMO", old.ShowsIMO && !v.ShowsIMO)
		count("corrected", old.Particulars != v.Particulars)
		count("sold", old.Management != v.Management)
		count("new status", old.Status != v.Status)
		count("moved", old.Zone != v.Zone)
	}
	changed["scrapped"] = len(before)
	for what, want := range map[string][2]int{ // in ten days, of 20,000
		"built": {35, 45}, "scrapped": {20, 65}, "renamed": {130, 250}, "reflagged": {85, 180}, "two flags": {20, 150}, "unlisted": {30, 90},
		"listed again": {30, 90}, "shows its IMO": {15, 150}, "hides its IMO": {0, 0}, "corrected": {200, 500}, "sold": {80, 220}, "new status": {6000, 18000}, "moved": {4000, 14000},
	} {
		if n := changed[what]; n < want[0] || n > want[1] {
			t.Errorf("%s: %d, want %d to %d", what, n, want[0], want[1])
		}
	}
}

func TestRatesBelowZeroStopEveryChange(t *testing.T) {
	still := Rates{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1}
	s := fleet(t, Config{Vessels: 2000, Rates: still})
	first, last := s.Truth(0), s.Truth(300)
	if len(first) != 2000 || len(last) != 2000 {
		t.Fatalf("%d and %d vessels", len(first), len(last))
	}
	for i := range first {
		a, b := first[i], last[i]
		a.Position, b.Position = Position{}, Position{}
		if a.MMSI != b.MMSI || a.Name != b.Name || a.Status != b.Status || a.Zone != b.Zone || a.Particulars != b.Particulars || a.ShowsIMO != b.ShowsIMO || a.Listed != b.Listed {
			t.Errorf("changed: %+v to %+v", a, b)
		}
	}
}

func TestDirtOfTheList(t *testing.T) {
	const n = 20_000
	counts := func(dirt float64) map[string]int {
		c := make(map[string]int)
		for _, v := range fleet(t, Config{Vessels: n, Dirt: dirt}).Truth(60) {
			for _, l := range v.Stored {
				c["underscores"] += countIf(strings.Contains(*l.Name, "_"))
				c["padded"] += countIf(strings.HasSuffix(*l.Name, "@"))
				c["stray spaces"] += countIf(strings.Contains(*l.Name, "  "))
				c["null country"] += countIf(l.Country == nil)
				c["null type"] += countIf(l.TypeSpecific == nil)
				c["another case"] += countIf(l.Country != nil && !slices.Contains(api.Countries, *l.Country))
				c["wrong code"] += countIf(l.CountryISO != nil && v.Flag != *l.CountryISO && len(v.Stored) == 1)
				c["bad check digit"] += countIf(l.IMO != nil && v.ShowsIMO && !v.StoresIMO)
				c["null IMO"] += countIf(l.IMO == nil)
				c["empty IMO"] += countIf(l.IMO != nil && *l.IMO == "")
				c["zeros"] += countIf(l.IMO != nil && *l.IMO == "0000000")
			}
			c["two flags"] += countIf(len(v.Stored) == 2)
			c["hidden IMO"] += countIf(v.IMO != 0 && !v.ShowsIMO)
		}
		return c
	}
	clean, dirty, filthy := counts(-1), counts(0), counts(3)
	for what, few := range dirty {
		if clean[what] != 0 {
			t.Errorf("%s: %d in a clean fleet", what, clean[what])
		}
		if few == 0 || few >= filthy[what] || few > n/2 {
			t.Errorf("%s: %d, and %d at three times the dirt", what, few, filthy[what])
		}
	}
}

// countIf returns 1 if is is true, else 0.
func countIf(is bool) int {
	if is {
		return 1
	}
	return 0
}
