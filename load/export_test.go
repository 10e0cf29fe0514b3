package load

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExportTouchesNothingOfOthers puts files of a person beside and into an export.
func TestExportTouchesNothingOfOthers(t *testing.T) {
	dir := t.TempDir()
	publish(t, dir, night("20", listings(ever)))
	target := filepath.Join(t.TempDir(), "out")
	export := func() Exported {
		t.Helper()
		done, err := Export(t.Context(), dir, target, false)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	export()
	own := map[string]string{
		"../out.old/thesis.txt": "a", "../out.part/thesis.txt": "b", "../.fleetlake-export-mine/x": "c",
		"notes.txt": "d", "listings/snapshot_date=2026-11-20/mine.parquet": "e", "reports/2026/a.csv": "f", "_manifests/mine.json": "{}", "_manifests/README": "g",
	}
	for name, text := range own {
		path := filepath.Join(target, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("notes.txt", filepath.Join(target, "link")), os.Mkdir(filepath.Join(target, "empty"), 0o755)); err != nil {
		t.Fatal(err)
	}
	altered := filepath.Join(target, "listings", "snapshot_date=2026-11-20", "20261120T020000.000Z-0000.parquet")
	if err := os.WriteFile(altered, []byte("mended by hand"), 0o644); err != nil {
		t.Fatal(err)
	}
	publish(t, dir, night("21", listings(ever)))
	done := export()
	for name, want := range own {
		if got, err := os.ReadFile(filepath.Join(target, name)); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
	if to, err := os.Readlink(filepath.Join(target, "link")); err != nil || to != "notes.txt" {
		t.Errorf("the link: %q, %v", to, err)
	}
	if _, err := os.Stat(filepath.Join(target, "empty")); err != nil {
		t.Error(err)
	}
	if len(done.Kept) != 6 || len(done.Changed) != 1 || len(done.Notices()) != 7 {
		t.Errorf("kept %v and changed %v", done.Kept, done.Changed)
	} else if got, err := os.ReadFile(filepath.Join(target, done.Changed[0])); err != nil || string(got) != "mended by hand" {
		t.Errorf("the changed file: %q, %v", got, err)
	}
	lakeFiles, exported := tree(t, lake(dir)), tree(t, target)
	for name := range lakeFiles {
		if exported[name] != lakeFiles[name] {
			t.Errorf("%s is not as in the lake", name)
		}
	}
	for _, entry := range must(os.ReadDir(filepath.Dir(target))) {
		if strings.HasPrefix(entry.Name(), ".fleetlake-export-") && entry.Name() != ".fleetlake-export-mine" {
			t.Errorf("left behind: %s", entry.Name())
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestExportNeverShrinksToNothing exports from a directory that a mistyped --data would name.
func TestExportNeverShrinksToNothing(t *testing.T) {
	dir, wrong := t.TempDir(), t.TempDir()
	publish(t, dir, night("20", listings(ever)))
	target := filepath.Join(t.TempDir(), "out")
	if _, err := Export(t.Context(), wrong, target, false); err != nil {
		t.Errorf("nothing, to where nothing is: %v", err)
	}
	must(Export(t.Context(), dir, target, false))
	before := tree(t, target)
	if _, err := Export(t.Context(), wrong, target, false); !errors.Is(err, ErrEmpty) {
		t.Errorf("got %v, want %v", err, ErrEmpty)
	}
	if diff := cmp.Diff(before, tree(t, target)); diff != "" {
		t.Errorf("the earlier export was touched: %s", diff)
	}
	if _, err := Export(t.Context(), wrong, target, true); err != nil {
		t.Errorf("asked for: %v", err)
	}
	if after := tree(t, target); len(after) != 1 {
		t.Errorf("left %v", after)
	}
}
