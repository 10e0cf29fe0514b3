package load

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/warehouse"
)

// extended are the views that are compared with statements over the whole history.
var extended = strings.Fields("status_searches arrivals departures gone_dark zone_congestion identity_review reflaggings renamings ownership_changes")

// seafarer is a vessel of a random fleet: what its answers say of it.
type seafarer struct {
	imo                              int
	mmsi, name, flag, owner, manager string
	places                           []string // the searches that return it
}

var (
	flagsOf  = map[string]string{"PA": "353", "LR": "636", "NL": "244"}
	someZone = []string{"north-sea", "baltic-sea", "red-sea"}
)

// randomNight lets the fleet sail and be sold for a day, and returns the runs that see some of it. Vessels
// without an IMO number get it, MMSIs go to other vessels, answers leave out or mistake values, searches fail,
// and some vessels are found on both sides of a border.
func randomNight(r *rand.Rand, fleet []*seafarer, date string) (runs []run) {
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	one := func(in int) bool { return r.IntN(in) == 0 }
	for i, v := range fleet {
		if one(6) {
			v.name = pick("ANNA", "ANN-A", "BERTA", "CAESAR")
		}
		if one(6) {
			v.flag = pick("PA", "LR", "NL")
			if !one(3) {
				v.mmsi = fmt.Sprintf("%s0000%02d", flagsOf[v.flag], i)
			}
		}
		if one(5) {
			v.owner, v.manager = pick("ACME", "Acme", "BLUE", "CORAL"), pick("ACME", "BLUE")
		}
		if one(25) {
			v.mmsi = fleet[r.IntN(len(fleet))].mmsi
		}
		if one(3) || len(v.places) == 0 {
			v.places = nil
			for range r.IntN(3) {
				v.places = append(v.places, pick("drifting", "moored/"+pick(someZone...), "at-anchor/"+pick(someZone...)))
			}
			slices.Sort(v.places)
			v.places = slices.Compact(v.places)
		}
	}
	for n := range 1 + r.IntN(2) {
		tables := map[string][]row{}
		states := map[string]string{}
		for i, v := range fleet {
			seen := fmt.Sprintf("%s %02d:%02d", date, 2+n, r.IntN(50))
			is := row{"imo": v.imo, "mmsi": v.mmsi, "name": v.name, "flag": v.flag, "country": map[string]string{"PA": "Panama", "LR": "Liberia", "NL": "Netherlands"}[v.flag], "vessel_type": "Container Ship", "category": "cargo", "is_vessel": true, "seen_at": seen}
			if i < 3 && (date < "23" || one(4)) {
				is["imo"] = nil // known by its MMSI alone
			}
			if one(8) {
				is["name"] = pick("ANNA", "MISTAKE")
			}
			if one(8) {
				is["flag"], is["country"] = nil, nil
			}
			if !one(4) {
				tables["listings"] = append(tables["listings"], is)
			}
			if one(2) {
				tables["particulars"] = append(tables["particulars"], with(is, row{"operation": "info"}))
				tables["management"] = append(tables["management"], row{"imo": is["imo"], "mmsi": v.mmsi, "registered_owner": v.owner, "manager": v.manager, "seen_at": seen})
			}
			for _, search := range v.places {
				if _, known := states[search]; !known {
					states[search] = pick("complete", "complete", "complete", "partial", "failed")
				}
				if state := states[search]; state == "complete" || state == "partial" && one(2) {
					status, zone, _ := strings.Cut(search, "/")
					s := row{"imo": is["imo"], "mmsi": v.mmsi, "name": v.name, "seen_at": fmt.Sprintf("%s %02d:%02d", date, 2+n, len(tables["sightings"])%60), "navigational_status": status, "sweep": search}
					if zone != "" {
						s["world_zone"] = zone
					}
					tables["sightings"] = append(tables["sightings"], s)
				}
			}
		}
		for _, zone := range someZone {
			for _, status := range []string{"moored", "at-anchor"} {
				search := status + "/" + zone
				if _, known := states[search]; !known {
					states[search] = pick("complete", "complete", "partial", "failed")
				}
				found := 0
				for _, s := range tables["sightings"] {
					if s["sweep"] == search {
						found++
					}
				}
				tables["coverage"] = append(tables["coverage"], row{"operation": "by-status", "kind": "status", "value": search, "state": states[search], "navigational_status": status, "world_zone": zone, "received_rows": found})
			}
		}
		tables["coverage"] = append(tables["coverage"], row{"operation": "by-status", "kind": "status", "value": "drifting", "state": "complete", "navigational_status": "drifting", "received_rows": 1})
		runs = append(runs, run{id: fmt.Sprintf("202611%sT0%d0000.000Z-0000", date, 2+n), date: date, rows: tables})
	}
	return runs
}

