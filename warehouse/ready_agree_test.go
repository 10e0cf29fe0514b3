package warehouse_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/google/go-cmp/cmp"
)

// ready are the views that answer what analysts ask first, and those that they are made of.
var ready = strings.Fields("reflaggings renamings ownership_changes gone_dark zone_congestion arrivals departures data_freshness identity_review status_searches vessel_episodes confirmed_changes")

// readyViewsAgree compares the ready views of a harvested warehouse with its tables, and with the sightings
// of its lake one by one.
func readyViewsAgree(t *testing.T, dir string) {
	all := fmt.Sprintf("read_parquet('%s')", filepath.Join(dir, "lake", "sightings", "*", "*.parquet"))
	// sightings are those of the vessels that were always sighted with their IMO number, and alone: no other needs another id
	sightings := "(SELECT DISTINCT s.vessel_id, s.snapshot_date, s.world_zone FROM " + all + " AS s ANTI JOIN (SELECT c.vessel_id FROM mmsi_claims AS c JOIN " + all + ` AS m ON m.mmsi = c.mmsi AND m.imo IS NULL) AS k USING (vessel_id)
		ANTI JOIN (FROM identity_conflicts WHERE field = 'imo') AS o USING (vessel_id)
		WHERE s.world_zone IS NOT NULL AND s.imo IS NOT NULL)`
	// moves: an arrival shows between two sightings in a zone, or before the first, if there is a night on which the vessel was only seen elsewhere
	moves := "(SELECT vessel_id, world_zone, snapshot_date FROM (SELECT *, lag(snapshot_date) OVER (PARTITION BY vessel_id, world_zone ORDER BY snapshot_date) AS last FROM " + sightings + ` AS s) AS s
		WHERE EXISTS (FROM ` + sightings + " AS e WHERE e.vessel_id = s.vessel_id AND e.world_zone <> s.world_zone AND e.snapshot_date < s.snapshot_date AND (s.last IS NULL OR e.snapshot_date > s.last)))"
	texts := map[string]string{
		"no arrival that no sighting shows": "SELECT count(*) = 0 FROM arrivals ANTI JOIN " + moves + " AS m USING (vessel_id, world_zone, snapshot_date) SEMI JOIN " + sightings + " AS s USING (vessel_id) WHERE proof = 'seen in another zone'",
		"no arrival is missing":             "SELECT count(*) = 0 FROM " + moves + " AS m SEMI JOIN vessels AS v ON v.vessel_id = m.vessel_id AND v.is_vessel ANTI JOIN arrivals AS a USING (vessel_id, world_zone, snapshot_date)",
		"nobody who is dark was seen since": "SELECT count(*) = 0 FROM gone_dark AS g JOIN " + sightings + " AS s ON s.vessel_id = g.vessel_id AND s.snapshot_date > g.last_date",
		"who waits is who was counted":      "SELECT sum(n) = sum(vessels) FROM (SELECT snapshot_date, world_zone, sum(waiting) AS n, bool_and(waiting IS NOT NULL) AS covered FROM zone_congestion GROUP BY ALL) JOIN (SELECT snapshot_date, world_zone, sum(vessels) AS vessels FROM zone_daily WHERE is_vessel AND navigational_status = 'at-anchor' GROUP BY ALL) USING (snapshot_date, world_zone) WHERE covered",
		"ages add up to the fleet":          "SELECT bool_and(n = (SELECT count(*) FROM vessels WHERE listed AND is_vessel)) FROM (SELECT sum(vessels) AS n FROM data_freshness GROUP BY dataset)",
		"no reflagging that is no change":   "SELECT count(*) = 0 FROM reflaggings ANTI JOIN (SELECT vessel_id, old_value AS flag_before, seen_after FROM changes WHERE dataset = 'registration' AND field = 'flag') AS c USING (vessel_id, flag_before, seen_after)",
		"an arrival elsewhere is a departure": `SELECT count(*) = 0 FROM arrivals AS a ANTI JOIN departures AS d ON d.vessel_id = a.vessel_id AND d.world_zone = a.from_zone AND d.not_before <= a.snapshot_date
			ANTI JOIN vessel_episodes AS e ON e.vessel_id = a.vessel_id AND e.world_zone = a.from_zone AND e.last_date >= a.snapshot_date WHERE a.from_zone IS NOT NULL`,
	}
	for _, view := range []string{"reflaggings", "renamings", "ownership_changes", "gone_dark", "arrivals", "departures"} {
		texts["each vessel of "+view] = "SELECT count(*) > 0 AND bool_and(v.vessel_id IS NOT NULL) FROM " + view + " LEFT JOIN vessels AS v USING (vessel_id)"
	}
	path := filepath.Join(t.TempDir(), "fleet.duckdb") // the process has the published file open with other settings
	if err := os.Link(warehouse.Path(dir), path); err != nil {
		t.Fatal(err)
	}
	for name, rows := range answersIn(t, path, "UTC", texts) {
		if len(rows) != 1 || rows[0] != "true" {
			t.Errorf("%s: %v", name, rows)
		}
	}
	whole := map[string]string{}
	for _, view := range ready {
		whole[view] = "SELECT * FROM " + view + " ORDER BY ALL"
	}
	want := answersIn(t, path, "UTC", whole)
	for _, zone := range zones[1:] {
		if diff := cmp.Diff(want, answersIn(t, path, zone, whole)); diff != "" {
			t.Errorf("in %s (-UTC +there):\n%s", zone, diff)
		}
	}
}
