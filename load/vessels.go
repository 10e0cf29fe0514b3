package load

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// vessels is the lake table of the fleet as published. A night has one file, of its latest run.
const vessels = "vessels"

// vesselFields are its columns. A field id never changes and is never used again.
var vesselFields = []warehouse.Field{
	{ID: 1, Name: "run_id"}, {ID: 7, Name: "snapshot_date", Night: true}, {ID: 4, Name: "vessel_id"}, {ID: 5, Name: "imo"}, {ID: 6, Name: "mmsi"},
	{ID: 10, Name: "name"}, {ID: 11, Name: "callsign"}, {ID: 12, Name: "flag"}, {ID: 13, Name: "country"},
	{ID: 16, Name: "vessel_type"}, {ID: 17, Name: "category"}, {ID: 18, Name: "is_vessel"},
	{ID: 20, Name: "length_m"}, {ID: 21, Name: "beam_m"}, {ID: 22, Name: "deadweight_t"}, {ID: 23, Name: "gross_tonnage"}, {ID: 24, Name: "net_tonnage"},
	{ID: 25, Name: "teu"}, {ID: 26, Name: "year_built"}, {ID: 30, Name: "manager"}, {ID: 31, Name: "registered_owner"}, {ID: 32, Name: "class_society"},
	{ID: 40, Name: "navigational_status"}, {ID: 41, Name: "navigational_status_at", Instant: true}, {ID: 42, Name: "world_zone"},
	{ID: 43, Name: "latitude"}, {ID: 44, Name: "longitude"}, {ID: 45, Name: "speed_kn"}, {ID: 46, Name: "course_deg"},
	{ID: 47, Name: "destination"}, {ID: 48, Name: "eta", Instant: true}, {ID: 49, Name: "position_at", Instant: true},
	{ID: 60, Name: "listed"}, {ID: 61, Name: "first_seen", Instant: true}, {ID: 62, Name: "last_seen", Instant: true},
	{ID: 70, Name: "registration_seen_at", Instant: true}, {ID: 71, Name: "particulars_seen_at", Instant: true}, {ID: 72, Name: "engine_seen_at", Instant: true},
	{ID: 73, Name: "management_seen_at", Instant: true}, {ID: 74, Name: "position_seen_at", Instant: true}, {ID: 75, Name: "sighting_seen_at", Instant: true},
}

// writeVessels writes the fleet, as the build has it after a night, to the lake under a temporary
// name. The build renames it when its checks have passed.
func (p *publication) writeVessels(ctx context.Context, t *warehouse.Tx, m *Manifest) (err error) {
	f := File{Table: vessels, Path: lakePath(vessels, m.Run.Date, m.Run.ID)}
	path := filepath.Join(lake(p.dir), filepath.FromSlash(f.Path))
	if err := makeDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("write vessels: %w", err)
	}
	if f.Rows, err = t.WriteVessels(ctx, m.Run.Date, vesselFields, path+durable.Part); err != nil {
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

// VesselFields returns the columns of the lake table vessels.
func VesselFields() []warehouse.Field { return slices.Clone(vesselFields) }
