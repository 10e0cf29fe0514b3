package derive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/google/go-cmp/cmp"
)

// damage is a kind of files, and what verify reads of one of them.
type damage struct {
	pattern string
	share   int // of a hundred damaged files
	// found reports whether the check of verify that reads the file fails for it. same reports whether
	// everything that is read of the file is as it was.
	found func(t *testing.T, d *Deriver, path string) bool
	same  func(t *testing.T, d *Deriver, path string) func() bool
}

var damages = map[string]damage{
	"journal":   {"journal/*/*" + journal.Extension, 40, foundInJournal, sameJournal},
	"lake file": {"lake/*/*/*.parquet", 20, foundInLake, never},
	"manifest":  {"lake/_manifests/*.json", 25, foundInLake, sameManifest},
	"warehouse": {"warehouse/fleet.duckdb", 15, foundInWarehouse, sameWarehouse},
}

// TestVerifyFindsDamageAnywhere flips a byte at random places, or cuts a file at a multiple of 4 KiB, in
// journal, lake, manifests and warehouse: verify finds it. A byte that nothing reads is none: then all
// that is read is exactly as it was. It damages sixty files, and with FLEETLAKE_LONG ten thousand;
// FLEETLAKE_DAMAGE_SEED plays one of them.
func TestVerifyFindsDamageAnywhere(t *testing.T) {
	t.Parallel()
	files, first := 60, uint64(1)
	if os.Getenv("FLEETLAKE_LONG") != "" {
		files = 10_000
	}
	if n, err := strconv.Atoi(os.Getenv("FLEETLAKE_DAMAGE_FILES")); err == nil {
		files = n
	}
	if seed, err := strconv.ParseUint(os.Getenv("FLEETLAKE_DAMAGE_SEED"), 10, 64); err == nil {
		files, first = 1, seed
	}
	d := copyOfTwoNights(t)
	same := map[string]func() bool{} // by path
	counts := map[string][2]int{}    // by kind: files that were damaged, and those of them that nothing reads
	for seed := first; seed < first+uint64(files); seed++ {
		r := rand.New(rand.NewPCG(seed, 15))
		kind := kindOf(r.IntN(100))
		k := damages[kind]
		paths, err := filepath.Glob(filepath.Join(d.Dir, k.pattern))
		must(t, err)
		if len(paths) == 0 {
			t.Fatalf("no %s", k.pattern)
		}
		path := paths[r.IntN(len(paths))]
		if same[path] == nil {
			same[path] = k.same(t, d, path)
		}
		undo, how := harm(t, r, path)
		n := counts[kind]
		n[0]++
		if !k.found(t, d, path) {
			if n[1]++; !same[path]() {
				t.Errorf("seed %d: %s, %s: verify finds nothing, and what is read is not what was written", seed, path[len(d.Dir)+1:], how)
			}
		}
		counts[kind] = n
		undo()
	}
	for kind, n := range counts {
		t.Logf("%s: %d damaged, of which nothing reads %d", kind, n[0], n[1])
		if kind != "warehouse" && n[1] > 1+n[0]/20 {
			t.Errorf("%s: nothing reads %d of %d bytes", kind, n[1], n[0])
		}
	}
}

// setAsideBy ends the name of the undamaged file while a test has a damaged one in its place.
const setAsideBy = ".undamaged"

// kindOf returns the kind of the nth of a hundred files.
func kindOf(n int) string {
	for _, kind := range []string{"journal", "lake file", "manifest", "warehouse"} {
		if n -= damages[kind].share; n < 0 {
			return kind
		}
	}
	panic("the shares are fewer than a hundred")
}

