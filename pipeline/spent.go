package pipeline

import (
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/warehouse"
)

// night reads the runs of a job's night that a new run resumes. It leaves out runs that were rolled
// back: their rows are not in the warehouse, and coverage that counted their pages would wrongly prove
// vessels gone.
func (p *Pipeline) night(published map[string]bool, job, date string) (resumeState, error) {
	out, err := warehouse.RolledBack(p.Dir, published)
	if err != nil {
		return resumeState{}, err
	}
	return readNight(p.segments(), job, date, out)
}

// spentUnpublished returns the credits that runs spent since a moment and that are not in the
// warehouse, because the runs were rolled back or are held back. They count towards the caps of the
// day and the month.
func (p *Pipeline) spentUnpublished(published map[string]bool, since time.Time) (credits int, err error) {
	paths, err := journal.Segments(p.segments())
	if err != nil {
		return 0, err
	}
	for _, path := range paths {
		if published[journal.RunOf(path)] {
			continue
		}
		for x, err := range journal.Exchanges(path) {
			if err != nil {
				return 0, err
			}
			if !x.SentAt().Before(since) {
				credits += x.Credits
			}
		}
	}
	return credits, nil
}
