package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Rebuilt is what a rebuild made.
type Rebuilt struct {
	Runs     int            `json:"runs"`
	Nights   int            `json:"nights"`
	Rows     map[string]int `json:"rows"`               // of the lake, by table
	Back     []string       `json:"back,omitempty"`     // runs that the warehouse lacked: rolled back, or not published yet
	Left     []string       `json:"left_out,omitempty"` // segments that were left out, and why
	Switched bool           `json:"switched"`           // false of a dry run

	// Compared says how the new warehouse differs from the one that was published. It is empty
	// if that could not be read; Uncompared says why.
	Compared   warehouse.Comparison `json:"tables,omitempty"`
	Uncompared string               `json:"uncompared,omitempty"`
	Hashes     []warehouse.Hash     `json:"hashes"` // of the new warehouse
}

// RebuildOptions say what a rebuild may do.
type RebuildOptions struct {
	DryRun bool // build, compare, and throw away
	Lose   bool // go on without runs that are published and no more in the journal
}

// Rebuild makes lake and warehouse anew from the journal, with no request. It builds aside,
// in work/rebuild, and switches when all of it is verified: until then, and if it fails or
// dies before, everything is as it was. A dry run compares and throws away what it built, and
// leaves out segments without an end. Runs that were rolled back come back. The caller holds
// the lock.
func (p *Pipeline) Rebuild(ctx context.Context, o RebuildOptions) (done Rebuilt, err error) {
	p.fill()
	if err := p.settleRebuild(); err != nil {
		return done, err
	}
	known, err := p.published(ctx)
	if err != nil && !errors.Is(err, warehouse.ErrDamaged) {
		return done, err
	}
	nights, err := p.nightsOf(o.DryRun, &done)
	if err == nil {
		err = done.setAgainst(known, nights, o)
	}
	if err != nil {
		return done, err
	}
	defer func() {
		if !done.Switched {
			err = errors.Join(err, os.RemoveAll(p.aside()))
		}
	}()
	if err := p.buildAside(ctx, nights, &done); err != nil {
		return done, fmt.Errorf("rebuild: %w", err)
	}
	if err := p.compareAside(ctx, &done); err != nil {
		return done, fmt.Errorf("rebuild: %w", err)
	}
	if o.DryRun {
		return done, nil
	}
	if err := p.makeReady(ctx); err != nil {
		return done, fmt.Errorf("rebuild: %w", err)
	}
	done.Switched = true // from here on every start completes it
	return done, p.settleRebuild()
}

// Why there is no rebuild.
var (
	ErrNoRuns = errors.New("the journal has no run")
	ErrLost   = errors.New("published runs are no more in the journal, and a rebuild would lose them: put their segments back, or say that they may go (--lose)")
)

// setAgainst compares the runs of the journal with those that are published.
func (r *Rebuilt) setAgainst(known map[string]bool, nights [][]string, o RebuildOptions) error {
	there := map[string]bool{}
	for _, path := range slices.Concat(nights...) {
		run := journal.RunOf(path)
		there[run] = true
		if len(known) > 0 && !known[run] {
			r.Back = append(r.Back, run)
		}
	}
	var lost []string
	for run := range known {
		if !there[run] {
			lost = append(lost, run)
		}
	}
	slices.Sort(lost)
	if len(lost) > 0 && !o.Lose && !o.DryRun {
		return fmt.Errorf("rebuild: %s: %w", strings.Join(lost, ", "), ErrLost)
	}
	for _, run := range lost {
		r.Left = append(r.Left, run+": it is published, and no more in the journal")
	}
	return nil
}

// nightsOf lists the segments of each night, the oldest first.
func (p *Pipeline) nightsOf(dryRun bool, done *Rebuilt) ([][]string, error) {
	paths, err := journal.Segments(p.journal())
	if err != nil {
		return nil, err
	}
	byDate := map[string][]string{}
	var dates []string
	for _, path := range paths {
		plan, end, err := journal.Bounds(path)
		if err != nil {
			return nil, err
		}
		if dryRun && (plan == nil || end == nil) {
			done.Left = append(done.Left, journal.RunOf(path)+": it has no end, and a dry run writes none")
			continue
		}
		ended, err := p.finish(path)
		if err != nil {
			return nil, err
		}
		if !ended {
			continue
		}
		if byDate[plan.Date] == nil {
			dates = append(dates, plan.Date)
		}
		byDate[plan.Date] = append(byDate[plan.Date], path)
		done.Runs++
	}
	if len(dates) == 0 {
		return nil, fmt.Errorf("rebuild from %s: %w", p.journal(), ErrNoRuns)
	}
	slices.Sort(dates)
	done.Nights = len(dates)
	nights := make([][]string, 0, len(dates))
	for _, date := range dates {
		nights = append(nights, byDate[date])
	}
	return nights, nil
}

