package pipeline

import (
	"context"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Collected is what a run left in the journal.
type Collected struct {
	Segment string // the path of its segment; "" if there was nothing left to request for the night

	// Without a segment: the last run of the night, a note for its report, and whether it spent the most
	// of its own plan.
	Last, Note string
	PlanSpent  bool
}

// Collect is the part of Run that spends credits. It plans a run with an id for a snapshot date on what is
// published, sends its requests, and ends its segment. It publishes nothing: neither what earlier runs left,
// nor its own answers. known is closed, unless there was nothing left to request. The caller holds the lock,
// and has ended the segments of killed runs (repair.EndSegments). Its errors are those of Run but
// ErrUnpublished.
func (p *Pipeline) Collect(ctx context.Context, known *warehouse.Published, job plan.Job, date, id string, started time.Time) (Collected, error) {
	p.fill()
	if err := p.heldBackNight(job.Name, date); err != nil {
		return Collected{}, err
	}
	before, err := p.night(known.Runs, job.Name, date)
	if err != nil {
		return Collected{}, err
	}
	account, err := p.account(true)
	if err != nil {
		return Collected{}, err
	}
	if run, note := p.ended(job, before, account.Spent(job.Name, date, false, started)); run != "" {
		return Collected{Last: run, Note: note, PlanSpent: run == before.last.Run && before.last.PlanSpent}, nil
	}
	w, segment, err := p.plan(ctx, known, job, date, id, before, account, started)
	if err != nil {
		return Collected{}, err
	}
	return Collected{Segment: segment.Path()}, p.fetch(ctx, w, segment)
}
