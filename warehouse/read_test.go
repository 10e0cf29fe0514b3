package warehouse

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/inputs"
	gocmp "github.com/google/go-cmp/cmp"
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
	want := []inputs.Target{
		{VesselID: "IMO9811000", IMO: 9811000, MMSI: "353136000", IsVessel: true, Category: "cargo", Listed: true, ParticularsAt: at.Add(time.Hour), ChangedAt: at, Versions: 1},
		{VesselID: "MMSI002320001", MMSI: "002320001", Category: "unknown", ChangedAt: at, Versions: 1},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTargetsThatHadNoValues expects that a dataset of which answers have had no value counts as known for ever
// longer, and as it was seen before when that time is over.
func TestTargetsThatHadNoValues(t *testing.T) {
	seen := time.Date(2026, 10, 1, 2, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		dataset string
		nights  []string // whose answers had no value
		want    string   // from when on the dataset is asked for; empty if it is as old as it was
	}{
		"never":                             {"particulars", nil, ""},
		"once, a week ago":                  {"particulars", []string{"2026-11-13"}, ""},
		"once, some days ago":               {"particulars", []string{"2026-11-15"}, "2026-11-22"},
		"twice":                             {"engine", []string{"2026-11-01", "2026-11-10"}, "2026-11-24"},
		"twice in one night is once":        {"engine", []string{"2026-11-15", "2026-11-15"}, "2026-11-22"},
		"three times, the last long ago":    {"management", []string{"2026-10-02", "2026-10-10", "2026-10-20"}, ""},
		"a position":                        {"position", []string{"2026-11-16"}, "2026-11-23"},
		"ever more rarely, for half a year": {"management", []string{"2026-10-10", "2026-10-11", "2026-10-12", "2026-10-13", "2026-10-14", "2026-10-15", "2026-10-16"}, "2027-04-16"},
		"before the last answer with data":  {"particulars", []string{"2026-09-01", "2026-09-20", "2026-11-19"}, "2026-11-26"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			statements := []string{"INSERT INTO registration (vessel_id, imo, valid_from) VALUES ('IMO9811000', 9811000, '2026-09-01'), ('IMO9811001', 9811001, '2026-09-01')",
				"INSERT INTO internal.latest (vessel_id, position_seen_at) VALUES ('IMO9811000', '2026-10-01 02:00:00+00')"}
			for _, dataset := range []string{"particulars", "engine", "management"} {
				statements = append(statements, "INSERT INTO "+dataset+" (vessel_id, valid_from, last_seen) VALUES ('IMO9811000', '2026-09-15 02:00:00+00', '2026-10-01 02:00:00+00')")
			}
			for _, night := range c.nights {
				statements = append(statements, fmt.Sprintf("INSERT INTO issues (run_id, snapshot_date, vessel_id, dataset, reason) VALUES ('r', '%s', 'IMO9811000', '%s', 'no values')", night, c.dataset))
			}
			must(t, update(t, dir, 20, statements...))
			got, err := opened(t, dir).targets(t.Context(), 1)
			must(t, err)
			for dataset, at := range map[string]time.Time{"particulars": got[0].ParticularsAt, "engine": got[0].EngineAt, "management": got[0].ManagementAt, "position": got[0].PositionAt} {
				want := seen
				if dataset == c.dataset && c.want != "" {
					want, err = time.Parse(time.DateOnly, c.want)
					must(t, err)
				}
				if !at.Equal(want) {
					t.Errorf("%s at %s, want %s", dataset, at, want)
				}
			}
			if !got[1].ParticularsAt.IsZero() {
				t.Errorf("another vessel: %+v", got[1])
			}
		})
	}
}

