package derive

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/google/go-cmp/cmp"
)

// verified returns what Verify finds wrong, by check.
func verified(t *testing.T, d *Deriver) map[string][]string {
	t.Helper()
	checks, err := Verify(t.Context(), d.Dir)
	must(t, err)
	wrong := map[string][]string{}
	for _, c := range checks {
		if !c.OK {
			wrong[c.Name] = append(c.Wrong, c.Do)
		}
	}
	return wrong
}

// change runs statements on the published file, in place of what a fault would do to it. The
// versions stay as they are.
func change(t *testing.T, dir string, statements ...string) {
	t.Helper()
	b, err := os.ReadFile(warehouse.Path(dir))
	must(t, err)
	changed := filepath.Join(t.TempDir(), "changed.duckdb")
	must(t, os.WriteFile(changed, b, 0o644))
	db, err := sql.Open("duckdb", changed)
	must(t, err)
	for _, s := range append(statements, "CHECKPOINT") {
		_, err := db.ExecContext(t.Context(), s)
		must(t, err)
	}
	must(t, db.Close())
	must(t, os.Rename(changed, warehouse.Path(dir)))
}

// unchecked is a manifest without its check, as another program writes it.
func unchecked(manifest string) string {
	text, _, _ := strings.Cut(manifest, ",\n  \"check\":")
	return text + "\n}\n"
}

func TestVerifyFindsDamage(t *testing.T) {
	t.Parallel()
	lake := func(d *Deriver, pattern string) string {
		paths, err := filepath.Glob(filepath.Join(d.Dir, "lake", pattern))
		must(t, err)
		if len(paths) == 0 {
			t.Fatalf("no %s", pattern)
		}
		return paths[len(paths)/2]
	}
	rows := func(statements ...string) func(d *Deriver) {
		return func(d *Deriver) { change(t, d.Dir, statements...) }
	}
	cases := map[string]struct {
		harm  func(d *Deriver)
		check string
		do    string
	}{
		"a bit of the first frame of a segment": {func(d *Deriver) { flip(t, segmentOf(t, d, 3), 0.002) }, "journal", "from a backup"},
		"a bit in the middle of a segment":      {func(d *Deriver) { flip(t, segmentOf(t, d, 3), 0.5) }, "journal", "from a backup"},
		"a bit of the end of a segment":         {func(d *Deriver) { flip(t, segmentOf(t, d, 3), 1) }, "journal of what is published", "from a backup"},
		"a segment cut in half": {func(d *Deriver) {
			info, err := os.Stat(segmentOf(t, d, 3))
			must(t, err)
			must(t, os.Truncate(segmentOf(t, d, 3), info.Size()/2))
		}, "journal of what is published", "from a backup"},
		"a segment that is gone": {func(d *Deriver) { must(t, os.Remove(segmentOf(t, d, 3))) }, "journal of what is published", "from a backup"},
		"a segment under another name": {func(d *Deriver) {
			path := segmentOf(t, d, 3)
			must(t, os.Rename(path, strings.TrimSuffix(path, journal.Extension)+"0"+journal.Extension))
		}, "journal", "from a backup"},
		"a segment with the content of another": {func(d *Deriver) {
			b, err := os.ReadFile(segmentOf(t, d, 1))
			must(t, err)
			must(t, os.WriteFile(segmentOf(t, d, 3), b, 0o644))
		}, "journal", "from a backup"},
		"a lake file that is gone": {func(d *Deriver) { must(t, os.Remove(lake(d, "listings/*/*.parquet"))) }, "lake", "rebuild"},
		"a bit of a lake file":     {func(d *Deriver) { flip(t, lake(d, "sightings/*/*.parquet"), 0.4) }, "lake", "rebuild"},
		"a lake file cut short":    {func(d *Deriver) { must(t, os.Truncate(lake(d, "particulars/*/*.parquet"), 100)) }, "lake", "rebuild"},
		"a lake file that nobody wrote": {func(d *Deriver) {
			must(t, os.WriteFile(filepath.Join(d.Dir, "lake/listings/own.parquet"), nil, 0o644))
		}, "lake", "rebuild"},
		"a manifest that is gone":    {func(d *Deriver) { must(t, os.Remove(lake(d, "_manifests/*.json"))) }, "lake", "rebuild"},
		"a manifest that is no JSON": {func(d *Deriver) { flip(t, lake(d, "_manifests/*.json"), 0) }, "lake", "rebuild"},
		"a manifest of another schema": {func(d *Deriver) {
			b, err := os.ReadFile(lake(d, "_manifests/*.json"))
			must(t, err)
			must(t, os.WriteFile(lake(d, "_manifests/*.json"), []byte(unchecked(strings.Replace(string(b), load.SchemaID(), "0000", 1))), 0o644))
		}, "lake", "rebuild"},
		"a warehouse that is gone":        {func(d *Deriver) { must(t, os.Remove(warehouse.Path(d.Dir))) }, "warehouse file", "run"},
		"a warehouse without its head":    {func(d *Deriver) { flip(t, warehouse.Path(d.Dir), 0.00001) }, "warehouse file", "rollback"},
		"listings that lost a row":        {rows("DELETE FROM listed WHERE vessel_id = (SELECT max(vessel_id) FROM listed)"), "warehouse rows", "rollback"},
		"an old version that is gone":     {rows("DELETE FROM particulars WHERE valid_to = (SELECT min(valid_to) FROM particulars)"), "warehouse rows", "rollback"},
		"a position that is gone":         {rows("DELETE FROM positions WHERE position_at = (SELECT min(position_at) FROM positions)"), "warehouse rows", "rollback"},
		"a name that was changed":         {rows("UPDATE registration SET name = 'X' WHERE valid_to IS NULL AND vessel_id = (SELECT max(vessel_id) FROM registration)"), "warehouse rows", "rollback"},
		"a request that is gone":          {rows("DELETE FROM requests WHERE entry = (SELECT max(entry) FROM requests)"), "warehouse rows", "rollback"},
		"a request that cost another sum": {rows("UPDATE requests SET credits = credits + 1 WHERE entry = (SELECT max(entry) FROM requests WHERE credits > 0)"), "credits", "rebuild"},
		"a run that is not published":     {rows("DELETE FROM runs WHERE run_id = (SELECT max(run_id) FROM runs)"), "published", "run JOB"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := copyOfTwoNights
			if strings.Contains(name, "old version") { // two nights have none
				made = copyOfWeek
			}
			d := made(t)
			c.harm(d)
			wrong := verified(t, d)
			if len(wrong[c.check]) == 0 {
				t.Fatalf("nothing wrong with %s; found %v", c.check, wrong)
			}
			if lines := strings.Join(wrong[c.check], "\n"); !strings.Contains(lines, c.do) {
				t.Errorf("got %s, want advice with %q", lines, c.do)
			}
		})
	}
}

