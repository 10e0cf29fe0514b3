package export

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/load/store"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/google/go-cmp/cmp"
)

func TestAnExportHasTheRowsOfLakeAndWarehouse(t *testing.T) {
	dir := fiveNightsDir(t)
	for name, open := range targets(t) {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			plan := export(t, dir, s, Options{DryRun: true, Warehouse: true})
			if got := keys(t, s, ""); len(got) != 0 {
				t.Errorf("the dry run wrote %v", got)
			}
			r := export(t, dir, s, Options{Warehouse: true})
			if r.Export == "" || r.Files == 0 || r.Files != len(plan.Uploads) || r.Bytes != plan.Bytes {
				t.Errorf("the dry run says %d files and %d bytes, the export %+v", len(plan.Uploads), plan.Bytes, r)
			}
			equalRows(t, dir, s)
			before := tree(t, s)
			again := export(t, dir, s, Options{})
			if again.Files != 0 || again.Export != "" || again.Skipped != r.Files || again.SkippedBytes != r.Bytes {
				t.Errorf("the second export did %+v", again)
			}
			if diff := cmp.Diff(before, tree(t, s)); diff != "" {
				t.Error(diff)
			}
			m := current(t, s)
			for _, f := range m.Files { // pyarrow reads such a folder as a column, and refuses two of a name and two types
				for _, folder := range strings.Split(f.Path, "/") {
					if name, _, ok := strings.Cut(folder, "="); ok && slices.ContainsFunc(m.Tables[f.Table].Columns, func(c Column) bool { return c.Name == name }) {
						t.Errorf("%s: its folder is named after the column %s", f.Path, name)
					}
				}
			}
			if len(m.Runs) != 5 || m.Run != fiveNights()[4].run().ID || m.SnapshotDate != "2026-11-02" || m.Warehouse == nil || m.Warehouse.Run != m.Run {
				t.Errorf("current.json has %d runs, the latest %s of %s, and the warehouse %+v", len(m.Runs), m.Run, m.SnapshotDate, m.Warehouse)
			}
		})
	}
}

// TestEveryTryUploadsOnlyWhatIsMissing ends an export at each of its writes, and starts it again.
func TestEveryTryUploadsOnlyWhatIsMissing(t *testing.T) {
	dir := fiveNightsDir(t)
	s := directoryStore(t)
	var mu sync.Mutex
	writes, kills := 0, 0
	for stop := 1; ; stop += 4 {
		writes = 0
		s.before = func(_, key string) error {
			mu.Lock()
			defer mu.Unlock()
			if writes++; writes >= stop {
				return errKilled
			}
			return nil
		}
		_, err := Run(t.Context(), dir, s, Options{})
		if err == nil {
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if kills++; kills > 100 {
			t.Fatal("it does not end")
		}
		m, version, err := readCurrent(t.Context(), s)
		if err != nil || version != "" {
			t.Fatalf("current.json %q after %d writes: %v", m.Export, stop-1, err)
		}
	}
	t.Logf("%d kills", kills)
	if kills < 3 {
		t.Errorf("only %d kills", kills)
	}
	s.before = nil
	s.onceEach(t)
	equalRows(t, dir, s)
}

// TestAnExportTouchesNothingOfOthers puts files of a person into an export.
func TestAnExportTouchesNothingOfOthers(t *testing.T) {
	dir := fiveNightsDir(t)
	for name, open := range targets(t) {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			put(t, s, "facts/listings/snapshot_date=2026-11-01/20261101T020000.000Z-0000-0123456789abcdef.parquet", "of an export that was interrupted")
			put(t, s, "README.md", "mine")
			r := export(t, dir, s, Options{})
			own := map[string]string{
				"README.md": "mine", "notes.txt": "d", "facts/listings/snapshot_date=2026-11-01/mine.parquet": "e", "reports/2026/a.csv": "f", "history/runs/notes": "g",
			}
			for key, text := range own {
				if key != "README.md" {
					put(t, s, key, text)
				}
			}
			m := current(t, s)
			if slices.ContainsFunc(m.Documents, func(d Document) bool { return d.Path == "README.md" }) || len(r.Notices) != 1 {
				t.Errorf("it lists a README of somebody else, and reports %v", r.Notices)
			}
			altered, _, err := s.Get(t.Context(), "dictionary.html")
			if err != nil {
				t.Fatal(err)
			}
			altered.Close()
			_, version, err := read(t.Context(), s, "dictionary.html")
			if err := errors.Join(err, s.Replace(t.Context(), "dictionary.html", []byte("amended by hand"), version)); err != nil {
				t.Fatal(err)
			}
			derivedAnew(t, dir, night{date: "2026-11-02", ships: 21})
			r = export(t, dir, s, Options{})
			if _, err := Expire(t.Context(), s, ExpireOptions{Grace: time.Nanosecond}); err != nil {
				t.Fatal(err)
			}
			own["dictionary.html"] = "amended by hand"
			for key, want := range own {
				if got := string(content(t, s, key)); got != want {
					t.Errorf("%s: got %q, want %q", key, got, want)
				}
			}
			if len(r.Notices) != 6 {
				t.Errorf("reports %v", r.Notices)
			}
			v, err := Verify(t.Context(), dir, s, VerifyOptions{})
			if err != nil || len(v.Strangers) != 6 || len(v.Unlisted) != 1 {
				t.Errorf("verify finds %v of others and %v that is not listed, %v", v.Strangers, v.Unlisted, err)
			}
		})
	}
}

