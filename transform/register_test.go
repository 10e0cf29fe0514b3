package transform

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/journal"
)

func TestRegisters(t *testing.T) {
	for country, want := range map[string]string{
		"Portugal": "Portugal PT Portugal", "Portugal (Madeira)": "Portugal PT Madeira", "PORTUGAL_(MADEIRA)": "Portugal PT Madeira", "Azores": "Portugal PT Portugal",
		"Norway": "Norway NO Norway", "Norway (NIS)": "Norway NO NIS", "Hong Kong": "Hong Kong HK Hong Kong", "China (Hong Kong)": "Hong Kong HK Hong Kong",
		"Isle of Man": "Isle of Man IM Isle of Man", "Kerguelen Islands": "French Southern Territories TF Kerguelen", "Unknown": "Unknown  ", "Atlantis": "Atlantis  Atlantis",
		"Malta (Second Register)": "Malta MT Malta (Second Register)", "Denmark (Faroe Islands)": "Faroe Islands FO Denmark (Faroe Islands)",
	} {
		if c := readCountry(country); c.value+" "+flags[c.flag].code+" "+c.register != want {
			t.Errorf("%s is %q, want %q", country, c.value+" "+flags[c.flag].code+" "+c.register, want)
		}
	}
	open := map[string]string{}
	for _, r := range tableNamed(t, "registers") {
		if _, twice := open[r[0]]; twice {
			t.Errorf("%s is there twice", r[0])
		}
		if open[r[0]] = r[3]; flagByCode[r[1]] == 0 || r[2] == "" {
			t.Errorf("%v", r)
		}
	}
	for register, want := range map[string]string{"Portugal": "false", "Madeira": "true", "Norway": "false", "NIS": "false", "Germany": "false", "GIS": "true", "RIF": "true", "Panama": "true", "Hong Kong": "false"} {
		if open[register] != want {
			t.Errorf("%s is an open registry: %q, want %s", register, open[register], want)
		}
	}
	for spelling, c := range countryBySpelling {
		if c.flag != 0 && open[c.register] == "" {
			t.Errorf("%s: the register %q is in no table", spelling, c.register)
		}
	}
}

// TestNewValuesAreKeptAndReportedOnce reads pages with a type and a country that the service has begun to accept.
func TestNewValuesAreKeptAndReportedOnce(t *testing.T) {
	vessel := func(i int, country, typ string) string {
		return fmt.Sprintf(`{"imo":"0","mmsi":"2710000%02d","name":"A","country":%q,"countryIso":"TR","typeSpecific":%q}`, i, country, typ)
	}
	page := func(n int, vessels ...string) journal.Entry {
		e := pageWith(strings.Join(vessels, ","))
		e.N, e.Parameters = n, fmt.Sprintf("country=Newland&page=%d", n)
		return e
	}
	unusable := page(1, vessel(1, "NEWLAND", "Space Ship"))
	unusable.Body = strings.TrimSuffix(unusable.Body, "}")
	b := NewBatch()
	b.AddEarlier(page(9, vessel(2, "Newland", "Space_Ship")))
	for x := range journal.Pair(sequence(night(unusable, page(2, vessel(3, "NEWLAND", "SPACE SHIP"), vessel(4, "new_land", "Space Ship")), page(3, vessel(5, "Newland", "Space__Ship"), vessel(6, "Newland", "Bulk Carrier"))))) {
		b.Add(x)
	}
	var got []string
	for _, r := range rowsIn(t, b, Listings) {
		got = append(got, strings.Join([]string{r["flag"], r["country"], r["vessel_type"], r["category"], r["is_vessel"]}, " "))
	}
	if want := []string{"TR Newland Space Ship unknown true", "TR New Land Space Ship unknown true", "TR Newland Space Ship unknown true", "TR Newland Bulk Carrier cargo true"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var issues []string
	for _, i := range rowsIn(t, b, Issues) {
		if i["field"] != "" {
			issues = append(issues, i["field"]+" "+i["raw_value"]+" "+i["reason"]+" "+i["entry"])
		}
	}
	slices.Sort(issues)
	if want := []string{"country NEWLAND not in the list 2", "country new_land not in the list 2", "vessel_type SPACE SHIP not in the list 2"}; !slices.Equal(issues, want) {
		t.Errorf("issues %q, want %q", issues, want)
	}
}

func TestFlagOfACountryInNoList(t *testing.T) {
	for name, c := range map[string]struct{ iso, mmsi, want string }{
		"the code and the digits agree":        {"TR", "271000001", "TR"},
		"the digits are of another flag":       {"TR", "353000001", ""},
		"the code of a state, a territory's":   {"GI", "235000001", "GI"},
		"no code":                              {"", "271000001", ""},
		"the digits of no ship":                {"TR", "970000001", ""},
		"a code that is none, and good digits": {"XX", "271000001", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := batchOf(t, night(pageWith(fmt.Sprintf(`{"imo":"9218301","mmsi":%q,"country":"Newland","countryIso":%q}`, c.mmsi, c.iso))))
			if r := rowsIn(t, b, Listings)[0]; r["flag"] != c.want || r["country"] != "Newland" || r["register"] != "Newland" {
				t.Errorf("%v, want the flag %q", r, c.want)
			}
		})
	}
}
