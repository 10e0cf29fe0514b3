package warehouse_test

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
)

// demoDays are days of the demo on which the test harvests: before, during and after its congestion.
var demoDays = []int{0, 2, 4, 7, 10, 14}

// demoNight is the date of a day of the demo.
func demoNight(day int) time.Time { return time.Date(2026, 11, 20+day, 0, 0, 0, 0, time.UTC) }

// harvestDemo harvests nights of the fleet of the demo, a smaller one, with the job of the demo.
func harvestDemo(t *testing.T) (dir string, sim *simulator.Simulator) {
	t.Helper()
	const vessels = 2400
	dir = t.TempDir()
	fleet, fast := simulator.Demo(vessels, demoNight(0)), map[string]int{}
	fleet.Limits = map[string]int{}
	for _, o := range api.Operations {
		fleet.Limits[o.Name], fast[o.Name] = -1, 1_000_000
	}
	sim, err := simulator.New(fleet)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(sim)
	defer server.Close()
	job := config.DefaultJob("nightly").Job
	job.Lookup = plan.Lookup{Want: plan.Datasets, MaxAge: 30 * 24 * time.Hour, MaxRequests: vessels / 4}
	for _, day := range demoDays {
		sim.SetDay(day)
		offset := time.Since(demoNight(day).Add(2 * time.Hour))
		p := pipeline.Pipeline{Dir: dir, Now: func() time.Time { return time.Now().Add(-offset) }}
		p.Service = extract.Service{BaseURL: server.URL + simulator.BasePath, Key: fleet.Key, Limits: fast, MaxInFlight: 4, Now: p.Now}
		if _, err := p.Run(t.Context(), job, ""); err != nil {
			t.Fatal(err)
		}
	}
	return dir, sim
}

// answers are the columns of each worked query.
var answers = map[string]string{
	"aground":               "vessel_id name flag category first_date last_date nights nights_unseen still",
	"company_fleets":        "name spellings roles vessels owned managed deadweight_t with_deadweight gross_tonnage since",
	"congestion":            "night world_zone waiting usual times_usual usual_from_nights",
	"cost_by_night":         "night verdict runs requests credits of_unknown_outcome vessels_listed credits_per_1000",
	"cost_by_table":         "lake_table credits rows credits_per_1000",
	"counts_with_coverage":  "night verdict listed seen percent_seen partitions_complete partitions_planned growth reason",
	"deadweight_by_flag":    "night flag vessels deadweight_million_t percent_known",
	"flag_hopping":          "vessel_id name category flags in_order last_change",
	"fleet_as_of":           "flag listed_then listed_now difference",
	"fleet_by_flag_and_age": "flag category age_band vessels deadweight_t with_deadweight",
	"freshness":             "dataset vessels percent_to_a_day percent_to_a_week percent_to_a_month percent_never as_of",
	"gone_dark":             "world_zone vessel_id name flag category last_status last_sighted complete_nights_since proof",
	"identity_conflicts":    "vessel_id name flag vessel_type world_zone other_zone meetings since last_date",
	"imo_validity":          "category vessels valid refused never_reported percent_valid refused_example",
	"known_then":            "vessel_id name_then name_now flag_then flag_now owner_then owner_now",
	"left_the_list":         "vessel_id name flag category listed_from last_date missing_since absent_on proof",
	"longest_waits":         "vessel_id name category world_zone first_seen last_seen nights nights_unseen days_at_least",
	"new_buildings":         "vessel_id name flag vessel_type first_seen_on year_built deadweight_t registered_owner",
	"owner_changes":         "vessel_id name category flag owner_before owner_after manager_too not_before not_after",
	"owners_and_managers":   "registered_owner manager vessels flags gross_tonnage managers_of_owner owners_of_manager",
	"refused_values":        "dataset field reason issues vessels first_night last_night still example",
	"shared_mmsis":          "mmsi vessel_id name flag vessel_type mmsi_in_use detail since last_date",
	"tankers_reflagged":     "night vessel_id name flag_before flag_after registry was_open_registry year_built deadweight_t seen_again",
	"vessel_life":           "observed_at event what before after",
	"waiting_tankers":       "vessel_id name flag deadweight_t laden laden_at world_zone navigational_status navigational_status_at latitude longitude position_at destination draught_m",
	"what_changed":          "dataset field changes doubtful vessels example",
}

// unswept are the columns that only a job which sweeps by load fills; that of the demo does not.
var unswept = map[string]bool{"laden": true, "laden_at": true}

