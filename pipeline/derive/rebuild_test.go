package derive

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

func TestRebuildGivesTheIdenticalTables(t *testing.T) {
	t.Parallel()
	d := copyOfWeek(t)
	want, files := hashes(t, d.Dir), tree(t, filepath.Join(d.Dir, "lake"))
	for table, least := range map[string]int{"registration": 400, "listed": 300, "episodes": 10, "particulars": 100, "runs": 7, "positions": 100} {
		if n := count(t, d.Dir, table); n < least {
			t.Errorf("%s has %d rows: the week tests too little", table, n)
		}
	}
	done, err := Rebuild(t.Context(), *d, RebuildOptions{})
	must(t, err)
	if diff := cmp.Diff(want, hashes(t, d.Dir)); diff != "" {
		t.Errorf("hashes (-published +rebuilt):\n%s", diff)
	}
	if !done.Compared.Same() || done.Uncompared != "" || !done.Switched || done.Runs != 7 || done.Nights != 4 {
		t.Errorf("got %+v", done)
	}
	after := tree(t, filepath.Join(d.Dir, "lake"))
	for path, size := range files {
		if after[path] != size && !strings.Contains(path, "_manifests") {
			t.Errorf("%s has %d bytes, it had %d", path, after[path], size)
		}
	}
	if len(after) != len(files) {
		t.Errorf("%d files in the lake, there were %d", len(after), len(files))
	}
	if checks := verified(t, d); len(checks) > 0 {
		t.Errorf("verify: %v", checks)
	}
	if _, err := os.Stat(filepath.Join(d.Dir, "work", "rebuild")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
}

// TestReplaysGiveTheIdenticalTables derives the segments of two nights, and with FLEETLAKE_LONG of the week, into
// empty data directories in random orders, some of them twice.
func TestReplaysGiveTheIdenticalTables(t *testing.T) {
	t.Parallel()
	d := copyOfTwoNights(t)
	if os.Getenv("FLEETLAKE_LONG") != "" {
		d = copyOfWeek(t)
	}
	want := hashes(t, d.Dir)
	paths, err := journal.Segments(d.Journal)
	must(t, err)
	for seed := range uint64(1) {
		replay := Deriver{Dir: t.TempDir(), Journal: d.Journal}
		r := rand.New(rand.NewPCG(seed, 1))
		order := append(r.Perm(len(paths)), r.Perm(len(paths))[:3]...)
		for len(order) > 0 {
			n := min(2+r.IntN(3), len(order))
			var some []string
			for _, i := range order[:n] {
				some = append(some, paths[i])
			}
			_, err := replay.Derive(t.Context(), some...)
			must(t, err)
			order = order[n:]
		}
		if diff := cmp.Diff(want, hashes(t, replay.Dir)); diff != "" {
			t.Errorf("seed %d: hashes (-published +replayed):\n%s", seed, diff)
			c, err := warehouse.Compare(t.Context(), warehouse.Path(d.Dir), warehouse.Path(replay.Dir), t.TempDir())
			must(t, err)
			for _, table := range c {
				if !table.Same() {
					t.Logf("%+v", table)
				}
			}
		}
	}
}

func TestRebuildReportsWhatDiffers(t *testing.T) {
	t.Parallel()
	d := copyOfTwoNights(t)
	change(t, d.Dir, "UPDATE particulars SET length_m = length_m + 1 WHERE vessel_id = (SELECT min(vessel_id) FROM particulars WHERE length_m IS NOT NULL)",
		"DELETE FROM episodes WHERE first_seen = (SELECT min(first_seen) FROM episodes)", "DELETE FROM internal.latest")
	before := hashes(t, d.Dir)
	done, err := Rebuild(t.Context(), *d, RebuildOptions{DryRun: true})
	must(t, err)
	differ := map[string]warehouse.TableComparison{}
	for _, table := range done.Compared {
		if !table.Same() {
			differ[table.Table] = table
		}
	}
	if len(differ) != 3 {
		t.Errorf("got %v", differ)
	}
	if c := differ["particulars"]; c.Changed == 0 || len(c.Fields) != 1 || c.Fields[0].Field != "length_m" || !strings.Contains(c.Fields[0].Example, " -> ") {
		t.Errorf("got %+v", c)
	}
	if c := differ["episodes"]; c.OnlyAfter == 0 || c.OnlyBefore != 0 || c.Changed != 0 {
		t.Errorf("got %+v", c)
	}
	if done.Switched {
		t.Error("a dry run has switched")
	}
	if diff := cmp.Diff(before, hashes(t, d.Dir)); diff != "" {
		t.Errorf("a dry run has changed what is published:\n%s", diff)
	}
}

func TestARebuildThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	cases := map[string]func(d *Deriver) (context.Context, RebuildOptions){
		"a damaged segment": func(d *Deriver) (context.Context, RebuildOptions) {
			flip(t, segmentOf(t, d, 3), 0.5)
			return t.Context(), RebuildOptions{}
		},
		"a segment that is published and gone": func(d *Deriver) (context.Context, RebuildOptions) {
			must(t, os.Remove(segmentOf(t, d, 0)))
			return t.Context(), RebuildOptions{}
		},
		"a journal without runs": func(d *Deriver) (context.Context, RebuildOptions) {
			must(t, os.RemoveAll(d.Journal))
			return t.Context(), RebuildOptions{Lose: true}
		},
		"cancelled while it derives": func(d *Deriver) (context.Context, RebuildOptions) {
			ctx, cancel := context.WithCancel(t.Context())
			d.Phase = func(phase string) {
				if strings.HasPrefix(phase, "derive") {
					cancel()
				}
			}
			return ctx, RebuildOptions{}
		},
		"cancelled before the switch": func(d *Deriver) (context.Context, RebuildOptions) {
			ctx, cancel := context.WithCancel(t.Context())
			d.Phase = func(phase string) {
				if phase == "compare" {
					cancel()
				}
			}
			return ctx, RebuildOptions{}
		},
	}
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := copyOfTwoNights(t)
			ctx, o := prepare(d)
			before := tree(t, d.Dir)
			if _, err := Rebuild(ctx, *d, o); err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(before, tree(t, d.Dir)); diff != "" {
				t.Errorf("files (-before +after):\n%s", diff)
			}
		})
	}
}

