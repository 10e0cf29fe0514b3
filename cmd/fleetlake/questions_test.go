package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
)

// questions is a configuration in which everything that the interface names is asked, and one operation that it does
// not name. The list comes first: the questions are about its vessels.
const questions = `api: {limits: {by-status: 1000000, by-type: 1000000, particulars: 1000000, credits: 1000000}, patience: 2s, settle_after: 1ns}
budget: {per_run: %d}
operations:
  port-calls: {per_minute: 1000000, rows: $.portCalls, columns: {port: $.portName, arrival: {path: $.ata, type: TIMESTAMPTZ}, calls: {path: $.portName, type: INTEGER}}}
  bulk-location: {per_minute: 1000000, credits: 3}
  history: {per_minute: 1000000, path: /simulated/history, parameters: {imo_or_mmsi: "{vessel}", date: "{day}"}}
  area: {per_minute: 1000000, path: /simulated/area, parameters: {lat: "{lat}", lon: "{lon}", radius: "5"}}
  inspections: {per_minute: 1000000, path: /simulated/inspections, parameters: {imo_or_mmsi: "{vessel}"}}
  weather: {per_minute: 1000000, path: /simulated/weather, credits: 1, parameters: {imo_or_mmsi: "{vessel}"}}
  engine-data: {per_minute: 1000000, path: /simulated/engine-data, credits: 2, parameters: {imo_or_mmsi: "{vessel}"}}
  management-data: {per_minute: 1000000, path: /simulated/management-data, credits: 2, parameters: {imo_or_mmsi: "{vessel}"}}
  port-calls-by-port: {per_minute: 1000000, path: /simulated/port-calls-by-port, credits: 5, parameters: {unlocode: "{port}"}}
  eleventh: {per_minute: 1000000, path: /simulated/weather, credits: 1, parameters: {imo_or_mmsi: "{vessel}"}}
jobs:
  nightly: {list: {by: country, countries: [Panama, Liberia]}, sweep: {statuses: []}, lookup: {want: []}}
  questions:
    list: {by: none}
    sweep: {statuses: []}
    lookup: {want: []}
    ask:
      - {operation: port-calls, query: "FROM vessels WHERE imo IS NOT NULL ORDER BY vessel_id LIMIT 5", max_requests: 4, max_age: 7d}
      - {operation: bulk-location, query: "SELECT vessel_id FROM vessels", max_age: 20h}
      - {operation: history, query: "SELECT min(imo) FROM vessels", from: 2026-11-17, to: 2026-11-19}
      - {operation: area, values: {fujairah: {lat: 25.2, lon: 56.4}}, max_age: 1d}
      - {operation: inspections, query: "SELECT min(imo) FROM vessels"}
      - {operation: weather, query: "SELECT min(imo) FROM vessels", max_age: 1d}
      - {operation: engine-data, query: "SELECT min(imo) FROM vessels"}
      - {operation: management-data, query: "SELECT min(imo) FROM vessels"}
      - {operation: port-calls-by-port, values: [{port: NOBGO}]}
      - {operation: eleventh, query: "SELECT min(imo) FROM vessels"}
`

// questionWorld has a night with a list, and the credits of all its questions.
func questionWorld(t *testing.T) (w *world, price int) {
	t.Helper()
	limits := unlimitedLanes(-1)
	for _, o := range simulator.Undocumented {
		limits[o.Name] = -1
	}
	w = newWorld(t, simulator.Config{Vessels: 300, Limits: limits})
	w.write("fleetlake.yaml", fmt.Sprintf(questions, 500))
	w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
	return w, 4*5 + 3 + 3*5 + 10 + 3 + 1 + 2 + 2 + 5 + 1
}

