package transform

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestABulkAnswerWithTheKeysOfALocationFeedsPositions: what has them is a position and a voyage of the vessel that it
// names, wherever in the answer it is; anything else is in the raw answer alone, and no issue.
func TestABulkAnswerWithTheKeysOfALocationFeedsPositions(t *testing.T) {
	const (
		first  = `{"imo":"9074729","latitude":"1.5","longitude":"103.25","speed":"12.1","destination":"OSLO","positionReceived":"2026-11-19 23:01"}`
		again  = `{"imo":"9074729","latitude":"7.5","longitude":"103.25"}`
		second = `{"mmsi":"306256000","latitude":"2.5","longitude":"104.25"}`
	)
	located := []string{"1 IMO9074729 1.5 12.1 OSLO", "1 MMSI306256000 2.5  "}
	for name, c := range map[string]struct {
		operation, body string
		want            []string
	}{
		"a list":                         {"bulk-location", "[" + first + "," + second + "]", located},
		"a list in an object":            {"bulk-location", `{"total":2,"vessels":[` + first + "," + second + "]}", located},
		"details of each":                {"bulk-location", `{"detail":{"9074729":` + first + `,"306256000":` + second + "}}", located},
		"a vessel twice":                 {"bulk-location", "[" + first + "," + second + "," + again + "]", located},
		"another operation":              {"area", "[" + first + "]", nil},
		"no vessel":                      {"bulk-location", `[{"latitude":"1.5","longitude":"103.25"}]`, nil},
		"a vessel without a number":      {"bulk-location", `[{"imo":"-","mmsi":"0","latitude":"1.5","longitude":"103.25"}]`, nil},
		"no place":                       {"bulk-location", `[{"imo":"9074729","position":"somewhere"}]`, nil},
		"deeper than an answer would be": {"bulk-location", "[[[[[[[" + first + "]]]]]]]", nil},
	} {
		b := batchOf(t, night(answerTo(1, c.operation, "imo_or_mmsi=9074729%2C306256000", c.body)))
		if diff := cmp.Diff(c.want, columnsOf(t, b, Positions, "entry", "vessel_id", "latitude", "speed_kn", "destination")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got := len(columnsOf(t, b, Issues, "entry")) + len(columnsOf(t, b, RawAnswers, "entry")); got != 1 {
			t.Errorf("%s: %d issues and raw answers", name, got)
		}
	}
}
