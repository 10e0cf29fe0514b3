package transform

import (
	"testing"

	"github.com/fleetlake/fleetlake/extract/journal"
)

// TestCompaniesInAnyDress reads one company in the ways that a service writes it, and expects one value.
func TestCompaniesInAnyDress(t *testing.T) {
	for name, dress := range map[string]string{
		"as lists write it":        "COMPAÑÍA NAVIERA DEL SUR S.A.",
		"in lower case":            "compañía naviera del sur s.a.",
		"in mixed case":            "Compañía Naviera del Sur S.A.",
		"with underscores":         "COMPAÑÍA_NAVIERA_DEL_SUR_S.A.",
		"with double spaces":       " COMPAÑÍA  NAVIERA\u00a0DEL\tSUR  S.A. ",
		"padded":                   "COMPAÑÍA NAVIERA DEL SUR S.A.@@@",
		"with combining accents":   "Compan\u0303i\u0301a Naviera del Sur S.A.",
		"all of these at the time": "_compan\u0303i\u0301a__NAVIERA del_Sur s.A. @@",
	} {
		t.Run(name, func(t *testing.T) {
			for _, table := range []Table{Particulars, Engine, Management, Positions} {
				for _, c := range table.own {
					switch c.name {
					case "manager", "registered_owner", "ism", "class_society", "p_and_i", "builder", "engine_builder", "place_of_build", "last_port", "destination", "manager_address", "registered_owner_address", "ism_address":
						if got, err := c.rule.read(dress, &answer{}); got != "COMPAÑÍA NAVIERA DEL SUR S.A." || err != nil {
							t.Errorf("%s.%s: %q, %v", table.Name, c.name, got, err)
						}
					}
				}
			}
		})
	}
}

func TestTextsOfOtherKinds(t *testing.T) {
	b := batchOf(t, night(journal.Entry{N: 1, Kind: journal.KindAnswer, Operation: "info", Parameters: "imo=9218301", Outcome: "ok", Status: 200, Body: `{"imo":"9218301","shipType":"CARGO_VESSELS",
		"management":{"manager":"Example_Shipping","managerEmail":"The_Fleet@Example.com ","managerWebsite":"WWW.Example.com/My_Fleet","registeredOwner":"EXAMPLE"}}`}))
	m := rowsIn(t, b, Management)[0]
	for column, want := range map[string]string{
		"manager": "EXAMPLE SHIPPING", "manager_email": "the_fleet@example.com", "manager_website": "www.example.com/my_fleet", "registered_owner": "EXAMPLE",
		"raw": `{"manager":"Example_Shipping","managerEmail":"The_Fleet@Example.com ","managerWebsite":"WWW.Example.com/My_Fleet"}`,
	} {
		if m[column] != want {
			t.Errorf("%s is %q, want %q", column, m[column], want)
		}
	}
	if p := rowsIn(t, b, Particulars)[0]; p["ship_type"] != "Cargo vessels" || p["raw"] != `{"shipType":"CARGO_VESSELS"}` {
		t.Errorf("ship type %q, raw %s", p["ship_type"], p["raw"])
	}
}
