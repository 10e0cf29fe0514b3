package load

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/transform"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "add new columns to the golden file")

// field is a column of a lake table, as engines that read the files know it.
type field struct {
	table    string
	id       int
	name, is string // is is its type
}

func (f field) String() string { return fmt.Sprintf("%s %d %s %s", f.table, f.id, f.name, f.is) }

// parseField reads what String has written.
func parseField(line string) (f field, err error) {
	parts := strings.SplitN(line, " ", 4)
	if len(parts) < 4 {
		return f, fmt.Errorf("%q is no column", line)
	}
	f = field{table: parts[0], name: parts[2], is: parts[3]}
	f.id, err = strconv.Atoi(parts[1])
	return f, err
}

// lakeFields returns the columns of all lake tables.
func lakeFields(t *testing.T) (all []field) {
	for _, table := range transform.Tables {
		columns := columnsOf(table)
		for i, f := range table.Schema.Fields() {
			number, _ := f.Metadata.GetValue("PARQUET:field_id")
			id, err := strconv.Atoi(number)
			if err != nil {
				t.Fatalf("%s.%s has the field id %q", table.Name, f.Name, number)
			}
			all = append(all, field{table.Name, id, f.Name, columns[i].Type})
		}
	}
	dir := oneNightAtOnce(t)
	file := "'" + filepath.Join(lake(dir), filepath.FromSlash(lakePath(vessels, "2026-11-20", night("20").runID()))) + "'"
	ids := map[string]int{}
	for line := range strings.SplitSeq(query(t, dir, "SELECT name, field_id FROM parquet_schema("+file+") WHERE num_children IS NULL"), "\n") {
		name, id, _ := strings.Cut(line, " ")
		ids[name], _ = strconv.Atoi(id)
	}
	for line := range strings.SplitSeq(query(t, dir, "SELECT column_name, column_type FROM (DESCRIBE FROM read_parquet("+file+", hive_partitioning = false))"), "\n") {
		name, typ, _ := strings.Cut(line, " ")
		all = append(all, field{vessels, ids[name], name, typ})
	}
	return all
}

// changedFields compares columns with those that were ever written. A field id never gets another
// name or type, and a name never another id. It returns a line for each column that breaks this,
// and the columns that are new.
func changedFields(ever, now []field) (wrong []string, added []field) {
	type key struct{ table, of string }
	known := map[key]field{}
	enter := func(f field) {
		known[key{f.table, strconv.Itoa(f.id)}], known[key{f.table, f.name}] = f, f
	}
	for _, f := range ever {
		enter(f)
	}
	for _, f := range now {
		byID, hasID := known[key{f.table, strconv.Itoa(f.id)}]
		byName, hasName := known[key{f.table, f.name}]
		switch {
		case f.id <= 0:
			wrong = append(wrong, fmt.Sprintf("%s has no field id", f))
		case !hasID && !hasName:
			added = append(added, f)
			enter(f)
		case hasID && byID != f:
			wrong = append(wrong, fmt.Sprintf("%s: the field id belongs to %s", f, byID))
		case !hasID:
			wrong = append(wrong, fmt.Sprintf("%s: the column has the field id of %s", f, byName))
		}
	}
	return wrong, added
}

