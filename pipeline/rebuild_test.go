package pipeline

import (
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
)

func TestRebuildGivesTheIdenticalTables(t *testing.T) {
	p := copyOfWeek(t)
	want, files := hashes(t, p.Dir), tree(t, filepath.Join(p.Dir, "lake"))
	for table, least := range map[string]int{"registration": 400, "listed": 300, "episodes": 10, "particulars": 100, "runs": 10, "positions": 100} {
		if n := count(t, p.Dir, table); n < least {
			t.Errorf("%s has %d rows: the week tests too little", table, n)
		}
	}
	done, err := p.Rebuild(t.Context(), RebuildOptions{})
	must(t, err)
	if diff := cmp.Diff(want, hashes(t, p.Dir)); diff != "" {
		t.Errorf("hashes (-published +rebuilt):\n%s", diff)
	}
	if !done.Compared.Same() || !done.Switched || done.Runs != 10 || done.Nights != 6 {
		t.Errorf("got %+v", done)
	}
	after := tree(t, filepath.Join(p.Dir, "lake"))
	for path, size := range files {
		if after[path] != size && !strings.Contains(path, "_manifests") {
			t.Errorf("%s has %d bytes, it had %d", path, after[path], size)
		}
	}
	if len(after) != len(files) {
		t.Errorf("%d files in the lake, there were %d", len(after), len(files))
	}
	if checks := verified(t, p); len(checks) > 0 {
		t.Errorf("verify: %v", checks)
	}
	if _, err := os.Stat(filepath.Join(p.Dir, "work", "rebuild")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
}

// TestReplaysGiveTheIdenticalTables derives the segments into empty data directories in random
// orders, some of them twice.
func TestReplaysGiveTheIdenticalTables(t *testing.T) {
	p := copyOfWeek(t)
	want := hashes(t, p.Dir)
	paths, err := journal.Segments(p.journal())
	must(t, err)
	for seed := range uint64(1) {
		replay := &Pipeline{Dir: t.TempDir(), segments: p.journal()}
		replay.fill()
		r := rand.New(rand.NewPCG(seed, 1))
		order := append(r.Perm(len(paths)), r.Perm(len(paths))[:3]...)
		for len(order) > 0 {
			n := min(1+r.IntN(3), len(order))
			var some []string
			for _, i := range order[:n] {
				some = append(some, paths[i])
			}
			_, err := replay.derive(t.Context(), some...)
			must(t, err)
			order = order[n:]
		}
		if diff := cmp.Diff(want, hashes(t, replay.Dir)); diff != "" {
			t.Errorf("seed %d: hashes (-published +replayed):\n%s", seed, diff)
			c, err := warehouse.Compare(t.Context(), warehouse.Path(p.Dir), warehouse.Path(replay.Dir), t.TempDir())
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
	p := copyOfWeek(t)
	change(t, p.Dir, "UPDATE particulars SET length_m = length_m + 1 WHERE vessel_id = (SELECT min(vessel_id) FROM particulars WHERE length_m IS NOT NULL)",
		"DELETE FROM episodes WHERE first_seen = (SELECT min(first_seen) FROM episodes)", "DELETE FROM latest")
	before := hashes(t, p.Dir)
	done, err := p.Rebuild(t.Context(), RebuildOptions{DryRun: true})
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
	if diff := cmp.Diff(before, hashes(t, p.Dir)); diff != "" {
		t.Errorf("a dry run has changed what is published:\n%s", diff)
	}
}

func TestARebuildThatFailsChangesNothing(t *testing.T) {
	cases := map[string]func(p *Pipeline) (context.Context, RebuildOptions){
		"a damaged segment": func(p *Pipeline) (context.Context, RebuildOptions) {
			flip(t, segmentOf(t, p, 2), 0.5)
			return t.Context(), RebuildOptions{}
		},
		"a segment that is published and gone": func(p *Pipeline) (context.Context, RebuildOptions) {
			must(t, os.Remove(segmentOf(t, p, 0)))
			return t.Context(), RebuildOptions{}
		},
		"a journal without runs": func(p *Pipeline) (context.Context, RebuildOptions) {
			must(t, os.RemoveAll(p.journal()))
			return t.Context(), RebuildOptions{Lose: true}
		},
		"cancelled while it derives": func(p *Pipeline) (context.Context, RebuildOptions) {
			ctx, cancel := context.WithCancel(t.Context())
			p.Progress = func(now Progress) {
				if strings.HasPrefix(now.Phase, "derive") {
					cancel()
				}
			}
			return ctx, RebuildOptions{}
		},
		"cancelled before the switch": func(p *Pipeline) (context.Context, RebuildOptions) {
			ctx, cancel := context.WithCancel(t.Context())
			p.Progress = func(now Progress) {
				if now.Phase == "compare" {
					cancel()
				}
			}
			return ctx, RebuildOptions{}
		},
	}
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			p := copyOfWeek(t)
			ctx, o := prepare(p)
			before := tree(t, p.Dir)
			if _, err := p.Rebuild(ctx, o); err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(before, tree(t, p.Dir)); diff != "" {
				t.Errorf("files (-before +after):\n%s", diff)
			}
		})
	}
}

