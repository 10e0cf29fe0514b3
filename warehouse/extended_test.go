package warehouse

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// extended are the views that are compared with statements over the whole history.
var extended = strings.Fields("status_searches arrivals departures gone_dark zone_congestion")

// steps runs the statements of a night whose names begin with one of the texts, as a publish does.
func (h history) steps(day int, names ...string) { h.stepsBut(nil, day, names...) }

// stepsBut runs them without some.
func (h history) stepsBut(without *regexp.Regexp, day int, names ...string) {
	h.t.Helper()
	conn, err := h.db.Conn(h.t.Context())
	must(h.t, err)
	defer conn.Close()
	for _, table := range []string{"lake_numbers", "lake_coverage"} { // tonight has vessels, and covered something
		must(h.t, runScript(h.t.Context(), conn, "CREATE TEMP TABLE IF NOT EXISTS "+table+" AS SELECT 1 AS row"))
	}
	steps, err := nightly(datasets)
	must(h.t, err)
	steps = slices.DeleteFunc(steps, func(s step) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(s.name(), "apply/"+name) }) || without != nil && without.MatchString(s.name())
	})
	must(h.t, newNightRun(&Tx{conn: conn}, fmt.Sprintf("2026-11-%02d", day), prepareSteps(steps)).run(h.t.Context()))
}

var (
	extendedName = regexp.MustCompile(`\b(status_searches|zone_congestion|arrivals|departures|gone_dark|reflaggings|renamings|ownership_changes)\b`)

	// The views of changes need nothing of the statements on searches and stays, and the others nothing of those
	// on changes.
	viewsOfChanges  = regexp.MustCompile(`\b(reflaggings|renamings|ownership_changes)\b`)
	stepsOfChanges  = regexp.MustCompile(`/(changes|vessel_changes)(_\w+)?$`)
	stepsOfSearches = regexp.MustCompile(`/(searches|stays|latest_stays|arrivals|departures)(_\w+)?$`)
)

// extend fills the tables that nights extend from rows that a test has inserted, night by night: each sees
// the stays as they were then.
func (h history) extend(text string) {
	h.t.Helper()
	if !extendedName.MatchString(text) {
		return
	}
	without := stepsOfChanges
	if viewsOfChanges.MatchString(text) {
		without = stepsOfSearches
	}
	for _, table := range strings.Fields("searches latest_stays arrivals departures vessel_changes") {
		h.exec("DELETE FROM internal." + table)
	}
	h.exec("CREATE OR REPLACE TEMP TABLE all_episodes AS FROM episodes")
	h.exec("CREATE OR REPLACE TEMP TABLE all_aliases AS FROM vessel_aliases")
	for _, day := range h.rows("SELECT DISTINCT day(snapshot_date) FROM runs ORDER BY ALL") {
		var d int
		fmt.Sscan(day, &d)
		then := " SELECT * REPLACE (least(last_date, " + night(d) + ") AS last_date, last_seen - INTERVAL 1 DAY * greatest(last_date - " + night(d) + ", 0) AS last_seen) FROM all_episodes WHERE first_date <= " + night(d)
		h.exec("DELETE FROM episodes")
		h.exec("INSERT INTO episodes" + then)
		h.exec("DELETE FROM vessel_aliases")
		h.exec("INSERT INTO vessel_aliases FROM all_aliases WHERE snapshot_date <= " + night(d))
		h.exec("CREATE OR REPLACE TEMP TABLE sighted AS" + then + " AND last_date >= " + night(d))
		h.stepsBut(without, d, "90_ready")
	}
}

// wholeViews creates the views of testdata/whole.sql.
func (h history) wholeViews() {
	h.t.Helper()
	text, err := os.ReadFile("testdata/whole.sql")
	must(h.t, err)
	h.exec(string(text))
}

// sameAsWhole compares each extended table with the whole history.
func (h history) sameAsWhole(what string) {
	h.t.Helper()
	for _, name := range extended {
		missing, extra := h.rows("FROM whole_"+name+" EXCEPT ALL FROM "+name), h.rows("FROM "+name+" EXCEPT ALL FROM whole_"+name)
		if len(missing)+len(extra) > 0 {
			h.t.Errorf("%s, %s lacks:\n%s\nand has:\n%s\nstays:\n%s", what, name, strings.Join(missing, "\n"), strings.Join(extra, "\n"), strings.Join(h.rows("SELECT vessel_id, sweep, first_date, last_date FROM vessel_episodes ORDER BY ALL"), "\n"))
		}
	}
}

