package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/repair"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/pipeline/spans"
	"github.com/fleetlake/fleetlake/warehouse"
)

// plan decides which requests a run sends, and creates its segment with that plan. It closes the
// published file when it has read it, because a harvest takes hours. If the file is damaged, it reads
// the one that is published then.
func (p *Pipeline) plan(ctx context.Context, known *warehouse.Published, job plan.Job, date, id string, before resumeState, started time.Time) (w work, segment *journal.Segment, err error) {
	ctx, span := spans.Start(ctx, "plan")
	defer spans.End(span, &err)
	before, renewed := p.renewCap(before)
	var f plan.Inputs
	err = repair.Retry(ctx, p.deriver(), func() (err error) {
		if known == nil {
			if known, err = warehouse.OpenPublished(ctx, p.Dir); err != nil {
				return err
			}
		}
		defer func() { err, known = errors.Join(err, known.Close()), nil }()
		f, err = p.inputs(ctx, known, job, before, started, p.awaitBalance(job, started))
		return err
	})
	if err != nil {
		return w, nil, err
	}
	w = work{job: job, decided: plan.Decide(job, f, p.Service.PerMinute), targets: f.Targets, refused: f.Refused, answered: f.Answered, before: before, started: started}
	w.recorded = w.record(id, date, p.Version)
	w.recorded.Anew = renewed
	segment, err = journal.Create(p.segments(), journal.Entry{Kind: journal.KindPlan, At: started, Plan: &w.recorded})
	return w, segment, err
}

// renewCap sets what the night has spent to 0 if a person resumes it after its end (Again), and
// reports whether it did.
func (p *Pipeline) renewCap(before resumeState) (resumeState, bool) {
	renewed := p.Again && before.last.State == report.StatePartial
	if renewed {
		before.spent = 0
	}
	return before, renewed
}

// work is everything that a harvest needs to know of its run.
type work struct {
	job      plan.Job
	decided  plan.Plan          // the requests to send; harvest.probe adapts it to the accepted lists
	recorded journal.Plan       // the decided plan as the first entry of the segment
	targets  []warehouse.Target // the known vessels
	refused  map[string]bool    // numbers that are not looked up
	answered map[int]bool       // numbers that were looked up lately
	before   resumeState        // the runs that this one resumes
	started  time.Time
}

// record returns the decided plan as the first entry of the run's segment.
func (w work) record(run, date, version string) journal.Plan {
	total := w.decided.Total()
	planned := journal.Plan{Run: run, Job: w.job.Name, Date: date, Continues: w.before.runs, Budget: total.Most,
		Credits: total, Lookups: len(w.decided.Lookups) + len(w.decided.Positions), Version: version, Partitions: w.decided.Skipped}
	for _, part := range w.decided.Cover {
		planned.Partitions = append(planned.Partitions, part.Entry())
	}
	for _, part := range w.decided.Checks {
		e := part.Entry()
		e.Check = true
		planned.Partitions = append(planned.Partitions, e)
	}
	for _, s := range w.decided.Sweeps {
		planned.Partitions = append(planned.Partitions, s.Entry())
	}
	return planned
}

// unfiltered reports whether the job lists every type and country.
func (w work) unfiltered() bool { return len(w.job.List.Types)+len(w.job.List.Countries) == 0 }
