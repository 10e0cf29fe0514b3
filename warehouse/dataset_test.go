package warehouse

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDatasetsHaveTheColumnsOfTheirTables checks that a column which a migration adds to a table is
// part of its versions, as are the others, in the order of the table.
func TestDatasetsHaveTheColumnsOfTheirTables(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20, "ALTER TABLE engine ADD COLUMN cylinders INTEGER"))
	got, err := readDatasets(t.Context(), opened(t, dir).db)
	must(t, err)
	if diff := cmp.Diff(append(columns("fuel_type propeller engine_type engine_builder engine_power_kw"), DatasetColumn{Name: "cylinders"}), got[2].Columns); diff != "" {
		t.Errorf("engine: %s", diff)
	}
	want := []DatasetColumn{{"imo", ""}, {"mmsi", ""}, {"name", ""}, {"callsign", ""}, {"flag", "country"}, {"country", ""},
		{"ship_type", ""}, {"vessel_type", ""}, {"category", "vessel_type"}, {"is_vessel", "vessel_type"}}
	if diff := cmp.Diff(want, got[0].Columns); diff != "" {
		t.Errorf("registration: %s", diff)
	}
	if len(got[1].Columns) != 18 || len(got[3].Columns) != 15 || len(datasets[2].Columns) != 0 {
		t.Errorf("particulars has %d columns, management %d", len(got[1].Columns), len(got[3].Columns))
	}
}
