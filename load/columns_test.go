package load

import (
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/google/go-cmp/cmp"
)

// TestLakeWarehouseAndDictionaryHaveTheSameColumns compares the places in which a new column is
// declared: the lake table, the warehouse table of the dataset, its comment, and
// the file of vessels.
func TestLakeWarehouseAndDictionaryHaveTheSameColumns(t *testing.T) {
	w := opened(t, oneNightAtOnce(t))
	tables, err := w.Dictionary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dictionary, comments := map[string]map[string]string{}, map[[2]string]string{} // types by column, and what it means
	for _, table := range tables {
		dictionary[table.Name] = map[string]string{}
		for _, c := range table.Columns {
			dictionary[table.Name][c.Name] = c.Type
			comments[[2]string{table.Name, c.Name}] = c.Comment
			if c.Comment == "" {
				t.Errorf("%s.%s has no comment", table.Name, c.Name)
			}
		}
	}

	for _, c := range transform.Comments() {
		if got := comments[[2]string{c.Dataset, c.Column}]; got != c.Text {
			t.Errorf("the dictionary says of %s.%s %q, want %q", c.Dataset, c.Column, got, c.Text)
		}
	}

	const (
		ofLake         = "run_id entry seen_at vessel_id snapshot_date raw extra"
		ofVersions     = "vessel_id snapshot_date valid_from valid_to first_seen last_seen run_id entry raw extra fingerprint closed_date untold vessel_number"
		ofRegistration = "imo mmsi name callsign flag country register country_iso ship_type vessel_type category is_vessel"
	)
	for _, c := range []struct {
		lake           transform.Table
		warehouse      string
		notIn, notFrom string // columns of the lake table that belong elsewhere; of the warehouse that it makes
	}{
		{transform.Listings, "registration", ofLake, ofVersions + " source known_since doubtful"},
		{transform.Particulars, "particulars", ofLake + " " + ofRegistration + " asked", ofVersions},
		{transform.Engine, "engine", ofLake + " imo mmsi", ofVersions},
		{transform.Management, "management", ofLake + " imo mmsi", ofVersions},
		{transform.Positions, "positions", "entry snapshot_date imo mmsi updated_at", "entry vessel_number"},
	} {
		want, got := map[string]string{}, map[string]string{}
		for _, column := range columnsOf(c.lake) {
			if !slices.Contains(strings.Fields(c.notIn), column.Name) {
				want[column.Name] = column.Type
			}
			if slices.Contains(strings.Fields("raw extra"), column.Name) && want[column.Name] != "" {
				want[column.Name] = "JSON" // Parquet files have it as text, which every engine reads
			}
		}
		for name, typ := range dictionary[c.warehouse] {
			if !slices.Contains(strings.Fields(c.notFrom), name) {
				got[name] = typ
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the lake's %s and the warehouse's %s: %s", c.lake.Name, c.warehouse, diff)
		}
	}

	vessels := map[string]bool{"snapshot_date": true} // which only the file has
	for name := range dictionary["vessels"] {
		vessels[name] = true
	}
	ids := map[string]bool{}
	for name := range vesselIDs {
		ids[name] = true
	}
	if diff := cmp.Diff(vessels, ids); diff != "" {
		t.Errorf("the columns of vessels and those that have a field id: %s", diff)
	}
}

// TestEveryColumnOfAPositionIsStored publishes a position with a value in each column of the lake, and expects one in each
// column of the warehouse's table: a column that a statement forgets would stay null, whatever was paid for.
func TestEveryColumnOfAPositionIsStored(t *testing.T) {
	full := row{}
	for _, f := range transform.Positions.Schema.Fields() {
		switch f.Type.ID() {
		case arrow.STRING:
			full[f.Name] = "{}" // also JSON
		case arrow.FLOAT64:
			full[f.Name] = 1.5
		case arrow.TIMESTAMP:
			full[f.Name] = "20 01:00"
		}
	}
	for _, filledIn := range []string{"run_id", "vessel_id"} {
		delete(full, filledIn)
	}
	full["imo"], full["mmsi"] = 9811000, "353136000"
	dir := t.TempDir()
	publish(t, dir, night("20", positions(full)))
	w := opened(t, dir)
	tables, err := w.Dictionary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(tables, func(table warehouse.Table) bool { return table.Name == "positions" })
	for _, c := range tables[i].Columns {
		if got := ask(t.Context(), t, w, "SELECT count("+c.Name+") FROM positions"); got != "1" {
			t.Errorf("%s positions have a value of %s, want 1", got, c.Name)
		}
	}
}
