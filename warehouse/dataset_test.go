package warehouse

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDatasetsHaveTheColumnsOfTheirTables checks that a column which a migration adds to a table is
// part of its versions, as are the others, in the order of the table.
func TestDatasetsHaveTheColumnsOfTheirTables(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	before, err := readDatasets(t.Context(), opened(t, dir).db)
	must(t, err)
	must(t, update(t, dir, 21, "ALTER TABLE engine ADD COLUMN strokes INTEGER"))
	got, err := readDatasets(t.Context(), opened(t, dir).db)
	must(t, err)
	if diff := cmp.Diff(append(before[2].Columns, DatasetColumn{Name: "strokes"}), got[2].Columns); diff != "" {
		t.Errorf("engine: %s", diff)
	}
	if diff := cmp.Diff(columns("fuel_type propeller engine_type engine_builder engine_power_kw"), before[2].Columns[:5]); diff != "" {
		t.Errorf("engine: %s", diff)
	}
	want := columns("imo mmsi name callsign flag country ship_type vessel_type category is_vessel register")
	want[4].Leader, want[8].Leader, want[9].Leader, want[10].Leader = "country", "vessel_type", "vessel_type", "country"
	if diff := cmp.Diff(want, got[0].Columns); diff != "" {
		t.Errorf("registration: %s", diff)
	}
	want = columns("destination locode eta last_port last_port_locode departed_at draught_m max_draught_m navigational_status world_zone laden for_order")
	want[1].Of, want[2].Of, want[4].Of, want[5].Of, want[9].Of = "destination", "destination", "last_port", "last_port", "navigational_status"
	if diff := cmp.Diff(want, got[4].Columns); diff != "" {
		t.Errorf("voyages: %s", diff)
	}
	if len(got[1].Columns) < 18 || len(got[3].Columns) < 15 || len(datasets[2].Columns) != 0 {
		t.Errorf("particulars has %d columns, management %d", len(got[1].Columns), len(got[3].Columns))
	}
	for _, d := range got {
		for _, c := range d.Columns {
			if slices.Contains(d.Kept, c) || slices.Contains(strings.Fields("vessel_id valid_from valid_to run_id entry raw extra fingerprint untold"), c.Name) {
				t.Errorf("%s.%s makes versions", d.Name, c.Name)
			}
		}
	}
}
