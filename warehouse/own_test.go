package warehouse_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/warehouse"
)

// TestOwnQueries reads a directory in which files are right and wrong.
func TestOwnQueries(t *testing.T) {
	const good = "-- My tankers: those that I watch.\n-- param zone (zone): which zone, such as red-sea\nSELECT * FROM vessels WHERE world_zone = getvariable('zone')"
	for name, c := range map[string]struct {
		file, text string
		wrong      string // is in the error; empty if it is a query
	}{
		"a query":                       {"my_tankers.sql", good, ""},
		"with a byte order mark":        {"marked.sql", "\ufeff" + good, ""},
		"without a comment":             {"plain.sql", "SELECT 1", ""},
		"a parameter of any text":       {"text.sql", "-- T.\n-- param word: any\nSELECT getvariable('word')", ""},
		"the name of one of ours":       {"gone_dark.sql", good, "is the name of a worked query of the program"},
		"a name with a blank":           {"my tankers.sql", good, "name it by small letters"},
		"a kind that there is not":      {"kind.sql", "-- T.\n-- param zone (ocean): which\nSELECT getvariable('zone')", "no such kind; there are night, moment, vessel, zone"},
		"a parameter that nobody reads": {"unread.sql", "-- T.\n-- param zone (zone): which\nSELECT 1", "param zone is not read"},
		"one that nothing describes":    {"undescribed.sql", "-- T.\nSELECT getvariable('zone')", "write a comment such as -- param zone (night)"},
		"no text":                       {"bytes.sql", "SELECT '\xff'", "no text in UTF-8"},
		"too large":                     {"large.sql", "-- " + strings.Repeat("x", 1<<20), "a query has at most"},
	} {
		dir := t.TempDir()
		write := func(file, text string) {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write("beside.sql", good)
		write("notes.txt", "no query")
		write(c.file, c.text)
		queries, err := warehouse.OwnQueries(dir)
		if c.wrong == "" && (err != nil || len(queries) != 2) {
			t.Errorf("%s: %d queries, %v", name, len(queries), err)
		}
		if c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong) || !strings.Contains(err.Error(), filepath.Join(dir, c.file)) || len(queries) != 1) {
			t.Errorf("%s: %d queries, %v", name, len(queries), err)
		}
		if q := queries[0]; q.Name != "beside" || q.Title != "My tankers: those that I watch" || !q.Own || len(q.Params) != 1 || q.Params[0].Kind != warehouse.ParamZone {
			t.Errorf("%s: %+v", name, q)
		}
	}
	if queries, err := warehouse.OwnQueries(""); queries != nil || err != nil {
		t.Errorf("without a directory: %v, %v", queries, err)
	}
	if _, err := warehouse.OwnQueries(filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "queries_dir") {
		t.Errorf("a directory that is not there: %v", err)
	}
	if all, err := warehouse.AllQueries(""); err != nil || len(all) != len(warehouse.Queries()) {
		t.Errorf("all without a directory: %d, %v", len(all), err)
	}
}
