package health

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/warehouse"
)

// checkedRuns is how many of the newest runs are searched for one that counts.
const checkedRuns = 200

// NewestRun returns the newest run in a published file that counts; an empty job is any.
func NewestRun(ctx context.Context, path, job string) (warehouse.Run, error) {
	w, err := warehouse.Open(ctx, path, warehouse.Options{MemoryMiB: warehouse.DefaultMemoryMiB, Threads: 1})
	if err != nil {
		return warehouse.Run{}, err
	}
	runs, err := w.Runs(ctx, checkedRuns)
	if err := errors.Join(err, w.Close()); err != nil {
		return warehouse.Run{}, err
	}
	for _, r := range runs {
		if (job == "" || r.Job == job) && counts(r) {
			return r, nil
		}
	}
	return warehouse.Run{}, warehouse.ErrNoRun
}

// counts reports whether a run is done, or the service answered at least one of its requests.
func counts(run warehouse.Run) bool {
	if run.State == report.StateDone {
		return true
	}
	var r report.Report
	if json.Unmarshal([]byte(run.Report), &r) != nil {
		return false
	}
	for _, l := range r.Lanes {
		if l.Operation != api.Credits.Name && l.Answers > 0 {
			return true
		}
	}
	return false
}

// newestRuns returns the newest published run of each job.
func newestRuns(ctx context.Context, path string) (map[string]warehouse.Run, error) {
	runs, err := PublishedRuns(ctx, path)
	newest := map[string]warehouse.Run{}
	for _, r := range slices.Backward(runs) {
		newest[r.Job] = r
	}
	return newest, err
}

// PublishedRuns returns the newest published runs, the newest first; none if nothing is published.
func PublishedRuns(ctx context.Context, path string) ([]warehouse.Run, error) {
	w, err := warehouse.Open(ctx, path, warehouse.Options{MemoryMiB: warehouse.DefaultMemoryMiB, Threads: 1})
	if errors.Is(err, warehouse.ErrNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	runs, err := w.Runs(ctx, checkedRuns)
	return runs, errors.Join(err, w.Close())
}
