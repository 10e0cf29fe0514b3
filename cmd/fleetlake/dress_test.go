package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
)

// dressedJob looks up every vessel in full, every night.
const dressedJob = `
    deadline: 1h
    list: {by: country, max_age: 0s}
    sweep: {statuses: []}
    lookup: {want: [management], max_age: 1s}
`

// TestCompaniesInAnotherDressAreNotSold plays nights on which half of the companies are written in another
// case, with underscores, double spaces, padding or another legal form, or as a placeholder. Every change of
// ownership_changes is a sale of the simulated fleet, and every sale is there.
func TestCompaniesInAnotherDressAreNotSold(t *testing.T) {
	if os.Getenv("FLEETLAKE_LONG") == "" {
		t.Skip("nine nights; load and the simulation have the rules: with FLEETLAKE_LONG=1")
	}
	t.Parallel()
	const nights = 9
	w := newWorld(t, simulator.Config{Vessels: 60, Seed: 11, Dirt: -1, Rates: simulator.Rates{Sold: .02, Scrapped: -1, Unlisted: -1, Identified: -1}, Anomalies: simulator.Anomalies{Dress: .5}})
	w.configure(1_000_000, dressedJob)
	sold, before, sales := map[string]bool{}, map[int]simulator.Vessel{}, 0
	for day := range nights {
		w.sim.SetDay(day)
		w.must(exitDone, "run", "nightly", "--date", fmt.Sprintf("2026-11-%d", 20+day))
		for _, v := range w.sim.Truth(day) {
			old, known := before[v.Hull]
			if known && old.Management.RegisteredOwner != v.Management.RegisteredOwner {
				sales++
				sold[v.VesselID+": "+bare(old.Management.RegisteredOwner)+" to "+bare(v.Management.RegisteredOwner)] = true
			}
			before[v.Hull] = v
		}
	}
	if len(sold) < 5 || len(sold) != sales {
		t.Fatalf("%d sales, %d of them different", sales, len(sold))
	}
	found := 0
	for _, r := range w.rows("SELECT vessel_id, company_before, company_after FROM ownership_changes WHERE role = 'registered_owner'") {
		if sale := r["vessel_id"] + ": " + bare(r["company_before"]) + " to " + bare(r["company_after"]); !sold[sale] {
			t.Errorf("no sale: %s", sale)
		} else {
			found++
		}
	}
	if found != len(sold) {
		t.Errorf("%d of %d sales are found", found, len(sold))
	}
	for what, sql := range map[string]string{
		"changes that are only another dress":       "FROM changes WHERE old_value IS NOT NULL AND NOT flapping AND NOT respelled AND field IN ('ism', 'class_society', 'p_and_i', 'builder', 'engine_builder', 'place_of_build', 'manager_address') AND (dataset, vessel_id, seen_after) NOT IN (SELECT ('management', vessel_id, seen_after) FROM ownership_changes)",
		"companies that are placeholders":           "FROM changes WHERE upper(new_value) IN ('NULL', 'N/A', '0', 'UNKNOWN', 'NONE', '?', '--', 'N.A.')",
		"news of a new owner that is the old one":   "FROM ownership_changes WHERE internal.company_key(company_before) = internal.company_key(company_after)",
		"a company in another case than its others": "FROM management WHERE registered_owner <> upper(registered_owner) OR contains(registered_owner, '_') OR contains(registered_owner, '@') OR contains(registered_owner, '  ')",
	} {
		if bad := w.rows("SELECT * " + sql); len(bad) > 0 {
			t.Errorf("%s: %d, such as %v", what, len(bad), bad[0])
		}
	}
	if n := w.number("SELECT count(*) FROM changes WHERE respelled AND field = 'registered_owner'"); n < 20 {
		t.Errorf("%d changes of the legal form are kept and marked, want more", n)
	}
	if n := w.number("SELECT count(*) FROM management WHERE json_extract_string(raw, '$.registeredOwner') IS NOT NULL"); n < 20 {
		t.Errorf("%d versions have the text of the answer, want more", n)
	}
}

// bare returns a company without its legal form and punctuation, apart from the code under test.
func bare(company string) string {
	var words []string
	for _, w := range strings.Fields(strings.NewReplacer(".", "", ",", " ", "/", "").Replace(strings.ToUpper(company))) {
		if !strings.Contains(" CO COMPANY LTD LIMITED PTE INC SA SPA AS BV GMBH LLC ", " "+w+" ") {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}
