package load

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/warehouse"
)

// earlier are the macros with the columns of vessels, called for the last night.
var earlier = []string{"vessels_as_of(DATE '2026-11-10')", "fleet_on(DATE '2026-11-10')", "fleet_of(DATE '2026-11-10')"}

// voyages is life with sightings, positions, engines and managers, and a second vessel that leaves unnoticed.
func voyages() []run {
	nights := life()
	nameless, numbered := row{"mmsi": "353136000"}, row{"imo": 9811000, "mmsi": "353136000"}
	seen := func(vessel row, status, zone string) row {
		return with(vessel, row{"navigational_status": status, "world_zone": zone})
	}
	at := func(vessel row, moment, status string, latitude float64) row {
		return with(vessel, row{"position_at": moment, "latitude": latitude, "longitude": 2.0, "navigational_status": status})
	}
	buoy := row{"mmsi": "992351001", "name": "ELBE 1"}
	more := map[string]map[string][]row{
		"01": {"sightings": {seen(nameless, "moored", "north-sea")}, "positions": {at(nameless, "01 01:00", "moored", 1.0)}},
		"02": {"sightings": {seen(nameless, "moored", "north-sea")}, "engine": {with(nameless, row{"engine_type": "diesel"})}},
		"03": {"listings": {buoy}},
		"04": {"sightings": {seen(numbered, "moored", "north-sea")}, "management": {with(numbered, row{"manager": "A", "registered_owner": "B"})}},
		"05": {"positions": {at(numbered, "04 23:00", "under-way", 5.0)}, "listings": {buoy}},
		"06": {"management": {with(numbered, row{"manager": "C"})}},
		"09": {"sightings": {seen(numbered, "at-anchor", "red-sea")}},
	}
	for _, n := range nights {
		for table, rows := range more[n.date] {
			n.rows[table] = append(n.rows[table], rows...)
		}
	}
	return nights
}

// TestMacrosHaveTheColumnsOfVessels: whoever adds a column to vessels adds it to each of them.
func TestMacrosHaveTheColumnsOfVessels(t *testing.T) {
	w := opened(t, voyagesAtOnce(t))
	want := ask(t.Context(), t, w, "SELECT column_name, column_type FROM (DESCRIBE FROM vessels)")
	for _, macro := range earlier {
		if got := ask(t.Context(), t, w, "SELECT column_name, column_type FROM (DESCRIBE FROM "+macro+")"); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", macro, got, want)
		}
	}
}

// atLeast are the columns of which an earlier state has the earliest that they can be.
const atLeast = "navigational_status_at last_seen registration_seen_at particulars_seen_at engine_seen_at management_seen_at position_seen_at sighting_seen_at"

// TestKnownThen publishes one night after the other, and compares what vessels said after each with what the
// macros say of it at the end. Only a vessel that the list of a night missed, and that a later night proves gone, is
// no longer listed on it.
func TestKnownThen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	exact := "SELECT * EXCLUDE (listed, " + strings.Join(strings.Fields(atLeast), ", ") + ") FROM "
	said, seen := map[string]string{}, map[string]string{}
	nights := voyages()
	for _, n := range nights {
		publish(t, dir, n)
		w := opened(t, dir)
		said["vessels "+n.date] = ask(t.Context(), t, w, exact+"vessels ORDER BY vessel_id")
		said["fleet "+n.date] = ask(t.Context(), t, w, exact+"vessels WHERE listed ORDER BY vessel_id")
		seen[n.date] = ask(t.Context(), t, w, seenOf("vessels"))
	}
	w, datedBack := opened(t, dir), 0
	for _, n := range nights {
		date := "2026-11-" + n.date
		fleet := strings.Split(said["fleet "+n.date], "\n")
		for gone := range strings.FieldsSeq(ask(t.Context(), t, w, "SELECT vessel_id FROM listed WHERE missing_since <= '"+date+"' AND absent_on > '"+date+"'")) {
			fleet = slices.DeleteFunc(fleet, func(vessel string) bool { return strings.HasPrefix(vessel, gone+" ") })
			datedBack++
		}
		said["fleet "+n.date] = strings.Join(fleet, "\n")
		for name, text := range map[string]string{
			"vessels " + n.date: exact + "vessels_as_of(DATE '" + date + "') ORDER BY vessel_id",
			"fleet " + n.date:   exact + "fleet_on('" + date + "') ORDER BY vessel_id",
		} {
			if got := ask(t.Context(), t, w, text); got != said[name] {
				t.Errorf("%s:\n%s\nwant:\n%s", name, got, said[name])
			}
		}
		got := strings.Split(ask(t.Context(), t, w, seenOf("vessels_as_of('"+date+"')")), "\n")
		want := strings.Split(seen[n.date], "\n")
		if len(got) != len(want) || seen[n.date] == "" {
			t.Fatalf("%s: %q, want %q", n.date, got, want)
		}
		for j := range want {
			got, want := strings.Fields(got[j]), strings.Fields(want[j]) // a vessel, and a value of each column
			if len(got) != len(want) || got[0] != want[0] {
				t.Fatalf("%s: %q, want %q", n.date, got, want)
			}
			for i, column := range append([]string{"vessel_id"}, strings.Fields(atLeast)...) {
				if got[i] > want[i] || (got[i] == "-") != (want[i] == "-") {
					t.Errorf("%s of %s on %s: %s, want at most %s, and null if that is", column, want[0], n.date, got[i], want[i])
				}
			}
		}
	}
	if datedBack == 0 {
		t.Error("no departure is dated back")
	}
}

