package main

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
)

// wholeJob is the built-in job without its limits on time: everything, by the cheapest cover.
const wholeJob = `
    deadline: 1h
    lookup: {want: [particulars], max_age: 720h}
`

// TestHarvestIsWhole runs the built-in job against a dirty fleet and compares the
// warehouse with the simulated fleet.
func TestHarvestIsWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 1500, Seed: 5})
	w.configure(1_000_000, wholeJob)
	w.must(exitDone, "run", "nightly", "--date", "2026-11-20")

	truth, hulls := map[string]bool{}, map[string]simulator.Vessel{}
	for _, v := range w.sim.Truth(0) {
		for _, l := range v.Stored {
			truth[identity(l)] = true
			hulls[identity(l)] = v
		}
	}
	rows := w.rows("SELECT vessel_id, name, imo, flag, vessel_type FROM vessels WHERE listed")
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r["vessel_id"]] {
			t.Errorf("%s is in the warehouse twice", r["vessel_id"])
		}
		seen[r["vessel_id"]] = true
		if !truth[r["vessel_id"]] {
			t.Errorf("%s was never listed", r["vessel_id"])
		}
		if strings.Contains(r["name"], "_") || r["imo"] == "0" {
			t.Errorf("%s: name %q, imo %q", r["vessel_id"], r["name"], r["imo"])
		}
	}
	if len(seen) != len(truth) {
		t.Errorf("%d vessels, want %d", len(seen), len(truth))
	}
	for what, sql := range map[string]string{
		"one spelling per flag":                       "SELECT flag FROM vessels GROUP BY flag HAVING count(DISTINCT country) > 1",
		"one spelling per type":                       "SELECT lower(vessel_type) FROM vessels GROUP BY ALL HAVING count(DISTINCT vessel_type) > 1",
		"partitions not complete":                     "SELECT kind, value, state, reason FROM coverage WHERE state NOT IN ('complete', 'skipped')",
		"listed but not looked up":                    "SELECT vessel_id FROM vessels WHERE listed AND particulars_seen_at IS NULL AND vessel_id NOT IN (SELECT 'IMO' || split_part(parameters, '=', 2) FROM requests WHERE outcome = 'not_found') AND vessel_id NOT IN (SELECT vessel_id FROM issues WHERE dataset = 'particulars' AND reason = 'no values')",
		"known to have no particulars, and not asked": "SELECT vessel_id FROM issues AS i WHERE reason = 'no values' AND NOT EXISTS (FROM requests AS r WHERE r.run_id = i.run_id AND r.entry = i.entry AND r.operation = 'particulars')",
		"asked for twice":                             "SELECT operation, parameters FROM requests WHERE operation <> 'credits' GROUP BY ALL HAVING count(*) > 1",
		"requests that were limited":                  "SELECT parameters FROM requests WHERE http_status = 429",
	} {
		if bad := w.rows(sql); len(bad) > 0 {
			t.Errorf("%s: %d, such as %v", what, len(bad), bad[0])
		}
	}
	if zones := w.number("SELECT count(DISTINCT split_part(value, '/', 2)) FROM coverage WHERE kind = 'status' AND state = 'complete' AND contains(value, '/')"); zones != 41 {
		t.Errorf("%d zones swept, want 41", zones)
	}
	if got, want := w.number("SELECT sum(credits) FROM requests"), w.sim.Bill().Spent; got != want {
		t.Errorf("`requests` says %d credits, the service billed %d", got, want)
	}
}

// identity is the id that a stored listing gives evidence of.
func identity(l simulator.Listing) string {
	if l.IMO != nil && validIMO(*l.IMO) {
		return "IMO" + *l.IMO
	}
	if l.MMSI != nil {
		return "MMSI" + *l.MMSI
	}
	return ""
}

// validIMO checks the digit on its own, apart from the code under test.
func validIMO(s string) bool {
	if len(s) != 7 || s == "0000000" || s == "1234567" || s == "9876543" {
		return false
	}
	sum := 0
	for i := range 6 {
		sum += int(s[i]-'0') * (7 - i)
	}
	return sum%10 == int(s[6]-'0')
}

// rows is the answer of a query, by column name.
func (w *world) rows(sql string) []map[string]string {
	w.t.Helper()
	records, err := csv.NewReader(strings.NewReader(w.csv(sql))).ReadAll()
	if err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	var rows []map[string]string
	for _, r := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = r[i]
		}
		rows = append(rows, row)
	}
	return rows
}
