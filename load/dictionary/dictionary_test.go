package dictionary_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/load/dictionary"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/warehouse"
)

func TestMain(m *testing.M) { os.Exit(pipelinetest.Run(m)) }

// week opens the warehouse of a week, and reads its dictionary.
func week(t *testing.T) (string, *warehouse.Warehouse, dictionary.Dictionary) {
	t.Helper()
	dir := pipelinetest.Week(t)
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	d, err := dictionary.Read(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return dir, w, d
}

func entries(d dictionary.Dictionary) (all []dictionary.Entry) {
	for _, g := range d.Groups {
		all = append(all, g.Entries...)
	}
	return all
}

// ask returns the rows of a statement, as texts.
func ask(t *testing.T, w *warehouse.Warehouse, text string) (rows [][]string) {
	t.Helper()
	answer, err := w.Query(t.Context(), text)
	if err != nil {
		t.Errorf("%s\n%v", text, err)
		return nil
	}
	defer answer.Close()
	for values, err := range answer.All() {
		if err != nil {
			t.Errorf("%s\n%v", text, err)
			return rows
		}
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = fmt.Sprint(v)
		}
		rows = append(rows, row)
	}
	return rows
}

// numbers are columns of numbers that count or measure nothing.
var numbers = strings.Fields("imo entry http_status")

// TestEveryEntryIsDescribed fails for a table, a view, a macro or a column that has no comment, that
// nothing says how to identify a row of, or where its rows come from.
func TestEveryEntryIsDescribed(t *testing.T) {
	_, _, d := week(t)
	for _, e := range entries(d) {
		if e.Comment == "" || e.Example == "" || len(e.Keys) == 0 || len(e.Columns) == 0 || e.Group == "" {
			t.Errorf("%s: comment %q, example %q, keys %v, %d columns, group %q", e.Name, e.Comment, e.Example, e.Keys, len(e.Columns), e.Group)
		}
		if len(e.Operations) == 0 && e.Lineage.Origin == "" {
			t.Errorf("%s: nothing says where its rows come from", e.Name)
		}
		columns := map[string]warehouse.Definition{}
		for _, c := range e.Columns {
			columns[c.Name] = c
			if strings.Trim(c.Comment, " .") == "" {
				t.Errorf("%s.%s has no comment", e.Name, c.Name)
			}
			isNumber := slices.Contains([]string{"INTEGER", "BIGINT", "DOUBLE", "HUGEINT", "UBIGINT"}, c.Type)
			if isNumber && c.Unit == "" && !c.Internal && !slices.Contains(numbers, c.Name) {
				t.Errorf("%s.%s has no unit", e.Name, c.Name)
			}
			if c.Internal && !strings.HasPrefix(c.Comment, "Internal: ") {
				t.Errorf("%s.%s is internal, and its comment is %q", e.Name, c.Name, c.Comment)
			}
			if e.Kind == dictionary.KindLake && c.FieldID == 0 {
				t.Errorf("%s.%s has no field id", e.Name, c.Name)
			}
			if strings.HasPrefix(c.Type, "TIMESTAMP") && c.Type != "TIMESTAMP WITH TIME ZONE" {
				t.Errorf("%s.%s is a %s", e.Name, c.Name, c.Type)
			}
		}
		for _, key := range e.Keys {
			if _, ok := columns[key]; !ok {
				t.Errorf("%s has no column %s, which is to identify a row", e.Name, key)
			}
		}
		if e.Kind == warehouse.KindMacro {
			var parameters []string
			for _, p := range e.Parameters {
				parameters = append(parameters, p.Name)
				if p.Meaning == "" {
					t.Errorf("%s: nothing says what %s is", e.Name, p.Name)
				}
			}
			if want := e.Name + "(" + strings.Join(parameters, ", ") + ")"; e.Signature != want {
				t.Errorf("%s is described as %s", e.Signature, want)
			}
		}
	}
}

// TestWhatIsInternalIsLeftOut checks that analysts do not get what only the program reads.
func TestWhatIsInternalIsLeftOut(t *testing.T) {
	_, w, d := week(t)
	for _, name := range []string{"latest", "schema_migrations", "internal.latest"} {
		if _, ok := d.Find(name); ok {
			t.Errorf("the dictionary has %s", name)
		}
	}
	registration, ok := d.Find("Registration")
	if !ok || slices.Compare(registration.InternalColumns(), []string{"fingerprint", "untold", "vessel_number"}) != 0 {
		t.Errorf("hidden columns of registration: %v", registration.InternalColumns())
	}
	for _, c := range registration.VisibleColumns() {
		if c.Internal {
			t.Errorf("%s is visible", c.Name)
		}
	}
	if rows := ask(t, w, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'internal' ORDER BY 1"); len(rows) < 2 {
		t.Errorf("the schema internal has %v", rows)
	}
}