func TestVerifyFindsNothingWrong(t *testing.T) {
	t.Parallel()
	cases := map[string]func(d *Deriver){
		"the week": func(*Deriver) {},
		"a segment of a run that was killed": func(d *Deriver) {
			s, err := journal.Create(d.Journal, journal.Entry{Kind: journal.KindPlan, Plan: &journal.Plan{Run: "20261201T020000.000Z-0000", Date: "2026-12-01"}})
			must(t, err)
			must(t, s.Close())
		},
		"a rollback": func(d *Deriver) {
			_, err := Rollback(t.Context(), *d)
			must(t, err)
		},
		"another version in the place of the published one, and what it lacks published again": func(d *Deriver) {
			_, err := Rollback(t.Context(), *d)
			must(t, err)
			_, err = UndoRollback(t.Context(), *d)
			must(t, err)
		},
		"an empty data directory": func(d *Deriver) { d.Dir = t.TempDir() },
	}
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := copyOfWeek(t)
			prepare(d)
			if wrong := verified(t, d); len(wrong) > 0 {
				t.Errorf("got %v", wrong)
			}
		})
	}
}

// TestVerifyFindsEveryFlippedBit changes a segment at many places, one at a time. zstd has bits
// that mean nothing: a change that leaves every entry as it was does not count.
func TestVerifyFindsEveryFlippedBit(t *testing.T) {
	t.Parallel()
	d := copyOfWeek(t)
	path := segmentOf(t, d, 1)
	whole, err := os.ReadFile(path)
	must(t, err)
	want, missed := entriesOf(path), 0
	for at := 0; at < len(whole); at += 1 + len(whole)/400 {
		b := slices.Clone(whole)
		b[at] ^= 1 << (at % 8)
		must(t, os.WriteFile(path, b, 0o644))
		if s := readSegment(path); len(s.wrong) > 0 || !s.ended {
			continue
		}
		missed++
		if diff := cmp.Diff(want, entriesOf(path)); diff != "" {
			t.Errorf("byte %d of %d: nothing found, and its entries are different:\n%s", at, len(whole), diff)
		}
	}
	if missed > 8 {
		t.Errorf("%d of 400 flipped bits changed nothing", missed)
	}
}

// entriesOf returns the entries of a segment, as far as it can be read.
func entriesOf(path string) (all []journal.Entry) {
	for e, err := range journal.Read(path) {
		if err == nil {
			all = append(all, e)
		}
	}
	return all
}
