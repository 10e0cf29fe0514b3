package warehouse

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// declared is a step of a folder whose comment has these lines.
func declared(t *testing.T, name string, lines ...string) step {
	t.Helper()
	folder, file, _ := strings.Cut(name, "/")
	s, err := readStep(folder, file, "", "-- "+file+": a step.\n-- "+strings.Join(lines, "\n-- ")+"\nSELECT 1")
	must(t, err)
	return s
}

// TestTheOrderOfANightFollowsFromItsDeclarations: what makes a table comes before what reads it, and a table of the
// warehouse is read before it is changed.
func TestTheOrderOfANightFollowsFromItsDeclarations(t *testing.T) {
	got, err := inOrder([]step{
		declared(t, "20_b/a", "reads: made", "adds to: stored"),
		declared(t, "20_b/b", "reads: stored", "makes: made"),
		declared(t, "20_b/c", "reads: stored", "makes: as_stored", "after: a"),
		declared(t, "20_b/d", "reads: stored", "makes: as_before"),
		declared(t, "10_a/z", "changes: stored"),
	})
	must(t, err)
	if diff := cmp.Diff([]string{"apply/10_a/z", "apply/20_b/b", "apply/20_b/d", "apply/20_b/a", "apply/20_b/c"}, namesOf(got)); diff != "" {
		t.Error(diff)
	}
}

func namesOf(steps []step) (names []string) {
	for _, s := range steps {
		names = append(names, s.name())
	}
	return names
}

func TestBadDeclarationsAreErrors(t *testing.T) {
	for name, test := range map[string]struct {
		steps []step
		want  string
	}{
		"two steps that wait for each other": {[]step{
			declared(t, "10_a/a", "reads: y", "makes: x"), declared(t, "10_a/b", "reads: x", "makes: y")},
			"a cycle: each of apply/10_a/a, apply/10_a/b waits"},
		"two steps that change one table": {[]step{
			declared(t, "10_a/a", "changes: stored"), declared(t, "10_a/b", "adds to: stored")},
			"apply/10_a/a and apply/10_a/b both change stored"},
		"two steps that add to one table, of which one reads it": {[]step{
			declared(t, "10_a/a", "adds to: stored", "reads: stored"), declared(t, "10_a/b", "adds to: stored")},
			"apply/10_a/a and apply/10_a/b both change stored"},
		"a table that is made twice": {[]step{
			declared(t, "10_a/a", "makes: x"), declared(t, "20_b/b", "makes: x")},
			"apply/10_a/a and apply/20_b/b both make x"},
		"a table that a later folder makes": {[]step{
			declared(t, "10_a/a", "reads: x", "makes: y"), declared(t, "20_b/b", "makes: x")},
			"apply/10_a/a reads x, which apply/20_b/b makes later"},
		"a change of a table that another step makes": {[]step{
			declared(t, "10_a/a", "makes: x"), declared(t, "20_b/b", "adds to: x")},
			"apply/20_b/b changes x, which apply/10_a/a makes"},
		"a step after one that is not there": {[]step{
			declared(t, "10_a/a", "makes: x", "after: b")},
			"apply/10_a/a: it comes after b, which its folder does not have"},
		"a step that may run when the one before is skipped": {[]step{
			declared(t, "10_a/a", "makes: x", "needs: lake_listings or lake_sightings"), declared(t, "20_b/b", "reads: x", "makes: y", "needs: lake_positions")},
			"apply/20_b/b may run on a night that skips apply/10_a/a"},
		"a need that another step begins to meet": {[]step{
			declared(t, "10_a/a", "makes: x", "needs: stored"), declared(t, "10_a/b", "adds to: stored"), declared(t, "20_b/b", "reads: x", "makes: y", "needs: stored")},
			"apply/20_b/b may run on a night that skips apply/10_a/a"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := inOrder(test.steps); err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got the error %v, want %s", err, test.want)
			}
		})
	}
}

// TestWhatIsSkippedTogetherNeedsNoColumns: a step that needs less, or what the step before makes, is skipped with it.
func TestWhatIsSkippedTogetherNeedsNoColumns(t *testing.T) {
	for name, needs := range map[string]string{
		"the same":                      "lake_listings or lake_sightings",
		"one of the two":                "lake_sightings",
		"what it makes":                 "x",
		"some rows of what it makes":    "x WHERE y > 0",
		"what another makes of x alone": "z",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := inOrder([]step{
				declared(t, "10_a/a", "makes: x", "needs: lake_listings or lake_sightings"),
				declared(t, "10_a/b", "makes: z", "reads: x", "needs: x"),
				declared(t, "20_b/b", "reads: x", "makes: y", "needs: "+needs),
			})
			must(t, err)
		})
	}
}

