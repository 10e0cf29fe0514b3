package transform

import (
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/journal"
)

// TestZerosLeaveATrace reads a profile in which every number is zero.
func TestZerosLeaveATrace(t *testing.T) {
	b := batchOf(t, night(journal.Entry{N: 1, Kind: journal.KindAnswer, Operation: "info", Parameters: "imo=9218301", Outcome: "ok", Status: 200, Body: `{"imo":"9218301","hull":"DOUBLE HULL","management":{"ism":"A"},
		"length":"0 m","beam":"0.0","deadweight":"0","grossTonnage":"0","netTonnage":"0","teu":"0","yearOfBuilt":"0","ballastWater":"0","freshWater":"0 m³","crudeOil":"0","gas":"0 m³","grain":"0","bale":"0",
		"speed":"0.0","course":"0","heading":"0","latitude":"0","longitude":"12.5","draught":"0 m. ( max 0.0)","engine":{"enginePower(kW)":"0","fuelType":"OIL"}}`}))
	p, e, at := rowsIn(t, b, Particulars)[0], rowsIn(t, b, Engine)[0], rowsIn(t, b, Positions)[0]
	for _, c := range Particulars.own {
		if v, ok := p[c.name]; ok && c.rule != nil && c.name != "hull" {
			t.Errorf("%s is %s", c.name, v)
		}
	}
	for _, key := range []string{"length", "beam", "deadweight", "grossTonnage", "netTonnage", "teu", "yearOfBuilt", "ballastWater", "freshWater", "crudeOil", "gas", "grain", "bale"} {
		if !strings.Contains(p["raw"], `"`+key+`":"0`) {
			t.Errorf("%s is not in raw: %s", key, p["raw"])
		}
	}
	if _, ok := e["engine_power_kw"]; ok || e["raw"] != `{"enginePower(kW)":"0"}` {
		t.Errorf("engine %v", e)
	}
	if at["speed_kn"] != "0" || at["course_deg"] != "0" || at["heading_deg"] != "0" || at["latitude"] != "0" || at["draught_m"] != "" || at["raw"] != `{"draught":"0 m. ( max 0.0)"}` {
		t.Errorf("position %v", at)
	}
	var refused []string
	for _, i := range rowsIn(t, b, Issues) {
		refused = append(refused, i["field"]+" "+i["reason"])
	}
	want := "engine_power_kw zero, beam_m zero, deadweight_t zero, gross_tonnage zero, length_m zero, year_built zero"
	if got := strings.Join(refused, ", "); got != want {
		t.Errorf("issues %s, want %s", got, want)
	}
}