// seenOf asks for the columns of atLeast of each vessel.
func seenOf(from string) string {
	text := "SELECT vessel_id"
	for column := range strings.FieldsSeq(atLeast) {
		text += ", strftime(" + column + " AT TIME ZONE 'UTC', '%d-%H:%M')"
	}
	return text + " FROM " + from + " ORDER BY 1"
}

// opened opens the published file until the next publish or the end of the test.
func opened(t *testing.T, dir string) *warehouse.Warehouse {
	t.Helper()
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// TestBestKnownNow: the fleet of a night, with what was learned of it since.
func TestBestKnownNow(t *testing.T) {
	ship := row{"mmsi": "353136000", "name": "STAR", "flag": "PA", "country": "Panama"}
	liberia := with(ship, row{"imo": 9811000, "flag": "LR", "country": "Liberia"})
	gone := row{"mmsi": "211000001", "flag": "DE", "country": "Germany"}
	nights := []run{
		night("01", listings(ship, gone), map[string][]row{"positions": {{"mmsi": "353136000", "position_at": "01 01:00", "latitude": 1.0, "longitude": 2.0}}}),
		night("02", listings(ship)), // gone was not seen, and nothing is proved
		night("03", listings(ship), covered("country")),
		night("04", listings(liberia), covered("country")),
		night("05", listings(liberia), particulars(with(liberia, row{"deadweight_t": 5000.0, "year_built": 2001, "operation": "particulars"}))),
		night("06", listings(with(liberia, row{"name": "NOVA"})), particulars(with(liberia, row{"name": "NOVA", "deadweight_t": 6000.0, "operation": "particulars"}))),
	}
	check(t, map[string]rule{
		"a value that was not known is the first that was learned, under the id of now": {
			nights: nights,
			sql:    "SELECT n.night, f.vessel_id, f.flag, f.name, f.deadweight_t, f.year_built, f.latitude, f.particulars_seen_at FROM (SELECT DISTINCT snapshot_date AS night FROM runs) AS n, fleet_of(n.night) AS f ORDER BY 1, 2",
			want: "01 IMO9811000 PA STAR 5000 2001 1 06T02:00\n01 MMSI211000001 DE - - - - -\n02 IMO9811000 PA STAR 5000 2001 1 06T02:00\n" +
				"03 IMO9811000 PA STAR 5000 2001 1 06T02:00\n04 IMO9811000 LR STAR 5000 2001 1 06T02:00\n05 IMO9811000 LR STAR 5000 2001 1 06T02:00\n06 IMO9811000 LR NOVA 6000 2001 1 06T02:00",
		},
		"what was known then has none of it": {
			nights: nights,
			sql:    "SELECT n.night, f.vessel_id, f.flag, f.deadweight_t, f.particulars_seen_at FROM (SELECT DISTINCT snapshot_date AS night FROM runs) AS n, fleet_on(n.night) AS f ORDER BY 1, 2",
			want: "01 MMSI211000001 DE - -\n01 MMSI353136000 PA - -\n02 MMSI211000001 DE - -\n02 MMSI353136000 PA - -\n03 MMSI353136000 PA - -\n" +
				"04 IMO9811000 LR - -\n05 IMO9811000 LR 5000 05T02:00\n06 IMO9811000 LR 6000 06T02:00",
		},
	})
}

// TestNightsAndInstants: what each macro takes, and what it answers beyond the data.
func TestNightsAndInstants(t *testing.T) {
	dir := voyagesAtOnce(t)
	sessions := map[string]*sql.DB{}
	for _, zone := range []string{"UTC", "America/New_York", "Asia/Kathmandu"} {
		sessions[zone] = session(t, dir, zone)
	}
	for text, want := range map[string]string{
		"SELECT count(*) FROM fleet_on(DATE '2026-11-05')":                                   "2",
		"SELECT count(*) FROM fleet_on('2026-11-05')":                                        "2",
		"SELECT count(*) FROM fleet_on(TIMESTAMP '2026-11-05')":                              "2", // generate_series makes such of dates
		"SELECT count(*) FROM fleet_on(DATE '2026-11-11')":                                   "0",
		"SELECT count(*) FROM fleet_of(DATE '2026-11-11')":                                   "0",
		"SELECT count(*) FROM fleet_on(DATE '2026-10-31')":                                   "0",
		"SELECT count(*) FROM fleet_of(DATE '2026-10-31')":                                   "0",
		"SELECT count(*) FROM fleet_on(NULL)":                                                "0",
		"SELECT count(*) FROM vessels_as_of(DATE '2026-11-11')":                              "0",
		"SELECT count(*) FROM vessels_as_of('2026-11-11 00:00:00')":                          "0",
		"SELECT count(*) FROM vessels_as_of('2026-11-10 23:59:59')":                          "2",
		"SELECT count(*) FROM vessels_as_of('2026-11-01')":                                   "1", // that night, not its midnight
		"SELECT count(*) FROM vessels_as_of('2026-11-01 00:00:00')":                          "0",
		"SELECT count(*) FROM vessels_as_of(TIMESTAMP '2026-11-01')":                         "0",
		"SELECT count(*) FROM vessels_as_of('2026-11-01 02:00:00')":                          "1",
		"SELECT count(*) FROM vessels_as_of('2026-11-01 03:00:00+02')":                       "0",
		"SELECT count(*) FROM vessels_as_of('2026-11-01T02:00:00Z')":                         "1",
		"SELECT count(*) FROM vessels_as_of(TIMESTAMPTZ '2026-11-01 02:00:00+00')":           "1",
		"SELECT listed FROM vessels_as_of('2026-11-07 01:00:00') WHERE imo IS NOT NULL":      "true",
		"SELECT listed FROM vessels_as_of(DATE '2026-11-07') WHERE imo IS NOT NULL":          "false",
		"SELECT count(*) FROM changes_between(DATE '2026-11-04', DATE '2026-11-06')":         "5",
		"SELECT count(*) FROM changes_between('2026-11-04 02:00:00', '2026-11-05 02:00:00')": "1",
		"SELECT count(*) FROM changes_between('2026-11-05', '2026-11-05 02:00:00')":          "0",
		"SELECT string_agg(n::VARCHAR, ' ' ORDER BY night) FROM (SELECT night, count(f.vessel_id) AS n FROM generate_series(DATE '2026-11-03', DATE '2026-11-12', INTERVAL 1 DAY) AS d(night), fleet_on(d.night) AS f GROUP BY night)": "2 2 2 2 1 1 2 2",
		"SELECT string_agg(c.field, ' ' ORDER BY n.night, c.field) FROM (SELECT DISTINCT snapshot_date AS night FROM runs) AS n, changes_between(n.night, n.night + 1) AS c":                                                           "name imo callsign country flag mmsi manager length_m",
		"SELECT count(*) FROM runs AS n, vessels_as_of(n.finished_at) WHERE imo IS NOT NULL":                                                                                                                                           "7",
	} {
		for zone, db := range sessions {
			var got any
			if err := db.QueryRow(text).Scan(&got); err != nil || fmt.Sprint(got) != want {
				t.Errorf("%s in %s: %v, want %s (%v)", text, zone, got, want, err)
			}
		}
	}
	for text, want := range map[string]string{ // in any session
		"FROM fleet_on('2026-11-05 02:00:00')": "want a night, such as DATE '2026-11-20', and got 2026-11-05 02:00:00",
		"FROM fleet_of('last')":                "want a night, such as DATE '2026-11-20', and got last",
		"FROM vessels_as_of('yesterday')":      `invalid timestamp field format: "yesterday+00"`,
	} {
		if _, err := sessions["UTC"].Exec(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// session opens the published file as another program does, in a time zone of its own.
func session(t *testing.T, dir, zone string) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", warehouse.Path(dir)+"?access_mode=read_only")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1) // the time zone is of the connection
	if _, err := db.Exec("SET TimeZone = '" + zone + "'"); err != nil {
		t.Fatal(err)
	}
	return db
}

// TestChangesOfAnyNumber: changes_of takes the numbers that explain takes.
func TestChangesOfAnyNumber(t *testing.T) {
	w := opened(t, voyagesAtOnce(t))
	want := ask(t.Context(), t, w, "SELECT string_agg(field, ' ' ORDER BY seen_after, field) FROM changes")
	for _, vessel := range []string{"9811000", "'9811000'", "'IMO9811000'", "' imo9811000 '", "636016000", "'636016000'", "353136000", "'MMSI353136000'"} {
		if got := ask(t.Context(), t, w, "SELECT string_agg(field, ' ' ORDER BY seen_after, field) FROM changes_of("+vessel+")"); got != want {
			t.Errorf("%s: %s, want %s", vessel, got, want)
		}
	}
	for _, vessel := range []string{"9999999", "'nobody'", "NULL", "'MMSI992351001'"} {
		if got := ask(t.Context(), t, w, "SELECT count(*) FROM changes_of("+vessel+")"); got != "0" {
			t.Errorf("%s: %s changes", vessel, got)
		}
	}
	if got := ask(t.Context(), t, w, "SELECT v.vessel_id, count(*) FROM vessels AS v, changes_of(v.vessel_id) GROUP BY 1"); got != fmt.Sprintf("IMO9811000 %d", len(strings.Fields(want))) {
		t.Errorf("of each vessel: %s", got)
	}
}