func TestWorkedQueries(t *testing.T) {
	dir, sim := harvestDemo(t)
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if n := len(warehouse.Queries()); n != len(answers) {
		t.Errorf("%d queries, %d are tried", n, len(answers))
	}
	for _, q := range warehouse.Queries() {
		t.Run(q.Name, func(t *testing.T) {
			checkForm(t, q)
			columns, rows := ask(t, w, q.Text)
			if got := strings.Join(columns, " "); got != answers[q.Name] {
				t.Errorf("columns %s, want %s", got, answers[q.Name])
			}
			if len(rows) == 0 {
				t.Error("no rows")
			}
			for i, column := range columns {
				if len(rows) > 0 && !unswept[column] && !slices.ContainsFunc(rows, func(row []any) bool { return row[i] != nil }) {
					t.Errorf("%s is null in all %d rows", column, len(rows))
				}
			}
		})
	}
	t.Run("they agree with each other", func(t *testing.T) { agree(t, w) })
	t.Run("the ready views agree with the tables", func(t *testing.T) { readyViewsAgree(t, dir) })
	t.Run("all tables are the same in every time zone", func(t *testing.T) { sameInEveryZone(t, dir) })
	t.Run("the vessels to look up are those of the view", func(t *testing.T) { targetsAgree(t, w) })
	t.Run("they agree with the fleet", func(t *testing.T) { agreeWithFleet(t, w, sim) })
	t.Run("parameters change the answer", func(t *testing.T) { tryParameters(t, w) })
}

// checkForm: a title on a line of its own, at most ten lines of SQL, and one statement.
func checkForm(t *testing.T, q warehouse.WorkedQuery) {
	first, rest, _ := strings.Cut(q.Text, "\n")
	if first != "-- "+q.Title+"." {
		t.Errorf("the first line is %q, want the title and a full stop: %q", first, q.Title)
	}
	var code []string
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "--") {
			code = append(code, line)
		}
	}
	if text := strings.Join(code, ""); len(code) > 10 || strings.Count(text, ";") != 1 || !strings.HasSuffix(text, ";\n") {
		t.Errorf("%d lines of SQL, want one statement of at most ten", len(code))
	}
}