// chunk is how many nights are brought in with one publish: each publish copies the file, and
// nothing is written out of memory before its end.
const chunk = 30

// buildAside makes lake and warehouse in work/rebuild. The last night comes by itself, so that
// a version without it is there for a run that goes on with it.
func (p *Pipeline) buildAside(ctx context.Context, nights [][]string, done *Rebuilt) error {
	defer debug.SetGCPercent(debug.SetGCPercent(40))
	aside := *p
	aside.Dir, aside.segments = p.aside(), p.journal()
	done.Rows = map[string]int{}
	for len(nights) > 0 {
		n := max(1, min(chunk, len(nights)-1))
		var written []load.Manifest
		for _, path := range slices.Concat(nights[:n]...) {
			if err := ctx.Err(); err != nil {
				return err
			}
			r, m, err := aside.transform(path)
			if err != nil {
				return fmt.Errorf("derive %s: %w", journal.RunOf(path), err)
			}
			for table, rows := range r.Rows {
				done.Rows[table] += rows
			}
			written = append(written, m)
			p.Progress(Progress{At: p.Now(), Phase: "derive " + r.Date})
		}
		p.Progress(Progress{At: p.Now(), Phase: "load"})
		if err := load.Publish(ctx, aside.Dir, load.Options{AcceptIssues: p.AcceptIssues}, written...); err != nil {
			return err
		}
		nights = nights[n:]
	}
	return nil
}

// compareAside says how what was built differs from what is published.
func (p *Pipeline) compareAside(ctx context.Context, done *Rebuilt) (err error) {
	p.Progress(Progress{At: p.Now(), Phase: "compare"})
	built := warehouse.Path(p.aside())
	if done.Hashes, err = warehouse.Hashes(ctx, built, p.aside()); err != nil {
		return err
	}
	done.Compared, err = warehouse.Compare(ctx, warehouse.Path(p.Dir), built, p.aside())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		done.Uncompared, err = "nothing was published before", nil
	case errors.Is(err, warehouse.ErrDamaged):
		done.Uncompared, err = "what was published is damaged: "+err.Error(), nil
	}
	return err
}

func (p *Pipeline) aside() string { return filepath.Join(p.Dir, "work", "rebuild") }
func (p *Pipeline) ready() string { return filepath.Join(p.aside(), "ready") }

// makeReady notes, when all that was built is on disk, that it is to be switched to.
func (p *Pipeline) makeReady(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := warehouse.Prepare(ctx, p.Dir, p.aside()); err != nil {
		return err
	}
	f, err := os.Create(p.ready())
	if err != nil {
		return fmt.Errorf("make ready: %w", err)
	}
	_, err = f.WriteString("This rebuild is whole. The next start of fleetlake completes the switch to it.\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("make ready: %w", err)
	}
	return syncDir(p.aside())
}

// settleRebuild completes the switch to a rebuild that a crash interrupted, and throws away
// one that is not whole. Every writer of a data directory calls it first.
func (p *Pipeline) settleRebuild() error {
	_, err := os.Stat(p.ready())
	switch {
	case err == nil:
		err := load.Adopt(p.Dir, p.aside())
		if err == nil {
			err = warehouse.Adopt(p.Dir, p.aside())
		}
		if err != nil {
			return fmt.Errorf("switch to what was rebuilt: %w; the next start tries again", err)
		}
		// What tells that the switch is to be completed goes first: its directory is emptied
		// in no order.
		if err := errors.Join(os.Remove(p.ready()), syncDir(p.aside())); err != nil {
			return fmt.Errorf("switch to what was rebuilt: %w", err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("look for a rebuild: %w", err)
	}
	if err := os.RemoveAll(p.aside()); err != nil {
		return fmt.Errorf("remove a rebuild: %w", err)
	}
	return nil
}

func syncDir(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	return errors.Join(f.Sync(), f.Close())
}
