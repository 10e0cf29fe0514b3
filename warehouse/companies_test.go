package warehouse_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/warehouse"
)

// TestCompanies writes owners and managers into the copy of a warehouse, and expects a row for each company.
func TestCompanies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fleet.duckdb")
	b, err := os.ReadFile(warehouse.Path(pipelinetest.TwoNights(t)))
	if err = errors.Join(err, os.WriteFile(path, b, 0o600)); err != nil {
		t.Fatal(err)
	}
	db := sessionWith(t, "ATTACH '"+path+"' AS fleet", "USE fleet",
		"CREATE TEMP TABLE picked AS SELECT vessel_id, row_number() OVER (ORDER BY vessel_id) AS n FROM vessels WHERE listed AND is_vessel ORDER BY vessel_id LIMIT 6",
		"DELETE FROM management",
		`INSERT INTO management BY NAME
		 SELECT vessel_id, n AS vessel_number, DATE '2026-11-20' AS snapshot_date, TIMESTAMPTZ '2026-11-01 00:00:00+00' + INTERVAL (n) DAY AS first_seen, first_seen AS valid_from, first_seen AS last_seen, 'r' AS run_id, 1 AS entry, 0 AS fingerprint,
		        CASE n WHEN 1 THEN 'Nord Bulk A/S' WHEN 2 THEN 'NORD BULK AS' WHEN 3 THEN 'NORD BULK AS' WHEN 4 THEN 'Other Lines' END AS registered_owner,
		        CASE n WHEN 1 THEN 'NORD BULK AS' WHEN 4 THEN 'nord bulk' WHEN 5 THEN 'Other Lines' END AS manager, CASE n WHEN 6 THEN 'SAFE SHIPS LTD.' END AS ism
		 FROM picked`,
		// who had the first vessel before, and has nothing now
		"INSERT INTO management BY NAME SELECT vessel_id, 1 AS vessel_number, DATE '2026-10-20' AS snapshot_date, TIMESTAMPTZ '2026-10-01 00:00:00+00' AS first_seen, first_seen AS valid_from, first_seen + INTERVAL 1 DAY AS valid_to, first_seen AS last_seen, 'r' AS run_id, 1 AS entry, 0 AS fingerprint, 'GONE LINES' AS registered_owner FROM picked WHERE n = 1",
		"DROP TABLE picked")
	rows, err := db.QueryContext(t.Context(), "SELECT concat_ws('|', company_id, name, spellings, roles, vessels, owned, managed, ism_managed, (since AT TIME ZONE 'UTC')::DATE) FROM companies ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	want := []string{
		"GONELINES|GONE LINES|||0|0|0|0|2026-10-01",
		"NORDBULK|NORD BULK AS|Nord Bulk A/S; nord bulk|registered_owner, manager|4|3|2|0|2026-11-02",
		"OTHERLINES|Other Lines||registered_owner, manager|2|1|1|0|2026-11-05",
		"SAFESHIPS|SAFE SHIPS LTD.||ism|1|0|0|1|2026-11-07",
	}
	for i := 0; rows.Next(); i++ {
		var got string
		if err := rows.Scan(&got); err != nil {
			t.Fatal(err)
		}
		if i >= len(want) || got != want[i] {
			t.Errorf("row %d: %s, want %v", i, got, want)
		}
	}
	for text, want := range map[string]int64{
		"SELECT sum(c.deadweight_t) IS NOT DISTINCT FROM (SELECT sum(deadweight_t) FROM vessels WHERE vessel_id IN (SELECT vessel_id FROM management WHERE valid_to IS NULL AND registered_owner IN ('Nord Bulk A/S', 'NORD BULK AS') OR manager = 'nord bulk')) FROM companies AS c WHERE company_id = 'NORDBULK'": 1,
		"SELECT count(*) FROM company_fleet((SELECT max(snapshot_date) FROM runs)) WHERE company_id = 'NORDBULK'":                                                  5,
		"SELECT count(*) FROM company_fleet_of_night WHERE company_id = 'NORDBULK' AND role = 'manager' AND snapshot_date = (SELECT max(snapshot_date) FROM runs)": 2,
		"SELECT count(*) FROM vessels AS v JOIN company_names AS n ON n.name = v.registered_owner WHERE n.company_id = 'NORDBULK'":                                 3,
		"SELECT count(*) FROM (SELECT company_id FROM company_fleet_of_night EXCEPT SELECT company_id FROM companies)":                                             0,
	} {
		if got, err := number(t, db, "SELECT ("+text+")::BIGINT"); err != nil || got != want {
			t.Errorf("%s: %d, want %d (%v)", text, got, want, err)
		}
	}
}