// sameBetween compares the waiting of some nights with that of the whole history, but categories that never
// waited there until then.
func (h history) sameBetween(from, to int) {
	h.t.Helper()
	some, whole := fmt.Sprintf("FROM internal.zone_congestion_between(%s, %s)", night(from), night(to)), fmt.Sprintf("FROM whole_zone_congestion WHERE snapshot_date BETWEEN %s AND %s", night(from), night(to))
	missing, extra := h.rows(whole+" AND (waiting > 0 OR usual > 0) EXCEPT ALL "+some), h.rows(some+" EXCEPT ALL "+whole)
	if len(missing)+len(extra) > 0 {
		h.t.Errorf("the nights from %d to %d lack:\n%s\nand have:\n%s", from, to, strings.Join(missing, "\n"), strings.Join(extra, "\n"))
	}
}

// ocean is a random fleet of a few vessels that move between a few zones, and the random nights that see it.
type ocean struct {
	*rand.Rand
	history
	searches []string
	places   [][]string // of each vessel: the searches that find it
	alias    []int      // of each vessel: 0 is known by its MMSI alone, 1 has its IMO number, 2 has given its MMSI to another vessel
}

func newOcean(t *testing.T, seed uint64) *ocean {
	o := &ocean{Rand: rand.New(rand.NewPCG(seed, 1)), history: newHistory(t, 0), places: make([][]string, 10), alias: make([]int, 10)}
	o.exec("DELETE FROM navigational_statuses WHERE value NOT IN ('moored', 'at-anchor', 'drifting')") // so that a night often covers a whole zone
	for _, zone := range []string{"north-sea", "baltic-sea", "red-sea"} {
		o.searches = append(o.searches, "moored/"+zone, "at-anchor/"+zone)
	}
	o.searches = append(o.searches, "drifting")
	for i := range o.places {
		o.register("IMO", i)
		o.register("MMSI", i)
	}
	return o
}

func (o *ocean) register(kind string, i int) {
	o.vessel(o.id(kind, i), fmt.Sprintf("3530000%02d", i), "PA", "Bulk Carrier")
}

func (o *ocean) id(kind string, i int) string {
	return kind + map[string]string{"IMO": "90000", "MMSI": "3530000"}[kind] + fmt.Sprintf("%02d", i)
}

// night sails for a day and applies what the night sees of it. One night in ten sees nothing.
func (o *ocean) night(day int) {
	o.t.Helper()
	o.exec(fmt.Sprintf("INSERT INTO runs BY NAME SELECT 'run%02d' AS run_id, %s AS snapshot_date, %s AS started_at, %[3]s + INTERVAL 1 HOUR AS finished_at", day, night(day), at(day)))
	o.exec("CREATE OR REPLACE TEMP TABLE night_sightings (vessel_id VARCHAR, sweep VARCHAR, navigational_status VARCHAR, world_zone VARCHAR, laden VARCHAR, for_order BOOLEAN, vessel_type_filter VARCHAR, seen_at TIMESTAMPTZ, run_id VARCHAR, entry INTEGER)")
	o.exec("CREATE OR REPLACE TEMP TABLE lake_coverage AS FROM coverage WHERE false")
	blind := o.IntN(10) == 0
	states := map[string]string{}
	for _, search := range o.searches {
		states[search] = []string{"complete", "complete", "complete", "complete", "partial", "failed", "skipped", "none"}[o.IntN(8)]
		if blind {
			states[search] = "failed"
		}
	}
	found, sightings, coverage := map[string]int{}, []string{}, []string{}
	for i := range o.places {
		id := o.move(i, day)
		for _, search := range o.places[i] {
			if state := states[search]; state == "complete" || state == "partial" && o.IntN(2) == 0 {
				found[search]++
				status, zone, _ := strings.Cut(search, "/")
				sightings = append(sightings, fmt.Sprintf("(%s, NULL, NULL, NULL, %s + INTERVAL %d SECOND, 'run%02d', %d)", quoted(id, search, status, zone), at(day), o.IntN(3000), day, o.IntN(50)))
			}
		}
	}
	for search, state := range states {
		status, zone, _ := strings.Cut(search, "/")
		if state != "none" {
			coverage = append(coverage, fmt.Sprintf("('run%02d', 'by-status', 'status', %s, %d)", day, quoted(search, state, status, zone), found[search]))
		}
	}
	if len(sightings) > 0 {
		o.exec("INSERT INTO night_sightings VALUES " + strings.Join(sightings, ", "))
	}
	if len(coverage) > 0 {
		o.exec("INSERT INTO lake_coverage (run_id, operation, kind, value, state, navigational_status, world_zone, received_rows) VALUES " + strings.Join(coverage, ", "))
	}
	o.steps(day, "10_coverage/coverage", "10_coverage/partitions", "35_sightings/sighted", "70_episodes", "90_ready")
}

