package config

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fleetlake/fleetlake/extract/api"
)

func TestOperationsOfTheConfiguration(t *testing.T) {
	c, err := Load(configFile(t, `
operations:
  port-calls: {per_minute: 12, rows: $.portCalls, columns: {port: $.portName, arrival: {path: $.ata, type: timestamptz}}}
  bulk-location: {per_minute: 6, credits: 4}
  eleventh: {per_minute: 1, credits: 2, method: post, path: /made-up, parameters: {ship: "{vessel}", on: "{day}", kind: "{kind}"}}
budget: {per_run: 100}
jobs:
  nightly:
    lookup: {watch: ["9218301"]}
    ask:
      - {operation: port-calls, of: watch, max_age: 7d, max_requests: 200}
      - {operation: bulk-location, query: gone_dark}
      - {operation: eleventh, query: SELECT vessel_id FROM vessels, from: 2026-11-01, values: {tankers: {kind: tanker}, tugs: {kind: tug}}}
`), true, noEnvironment)
	if err != nil {
		t.Fatal(err)
	}
	want := []api.RawOperation{
		{Operation: api.Operation{Name: "port-calls", Method: "GET", Path: "/port-calls-by-vessel", Credits: 5, PerMinute: 12, Raw: true},
			Parameters: map[string]string{"imo_or_mmsi": "{vessel}"}, Rows: "$.portCalls",
			Columns: []api.RawColumn{{Name: "port", Path: "$.portName", Type: "VARCHAR"}, {Name: "arrival", Path: "$.ata", Type: "TIMESTAMPTZ"}}},
		{Operation: api.Operation{Name: "bulk-location", Method: "GET", Path: "/get-vessels-location-bulk-search", Credits: 4, PerMinute: 6, Raw: true, Ceiling: true},
			Parameters: map[string]string{"imo_or_mmsi": "{vessels}"}},
		{Operation: api.Operation{Name: "eleventh", Method: "POST", Path: "/made-up", Credits: 2, PerMinute: 1, Raw: true, Ceiling: true},
			Parameters: map[string]string{"ship": "{vessel}", "on": "{day}", "kind": "{kind}"}},
	}
	if diff := cmp.Diff(want, c.Operations, cmp.AllowUnexported(api.Operation{})); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
	asks := c.Jobs[0].Job.Asks
	if len(asks) != 3 || !asks[0].Watch || asks[0].MaxAge != 7*24*time.Hour || asks[0].MaxRequests != 200 || asks[0].Operation.Credits != 5 {
		t.Fatalf("asks: %+v", asks)
	}
	if !strings.Contains(asks[1].Query, "gone_dark") || len(asks[2].Values) != 2 || asks[2].Values[1]["kind"] != "tug" || asks[2].From != "2026-11-01" {
		t.Errorf("asks: %+v", asks[1:])
	}
	var names []string
	for _, o := range c.Service().Raw {
		names = append(names, o.Name)
	}
	if diff := cmp.Diff([]string{"port-calls", "bulk-location", "eleventh"}, names); diff != "" {
		t.Errorf("the client's: %s", diff)
	}
}

func TestOperationsThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"one of our own":                {"operations: {info: {per_minute: 3}}", "operations.info: fleetlake makes this request itself, expected another name"},
		"a name that is no table":       {"operations: {Port Calls: {}}", "operations.Port Calls: expected a name of lower-case letters"},
		"the name of the table":         {"operations: {answers: {}}", "operations.answers: expected a name"},
		"no limit":                      {"operations: {port-calls: }", "operations.port-calls: the interface does not say per_minute, expected it here"},
		"nothing that is known":         {"operations: {weather: }", "operations.weather: the interface does not say path, credits (the most that one request may cost), per_minute, expected it here"},
		"a price that nobody says":      {"operations: {bulk-location: {per_minute: 1}}", "the interface does not say credits"},
		"a whole address":               {"operations: {x: {path: 'https://elsewhere.example.org/', credits: 1, per_minute: 1}}", "operations.x.path: \"https://elsewhere.example.org/\", expected a path below api.base_url"},
		"a path that leaves":            {"operations: {x: {path: /../other, credits: 1, per_minute: 1}}", "expected a path below api.base_url"},
		"a column of the view":          {"operations: {port-calls: {per_minute: 1, columns: {body: $.x}}}", "operations.port-calls.columns.body: expected a name"},
		"a column that is no path":      {"operations: {port-calls: {per_minute: 1, columns: {port: portName}}}", "expected a JSON path such as $.portName"},
		"a type that is none":           {"operations: {port-calls: {per_minute: 1, columns: {n: {path: $.n, type: number}}}}", "operations.port-calls.columns.n.type: \"number\", expected one of: VARCHAR"},
		"a question by nothing":         {"jobs: {a: {ask: [{operation: port-calls, of: watch}]}}", `jobs.a.ask[0].operation: "port-calls" is not under operations, expected one of: none is there`},
		"a question of no vessel":       {"operations: {port-calls: {per_minute: 1}}\njobs: {a: {ask: [{operation: port-calls}]}}", "jobs.a.ask[0]: port-calls asks about vessels, expected of: watch, or a query"},
		"an empty watch list":           {"operations: {port-calls: {per_minute: 1}}\njobs: {a: {ask: {operation: port-calls, of: watch}}}", "jobs.a.ask[0].of: watch, expected vessels in lookup.watch"},
		"a query that is a word":        {"operations: {port-calls: {per_minute: 1}}\njobs: {a: {ask: [{operation: port-calls, query: gone_drak}]}}", `jobs.a.ask[0].query: "gone_drak", expected SQL, or the name of a worked query`},
		"values that lack one":          {"operations: {x: {path: /x, credits: 1, per_minute: 1, parameters: {lat: '{lat}', lon: '{lon}'}}}\njobs: {a: {ask: [{operation: x, values: [{lat: 1}]}]}}", "jobs.a.ask[0].values: no value for {lon} of x"},
		"a history without its days":    {"operations: {x: {path: /x, credits: 1, per_minute: 1, parameters: {d: '{day}'}}}\njobs: {a: {ask: [{operation: x}]}}", "jobs.a.ask[0].from: expected the first day exactly if a parameter of x has {day}"},
		"a history that nothing bounds": {"operations: {x: {path: /x, credits: 5, per_minute: 1, parameters: {d: '{day}'}}}\nbudget: {per_run: 0}\njobs: {a: {ask: [{operation: x, from: 2024-11-24}]}}", "a range of days without a bound of what it costs, expected max_requests beside it, or a cap under budget"},
	} {
		_, err := Load(configFile(t, c.text), true, noEnvironment)
		if _, ok := errors.AsType[*Error](err); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", name, err, c.want)
		}
	}
}
