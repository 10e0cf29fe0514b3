package pipeline_test

import (
	"database/sql"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
)

// TestVoyagesAgreeWithTheWorld compares positions, voyages and statuses of twenty nights with what was true in the
// simulated world: no time is invented, no voyage lost, and no value of two days is in one row. For the last ten nights
// the service ignores the zones of drifting vessels, and none gets a zone from them, and positions are asked for in bulk.
func TestVoyagesAgreeWithTheWorld(t *testing.T) {
	if testing.Short() {
		t.Skip("publishes twenty nights")
	}
	t.Parallel()
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	limits := map[string]int{api.BulkLocation: -1}
	for _, o := range api.Operations {
		limits[o.Name] = -1
	}
	sim, err := simulator.New(simulator.Config{Seed: 33, Vessels: 60, Start: start, Key: "k", Dirt: 4, Limits: limits, Rates: simulator.Rates{Moved: 0.4, Reflagged: -1, Identified: -1}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(sim)
	defer server.Close()
	for name := range limits {
		limits[name] = 1_000_000
	}
	job := plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "country", Countries: []string{"Panama", "Liberia", "China", "Malta"}},
		Sweep:  plan.Sweep{Statuses: []string{"under-way", "drifting"}, Zones: []string{"china-coast", "north-sea"}, Laden: api.Laden},
		Lookup: plan.Lookup{Want: []string{"position"}, MaxAge: time.Minute}}
	p := pipeline.Pipeline{Dir: t.TempDir(), Service: extract.Service{BaseURL: server.URL + simulator.BasePath, Key: "k", Limits: limits, MaxInFlight: 4}}
	bulk := simulator.Undocumented[slices.IndexFunc(simulator.Undocumented, func(o api.RawOperation) bool { return o.Name == api.BulkLocation })]
	bulk.Credits, bulk.Ceiling, p.Service.Raw = 5, true, []api.Operation{bulk.Operation}
	world := map[string][]simulator.Vessel{} // of each vessel, a day after the other
	counts, last := map[string]int{}, ""
	for day := range 20 {
		sim.SetDay(day)
		if day == 10 { // from here on positions are asked for in bulk, and the service answers with the world for a zone of drifting vessels
			job.Lookup.Bulk = &bulk
			if err := sim.SetFaults(simulator.Faults{{Kind: simulator.IgnoredZone}}); err != nil {
				t.Fatal(err)
			}
		}
		for _, v := range sim.Truth(day) {
			world[v.VesselID] = append(world[v.VesselID], v)
		}
		offset := time.Since(start.AddDate(0, 0, day).Add(2 * time.Hour))
		p.Service.Now = func() time.Time { return time.Now().Add(-offset) }
		p.Now = p.Service.Now
		r, err := p.Run(t.Context(), job, start.AddDate(0, 0, day).Format(time.DateOnly))
		if err != nil {
			t.Fatalf("night %d: %v", day, err)
		}
		compareNight(t, p.Dir, r.Run, world, counts)
		if day == 19 {
			last = r.Run
		}
	}
	w, err := warehouse.Open(t.Context(), warehouse.Path(p.Dir), warehouse.Options{MemoryMiB: 128, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	asked := read(t, w, `SELECT count(*) FILTER (operation = 'bulk-location'), count(*) FILTER (operation = 'location') FROM requests WHERE run_id = $1`, last)
	if bulk, alone := asked[0][0].(int64), asked[0][1].(int64); bulk == 0 || alone > 5 {
		t.Errorf("the last night made %d requests for positions in bulk, and %d for single ones", bulk, alone)
	}
	if twice := read(t, w, `SELECT l.parameters FROM requests AS l JOIN requests AS b USING (run_id)
		WHERE l.operation = 'location' AND b.operation = 'bulk-location' AND contains(b.parameters, split_part(l.parameters, '=', 2)) AND l.run_id <= $1`, last); len(twice) > 0 {
		t.Errorf("asked for in bulk and alone in one night: %v", twice)
	}
	for _, what := range []string{"positions", "without a time", "voyages", "voyages without coordinates", "sightings", "laden", "ignored zones", "positions in bulk"} {
		if counts[what] == 0 {
			t.Errorf("nothing was compared of: %s, in %v", what, counts)
		}
	}
	t.Logf("compared: %v", counts)
}

// compareNight compares what a run added with the last day of the world, and counts what it compared.
func compareNight(t *testing.T, dir, run string, world map[string][]simulator.Vessel, counts map[string]int) {
	t.Helper()
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{MemoryMiB: 128, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	today := func(id string) (simulator.Vessel, bool) {
		days := world[id]
		if len(days) == 0 {
			return simulator.Vessel{}, false
		}
		return days[len(days)-1], true
	}
	for _, r := range read(t, w, `SELECT vessel_id, position_at, seen_at, latitude, speed_kn, eta, operation FROM positions WHERE run_id = $1`, run) {
		v, ok := today(r[0].(string))
		if !ok {
			continue
		}
		counts["positions"]++
		if r[6] == api.BulkLocation {
			counts["positions in bulk"]++
		}
		if at, known := r[1].(time.Time); !known {
			counts["without a time"]++
		} else if !at.Equal(v.Position.At.Truncate(time.Minute)) && !at.Equal(v.Position.UpdatedAt.Truncate(time.Minute)) || at.Equal(r[2].(time.Time)) {
			t.Errorf("%s was observed at %v, and not at %v", v.VesselID, v.Position.At, at)
		}
		if v.Position.Latitude == nil || r[3].(float64) != *v.Position.Latitude {
			t.Errorf("%s is at %v, and not at %v", v.VesselID, v.Position.Latitude, r[3])
		}
		if speed, known := r[4].(float64); known && (v.Position.SpeedKn == nil || speed != *v.Position.SpeedKn) {
			t.Errorf("%s sails %v knots, and not %v", v.VesselID, v.Position.SpeedKn, speed)
		}
		if eta, known := r[5].(time.Time); known && !eta.Equal(v.Position.ETA.Truncate(time.Minute)) {
			t.Errorf("%s arrives at %v, and not at %v", v.VesselID, v.Position.ETA, eta)
		}
	}
	for _, r := range read(t, w, `SELECT v.vessel_id, v.locode, v.eta, v.last_port_locode, v.departed_at, v.last_looked_up >= r.started_at
		FROM voyages AS v JOIN vessels USING (vessel_id), runs AS r WHERE v.valid_to IS NULL AND r.run_id = $1`, run) {
		days := world[r[0].(string)]
		if len(days) == 0 {
			continue
		}
		counts["voyages"]++
		if answered, _ := r[5].(bool); answered && days[len(days)-1].Position.Latitude == nil {
			counts["voyages without coordinates"]++
		}
		if !slices.ContainsFunc(days, func(v simulator.Vessel) bool {
			return agrees(r[1], r[2], v.Position.DestinationUNLOCODE, v.Position.ETA)
		}) {
			t.Errorf("%v: %v and %v are of two voyages", r[0], r[1], r[2])
		}
		if !slices.ContainsFunc(days, func(v simulator.Vessel) bool {
			return agrees(r[3], r[4], v.Position.LastPortUNLOCODE, v.Position.DepartedAt)
		}) {
			t.Errorf("%v: left %v at %v, which are two departures", r[0], r[3], r[4])
		}
	}
	for _, r := range read(t, w, `SELECT p.vessel_id, v.locode FROM requests AS q JOIN vessels AS p ON q.vessel_number IN (p.imo, TRY_CAST(p.mmsi AS INTEGER))
		LEFT JOIN voyages AS v ON v.vessel_id = p.vessel_id AND v.valid_to IS NULL AND v.last_looked_up >= q.sent_at
		WHERE q.run_id = $1 AND q.operation = 'location' AND q.outcome = 'ok' AND v.vessel_id IS NULL`, run) {
		if v, ok := today(r[0].(string)); ok && v.Position.Destination != "" {
			t.Errorf("the voyage of %s to %s is lost", v.VesselID, v.Position.Destination)
		}
	}
	for _, r := range read(t, w, `SELECT v.vessel_id, v.navigational_status, v.world_zone, v.laden FROM voyages AS v JOIN vessels AS o USING (vessel_id), runs AS r
		WHERE v.valid_to IS NULL AND o.sighting_seen_at >= r.started_at AND r.run_id = $1`, run) {
		v, ok := today(r[0].(string))
		if !ok {
			continue
		}
		counts["sightings"]++
		if r[1] != v.Status || r[2] != nil && r[2] != v.Zone || r[3] != nil && r[3] != v.Laden {
			t.Errorf("%s is %s in %s, %s, and not %v", v.VesselID, v.Status, v.Zone, v.Laden, r[1:])
		}
		if r[3] != nil {
			counts["laden"]++
		}
		if v.Status == "drifting" && r[2] == nil {
			counts["ignored zones"]++
		}
	}
}

// agrees reports whether a code and a time are of one voyage; an unknown one is of any.
func agrees(code, at any, truth string, when time.Time) bool {
	instant, known := at.(time.Time)
	return (code == nil || code == truth) && (!known || instant.Equal(when.Truncate(time.Minute)))
}

// read returns the rows of a statement about a run. NULL is nil, and an instant is in UTC.
func read(t *testing.T, w *warehouse.Warehouse, text, run string) [][]any {
	t.Helper()
	rows, err := warehouse.Collect(t.Context(), w, text, func(rows *sql.Rows) ([]any, error) {
		names, err := rows.Columns()
		if err != nil {
			return nil, err
		}
		row, into := make([]any, len(names)), make([]any, len(names))
		for i := range row {
			into[i] = &row[i]
		}
		return row, rows.Scan(into...)
	}, run)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
