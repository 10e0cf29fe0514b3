package derive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/pipeline/ledger"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Rebuilt reports what a rebuild made.
type Rebuilt struct {
	Runs   int            `json:"runs"`
	Nights int            `json:"nights"`
	Rows   map[string]int `json:"rows"` // rows of the lake, by table
	// runs that the published warehouse lacks: rolled back, or not published yet
	Back     []string `json:"back,omitempty"`
	Left     []string `json:"left_out,omitempty"` // runs that were left out, and why
	Switched bool     `json:"switched"`           // the rebuild is published; false after a dry run

	// Compared is the difference between the new warehouse and the published one. It is empty if the
	// published one cannot be read; Uncompared is the reason.
	Compared   warehouse.Comparison `json:"tables,omitempty"`
	Uncompared string               `json:"uncompared,omitempty"`
	Hashes     []warehouse.Hash     `json:"hashes"` // of the new warehouse
}

// RebuildOptions limit what a rebuild does.
type RebuildOptions struct {
	DryRun bool // build, compare, and throw away
	Lose   bool // continue without published runs whose segments are missing from the journal
}

// Reasons why a rebuild fails.
var (
	ErrNoRuns = errors.New("the journal has no run")
	ErrLost   = errors.New("published runs are missing from the journal, or a part of them is, and a rebuild would " +
		"lose them: put good copies of their segments back, or accept the loss with --lose")
)

// Rebuild makes lake and warehouse again from the journal, with no request. It builds in
// work/rebuild, and publishes the result when it is complete: until then, and if it fails or the
// process dies, the published files do not change. A dry run compares and removes what it built,
// and leaves out segments without an end. Runs that were rolled back are published again. The
// caller holds the lock.
//
// It returns ErrNoRuns; ErrLost; a HeldBackError if a published run would be held back now;
// journal.ErrDamaged, with what to do about it, if a segment cannot be read; and load.ErrNewer if a
// newer program wrote the lake.
func Rebuild(ctx context.Context, d Deriver, o RebuildOptions) (Rebuilt, error) {
	d = d.withDefaults()
	if err := settle(d); err != nil {
		return Rebuilt{}, err
	}
	r := newRebuild(d, o)
	err := r.run(ctx)
	if err == nil && r.done.Switched {
		err = UpdateHeldBack(d.Dir, r.heldBack, r.published)
	}
	return r.done, err
}

// rebuildPublished makes lake and warehouse again with these runs, which are published, and keeps out
// those that were rolled back.
func rebuildPublished(ctx context.Context, d Deriver, runs map[string]bool) error {
	r := newRebuild(d, RebuildOptions{})
	r.only = runs
	return r.run(ctx)
}

// rebuild is a rebuild that is in progress.
type rebuild struct {
	d    Deriver // of the published files
	o    RebuildOptions
	only map[string]bool // the runs to rebuild; nil is all

	requests  map[string]int  // that the published runs sent, by run
	nights    [][]string      // the segments of each night, the oldest first
	published map[string]bool // the runs that are in the new warehouse
	heldBack  []HeldBackRun
	done      Rebuilt
}

func newRebuild(d Deriver, o RebuildOptions) *rebuild {
	return &rebuild{d: d, o: o, published: map[string]bool{}, done: Rebuilt{Rows: map[string]int{}}}
}

// wants reports whether a run is one of those to rebuild.
func (r *rebuild) wants(run string) bool { return r.only == nil || r.only[run] }

func (r *rebuild) run(ctx context.Context) (err error) {
	if _, err := load.Manifests(r.d.Dir); errors.Is(err, load.ErrNewer) {
		return fmt.Errorf("rebuild: %w", err)
	}
	if err := r.readRequests(ctx); err != nil {
		return err
	}
	if err := r.readNights(); err != nil {
		return err
	}
	if err := r.compareRuns(); err != nil {
		return err
	}
	defer func() {
		if !r.done.Switched {
			err = errors.Join(err, os.RemoveAll(aside(r.d.Dir)))
		}
	}()
	if err := r.build(ctx); err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	if err := r.compare(ctx); err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	if r.o.DryRun {
		return nil
	}
	if err := r.makeReady(ctx); err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	r.done.Switched = true // from here on every start completes the switch
	if err := settle(r.d); err != nil || !r.o.Lose {
		return err
	}
	return ledger.Accept(r.d.Journal)
}