// TestEveryExampleRuns runs the examples of all entries; those of the lake name files relative to the
// data directory. Only cases that a quiet week may not have can be without a row.
func TestEveryExampleRuns(t *testing.T) {
	dir, w, d := week(t)
	t.Chdir(dir)
	mayBeEmpty := strings.Fields("gone_dark ownership_changes identity_conflicts zone_congestion arrivals departures episodes zone_daily listed second_mmsi_claims mmsi_claims issues lake.issues lake.sightings lake.engine lake.management")
	for _, e := range entries(d) {
		if rows := ask(t, w, e.Example); len(rows) == 0 && !slices.Contains(mayBeEmpty, e.Name) {
			t.Errorf("%s: its example returns nothing:\n%s", e.Name, e.Example)
		}
	}
}

// source is what the rows of an entry are selected from: a macro is called with the latest night.
func source(e dictionary.Entry) string {
	const night = "(SELECT max(snapshot_date) FROM runs)"
	switch {
	case e.Kind == dictionary.KindLake:
		return "read_parquet('" + e.Files + "', union_by_name = true, hive_partitioning = false)"
	case e.Kind != warehouse.KindMacro:
		return e.Name
	case e.Name == "changes_of":
		return "changes_of((SELECT max(vessel_id) FROM changes))"
	case len(e.Parameters) == 2:
		return e.Name + "((SELECT min(snapshot_date) FROM runs), " + night + ")"
	}
	return e.Name + "(" + night + ")"
}

// TestKeysNullsAndReferencesAreTrue compares what the dictionary says of the rows of a week with them.
func TestKeysNullsAndReferencesAreTrue(t *testing.T) {
	dir, w, d := week(t)
	t.Chdir(dir)
	for _, e := range entries(d) {
		keys := strings.Join(e.Keys, ", ")
		wrong := []string{"CASE WHEN EXISTS (FROM (SELECT count(*) AS n FROM f GROUP BY " + keys + ") WHERE n > 1) THEN 'several rows of " + keys + "' END"}
		for _, c := range e.Columns {
			if !c.Nullable {
				wrong = append(wrong, "CASE WHEN (SELECT count(*) > count("+c.Name+") FROM f) THEN '"+c.Name+" is null' END")
			}
			if len(c.References) > 0 {
				wrong = append(wrong, "CASE WHEN EXISTS (FROM f WHERE "+c.Name+" IS NOT NULL AND NOT ("+found(c)+")) THEN '"+c.Name+" is in none of what it refers to' END")
			}
		}
		// the rows are computed once: some views take longer than all the checks
		if rows := ask(t, w, "WITH f AS MATERIALIZED (FROM "+source(e)+") SELECT concat_ws(', ', "+strings.Join(wrong, ", ")+")"); len(rows) != 1 || rows[0][0] != "" {
			t.Errorf("%s: %v", e.Name, rows)
		}
	}
}

// found is the condition that the value of a column is in one of those that it refers to. An entry is one
// of its run.
func found(c warehouse.Definition) string {
	var conditions []string
	for _, to := range c.References {
		table, column, _ := strings.Cut(to, ".")
		condition := "r." + column + " = f." + c.Name
		if to == "requests.entry" {
			condition += " AND r.run_id = f.run_id"
		}
		conditions = append(conditions, "EXISTS (FROM "+table+" AS r WHERE "+condition+")")
	}
	return strings.Join(conditions, " OR ")
}

