package warehouse

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/transform"
	"github.com/google/go-cmp/cmp"
)

// history is a warehouse of hand-made rows. Nights are days of November 2026, and their runs begin at
// two o'clock.
type history struct {
	t  *testing.T
	db *sql.DB
}

// emptyFile is a warehouse with the definitions and the reference tables, which every history begins with.
var emptyFile []byte

// newHistory returns a warehouse with runs on the nights from 1 to last, and nothing else.
func newHistory(t *testing.T, last int) history {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fleet.duckdb")
	if emptyFile == nil {
		emptyFile = newEmptyFile(t)
	}
	must(t, os.WriteFile(path, emptyFile, 0o600))
	db, err := open(t.Context(), path)
	must(t, err)
	t.Cleanup(func() { db.Close() })
	h := history{t, db}
	h.exec(fmt.Sprintf(`INSERT INTO runs BY NAME SELECT 'run' || lpad(day::VARCHAR, 2, '0') AS run_id, %s AS snapshot_date, %s AS started_at, started_at + INTERVAL 1 HOUR AS finished_at
		FROM (SELECT unnest(range(1, %d)) AS day)`, night("day"), at("day"), last+1))
	return h
}

func newEmptyFile(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "empty.duckdb")
	db, err := open(t.Context(), path)
	must(t, err)
	defer db.Close()
	must(t, prepare(t.Context(), db, (&Build{Comments: comments()}).definitions()))
	h := history{t, db}
	for _, table := range transform.ReferenceTables() {
		var rows []string
		for _, row := range table.Rows {
			rows = append(rows, "("+quoted(row...)+")")
		}
		h.exec("INSERT INTO " + table.Name + " (" + strings.Join(table.Columns, ", ") + ") VALUES " + strings.Join(rows, ", "))
	}
	must(t, db.Close()) // with a checkpoint
	file, err := os.ReadFile(path)
	must(t, err)
	return file
}

// try runs a subtest on the rows so far, and undoes what it adds.
func (h history) try(name string, f func(h history)) {
	h.t.Helper()
	h.t.Run(name, func(t *testing.T) {
		h := history{t, h.db}
		h.exec("BEGIN")
		defer h.exec("ROLLBACK")
		f(h)
	})
}

func (h history) exec(text string) {
	h.t.Helper()
	if _, err := h.db.ExecContext(context.WithoutCancel(h.t.Context()), text); err != nil {
		h.t.Fatalf("%v\n%s", err, text)
	}
}

// night and at are a day of November as SQL: the night, and the beginning of its run.
func night(day any) string { return fmt.Sprintf("(DATE '2026-10-31' + (%v)::INTEGER)", day) }
func at(day any) string {
	return fmt.Sprintf("(TIMESTAMPTZ '2026-10-31 02:00:00+00' + INTERVAL 1 DAY * (%v))", day)
}

// quoted lists values as SQL. An empty one is null.
func quoted(values ...string) string {
	for i, v := range values {
		if values[i] = quote(v); v == "" {
			values[i] = "NULL"
		}
	}
	return strings.Join(values, ", ")
}

// vessel registers and lists a vessel from the first night on.
func (h history) vessel(id, mmsi, flag, typ string) {
	h.t.Helper()
	h.version(id, mmsi, "SHIP "+id[len(id)-1:], flag, typ, 1, 0)
	h.exec(fmt.Sprintf("INSERT INTO listed (vessel_id, from_date, last_date) VALUES (%s, %s, %s)", quote(id), night(1), night(1)))
}