// agree compares what several queries and tables say about the same thing.
func agree(t *testing.T, w *warehouse.Warehouse) {
	const first, last, listed = "(SELECT min(snapshot_date) FROM runs)", "(SELECT max(snapshot_date) FROM runs)", "(SELECT count(*) FROM vessels WHERE listed AND is_vessel)"
	const onNights = "SELECT n.night, f.flag, f.category, f.is_vessel, count(*) FROM (SELECT DISTINCT snapshot_date AS night FROM runs) AS n, fleet_on(n.night) AS f GROUP BY ALL"
	for name, text := range map[string]string{
		"fleet_on the last night is the list":                 "SELECT (SELECT count(*) FROM fleet_on((SELECT max(snapshot_date) FROM runs))) = (SELECT count(*) FROM vessels WHERE listed)",
		"ages add up to the fleet":                            "SELECT sum(vessels) = " + listed + " FROM {fleet_by_flag_and_age}",
		"known deadweights add up to that of the fleet":       "SELECT sum(deadweight_t) = (SELECT sum(deadweight_t) FROM vessels WHERE listed AND is_vessel) FROM {fleet_by_flag_and_age}",
		"the count of the last night is the fleet":            "SELECT listed = " + listed + " FROM {counts_with_coverage} WHERE night = " + last,
		"a night has seen no more than was listed":            "SELECT bool_and(seen <= listed AND partitions_complete <= partitions_planned) FROM {counts_with_coverage}",
		"the fleet of now is the fleet":                       "SELECT sum(listed_now) = " + listed + " FROM {fleet_as_of}",
		"the fleet of then is that of the first night":        "SELECT sum(listed_then) = (SELECT listed FROM {counts_with_coverage} ORDER BY night LIMIT 1) FROM {fleet_as_of}",
		"deadweight of the last night is that of the fleet":   "SELECT bool_and(d.vessels = v.vessels AND d.deadweight_million_t = v.deadweight) FROM {deadweight_by_flag} AS d JOIN (SELECT flag, count(*) AS vessels, round(sum(deadweight_t) / 1e6, 3) AS deadweight FROM vessels WHERE listed AND is_vessel GROUP BY flag) AS v USING (flag) WHERE night = " + last,
		"each dataset has an age for the whole fleet":         "SELECT bool_and(vessels = " + listed + ") FROM {freshness}",
		"valid, refused and never reported are the fleet":     "SELECT sum(valid + refused + never_reported) = " + listed + " AND sum(refused) > 0 FROM {imo_validity}",
		"credits by night are those of the requests":          "SELECT sum(credits) = (SELECT sum(credits) FROM requests) FROM {cost_by_night}",
		"credits by table are those of the requests":          "SELECT sum(credits) = (SELECT sum(credits) FROM requests WHERE operation <> 'credits') FROM {cost_by_table}",
		"issues by reason are all issues":                     "SELECT sum(issues) = (SELECT count(*) FROM issues) FROM {refused_values}",
		"a reflagged tanker had two flags":                    "SELECT count(*) = 0 FROM {tankers_reflagged} WHERE vessel_id LIKE 'IMO%' AND vessel_id NOT IN (SELECT vessel_id FROM {flag_hopping})",
		"a reflagged tanker has a flag of convenience":        "SELECT bool_and(flag_after IN (SELECT flag FROM flags WHERE open_registry)) FROM {tankers_reflagged}",
		"nobody who left the list is listed":                  "SELECT count(*) = 0 FROM {left_the_list} JOIN vessels AS v USING (vessel_id) WHERE v.listed",
		"nobody who is dark was sighted last night":           "SELECT bool_and(v.listed AND (v.sighting_seen_at AT TIME ZONE 'UTC')::DATE < " + last + ") FROM {gone_dark} JOIN vessels AS v USING (vessel_id)",
		"a shared mmsi has several vessels":                   "SELECT min(n) > 1 FROM (SELECT count(DISTINCT vessel_id) AS n FROM {shared_mmsis} GROUP BY mmsi)",
		"each shared mmsi was claimed by its vessels":         "SELECT count(*) = 0 FROM {shared_mmsis} ANTI JOIN mmsi_claims USING (vessel_id, mmsi)",
		"no new building was listed on the first night":       "SELECT count(*) = 0 FROM {new_buildings} SEMI JOIN (SELECT vessel_id FROM listed WHERE from_date = (SELECT min(from_date) FROM listed)) USING (vessel_id)",
		"an owner changed between the two lookups":            "SELECT bool_and(not_before <= not_after AND owner_before <> owner_after) FROM {owner_changes}",
		"a vessel with a new owner that was known then is so": "SELECT count(*) > 0 FROM {known_then} SEMI JOIN {owner_changes} USING (vessel_id)",
		"the vessel with most changes has as many":            "SELECT count(*) FILTER (event LIKE 'change%') >= (SELECT max(n) FROM (SELECT count(*) AS n FROM confirmed_changes GROUP BY vessel_id)) FROM {vessel_life}",
		"changes of owners of the week are among the changes": "SELECT (SELECT changes FROM {what_changed} WHERE field = 'registered_owner') BETWEEN 1 AND count(*) FROM {owner_changes}",
		"a congested zone waits twice as long as is usual":    "SELECT max(times_usual) >= 2 AND any_value(world_zone) = 'south-east-asia' FROM {congestion}",
		"and not before or after":                             "SELECT max(times_usual) < 2 FROM {congestion} WHERE night NOT BETWEEN DATE '2026-11-26' AND DATE '2026-12-02'",
		"owned vessels of companies are those with an owner":  "SELECT sum(owned) = (SELECT count(registered_owner) FROM vessels WHERE listed AND is_vessel) FROM {company_fleets}",
		"a company has more ships in all than in any role":    "SELECT bool_and(vessels BETWEEN greatest(owned, managed) AND owned + managed) FROM {company_fleets}",
		"the last night of companies are their ships":         "SELECT count(*) = 0 FROM (SELECT company_id, vessels FROM companies WHERE vessels > 0 EXCEPT SELECT company_id, count(DISTINCT vessel_id)::INTEGER FROM company_fleet(" + last + ") WHERE is_vessel GROUP BY company_id)",
		"fleet_on any night is what was counted after it":     "SELECT count(*) = 0 AND (SELECT count(DISTINCT snapshot_date) FROM fleet_daily) > 4 FROM (" + onNights + " EXCEPT SELECT snapshot_date, flag, category, is_vessel, listed FROM fleet_daily)",
		"and the other way around":                            "SELECT count(*) = 0 FROM (SELECT snapshot_date, flag, category, is_vessel, listed FROM fleet_daily EXCEPT " + onNights + ")",
		"fleet_on the last night is vessels":                  "SELECT count(*) = 0 FROM (FROM vessels WHERE listed EXCEPT FROM fleet_on(" + last + "))",
		"fleet_of the last night has the values of vessels":   "SELECT count(*) = 0 FROM (SELECT vessel_id, flag, name, deadweight_t, manager, is_vessel FROM vessels WHERE listed EXCEPT SELECT vessel_id, flag, name, deadweight_t, manager, is_vessel FROM fleet_of(" + last + "))",
		"no vessel is on a night's fleet twice":               "SELECT count(*) = 0 FROM (SELECT n.night, f.vessel_id FROM (SELECT DISTINCT snapshot_date AS night FROM runs) AS n, fleet_of(n.night) AS f GROUP BY ALL HAVING count(*) > 1)",
		"what was known of a deadweight then is known now":    "SELECT count(*) = 0 FROM (SELECT DISTINCT snapshot_date AS night FROM runs) AS n, (SELECT a.deadweight_t AS known_then, b.deadweight_t AS known_now FROM fleet_on(n.night) AS a JOIN fleet_of(n.night) AS b USING (vessel_id)) AS f WHERE f.known_then IS NOT NULL AND f.known_now IS NULL",
		"of the first night, twice as much is known now":      "SELECT (SELECT count(deadweight_t) FROM fleet_on(" + first + ")) < (SELECT count(deadweight_t) FROM fleet_of(" + first + ")) / 2",
	} {
		if _, rows := ask(t, w, withQueries(t, text)); len(rows) != 1 || rows[0][0] != true {
			t.Errorf("%s: not so, %v", name, rows)
		}
	}
}