// TestThePageNeedsNothingElse checks that the page has all entries with their counts, and loads nothing.
func TestThePageNeedsNothingElse(t *testing.T) {
	_, w, d := week(t)
	if err := d.Count(t.Context(), w, 0); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := d.WriteHTML(&b, "/"); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, e := range entries(d) {
		if strings.Count(page, `id="`+e.Name+`"`) != 1 || !strings.Contains(page, `href="#`+e.Name+`"`) {
			t.Errorf("%s is not on the page once, with a link to it", e.Name)
		}
	}
	if found := regexp.MustCompile(`(?i)<script|style="|<link|src=|@import|url\(|https?://[^<]*"|\son[a-z]+="`).FindString(page); found != "" {
		t.Errorf("the page has %s", found)
	}
	ids := map[string]bool{}
	for _, id := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if ids[id[1]] {
			t.Errorf("the page has the id %s twice", id[1])
		}
		ids[id[1]] = true
	}
	for _, to := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !ids[to[1]] {
			t.Errorf("a link leads to %s, which the page does not have", to[1])
		}
	}
	vessels, _ := d.Find("vessels")
	if want := ask(t, w, "SELECT count(*) FROM vessels")[0][0]; fmt.Sprint(vessels.Counts.Rows) != want {
		t.Errorf("the page counts %d vessels, want %s", vessels.Counts.Rows, want)
	}
	flag, ok := vessels.Counts.Of("flag")
	if want := ask(t, w, "SELECT round(count(*) FILTER (flag IS NULL) / count(*), 6)::VARCHAR FROM vessels")[0][0]; !ok || fmt.Sprint(float64(int(flag.Nulls*1e6+0.5))/1e6) != want && flag.Nulls != 0 {
		t.Errorf("flag is null in %v of the vessels, want %s", flag.Nulls, want)
	}
	if category, _ := vessels.Counts.Of("category"); len(category.Frequent) == 0 || category.Frequent[0].Share < category.Frequent[len(category.Frequent)-1].Share {
		t.Errorf("categories: %+v", category.Frequent)
	}
}

// TestWhatTakesTooLongIsNotCounted watches the time limit from both sides.
func TestWhatTakesTooLongIsNotCounted(t *testing.T) {
	_, w, d := week(t)
	if err := d.Count(t.Context(), w, time.Nanosecond); err != nil {
		t.Fatal(err)
	}
	if e, _ := d.Find("vessels"); e.Counts == nil || e.Counts.Note == "" || e.Counts.Columns != nil {
		t.Errorf("counts: %+v", e.Counts)
	}
	if err := d.Count(t.Context(), w, time.Hour); err != nil {
		t.Fatal(err)
	}
	if e, _ := d.Find("vessels"); e.Counts.Note != "" || e.Counts.Rows == 0 {
		t.Errorf("counts: %+v", e.Counts)
	}
}

// TestTheJSONHasWhatAProgramNeeds reads the JSON as a program would.
func TestTheJSONHasWhatAProgramNeeds(t *testing.T) {
	_, _, d := week(t)
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Groups []struct {
			Entries []struct {
				Name, Kind, Comment, Signature, Example, Files string
				Keys, Operations                               []string
				Lineage                                        struct{ From, Lake []string }
				Columns                                        []struct {
					Name, Type, Unit string
					Nullable         *bool
					References       []string
					FieldID          int `json:"field_id"`
				}
			}
		}
	}
	if err := json.Unmarshal(b, &read); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, g := range read.Groups {
		for _, e := range g.Entries {
			for _, c := range e.Columns {
				if c.Nullable == nil {
					t.Errorf("%s.%s: nothing says whether it can be null", e.Name, c.Name)
				}
				switch e.Name + "." + c.Name {
				case "vessels.deadweight_t":
					seen["unit"] = c.Unit == "tonnes"
				case "positions.run_id":
					seen["reference"] = slices.Equal(c.References, []string{"runs.run_id"})
				case "lake.particulars.ballast_water_m3":
					seen["field id"] = c.FieldID == 51
				}
			}
			switch e.Name {
			case "positions":
				seen["lineage"] = slices.Equal(e.Operations, []string{"info", "location"}) && slices.Equal(e.Lineage.Lake, []string{"positions"})
			case "reflaggings":
				seen["of a view"] = slices.Contains(e.Lineage.From, "registration") && slices.Contains(e.Operations, "by-type")
			case "fleet_on":
				seen["signature"] = e.Signature == "fleet_on(night)" && len(e.Columns) > 20
			case "lake.listings":
				seen["files"] = e.Files == "lake/listings/*/*.parquet" && e.Kind == "lake table"
			}
		}
	}
	for _, what := range []string{"unit", "reference", "field id", "lineage", "of a view", "signature", "files"} {
		if !seen[what] {
			t.Errorf("the JSON lacks: %s", what)
		}
	}
}