func TestATargetThatIsNoExportIsRefused(t *testing.T) {
	dir := fiveNightsDir(t)
	for key, want := range map[string]error{"thesis.txt": ErrTarget, "_fleetlake_export": ErrEarlier} {
		s := directoryStore(t)
		put(t, s, key, "mine")
		if _, err := Run(t.Context(), dir, s, Options{}); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
		if got := keys(t, s, ""); len(got) != 1 {
			t.Errorf("it has %v", got)
		}
	}
}

// TestAnExportNeverShrinksToNothing exports from directories that a mistyped --data would name.
func TestAnExportNeverShrinksToNothing(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	export(t, dir, s, Options{})
	before := tree(t, s)
	other := published(t, night{date: "2026-11-02", id: "20261102T030000.000Z-ffff", ships: 1})
	for name, c := range map[string]struct {
		dir  string
		want error
	}{"an empty one": {t.TempDir(), warehouse.ErrNone}, "another fleet's": {other, ErrOther}} {
		if _, err := Run(t.Context(), c.dir, s, Options{}); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
		if diff := cmp.Diff(before, tree(t, s)); diff != "" {
			t.Errorf("%s: the earlier export was touched: %s", name, diff)
		}
	}
	if _, err := Run(t.Context(), t.TempDir(), s, Options{Replace: true}); !errors.Is(err, warehouse.ErrNone) {
		t.Errorf("with the option an empty one does: %v", err)
	}
	export(t, other, s, Options{Replace: true})
	if m := current(t, s); len(m.Runs) != 1 {
		t.Errorf("with the option it lists %v", m.Runs)
	}
}

// TestADamagedFileStopsTheExport changes a lake file behind its manifest.
func TestADamagedFileStopsTheExport(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	export(t, dir, s, Options{})
	before := string(content(t, s, currentKey))
	publish(t, dir, nights("2026-11-03", 1, 20)...)
	damaged := filepath.Join(dir, "lake", "positions", "snapshot_date=2026-11-03", "20261103T020000.000Z-0000.parquet")
	b, err := os.ReadFile(damaged)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(damaged, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), dir, s, Options{}); !errors.Is(err, errDamaged) || !strings.Contains(err.Error(), damaged) {
		t.Errorf("got %v, want the name of %s", err, damaged)
	}
	if string(content(t, s, currentKey)) != before {
		t.Error("current.json was replaced")
	}
	for _, key := range keys(t, s, "facts/positions/") {
		if strings.Contains(key, "2026-11-03") {
			t.Errorf("%s was uploaded", key)
		}
	}
}

func TestANightThatIsDerivedAnewReplacesItsFiles(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	export(t, dir, s, Options{})
	before := current(t, s)
	other := fiveNights()
	other[1].speed = 99
	rebuilt(t, dir, other...)
	export(t, dir, s, Options{})
	after := current(t, s)
	equalRows(t, dir, s)
	was, is := listed(before, "facts.positions"), listed(after, "facts.positions")
	if len(is) != len(was) || is[1] == was[1] || is[0] != was[0] {
		t.Errorf("positions were %v and are %v", was, is)
	}
	if diff := cmp.Diff(listed(before, "facts.listings"), listed(after, "facts.listings")); diff != "" {
		t.Errorf("the list changed: %s", diff)
	}
	s.onceEach(t)
}