// TestTargetsAPartAtATime reads a fleet whose rows do not fit into memory at once.
func TestTargetsAPartAtATime(t *testing.T) {
	dir, statements := t.TempDir(), []string{
		`INSERT INTO registration (vessel_id, imo, name, flag, valid_from) SELECT 'IMO' || i, i, 'VESSEL OF A LONG NAME ' || i, 'PA', '2026-11-20 02:00:00' FROM range(9000000, 9150000) AS r(i)`,
		`INSERT INTO registration (vessel_id, imo, valid_from, valid_to) VALUES ('IMO9000001', 9000001, '2026-11-15 02:00:00', '2026-11-20 02:00:00'), ('IMO9149999', 9149999, '2026-11-10 02:00:00', '2026-11-20 02:00:00')`,
		`INSERT INTO listed (vessel_id, from_date, last_date) SELECT vessel_id, '2026-11-20', '2026-11-20' FROM registration WHERE imo % 2 = 0`,
		`INSERT INTO vessel_aliases (alias_id, vessel_id) VALUES ('IMO9000003', 'IMO9000004')`,
		`INSERT INTO internal.latest (vessel_id, navigational_status) SELECT vessel_id, 'moored' FROM registration WHERE valid_to IS NULL`,
	}
	for _, dataset := range []string{"particulars", "engine", "management"} {
		statements = append(statements, "INSERT INTO "+dataset+" (vessel_id, valid_from, last_seen) SELECT vessel_id, valid_from, valid_from FROM registration WHERE valid_to IS NULL")
	}
	must(t, update(t, dir, 20, statements...))
	w, err := Open(t.Context(), Path(dir), Options{MemoryMiB: 64})
	must(t, err)
	defer w.Close()
	if _, err := w.targets(t.Context(), 150_000); !errors.Is(err, ErrRoom) {
		t.Errorf("all at once: got %v, want %v", err, ErrRoom)
	}
	got, err := w.targets(t.Context(), 20_000)
	must(t, err)
	if len(got) != 149_999 || !slices.IsSortedFunc(got, func(a, b inputs.Target) int { return cmp.Compare(a.VesselID, b.VesselID) }) {
		t.Errorf("%d targets, want 149,999 in order: all but an alias", len(got))
	}
	for _, x := range got {
		versions := 1
		if x.IMO == 9_000_001 {
			versions = 2
		}
		if x.Listed != (x.IMO%2 == 0) || x.Status != "moored" || x.ParticularsAt.IsZero() || x.EngineAt.IsZero() || x.ManagementAt.IsZero() || x.Versions != versions {
			t.Fatalf("got %+v", x)
		}
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
	want := []inputs.Total{
		{Operation: "by-type", Kind: "country", Value: "chad", Rows: 7, At: at},
		{Operation: "by-type", Kind: "country", Value: "panama", Rows: 900, At: at},
		{Operation: "by-type", Kind: "country", Value: "turkey", Rows: 0, At: at}, // it answered with none three nights in a row
	}
	if diff := gocmp.Diff(want, got); diff != "" {
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
	if diff := gocmp.Diff([]Run{runAt(21)}, got); diff != "" {
		t.Error(diff)
	}
	one, err := w.Run(t.Context(), runAt(20).ID)
	must(t, err)
	if diff := gocmp.Diff(runAt(20), one); diff != "" {
		t.Error(diff)
	}
	if _, err := w.Run(t.Context(), "none"); !errors.Is(err, ErrNoRun) {
		t.Errorf("got %v, want %v", err, ErrNoRun)
	}
	ids, err := w.Published(t.Context())
	must(t, err)
	if diff := gocmp.Diff(map[string]bool{runAt(20).ID: true, runAt(21).ID: true}, ids); diff != "" {
		t.Error(diff)
	}
}

// TestRates has versions of one dataset, with changes of the registration before, between and beside
// their answers, and checks what is counted of each. Each case is a flag of its own.
func TestRates(t *testing.T) {
	day := func(n int) string { return fmt.Sprintf("TIMESTAMPTZ '2026-11-%02d 02:00:00Z'", n) }
	type version struct{ first, last, to int } // days; to is 0 while it is open
	var night []string
	var want []inputs.Span
	vessels := 0
	for name, c := range map[string]struct {
		versions []version // of the management of one vessel
		flapping bool
		signs    []int // days on which its registration changes
		built    int
		want     []inputs.Span
	}{
		"one answer shows nothing":                      {versions: []version{{1, 1, 0}}, want: []inputs.Span{{}}},
		"equal answers":                                 {versions: []version{{1, 9, 0}}, want: []inputs.Span{{Unchanged: 8}}},
		"a change, some time in nine days":              {versions: []version{{1, 2, 11}, {11, 15, 0}}, want: []inputs.Span{{Unchanged: 4}, {Unchanged: 1, Changes: 1, Within: 9}}},
		"intervals of like length are counted together": {versions: []version{{1, 1, 9}, {9, 9, 18}, {18, 18, 0}}, want: []inputs.Span{{}, {Changes: 2, Within: 8.5}}},
		"a value that came back":                        {versions: []version{{1, 2, 11}, {11, 15, 0}}, flapping: true, want: []inputs.Span{{Unchanged: 5}}},
		"a change after that of the registration":       {versions: []version{{1, 2, 11}, {11, 15, 0}}, signs: []int{6}, want: []inputs.Span{{Unchanged: 5, Signals: 1, Followed: 1}}},
		"a change with that of the registration":        {versions: []version{{1, 2, 11}, {11, 15, 0}}, signs: []int{11}, want: []inputs.Span{{Unchanged: 5, Signals: 1, Followed: 1}}},
		"a registration that changed in vain, twice":    {versions: []version{{1, 15, 0}}, signs: []int{6, 8}, want: []inputs.Span{{Unchanged: 14, Signals: 2}}},
		"a registration that changed after the answers": {versions: []version{{1, 15, 0}}, signs: []int{20}, want: []inputs.Span{{Unchanged: 14}}},
		"a vessel of eight years":                       {versions: []version{{1, 15, 0}}, built: 2018, want: []inputs.Span{{Unchanged: 14, AgeBand: 2}}},
		"an old vessel":                                 {versions: []version{{1, 15, 0}}, built: 1950, want: []inputs.Span{{Unchanged: 14, AgeBand: 7}}},
	} {
		vessels++
		id := fmt.Sprintf("IMO%d", vessels)
		insert := func(table, columns, values string, args ...any) {
			night = append(night, fmt.Sprintf("INSERT INTO %s (vessel_id, %s) VALUES ('%s', %s)", table, columns, id, fmt.Sprintf(values, args...)))
		}
		from := 1
		for _, at := range c.signs {
			insert("registration", "valid_from, valid_to, first_seen, last_seen", "%s, %s, %s, %s", day(from), day(at), day(from), day(at-1))
			from = at
		}
		insert("registration", "flag, valid_from, first_seen, last_seen", "'%s', %s, %s, %s", name, day(from), day(from), day(25))
		for _, v := range c.versions {
			to := "NULL"
			if v.to > 0 {
				to = day(v.to)
				insert("changes", "dataset, seen_after, flapping", "'management', %s, %v", to, c.flapping)
			}
			insert("management", "valid_from, first_seen, last_seen, valid_to", "%s, %s, %s, %s", day(v.first), day(v.first), day(v.last), to)
		}
		if c.built > 0 {
			insert("particulars", "year_built, valid_from, first_seen, last_seen", "%d, %s, %s, %s", c.built, day(1), day(1), day(1))
		}
		for _, s := range c.want {
			s.Dataset, s.Category, s.Flag = "management", "unknown", name
			want = append(want, s)
		}
	}
	dir := t.TempDir()
	must(t, update(t, dir, 25, night...))
	got, err := opened(t, dir).Rates(t.Context(), []string{"management", "position"})
	must(t, err)
	byFlag := func(a, b inputs.Span) int { return cmp.Or(strings.Compare(a.Flag, b.Flag), a.Changes-b.Changes) }
	slices.SortFunc(want, byFlag)
	got = slices.DeleteFunc(got, func(s inputs.Span) bool { return s.Dataset != "management" })
	slices.SortFunc(got, byFlag)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTurnover has stays that lasted, that ended, and whose end nothing proves.
func TestTurnover(t *testing.T) {
	searched := func(sweep string, proven int, nights ...int) []string {
		all := []string{fmt.Sprintf("INSERT INTO partitions (operation, kind, value, proven_on) VALUES ('by-status', 'status', '%s', '2026-11-%02d')", sweep, proven)}
		for _, night := range nights {
			all = append(all, fmt.Sprintf("INSERT INTO coverage (kind, value, state, snapshot_date) VALUES ('status', '%s', 'complete', '2026-11-%02d')", sweep, night))
		}
		return all
	}
	stay := func(sweep string, first, last int) []string {
		return []string{fmt.Sprintf("INSERT INTO episodes (vessel_id, sweep, first_seen, last_seen, first_date, last_date) VALUES ('IMO1', '%s', '2026-11-%02d 02:00:00Z', '2026-11-%02d 02:00:00Z', '2026-11-%02d', '2026-11-%02d')", sweep, first, last, first, last)}
	}
	old := "INSERT INTO episodes (vessel_id, sweep, first_seen, last_seen, first_date, last_date) VALUES ('IMO1', 'moored/north-sea', '2026-08-01 02:00:00Z', '2026-09-20 02:00:00Z', '2026-08-01', '2026-09-20')"
	dir := t.TempDir()
	must(t, update(t, dir, 25, slices.Concat([]string{old},
		searched("moored/north-sea", 25, 5, 15, 25), stay("moored/north-sea", 5, 25), stay("Moored/North-Sea", 5, 15),
		searched("drifting", 21, 21, 25), stay("drifting", 21, 21),
		searched("moored/red-sea", 25, 25), stay("moored/red-sea", 25, 25))...))
	got, err := opened(t, dir).Turnover(t.Context(), "status")
	must(t, err)
	want := []inputs.Span{{Dataset: "status", Category: "drifting", Within: 4}, {Dataset: "status", Category: "moored", Flag: "north-sea", Unchanged: 30, Changes: 1, Within: 10}}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
