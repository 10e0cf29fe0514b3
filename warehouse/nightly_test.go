package warehouse

import (
	"io/fs"
	"strings"
	"testing"
)

// TestANightRunsEveryStatement finds files of sql/apply that no step runs, and that would mislead a
// reader.
func TestANightRunsEveryStatement(t *testing.T) {
	runs := map[string]bool{"apply/10_coverage/run": true} // once for each run, before the night
	for _, s := range nightly(datasets) {
		name, _, _ := strings.Cut(s.name, " of ")
		runs[name] = true
	}
	must(t, fs.WalkDir(files, "sql/apply", func(path string, d fs.DirEntry, err error) error {
		if name := strings.TrimSuffix(strings.TrimPrefix(path, "sql/"), ".sql"); err == nil && !d.IsDir() && !runs[name] {
			t.Errorf("no step runs %s", path)
		}
		return err
	}))
}

// TestANightRunsInTheOrderOfItsFolders checks that the numbers of the folders are the order of a night.
func TestANightRunsInTheOrderOfItsFolders(t *testing.T) {
	before := ""
	for _, s := range nightly(datasets) {
		folder := strings.Split(s.name, "/")[1]
		if shared := folder == "40_datasets" && before < folder; shared {
			continue // the statements that registration shares with the other datasets
		}
		if folder < before {
			t.Errorf("%s comes after %s", s.name, before)
		}
		before = folder
	}
}

// TestAStatementRunsOnlyIfItHasSomethingToDo checks both answers of a condition, which is queried only on a night with files of the table.
func TestAStatementRunsOnlyIfItHasSomethingToDo(t *testing.T) {
	for name, test := range map[string]struct {
		lake    bool
		queried string // the number of rows that the condition finds
		want    bool
	}{
		"a night without files of the table":             {lake: false, queried: "1", want: false},
		"a night with files, and a condition that holds": {lake: true, queried: "1", want: true},
		"a night with files, and a condition that fails": {lake: true, queried: "0", want: false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHistory(t, 0)
			tx, err := h.db.BeginTx(t.Context(), nil)
			must(t, err)
			defer tx.Rollback()
			found := map[string]bool{}
			s := step{name: "a statement", from: []string{"listings"}, onlyIf: "SELECT $date = '2026-11-20' AND " + test.queried + " > 0"}
			got, err := (&Tx{tx: tx, hasRows: map[string]bool{"listings": test.lake}}).needed(t.Context(), s, "2026-11-20", found)
			must(t, err)
			if got != test.want {
				t.Errorf("it runs: %v, want %v", got, test.want)
			}
			if _, queried := found[s.onlyIf]; queried != test.lake {
				t.Errorf("the condition was queried: %v, want %v", queried, test.lake)
			}
		})
	}
}

// TestConditionsAreOfStatements finds a condition of a statement that no night runs.
func TestConditionsAreOfStatements(t *testing.T) {
	for name := range conditions {
		conditional := 0
		for _, s := range nightly(datasets) {
			if strings.HasPrefix(s.name, "apply/40_datasets/"+name+" of ") && s.onlyIf != "" {
				conditional++
			}
		}
		if conditional != len(datasets) {
			t.Errorf("%s has a condition for %d of %d datasets", name, conditional, len(datasets))
		}
	}
}
