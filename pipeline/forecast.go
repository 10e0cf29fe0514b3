package pipeline

import (
	"cmp"
	"context"

	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
)

// ForecastState reads what a forecast of a job begins with, from the published file and the journal. It sends no
// request. If no vessel is known yet it returns forecast.Unknown.
func (p *Pipeline) ForecastState(ctx context.Context, job plan.Job) (s forecast.State, err error) {
	p.fill()
	now := p.Now().UTC()
	known, err := warehouse.OpenPublished(ctx, p.Dir)
	if err != nil {
		return s, err
	}
	defer known.Close()
	if known.File == nil {
		return forecast.Unknown(now), nil
	}
	job.Lookup.Want, job.Sweep.Auto = plan.Datasets, true // all that another scenario may want
	f := plan.Inputs{Now: now}
	if err := readInputs(ctx, &f, known.File, job); err != nil {
		return s, err
	}
	if len(f.Totals)+len(f.Targets) == 0 {
		return forecast.Unknown(now), nil
	}
	if err := readQuestions(ctx, &f, known.File, job); err != nil {
		return s, err
	}
	if err := p.addHeldBack(&f, job); err != nil {
		return s, err
	}
	account, err := p.account(false)
	if err != nil {
		return s, err
	}
	spent := account.Spent(job.Name, "", true, now) // each simulated night begins with its whole cap
	s = forecast.State{Targets: f.Targets, Totals: f.Totals, Refused: f.Refused, Rates: f.Rates, SpentDay: spent.Day,
		SpentMonth: spent.Month, SpentAt: now, Vessels: f.Vessels, Asked: f.Asked, Bulk: f.Bulk}
	if err := readRuns(ctx, &s, known.File, job); err != nil {
		return s, err
	}
	s.Now = cmp.Or(s.Now, now)
	return s, readList(ctx, &s, known.File)
}

// pastRuns is how many runs a forecast is compared with.
const pastRuns = 500

// readRuns reads the newest run, and what the job's runs have spent.
func readRuns(ctx context.Context, s *forecast.State, w *warehouse.Warehouse, job plan.Job) error {
	runs, err := w.Runs(ctx, pastRuns)
	for _, r := range runs {
		s.Run, s.Now = cmp.Or(s.Run, r.ID), cmp.Or(s.Now, r.Started.UTC())
		if r.Job == job.Name {
			s.Spent = append(s.Spent, forecast.RunSpent{Started: r.Started.UTC(), Credits: r.CreditsSpent})
		}
	}
	return err
}

// readList reads how the list changes, and what of it was never read.
func readList(ctx context.Context, s *forecast.State, w *warehouse.Warehouse) (err error) {
	h, err := w.ListHistory(ctx)
	if err != nil {
		return err
	}
	shown := forecast.History{VesselDays: float64(len(s.Targets)) * h.Latest.Sub(h.Since).Hours() / 24,
		Arrived: h.Arrived, Left: h.Left, Changed: h.Changed}
	s.Churn, s.Priors = forecast.LearnChurn(shown)
	if s.Partly, err = w.PartlyListed(ctx); err != nil {
		return err
	}
	unlisted := map[string]int{}
	for _, p := range s.Partly {
		unlisted[p.Kind] += max(0, p.Expected-p.Received)
		s.Unlisted = max(s.Unlisted, unlisted[p.Kind])
	}
	return nil
}