// version is a registration from one night to another; 0 is open, and last seen on the last night.
func (h history) version(id, mmsi, name, flag, typ string, from, to int) {
	h.t.Helper()
	until, closed, seen := "NULL", "NULL", "(SELECT max(started_at) FROM runs)"
	if to > 0 {
		until, closed, seen = at(to), night(to), at(to-1)
	}
	h.exec(fmt.Sprintf(`INSERT INTO registration BY NAME SELECT %s AS vessel_id, TRY_CAST(substr(vessel_id, 4) AS INTEGER) AS imo, internal.number_of(vessel_id) AS vessel_number, nullif(%s, '') AS mmsi, %s AS name, nullif(%s, '') AS flag, nullif(%s, '') AS vessel_type,
		(SELECT category FROM types AS t WHERE t.vessel_type = %[5]s) AS category, (SELECT is_vessel FROM types AS t WHERE t.vessel_type = %[5]s) AS is_vessel,
		%[6]s AS snapshot_date, %[7]s AS valid_from, valid_from AS first_seen, %[8]s AS valid_to, %[9]s AS closed_date, %[10]s AS last_seen, 'run01' AS run_id, 1 AS entry`,
		quote(id), quote(mmsi), quote(name), quote(flag), quote(typ), night(from), at(from), until, closed, seen))
}

// changed records a change that a night observed. The night before had the old value.
func (h history) changed(id, dataset, field, before, after string, day int) {
	h.t.Helper()
	h.exec(fmt.Sprintf("INSERT INTO changes (vessel_id, dataset, field, old_value, new_value, seen_before, seen_after, snapshot_date, flapping, respelled, run_id, entry) VALUES (%s, %s, %s, %s, false, internal.respelled(%s), 'run', 7)",
		quoted(id, dataset, field, before, after), at(day-1), at(day), night(day), quoted(field, before, after)))
}

// expect compares the rows of a statement, each as a text.
func (h history) expect(text string, want ...string) {
	h.t.Helper()
	h.extend(text)
	h.is(text, want...)
}

// is compares the answer of a query after extend, which takes far longer than the query: where nothing was
// inserted since, another question needs no other extend.
func (h history) is(text string, want ...string) {
	h.t.Helper()
	if diff := cmp.Diff(want, h.rows(text)); diff != "" {
		h.t.Errorf("%s\n(-want +got):\n%s", text, diff)
	}
}

