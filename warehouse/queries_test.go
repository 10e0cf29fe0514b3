package warehouse_test

import (
	"database/sql"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
)

// harvested is a warehouse of six nights of a lively fleet: all of it listed, some statuses
// searched for by load condition, and a part of it looked up.
func harvested(t *testing.T) string {
	t.Helper()
	dir, start := t.TempDir(), time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	limits, fast := map[string]int{}, map[string]int{}
	for _, o := range api.Operations {
		limits[o.Name], fast[o.Name] = -1, 1_000_000
	}
	rates := simulator.Rates{Built: 0.01, Scrapped: 0.02, Unlisted: 0.02, Renamed: 0.02, Reflagged: 0.03, Identified: 0.3, Corrected: 0.05, Sold: 0.1, Moved: 0.3}
	sim, err := simulator.New(simulator.Config{Seed: 3, Vessels: 700, Start: start, Key: "k", Limits: limits, Rates: rates})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(sim)
	defer server.Close()
	job := plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "country"},
		Sweep:  plan.Sweep{Statuses: []string{"at-anchor", "moored", "aground"}, Zones: []string{"china-coast", "north-sea", "gulf-of-mexico", "south-east-asia"}, Laden: []string{"ballast", "laden"}},
		Lookup: plan.Lookup{Want: plan.Datasets, MaxAge: 24 * time.Hour, MaxRequests: 300}}
	for day := range 6 {
		sim.SetDay(min(day, 4)) // a country that is empty for the first night proves nothing: the last night shows the same
		offset := time.Since(start.AddDate(0, 0, day).Add(2 * time.Hour))
		p := pipeline.Pipeline{Dir: dir, Now: func() time.Time { return time.Now().Add(-offset) }}
		p.Service = extract.Service{BaseURL: server.URL + simulator.BasePath, Key: "k", Limits: fast, MaxInFlight: 4, Now: p.Now}
		if _, err := p.Run(t.Context(), job, ""); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// answers are the columns of each query, and whether the fleet has such cases.
var answers = map[string]struct {
	columns string
	empty   bool
}{
	"flag_hopping":          {columns: "imo flags in_order name_now since last_change"},
	"congestion":            {columns: "week world_zone vessels_a_night percent_at_anchor"},
	"fleet_by_flag_and_age": {columns: "flag category age_band vessels deadweight_t"},
	"owners_and_managers":   {columns: "registered_owner manager vessels flags gross_tonnage managers_of_owner names"},
	"gone_dark":             {columns: "vessel_id name flag category navigational_status world_zone last_seen_there complete_nights_since"},
	"mmsi_against_flag":     {columns: "vessel_id name mmsi flag flags_of_the_digits seen", empty: true}, // see foreignMMSI
	"cost_by_night":         {columns: "snapshot_date runs requests credits complete not_complete skipped vessels_listed credits_per_1000"},
	"reflagged":             {columns: "vessel_id imo name flag_before flag_now seen_before seen_after"},
	"renamed":               {columns: "vessel_id imo name_before name_now snapshot_date reflagged_too"},
	"owner_changes":         {columns: "vessel_id name category owner_before owner_now manager_now not_before not_after"},
	"new_buildings":         {columns: "vessel_id name flag vessel_type listed_since year_built new_build"},
	"left_the_list":         {columns: "vessel_id name flag category from_date last_date absent_on"},
	"aground":               {columns: "vessel_id name flag category first_date last_date nights nights_unseen still"},
	"laden_and_ballast":     {columns: "snapshot_date world_zone laden in_ballast percent_in_ballast"},
	"fleet_then_and_now":    {columns: "flag first_night last_night difference"},
	"known_then":            {columns: "vessel_id name_then name_now flag_then flag_now owner_then owner_now"},
	"what_changed":          {columns: "dataset field changes doubtful vessels example"},
	"refused_values":        {columns: "dataset field reason issues vessels first_night last_night still example"},
	"several_mmsis":         {columns: "vessel_id mmsis in_order at_the_same_time"},
	"longest_waits":         {columns: "vessel_id name category world_zone first_seen last_seen nights nights_unseen days_at_least"},
	"freshness":             {columns: "category vessels percent_looked_up median_age_days"},
	"fleet_by_night":        {columns: "snapshot_date category listed seen growth"},
}

func TestWorkedQueries(t *testing.T) {
	dir := harvested(t)
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	paths, err := filepath.Glob("queries/*.sql")
	if err != nil || len(paths) != len(answers) {
		t.Fatalf("%d queries, %d are tried: %v", len(paths), len(answers), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".sql")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(text), "-- ") {
				t.Error("it does not say what it answers")
			}
			columns, rows := ask(t, w, string(text))
			want := answers[name]
			if got := strings.Join(columns, " "); got != want.columns {
				t.Errorf("columns %s, want %s", got, want.columns)
			}
			if len(rows) == 0 && !want.empty {
				t.Error("no rows")
			}
			for i, column := range columns {
				if len(rows) > 0 && !slices.ContainsFunc(rows, func(row []any) bool { return row[i] != nil }) {
					t.Errorf("%s is null in all %d rows", column, len(rows))
				}
			}
		})
	}
	t.Run("they agree with each other", func(t *testing.T) { agree(t, w) })
	t.Run("a foreign mmsi is found", func(t *testing.T) { foreignMMSI(t, dir) })
	t.Run("they do not depend on the reader's time zone", func(t *testing.T) { sameInEveryZone(t, dir) })
}

