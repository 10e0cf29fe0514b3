package warehouse_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/warehouse"
)

// sessionWith opens a session of DuckDB in memory and runs some statements.
func sessionWith(t *testing.T, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // USE and temporary tables are of a connection
	t.Cleanup(func() { db.Close() })
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return db
}

// emptied returns the path of a copy of a warehouse without vessels and runs.
func emptied(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	to := filepath.Join(t.TempDir(), "emptied.duckdb")
	if err = errors.Join(err, os.WriteFile(to, b, 0o600)); err != nil {
		t.Fatal(err)
	}
	sessionWith(t, "ATTACH '"+to+"' AS o", "DELETE FROM o.registration", "DELETE FROM o.changes", "DELETE FROM o.runs", "DETACH o")
	return to
}

// number returns the one number that a statement answers.
func number(t *testing.T, db *sql.DB, text string) (n int64, err error) {
	t.Helper()
	err = db.QueryRowContext(t.Context(), text).Scan(&n)
	return n, err
}

// TestViewsReadTheirOwnFile: every view counts the same rows in whatever session its file is attached, under any name.
func TestViewsReadTheirOwnFile(t *testing.T) {
	path := warehouse.Path(pipelinetest.TwoNights(t))
	attach := func(name string) string { return fmt.Sprintf("ATTACH '%s' AS %s (READ_ONLY)", path, name) }
	opened := sessionWith(t, attach("w"), "USE w")
	decoys := []string{attach("fleet"), "CREATE TABLE runs AS FROM fleet.runs LIMIT 0", "CREATE TABLE registration AS FROM fleet.registration LIMIT 1", "CREATE TABLE listed (x INTEGER)",
		"CREATE SCHEMA internal", "CREATE TABLE internal.latest (x INTEGER)", "CREATE TABLE vessel_aliases (x INTEGER)", "CREATE MACRO internal.number_of(x) AS 7", "CREATE MACRO internal.respelled(a, b, c) AS true"}
	sessions := map[string]struct {
		name string
		db   *sql.DB
	}{
		"as fleet":                       {"fleet", sessionWith(t, attach("fleet"))},
		"under another name":             {"some_other", sessionWith(t, attach("some_other"))},
		"among tables of the same names": {"fleet", sessionWith(t, decoys...)},
		"with another warehouse in use":  {"fleet", sessionWith(t, attach("fleet"), "ATTACH '"+emptied(t, path)+"' AS other", "USE other")},
	}
	rows, err := opened.QueryContext(t.Context(), "SELECT view_name FROM duckdb_views() WHERE database_name = 'w' AND NOT internal")
	if err != nil {
		t.Fatal(err)
	}
	var views []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		views = append(views, name)
	}
	rows.Close()
	if len(views) < 20 {
		t.Fatalf("the file has the views %v", views)
	}
	for _, view := range views {
		want, err := number(t, opened, "SELECT count(*) FROM "+view)
		if err != nil {
			t.Fatal(err)
		}
		for name, s := range sessions {
			if got, err := number(t, s.db, "SELECT count(*) FROM "+s.name+"."+view); err != nil || got != want {
				t.Errorf("%s, %s: %d rows, want %d (%v)", name, view, got, want, err)
			}
		}
	}
}

