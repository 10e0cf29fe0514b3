package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/load/dictionary"
)

// TestSchema prints the dictionary as people and programs read it.
func TestSchema(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 100})
	w.configure(1_000_000, ledgerJob)
	w.has(ledgerJob, "2026-11-20")

	index := w.must(exitDone, "schema").stdout
	for what, want := range map[string]string{
		"what to start with":  "What to start with\n  vessels ",
		"a macro":             "fleet_on(night)",
		"a ready view":        "Views ready to use\n  reflaggings ",
		"the lake":            "lake.particulars ",
		"how to see the rest": "fleetlake schema NAME",
	} {
		if !strings.Contains(index, want) {
			t.Errorf("%s: no %q in\n%s", what, want, index)
		}
	}
	if strings.Contains(index, "internal") || strings.Contains(index, "schema_migrations") {
		t.Errorf("it prints what only the program reads:\n%s", index)
	}
	for name, want := range map[string][]string{
		"VESSELS":     {"vessels, a view", "One row for each: vessel_id", "Refers to flags.flag", "Operations of the service: by-status, by-type, info", "Example\n  SELECT"},
		"particulars": {"ballast_water_m3", "cubic metres", "Only the program uses: fingerprint, untold, vessel_number"},
		"fleet_on":    {"fleet_on(night), a macro", "night: a night, such as DATE '2026-11-20'"},
		"lake.engine": {"Files: lake/engine/*/*.parquet in the data directory", "the warehouse's table of the same name"},
	} {
		got := w.must(exitDone, "schema", name).stdout
		for _, text := range want {
			if !strings.Contains(got, text) {
				t.Errorf("schema %s: no %q in\n%s", name, text, got)
			}
		}
	}
	if got := w.must(exitDone, "schema", "--format", "markdown").stdout; !strings.Contains(got, "## vessels\n") || !strings.Contains(got, "| `imo` | INTEGER |") || !strings.Contains(got, "```sql\nSELECT") {
		t.Errorf("markdown:\n%.2000s", got)
	}
	if o := w.must(exitUsage, "schema", "vessel"); !strings.Contains(o.stderr, `no table, view or macro "vessel"; there are: vessels, `) {
		t.Errorf("an unknown name: %s", o.stderr)
	}
	for _, args := range [][]string{{"--format", "yaml"}, {"--html", "-", "--format", "json"}, {"--json"}} {
		w.must(exitUsage, append([]string{"schema"}, args...)...)
	}
}

// TestSchemaForProgramsAndBrowsers reads the JSON, and writes the page to a file and to standard output.
func TestSchemaForProgramsAndBrowsers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 100})
	w.configure(1_000_000, ledgerJob)
	w.has(ledgerJob, "2026-11-20")

	var d dictionary.Dictionary
	if err := json.Unmarshal([]byte(w.must(exitDone, "schema", "--format", "json").stdout), &d); err != nil {
		t.Fatal(err)
	}
	if e, ok := d.Find("vessels"); !ok || d.SnapshotDate != "2026-11-20" || len(e.Columns) < 30 || e.Keys[0] != "vessel_id" {
		t.Errorf("JSON: %+v", e)
	}
	if one := w.must(exitDone, "schema", "listed", "--format", "json").stdout; strings.Count(one, `"example"`) != 1 || !strings.Contains(one, `"name": "listed"`) {
		t.Errorf("JSON of one table:\n%s", one)
	}
	w.must(exitDone, "schema", "--html", "dictionary.html")
	file, err := os.ReadFile(filepath.Join(w.dir, "dictionary.html"))
	if err != nil {
		t.Fatal(err)
	}
	if page := w.must(exitDone, "schema", "--html", "-").stdout; page != string(file) || !strings.Contains(page, `<h3 id="vessels">`) || !strings.HasSuffix(page, "</html>\n") {
		t.Errorf("the page on standard output differs from the file, or is not whole:\n%.2000s", page)
	}
	if o := w.fleetlake("schema", "--html", "missing/dictionary.html"); o.code == exitDone || !strings.Contains(o.stderr, "missing/dictionary.html") {
		t.Errorf("a directory that is not there: %d %s", o.code, o.stderr)
	}
}