// TestAStepRunsOnlyIfItHasSomethingToDo: a step without rows for it makes an empty table, and runs nothing.
func TestAStepRunsOnlyIfItHasSomethingToDo(t *testing.T) {
	const maker = "CREATE OR REPLACE TEMP TABLE x AS SELECT 1 AS y FROM range(%d)"
	for name, test := range map[string]struct {
		lake  bool // whether the night has files of the table
		made  int  // how many rows the first step makes
		wants string
	}{
		"a night without files of the table": {false, 1, "0 0"},
		"a night with a row":                 {true, 1, "1 1"},
		"a night without a row":              {true, 0, "0 0"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHistory(t, 0)
			conn, err := h.db.Conn(t.Context())
			must(t, err)
			defer conn.Close()
			tx, err := conn.BeginTx(t.Context(), nil)
			must(t, err)
			defer tx.Rollback()
			steps := []step{
				{folder: "a", file: "x", makes: "x", columns: []string{"y INTEGER"}, needs: [][]string{{"lake_listings"}}, text: fmt.Sprintf(maker, test.made)},
				{folder: "a", file: "z", makes: "z", columns: []string{"SELECT * FROM x"}, needs: [][]string{{"x WHERE y = 1"}}, text: "CREATE OR REPLACE TEMP TABLE z AS SELECT * FROM x"},
			}
			n := newNightRun(&Tx{tx: tx, conn: conn, hasRows: map[string]bool{"listings": test.lake}}, "2026-11-20", prepareSteps(steps))
			must(t, n.run(t.Context()))
			var x, z int
			must(t, tx.QueryRow("SELECT (SELECT count(*) FROM x), (SELECT count(*) FROM z)").Scan(&x, &z))
			if got := fmt.Sprint(x, " ", z); got != test.wants {
				t.Errorf("x and z have %s rows, want %s", got, test.wants)
			}
		})
	}
}

// TestANeedIsAskedAgainWhenItsTableChanges: a step that adds the first row lets those after it run.
func TestANeedIsAskedAgainWhenItsTableChanges(t *testing.T) {
	h := newHistory(t, 0)
	conn, err := h.db.Conn(t.Context())
	must(t, err)
	defer conn.Close()
	tx, err := conn.BeginTx(t.Context(), nil)
	must(t, err)
	defer tx.Rollback()
	count := "CREATE OR REPLACE TEMP TABLE %s AS SELECT 1 AS one"
	needs := [][]string{{"second_mmsi_claims WHERE until IS NULL"}}
	steps := []step{
		{file: "before", makes: "before", columns: []string{"one INTEGER"}, needs: needs, text: fmt.Sprintf(count, "before")},
		{file: "add", adds: []string{"second_mmsi_claims"}, text: "INSERT INTO second_mmsi_claims (vessel_id) VALUES ('IMO9000001')"},
		{file: "later", makes: "later", columns: []string{"one INTEGER"}, needs: needs, text: fmt.Sprintf(count, "later")},
	}
	must(t, newNightRun(&Tx{tx: tx, conn: conn}, "2026-11-20", prepareSteps(steps)).run(t.Context()))
	var before, later int
	must(t, tx.QueryRow("SELECT (SELECT count(*) FROM before), (SELECT count(*) FROM later)").Scan(&before, &later))
	if before != 0 || later != 1 {
		t.Errorf("%d and %d rows, want 0 and 1", before, later)
	}
}

// TestAStepSaysHowManyRowsItMade: also one that joins as written, between two settings. So nobody asks whether its table
// has rows.
func TestAStepSaysHowManyRowsItMade(t *testing.T) {
	h := newHistory(t, 0)
	conn, err := h.db.Conn(t.Context())
	must(t, err)
	defer conn.Close()
	n := newNightRun(&Tx{conn: conn}, "2026-11-20", nil)
	for text, want := range map[string]int64{
		"CREATE OR REPLACE TEMP TABLE made AS SELECT 1 AS one FROM range(3)": 3,
		"CREATE OR REPLACE TEMP TABLE made AS SELECT 1 AS one WHERE false":   0,
		"CREATE OR REPLACE TEMP VIEW seen AS SELECT 1 AS one":                0,
	} {
		for _, asWritten := range []bool{false, true} {
			got, err := n.execute(t.Context(), step{text: text, asWritten: asWritten})
			if err != nil || got != want {
				t.Errorf("%s (as written: %v): %d rows, %v; want %d", text, asWritten, got, err, want)
			}
		}
	}
}

// TestEveryTableOfANightIsMadeOrThere: what steps read is made by another, is of the lake, or is in the file.
func TestEveryTableOfANightIsMadeOrThere(t *testing.T) {
	h := newHistory(t, 0)
	steps, err := nightly(datasets)
	must(t, err)
	must(t, everyTableIsThere(t.Context(), h.db, steps))
	unknown := append(slices.Clone(steps), declared(t, "99_z/a", "reads: nowhere", "makes: x"))
	if err := everyTableIsThere(t.Context(), h.db, unknown); err == nil || !strings.HasPrefix(err.Error(), "apply/99_z/a reads nowhere, which no step makes") {
		t.Errorf("got the error %v", err)
	}
}
