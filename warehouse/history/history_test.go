package history

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/google/go-cmp/cmp"
	_ "github.com/marcboeker/go-duckdb/v2"
)

// The two nights of a ship that was known by its MMSI, reported its IMO number and was
// reflagged; and of another ship, which has the first one's old MMSI since then.
const (
	night20 = "20261120T020000.000Z-0000"
	night21 = "20261121T020000.000Z-0000"
)

var firstNight = []string{
	`INSERT INTO runs (run_id, job, snapshot_date, started_at) VALUES ('20261120T020000.000Z-0000', 'nightly', '2026-11-20', '2026-11-20 02:00:00')`,
	`INSERT INTO registration (vessel_id, imo, mmsi, name, flag, country, valid_from, valid_to, first_seen, last_seen, run_id, entry) VALUES
		('MMSI353136000', NULL, '353136000', 'GIVEN', 'PA', 'Panama', '2026-11-20 02:00:00', '2026-11-20 02:10:00', '2026-11-20 02:00:00', '2026-11-20 02:00:00', '20261120T020000.000Z-0000', 7),
		('IMO9811000', 9811000, '353136000', 'EVER GIVEN', 'PA', 'Panama', '2026-11-20 02:10:00', '2026-11-21 02:00:00', '2026-11-20 02:10:00', '2026-11-20 02:10:00', '20261120T020000.000Z-0000', 9)`,
	"INSERT INTO vessel_aliases (alias_id, vessel_id, since, reason, run_id) VALUES ('MMSI353136000', 'IMO9811000', '2026-11-20 02:10:00', 'mmsi shown with an imo number', '20261120T020000.000Z-0000')",
	`INSERT INTO particulars (vessel_id, length_m, operation, valid_from, first_seen, last_seen, run_id, entry) VALUES
		('IMO9811000', 399.9, 'info', '2026-11-20 02:10:00', '2026-11-20 02:10:00', '2026-11-20 02:10:00', '20261120T020000.000Z-0000', 9)`,
	`INSERT INTO positions (vessel_id, position_at, seen_at, latitude, longitude, speed_kn, operation, run_id, entry) VALUES
		('IMO9811000', '2026-11-20 01:00:00', '2026-11-20 02:10:00', 30.0, 32.5, 0, 'info', '20261120T020000.000Z-0000', 9)`,
	`INSERT INTO requests (run_id, entry, operation, parameters, sent_at, received_at, credits, charge, outcome) VALUES
		('20261120T020000.000Z-0000', 7, 'by-type', 'country=Panama&page=1', '2026-11-20 02:00:00', '2026-11-20 02:00:00', 10, 'priced', 'ok'),
		('20261120T020000.000Z-0000', 9, 'info', 'imo_or_mmsi=9811000', '2026-11-20 02:09:00', '2026-11-20 02:10:00', 5, 'priced', 'ok'),
		('20261120T020000.000Z-0000', 11, 'info', 'imo_or_mmsi=9811012', '2026-11-20 02:11:00', '2026-11-20 02:11:00', 5, 'priced', 'ok')`,
	`INSERT INTO issues (run_id, entry, snapshot_date, vessel_id, dataset, field, raw_value, reason) VALUES
		('20261120T020000.000Z-0000', 7, '2026-11-20', 'MMSI373000001', 'registration', 'imo', '9811001', 'bad check digit'),
		('20261120T020000.000Z-0000', 9, '2026-11-20', 'IMO9811000', 'particulars', 'teu', 'many', 'not a number')`,
}

