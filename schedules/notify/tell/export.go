package tell

import (
	"context"

	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/schedules/exports"
	"github.com/fleetlake/fleetlake/schedules/notify"
)

// Export exports what is published, if that is due, and notifies the recipients of a failure and of
// its end. The errors are those of exports.Phase.Run.
func (t Teller) Export(ctx context.Context, p *exports.Phase) (exports.Outcome, error) {
	o, err := p.Run(ctx)
	if f := o.State.Failure; f != nil && (o.Notify || o.Recovered) {
		r := notify.ExportResult{At: f.At, First: f.First, Times: f.Times, Reason: datadir.WithoutPath(t.Dir, f.Reason)}
		if o.Recovered {
			r.At, r.Run = o.State.Success.At, o.State.Success.Run
			t.To.Send(notify.OfExportRecovery(r))
		} else {
			t.To.Send(notify.OfExportFailure(r))
		}
	}
	return o, err
}
