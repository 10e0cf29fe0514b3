package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

// ErrUnpublished reports that a run has paid for answers that could not be published.
var ErrUnpublished = errors.New("what was paid for is kept, and could not be published; the next start publishes it")

// deriver returns what derives the segments of this data directory.
func (p *Pipeline) deriver() derive.Deriver {
	return derive.Deriver{Dir: p.Dir, Now: p.Now, Log: p.Log, AcceptIssues: p.AcceptIssues,
		Phase: func(phase string) { p.Progress(Progress{At: p.Now(), Phase: phase}) }}
}

// publish derives a segment and publishes its run. If that finds the published file damaged, it publishes the runs of
// that file again first. A run that is held back waits for a person: its error is load.ErrIssues.
func (p *Pipeline) publish(ctx context.Context, segment string) (report.Report, error) {
	d := p.deriver()
	var reports []report.Report
	err := derive.Retry(ctx, d, func() (err error) {
		reports, err = d.Derive(ctx, segment)
		return err
	})
	if err != nil && !errors.Is(err, load.ErrIssues) {
		err = fmt.Errorf("%w: %w", ErrUnpublished, err)
	}
	if err != nil {
		return report.Report{}, err
	}
	return reports[len(reports)-1], nil
}
