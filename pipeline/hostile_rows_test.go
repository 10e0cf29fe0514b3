package pipeline

import (
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/warehouse"
)

// TestAHostileServiceHidesNoVessel publishes nights of a service that answers every page and mixes up which
// vessels are on it. No vessel is gone for that, and none is new; a night that says so itself renames two
// ships whose numbers are swapped; and a vessel that two honest nights lack is gone, and it alone.
func TestAHostileServiceHidesNoVessel(t *testing.T) {
	t.Parallel()
	publishing(t, func(t *testing.T) {
		names := map[string]string{}
		for _, v := range ships() {
			names["IMO"+v.imo] = v.name
		}
		p := &Pipeline{Dir: t.TempDir()}
		a, b := "IMO"+ships()[0].imo, "IMO"+ships()[1].imo
		for day, night := range []struct {
			of    string // the behaviour; "" is an honest night
			fleet func([]ship) []ship
			state string
			gone  []string
			names map[string]string
		}{
			{state: report.StateDone},
			{of: "the first page for the second", state: report.StatePartial},
			{of: "half of the vessels, and the whole total", state: report.StatePartial},
			{of: "the pages of another country", state: report.StatePartial},
			{of: "a total twice", state: report.StatePartial},
			{fleet: swapped, state: report.StateDone, names: map[string]string{a: names[b], b: names[a]}},
			{fleet: withoutFirst, state: report.StateDone, names: map[string]string{a: names[b]}},
			{fleet: withoutFirst, state: report.StateDone, gone: []string{a}, names: map[string]string{a: names[b]}},
		} {
			time.Sleep(time.Until(time.Date(2000, 1, 1+day, 2, 0, 0, 0, time.UTC))) // of virtual time: the next night comes
			c := hostileCase{on: func(*call) bool { return false }}
			if night.of != "" {
				c = hostileTables()[night.of]
			}
			s := newHostile(t, c)
			if night.fleet != nil {
				s.fleet = night.fleet(s.fleet)
			}
			p.Service = s.service()
			job := plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "country"}}
			r, err := p.Run(t.Context(), job, "")
			s.stop()
			must(t, err)
			if r.State != night.state {
				t.Errorf("night %d, %s: %s, want %s: %s", day, night.of, r.State, night.state, r.Reason)
			}
			want := maps.Clone(names)
			maps.Copy(want, night.names)
			got, gone := publishedNames(t, p.Dir)
			if !maps.Equal(got, want) {
				t.Errorf("night %d, %s: %d vessels, want %d, by their names", day, night.of, len(got), len(want))
			}
			if !slices.Equal(gone, night.gone) {
				t.Errorf("night %d, %s: %d are gone, want %d: %q", day, night.of, len(gone), len(night.gone), gone)
			}
		}
	})
}

// TestASilentServiceMakesNoVesselGone has a service that says for six nights, without an error, that no search has
// any vessel. All of them are in its list and its zones the whole time.
func TestASilentServiceMakesNoVesselGone(t *testing.T) {
	t.Parallel()
	publishing(t, func(t *testing.T) {
		job := newcomer()
		job.Budget, job.Deadline, job.Lookup.Want, job.Sweep.Statuses = 0, 0, nil, []string{"moored", "aground"}
		s := newFixture(t, simulator.Config{Seed: 3, Vessels: 600, Credits: 1_000_000}, job)
		for day := range 8 {
			silent := day > 0 && day < 7
			if silent {
				must(t, s.sim.SetFaults(simulator.Faults{{Kind: simulator.SilentZero}}))
			} else {
				must(t, s.sim.SetFaults(nil))
			}
			r, err := s.p.Run(t.Context(), s.job, "")
			must(t, err)
			if (r.Coverage["complete"] == 0) != silent {
				t.Errorf("night %d: %v", day, r.Coverage)
			}
			var vessels, gone, left int
			published(t, s.p.Dir, "SELECT (SELECT count(*) FROM vessels), (SELECT count(*) FROM listed WHERE absent_on IS NOT NULL), (SELECT count(*) FROM departures) + (SELECT count(*) - count(DISTINCT (vessel_id, sweep)) FROM episodes)", &vessels, &gone, &left)
			if vessels < 500 || gone > 0 || left > 0 {
				t.Errorf("night %d: of %d vessels, %d are gone from the list, and %d left a zone or came back to it", day, vessels, gone, left)
			}
			time.Sleep(24 * time.Hour) // of virtual time: the next night comes
		}
	})
}

// publishing calls a test that publishes in a bubble of its own.
func publishing(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	zstd, err := compress.GetCodec(compress.Codecs.Zstd) // all bubbles share its encoder, which no bubble may create
	must(t, err)
	zstd.Encode(make([]byte, 64), []byte("x"))
	synctest.Test(t, test)
}

// withoutFirst is the fleet without its first ship.
func withoutFirst(fleet []ship) []ship { return fleet[1:] }

// swapped gives the first two ships each other's numbers.
func swapped(fleet []ship) []ship {
	fleet[0].name, fleet[1].name = fleet[1].name, fleet[0].name
	return fleet
}

// openPublished opens the published warehouse.
func openPublished(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", warehouse.Path(dir)+"?access_mode=READ_ONLY")
	must(t, err)
	return db
}

// published asks the published warehouse for one row of numbers or flags.
func published(t *testing.T, dir, query string, row ...any) {
	t.Helper()
	db := openPublished(t, dir)
	err := db.QueryRow(query).Scan(row...)
	must(t, db.Close())
	must(t, err)
}

// publishedRows asks the published warehouse, for texts.
func publishedRows(t *testing.T, dir, query string) (all [][]string) {
	t.Helper()
	db := openPublished(t, dir)
	defer db.Close()
	rows, err := db.Query("SELECT COLUMNS(*)::VARCHAR FROM (" + query + ")")
	must(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	must(t, err)
	for rows.Next() {
		row, into := make([]string, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		must(t, rows.Scan(into...))
		all = append(all, row)
	}
	must(t, rows.Err())
	return all
}

// publishedNames returns the names of all vessels by their ids, and the ids of those that are gone.
func publishedNames(t *testing.T, dir string) (names map[string]string, gone []string) {
	t.Helper()
	db := openPublished(t, dir)
	defer db.Close()
	rows, err := db.Query("SELECT v.vessel_id, v.name, EXISTS (FROM listed AS l WHERE l.vessel_id = v.vessel_id AND l.absent_on IS NOT NULL AND NOT EXISTS (FROM listed AS o WHERE o.vessel_id = v.vessel_id AND o.to_date IS NULL)) FROM vessels AS v ORDER BY ALL")
	must(t, err)
	defer rows.Close()
	names = map[string]string{}
	for rows.Next() {
		var id, name string
		var absent bool
		must(t, rows.Scan(&id, &name, &absent))
		if names[id] = name; absent {
			gone = append(gone, id)
		}
	}
	must(t, rows.Err())
	if len(names) == 0 {
		t.Error(fmt.Sprint("no vessel in ", dir))
	}
	return names, gone
}
