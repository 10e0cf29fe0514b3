package pipeline

import (
	"context"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Rollback publishes the version before. What that takes out of the warehouse stays out: no
// start publishes it again, and no run goes on from it. Its credits stay spent. The caller
// holds the lock.
func (p *Pipeline) Rollback(ctx context.Context) (warehouse.RollbackResult, error) {
	p.fill()
	if err := p.settleRebuild(); err != nil {
		return warehouse.RollbackResult{}, err
	}
	return warehouse.Rollback(ctx, p.Dir)
}

// UndoRollback publishes again, from the journal, what rollbacks took out, and returns these
// runs. The caller holds the lock.
func (p *Pipeline) UndoRollback(ctx context.Context) ([]string, error) {
	p.fill()
	back, err := warehouse.ForgetRolledBack(p.Dir)
	if err != nil || len(back) == 0 {
		return nil, err
	}
	_, err = p.Recover(ctx)
	return back, err
}

// rolledBack returns the runs that rollbacks took out.
func (p *Pipeline) rolledBack(ctx context.Context) (map[string]bool, error) {
	known, err := p.published(ctx)
	if err != nil {
		return nil, err
	}
	return warehouse.RolledBack(p.Dir, known)
}

// night reads what a new run of a job's night goes on from. A run that was rolled back is not
// that: its rows are not in the warehouse, and coverage that counted its pages would prove
// vessels gone that nobody looked for.
func (p *Pipeline) night(ctx context.Context, job, date string) (resumeState, error) {
	out, err := p.rolledBack(ctx)
	if err != nil {
		return resumeState{}, err
	}
	return readNightBut(p.journal(), job, date, out)
}

// spentBack is what runs paid since a moment that are not published, as they were rolled back or
// are held back: their requests are not in the warehouse, and the caps of the day and the month
// hold all the same.
func (p *Pipeline) spentBack(ctx context.Context, since time.Time) (credits int, err error) {
	known, err := p.published(ctx)
	if err != nil {
		return 0, err
	}
	paths, err := journal.Segments(p.journal())
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
			case e.Kind == journal.KindAnswer, e.Kind == journal.KindBalance: // a balance takes back what was not billed
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