// TestTablesOfTheReadyViewsSayWhatTheWholeHistorySays publishes random nights one by one, some late, and
// compares the ready views with statements that read the whole history; then all at once, as a rebuild does.
// FLEETLAKE_SEEDS=20 is for more fleets than one.
func TestTablesOfTheReadyViewsSayWhatTheWholeHistorySays(t *testing.T) {
	seeds, _ := strconv.Atoi(os.Getenv("FLEETLAKE_SEEDS"))
	for seed := range uint64(max(seeds, 1)) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 7))
			fleet := make([]*seafarer, 7)
			for i := range fleet {
				fleet[i] = &seafarer{imo: 9400000 + i, mmsi: fmt.Sprintf("3530000%02d", i), name: "ANNA", flag: "PA", owner: "ACME", manager: "ACME"}
			}
			var nights [][]run
			for date := 20; date < 28; date++ {
				nights = append(nights, randomNight(r, fleet, fmt.Sprint(date)))
			}
			dir, all := t.TempDir(), t.TempDir()
			for _, i := range []int{0, 1, 3, 2, 4, 6, 7, 5} {
				publishAtOnce(t, dir, nights[i]...) // its second run would apply the night again as a whole
				if i == 4 {
					sameAsWhole(t, dir)
				}
			}
			publishAtOnce(t, all, slices.Concat(nights...)...)
			if got, want := sameAsWhole(t, dir), sameAsWhole(t, all); got != want {
				t.Errorf("late nights gave\n%s\nand a rebuild\n%s", got, want)
			}
		})
	}
}

// sameAsWhole compares the views with those of testdata/whole.sql of package warehouse, and returns how many
// rows each has.
func sameAsWhole(t *testing.T, dir string) string {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	path := filepath.Join(t.TempDir(), "copy.duckdb")
	if err := os.Link(warehouse.Path(dir), path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../warehouse/testdata/whole.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"SET TimeZone = 'UTC'", "ATTACH '" + path + "' AS w (READ_ONLY)", "USE w", string(text)} {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	var counts []string
	for _, name := range extended {
		var missing, extra, rows int
		err := db.QueryRowContext(t.Context(), fmt.Sprintf("SELECT (SELECT count(*) FROM (FROM whole_%s EXCEPT ALL FROM %[1]s)), (SELECT count(*) FROM (FROM %[1]s EXCEPT ALL FROM whole_%[1]s)), (SELECT count(*) FROM %[1]s)", name)).Scan(&missing, &extra, &rows)
		if err != nil {
			t.Fatal(err)
		}
		if missing+extra > 0 {
			var which string
			err := db.QueryRowContext(t.Context(), fmt.Sprintf("SELECT string_agg(r::VARCHAR, '\n') FROM (SELECT 'lacks' AS is, * FROM (FROM whole_%s EXCEPT ALL FROM %[1]s) UNION ALL SELECT 'has', * FROM (FROM %[1]s EXCEPT ALL FROM whole_%[1]s)) AS r", name)).Scan(&which)
			t.Errorf("%s lacks %d rows of the whole history, and has %d others: %s %v", name, missing, extra, which, err)
		}
		counts = append(counts, fmt.Sprint(name, " ", rows))
	}
	return strings.Join(counts, ", ")
}