// move lets a vessel sail, be seen on both sides of a border, or get its IMO number, and returns its id.
func (o *ocean) move(i, day int) string {
	if o.IntN(4) == 0 || len(o.places[i]) == 0 {
		o.places[i] = nil
		for range []int{1, 1, 1, 2, 0}[o.IntN(5)] {
			o.places[i] = append(o.places[i], o.searches[o.IntN(len(o.searches))])
		}
		slices.Sort(o.places[i])
		o.places[i] = slices.Compact(o.places[i])
	}
	if i < 5 && o.alias[i] < 2 && o.IntN(12) == 0 {
		if o.alias[i]++; o.alias[i] == 1 {
			o.exec(fmt.Sprintf("INSERT INTO vessel_aliases (alias_id, vessel_id, since, snapshot_date) VALUES (%s, %s + INTERVAL %d SECOND, %s)", quoted(o.id("MMSI", i), o.id("IMO", i)), at(day), o.IntN(3000), night(day)))
		}
	}
	if i < 5 && (o.alias[i] == 0 || o.alias[i] == 2 && o.IntN(2) == 0) {
		return o.id("MMSI", i)
	}
	return o.id("IMO", i)
}

// seeds is how many random fleets sail; FLEETLAKE_SEEDS=200 lets many sail.
var seeds = func() int { n, _ := strconv.Atoi(os.Getenv("FLEETLAKE_SEEDS")); return max(n, 1) }()

// TestExtendedTablesSayWhatTheWholeHistorySays: after each of many random nights, with gaps, silent
// searches, vessels on two sides of a border and new ids, the tables that a night extends have what a
// question to the whole history has.
func TestExtendedTablesSayWhatTheWholeHistorySays(t *testing.T) {
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			o := newOcean(t, seed)
			o.wholeViews()
			for day := 1; day <= 20 && !t.Failed(); day++ {
				o.night(day)
				if day%4 == 0 {
					o.sameAsWhole(fmt.Sprint("night ", day))
					o.sameBetween(day-o.IntN(4), day)
				}
			}
			if n := o.rows("SELECT (SELECT count(*) FROM internal.arrivals) > 5 AND (SELECT count(*) FROM internal.departures) > 5"); n[0] != "true" {
				t.Error("too few arrivals or departures to mean anything")
			}
		})
	}
}

// TestAnAliasAloneMovesTheStaysOfItsVessel gives a vessel its IMO number on a night without sightings.
func TestAnAliasAloneMovesTheStaysOfItsVessel(t *testing.T) {
	o := newOcean(t, 1)
	for day := 1; day <= 2; day++ {
		o.exec(fmt.Sprintf("INSERT INTO runs BY NAME SELECT 'run%02d' AS run_id, %s AS snapshot_date", day, night(day)))
	}
	o.exec(fmt.Sprintf("INSERT INTO episodes BY NAME SELECT %s AS vessel_id, 353000000 AS vessel_number, 'moored/red-sea' AS sweep, 'red-sea' AS world_zone, %s AS first_seen, %[2]s AS last_seen, %s AS first_date, %[3]s AS last_date",
		quoted(o.id("MMSI", 0)), at(1), night(1)))
	o.exec("CREATE OR REPLACE TEMP TABLE sighted AS FROM episodes")
	o.steps(1, "90_ready")
	o.exec("DELETE FROM sighted")
	o.exec(fmt.Sprintf("INSERT INTO vessel_aliases (alias_id, vessel_id, since, snapshot_date) VALUES (%s, %s, %s)", quoted(o.id("MMSI", 0), o.id("IMO", 0)), at(2), night(2)))
	o.steps(2, "90_ready")
	if got, want := o.rows("SELECT vessel_id FROM internal.latest_stays"), o.id("IMO", 0); len(got) != 1 || got[0] != want {
		t.Errorf("the stays are of %v, want one of %s", got, want)
	}
}
