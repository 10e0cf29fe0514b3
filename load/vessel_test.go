package load

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/history"
)

// life is one vessel that is known by its MMSI alone, is renamed, reports its IMO number,
// changes its flag while the old entry stays, leaves the list, and comes back with a profile.
func life() []run {
	nameless := row{"mmsi": "353136000", "name": "STAR", "callsign": "H3RC", "flag": "PA", "country": "Panama", "vessel_type": "Container Ship", "category": "cargo", "is_vessel": true}
	renamed := with(nameless, row{"name": "EVER"})
	numbered := with(renamed, row{"imo": 9811000})
	liberia := with(numbered, row{"mmsi": "636016000", "callsign": "A8XX", "flag": "LR", "country": "Liberia"})
	sized := with(nameless, row{"length_m": 399.9, "operation": "particulars"})
	return []run{
		night("01", listings(nameless), particulars(sized)),
		night("02", listings(renamed)),
		night("03"), // no rows
		night("04", listings(numbered)),
		night("05", listings(numbered, liberia)),
		night("06", listings(liberia), covered("country")),
		night("07", covered("country")),
		night("08", covered("country")),
		night("09", listings(liberia), covered("country")),
		night("10", particulars(with(liberia, row{"length_m": 400.0, "operation": "particulars"}))),
	}
}

func TestOneVesselThroughTenNights(t *testing.T) {
	w := opened(t, lifeAtOnce(t))
	for name, c := range map[string]struct{ sql, want string }{
		"in its changes": {
			sql: "SELECT dataset, field, old_value, new_value, seen_before, seen_after FROM changes_of('IMO9811000') ORDER BY seen_after, field",
			want: "registration name STAR EVER 01T02:00 02T02:00\n" +
				"registration imo - 9811000 02T02:00 04T02:00\n" +
				"registration callsign H3RC A8XX 04T02:00 05T02:00\n" +
				"registration country Panama Liberia 04T02:00 05T02:00\n" +
				"registration flag PA LR 04T02:00 05T02:00\n" +
				"registration mmsi 353136000 636016000 04T02:00 05T02:00\n" +
				"particulars length_m 399.9 400.0 01T02:00 10T02:00",
		},
		"in its versions": {
			sql: "SELECT vessel_id, name, flag, valid_from, valid_to FROM registration ORDER BY valid_from",
			want: "MMSI353136000 STAR PA 01T02:00 02T02:00\nMMSI353136000 EVER PA 02T02:00 04T02:00\n" +
				"IMO9811000 EVER PA 04T02:00 05T02:00\nIMO9811000 EVER LR 05T02:00 -",
		},
		"in its stays": {
			sql:  "SELECT vessel_id, from_date, to_date, absent_on FROM listed ORDER BY from_date",
			want: "MMSI353136000 01 03 -\nIMO9811000 04 06 08\nIMO9811000 09 - -",
		},
		"among the vessels": {
			sql:  "SELECT vessel_id, name, flag, mmsi, length_m, listed FROM vessels",
			want: "IMO9811000 EVER LR 636016000 400 true",
		},
		"between two dates": {
			sql:  "SELECT field FROM changes_between('2026-11-04', '2026-11-05')",
			want: "imo",
		},
		"in the nightly counts": {
			sql: "SELECT snapshot_date, flag, category, listed, seen FROM fleet_daily ORDER BY ALL",
			want: "01 PA cargo 1 1\n02 PA cargo 1 1\n03 PA cargo 1 0\n04 PA cargo 1 1\n05 LR cargo 1 1\n06 LR cargo 1 1\n" +
				"09 LR cargo 1 1\n10 LR cargo 1 0",
		},
	} {
		if got := ask(t.Context(), t, w, c.sql); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, c.want)
		}
	}
}

// TestOneVesselAtEveryDate queries it as of each night, and as of the night's beginning. TestKnownThen shows
// that nights which are published one by one say the same.
func TestOneVesselAtEveryDate(t *testing.T) {
	w := opened(t, lifeAtOnce(t))
	asOf := []string{ // at noon of the 1st, the 2nd, ...
		"MMSI353136000 STAR PA 353136000 399.9 true",
		"MMSI353136000 EVER PA 353136000 399.9 true",
		"MMSI353136000 EVER PA 353136000 399.9 true",
		"IMO9811000 EVER PA 353136000 399.9 true",
		"IMO9811000 EVER LR 636016000 399.9 true",
		"IMO9811000 EVER LR 636016000 399.9 true",
		"IMO9811000 EVER LR 636016000 399.9 false",
		"IMO9811000 EVER LR 636016000 399.9 false",
		"IMO9811000 EVER LR 636016000 399.9 true",
		"IMO9811000 EVER LR 636016000 400 true",
	}
	for i, want := range asOf {
		day := fmt.Sprintf("%02d", i+1)
		got := ask(t.Context(), t, w, "SELECT vessel_id, name, flag, mmsi, length_m, listed FROM vessels_as_of('2026-11-"+day+" 12:00:00')")
		if got != want {
			t.Errorf("at noon of %s: %s, want %s", day, got, want)
		}
		cells := strings.Fields(want)
		onList := strings.Join(cells[:4], " ")
		if cells[5] == "false" {
			onList = ""
		}
		if got := ask(t.Context(), t, w, "SELECT vessel_id, name, flag, mmsi FROM fleet_on('2026-11-"+day+"')"); got != onList {
			t.Errorf("on the list of %s: %q, want %q", day, got, onList)
		}
	}
	if got := ask(t.Context(), t, w, "SELECT count(*) FROM vessels_as_of('2026-11-01 01:00:00')"); got != "0" {
		t.Errorf("before anything was seen there are %s vessels", got)
	}
}

