package derive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Check is one thing that Verify looked at.
type Check struct {
	Name    string   `json:"check"`
	OK      bool     `json:"ok"`
	Summary string   `json:"summary"`         // what was looked at
	Wrong   []string `json:"wrong,omitempty"` // a line each
	Do      string   `json:"do,omitempty"`    // what to do about it
}

// Advice on damage, the Check.Do of failed checks.
const (
	doRestore = "put a good copy of the file in its place, from a backup: the paid answers in it are nowhere else"
	doSalvage = doRestore + "; without one, `fleetlake verify --salvage` recovers its undamaged entries"
	doLose    = doRestore + "; without one, `fleetlake rebuild --lose` publishes what the journal still has"
	doAccept  = "`fleetlake run JOB --accept-issues` publishes it as it is; until then each start tries it again"
	doRebuild = "`fleetlake rebuild` makes it again from the journal"
	doBack    = "`fleetlake rollback` publishes the previous version at once, `fleetlake rebuild` makes it again from the journal"
	doNewer   = "nothing is damaged: a newer version of fleetlake made it, and this one would lose data that only " +
		"the newer one knows"
	doRun = "`fleetlake run JOB` publishes it before its first request"
)

// Verify checks again, so often and after such a pause, if a run publishes meanwhile.
const (
	verifyTries = 4
	verifyPause = 3 * time.Second
)

// Verify compares journal, lake and warehouse with each other, and returns its checks in their
// order. It reads every byte of them, writes nothing, and works while a run is in progress: it
// repeats failed checks, up to three times, if a run published meanwhile. What is damaged or
// missing is a failed check, and no error: the error is that of a cancelled ctx, of a directory
// that cannot be read, or ErrRoom of warehouse if DuckDB has too little memory to tell.
func Verify(ctx context.Context, dir string) (checks []Check, err error) {
	for try := 1; ; try++ {
		before := lastPublished(dir)
		checks, err = verify(ctx, dir)
		right := err == nil && !slices.ContainsFunc(checks, func(c Check) bool { return !c.OK })
		if right || try == verifyTries || ctx.Err() != nil {
			return checks, err
		}
		if words, _ := datadir.Holder(dir); words == "" && before == lastPublished(dir) {
			return checks, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(verifyPause):
		}
	}
}

// lastPublished identifies a published state: by when the file and the lake's manifests were last
// replaced.
func lastPublished(dir string) [2]time.Time {
	var at [2]time.Time
	for i, path := range []string{warehouse.Path(dir), filepath.Join(dir, "lake", "_manifests")} {
		if info, err := os.Stat(path); err == nil {
			at[i] = info.ModTime()
		}
	}
	return at
}

func verify(ctx context.Context, dir string) ([]Check, error) {
	v := verifier{dir: dir, journalDir: filepath.Join(dir, "journal"), segments: map[string]segment{}}
	steps := []func(context.Context) error{v.journal, v.list, v.open, v.lake, v.warehouse, v.published, v.credits}
	var err error
	for _, step := range steps {
		if err == nil {
			err = errors.Join(step(ctx), ctx.Err())
		}
	}
	if v.w != nil {
		err = errors.Join(err, v.w.Close())
	}
	return v.checks, err
}

// verifier is the state that the checks share.
type verifier struct {
	dir        string
	journalDir string
	checks     []Check
	segments   map[string]segment // by run

	w      *warehouse.Warehouse // the published file; nil if there is none
	runs   map[string]bool      // the published runs
	out    map[string]bool      // the runs that were rolled back
	known  map[string]load.Manifest
	broken bool // the warehouse cannot be read
}

// add appends a check, which failed if there are lines in wrong.
func (v *verifier) add(name, do, summary string, wrong []string) {
	c := Check{Name: name, OK: len(wrong) == 0, Summary: summary, Wrong: wrong}
	if !c.OK {
		c.Do = do
	}
	v.checks = append(v.checks, c)
}

