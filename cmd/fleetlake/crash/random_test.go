package crash

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
)

// busyJob lists, sweeps and looks up; its lanes are slow enough to be hit at any stage.
const busyJob = `
    list: {by: country}
    sweep: {statuses: [moored, aground], zones: [all]}
    lookup: {want: [particulars, engine, management, position]}
`

// facts are the tables that must not depend on how many runs a night took, and what in them
// names when, and by which run, a fact was observed.
var facts = map[string]string{
	"vessels":      "run_id, navigational_status_at, first_seen, last_seen, registration_seen_at, particulars_seen_at, engine_seen_at, management_seen_at, position_seen_at, voyage_seen_at, sighting_seen_at",
	"registration": "source, extra, known_since, valid_from, valid_to, first_seen, last_seen, run_id, entry",
	"particulars":  "valid_from, valid_to, first_seen, last_seen, run_id, entry",
	"engine":       "valid_from, valid_to, first_seen, last_seen, run_id, entry",
	"management":   "valid_from, valid_to, first_seen, last_seen, run_id, entry",
	"voyages":      "valid_from, valid_to, first_seen, last_seen, first_looked_up, last_looked_up, run_id, entry",
	"positions":    "seen_at, run_id, entry",
	"listed":       "run_id",
	"episodes":     "first_seen, last_seen, run_id, entry",
}

// TestKillsLoseNothing kills the process at random moments and resumes, until it ends, and
// compares with a run that was not killed.
func TestKillsLoseNothing(t *testing.T) {
	t.Parallel()
	cfg := simulator.Config{Vessels: 600, Seed: 11}
	alone := newWorld(t, cfg)
	alone.configure(6000, busyJob)
	alone.must(exitDone, "run", "nightly", "--date", "2026-11-20")

	w := newWorld(t, cfg)
	w.configure(6000, busyJob)
	random, kills := rand.New(rand.NewPCG(1, 2)), 0
	for {
		p := w.start("run", "nightly", "--date", "2026-11-20")
		timer := time.AfterFunc(time.Duration(20+random.IntN(700))*time.Millisecond, func() { p.cmd.Process.Kill() })
		if kills >= 20 {
			timer.Stop()
		}
		o, err := p.wait()
		timer.Stop()
		if err != nil {
			t.Fatal(err)
		}
		if o.code == exitDone {
			break
		}
		if o.code != exitKilled {
			t.Fatalf("exit code %d after %d kills: %s", o.code, kills, o.stderr)
		}
		kills++
		w.hasAllSegments()
	}
	t.Logf("%d kills", kills)
	if kills < 10 {
		t.Errorf("only %d kills before the end: the test has lost its grip", kills)
	}
	w.hasAllSegments()
	got, want := w.tables(), alone.tables()
	for table := range facts {
		if got[table] != want[table] {
			t.Errorf("%s differs from a run that was left alone:\n%s", table, firstDifference(got[table], want[table]))
		}
	}
	// Up to four requests of each of three lanes were in flight at a kill.
	bill, clean := w.sim.Bill().Spent, alone.sim.Bill().Spent
	if most := clean + kills*4*(10+10+5); bill > most {
		t.Errorf("billed %d, want at most %d: %d by a run that was left alone", bill, most, clean)
	}
	known := w.count("SELECT coalesce(sum(credits), 0) FROM requests WHERE charge <> 'unknown'")
	unknown := w.count("SELECT coalesce(sum(credits), 0) FROM requests WHERE charge = 'unknown'")
	if bill < known || bill > known+unknown {
		t.Errorf("billed %d; `requests` says %d and %d of unknown outcome", bill, known, unknown)
	}
	if twice := w.count("SELECT count(*) FROM (SELECT operation, parameters FROM requests WHERE outcome IN ('ok', 'empty') AND operation <> 'credits' GROUP BY ALL HAVING count(*) > 1)"); twice > 0 {
		t.Errorf("%d requests were paid twice", twice)
	}
}

// firstDifference returns the first lines that differ.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "got  " + g[i] + "\nwant " + w[i] + "\n(" + strconv.Itoa(len(g)) + " and " + strconv.Itoa(len(w)) + " lines)"
		}
	}
	return strconv.Itoa(len(g)) + " lines, want " + strconv.Itoa(len(w))
}
