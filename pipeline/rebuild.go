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
	"github.com/fleetlake/fleetlake/warehouse/durable"
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

	there map[string]bool // the runs that were brought in
	held  []HeldBackRun   // and those that were not, for their issues
}

// RebuildOptions say what a rebuild may do.
type RebuildOptions struct {
	DryRun bool // build, compare, and throw away
	Lose   bool // go on without what is published and no more in the journal

	only map[string]bool // of a repair: these runs and no others; nil is all
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
	if done, err = p.rebuild(ctx, o); err == nil && done.Switched {
		err = p.noteHeldBack(done.held, done.there)
	}
	return done, err
}

func (p *Pipeline) rebuild(ctx context.Context, o RebuildOptions) (done Rebuilt, err error) {
	if _, err := load.Manifests(p.Dir); errors.Is(err, load.ErrNewer) {
		return done, fmt.Errorf("rebuild: %w", err)
	}
	known, err := p.requestsOf(ctx)
	if err != nil {
		return done, err
	}
	nights, err := p.nightsOf(o, known, &done)
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
	if err := p.buildAside(ctx, nights, known, o, &done); err != nil {
		return done, fmt.Errorf("rebuild: %w", err)
	}
	if err := p.compareAside(ctx, &done); err != nil {
		return done, fmt.Errorf("rebuild: %w", err)
	}
	if o.DryRun {
		return done, nil
	}
	if o.only != nil { // what was rolled back stays so
		out, err := warehouse.RolledBack(p.Dir, o.only)
		if err == nil {
			err = warehouse.MarkRolledBack(p.aside(), out)
		}
		if err != nil {
			return done, fmt.Errorf("rebuild: %w", err)
		}
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
	ErrLost   = errors.New("what is published is no more in the journal, or not all of it, and a rebuild would lose it: put good copies of the segments back, or say that it may go (--lose)")
)

// requestsOf returns how many requests each published run has made: by the warehouse, or by the
// manifests of the lake where that cannot be read.
func (p *Pipeline) requestsOf(ctx context.Context) (map[string]int, error) {
	known := map[string]int{}
	w, err := warehouse.Open(ctx, warehouse.Path(p.Dir), warehouse.Options{MemoryMiB: warehouse.DefaultMemoryMiB, Threads: 1})
	if err == nil {
		var runs []warehouse.Run
		if err = w.CheckProgram(ctx); err == nil {
			runs, err = w.Runs(ctx, 0)
		}
		err = errors.Join(err, w.Close())
		for _, r := range runs {
			known[r.ID] = r.Requests
		}
	}
	if err == nil {
		return known, nil
	}
	if !errors.Is(err, warehouse.ErrNone) && !warehouse.IsDamaged(err) && !ofAnother(err) {
		return nil, err
	}
	manifests, err := load.Manifests(p.Dir)
	if err != nil {
		p.Log.Warn("what was published is not known: neither warehouse nor lake can be read", "error", err)
		return known, nil
	}
	out, err := warehouse.RolledBack(p.Dir, nil)
	for run, m := range manifests {
		if !out[run] {
			known[run] = m.Run.Requests
		}
	}
	return known, err
}

// ofAnother reports whether an error says that another version of the program made a file, whose
// tables this one may not be able to read.
func ofAnother(err error) bool {
	return errors.Is(err, warehouse.ErrOtherProgram) || errors.Is(err, warehouse.ErrNewerProgram)
}

// setAgainst compares the runs of the journal with those that are published.
func (r *Rebuilt) setAgainst(known map[string]int, nights [][]string, o RebuildOptions) error {
	there := map[string]bool{}
	for _, path := range slices.Concat(nights...) {
		run := journal.RunOf(path)
		there[run] = true
		if _, before := known[run]; len(known) > 0 && !before {
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

// lessThan says what a segment lacks of what is published of its run; nothing if it is whole.
func (b writtenRun) lessThan(known map[string]int) string {
	requests, before := known[b.report.Run]
	switch n := b.report.Requests(); {
	case !before:
		return ""
	case b.report.Lost > 0:
		return fmt.Sprintf("%s: %d entries of its segment were damaged and are lost", b.report.Run, b.report.Lost)
	case n < requests:
		return fmt.Sprintf("%s: its segment has %d of the %d requests that are published", b.report.Run, n, requests)
	}
	return ""
}

// nightsOf lists the segments of each night, the oldest first.
func (p *Pipeline) nightsOf(o RebuildOptions, known map[string]int, done *Rebuilt) ([][]string, error) {
	paths, err := journal.Segments(p.journal())
	if err != nil {
		return nil, err
	}
	var whole []string
	for _, path := range paths {
		run := journal.RunOf(path)
		if o.only != nil && !o.only[run] {
			continue
		}
		planned, end, err := journal.Bounds(path)
		if err != nil {
			return nil, advised(err)
		}
		if planned == nil || end == nil {
			if o.DryRun {
				done.Left = append(done.Left, run+": it has no end, and a dry run writes none")
				continue
			}
			if requests, ok := known[run]; ok && !o.Lose {
				return nil, fmt.Errorf("rebuild: %s: its segment has lost its end, and %d requests are published: %w", run, requests, ErrLost)
			}
		}
		ended, err := p.finish(path)
		if err != nil {
			return nil, err
		}
		if ended {
			whole = append(whole, path)
		}
	}
	if len(whole) == 0 {
		return nil, fmt.Errorf("rebuild from %s: %w", p.journal(), ErrNoRuns)
	}
	nights := byNight(whole)
	done.Runs, done.Nights = len(whole), len(nights)
	return nights, nil
}

// buildAside makes lake and warehouse in work/rebuild.
func (p *Pipeline) buildAside(ctx context.Context, nights [][]string, known map[string]int, o RebuildOptions, done *Rebuilt) error {
	defer debug.SetGCPercent(debug.SetGCPercent(40))
	aside := *p
	aside.Dir, aside.segments = p.aside(), p.journal()
	done.Rows, done.there = map[string]int{}, map[string]bool{}
	// The last night comes by itself, so that a version without it is there for a run that goes on
	// with it.
	last := len(nights) - 1
	for _, some := range slices.Concat(chunks(nights[:last]), nights[last:]) {
		var runs []writtenRun
		for _, path := range some {
			if err := ctx.Err(); err != nil {
				return err
			}
			b, err := aside.transform(path)
			if err != nil {
				return fmt.Errorf("derive %s: %w", journal.RunOf(path), advised(err))
			}
			if less := b.lessThan(known); less != "" && !o.Lose && !o.DryRun {
				return fmt.Errorf("%s: %w", less, ErrLost)
			} else if less != "" {
				done.Left = append(done.Left, less)
			}
			runs = append(runs, b)
			p.Progress(Progress{At: p.Now(), Phase: "derive " + b.report.Date})
		}
		p.Progress(Progress{At: p.Now(), Phase: "load"})
		there, held, err := aside.publishBut(ctx, aside.Dir, runs, o.DryRun)
		if err != nil {
			return err
		}
		if err := done.take(there, held, known); err != nil {
			return err
		}
	}
	if len(done.there) == 0 {
		return &HeldBackError{done.held}
	}
	return nil
}

// take counts what was published. A run that is held back again stays out; one that is published
// now must not go because other rules hold it back.
func (r *Rebuilt) take(there []writtenRun, held []HeldBackRun, known map[string]int) error {
	for _, b := range there {
		r.there[b.report.Run] = true
		for table, rows := range b.report.Rows {
			r.Rows[table] += rows
		}
	}
	for _, h := range held {
		if _, published := known[h.Run]; published {
			return &HeldBackError{[]HeldBackRun{h}}
		}
		r.held = append(r.held, h)
		r.Left = append(r.Left, fmt.Sprintf("%s: it is held back: %s", h.Run, h.Reason))
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
	case warehouse.IsDamaged(err):
		done.Uncompared, err = "what was published is damaged: "+err.Error(), nil
	case err != nil && ctx.Err() == nil && ofAnother(p.checkProgram(ctx)):
		done.Uncompared, err = "another version of fleetlake made what was published: "+err.Error(), nil
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
	text := "This rebuild is whole. The next start of fleetlake completes the switch to it.\n"
	if err := durable.WriteFile(p.ready(), []byte(text), 0o644); err != nil {
		return fmt.Errorf("make ready: %w", err)
	}
	return nil
}

// settleRebuild completes the switch to a rebuild that a crash interrupted, and throws away
// one that is not whole. Every writer of a data directory calls it first.
func (p *Pipeline) settleRebuild() error {
	_, err := os.Stat(p.ready())
	switch {
	case err == nil:
		err := load.Promote(p.Dir, p.aside())
		if err == nil {
			var said []string
			said, err = warehouse.Promote(p.Dir, p.aside())
			p.warn(said)
		}
		if err != nil {
			return fmt.Errorf("switch to what was rebuilt: %w; the next start tries again", err)
		}
		// What tells that the switch is to be completed goes first: its directory is emptied
		// in no order.
		if err := errors.Join(os.Remove(p.ready()), durable.SyncDir(p.aside())); err != nil {
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
