package transform

import (
	"slices"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/journal"
)

// TestAnswersWithoutValues reads answers in which every field of a dataset is empty.
func TestAnswersWithoutValues(t *testing.T) {
	const empty = `"length":"","beam":null,"deadweight":"-","builder":"N/A"`
	for name, c := range map[string]struct {
		operation, body string
		rows            string // of the four datasets
		outcome         string
		empty           string // the datasets without values
	}{
		"nothing at all":                        {"particulars", `{"detail":{"imo":"","mmsi":null,"name":"-",` + empty + `}}`, "0 0 0 0", "empty", "particulars"},
		"objects of nothing":                    {"info", `{"name":"","imo":"0","ports":[],"engine":{"fuelType":""},"management":{}}`, "0 0 0 0", "empty", "particulars"},
		"no members":                            {"particulars", `{"detail":{}}`, "0 0 0 0", "empty", ""},
		"a vessel without particulars":          {"particulars", `{"detail":{"imo":"9218301","mmsi":"","name":"NEWSUN",` + empty + `}}`, "1 0 0 0", "ok", "particulars"},
		"a time of an update is no value":       {"particulars", `{"imo":"9218301","updateTime":"May 15, 2026 07:06 UTC",` + empty + `}`, "1 0 0 0", "ok", "particulars"},
		"a refused value is none":               {"particulars", `{"imo":"9218301","length":"many"}`, "1 0 0 0", "ok", "particulars"},
		"a vessel with particulars":             {"particulars", `{"imo":"9218301","length":"176 m"}`, "1 0 0 0", "ok", ""},
		"a profile without engine and position": {"info", `{"imo":"9218301","length":"176 m","engine":{"fuelType":"-","Propeller":null},"management":{"manager":"ACME"}}`, "1 0 1 0", "ok", "engine position"},
		"a profile without its objects":         {"info", `{"imo":"9218301","length":"176 m","latitude":"1","longitude":"2","engine":null}`, "1 0 0 1", "ok", "engine management"},
		"a whole profile":                       {"info", `{"imo":"9218301","beam":"30 m","latitude":"1","longitude":"2","engine":{"fuelType":"OIL"},"management":{"ism":"ACME"}}`, "1 1 1 1", "ok", ""},
		"a position of nowhere":                 {"location", `{"imo":"9218301","name":"NEWSUN","latitude":"","longitude":"-"}`, "0 0 0 1", "ok", "position"},
	} {
		t.Run(name, func(t *testing.T) {
			e := journal.Entry{N: 1, Kind: journal.KindAnswer, Operation: c.operation, Parameters: "imo_or_mmsi=9218301", Outcome: "ok", Status: 200, Body: c.body}
			b := batchOf(t, night(e))
			var rows, without []string
			for _, table := range []Table{Particulars, Engine, Management, Positions} {
				rows = append(rows, string(rune('0'+b.Rows(table))))
			}
			for _, i := range rowsIn(t, b, Issues) {
				if i["reason"] == string(NoValues) {
					without = append(without, i["dataset"])
				}
			}
			slices.Sort(without)
			if got := strings.Join(rows, " "); got != c.rows {
				t.Errorf("rows %s, want %s", got, c.rows)
			}
			if got := strings.Join(without, " "); got != c.empty {
				t.Errorf("without values: %s, want %s", got, c.empty)
			}
			if got := rowsIn(t, b, Requests)[0]["outcome"]; got != c.outcome {
				t.Errorf("outcome %s, want %s", got, c.outcome)
			}
		})
	}
}