// TestTheSwitchGoesOnAfterACrash stops the switch after each of its steps, and starts again.
func TestTheSwitchGoesOnAfterACrash(t *testing.T) {
	t.Parallel()
	steps := []func(d *Deriver){
		func(*Deriver) {},
		func(d *Deriver) {
			must(t, os.Rename(filepath.Join(d.Dir, "lake"), filepath.Join(aside(d.Dir), "lake.old")))
		},
		func(d *Deriver) {
			must(t, os.Rename(filepath.Join(aside(d.Dir), "lake"), filepath.Join(d.Dir, "lake")))
		},
		func(d *Deriver) { // the new files count as published from here on
			built, err := os.ReadFile(filepath.Join(aside(d.Dir), "warehouse", "fingerprints"))
			must(t, err)
			known, err := os.ReadFile(filepath.Join(d.Dir, "warehouse", "fingerprints"))
			must(t, err)
			must(t, os.WriteFile(filepath.Join(d.Dir, "warehouse", "fingerprints"), append(known, built...), 0o644))
		},
		func(d *Deriver) {
			must(t, os.Rename(filepath.Join(d.Dir, "warehouse", "versions"), filepath.Join(aside(d.Dir), "versions.old")))
		},
		func(d *Deriver) {
			must(t, os.Rename(filepath.Join(aside(d.Dir), "warehouse", "versions"), filepath.Join(d.Dir, "warehouse", "versions")))
		},
		func(d *Deriver) { must(t, os.Rename(warehouse.Path(aside(d.Dir)), warehouse.Path(d.Dir))) },
	}
	built := copyOfTwoNights(t)
	want := hashes(t, built.Dir)
	change(t, built.Dir, "DELETE FROM internal.latest") // so that the switch can be seen
	r := newRebuild(*built, RebuildOptions{})
	must(t, r.readNights())
	must(t, r.build(t.Context()))
	must(t, r.makeReady(t.Context()))
	for n := range steps {
		d := &Deriver{Dir: filepath.Join(t.TempDir(), "data")}
		must(t, os.CopyFS(d.Dir, os.DirFS(built.Dir)))
		for _, step := range steps[:n+1] {
			step(d)
		}
		if count(t, d.Dir, "runs") != 4 { // the published file is readable at any moment
			t.Errorf("after %d steps the published file has other runs", n)
		}
		_, err := Recover(t.Context(), *d)
		must(t, err)
		if diff := cmp.Diff(want, hashes(t, d.Dir)); diff != "" {
			t.Errorf("after %d steps: hashes (-published +rebuilt):\n%s", n, diff)
		}
		if wrong := verified(t, d); len(wrong) > 0 {
			t.Errorf("after %d steps: %v", n, wrong)
		}
	}
}

// TestRebuildMakesWhatIsMissing removes the warehouse. TestMissingLakeFilesAreRebuiltBeforeAnyRequest removes
// the lake.
func TestRebuildMakesWhatIsMissing(t *testing.T) {
	t.Parallel()
	d := copyOfTwoNights(t)
	want := hashes(t, d.Dir)
	must(t, os.RemoveAll(filepath.Join(d.Dir, "warehouse")))
	done, err := Rebuild(t.Context(), *d, RebuildOptions{})
	must(t, err)
	if diff := cmp.Diff(want, hashes(t, d.Dir)); diff != "" {
		t.Errorf("hashes (-published +rebuilt):\n%s", diff)
	}
	if done.Uncompared == "" {
		t.Error("it was compared with a warehouse that is not there")
	}
	if wrong := verified(t, d); len(wrong) > 0 {
		t.Errorf("verify: %v", wrong)
	}
}

// segmentOf is the path of a segment, the oldest first.
func segmentOf(t *testing.T, d *Deriver, n int) string {
	t.Helper()
	paths, err := journal.Segments(d.Journal)
	must(t, err)
	return paths[n]
}

// flip changes one bit of a file, at a part of its length.
func flip(t *testing.T, path string, at float64) {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	b[int(at*float64(len(b)-1))] ^= 4
	must(t, os.WriteFile(path, b, 0o644))
}

// lengthen flips the highest bit of the length of a block in the middle of a segment.
func lengthen(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	at := len(b)/2 + bytes.Index(b[len(b)/2:], []byte{0x28, 0xb5, 0x2f, 0xfd}) // where a zstd frame starts
	var frame zstd.Header
	must(t, frame.Decode(b[at:]))
	b[at+frame.HeaderSize+2] ^= 0x80
	must(t, os.WriteFile(path, b, 0o644))
}

func count(t *testing.T, dir, table string) int {
	t.Helper()
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	must(t, err)
	defer w.Close()
	rows, err := w.Tables(t.Context())
	must(t, err)
	return int(rows[table])
}