func (h history) rows(text string) (all []string) {
	h.t.Helper()
	rows, err := h.db.QueryContext(h.t.Context(), "SELECT array_to_string([coalesce(COLUMNS(*)::VARCHAR, '-')], '') FROM ("+text+")")
	must(h.t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	must(h.t, err)
	values, places := make([]string, len(columns)), make([]any, len(columns))
	for i := range values {
		places[i] = &values[i]
	}
	for rows.Next() {
		must(h.t, rows.Scan(places...))
		all = append(all, strings.Join(values, " | "))
	}
	must(h.t, rows.Err())
	return all
}

func TestReadyViewsOfAnEmptyWarehouse(t *testing.T) {
	h := newHistory(t, 0)
	for _, view := range statements("views/ready") {
		if name := strings.TrimPrefix(view, "views/ready/"); name != "data_freshness" && name != "near" { // near is a macro
			h.expect("FROM " + name)
		}
	}
	h.expect("SELECT sum(vessels), count(share) FROM data_freshness", "0 | 0")
}

func TestReflaggings(t *testing.T) {
	h := newHistory(t, 6)
	for id, steps := range map[string][]string{ // MMSI and flag of each version, from night 1, 3 and 5 on
		"IMO9000001": {"353000001 PA", "636000001 LR", "229000001 MT"}, // twice, to other MMSIs
		"IMO9000002": {"353000002 PA", "353000002 LR"},                 // the MMSI has not followed yet
		"IMO9000003": {"636000003 PA", "636000003 LR"},                 // a corrected entry: it always had the digits of Liberia
		"IMO9000004": {"235000004 GI", "235000004 GB"},                 // the digits of a territory may be those of its state
	} {
		for i, step := range steps {
			mmsi, flag, _ := strings.Cut(step, " ")
			to := 3 + 2*i
			if i == len(steps)-1 {
				to = 0
			}
			h.version(id, mmsi, "SHIP", flag, "Bulk Carrier", 1+2*i, to)
			if i == 0 {
				continue
			}
			before, was, _ := strings.Cut(steps[i-1], " ")
			h.changed(id, "registration", "flag", was, flag, 1+2*i)
			if before != mmsi {
				h.changed(id, "registration", "mmsi", before, mmsi, 1+2*i)
			}
		}
	}
	// first knowledge of a flag, and a flag that a single observation had
	h.vessel("IMO9000005", "353000005", "PA", "")
	h.changed("IMO9000005", "registration", "flag", "", "PA", 2)
	h.changed("IMO9000005", "registration", "flag", "PA", "LR", 3)
	h.changed("IMO9000005", "registration", "flag", "LR", "PA", 4)
	h.exec("UPDATE changes SET flapping = true WHERE vessel_id = 'IMO9000005' AND old_value IS NOT NULL")
	// a change while the vessel was known by its MMSI alone, and one of that id when the IMO number had its own registration
	h.version("MMSI353000006", "353000006", "SHIP", "PA", "", 1, 2)
	h.version("MMSI353000006", "353000006", "SHIP", "BS", "", 2, 4)
	h.version("IMO9000006", "353000006", "SHIP", "BS", "", 3, 0)
	h.exec("INSERT INTO vessel_aliases (alias_id, vessel_id, since, snapshot_date) VALUES ('MMSI353000006', 'IMO9000006', " + at(4) + ", " + night(4) + ")")
	h.changed("MMSI353000006", "registration", "flag", "PA", "BS", 2)
	h.changed("MMSI353000006", "registration", "flag", "BS", "DE", 3)
	// the same MMSI on another vessel, after the alias had ended
	h.changed("MMSI353000006", "registration", "flag", "PA", "DE", 6)
	h.version("MMSI353000006", "353000006", "OTHER", "DE", "Beacon, Safe Water", 5, 0)

	h.expect("SELECT vessel_id, day(snapshot_date), flag_before, flag_after, open_registry_before, open_registry_after, mmsi_changed, category, is_vessel, seen_again FROM reflaggings ORDER BY ALL",
		"IMO9000001 | 3 | PA | LR | true | true | true | cargo | true | true",
		"IMO9000001 | 5 | LR | MT | true | true | true | cargo | true | true",
		"IMO9000002 | 3 | PA | LR | true | true | false | cargo | true | true",
		"IMO9000004 | 3 | GI | GB | true | false | false | cargo | true | true",
		"IMO9000006 | 2 | PA | BS | true | true | false | unknown | true | true",
		"MMSI353000006 | 6 | PA | DE | true | false | false | aid to navigation | false | false")
}

func TestRenamings(t *testing.T) {
	h := newHistory(t, 5)
	h.version("IMO9000001", "", "OLD", "PA", "Bulk Carrier", 1, 3)
	h.version("IMO9000001", "", "NEW", "LR", "Bulk Carrier", 3, 0)
	h.changed("IMO9000001", "registration", "name", "OLD", "NEW", 3)
	h.changed("IMO9000001", "registration", "flag", "PA", "LR", 3)
	h.version("IMO9000002", "", "LATEST", "PA", "", 5, 0)
	h.changed("IMO9000002", "registration", "name", "", "FIRST", 2)                     // the first name that is known
	h.changed("IMO9000002", "registration", "name", "FIRST", "F I-RST", 3)              // another spelling
	h.changed("IMO9000002", "registration", "name", "F I-RST", "LATEST", 5)             // seen once so far
	h.changed("IMO9000002", "particulars", "place_of_build", "ULSAN", "MOKPO", 5)       // no name
	h.changed("IMO9000002", "registration", "callsign", "ABC1", "ABC2", 5)              // no name
	h.exec("UPDATE registration SET untold = '{\"flag\": \"2026-11-02 02:00:00+00\"}'") // of the flag, and not of the name
	h.expect("SELECT vessel_id, imo, day(snapshot_date), epoch(seen_after - seen_before)::INTEGER // 3600, name_before, name_after, name, flag, category, reflagged_too, seen_again FROM renamings ORDER BY ALL",
		"IMO9000001 | 9000001 | 3 | 24 | OLD | NEW | NEW | LR | cargo | true | true",
		"IMO9000002 | 9000002 | 5 | 24 | F I-RST | LATEST | LATEST | PA | unknown | false | false")
	// a later observation that leaves the name out does not confirm it
	h.exec("UPDATE registration SET untold = '{\"name\": \"2026-11-03 02:00:00+00\"}'")
	h.expect("SELECT name_after FROM renamings WHERE seen_again")
}

func TestOwnershipChanges(t *testing.T) {
	h := newHistory(t, 9)
	h.vessel("IMO9000001", "", "PA", "")
	h.exec(`INSERT INTO management (vessel_id, registered_owner, manager, valid_from, last_seen) VALUES ('IMO9000001', 'C', 'N', ` + at(8) + ", " + at(9) + ")")
	h.changed("IMO9000001", "management", "registered_owner", "", "A", 2) // first knowledge
	h.changed("IMO9000001", "management", "registered_owner", "A Ltd", "A LTD.", 3)
	h.changed("IMO9000001", "management", "registered_owner", "A LTD.", "B", 4)
	h.changed("IMO9000001", "management", "manager_email", "a", "b", 4)
	h.changed("IMO9000001", "management", "registered_owner", "B", "C", 8)
	h.changed("IMO9000001", "management", "manager", "M", "N", 8)
	h.changed("IMO9000001", "management", "manager", "N", "O", 9)
	h.exec("UPDATE changes SET flapping = true WHERE new_value = 'O'")
	h.expect("SELECT day(snapshot_date), role, company_before, company_after, both_changed, seen_again FROM ownership_changes ORDER BY ALL",
		"4 | registered_owner | A LTD. | B | false | false",
		"8 | manager | M | N | true | true",
		"8 | registered_owner | B | C | true | true")
}

func TestIdentityReview(t *testing.T) {
	h := newHistory(t, 9)
	claim := func(id, mmsi string, from, to int) {
		h.exec(fmt.Sprintf("INSERT INTO second_mmsi_claims (vessel_id, mmsi, first_seen, last_seen, run_id) VALUES (%s, %s, %s, %s)", quoted(id, mmsi), at(from), at(to), quote(fmt.Sprintf("run%02d", from))))
	}
	// one MMSI: of two vessels at the same time, of one after the other, and in a conflict that is recorded
	h.version("IMO9000001", "353000001", "A", "PA", "", 1, 5)
	h.version("IMO9000001", "353000091", "A", "PA", "", 5, 0)
	claim("IMO9000002", "353000001", 3, 8)
	h.version("IMO9000003", "353000003", "C", "PA", "", 1, 3)
	h.version("IMO9000003", "353000093", "C", "PA", "", 3, 0)
	h.version("IMO9000004", "353000003", "D", "PA", "", 4, 0)
	h.version("IMO9000005", "353000005", "E", "PA", "", 1, 0)
	h.version("IMO9000006", "353000005", "F", "PA", "", 1, 0)
	h.exec("INSERT INTO identity_conflicts SELECT v, 'registration', 'mmsi', '353000005', 'several imo numbers show this mmsi', " + night(2) + ", " + night(6) + ", 'run02', e FROM (VALUES ('IMO9000006', 5), ('IMO9000005', 4)) AS t(v, e)")
	// one vessel with two MMSIs at the same time
	h.version("IMO9000007", "636000007", "G", "LR", "", 4, 0)
	h.version("IMO9000007", "353000007", "G", "PA", "", 1, 4)
	claim("IMO9000007", "353000007", 4, 6)
	// a flag that the digits do not stand for, since the night of the flag; a territory and its state; no digits of a ship
	h.version("IMO9000008", "353000008", "H", "PA", "", 1, 3)
	h.version("IMO9000008", "353000008", "H", "LR", "", 3, 6)
	h.version("IMO9000008", "353000008", "I", "LR", "", 6, 0)
	h.version("IMO9000010", "235000010", "J", "GI", "", 1, 0)
	h.version("MMSI992350001", "992350001", "K", "PA", "Beacon, Safe Water", 1, 0)
	// numbers that were refused, and other values that were
	h.exec("INSERT INTO issues (vessel_id, field, raw_value, reason, snapshot_date, run_id, entry) SELECT 'MMSI353000011', f, '9000000', 'bad check digit', " + night("d") + ", 'run0' || d, 10 - d FROM (VALUES ('imo', 3), ('imo', 2), ('mmsi', 1)) AS t(f, d)")
	// an alias that is valid, and one that ended
	h.exec("INSERT INTO vessel_aliases (alias_id, vessel_id, since, until, snapshot_date, reason, run_id) VALUES ('MMSI1', 'IMO9000012', " + at(2) + ", NULL, " + night(2) + ", 'why', 'run02'), ('MMSI2', 'IMO9000013', " + at(2) + ", " + at(7) + ", " + night(2) + ", 'why', 'run02')")
	h.expect("SELECT kind, vessel_id, other_vessel_ids, value, detail, day(since), day(last_date), run_id, entry FROM identity_review ORDER BY ALL",
		"alias | IMO9000012 | MMSI1 | MMSI1 | why | 2 | 9 | run02 | -",
		"alias | IMO9000013 | MMSI2 | MMSI2 | why | 2 | 6 | run02 | -",
		"identity conflict | IMO9000005 | IMO9000006 | 353000005 | several imo numbers show this mmsi | 2 | 6 | run02 | 4",
		"imo number refused | MMSI353000011 | - | 9000000 | bad check digit | 2 | 3 | run02 | 8",
		"mmsi of another flag | IMO9000008 | - | 353000008 | flag LR, digits of PA | 3 | 9 | run01 | 1",
		"several mmsis | IMO9000007 | - | 353000007, 636000007 | claimed by one vessel at the same time | 4 | 6 | run04 | -",
		"shared mmsi | IMO9000001 | IMO9000002 | 353000001 | claimed by several vessels at the same time | 3 | 4 | run03 | -")
}

func TestDataFreshness(t *testing.T) {
	h := newHistory(t, 9)
	for i := range 4 {
		h.vessel(fmt.Sprintf("IMO900000%d", i), "", "PA", "Bulk Carrier")
	}
	h.vessel("MMSI992350001", "992350001", "PA", "Beacon, Safe Water") // no vessel
	h.version("IMO9000009", "", "GONE", "PA", "", 1, 0)                // not listed
	h.exec("INSERT INTO particulars (vessel_id, valid_from, last_seen) SELECT 'IMO900000' || i, s, s FROM (SELECT i, (SELECT max(finished_at) FROM runs) - INTERVAL 1 HOUR * hours AS s FROM (VALUES (0, 24), (1, 25), (2, 24 * 400), (9, 1)) AS t(i, hours))")
	h.exec("INSERT INTO internal.latest (vessel_id, position_at, position_seen_at) VALUES ('IMO9000000', " + at(1) + ", " + at(9) + ")")
	h.exec("INSERT INTO internal.latest (vessel_id, latitude, longitude, position_seen_at) VALUES ('IMO9000001', 1, 2, " + at(9) + ")") // when she was there nobody says
	h.expect("SELECT dataset, band, age_band, vessels, share FROM data_freshness WHERE vessels > 0 ORDER BY dataset, band",
		"engine | 7 | never | 4 | 1.0",
		"management | 7 | never | 4 | 1.0",
		"particulars | 1 | up to a day | 1 | 0.25",
		"particulars | 2 | up to a week | 1 | 0.25",
		"particulars | 6 | more than a year | 1 | 0.25",
		"particulars | 7 | never | 1 | 0.25",
		"position | 3 | up to a month | 1 | 0.25",
		"position | 7 | never | 2 | 0.5",
		"position | 8 | time not given | 1 | 0.25",
		"registration | 1 | up to a day | 4 | 1.0",
		"sighting | 7 | never | 4 | 1.0",
		"voyage | 7 | never | 4 | 1.0")
	h.expect("SELECT count(*), count(DISTINCT dataset), sum(vessels), bool_and(as_of = (SELECT max(finished_at) FROM runs)) FROM data_freshness", "56 | 7 | 28 | true")
}
