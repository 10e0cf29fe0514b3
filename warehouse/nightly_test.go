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
