package derive

import (
	"context"
	"errors"
	"os"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Recover does what Open does, with its errors, and closes the published file.
func Recover(ctx context.Context, d Deriver) ([]report.Report, error) {
	known, reports, err := Open(ctx, d)
	if err != nil {
		return nil, err
	}
	return reports, known.Close()
}

// Open publishes what earlier runs paid for and did not publish, and returns their reports, the
// oldest first. It appends an end to the segment of a run that a crash left without one. Runs that
// were rolled back stay out, and a run that is held back keeps no other from being published. It
// also returns the published file as it is then, which the caller closes. The caller holds the
// lock.
//
// It returns journal.ErrDamaged, with what to do about it, if a segment cannot be read;
// warehouse.ErrNewerProgram or load.ErrNewer if a newer program made the files; datadir.ErrLocked
// if another process may write; and, where lake and warehouse must be rebuilt first, the errors of
// Rebuild. The next call continues where this one ended.
func Open(ctx context.Context, d Deriver) (known *warehouse.Published, reports []report.Report, err error) {
	d = d.withDefaults()
	ctx, span := StartSpan(ctx, "recover")
	defer EndSpan(span, &err)
	if err := settle(d); err != nil {
		return nil, nil, err
	}
	if err := errors.Join(journal.RemoveReserve(d.Journal), load.Clean(d.Dir)); err != nil {
		return nil, nil, err
	}
	warnings, err := warehouse.Restore(ctx, d.Dir)
	warn(d, warnings)
	if err != nil {
		return nil, nil, err
	}
	if known, err = heal(ctx, d); err != nil {
		return nil, nil, err
	}
	paths, err := EndSegments(d, known.Runs)
	if err == nil && len(paths) == 0 {
		err = UpdateHeldBack(d.Dir, nil, known.Runs)
	}
	if err == nil && len(paths) == 0 {
		return known, nil, nil
	}
	if err := errors.Join(err, known.Close()); err != nil {
		return nil, nil, err
	}
	if reports, err = publishRecovered(ctx, d, paths); err != nil {
		return nil, nil, err
	}
	known, err = warehouse.OpenPublished(ctx, d.Dir)
	return known, reports, err
}

// EndSegments returns the segments of the runs to publish, each with an end: those that are neither
// published nor rolled back. It appends an end to the segment of a run that a crash left without one, and
// removes a segment without a plan. It returns journal.ErrDamaged, with what to do about it, if a segment
// cannot be read. The caller holds the lock.
func EndSegments(d Deriver, published map[string]bool) (unpublished []string, err error) {
	d = d.withDefaults()
	paths, err := journal.Segments(d.Journal)
	if err != nil {
		return nil, err
	}
	out, err := warehouse.RolledBack(d.Dir, published)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if run := journal.RunOf(path); published[run] || out[run] {
			continue
		}
		ended, err := finish(d, path)
		if err != nil {
			return nil, err
		}
		if ended {
			unpublished = append(unpublished, path)
		}
	}
	return unpublished, nil
}

// publishRecovered publishes the runs of segments, and logs those that are held back.
func publishRecovered(ctx context.Context, d Deriver, paths []string) (reports []report.Report, err error) {
	d.Log.Info("publishing what earlier runs paid for", "runs", len(paths))
	err = Retry(ctx, d, func() (err error) {
		reports, err = d.Derive(ctx, paths...)
		return err
	})
	if heldBack := (*HeldBackError)(nil); errors.As(err, &heldBack) {
		for _, h := range heldBack.Runs {
			d.Log.Error("a run is held back, and the others are published", "held", h.Run, "date", h.Date, "reason",
				h.Reason, "do", "`fleetlake run JOB --accept-issues` publishes it")
		}
		err = nil
	}
	return reports, err
}

// warn logs warnings about the published file.
func warn(d Deriver, warnings []string) {
	for _, words := range warnings {
		d.Log.Warn(words)
	}
}

// finish appends the end to a segment that a crash left without one, and reports whether there is a
// run to publish. It removes a segment without a plan, which is empty.
func finish(d Deriver, path string) (bool, error) {
	planned, end, err := journal.Bounds(path)
	switch {
	case err != nil:
		return false, withAdvice(err)
	case planned == nil:
		d.Log.Warn("removing an empty journal segment", "file", path)
		return false, os.Remove(path)
	case end != nil:
		return true, nil
	}
	s, cut, err := journal.Reopen(path)
	if err != nil {
		return false, withAdvice(err)
	}
	d.Log.Info("a run was killed", "killed", planned.Run, "torn_bytes", cut)
	_, err = s.Append(journal.Entry{Kind: journal.KindEnd, At: d.Now().UTC(),
		End: &journal.End{State: report.StateKilled, Reason: "the process died"}})
	return true, errors.Join(err, s.Close())
}
