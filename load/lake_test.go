package load

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/transform"
	"github.com/google/go-cmp/cmp"
)

// tree is every file below a directory with a hash of its bytes.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = fmt.Sprintf("%x", sha256.Sum256(b))
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return files
}

func TestTheSameRowsMakeTheSameBytes(t *testing.T) {
	one, two := fourNightsAtOnce(t), t.TempDir()
	publishAtOnce(t, two, fourNights()...)
	if diff := cmp.Diff(tree(t, lake(one)), tree(t, lake(two))); diff != "" {
		t.Error(diff)
	}
}

func TestManifest(t *testing.T) {
	dir := t.TempDir()
	r := night("20", listings(ever, nameless), covered("country", "Zimbabwe"))
	m := write(t, dir, r)
	if got := tree(t, manifests(dir)); len(got) > 0 {
		t.Errorf("there is a manifest before the run is published: %v", got)
	}
	if err := Publish(t.Context(), dir, Options{}, m); err != nil {
		t.Fatal(err)
	}
	all, err := Manifests(dir)
	if err != nil {
		t.Fatal(err)
	}
	m = all[r.runID()]
	if m.Schema != SchemaID() || m.Run.Date != "2026-11-20" || m.Run.Rows != 275 || m.Coverage["complete"] != 272 || m.Coverage["suspect"] != 1 {
		t.Errorf("manifest %+v", m)
	}
	rows, files := map[string]int64{}, tree(t, lake(dir))
	for _, f := range m.Files {
		rows[f.Table] = f.Rows
		if files[f.Path] != f.SHA256 {
			t.Errorf("%s: the manifest has %s, the file %s", f.Path, f.SHA256, files[f.Path])
		}
	}
	if diff := cmp.Diff(map[string]int64{"listings": 2, "coverage": 273, "vessels": 2}, rows); diff != "" {
		t.Error(diff)
	}
}

func TestLakeFilesHaveTheirTypesAndFieldIDs(t *testing.T) {
	dir := fourNightsAtOnce(t)
	schema := func(table string) string {
		return query(t, dir, `SELECT field_id, name, type, coalesce(logical_type, '-') LIKE '%isAdjustedToUTC=1%MICROS%' FROM parquet_schema('`+
			filepath.Join(lake(dir), table, "*", "20261120*.parquet")+`') WHERE num_children IS NULL ORDER BY field_id`)
	}
	for _, table := range []transform.Table{transform.Listings, transform.Sightings, transform.Particulars, transform.Positions, transform.Coverage} {
		var want []string
		for _, f := range table.Schema.Fields() {
			id, _ := f.Metadata.GetValue("PARQUET:field_id")
			typ := map[string]string{"utf8": "BYTE_ARRAY", "int32": "INT32", "float64": "DOUBLE", "bool": "BOOLEAN", "date32": "INT32"}[f.Type.String()]
			line := id + " " + f.Name + " " + typ + " false"
			if typ == "" {
				line = id + " " + f.Name + " INT64 true"
			}
			want = append(want, line)
		}
		if diff := cmp.Diff(strings.Join(want, "\n"), schema(table.Name)); diff != "" {
			t.Errorf("%s: %s", table.Name, diff)
		}
	}
	got := schema(vessels)
	for _, want := range []string{"7 snapshot_date INT32 false", "4 vessel_id BYTE_ARRAY false", "5 imo INT32 false", "49 position_at INT64 true", "60 listed BOOLEAN false", "62 last_seen INT64 true"} {
		if !strings.Contains(got, want) {
			t.Errorf("vessels has no %q:\n%s", want, got)
		}
	}
	if got := len(strings.Split(got, "\n")); got != len(vesselIDs) {
		t.Errorf("vessels has %d columns, want %d", got, len(vesselIDs))
	}
	order := "SELECT count(*) FROM (SELECT vessel_id, lag(vessel_id) OVER () AS before FROM read_parquet('" + filepath.Join(lake(dir), "vessels", "*22", "*.parquet") + "')) WHERE before > vessel_id"
	if got := query(t, dir, order); got != "0" {
		t.Errorf("%s vessels are not in order", got)
	}
}

func TestCleanRemovesWhatACrashLeft(t *testing.T) {
	if err := Clean(t.TempDir()); err != nil {
		t.Errorf("nothing there: %v", err)
	}
	dir := oneNight(t)
	want := tree(t, lake(dir))
	for _, name := range []string{
		"listings/snapshot_date=2026-11-21/x.parquet.part", "_manifests/x.json.part",
		"vessels/snapshot_date=2026-11-20/20261120T999999.parquet", // its publish ended before its manifest was written
		"vessels/snapshot_date=2026-11-21/20261121T020000.parquet",
	} {
		path := filepath.Join(lake(dir), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("half"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Clean(dir); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, tree(t, lake(dir))); diff != "" {
		t.Error(diff)
	}
}

func TestARunThatWasCutOffIsPublishedAtTheNextStart(t *testing.T) {
	t.Parallel()
	r := night("21", listings(ever, nameless), sightings(row{"imo": 9811000, "navigational_status": "drifting"}))
	whole := oneNight(t)
	publish(t, whole, r)
	stages := map[string]func(dir string){
		"after the first lake file": func(dir string) {
			write(t, dir, run{date: "21", rows: listings(ever, nameless)})
		},
		"after the lake files": func(dir string) { write(t, dir, r) },
		"after the manifest": func(dir string) {
			if err := write(t, dir, r).write(dir); err != nil {
				t.Fatal(err)
			}
		},
		"after the rename": func(dir string) { publish(t, dir, r) },
	}
	for name, stage := range stages {
		t.Run(name, func(t *testing.T) {
			dir := oneNight(t)
			stage(dir)
			if err := Clean(dir); err != nil {
				t.Fatal(err)
			}
			publish(t, dir, r)
			if diff := cmp.Diff(tree(t, lake(whole)), tree(t, lake(dir))); diff != "" {
				t.Error(diff)
			}
			if got, want := state(t, dir), state(t, whole); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// FuzzManifest checks that a manifest, however broken, is an error, or names files within the lake alone.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"version":1,"files":[{"path":"listings/snapshot_date=2026-11-20/r.parquet"}]}`))
	f.Add([]byte(`{"version":1,"files":[{"path":"../x"}]}`))
	f.Add([]byte(`{"version":9}`))
	path := filepath.Join(f.TempDir(), "manifest.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := readManifest(path)
		if err != nil {
			return
		}
		for _, file := range m.Files {
			if clean := filepath.Clean(file.Path); filepath.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
				t.Errorf("%s names %s", b, file.Path)
			}
		}
		again, err := json.Marshal(m)
		if err == nil {
			err = os.WriteFile(path, again, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if same, err := readManifest(path); err != nil || !cmp.Equal(m, same) {
			t.Errorf("%s is written as %s, which reads as %+v, %v", b, again, same, err)
		}
	})
}
