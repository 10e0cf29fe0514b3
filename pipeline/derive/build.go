package derive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"slices"

	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/warehouse"
)

// build makes lake and warehouse in work/rebuild.
func (r *rebuild) build(ctx context.Context) error {
	defer debug.SetGCPercent(debug.SetGCPercent(40))
	next := r.d
	next.Dir, next.DryRun = aside(r.d.Dir), r.o.DryRun
	// The last night is published alone, so that there is a version without it for a run that resumes
	// it.
	last := len(r.nights) - 1
	for _, paths := range slices.Concat(chunksOf(r.nights[:last]), r.nights[last:]) {
		runs, err := r.write(ctx, next, paths)
		if err != nil {
			return err
		}
		r.d.Phase("load")
		published, heldBack, err := next.publish(ctx, runs)
		if err != nil {
			return err
		}
		if err := r.count(published, heldBack); err != nil {
			return err
		}
	}
	if len(r.published) == 0 {
		return &HeldBackError{Runs: r.heldBack}
	}
	return nil
}

// write writes the lake files of segments. It returns ErrLost if one of them lacks requests that are
// published.
func (r *rebuild) write(ctx context.Context, next Deriver, paths []string) (runs []Written, err error) {
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w, err := next.Write(path)
		if err != nil {
			return nil, err
		}
		if lacks := r.missingRequests(w.Report); lacks != "" && !r.o.Lose && !r.o.DryRun {
			return nil, fmt.Errorf("%s: %w", lacks, ErrLost)
		} else if lacks != "" {
			r.done.Left = append(r.done.Left, lacks)
		}
		runs = append(runs, w)
		r.d.Phase("derive " + w.Report.Date)
	}
	return runs, nil
}

// missingRequests describes what the segment of a published run lacks; "" if it lacks nothing.
func (r *rebuild) missingRequests(run report.Report) string {
	requests, published := r.requests[run.Run]
	switch n := run.Requests(); {
	case !published:
		return ""
	case run.Lost > 0:
		return fmt.Sprintf("%s: %d entries of its segment were damaged and are lost", run.Run, run.Lost)
	case n < requests:
		return fmt.Sprintf("%s: its segment has %d of the %d requests that are published", run.Run, n, requests)
	}
	return ""
}

// count counts the rows of runs that are in the new warehouse, and those that are held back again. It
// returns a HeldBackError if one of them is published: a rebuild must not remove it.
func (r *rebuild) count(published []Written, heldBack []HeldBackRun) error {
	for _, w := range published {
		r.published[w.Report.Run] = true
		for table, rows := range w.Report.Rows {
			r.done.Rows[table] += rows
		}
	}
	for _, h := range heldBack {
		if _, published := r.requests[h.Run]; published {
			return &HeldBackError{Runs: []HeldBackRun{h}}
		}
		r.heldBack = append(r.heldBack, h)
		r.done.Left = append(r.done.Left, fmt.Sprintf("%s: it is held back: %s", h.Run, h.Reason))
	}
	return nil
}

// compare compares the new warehouse with the published one.
func (r *rebuild) compare(ctx context.Context) (err error) {
	r.d.Phase("compare")
	next := aside(r.d.Dir)
	built := warehouse.Path(next)
	if r.done.Hashes, err = warehouse.Hashes(ctx, built, next); err != nil {
		return err
	}
	r.done.Compared, err = warehouse.Compare(ctx, warehouse.Path(r.d.Dir), built, next)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.done.Uncompared, err = "nothing was published before", nil
	case warehouse.IsDamaged(err):
		r.done.Uncompared, err = "the published file is damaged: "+err.Error(), nil
	case err != nil && ctx.Err() == nil && isOtherProgram(checkProgram(ctx, r.d.Dir)):
		r.done.Uncompared, err = "another version of fleetlake made the published file: "+err.Error(), nil
	}
	return err
}

// checkProgram returns an error if this program cannot continue the published file.
func checkProgram(ctx context.Context, dir string) error {
	w, err := warehouse.Open(ctx, warehouse.Path(dir), warehouse.Options{MemoryMiB: warehouse.DefaultMemoryMiB, Threads: 1})
	if errors.Is(err, warehouse.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(w.CheckProgram(ctx), w.Close())
}
