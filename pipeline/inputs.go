package pipeline

import (
	"context"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// inputs reads the inputs of a plan from the published file and the journal. The caller's balance makes
// the free call for the credits that are left, and spent is what counts towards the caps.
func (p *Pipeline) inputs(ctx context.Context, known *warehouse.Published, job plan.Job, before resumeState,
	spent credits.Spent, now time.Time, balance func(context.Context) (int, error)) (plan.Inputs, error) {
	f := plan.Inputs{Now: now, Since: before.since(), Spent: spent, Tonight: before.answered, Covers: before.covers,
		LookedUp: before.lookups}
	if err := readBalance(ctx, &f, job, balance); err != nil {
		return f, err
	}
	if known.File != nil {
		if err := readInputs(ctx, &f, known.File, job); err != nil {
			return f, err
		}
	}
	if len(job.Asks) > 0 || job.Lookup.Bulk != nil {
		if err := readQuestions(ctx, &f, known.File, job); err != nil {
			return f, err
		}
	}
	return f, p.addHeldBack(&f, job)
}

// readInputs reads the inputs that are in the published warehouse.
func readInputs(ctx context.Context, f *plan.Inputs, w *warehouse.Warehouse, job plan.Job) (err error) {
	if f.Totals, err = w.Totals(ctx); err != nil {
		return err
	}
	var observed []inputs.Span
	if job.Sweep.Auto {
		if observed, err = w.Turnover(ctx, plan.StatusDataset); err != nil {
			return err
		}
	}
	if len(job.Lookup.Want) > 0 {
		spans, err := readVessels(ctx, f, w, job)
		if err != nil {
			return err
		}
		observed = append(observed, spans...)
	}
	f.Rates = plan.LearnRates(observed)
	return nil
}

// readVessels reads the vessels that can be looked up, and returns what is known of how often their
// datasets change.
func readVessels(ctx context.Context, f *plan.Inputs, w *warehouse.Warehouse, job plan.Job) (observed []inputs.Span, err error) {
	if f.Targets, err = w.Targets(ctx); err != nil {
		return nil, err
	}
	var lookups []string
	for _, o := range api.Lookups {
		lookups = append(lookups, o.Name)
	}
	if f.Refused, err = w.Refused(ctx, f.Now, lookups); err != nil {
		return nil, err
	}
	var answering []string
	for _, o := range job.Lookup.Operations() {
		answering = append(answering, o.Name)
	}
	if f.Answered, err = w.Answered(ctx, f.Now.Add(-job.Lookup.WatchAge()), answering); err != nil {
		return nil, err
	}
	return w.Rates(ctx, job.Lookup.Want)
}