// TestMacrosReadTheirOwnFileOrNone: a macro answers where its names can only be those of its file, and is an error where
// they may be another's.
func TestMacrosReadTheirOwnFileOrNone(t *testing.T) {
	path := warehouse.Path(pipelinetest.TwoNights(t))
	attach := "ATTACH '" + path + "' AS fleet (READ_ONLY)"
	second := "ATTACH '" + filepath.Join(t.TempDir(), "o.db") + "' AS other"
	const useFirst = "a macro reads the database in use: USE it first, or ask vessels_on_night"
	copied := []string{attach, "ATTACH '" + emptied(t, path) + "' AS other"}
	sessions := map[string]struct {
		statements []string
		fails      string // with this message, or with any error; empty if it answers
	}{
		"its file in use":                          {[]string{attach, "USE fleet"}, ""},
		"its file in use beside another file":      {[]string{attach, second, "CREATE TABLE other.runs (x INTEGER)", "USE fleet"}, ""},
		"in memory":                                {[]string{attach}, useFirst},
		"among tables of the same names":           {[]string{attach, "CREATE TABLE runs AS FROM fleet.runs", "CREATE TABLE changes AS FROM fleet.changes LIMIT 0", "CREATE TABLE registration AS FROM fleet.registration", "CREATE TABLE vessel_aliases AS FROM fleet.vessel_aliases", "CREATE TABLE second_mmsi_claims AS FROM fleet.second_mmsi_claims"}, useFirst},
		"in memory, beside another warehouse":      {copied, useFirst},
		"another warehouse in use":                 {append(copied[:len(copied):len(copied)], "USE other"), "the only one attached"},
		"another warehouse attached":               {append(copied[:len(copied):len(copied)], "USE fleet"), "the only one attached"},
		"a temporary table of the name of one":     {[]string{attach, "USE fleet", "CREATE TEMP TABLE changes AS FROM fleet.changes LIMIT 0", "CREATE TEMP VIEW runs AS FROM fleet.runs LIMIT 0"}, "the only one attached"},
		"tables of the same names looked up first": {[]string{attach, "CREATE TABLE changes AS FROM fleet.changes LIMIT 0", "CREATE TABLE runs AS FROM fleet.runs LIMIT 0", "SET search_path = 'memory,fleet'"}, "any error"},
	}
	calls := map[string]string{
		"fleet_on": "(DATE '2026-11-20')", "fleet_of": "(DATE '2026-11-20')", "company_fleet": "(DATE '2026-11-20')", "vessels_near": "(0, 0, 20000)", "vessels_as_of": "(DATE '2026-11-20')",
		"changes_of": "((SELECT max(vessel_id) FROM fleet.changes))", "changes_between": "(DATE '2026-11-01', DATE '2027-01-01')",
	}
	for name, s := range sessions {
		db := sessionWith(t, s.statements...)
		for macro, arguments := range calls {
			call := "SELECT count(*) FROM fleet." + macro + arguments
			n, err := number(t, db, call)
			if s.fails == "" && err != nil {
				t.Errorf("%s, %s: %v", name, call, err)
			}
			if s.fails != "" && err == nil {
				t.Errorf("%s, %s: %d rows of a file that is perhaps another's", name, call, n)
			}
			if s.fails != "any error" && err != nil && !strings.Contains(err.Error(), s.fails) {
				t.Errorf("%s, %s: %v", name, call, err)
			}
		}
	}
}

// TestTheViewsOfANightAreItsMacros: the views have the rows of the macros, night by night.
func TestTheViewsOfANightAreItsMacros(t *testing.T) {
	db := sessionWith(t, "ATTACH '"+warehouse.Path(pipelinetest.Week(t))+"' AS fleet (READ_ONLY)", "USE fleet")
	for view, macro := range map[string]string{"vessels_on_night": "vessels_as_of", "fleet_of_night": "fleet_of"} {
		ofMacro := "SELECT n.night, f.* FROM (SELECT DISTINCT snapshot_date AS night FROM runs) AS n, " + macro + "(n.night) AS f"
		if n, err := number(t, db, "SELECT count(*) FROM "+view); n == 0 || err != nil {
			t.Fatalf("%s has %d rows, %v", view, n, err)
		}
		for name, difference := range map[string]string{
			"only the view has":  "(FROM " + view + " EXCEPT ALL " + ofMacro + ")",
			"only the macro has": "(" + ofMacro + " EXCEPT ALL FROM " + view + ")",
		} {
			if n, err := number(t, db, "SELECT count(*) FROM "+difference); n != 0 || err != nil {
				t.Errorf("%s, %s: %d rows, %v", view, name, n, err)
			}
		}
	}
}