func TestARunThatWasRolledBackLeavesTheList(t *testing.T) {
	dir := published(t, nights("2026-11-01", 1, 5)...)
	publish(t, dir, nights("2026-11-02", 1, 5)...)
	s := directoryStore(t)
	export(t, dir, s, Options{})
	if _, err := warehouse.Rollback(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	export(t, dir, s, Options{Tables: []string{"history", "ready"}})
	m := current(t, s)
	for _, f := range m.Files {
		if f.SnapshotDate == "2026-11-02" || f.Run != "20261101T020000.000Z-0000" {
			t.Errorf("it lists %s of run %s", f.Path, f.Run)
		}
	}
	if len(m.Runs) != 1 || m.Run != "20261101T020000.000Z-0000" {
		t.Errorf("it lists the runs %v, the latest %s", m.Runs, m.Run)
	}
}

func TestOnlyWhatIsSelectedIsBroughtUpToDate(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	export(t, dir, s, Options{Tables: []string{"facts.positions", "runs"}, Since: "2026-10-31"})
	first := current(t, s)
	if len(listed(first, "facts.positions")) != 3 || len(listed(first, "history.runs")) != 1 || len(first.Files) != 4 {
		t.Errorf("it lists %+v", first.Files)
	}
	other := fiveNights()
	for i := range other {
		other[i].speed = 50
	}
	derivedAnew(t, dir, other...)
	publish(t, dir, nights("2026-11-03", 1, 20)...)
	export(t, dir, s, Options{Tables: []string{"positions"}, Since: "2026-11-02"})
	second := current(t, s)
	was, is := listed(first, "facts.positions"), listed(second, "facts.positions")
	if len(is) != 4 || is[0] != was[0] || is[1] != was[1] || is[2] == was[2] || listed(first, "history.runs")[0] != listed(second, "history.runs")[0] {
		t.Errorf("positions were %v and are %v", was, is)
	}
	export(t, dir, s, Options{})
	equalRows(t, dir, s)
	if _, err := Run(t.Context(), dir, s, Options{Tables: []string{"fleet"}}); !errors.Is(err, ErrTable) {
		t.Errorf("got %v, want %v", err, ErrTable)
	}
}

// TestAPublishMeanwhileIsNoticed publishes a night while the files of the one before are uploaded.
func TestAPublishMeanwhileIsNoticed(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	var once sync.Once
	s.before = func(_, key string) error {
		once.Do(func() { publish(t, dir, night{date: "2026-11-02", id: "20261102T030000.000Z-0001", ships: 25}) })
		return nil
	}
	export(t, dir, s, Options{})
	if m := current(t, s); m.Run != "20261102T030000.000Z-0001" || len(m.Runs) != 6 {
		t.Errorf("it lists %v", m.Runs)
	}
	equalRows(t, dir, s)
	s.onceEach(t)
	if made := keys(t, s, manifestsKey); len(made) != 1 {
		t.Errorf("it wrote %v", made)
	}
}

// TestTwoExportsAtOnce lets exports of different nights race.
func TestTwoExportsAtOnce(t *testing.T) {
	dir := fiveNightsDir(t)
	for name, open := range targets(t) {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			var group sync.WaitGroup
			for i := range 4 {
				group.Go(func() {
					if _, err := Run(t.Context(), dir, s, Options{Warehouse: i%2 == 0}); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			equalRows(t, dir, s)
		})
	}
}

// TestAMissingFileIsUploadedAgain removes files that current.json lists.
func TestAMissingFileIsUploadedAgain(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	export(t, dir, s, Options{})
	m := current(t, s)
	gone := []string{listed(m, "facts.positions")[2], listed(m, "history.runs")[0], "ddl/trino.sql"}
	for _, key := range gone {
		if err := s.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	if v, err := Verify(t.Context(), dir, s, VerifyOptions{}); err != nil || v.OK || len(v.Wrong) != 3 {
		t.Errorf("verify: %+v, %v", v, err)
	}
	if r := export(t, dir, s, Options{}); r.Files != 2 {
		t.Errorf("it uploaded %d files", r.Files)
	}
	if v, err := Verify(t.Context(), dir, s, VerifyOptions{Hash: true}); err != nil || !v.OK || v.Files != len(m.Files)+len(m.Documents) {
		t.Errorf("verify: %+v, %v", v, err)
	}
}

// TestVerifyReadsTheContent changes a byte of an exported file, and its number of rows.
func TestVerifyReadsTheContent(t *testing.T) {
	dir := fiveNightsDir(t)
	target := filepath.Join(t.TempDir(), "out")
	s := watch(t, target, store.Options{})
	export(t, dir, s, Options{Tables: []string{"facts.positions"}})
	path := listed(current(t, s), "facts.positions")[0]
	b := content(t, s, path)
	b[len(b)/2] ^= 1
	file := filepath.Join(target, filepath.FromSlash(path))
	if err := errors.Join(os.Chmod(file, 0o600), os.WriteFile(file, b, 0o600)); err != nil {
		t.Fatal(err)
	}
	if v, err := Verify(t.Context(), dir, s, VerifyOptions{}); err != nil || !v.OK {
		t.Errorf("sizes: %+v, %v", v, err)
	}
	if v, err := Verify(t.Context(), dir, s, VerifyOptions{Hash: true}); err != nil || v.OK || !strings.Contains(fmt.Sprint(v.Wrong), path) {
		t.Errorf("contents: %+v, %v", v, err)
	}
}

// TestANewColumnComesWithItsID exports over a manifest of a program that did not have a column yet.
func TestANewColumnComesWithItsID(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	export(t, dir, s, Options{})
	m, version, err := readCurrent(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	want := m.Tables["facts.positions"]
	older := want
	older.Columns = want.Columns[:len(want.Columns)-1]
	m.Tables["facts.positions"] = older
	b, err := m.encoded()
	if err := errors.Join(err, s.Replace(t.Context(), currentKey, b, version)); err != nil {
		t.Fatal(err)
	}
	if r := export(t, dir, s, Options{}); r.Export == "" || r.Files != 0 {
		t.Errorf("it did %+v", r)
	}
	if diff := cmp.Diff(want, current(t, s).Tables["facts.positions"]); diff != "" {
		t.Error(diff)
	}
}

// TestANewerExportIsRefused exports over a manifest of a later format.
func TestANewerExportIsRefused(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	put(t, s, currentKey, `{"format": 3}`)
	if _, err := Run(t.Context(), dir, s, Options{}); !errors.Is(err, ErrNewer) {
		t.Errorf("got %v, want %v", err, ErrNewer)
	}
}
