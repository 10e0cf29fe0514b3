package warehouse

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// flagsOf is a reference table with one row.
func flagsOf(name string) []Reference {
	return []Reference{{Table: "flags", Columns: []string{"flag", "name"}, Rows: [][]string{{"PA", name}}}}
}

// marked is a step that adds a row to the reference table flags.
var marked = []func(context.Context, *Tx) error{func(ctx context.Context, tx *Tx) error {
	return tx.exec(ctx, "mark", "INSERT INTO flags (name) VALUES ('marked')")
}}

// TestEveryFileBuiltFromNothingIsTheSame checks that it makes no difference whether a build makes its
// file, makes it and keeps its content, or copies what an earlier one kept; and that a build with other
// definitions copies none of it.
func TestEveryFileBuiltFromNothingIsTheSame(t *testing.T) {
	t.Parallel()
	built := func(comment, flag string) ([]Table, []Hash) {
		dir := t.TempDir()
		must(t, Update(t.Context(), Build{Dir: dir, RunID: runAt(20).ID, Comments: []Comment{{"engine", "propeller", comment}}, Reference: flagsOf(flag)}))
		w := opened(t, dir)
		d, err := w.Dictionary(t.Context())
		must(t, err)
		hashes, err := Hashes(t.Context(), Path(dir), t.TempDir())
		must(t, err)
		return d, hashes
	}
	words := t.Name()
	tables, rows := built(words, "Panama")
	for _, which := range []string{"second", "third"} {
		gotTables, gotRows := built(words, "Panama")
		if diff := cmp.Diff(tables, gotTables) + cmp.Diff(rows, gotRows); diff != "" {
			t.Errorf("the %s file differs from the first: %s", which, diff)
		}
	}
	otherTables, _ := built("something else", "Panama")
	if cmp.Equal(tables, otherTables) {
		t.Error("a build with another comment has the comment of the first")
	}
	if _, other := built(words, "The Canal"); cmp.Equal(rows, other) {
		t.Error("a build with other reference rows has those of the first")
	}
}

// TestAnEmptyFileThatCannotBeMadeIsNotKept checks that a failure leaves the next build as it would be
// without it.
func TestAnEmptyFileThatCannotBeMadeIsNotKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := Build{Dir: dir, RunID: runAt(20).ID, Reference: flagsOf(t.Name())}
	must(t, Update(t.Context(), b))
	must(t, os.RemoveAll(filepath.Dir(b.work())))
	must(t, os.WriteFile(filepath.Dir(b.work()), nil, 0o644)) // work/ is a file now
	for range 2 {
		if err := Update(t.Context(), b); err == nil {
			t.Fatal("built in a file")
		}
	}
	must(t, os.Remove(filepath.Dir(b.work())))
	for range 2 {
		must(t, Update(t.Context(), b))
		var name string
		must(t, opened(t, dir).db.QueryRowContext(t.Context(), "SELECT name FROM flags").Scan(&name))
		if name != t.Name() {
			t.Errorf("the flag is %q", name)
		}
	}
}

// TestReferenceTablesAreFilledWhenTheyDiffer checks that a build gives a file the reference rows of its
// program, and writes none if the file has them.
func TestReferenceTablesAreFilledWhenTheyDiffer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := func(from string, flag string) string {
		must(t, Update(t.Context(), Build{Dir: dir, RunID: runAt(20).ID, From: from, Reference: flagsOf(flag), Steps: marked}))
		var names string
		must(t, opened(t, dir).db.QueryRowContext(t.Context(), "SELECT string_agg(name, ',' ORDER BY name) FROM flags").Scan(&names))
		return names
	}
	for _, c := range []struct{ from, flag, want string }{
		{"", "Panama", "Panama,marked"},
		{Path(dir), "Panama", "Panama,marked,marked"}, // as it was, but for the step
		{Path(dir), "The Canal", "The Canal,marked"},
	} {
		if got := names(c.from, c.flag); got != c.want {
			t.Errorf("%s: the flags are %s, want %s", c.flag, got, c.want)
		}
	}
}
