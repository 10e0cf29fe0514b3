package transform

import (
	"fmt"
	"testing"

	"github.com/fleetlake/fleetlake/extract/journal"
)

// nothings are ways to write that there is no value, in the forms that services and crews use.
var nothings = []string{
	"", " ", "\u00a0", "-", "--", " - ", "–", "_", "...", "?", "??", "@@@@", "#", "n/a", "N/A", "N.A.", "n. a.", "NA", "null", "NULL", "Null",
	"none", "None", "NONE", "nil", "NaN", "undefined", "Unknown", "UNKNOWN", "unknown.", "(unknown)", "not_available", "Not Available", "NOT KNOWN",
	"not defined", "Not specified", "not applicable", "No data", "TBA", "tbn", "T.B.D.", "TBC",
}

func TestWaysToSayNothing(t *testing.T) {
	at := &answer{year: 2026, seen: 1_800_000_000_000_000}
	for _, s := range nothings {
		t.Run(fmt.Sprintf("%q", s), func(t *testing.T) {
			for _, table := range Tables {
				for _, c := range table.own {
					if c.rule == nil || c.name == "max_draught_m" {
						continue
					}
					if v, err := c.rule.read(s, at); v != nil || err != absent {
						t.Errorf("%s.%s: %v, %v", table.Name, c.name, v, err)
					}
				}
			}
			if n, err := parseIMO(s); n != 0 || err != absent {
				t.Errorf("IMO number %v, %v", n, err)
			}
			if n, err := ParseMMSI(s); n != 0 || err != absent {
				t.Errorf("MMSI %v, %v", n, err)
			}
			if r := readShipType(s); r.reason != absent {
				t.Errorf("ship type %+v", r)
			}
			for name, r := range map[string]spelling{"country": readCountry(s), "code": readISO(s), "vessel type": readVesselType(s)} {
				if isListed := r.value == "Unknown" || r.value == "NA"; r.reason != absent && !isListed {
					t.Errorf("%s %+v", name, r)
				}
			}
		})
	}
}

func TestZeroIsNothingInTexts(t *testing.T) {
	for _, s := range []string{"0", "00", "0.0", " 0 ", "00000000"} {
		for _, table := range []Table{Particulars, Engine, Management} {
			for _, c := range table.own {
				if c.rule == nil || c.typ != text {
					continue
				}
				if v, err := c.rule.read(s, &answer{}); v != nil || err != absent {
					t.Errorf("%s.%s of %q: %v, %v", table.Name, c.name, s, v, err)
				}
			}
		}
		if readCountry(s).reason != absent || readISO(s).reason != absent || readVesselType(s).reason != absent || readShipType(s).reason != absent {
			t.Errorf("%q is in a vocabulary", s)
		}
		b := batchOf(t, night(pageWith(fmt.Sprintf(`{"imo":"9218301","mmsi":%[1]q,"name":%[1]q,"callsign":%[1]q}`, s))))
		if row := rowsIn(t, b, Listings)[0]; row["name"]+row["callsign"]+row["mmsi"]+row["raw"] != "" {
			t.Errorf("%q is kept: %v", s, row)
		}
	}
}

// pageWith is an answer of the type/country search that has one vessel.
func pageWith(vessel string) journal.Entry {
	return journal.Entry{N: 1, Kind: journal.KindAnswer, Operation: "by-type", Parameters: "country=Malta&page=1", Outcome: "ok", Status: 200,
		Body: `{"total":1,"limit":100,"page":1,"items":[` + vessel + `]}`}
}

// TestRealValuesAreNotMissing reads what looks like a placeholder and is none.
func TestRealValuesAreNotMissing(t *testing.T) {
	for _, s := range []string{
		"N", "0A", "NO NAME", "NONESUCH", "NILE", "NANA", "UNKNOWN WARRIOR", "TBA SHIPPING", "NULLARBOR", "こんごう", "№ 5", "7", "007", "X", "TEST", "Not known as yet",
	} {
		if missingText(s) {
			t.Errorf("%q is missing", s)
		}
	}
	if r := readISO("na"); r.value != "NA" || flags[r.flag].name != "Namibia" {
		t.Errorf("the code of Namibia is %+v", r)
	}
	if r := readCountry("UNKNOWN"); r.value != "Unknown" {
		t.Errorf("the country Unknown is %+v", r)
	}
	if r := readVesselType("unknown"); r.value != "Unknown" || r.category == "" {
		t.Errorf("the type Unknown is %+v", r)
	}
	for _, c := range Positions.own {
		if c.name == "speed_kn" || c.name == "course_deg" || c.name == "latitude" {
			if v, err := c.rule.read("0", &answer{}); v != 0.0 || err != nil {
				t.Errorf("%s of 0 is %v, %v", c.name, v, err)
			}
		}
	}
}

// TestPlaceholdersLeaveNoTrace reads whole answers of placeholders about one vessel.
func TestPlaceholdersLeaveNoTrace(t *testing.T) {
	for _, s := range nothings {
		if s == "NA" || s == "N/A" {
			continue // in country_iso it may be Namibia
		}
		t.Run(fmt.Sprintf("%q", s), func(t *testing.T) {
			b := batchOf(t, night(
				journal.Entry{N: 1, Kind: journal.KindAnswer, Operation: "info", Parameters: "imo=9218301", Outcome: "ok", Status: 200, Body: fmt.Sprintf(
					`{"detail":{"imo":"9218301","mmsi":%[1]q,"name":%[1]q,"callsign":%[1]q,"builder":%[1]q,"placeOfBuild":%[1]q,"grossTonnage":%[1]q,"unlocodeLastport":%[1]q,"lastPort":%[1]q,"speed":"3","length":"3 m",
					"engine":{"fuelType":%[1]q,"engineBuilder":"SULZER"},"management":{"registeredOwner":%[1]q,"manager":%[1]q,"P&I":%[1]q,"ism":"ACME"}}}`, s)},
			))
			for _, table := range []Table{Particulars, Engine, Management, Positions} {
				rows := rowsIn(t, b, table)
				if len(rows) != 1 {
					t.Fatalf("%d rows of %s", len(rows), table.Name)
				}
				for _, c := range []string{"mmsi", "name", "callsign", "builder", "place_of_build", "gross_tonnage", "last_port_unlocode", "last_port", "fuel_type", "registered_owner", "manager", "p_and_i", "raw"} {
					if v, ok := rows[0][c]; ok {
						t.Errorf("%s.%s is %q", table.Name, c, v)
					}
				}
			}
			if issues := rowsIn(t, b, Issues); len(issues) > 0 {
				t.Errorf("issues %v", issues)
			}
		})
	}
}

func TestLocodes(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want any
		err  error
	}{
		"as the standard writes it without its blank": {"CNRZH", "CNRZH", nil},
		"with the blank":                     {"CN RZH", "CNRZH", nil},
		"in lower case, with a hyphen":       {"cn-rzh", "CNRZH", nil},
		"with an underscore and blanks":      {" nl_rtm ", "NLRTM", nil},
		"a digit in the place":               {"US5AB", "US5AB", nil},
		"an installation in no one's waters": {"XZ123", "XZ123", nil},
		"a country that is none":             {"QQRTM", nil, NotALocode},
		"too short":                          {"NLRT", nil, NotALocode},
		"too long":                           {"NLRTMX", nil, NotALocode},
		"the name of a port":                 {"Rotterdam", nil, NotALocode},
		"a digit in the country":             {"N1RTM", nil, NotALocode},
		"nothing":                            {"-", nil, absent},
		"zero":                               {"0", nil, absent},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := asLocode(c.in, nil); got != c.want || err != c.err {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}