// TestHistoryOfOneVessel reads the history that explain prints.
func TestHistoryOfOneVessel(t *testing.T) {
	dir := lifeAtOnce(t)
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, number := range []string{"9811000", "636016000", "353136000", "MMSI353136000"} {
		v, err := history.Of(t.Context(), w, number)
		if err != nil {
			t.Fatal(err)
		}
		var changes []string
		for _, d := range v.Datasets[:2] {
			for _, version := range d.Versions {
				for _, c := range version.Changed {
					changes = append(changes, fmt.Sprintf("%s %s: %v to %v", version.From.Format("02"), c.Column, c.Old, c.New))
				}
			}
		}
		want := "02 name: STAR to EVER\n04 imo: <nil> to 9.811e+06\n05 mmsi: 353136000 to 636016000\n05 callsign: H3RC to A8XX\n05 flag: PA to LR\n05 country: Panama to Liberia\n10 length_m: 399.9 to 400"
		if got := strings.Join(changes, "\n"); v.VesselID != "IMO9811000" || len(v.Aliases) != 1 || got != want {
			t.Errorf("%s is %s with %d aliases:\n%s\nwant:\n%s", number, v.VesselID, len(v.Aliases), got, want)
		}
	}
}

func TestCountsByNightAndZone(t *testing.T) {
	ids := row{"imo": 9811000, "mmsi": "353136000"}
	moored := row{"imo": 9811000, "mmsi": "353136000", "navigational_status": "moored", "world_zone": "north-sea"}
	check(t, map[string]rule{
		"each search that was answered has a row, also one without vessels": {
			nights: []run{
				night("20", sightings(moored), swept("moored/north-sea", "moored/red-sea", "aground")),
				night("21", sightings(with(moored, row{"laden": "ballast"})), swept("moored/north-sea?laden=ballast"), map[string][]row{"coverage": {{"operation": "by-status", "kind": "status", "value": "aground", "state": "failed"}}}),
			},
			sql:  "SELECT snapshot_date, navigational_status, world_zone, laden, vessels, state FROM zone_daily ORDER BY ALL NULLS FIRST",
			want: "20 aground - - 0 complete\n20 moored north-sea - 1 complete\n20 moored red-sea - 0 complete\n21 moored north-sea ballast 1 complete",
		},
		"coverage has what each status search asked for": {
			nights: []run{night("20", swept("aground", "moored/north-sea?for_order=true&laden=ballast&vessel_type=wood-chips+carrier"),
				map[string][]row{"coverage": {{"operation": "by-type", "kind": "country", "value": "Panama", "state": "complete"}}})},
			sql:  "SELECT kind, navigational_status, world_zone, laden, for_order, vessel_type_filter FROM coverage ORDER BY ALL",
			want: "country - - - - -\nstatus aground - - - -\nstatus moored north-sea ballast true wood-chips carrier",
		},
		"nights that did not cover a search are counted in the stay": {
			nights: []run{night("20", sightings(moored), swept("moored/north-sea")), night("21"), night("22", swept("moored/red-sea")), night("25", sightings(moored), swept("moored/north-sea"))},
			sql:    "SELECT first_date, last_date, nights, nights_unseen FROM episodes",
			want:   "20 25 2 2",
		},
		"every row has its vessel's number": {
			nights: []run{
				night("20", listings(row{"mmsi": "353136000"})),
				night("21", listings(ids), sightings(moored), particulars(with(ids, row{"hull": "DOUBLE HULL"})), map[string][]row{
					"engine": {with(ids, row{"engine_type": "diesel"})}, "management": {with(ids, row{"manager": "A"})}, "positions": {with(ids, row{"position_at": "21 01:00", "latitude": 1.0, "longitude": 2.0})},
					"issues":   {{"vessel_id": "IMO9811000", "entry": 1, "dataset": "registration", "reason": "odd"}},
					"requests": {{"operation": "info", "parameters": "imo_or_mmsi=9811000"}, {"operation": "by-type", "parameters": "country=Panama&page=1"}},
				}),
			},
			sql: `SELECT name, list(DISTINCT vessel_number ORDER BY vessel_number) FROM (
				SELECT 'registration' AS name, vessel_number FROM registration UNION ALL SELECT 'particulars', vessel_number FROM particulars
				UNION ALL SELECT 'engine', vessel_number FROM engine UNION ALL SELECT 'management', vessel_number FROM management
				UNION ALL SELECT 'episodes', vessel_number FROM episodes UNION ALL SELECT 'positions', vessel_number FROM positions
				UNION ALL SELECT 'issues', vessel_number FROM issues UNION ALL SELECT 'requests', vessel_number FROM requests
			) GROUP BY name ORDER BY name`,
			want: "engine [9811000]\nepisodes [9811000]\nissues [9811000]\nmanagement [9811000]\nparticulars [9811000]\n" +
				"positions [9811000]\nregistration [9811000 353136000]\nrequests [9811000 <nil>]",
		},
		"the file has the macros with their comments": {
			nights: []run{night("20", listings(ever))},
			sql:    "SELECT function_name, comment IS NOT NULL FROM duckdb_functions() WHERE function_type = 'table_macro' AND NOT internal AND schema_name = 'main' ORDER BY 1",
			want:   "changes_between true\nchanges_of true\ncompany_fleet true\nfleet_of true\nfleet_on true\nvessels_as_of true\nvessels_near true",
		},
	})
}