// TestTheSwitchGoesOnAfterACrash stops the switch after each of its steps, and starts again.
func TestTheSwitchGoesOnAfterACrash(t *testing.T) {
	steps := []func(p *Pipeline){
		func(*Pipeline) {},
		func(p *Pipeline) {
			must(t, os.Rename(filepath.Join(p.Dir, "lake"), filepath.Join(p.aside(), "lake.old")))
		},
		func(p *Pipeline) { must(t, os.Rename(filepath.Join(p.aside(), "lake"), filepath.Join(p.Dir, "lake"))) },
		func(p *Pipeline) { // the new files count as published from here on
			built, err := os.ReadFile(filepath.Join(p.aside(), "warehouse", "fingerprints"))
			must(t, err)
			known, err := os.ReadFile(filepath.Join(p.Dir, "warehouse", "fingerprints"))
			must(t, err)
			must(t, os.WriteFile(filepath.Join(p.Dir, "warehouse", "fingerprints"), append(known, built...), 0o644))
		},
		func(p *Pipeline) {
			must(t, os.Rename(filepath.Join(p.Dir, "warehouse", "versions"), filepath.Join(p.aside(), "versions.old")))
		},
		func(p *Pipeline) {
			must(t, os.Rename(filepath.Join(p.aside(), "warehouse", "versions"), filepath.Join(p.Dir, "warehouse", "versions")))
		},
		func(p *Pipeline) { must(t, os.Rename(warehouse.Path(p.aside()), warehouse.Path(p.Dir))) },
	}
	built := copyOfWeek(t)
	want := hashes(t, built.Dir)
	change(t, built.Dir, "DELETE FROM latest") // so that the switch can be seen
	var done Rebuilt
	built.fill()
	nights, err := built.nightsOf(RebuildOptions{}, nil, &done)
	must(t, err)
	must(t, built.buildAside(t.Context(), nights, nil, RebuildOptions{}, &done))
	must(t, built.makeReady(t.Context()))
	for n := range steps {
		p := &Pipeline{Dir: filepath.Join(t.TempDir(), "data")}
		must(t, os.CopyFS(p.Dir, os.DirFS(built.Dir)))
		for _, step := range steps[:n+1] {
			step(p)
		}
		if count(t, p.Dir, "runs") != 10 { // the published file is readable at any moment
			t.Errorf("after %d steps the published file has other runs", n)
		}
		_, err := p.Recover(t.Context())
		must(t, err)
		if diff := cmp.Diff(want, hashes(t, p.Dir)); diff != "" {
			t.Errorf("after %d steps: hashes (-published +rebuilt):\n%s", n, diff)
		}
		if wrong := verified(t, p); len(wrong) > 0 {
			t.Errorf("after %d steps: %v", n, wrong)
		}
	}
}

func TestRebuildMakesWhatIsMissing(t *testing.T) {
	for _, name := range []string{"lake", "warehouse"} {
		p := copyOfWeek(t)
		want := hashes(t, p.Dir)
		must(t, os.RemoveAll(filepath.Join(p.Dir, name)))
		done, err := p.Rebuild(t.Context(), RebuildOptions{})
		must(t, err)
		if diff := cmp.Diff(want, hashes(t, p.Dir)); diff != "" {
			t.Errorf("without %s: hashes (-published +rebuilt):\n%s", name, diff)
		}
		if (done.Uncompared == "") != (name == "lake") {
			t.Errorf("without %s: uncompared %q", name, done.Uncompared)
		}
		if wrong := verified(t, p); len(wrong) > 0 {
			t.Errorf("without %s: %v", name, wrong)
		}
	}
}

// segmentOf is the path of a segment, the oldest first.
func segmentOf(t *testing.T, p *Pipeline, n int) string {
	t.Helper()
	paths, err := journal.Segments(p.journal())
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

func count(t *testing.T, dir, table string) int {
	t.Helper()
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	must(t, err)
	defer w.Close()
	rows, err := w.Tables(t.Context())
	must(t, err)
	return int(rows[table])
}