// targetsAgree compares what is read to plan lookups, of the tables, with what the view vessels says.
func targetsAgree(t *testing.T, w *warehouse.Warehouse) {
	got, err := w.Targets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, rows := ask(t, w, `SELECT vessel_id, coalesce(imo, 0), coalesce(mmsi, ''), is_vessel, category, listed, particulars_seen_at, engine_seen_at, management_seen_at, position_seen_at, first_seen,
		coalesce(name, ''), coalesce(flag, ''), coalesce(vessel_type, ''), coalesce(navigational_status, ''), coalesce(world_zone, '')
		FROM vessels WHERE imo IS NOT NULL OR mmsi IS NOT NULL ORDER BY vessel_id`)
	if len(got) != len(rows) || len(rows) == 0 {
		t.Fatalf("%d vessels to look up, the view has %d", len(got), len(rows))
	}
	_, newest := ask(t, w, "SELECT max(started_at) FROM runs")
	at := func(planned time.Time, v any) time.Time {
		when, seen := v.(time.Time)
		if !seen && planned.After(newest[0][0].(time.Time)) {
			return planned // answers without a value put off the next lookup, and are no observation
		}
		return when
	}
	for i, row := range rows {
		want := got[i]
		want.VesselID, want.IMO, want.MMSI, want.IsVessel, want.Category, want.Listed = row[0].(string), int(row[1].(int32)), row[2].(string), row[3].(bool), row[4].(string), row[5].(bool)
		want.ParticularsAt, want.EngineAt, want.ManagementAt, want.PositionAt, want.FirstSeen = at(want.ParticularsAt, row[6]), at(want.EngineAt, row[7]), at(want.ManagementAt, row[8]), at(want.PositionAt, row[9]), at(want.FirstSeen, row[10])
		want.Name, want.Flag, want.VesselType, want.Status, want.Zone = row[11].(string), row[12].(string), row[13].(string), row[14].(string), row[15].(string)
		if got[i] != want {
			t.Errorf("got  %+v\nwant %+v", got[i], want)
		}
	}
}

// agreeWithFleet compares answers with what is true of the fleet.
func agreeWithFleet(t *testing.T, w *warehouse.Warehouse, sim *simulator.Simulator) {
	shared, dark := map[string]map[int]bool{}, map[string]bool{}
	for _, day := range demoDays {
		for _, v := range sim.Truth(day) {
			for _, id := range []string{v.VesselID, v.MMSI} {
				if shared[id] == nil {
					shared[id] = map[int]bool{}
				}
				shared[id][v.Hull] = true
			}
			dark[v.VesselID] = v.Status == ""
		}
	}
	for query, holds := range map[string]func(id, mmsi string) bool{
		"SELECT DISTINCT vessel_id, v.mmsi FROM {identity_conflicts} JOIN vessels AS v USING (vessel_id)": func(id, mmsi string) bool { return len(shared[id]) > 1 || len(shared[mmsi]) > 1 },
		"SELECT DISTINCT vessel_id, mmsi FROM {shared_mmsis}":                                             func(_, mmsi string) bool { return len(shared[mmsi]) > 1 },
		"SELECT vessel_id, '' FROM {gone_dark}":                                                           func(id, _ string) bool { return dark[id] },
	} {
		_, rows := ask(t, w, withQueries(t, query))
		for _, row := range rows {
			if id, mmsi := row[0].(string), row[1].(string); !holds(id, mmsi) {
				t.Errorf("%s: not so of %s", query, id)
			}
		}
	}
}

// withQueries puts worked queries in the place of their names in braces.
func withQueries(t *testing.T, text string) string {
	t.Helper()
	for _, q := range warehouse.Queries() {
		text = strings.ReplaceAll(text, "{"+q.Name+"}", "(\n"+body(q)+"\n)")
	}
	return text
}

// body is the text of a worked query, to be used in another one.
func body(q warehouse.WorkedQuery) string { return strings.TrimSuffix(strings.TrimSpace(q.Text), ";") }

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