// TestEveryOperationThatTheInterfaceNames is asked, kept whole, priced at its ceiling, joined, explained and rebuilt.
func TestEveryOperationThatTheInterfaceNames(t *testing.T) {
	t.Parallel()
	w, price := questionWorld(t)
	plan := w.must(exitDone, "plan", "questions", "--date", "2026-11-20").stdout
	if !strings.Contains(plan, fmt.Sprintf("│ IN ALL             │ 15       │           │       0 │ 48    │ %d       │ 68   │", price)) { // one try in ten more
		t.Errorf("the price is not %d:\n%s", price, plan)
	}
	w.must(exitDone, "run", "questions", "--date", "2026-11-20")
	for sql, want := range map[string]string{
		"SELECT count(*) FROM raw_answers":                  "15",
		"SELECT count(DISTINCT operation) FROM raw_answers": "10",
		"SELECT count(*) FROM raw_port_calls":               "12", // three calls of four vessels
		"SELECT count(*) FROM raw_port_calls JOIN vessels USING (vessel_id) JOIN listed USING (vessel_id) WHERE port IS NOT NULL AND arrival < seen_at AND calls IS NULL": "12",
		"SELECT count(*) FROM raw_history WHERE vessel_id IS NOT NULL AND (body ->> '$.date') = (asked ->> '$.date')":                                                     "3",
		"SELECT count(*) FROM raw_area WHERE vessel_id IS NULL AND (asked ->> '$.lat') = '25.2'":                                                                          "1",
		"SELECT count(*) FROM raw_eleventh": "1",
		"SELECT count(DISTINCT (run_id, entry)) FROM positions SEMI JOIN raw_bulk_location USING (run_id, entry) WHERE operation = 'bulk-location'": "1",
		"SELECT sum(credits) FROM requests JOIN raw_answers USING (run_id, entry)":                                                                  fmt.Sprint(price),
		"SELECT count(*) FROM raw_answers WHERE (body ->> '$.made_up') <> 'true'":                                                                   "0",
	} {
		if got := strings.TrimSpace(strings.TrimPrefix(w.csv(sql), strings.Split(w.csv(sql), "\n")[0])); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	imo := strings.TrimSpace(strings.TrimPrefix(w.csv("SELECT min(imo) AS n FROM vessels"), "n"))
	explained := w.must(exitDone, "explain", imo).stdout
	for _, want := range []string{"port-calls (kept whole): 1 time for 5 credits", "history (kept whole): 3 times for 15 credits", "inspections (kept whole): 1 time for 3 credits", "eleventh (kept whole): 1 time for 1 credits"} {
		if !strings.Contains(explained, want) {
			t.Errorf("explain does not say %q:\n%s", want, explained)
		}
	}
	// the configuration is not needed any more: the journal has all that makes rows and views
	w.write("fleetlake.yaml", "budget: {per_run: 500}\n")
	if o := w.must(exitDone, "rebuild"); !strings.Contains(o.stdout, "tables are identical to the published ones") {
		t.Errorf("rebuild: %s", o.stdout)
	}
	if n := w.number("SELECT count(port) FROM raw_port_calls"); n != 12 {
		t.Errorf("%d port calls after a rebuild", n)
	}
	w.must(exitDone, "verify")
}

// TestQuestionsAreNotBoughtTwice by a repeated night, by the next one within max_age, or by one that resumes.
func TestQuestionsAreNotBoughtTwice(t *testing.T) {
	t.Parallel()
	w, price := questionWorld(t)
	before := w.sim.Bill().Balance
	w.write("fleetlake.yaml", fmt.Sprintf(questions, 22)) // four port calls, and no credit for anything else but small questions
	w.must(exitDone, "run", "questions", "--date", "2026-11-20")
	spent := before - w.sim.Bill().Balance
	if spent > 22 || spent < 20 {
		t.Errorf("%d credits of a cap of 22", spent)
	}
	w.write("fleetlake.yaml", fmt.Sprintf(questions, 500))
	w.must(exitDone, "run", "questions", "--date", "2026-11-20", "--again")
	price += 5                                                              // the fifth vessel's port calls, which are left to the next night
	if all := before - w.sim.Bill().Balance; all > price || all < price-2 { // bulk-location costs 1 of its ceiling of 3
		t.Errorf("%d credits for questions of %d", all, price)
	}
	asked := map[string]int{}
	for _, r := range w.sim.Log() {
		if strings.HasPrefix(r.Operation, "port-calls") || r.Operation == "history" || r.Operation == "eleventh" {
			asked[r.Operation+" "+r.Parameters]++
		}
	}
	for question, n := range asked {
		if n != 1 {
			t.Errorf("%s is bought %d times", question, n)
		}
	}
	if len(asked) == 0 {
		t.Error("nothing was asked")
	}
}

// TestAnOperationThatFailsStopsNoOther: one that the key may not use, and one that answers with a page of HTML.
func TestAnOperationThatFailsStopsNoOther(t *testing.T) {
	t.Parallel()
	w, _ := questionWorld(t)
	if err := w.sim.SetFaults(simulator.Faults{{Kind: simulator.Blocked, Operation: "port-calls"}, {Kind: simulator.HTMLPage, Operation: "inspections"}}); err != nil {
		t.Fatal(err)
	}
	o := w.fleetlake("run", "questions", "--date", "2026-11-20")
	if !strings.Contains(o.stdout, "4 of 5 questions of port-calls were not answered: the operation is blocked for this key") || !strings.Contains(o.stdout, "1 of 1 questions of inspections were not answered") {
		t.Errorf("the report: %s", o.stdout)
	}
	if n := w.number("SELECT count(DISTINCT operation) FROM raw_answers"); n != 8 {
		t.Errorf("answers of %d operations, want 8 of 10:\n%s", n, o.stdout)
	}
	if n := w.number("SELECT count(*) FROM requests WHERE operation = 'inspections' AND outcome = 'unreadable'"); n == 0 {
		t.Error("the page of HTML is not in the ledger")
	}
}

// TestProbe prices a request before it is sent, and suggests columns of the answer.
func TestProbe(t *testing.T) {
	t.Parallel()
	w, _ := questionWorld(t)
	imo := strings.TrimSpace(strings.TrimPrefix(w.csv("SELECT min(imo) AS n FROM vessels"), "n"))
	before := w.sim.Bill().Balance
	if o := w.must(exitDone, "probe", "port-calls", "--param", "imo_or_mmsi="+imo); !strings.Contains(o.stdout, "at most 5 credits") || !strings.Contains(o.stdout, "not sent") || w.sim.Bill().Balance != before {
		t.Errorf("unasked: %s", o.stdout)
	}
	o := w.must(exitDone, "probe", "port-calls", "--param", "imo_or_mmsi="+imo, "--yes")
	for _, want := range []string{"answer    ok, HTTP status 200, 5 credits (priced)", "rows: $.portCalls", "ata: {path: $.ata, type: TIMESTAMPTZ}", "port_name: $.portName", "kept      in raw_answers and the view raw_port_calls"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in %s", want, o.stdout)
		}
	}
	if n := w.number("SELECT count(*) FROM raw_port_calls"); n != 3 || before-w.sim.Bill().Balance != 5 {
		t.Errorf("%d rows for %d credits", n, before-w.sim.Bill().Balance)
	}
	for name, args := range map[string][]string{"no value": {"port-calls"}, "a mistyped name": {"port-call"}, "one of our own": {"info"}, "no parameter": {"port-calls", "--param", "x"}} {
		if o := w.fleetlake(append([]string{"probe"}, args...)...); o.code != exitUsage {
			t.Errorf("%s: exit code %d: %s", name, o.code, o.stderr)
		}
	}
	if o := w.must(exitDone, "probe"); !strings.Contains(o.stdout, "port state control inspections and certificates") || !strings.Contains(o.stdout, "eleventh") {
		t.Errorf("the list: %s", o.stdout)
	}
}
