package pipeline

import (
	"context"
	"errors"

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

// derive publishes the runs of segments. If that finds the published file damaged, it publishes its
// runs again first.
func (p *Pipeline) derive(ctx context.Context, paths ...string) (reports []report.Report, err error) {
	d := p.deriver()
	err = derive.Retry(ctx, d, func() (err error) {
		reports, err = d.Derive(ctx, paths...)
		return err
	})
	return reports, err
}
