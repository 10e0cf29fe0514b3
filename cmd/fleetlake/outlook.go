package main

import (
	"context"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// outlookNights is how many nights the outlook of a first cap simulates: a quarter of a year.
const outlookNights = 90

// outlook returns what a job would bring to a data directory that knows no vessel yet; nil if it lists or
// searches only some values, because nothing is assumed of how many vessels these have. It sends no request.
func outlook(ctx context.Context, cfg config.Config, job plan.Job, now time.Time) (*forecast.Outlook, error) {
	if len(job.List.Types)+len(job.List.Countries)+len(job.Sweep.VesselTypes)+len(job.Sweep.Laden)+len(job.Sweep.ForOrder) > 0 || job.Lookup.WatchedOnly {
		return nil, nil
	}
	s := forecast.Unknown(now)
	scenario, err := asConfigured(cfg, job.Name, s, outlookNights, now)
	if err != nil {
		return nil, err
	}
	scenario.Job = job
	o, err := forecast.Look(ctx, s, scenario)
	return &o, err
}
