package warehouse

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTargets(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20,
		`INSERT INTO registration (vessel_id, imo, mmsi, is_vessel, category, valid_from) VALUES
			('IMO9811000', 9811000, '353136000', true, 'cargo', '2026-11-20 02:00:00'), ('MMSI002320001', NULL, '002320001', NULL, NULL, '2026-11-20 02:00:00')`,
		"INSERT INTO particulars (vessel_id, valid_from, last_seen) VALUES ('IMO9811000', '2026-11-19 02:00:00', '2026-11-20 03:00:00')",
		"INSERT INTO listed (vessel_id, from_date, last_date) VALUES ('IMO9811000', '2026-11-20', '2026-11-20')"))
	got, err := opened(t, dir).Targets(t.Context())
	must(t, err)
	at := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	want := []Target{
		{VesselID: "IMO9811000", IMO: 9811000, MMSI: "353136000", IsVessel: true, Category: "cargo", Listed: true, ParticularsAt: at.Add(time.Hour), ChangedAt: at, Versions: 1},
		{VesselID: "MMSI002320001", MMSI: "002320001", Category: "unknown", ChangedAt: at, Versions: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTotals(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20, `INSERT INTO partitions BY NAME SELECT 'by-type' AS operation, 'country' AS kind, value, DATE '2026-11-20' AS covered_on, TIMESTAMPTZ '2026-11-20 02:00:00Z' AS covered_at, rows, zeros
		FROM (VALUES ('panama', 900, 0), ('chad', 7, 2), ('turkey', 3000, 3)) AS v(value, rows, zeros)`,
		"INSERT INTO partitions (operation, kind, value, zeros) VALUES ('by-type', 'country', 'never covered', 0)"))
	got, err := opened(t, dir).Totals(t.Context())
	must(t, err)
	at := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	want := []Total{
		{Operation: "by-type", Kind: "country", Value: "chad", Rows: 7, At: at},
		{Operation: "by-type", Kind: "country", Value: "panama", Rows: 900, At: at},
		{Operation: "by-type", Kind: "country", Value: "turkey", Rows: 0, At: at}, // it answered with none three nights in a row
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRuns(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	must(t, update(t, dir, 21))
	w := opened(t, dir)
	got, err := w.Runs(t.Context(), 1)
	must(t, err)
	if diff := cmp.Diff([]Run{runAt(21)}, got); diff != "" {
		t.Error(diff)
	}
	one, err := w.Run(t.Context(), runAt(20).ID)
	must(t, err)
	if diff := cmp.Diff(runAt(20), one); diff != "" {
		t.Error(diff)
	}
	if _, err := w.Run(t.Context(), "none"); !errors.Is(err, ErrNoRun) {
		t.Errorf("got %v, want %v", err, ErrNoRun)
	}
	ids, err := w.Published(t.Context())
	must(t, err)
	if diff := cmp.Diff(map[string]bool{runAt(20).ID: true, runAt(21).ID: true}, ids); diff != "" {
		t.Error(diff)
	}
}
