package load

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// vessels is the lake table of the fleet as published. A night has one file, of its latest run.
const vessels = "vessels"

// vesselIDs are the field ids of its columns: those of the view vessels, and snapshot_date. A field id
// never changes and is never used again.
var vesselIDs = map[string]int{
	"run_id": 1, "snapshot_date": 7, "vessel_id": 4, "imo": 5, "mmsi": 6,
	"name": 10, "callsign": 11, "flag": 12, "country": 13, "register": 19, "vessel_type": 16, "category": 17, "is_vessel": 18,
	"length_m": 20, "beam_m": 21, "deadweight_t": 22, "gross_tonnage": 23, "net_tonnage": 24, "teu": 25, "year_built": 26,
	"manager": 30, "registered_owner": 31, "class_society": 32,
	"navigational_status": 40, "navigational_status_at": 41, "world_zone": 42, "latitude": 43, "longitude": 44,
	"speed_kn": 45, "course_deg": 46, "destination": 47, "eta": 48, "position_at": 49,
	"draught_m": 50, "laden": 51, "laden_at": 52, "for_order": 53, "for_order_at": 54, "locode": 55,
	"listed": 60, "first_seen": 61, "last_seen": 62, "registration_seen_at": 70, "particulars_seen_at": 71,
	"engine_seen_at": 72, "management_seen_at": 73, "position_seen_at": 74, "sighting_seen_at": 75, "voyage_seen_at": 76,
}

// writeVessels writes the fleet, as the build has it after a night, to the lake under a temporary
// name, for the latest run of the night. The build renames it when its checks have passed.
func (p *publication) writeVessels(ctx context.Context, t *warehouse.Tx, night []*Manifest) (err error) {
	m := night[len(night)-1]
	f := File{Table: vessels, Path: lakePath(vessels, m.Run.Date, m.Run.ID)}
	path := filepath.Join(lake(p.dir), filepath.FromSlash(f.Path))
	if err := makeDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("write vessels: %w", err)
	}
	if f.Rows, err = t.WriteVessels(ctx, m.Run.Date, vesselIDs, notes(m.Run.ID, vessels), path+durable.Part); err != nil {
		return fmt.Errorf("write vessels: %w", err)
	}
	if err := restrictMode(path + durable.Part); err != nil { // DuckDB makes files readable for everyone
		return fmt.Errorf("write vessels: %w", err)
	}
	if f.Bytes, f.SHA256, err = digest(path + durable.Part); err != nil {
		return fmt.Errorf("write vessels: %w", err)
	}
	if !slices.Contains(p.fleetFiles, path) {
		p.fleetFiles = append(p.fleetFiles, path)
	}
	m.dropFile(vessels)
	m.Files = append(m.Files, f)
	return nil
}

// VesselColumns returns the columns of the lake table vessels, in the order of its files, and their
// field ids.
func VesselColumns() (names []string, ids map[string]int) {
	ids = maps.Clone(vesselIDs)
	position := func(name string) int {
		if name == "snapshot_date" {
			return 0 // the night comes first
		}
		return ids[name]
	}
	return slices.SortedFunc(maps.Keys(ids), func(a, b string) int { return position(a) - position(b) }), ids
}