var secondNight = []string{
	`INSERT INTO runs (run_id, job, snapshot_date, started_at) VALUES ('20261121T020000.000Z-0000', 'nightly', '2026-11-21', '2026-11-21 02:00:00')`,
	`INSERT INTO registration (vessel_id, imo, mmsi, name, flag, country, valid_from, first_seen, last_seen, run_id, entry) VALUES
		('IMO9811000', 9811000, '373000001', 'EVER GIVEN', NULL, NULL, '2026-11-21 02:00:00', '2026-11-21 02:00:00', '2026-11-21 02:00:00', '20261121T020000.000Z-0000', 3),
		('IMO9074729', 9074729, '353136000', 'CHEMICAL ENERGY', 'PA', 'Panama', '2026-11-21 02:00:00', '2026-11-21 02:00:00', '2026-11-21 02:00:00', '20261121T020000.000Z-0000', 3),
		('MMSI002320001', NULL, '002320001', NULL, NULL, NULL, '2026-11-21 02:00:00', '2026-11-21 02:00:00', '2026-11-21 02:00:00', '20261121T020000.000Z-0000', 3)`,
	"INSERT INTO listed (vessel_id, from_date, to_date, last_date, missing_since, absent_on, proof) VALUES ('IMO9811000', '2026-11-18', '2026-11-18', '2026-11-18', '2026-11-19', '2026-11-19', 'not found by lookup'), ('IMO9811000', '2026-11-20', NULL, '2026-11-21', NULL, NULL, NULL)",
	`INSERT INTO episodes (vessel_id, navigational_status, world_zone, first_seen, last_seen, nights, run_id, entry) VALUES
		('IMO9811000', 'moored', 'red-sea', '2026-11-20 02:01:00', '2026-11-20 02:01:00', 1, '20261120T020000.000Z-0000', 8),
		('IMO9811000', 'aground', NULL, '2026-11-21 02:01:00', '2026-11-21 02:01:00', 1, '20261121T020000.000Z-0000', 4)`,
	"INSERT INTO internal.latest (vessel_id, position_seen_at, sighting_seen_at) VALUES ('IMO9811000', '2026-11-20 02:10:00', '2026-11-21 02:01:00')",
	`INSERT INTO requests (run_id, entry, operation, parameters, sent_at, received_at, credits, charge, outcome) VALUES
		('20261121T020000.000Z-0000', 3, 'by-type', 'country=Curacao&page=1', '2026-11-21 02:00:00', '2026-11-21 02:00:00', 10, 'priced', 'ok'),
		('20261121T020000.000Z-0000', 4, 'by-status', 'navigational_status=aground', '2026-11-21 02:01:00', '2026-11-21 02:01:00', 10, 'priced', 'ok'),
		('20261121T020000.000Z-0000', 6, 'info', 'imo_or_mmsi=373000001', '2026-11-21 02:02:00', '2026-11-21 02:02:00', 0, 'assumed', 'not_found')`,
	`INSERT INTO issues (run_id, entry, snapshot_date, vessel_id, dataset, field, raw_value, reason) VALUES
		('20261121T020000.000Z-0000', 3, '2026-11-21', 'MMSI373000001', 'registration', 'imo', '9811002', 'bad check digit'),
		('20261121T020000.000Z-0000', 4, '2026-11-21', 'IMO9811000', 'sighting', 'flag', 'ZZ', 'unknown country')`,
	"INSERT INTO issues (run_id, entry, snapshot_date, vessel_id, dataset, field, raw_value, reason) VALUES ('20261120T020000.000Z-0000', 8, '2026-11-20', 'IMO9811000', 'sighting', 'name', '@', 'filler')",
	"INSERT INTO identity_conflicts (vessel_id, dataset, field, raw_value, reason, snapshot_date, last_date) VALUES ('IMO9811000', 'registration', 'mmsi', '353136000', 'several imo numbers show this mmsi', '2026-11-20', '2026-11-21')",
}

// published is a file with the two nights, which the first test makes.
var published []byte