// harm flips a byte of a file, or cuts it, in place of a bad disk. It returns what undoes it, and says
// what it did. The file is another than before: the published one and its version are one file.
func harm(t *testing.T, r *rand.Rand, path string) (undo func(), how string) {
	t.Helper()
	whole, err := os.ReadFile(path)
	must(t, err)
	info, err := os.Stat(path)
	must(t, err)
	b := slices.Clone(whole)
	at, by := r.IntN(len(b)), byte(1+r.IntN(255))
	if how = fmt.Sprintf("byte %d of %d changed by %#x", at, len(b), by); r.IntN(4) > 0 {
		b[at] ^= by
	} else {
		b = b[:at/4096*4096]
		how = fmt.Sprintf("%d bytes cut to %d", len(whole), len(b))
	}
	aside := path + setAsideBy
	must(t, os.Rename(path, aside))
	must(t, os.WriteFile(path, b, 0o644))
	must(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	return func() { must(t, os.Rename(aside, path)) }, how
}

// foundInJournal is what verify says of a segment: it is wrong, or has lost its end, which each run of the
// week has. What is found can be salvaged.
func foundInJournal(t *testing.T, _ *Deriver, path string) bool {
	s := readSegment(path)
	if len(s.wrong) == 0 && s.ended {
		return false
	}
	checkSalvage(t, path)
	return true
}

// checkSalvage salvages a copy of a damaged segment: it is readable then, every entry that the damage left
// whole is in it as it was, at most one entry is lost to a flipped byte, and what was lost counts as spent.
func checkSalvage(t *testing.T, path string) {
	t.Helper()
	damaged, err := os.ReadFile(path)
	must(t, err)
	whole, err := os.ReadFile(path + setAsideBy)
	must(t, err)
	dir := t.TempDir()
	copied := journal.Path(dir, filepath.Base(filepath.Dir(path)), journal.RunOf(path))
	must(t, os.MkdirAll(filepath.Dir(copied), 0o755))
	must(t, os.WriteFile(copied, whole, 0o644))
	want := entriesOf(copied)
	must(t, os.WriteFile(copied, damaged, 0o644))
	done, err := journal.Salvage(copied, journal.Plan{Run: journal.RunOf(path), Job: "nightly", Date: "2026-11-20", Credits: journal.Price{Most: 10}})
	if err != nil {
		if len(damaged) > 4096 {
			t.Errorf("salvage: %v", err)
		}
		return // nothing of it is whole
	}
	byNumber, lost := map[int]journal.Entry{}, 0
	for _, e := range want {
		byNumber[e.N] = e
	}
	for e, err := range journal.Read(copied) {
		if err != nil {
			t.Errorf("a salvaged segment: %v", err)
			return
		}
		if e.Lost != nil {
			lost += e.Lost.Entries
			continue
		}
		if !cmp.Equal(e, byNumber[e.N]) && e.Plan == nil {
			t.Errorf("entry %d is not what it was after salvage", e.N)
		}
		delete(byNumber, e.N)
	}
	if flipped := len(damaged) == len(whole); flipped && (len(byNumber) > 1 || lost > 1) {
		t.Errorf("a flipped byte cost %d entries of %d: %+v", len(byNumber), len(want), done)
	}
	must(t, os.WriteFile(copied+setAsideBy, whole, 0o644))
	if before, after := spentIn(copied+setAsideBy), spentIn(copied); len(damaged) == len(whole) && after < before {
		t.Errorf("%d credits count as spent after salvage, it was %d", after, before)
	}
}

// spentIn is the ledger of a segment, in credits.
func spentIn(path string) (credits int) {
	for x, err := range journal.Exchanges(path) {
		if err == nil {
			credits += x.Credits
		}
	}
	return credits
}

func sameJournal(_ *testing.T, _ *Deriver, path string) func() bool {
	want := entriesOf(path)
	return func() bool { return cmp.Equal(want, entriesOf(path)) }
}

func foundInLake(t *testing.T, d *Deriver, _ string) bool {
	known, err := load.Manifests(d.Dir)
	if err != nil {
		return true
	}
	l, err := load.VerifyLake(t.Context(), d.Dir, known, nil, nil)
	must(t, err)
	return len(slices.DeleteFunc(l.Problems, func(line string) bool { return strings.Contains(line, setAsideBy) })) > 0
}

func never(*testing.T, *Deriver, string) func() bool { return func() bool { return false } }

func sameManifest(t *testing.T, d *Deriver, _ string) func() bool {
	want, err := load.Manifests(d.Dir)
	must(t, err)
	return func() bool {
		got, err := load.Manifests(d.Dir)
		return err == nil && cmp.Equal(want, got)
	}
}

func foundInWarehouse(t *testing.T, _ *Deriver, path string) bool {
	w, err := warehouse.Open(t.Context(), path, warehouse.Options{})
	if err != nil {
		return true
	}
	err = w.ReadAll(t.Context())
	return errors.Join(err, w.Close()) != nil
}

// sameWarehouse compares the rows of every table, and what the views and macros are.
func sameWarehouse(t *testing.T, _ *Deriver, path string) func() bool {
	content := func() (string, error) {
		all, err := warehouse.Hashes(context.Background(), path, t.TempDir())
		if err != nil {
			return "", err
		}
		db, err := sql.Open("duckdb", path+"?access_mode=READ_ONLY")
		if err != nil {
			return "", err
		}
		var views, macros string
		err = db.QueryRow("SELECT (SELECT string_agg(sql, ';' ORDER BY schema_name, view_name) FROM system.main.duckdb_views()), "+
			"(SELECT string_agg(macro_definition, ';' ORDER BY schema_name, function_name, parameters::VARCHAR) FROM system.main.duckdb_functions() WHERE macro_definition IS NOT NULL)").Scan(&views, &macros)
		return fmt.Sprint(all, views, macros), errors.Join(err, db.Close())
	}
	want, err := content()
	must(t, err)
	return func() bool {
		got, err := content()
		return err == nil && got == want
	}
}

// TestVerifyFindsASegmentCutAnywhere cuts each segment of the journal at every 16 KiB, and with FLEETLAKE_LONG
// at every 4: each cut is found, and what is before it can be salvaged.
func TestVerifyFindsASegmentCutAnywhere(t *testing.T) {
	t.Parallel()
	step := 16 << 10
	if os.Getenv("FLEETLAKE_LONG") != "" {
		step = 4 << 10
	}
	d := copyOfTwoNights(t)
	paths, err := journal.Segments(d.Journal)
	must(t, err)
	cuts := 0
	for _, path := range paths {
		whole, err := os.ReadFile(path)
		must(t, err)
		must(t, os.WriteFile(path+setAsideBy, whole, 0o644))
		for size := 0; size < len(whole); size += step {
			must(t, os.Truncate(path, int64(size)))
			if !foundInJournal(t, d, path) {
				t.Errorf("%s cut to %d of %d bytes: verify finds nothing", path, size, len(whole))
			}
			must(t, os.WriteFile(path, whole, 0o644))
			cuts++
		}
	}
	if cuts < len(paths) {
		t.Errorf("%d cuts of %d segments", cuts, len(paths))
	}
}

// TestWhatIsDamagedIsMadeAnew damages derived files at random places, one of each kind. The next start, or
// where that cannot see it the rebuild that verify advises, makes the same tables and the same lake again.
// It plays one seed, and fifty with FLEETLAKE_LONG.
func TestWhatIsDamagedIsMadeAnew(t *testing.T) {
	t.Parallel()
	seeds := uint64(1)
	if os.Getenv("FLEETLAKE_LONG") != "" {
		seeds = 50
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			d := copyOfTwoNights(t)
			want := hashes(t, d.Dir)
			r := rand.New(rand.NewPCG(seed, 16))
			for _, kind := range []string{"lake file", "manifest", "warehouse"} {
				paths, err := filepath.Glob(filepath.Join(d.Dir, damages[kind].pattern))
				must(t, err)
				path := paths[r.IntN(len(paths))]
				_, how := harm(t, r, path)
				must(t, os.Remove(path+setAsideBy))
				t.Logf("%s: %s", path[len(d.Dir)+1:], how)
			}
			_, err := Recover(t.Context(), *d)
			must(t, err)
			if len(verified(t, d)) > 0 {
				_, err := Rebuild(t.Context(), *d, RebuildOptions{})
				must(t, err)
				if wrong := verified(t, d); len(wrong) > 0 {
					t.Errorf("verify: %v", wrong)
				}
			}
			if diff := cmp.Diff(want, hashes(t, d.Dir)); diff != "" {
				t.Errorf("hashes (-before +after):\n%s", diff)
			}
		})
	}
}
