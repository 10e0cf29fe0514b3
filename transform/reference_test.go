package transform

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/google/go-cmp/cmp"
)

// tableNamed returns a reference table's rows without their header.
func tableNamed(t *testing.T, name string) [][]string {
	t.Helper()
	for _, table := range ReferenceTables() {
		if table.Name == name {
			return table.Rows
		}
	}
	t.Fatalf("no reference table %s", name)
	return nil
}

func firstColumn(rows [][]string) []string {
	var values []string
	for _, r := range rows {
		values = append(values, r[0])
	}
	return values
}

func TestReferenceTablesCoverTheVocabularies(t *testing.T) {
	var statuses []string
	for _, s := range api.Statuses {
		statuses = append(statuses, s.Name)
	}
	for name, want := range map[string][]string{
		"countries": api.Countries, "vessel_types": api.Types, "world_zones": api.Zones, "navigational_statuses": statuses,
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(want, firstColumn(tableNamed(t, name))); diff != "" {
				t.Error(diff)
			}
		})
	}
	for i, r := range tableNamed(t, "navigational_statuses") {
		if got, want := r[2] == "true", api.Statuses[i].Zoned; got != want {
			t.Errorf("%s: zoned is %v, want %v", r[0], got, want)
		}
	}
}

// TestOperationsOfTheServiceAreReferenceTables: the tables have every operation, its price, and the tables of the
// lake that its answers fill.
func TestOperationsOfTheServiceAreReferenceTables(t *testing.T) {
	for name, want := range map[string]string{
		"operations": "by-status search 10 15 false, by-type search 10 50 true, info lookup 5 15 false, " +
			"location lookup 1 15 false, particulars lookup 1 50 false, credits account 0 50 false",
		"operation_datasets": "by-status sighting sightings 1, by-type registration listings 1, info particulars particulars 0.2, " +
			"info engine engine 0.3, info management management 0.3, info position positions 0.1, info voyage voyages 0.1, " +
			"location position positions 0.5, location voyage voyages 0.5, particulars particulars particulars 1",
	} {
		var rows []string
		for _, r := range tableNamed(t, name) {
			rows = append(rows, strings.Join(r, " "))
		}
		if got := strings.Join(rows, ", "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestOperationsOfTablesOfTheLake: the dictionary names them.
func TestOperationsOfTablesOfTheLake(t *testing.T) {
	for table, want := range map[string]string{
		"listings": "by-type", "sightings": "by-status", "particulars": "info particulars", "engine": "info", "management": "info",
		"positions": "info location", "coverage": "by-status by-type", "requests": "by-status by-type info location particulars credits",
		"issues": "by-status by-type info location particulars credits", "vessels": "by-status by-type info location particulars",
	} {
		if got := strings.Join(OperationsOf(table), " "); got != want {
			t.Errorf("%s: %s, want %s", table, got, want)
		}
	}
}

func TestCountriesHaveOneNamePerFlag(t *testing.T) {
	flagOf, nameOf := map[string]string{}, map[string]string{}
	for _, r := range tableNamed(t, "countries") {
		spelling, code, name := r[0], r[1], r[2]
		if spelling == "Unknown" {
			if code != "" {
				t.Errorf("Unknown has the flag %s", code)
			}
			continue
		}
		if _, ok := flagByCode[code]; !ok {
			t.Errorf("%s: %q is no flag", spelling, code)
		}
		if other, ok := nameOf[code]; ok && other != name {
			t.Errorf("%s is both %s and %s", code, other, name)
		}
		if other, ok := flagOf[name]; ok && other != code {
			t.Errorf("%s is both %s and %s", name, other, code)
		}
		if want := flags[flagByCode[code]].name; name != want {
			t.Errorf("%s: name %q, but the flag's is %q", spelling, name, want)
		}
		flagOf[name], nameOf[code] = code, name
	}
	for spelling, want := range map[string]string{
		"Azores": "PT", "Portugal (Madeira)": "PT", "Alaska": "US", "USA": "US", "Korea": "KR", "DPR Korea": "KP", "Guiana": "GF",
		"Macedonia": "MK", "Adelie Land": "TF", "Niger": "NE", "Congo": "CG", "UAE": "AE", "Curacao": "CW", "Faeroe Islands": "FO",
	} {
		if c := readCountry(spelling); flags[c.flag].code != want || c.reason != noIssue {
			t.Errorf("%s has the flag %q (%v), want %s", spelling, flags[c.flag].code, c.reason, want)
		}
	}
}

func TestVesselTypesFoldToListedNames(t *testing.T) {
	categories := strings.Split("cargo,tanker,passenger,fishing,tug,offshore,service,naval,leisure,inland,aid to navigation,structure,other,unknown", ",")
	rows := tableNamed(t, "vessel_types")
	seen := map[string]bool{}
	for _, r := range rows {
		name := readVesselType(r[1])
		if name.reason != noIssue || name.value != r[1] {
			t.Errorf("%s: its name %q is not a listed type of that name: %v", r[0], r[1], name.reason)
		}
		if name.category != r[2] || name.isVessel != (r[3] == "true") {
			t.Errorf("%s: is not what its name %q is", r[0], r[1])
		}
		if !slices.Contains(categories, r[2]) {
			t.Errorf("%s: category %q", r[0], r[2])
		}
		if r[2] == "aid to navigation" && r[3] != "false" {
			t.Errorf("%s: an aid to navigation is no vessel", r[0])
		}
		seen[r[2]] = true
	}
	if got := slices.Sorted(maps.Keys(seen)); len(got) != len(categories) {
		t.Errorf("categories in use: %v", got)
	}
	for raw, want := range map[string]spelling{
		"anti-POLUTION":             {value: "Anti-Pollution", category: "service", isVessel: true},
		"Law enforcment":            {value: "Law Enforce", category: "service", isVessel: true},
		"Tank-Cleaning Vessel":      {value: "Tank Cleaning Vessel", category: "service", isVessel: true},
		"Cargo - Hazard A (Major)":  {value: "Cargo ship (HAZ-A)", category: "cargo", isVessel: true},
		"Beacon, Safe Water":        {value: "Beacon, Safe Water", category: "aid to navigation", isVessel: false},
		"SAR Aircraft":              {value: "SAR Aircraft", category: "other", isVessel: false},
		"OffShore Structure":        {value: "OffShore Structure", category: "structure", isVessel: false},
		"Inland, Tanker":            {value: "Inland Tanker", category: "inland", isVessel: true},
		" FPSO ":                    {value: "FPSO", category: "offshore", isVessel: true},
		"Vessel (function unknown)": {value: "Vessel (function unknown)", category: "unknown", isVessel: true},
	} {
		want.raw, want.reason = raw, noIssue
		if got := readVesselType(raw); got != want {
			t.Errorf("%s is %+v, want %+v", raw, got, want)
		}
	}
}

// TestFlagsAndTypesJoinOnce: a join with a table of spellings would repeat a vessel for each of them.
func TestFlagsAndTypesJoinOnce(t *testing.T) {
	for name, spellings := range map[string]string{"flags": "countries", "types": "vessel_types"} {
		rows := tableNamed(t, name)
		known := map[string]bool{}
		for _, r := range rows {
			if known[r[0]] || r[0] == "" {
				t.Errorf("%s: %q is there twice, or empty", name, r[0])
			}
			known[r[0]] = true
		}
		for _, r := range tableNamed(t, spellings) {
			if r[1] != "" && !known[r[1]] {
				t.Errorf("%s has no row for %s, of the spelling %s", name, r[1], r[0])
			}
		}
	}
	for _, r := range tableNamed(t, "types") {
		if name := readVesselType(r[0]); name.category != r[1] || name.isVessel != (r[2] == "true") {
			t.Errorf("%s is %s, %s, unlike its spelling", r[0], r[1], r[2])
		}
	}
}

// TestOpenRegistries: the list of the ITF has 48 registers, of which four have no flag of their own.
func TestOpenRegistries(t *testing.T) {
	open := map[string]bool{}
	for _, r := range tableNamed(t, "flags") {
		if r[3] != "true" && r[3] != "false" {
			t.Errorf("%s: open_registry is %q", r[0], r[3])
		}
		if r[3] == "true" {
			open[r[0]] = true
		}
	}
	if want := 48 - len(strings.Fields("FIS GIS Madeira FAS")); len(open) != want {
		t.Errorf("%d flags are open registries, want %d", len(open), want)
	}
	for _, code := range strings.Fields("PA LR MH MT BS CY CW DM GM NU GW TV GA SZ SM TZ") {
		if !open[code] {
			t.Errorf("%s is no open registry", code)
		}
	}
	for _, code := range strings.Fields("FR DE PT FO KH TO GB NO SG") { // Cambodia and Tonga are off the list
		if open[code] {
			t.Errorf("%s is an open registry", code)
		}
	}
}

func TestCountryDigitsKnowTheirGaps(t *testing.T) {
	for digits, want := range map[MMSI][]string{
		334_000_001: {"HN"}, 471_000_001: {"AE"}, 550_000_001: {"TL"}, 335_000_001: nil,
		306_256_000: {"BQ", "CW", "SX"}, 635_000_001: {"TF", "FR"}, 204_000_001: {"PT"}, 303_000_001: {"US"},
	} {
		var codes []string
		for _, f := range digitFlags[digits.countryDigits()] {
			codes = append(codes, flags[f].code)
		}
		if diff := cmp.Diff(want, codes); diff != "" {
			t.Errorf("%d: %s", digits, diff)
		}
	}
}

func TestFlagsAgreeAsSets(t *testing.T) {
	for name, c := range map[string]struct {
		flag    string
		carries []string
		want    bool
	}{
		"a flag agrees with itself":                        {"PA", []string{"PA"}, true},
		"one of several territories is enough":             {"CW", []string{"BQ", "CW", "SX"}, true},
		"a territory may carry its state's":                {"CW", []string{"NL"}, true},
		"the Isle of Man has the digits of Britain":        {"IM", []string{"GB"}, true},
		"a state may not carry its territory's":            {"GB", []string{"BM"}, false},
		"one territory may not carry another's":            {"GI", []string{"BM"}, false},
		"Hong Kong stands apart from China":                {"HK", []string{"CN"}, false},
		"Macao stands apart from China":                    {"MO", []string{"CN"}, false},
		"South Korea is not North Korea":                   {"KR", []string{"KP"}, false},
		"French ships may have digits of southern islands": {"FR", []string{"TF", "FR"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var with []flag
			for _, code := range c.carries {
				with = append(with, flagByCode[code])
			}
			if got := flagByCode[c.flag].agrees(with...); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