// agree compares what several queries and tables say about the same thing.
func agree(t *testing.T, w *warehouse.Warehouse) {
	for name, text := range map[string]string{
		"fleet_on the last night is the list":          "SELECT (SELECT count(*) FROM fleet_on((SELECT max(snapshot_date) FROM runs))) = (SELECT count(*) FROM vessels WHERE listed)",
		"ages add up to the fleet":                     "SELECT (SELECT sum(vessels) FROM (" + query(t, "fleet_by_flag_and_age") + ")) = (SELECT count(*) FROM vessels WHERE listed AND is_vessel)",
		"a reflagged vessel had two flags":             "SELECT count(*) = 0 FROM (" + query(t, "reflagged") + ") AS r WHERE imo IS NOT NULL AND imo NOT IN (SELECT imo FROM (" + query(t, "flag_hopping") + "))",
		"nobody who departed is listed":                "SELECT count(*) = 0 FROM (" + query(t, "left_the_list") + ") JOIN vessels AS v USING (vessel_id) WHERE v.listed",
		"credits by night are those of the requests":   "SELECT (SELECT sum(credits) FROM (" + query(t, "cost_by_night") + ")) = (SELECT sum(credits) FROM requests)",
		"issues by reason are all issues":              "SELECT (SELECT sum(issues) FROM (" + query(t, "refused_values") + ")) = (SELECT count(*) FROM issues)",
		"the fleet of the last night grew to the list": "SELECT (SELECT sum(listed) FROM (" + query(t, "fleet_by_night") + ") WHERE snapshot_date = (SELECT max(snapshot_date) FROM runs)) = (SELECT count(*) FROM vessels WHERE listed)",
	} {
		if _, rows := ask(t, w, text); rows[0][0] != true {
			t.Errorf("%s: not so", name)
		}
	}
}

// foreignMMSI gives a vessel a flag that the digits of its MMSI do not stand for.
func foreignMMSI(t *testing.T, dir string) {
	b, err := os.ReadFile(warehouse.Path(dir))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "changed.duckdb")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	const which = `(SELECT min(vessel_id) FROM vessels WHERE listed AND flag = 'PA' AND mmsi[:3] IN (SELECT digits FROM maritime_identification_digits WHERE flag = 'PA'))`
	if _, err := db.Exec("UPDATE registration SET flag = 'CH' WHERE valid_to IS NULL AND vessel_id = " + which); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	w, err := warehouse.Open(t.Context(), path, warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	text := "SELECT flag, flags_of_the_digits FROM (" + query(t, "mmsi_against_flag") + ") WHERE flag = 'CH'"
	if _, rows := ask(t, w, text); len(rows) != 1 || rows[0][1] != "PA" {
		t.Errorf("got %v, want one vessel with an MMSI of PA", rows)
	}
}

// query is the text of a worked query, to be used in another one.
func query(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("queries", name+".sql"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(strings.TrimSpace(string(b)), ";")
}

func ask(t *testing.T, w *warehouse.Warehouse, text string) (columns []string, rows [][]any) {
	t.Helper()
	r, err := w.Query(t.Context(), text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	defer r.Close()
	for row, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, slices.Clone(row))
	}
	return r.Columns, rows
}
