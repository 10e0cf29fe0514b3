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

// Rebuilt reports what a rebuild made.
type Rebuilt struct {
	Runs     int            `json:"runs"`
	Nights   int            `json:"nights"`
	Rows     map[string]int `json:"rows"`               // rows of the lake, by table
	Back     []string       `json:"back,omitempty"`     // runs that the published warehouse lacks: rolled back, or not published yet
	Left     []string       `json:"left_out,omitempty"` // runs that were left out, and why
	Switched bool           `json:"switched"`           // the rebuild is published; false after a dry run

	// Compared is the difference between the new warehouse and the published one. It is empty if the
	// published one cannot be read; Uncompared is the reason.
	Compared   warehouse.Comparison `json:"tables,omitempty"`
	Uncompared string               `json:"uncompared,omitempty"`
	Hashes     []warehouse.Hash     `json:"hashes"` // of the new warehouse

	published map[string]bool // runs that are in the new warehouse
	heldBack  []HeldBackRun   // runs that are not, because of their issues
}

// RebuildOptions limit what a rebuild does.
type RebuildOptions struct {
	DryRun bool // build, compare, and throw away
	Lose   bool // continue without published runs whose segments are missing from the journal

	only map[string]bool // for a repair: only these runs; nil is all
}

// Rebuild makes lake and warehouse again from the journal, with no request. It builds in
// work/rebuild, and publishes the result when it is complete: until then, and if it fails or the
// process dies, the published files do not change. A dry run compares and removes what it built, and
// leaves out segments without an end. Runs that were rolled back are published again. The caller
// holds the lock.
//
// It returns ErrNoRuns, ErrLost, or a HeldBackError if a published run would be held back now.
func (p *Pipeline) Rebuild(ctx context.Context, o RebuildOptions) (done Rebuilt, err error) {
	p.fill()
	if err := p.settleRebuild(); err != nil {
		return done, err
	}
	if done, err = p.rebuild(ctx, o); err == nil && done.Switched {
		err = p.noteHeldBack(done.heldBack, done.published)
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
		err = done.compareRuns(known, nights, o)
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
	if o.only != nil { // a repair keeps rolled back runs out
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
	done.Switched = true // from here on every start completes the switch
	return done, p.settleRebuild()
}

// Reasons why a rebuild fails.
var (
	ErrNoRuns = errors.New("the journal has no run")
	ErrLost   = errors.New("published runs are missing from the journal, or a part of them is, and a rebuild would lose them: put good copies of their segments back, or accept the loss with --lose")
)

// requestsOf returns how many requests each published run has sent: according to the warehouse, or to
// the manifests of the lake if the warehouse cannot be read.
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
	if !errors.Is(err, warehouse.ErrNone) && !warehouse.IsDamaged(err) && !isOtherProgram(err) {
		return nil, err
	}
	manifests, err := load.Manifests(p.Dir)
	if err != nil {
		p.Log.Warn("the published runs are not known: neither warehouse nor lake can be read", "error", err)
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

// isOtherProgram reports whether an error means that another version of the program made a file, whose
// tables this one may not be able to read.
func isOtherProgram(err error) bool {
	return errors.Is(err, warehouse.ErrOtherProgram) || errors.Is(err, warehouse.ErrNewerProgram)
}

// compareRuns compares the runs of the journal with the published ones. It returns ErrLost if one is missing.
func (r *Rebuilt) compareRuns(known map[string]int, nights [][]string, o RebuildOptions) error {
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
		r.Left = append(r.Left, run+": it is published, and missing from the journal")
	}
	return nil
}

// missingRequests describes what the segment of a published run lacks; "" if it lacks nothing.
func (b writtenRun) missingRequests(known map[string]int) string {
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

// nightsOf returns the segments of each night, the oldest first.
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
			return nil, withAdvice(err)
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
	done.Rows, done.published = map[string]int{}, map[string]bool{}
	// The last night is published alone, so that there is a version without it for a run that resumes
	// it.
	last := len(nights) - 1
	for _, some := range slices.Concat(chunks(nights[:last]), nights[last:]) {
		var runs []writtenRun
		for _, path := range some {
			if err := ctx.Err(); err != nil {
				return err
			}
			b, err := aside.transform(path)
			if err != nil {
				return fmt.Errorf("derive %s: %w", journal.RunOf(path), withAdvice(err))
			}
			if less := b.missingRequests(known); less != "" && !o.Lose && !o.DryRun {
				return fmt.Errorf("%s: %w", less, ErrLost)
			} else if less != "" {
				done.Left = append(done.Left, less)
			}
			runs = append(runs, b)
			p.Progress(Progress{At: p.Now(), Phase: "derive " + b.report.Date})
		}
		p.Progress(Progress{At: p.Now(), Phase: "load"})
		there, heldBack, err := aside.publishOrHoldBack(ctx, aside.Dir, runs, o.DryRun)
		if err != nil {
			return err
		}
		if err := done.count(there, heldBack, known); err != nil {
			return err
		}
	}
	if len(done.published) == 0 {
		return &HeldBackError{done.heldBack}
	}
	return nil
}

// count counts the rows of runs that are in the new warehouse, and those that are held back again. It
// returns a HeldBackError if one of them is published: a rebuild must not remove it.
func (r *Rebuilt) count(there []writtenRun, heldBack []HeldBackRun, known map[string]int) error {
	for _, b := range there {
		r.published[b.report.Run] = true
		for table, rows := range b.report.Rows {
			r.Rows[table] += rows
		}
	}
	for _, h := range heldBack {
		if _, published := known[h.Run]; published {
			return &HeldBackError{[]HeldBackRun{h}}
		}
		r.heldBack = append(r.heldBack, h)
		r.Left = append(r.Left, fmt.Sprintf("%s: it is held back: %s", h.Run, h.Reason))
	}
	return nil
}

// compareAside compares the new warehouse with the published one.
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
		done.Uncompared, err = "the published file is damaged: "+err.Error(), nil
	case err != nil && ctx.Err() == nil && isOtherProgram(p.checkProgram(ctx)):
		done.Uncompared, err = "another version of fleetlake made the published file: "+err.Error(), nil
	}
	return err
}