// TestFieldIDsAreForEver compares the columns of the lake with the golden file, which lists all that
// were ever written. A column that is removed stays there, so that its id is never used again.
func TestFieldIDsAreForEver(t *testing.T) {
	path := filepath.Join("testdata", "fields.golden")
	var ever []field
	b, err := os.ReadFile(path)
	if err != nil && !(*update && os.IsNotExist(err)) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		f, err := parseField(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		ever = append(ever, f)
	}
	now := lakeFields(t)
	wrong, added := changedFields(ever, now)
	for _, line := range wrong {
		t.Error(line)
	}
	if len(added) > 0 && *update {
		var out strings.Builder
		for _, f := range append(ever, added...) {
			fmt.Fprintln(&out, f)
		}
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if len(added) > 0 {
		t.Errorf("new columns, which `go test ./load -run FieldIDs -update` adds to %s: %v", path, added)
	}

	nights := map[string]field{}
	for _, f := range now {
		if f.name == "snapshot_date" {
			nights[f.table] = f
		}
	}
	for _, table := range append(slices.Clone(transform.Tables), transform.Table{Name: vessels}) {
		if want := (field{table.Name, 7, "snapshot_date", "DATE"}); nights[table.Name] != want {
			t.Errorf("got %q, want %q", nights[table.Name], want)
		}
	}
}

func TestAChangedFieldIsFound(t *testing.T) {
	ever := []field{{"engine", 40, "fuel_type", "VARCHAR"}, {"engine", 41, "propeller", "VARCHAR"}}
	for name, c := range map[string]struct {
		now          []field
		wrong, added int
	}{
		"nothing changed":                       {now: ever},
		"a removed column":                      {now: ever[:1]},
		"a new column":                          {now: []field{{"engine", 42, "cylinders", "INTEGER"}}, added: 1},
		"the same id in another table":          {now: []field{{"management", 40, "manager", "VARCHAR"}}, added: 1},
		"a renamed column":                      {now: []field{{"engine", 41, "screw", "VARCHAR"}}, wrong: 1},
		"another id":                            {now: []field{{"engine", 43, "propeller", "VARCHAR"}}, wrong: 1},
		"another type":                          {now: []field{{"engine", 41, "propeller", "INTEGER"}}, wrong: 1},
		"the id of a column that was removed":   {now: []field{{"engine", 41, "cylinders", "INTEGER"}}, wrong: 1},
		"one id for two new columns":            {now: []field{{"engine", 42, "cylinders", "INTEGER"}, {"engine", 42, "strokes", "INTEGER"}}, added: 1, wrong: 1},
		"no id":                                 {now: []field{{"engine", 0, "cylinders", "INTEGER"}}, wrong: 1},
		"two columns that exchanged their ids":  {now: []field{{"engine", 41, "fuel_type", "VARCHAR"}, {"engine", 40, "propeller", "VARCHAR"}}, wrong: 2},
		"a column that is there with two types": {now: append(slices.Clone(ever), field{"engine", 40, "fuel_type", "INTEGER"}), wrong: 1},
	} {
		t.Run(name, func(t *testing.T) {
			if wrong, added := changedFields(ever, c.now); len(wrong) != c.wrong || len(added) != c.added {
				t.Errorf("wrong %q, added %v, want %d and %d", wrong, added, c.wrong, c.added)
			}
		})
	}
}

// TestTheSnapshotDateIsInTheFileAndInThePath reads the lake as engines do: those that take columns
// from paths, and those that do not.
func TestTheSnapshotDateIsInTheFileAndInThePath(t *testing.T) {
	dir := fourNightsAtOnce(t)
	for _, table := range []string{"listings", "coverage", vessels} {
		files := filepath.ToSlash(filepath.Join(lake(dir), table, "*", "*.parquet"))
		got := map[string]string{}
		for name, option := range map[string]string{"by default": "", "with paths": ", hive_partitioning = true", "without": ", hive_partitioning = false"} {
			got[name] = query(t, dir, "SELECT snapshot_date, typeof(snapshot_date), count(*), bool_and(contains(filename, 'snapshot_date=' || snapshot_date)) FROM read_parquet('"+files+"', filename = true"+option+") GROUP BY ALL ORDER BY ALL")
		}
		nights := strings.Split(got["without"], "\n")
		if len(nights) < 3 || slices.ContainsFunc(nights, func(line string) bool { return !strings.Contains(line, " DATE ") || !strings.HasSuffix(line, " true") }) {
			t.Errorf("%s: %q", table, nights)
		}
		for _, name := range slices.Sorted(maps.Keys(got)) {
			if diff := cmp.Diff(got["without"], got[name]); diff != "" {
				t.Errorf("%s, %s: %s", table, name, diff)
			}
		}
	}
}
