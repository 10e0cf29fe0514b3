package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/ledger"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// plan decides which requests a run sends, and creates its segment with that plan. It closes the
// published file when it has read it, because a harvest takes hours. If the file is damaged, it reads
// the one that is published then.
func (p *Pipeline) plan(ctx context.Context, known *warehouse.Published, job plan.Job, date, id string,
	before resumeState, account *credits.Account, started time.Time) (w work, segment *journal.Segment, err error) {
	ctx, span := derive.StartSpan(ctx, "plan")
	defer derive.EndSpan(span, &err)
	anew := p.Again && account.Renewable(job.Name, date, before.newest())
	var f plan.Inputs
	err = derive.Retry(ctx, p.deriver(), func() (err error) {
		if known == nil {
			if known, err = warehouse.OpenPublished(ctx, p.Dir); err != nil {
				return err
			}
		}
		defer func() { err, known = errors.Join(err, known.Close()), nil }()
		f, err = p.inputs(ctx, known, job, before, account.Spent(job.Name, date, anew, started), started,
			p.awaitBalance(job, started))
		return err
	})
	if err != nil {
		return w, nil, err
	}
	w = work{job: job, decided: plan.Decide(job, f, p.Service.PerMinute), targets: f.Targets, refused: f.Refused,
		answered: f.Answered, before: before, account: account, started: started}
	w.recorded = w.record(id, date, p.Version)
	w.recorded.Anew, w.recorded.Ahead = anew, account.Ahead(started)
	if p.SettleAfter > 0 {
		w.recorded.Settle = p.SettleAfter.String()
	}
	segment, err = journal.Create(p.segments(), journal.Entry{Kind: journal.KindPlan, At: started, Plan: &w.recorded})
	return w, segment, err
}

// account returns what all runs have spent, and brings its index up to date if the caller holds the lock.
func (p *Pipeline) account(locked bool) (*credits.Account, error) {
	if locked {
		account, lost, err := ledger.Update(p.segments())
		if len(lost) > 0 {
			p.Log.Warn("the journal lacks segments that it had: `fleetlake verify` names them", "segments", len(lost),
				"first", lost[0].Segment)
		}
		return account, err
	}
	return ledger.Read(p.segments())
}

// work is everything that a harvest needs to know of its run.
type work struct {
	job      plan.Job
	decided  plan.Plan        // the requests to send; harvest.probe adapts it to the accepted lists
	recorded journal.Plan     // the decided plan as the first entry of the segment
	targets  []inputs.Target  // the known vessels
	refused  map[string]bool  // numbers that are not looked up
	answered map[int]bool     // numbers that were looked up lately
	before   resumeState      // the runs that this one resumes
	account  *credits.Account // what the runs before this one spent
	started  time.Time
}

// record returns the decided plan as the first entry of the run's segment.
func (w work) record(run, date, version string) journal.Plan {
	total := w.decided.Total()
	planned := journal.Plan{Run: run, Job: w.job.Name, Date: date, Continues: w.before.runs, Budget: total.Most,
		Credits: total, Lookups: len(w.decided.Lookups) + len(w.decided.Positions), Version: version, Partitions: w.decided.Skipped}
	planned.Raw = recordRaw(w.decided.Questions)
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