func (p *Pipeline) aside() string { return filepath.Join(p.Dir, "work", "rebuild") }
func (p *Pipeline) ready() string { return filepath.Join(p.aside(), "ready") }

// makeReady writes the file ready when everything that was built is on disk: the switch can begin.
func (p *Pipeline) makeReady(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := warehouse.Prepare(ctx, p.Dir, p.aside()); err != nil {
		return err
	}
	text := "This rebuild is complete. The next start of fleetlake completes the switch to it.\n"
	if err := durable.WriteFile(p.ready(), []byte(text), 0o644); err != nil {
		return fmt.Errorf("make ready: %w", err)
	}
	return nil
}

// settleRebuild completes the switch to a rebuild that a crash interrupted, and removes a rebuild that
// is not complete. Every writer of a data directory calls it first.
func (p *Pipeline) settleRebuild() error {
	_, err := os.Stat(p.ready())
	switch {
	case err == nil:
		err := load.Promote(p.Dir, p.aside())
		if err == nil {
			var warnings []string
			warnings, err = warehouse.Promote(p.Dir, p.aside())
			p.warn(warnings)
		}
		if err != nil {
			return fmt.Errorf("publish what was rebuilt: %w; the next start tries again", err)
		}
		// The file ready is removed first, because RemoveAll removes the others in any order.
		if err := errors.Join(os.Remove(p.ready()), durable.SyncDir(p.aside())); err != nil {
			return fmt.Errorf("publish what was rebuilt: %w", err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("look for a rebuild: %w", err)
	}
	if err := os.RemoveAll(p.aside()); err != nil {
		return fmt.Errorf("remove a rebuild: %w", err)
	}
	return nil
}
