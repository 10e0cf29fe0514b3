package server

import (
	"context"

	"github.com/fleetlake/fleetlake/schedules/daemon"
	"github.com/fleetlake/fleetlake/schedules/network"
)

// What the network process may ask of the scheduler. It may have been taken over: nothing of it is a path or a
// statement, and nothing answers with a secret. It can start and stop runs, as the page does for who has the token.
const (
	verbState   = "state"   // a schedulerState
	verbReady   = "ready"   // an error, if a run cannot start
	verbMetrics = "metrics" // a text
	verbRun     = "run"     // starts a job
	verbStop    = "stop"    // stops the run under way
	verbFirst   = "first"   // a *pipeline.Preview of a job that would run now
	verbPrice   = "price"   // the same, nil if it does not pay for a night again
)

// Answers answers the network process for a scheduler.
func Answers(d *daemon.Server) func(context.Context, network.Request) (any, error) {
	return func(ctx context.Context, q network.Request) (any, error) {
		switch q.Verb {
		case verbState:
			return d.State(), nil
		case verbReady:
			return nil, d.Ready()
		case verbMetrics:
			return d.Metrics()
		case verbRun:
			return nil, d.Trigger(q.Job, q.Again)
		case verbStop:
			return nil, d.StopRun()
		case verbFirst:
			return d.Price(ctx, q.Job)
		case verbPrice:
			return d.PriceAgain(ctx, q.Job)
		}
		return nil, network.ErrVerb
	}
}