// journal reads every frame of every segment.
func (v *verifier) journal(ctx context.Context) error {
	paths, err := journal.Segments(v.journalDir)
	if err != nil {
		return err
	}
	var wrong []string
	entries, open := 0, 0
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := readSegment(path)
		v.segments[journal.RunOf(path)] = s
		wrong = append(wrong, s.wrong...)
		entries += s.entries
		if len(s.wrong) == 0 && !s.ended {
			open++
		}
	}
	summary := fmt.Sprintf("%d segments, %d entries", len(paths), entries)
	if open > 0 {
		summary += fmt.Sprintf("; %d without an end, of a run that is in progress or was killed", open)
	}
	v.add("journal", doSalvage, summary, wrong)
	return nil
}

// open opens the published file and reads every block of it.
func (v *verifier) open(ctx context.Context) error {
	path := warehouse.Path(v.dir)
	w, err := warehouse.Open(ctx, path, warehouse.Options{})
	switch {
	case errors.Is(err, warehouse.ErrNone):
		wrong := []string(nil)
		if len(v.segments) > 0 {
			wrong = []string{path + " is missing"}
		}
		v.add("warehouse file", doRun, "nothing is published", wrong)
		return nil
	case err != nil && ctx.Err() == nil:
		v.broken = true
		v.add("warehouse file", doBack, "not readable", []string{err.Error()})
		return nil
	case err != nil:
		return err
	}
	v.w = w
	if err = w.ReadAll(ctx); err == nil {
		v.runs, err = w.Published(ctx)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, warehouse.ErrRoom) {
			return err
		}
		v.broken = true
		v.add("warehouse file", doBack, "not readable", []string{err.Error()})
		return nil
	}
	if v.out, err = warehouse.RolledBack(v.dir, v.runs); err != nil {
		return err
	}
	v.add("warehouse file", doBack, fmt.Sprintf("%d runs, every block has its checksum", len(v.runs)), nil)
	return nil
}

// lake compares every file with its manifest.
func (v *verifier) lake(ctx context.Context) error {
	known, err := load.Manifests(v.dir)
	if err != nil {
		do := doRebuild
		if errors.Is(err, load.ErrNewer) {
			do = doNewer
		}
		v.add("lake", do, "its manifests cannot be read", []string{err.Error()})
		return nil
	}
	v.known = known
	pending := map[string]bool{}
	for run := range v.segments {
		if known[run].Run.ID == "" {
			pending[run] = !v.runs[run]
		}
	}
	w := v.w
	if v.broken {
		w = nil
	}
	l, err := load.VerifyLake(ctx, v.dir, known, pending, w)
	if err != nil {
		return err
	}
	for run := range v.runs {
		if _, ok := known[run]; !ok {
			l.Problems = append(l.Problems, filepath.Join("_manifests", run+".json")+" is missing")
		}
	}
	slices.Sort(l.Problems)
	v.add("lake", doRebuild, fmt.Sprintf("%d files of %d runs, %.1f MB", l.Files, len(known), float64(l.Bytes)/1e6), l.Problems)
	return nil
}

// warehouse checks the rules of the tables, and compares their rows with the lake.
func (v *verifier) warehouse(ctx context.Context) error {
	if v.w == nil || v.broken {
		return nil
	}
	if err := v.w.CheckCurrent(ctx); errors.Is(err, warehouse.ErrOlder) {
		v.add("warehouse", doRebuild, "", []string{"an older version of fleetlake published it; the next run makes it anew, too"})
		return ctx.Err()
	}
	wrong, err := v.w.Violations(ctx)
	if errors.Is(err, warehouse.ErrRoom) {
		return err
	}
	if err != nil {
		wrong = append(wrong, err.Error())
	}
	v.add("warehouse rules", doBack, "no vessel twice, no version out of order", wrong)
	if v.known == nil {
		return ctx.Err()
	}
	wrong, err = load.VerifyPublished(ctx, v.dir, v.known, v.w)
	if errors.Is(err, warehouse.ErrRoom) {
		return err
	}
	if err != nil {
		wrong = append(wrong, err.Error())
	}
	v.add("warehouse rows", doBack, "the tables have the rows that the manifests list", wrong)
	return ctx.Err()
}