// known opens a file with the two nights.
func known(t *testing.T) *warehouse.Warehouse {
	t.Helper()
	if published == nil {
		published = publish(t)
	}
	path := filepath.Join(t.TempDir(), "fleet.duckdb")
	if err := os.WriteFile(path, published, 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := warehouse.Open(t.Context(), path, warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// publish makes a file with the two nights.
func publish(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	path := warehouse.Path(dir)
	if err := warehouse.Update(t.Context(), warehouse.Build{Dir: dir, RunID: night21}); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil { // what is published is read-only
		t.Fatal(err)
	}
	db, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range slices.Concat(firstNight, secondNight, numbers()) {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// of returns the history of a vessel.
func of(t *testing.T, number string) Vessel {
	t.Helper()
	v, err := Of(t.Context(), known(t), number)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// numbers fills the column by which a vessel is found, as a load does.
func numbers() (updates []string) {
	for _, table := range []string{"registration", "particulars", "engine", "management", "episodes", "positions", "issues"} {
		updates = append(updates, "UPDATE "+table+" SET vessel_number = internal.number_of(vessel_id)")
	}
	return append(updates, "UPDATE requests SET vessel_number = TRY_CAST(split_part(parameters, 'imo_or_mmsi=', 2) AS INTEGER)")
}

func moment(day, hour, minute int) *time.Time {
	at := time.Date(2026, 11, day, hour, minute, 0, 0, time.UTC)
	return &at
}

func TestAVesselIsFoundByAnyOfItsNumbers(t *testing.T) {
	w := known(t)
	type found struct {
		ID     string
		Others []string
	}
	for name, c := range map[string]struct {
		number string
		want   found
	}{
		"an IMO number":                          {"9811000", found{"IMO9811000", nil}},
		"a vessel_id":                            {" imo9811000 ", found{"IMO9811000", nil}},
		"the MMSI in use":                        {"373000001", found{"IMO9811000", nil}},
		"an MMSI that another vessel had before": {"353136000", found{"IMO9074729", []string{"IMO9811000"}}},
		"an alias":                               {"MMSI353136000", found{"IMO9811000", nil}},
		"a vessel that is known by its MMSI alone": {"002320001", found{"MMSI002320001", nil}},
	} {
		s, err := Of(t.Context(), w, c.number)
		if len(s.Others) == 0 {
			s.Others = nil
		}
		if diff := cmp.Diff(c.want, found{s.VesselID, s.Others}); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
	for _, unknown := range []string{"", "9999999", "999999999", "EVER GIVEN", "12", "IMO"} {
		if _, err := Of(t.Context(), w, unknown); !errors.Is(err, ErrNoVessel) {
			t.Errorf("%q: %v, want %v", unknown, err, ErrNoVessel)
		}
	}
}

func TestVersionsNameTheirAnswers(t *testing.T) {
	v := of(t, "9811000")
	if v.Name != "EVER GIVEN" || v.IMO != "9811000" || v.MMSI != "373000001" || len(v.Aliases) != 1 || v.Aliases[0].ID != "MMSI353136000" {
		t.Errorf("%+v", v)
	}
	panama := Evidence{night20, 7, "by-type", "country=Panama&page=1", new(10)}
	info := Evidence{night20, 9, "info", "imo_or_mmsi=9811000", new(5)}
	want := []Version{
		{"MMSI353136000", moment(20, 2, 0), moment(20, 2, 10), moment(20, 2, 0), moment(20, 2, 0), panama,
			map[string]any{"mmsi": "353136000", "name": "GIVEN", "flag": "PA", "country": "Panama"}, nil},
		{"IMO9811000", moment(20, 2, 10), moment(21, 2, 0), moment(20, 2, 10), moment(20, 2, 10), info,
			map[string]any{"imo": 9811000.0, "mmsi": "353136000", "name": "EVER GIVEN", "flag": "PA", "country": "Panama"},
			[]Change{{"imo", nil, 9811000.0}, {"name", "GIVEN", "EVER GIVEN"}}},
		{"IMO9811000", moment(21, 2, 0), nil, moment(21, 2, 0), moment(21, 2, 0), Evidence{night21, 3, "by-type", "country=Curacao&page=1", new(10)},
			map[string]any{"imo": 9811000.0, "mmsi": "373000001", "name": "EVER GIVEN"},
			[]Change{{"mmsi", "353136000", "373000001"}, {"flag", "PA", nil}, {"country", "Panama", nil}}},
	}
	if diff := cmp.Diff(want, v.Datasets[0].Versions); diff != "" {
		t.Error(diff)
	}
	particulars := v.Datasets[1].Now()
	if particulars == nil || particulars.Values["length_m"] != 399.9 || !cmp.Equal(particulars.Evidence, info) {
		t.Errorf("particulars %+v", particulars)
	}
	for i, name := range []string{"registration", "particulars", "engine", "management"} {
		if v.Datasets[i].Name != name {
			t.Errorf("dataset %d is %s", i, v.Datasets[i].Name)
		}
	}
	if v.Datasets[2].Now() != nil || v.Datasets[2].Seen != nil {
		t.Errorf("the engine was never seen: %+v", v.Datasets[2])
	}
}

func TestWhatAVesselDid(t *testing.T) {
	v := of(t, "9811000")
	speed := 0.0
	want := Vessel{
		Stays: []Stay{{"2026-11-18", "2026-11-18", "2026-11-18", "2026-11-19", "2026-11-19", "not found by lookup", ""}, {From: "2026-11-20", Last: "2026-11-21"}},
		Episodes: []Episode{
			{Status: "aground", FirstSeen: moment(21, 2, 1), LastSeen: moment(21, 2, 1), Nights: 1, Evidence: Evidence{night21, 4, "by-status", "navigational_status=aground", new(10)}},
			{Status: "moored", Zone: "red-sea", FirstSeen: moment(20, 2, 1), LastSeen: moment(20, 2, 1), Nights: 1, Evidence: Evidence{Run: night20, Entry: 8}},
		},
		Sighted: moment(21, 2, 1),
		Positions: Positions{1, moment(20, 1, 0), moment(20, 2, 10), &Position{
			At: moment(20, 1, 0), SeenAt: moment(20, 2, 10), Latitude: 30, Longitude: 32.5, SpeedKn: &speed, Evidence: Evidence{night20, 9, "info", "imo_or_mmsi=9811000", new(5)}}, []Point{{moment(20, 1, 0), moment(20, 2, 10), 30, 32.5}}},
		Lookups:   []Lookup{{"info", 2, 5, moment(21, 2, 2), moment(20, 2, 10), moment(21, 2, 2), "not_found", Evidence{night21, 6, "info", "imo_or_mmsi=373000001", new(0)}}},
		Conflicts: []Conflict{{"registration", "mmsi", "353136000", "several imo numbers show this mmsi", "2026-11-20", "2026-11-21"}},
	}
	got := Vessel{Stays: v.Stays, Episodes: v.Episodes, Sighted: v.Sighted, Positions: v.Positions, Lookups: v.Lookups, Conflicts: v.Conflicts}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestIssuesThatAreOpen checks that an issue stays open as long as the dataset was
// not seen again without it.
func TestIssuesThatAreOpen(t *testing.T) {
	v := of(t, "9811000")
	want := []Issue{
		{"registration", "imo", "bad check digit", "9811002", "2026-11-20", "2026-11-21", 2, true, Evidence{night21, 3, "by-type", "country=Curacao&page=1", new(10)}},
		{"sighting", "flag", "unknown country", "ZZ", "2026-11-21", "2026-11-21", 1, true, Evidence{night21, 4, "by-status", "navigational_status=aground", new(10)}},
		{"particulars", "teu", "not a number", "many", "2026-11-20", "2026-11-20", 1, true, Evidence{night20, 9, "info", "imo_or_mmsi=9811000", new(5)}},
		{"sighting", "name", "filler", "@", "2026-11-20", "2026-11-20", 1, false, Evidence{Run: night20, Entry: 8}},
	}
	if diff := cmp.Diff(want, v.Issues); diff != "" {
		t.Error(diff)
	}
}
