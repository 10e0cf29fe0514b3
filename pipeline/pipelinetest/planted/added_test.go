package planted

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// addition is something new that a recipe of CONTRIBUTING.md adds, with all that it touches: files of the program
// with a text of each and what stands in its place. A new file has no text.
type addition struct {
	touches map[string][2]string
	most    int    // files that the recipe may touch
	test    string // of package transform: what must hold then
}

var additions = map[string]addition{
	"an operation": {most: 6,
		touches: map[string][2]string{
			"extract/api/operation.go": {"Info, Location, Particulars, Credits}", "Info, Location, Particulars, Credits,\n\t{Name: \"machinery\", Method: \"GET\", Path: \"/get-vessel-machinery\", Credits: 2, PerMinute: 50, datasets: \"engine\"}}"},
		},
		test: `
	o, _ := api.OperationNamed("machinery")
	if !o.IsLookup() || !slices.Contains(api.Lookups, o) || !slices.Contains(OperationsOf("engine"), o.Name) {
		t.Errorf("%+v is no lookup of engines", o)
	}
	tables := ReferenceTables()
	rows := tables[slices.IndexFunc(tables, func(r ReferenceTable) bool { return r.Name == "operation_datasets" })].Rows
	if !slices.ContainsFunc(rows, func(r []string) bool { return strings.Join(r, " ") == "machinery engine engine 1" }) {
		t.Error("the warehouse does not know it")
	}
	b := read("machinery", ` + "`{\"name\":\"A\",\"imo\":\"9074729\",\"engine\":{\"propeller\":\"2 propellers\"}}`" + `)
	if b.Rows(Engine) != 1 || b.Rows(Particulars) != 0 {
		t.Errorf("%d rows of engine, %d of particulars", b.Rows(Engine), b.Rows(Particulars))
	}`},
	"a column of the particulars": {most: 2,
		touches: map[string][2]string{
			"transform/schema.go":                         {"\t\t{48, \"builder\", text,", "\t\t{57, \"ice_class\", text, from(asText, \"iceclass\"), \"Ice class.\"},\n\t\t{48, \"builder\", text,"},
			"warehouse/sql/migrations/0999_ice_class.sql": {"", "ALTER TABLE particulars ADD COLUMN ice_class VARCHAR;\n"},
		},
		test: `
	b := read("info", ` + "`{\"name\":\"A\",\"imo\":\"9074729\",\"iceClass\":\"1A\"}`" + `)
	if got := rowsIn(t, b, Particulars); len(got) != 1 || got[0]["ice_class"] != "1A" {
		t.Errorf("the rows are %v", got)
	}`},
	"a column of the positions": {most: 2,
		touches: map[string][2]string{
			"transform/schema.go":                            {"\t\t{49, \"destination\", text,", "\t\t{99, \"rate_of_turn\", double, from(as(quantity{units: degrees, zero: zeroIsValue, least: -720, most: 720}), \"rateofturn\"), \"Degrees per minute.\"},\n\t\t{49, \"destination\", text,"},
			"warehouse/sql/migrations/0999_rate_of_turn.sql": {"", "ALTER TABLE positions ADD COLUMN rate_of_turn DOUBLE;\n"},
		},
		test: `
	b := read("location", ` + "`{\"detail\":{\"imo\":\"9074729\",\"latitude\":\"1.5\",\"longitude\":\"2\",\"rateOfTurn\":\"-5\"}}`" + `)
	if got := rowsIn(t, b, Positions); len(got) != 1 || got[0]["rate_of_turn"] != "-5" {
		t.Errorf("the rows are %v", got)
	}`},
	"a text that means missing": {most: 1,
		touches: map[string][2]string{"extract/api/missing.go": {`"tba", "tbc",`, `"keinwert", "tba", "tbc",`}},
		test: `
	b := read("info", ` + "`{\"name\":\"A\",\"imo\":\"9074729\",\"hull\":\"Kein Wert\",\"material\":\"Steel\"}`" + `)
	if got := rowsIn(t, b, Particulars); len(got) != 1 || got[0]["hull"] != "" || got[0]["material"] != "STEEL" {
		t.Errorf("the rows are %v", got)
	}`},
}

// addedTest is the test of an addition.
const addedTest = `package transform

import (
	"slices"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

var _, _, _ = slices.Contains[[]string], strings.Join, api.Lookups

func TestAdded(t *testing.T) {
	read := func(operation, body string) *Batch {
		b := batchOf(t, nil)
		e := journal.Entry{N: 1, Kind: journal.KindAnswer, Operation: operation, Parameters: "imo_or_mmsi=9074729", Status: 200, Outcome: "ok", At: night()[0].At}
		e.SetBody([]byte(body))
		b.Add(journal.Exchange{Entry: e})
		return b
	}
`

// TestRecipesTouchFewFiles adds what the recipes of CONTRIBUTING.md say how to add, without a change of the program's
// files: all of it builds, and the answers that have it become rows. Beside the files that are counted here, some tests
// list what there is, and are edited or updated with it.
func TestRecipesTouchFewFiles(t *testing.T) {
	for name, a := range additions {
		t.Run(name, func(t *testing.T) {
			if len(a.touches) > a.most {
				t.Errorf("%d files are touched, want at most %d", len(a.touches), a.most)
			}
			changed := map[string]string{"transform/added_test.go": addedTest + a.test + "\n}\n"}
			for file, c := range a.touches {
				if c[0] == "" {
					changed[file] = c[1]
					continue
				}
				changed[file] = fault{file: file, was: c[0], is: c[1]}.mutated(t)
			}
			if os.Getenv("FLEETLAKE_LONG") == "" {
				return
			}
			overlay := overlayOf(t, changed)
			for _, args := range [][]string{
				{"build", "-o", os.DevNull, "./cmd/fleetlake"},
				{"test", "-count=1", "-vet=off", "-run=^TestAdded$", "./transform"},
			} {
				c := exec.CommandContext(t.Context(), "go", args...)
				c.Dir = root
				c.Env = append(os.Environ(), "FLEETLAKE_LONG=", "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay)
				if output, err := c.CombinedOutput(); err != nil {
					t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, output)
				}
			}
		})
	}
}

// overlayOf writes files that stand in the place of others for a build, and returns the list of them.
func overlayOf(t *testing.T, changed map[string]string) string {
	t.Helper()
	dir, replace := t.TempDir(), map[string]string{}
	for file, text := range changed {
		path, err := filepath.Abs(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		replace[path] = filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(replace[path], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		t.Fatal(err)
	}
	return overlay
}