// readRequests reads how many requests each published run has sent: from the warehouse, or from the
// manifests of the lake if the warehouse cannot be read.
func (r *rebuild) readRequests(ctx context.Context) error {
	r.requests = map[string]int{}
	w, err := warehouse.Open(ctx, warehouse.Path(r.d.Dir), warehouse.Options{MemoryMiB: warehouse.DefaultMemoryMiB, Threads: 1})
	if err == nil {
		var runs []warehouse.Run
		if err = w.CheckProgram(ctx); err == nil {
			runs, err = w.Runs(ctx, 0)
		}
		err = errors.Join(err, w.Close())
		for _, run := range runs {
			r.requests[run.ID] = run.Requests
		}
	}
	if err == nil {
		return nil
	}
	if !errors.Is(err, warehouse.ErrNone) && !warehouse.IsDamaged(err) && !isOtherProgram(err) {
		return err
	}
	manifests, err := load.Manifests(r.d.Dir)
	if err != nil {
		r.d.Log.Warn("the published runs are not known: neither warehouse nor lake can be read", "error", err)
		return nil
	}
	out, err := warehouse.RolledBack(r.d.Dir, nil)
	for run, m := range manifests { // one that is not among those to rebuild has lake files, and was not published
		if !out[run] && r.wants(run) {
			r.requests[run] = m.Run.Requests
		}
	}
	return err
}

// isOtherProgram reports whether an error means that another version of the program made a file, whose
// tables this one may not be able to read.
func isOtherProgram(err error) bool {
	return errors.Is(err, warehouse.ErrOtherProgram) || errors.Is(err, warehouse.ErrNewerProgram)
}

// readNights reads the segments of the journal, and appends an end to each that a crash left without one.
func (r *rebuild) readNights() error {
	paths, err := journal.Segments(r.d.Journal)
	if err != nil {
		return err
	}
	var whole []string
	for _, path := range paths {
		if !r.wants(journal.RunOf(path)) {
			continue
		}
		ended, err := r.hasRun(path)
		if err != nil {
			return err
		}
		if ended {
			whole = append(whole, path)
		}
	}
	if len(whole) == 0 {
		return fmt.Errorf("rebuild from %s: %w", r.d.Journal, ErrNoRuns)
	}
	r.nights = nightsOf(whole)
	r.done.Runs, r.done.Nights = len(whole), len(r.nights)
	return nil
}

// hasRun reports whether a segment has a run to publish. It returns journal.ErrDamaged, with what to do
// about it, and ErrLost for a published run whose segment has lost its end.
func (r *rebuild) hasRun(path string) (bool, error) {
	run := journal.RunOf(path)
	planned, end, err := journal.Bounds(path)
	if err != nil {
		return false, withAdvice(err)
	}
	if planned != nil && end != nil {
		return true, nil
	}
	for _, err := range journal.Read(path) { // its end may lie behind damage
		if err != nil {
			return false, withAdvice(err)
		}
	}
	if r.o.DryRun {
		r.done.Left = append(r.done.Left, run+": it has no end, and a dry run writes none")
		return false, nil
	}
	if requests, ok := r.requests[run]; ok && !r.o.Lose {
		return false, fmt.Errorf("rebuild: %s: its segment has lost its end, and %d requests are published: %w",
			run, requests, ErrLost)
	}
	return finish(r.d, path)
}

// compareRuns compares the runs of the journal with the published ones. It returns ErrLost if one is missing.
func (r *rebuild) compareRuns() error {
	found := map[string]bool{}
	for _, path := range slices.Concat(r.nights...) {
		run := journal.RunOf(path)
		found[run] = true
		if _, before := r.requests[run]; len(r.requests) > 0 && !before {
			r.done.Back = append(r.done.Back, run)
		}
	}
	var lost []string
	for run := range r.requests {
		if !found[run] {
			lost = append(lost, run)
		}
	}
	slices.Sort(lost)
	if len(lost) > 0 && !r.o.Lose && !r.o.DryRun {
		return fmt.Errorf("rebuild: %s: %w", strings.Join(lost, ", "), ErrLost)
	}
	for _, run := range lost {
		r.done.Left = append(r.done.Left, run+": it is published, and missing from the journal")
	}
	if r.only != nil {
		return nil
	}
	l, err := ledger.Compare(r.d.Journal)
	for _, s := range l.Lost {
		if !slices.Contains(lost, s.Run) {
			r.done.Left = append(r.done.Left, lostWords(s))
		}
	}
	return err
}
