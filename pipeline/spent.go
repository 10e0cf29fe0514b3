package pipeline

import (
	"context"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/warehouse"
)

// rolledBack returns the runs that rollbacks removed.
func (p *Pipeline) rolledBack(ctx context.Context) (map[string]bool, error) {
	known, err := warehouse.PublishedRuns(ctx, p.Dir)
	if err != nil {
		return nil, err
	}
	return warehouse.RolledBack(p.Dir, known)
}

// night reads the runs of a job's night that a new run resumes. It leaves out runs that were rolled
// back: their rows are not in the warehouse, and coverage that counted their pages would wrongly prove
// vessels gone.
func (p *Pipeline) night(ctx context.Context, job, date string) (resumeState, error) {
	out, err := p.rolledBack(ctx)
	if err != nil {
		return resumeState{}, err
	}
	return readNight(p.segments(), job, date, out)
}

// spentUnpublished returns the credits that runs spent since a moment and that are not in the
// warehouse, because the runs were rolled back or are held back. They count towards the caps of the
// day and the month.
func (p *Pipeline) spentUnpublished(ctx context.Context, since time.Time) (credits int, err error) {
	known, err := warehouse.PublishedRuns(ctx, p.Dir)
	if err != nil {
		return 0, err
	}
	paths, err := journal.Segments(p.segments())
	if err != nil {
		return 0, err
	}
	for _, path := range paths {
		if known[journal.RunOf(path)] {
			continue
		}
		pending := map[int]int{} // credits by intent
		for e, err := range journal.Read(path) {
			switch {
			case err != nil:
				return 0, err
			case e.Kind == journal.KindIntent && !e.At.Before(since):
				pending[e.N] = e.Credits
			case e.Kind == journal.KindAnswer, e.Kind == journal.KindBalance: // a balance returns the credits that were not billed
				delete(pending, e.Intent)
				if !e.Sent.Before(since) {
					credits += e.Credits
				}
			}
		}
		for _, n := range pending {
			credits += n
		}
	}
	return credits, nil
}
