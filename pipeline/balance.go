package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// ErrNoBalance reports that a run needs the balance, and the service did not report it.
var ErrNoBalance = errors.New("the balance cannot be read, and no other request was sent")

// uncapped reports whether nothing but the balance bounds what a job spends.
func uncapped(job plan.Job) bool { return job.Budget == 0 && job.PerDay == 0 && job.PerMonth == 0 }

// needsBalance reports whether a job is not planned without the balance: it has a floor, or no cap.
func needsBalance(job plan.Job) bool { return job.Floor > 0 || uncapped(job) }

// readBalance sets the balance by the caller's free call. Without the answer it leaves the balance unknown, or
// refuses a job that needs it.
func readBalance(ctx context.Context, f *plan.Inputs, job plan.Job, balance func(context.Context) (int, error)) error {
	credits, err := balance(ctx)
	var refused *extract.Error
	switch {
	case err == nil:
		f.Balance, f.BalanceKnown = credits, true
	case errors.As(err, &refused) && refused.Outcome == extract.OutcomeUnauthorized:
		return fmt.Errorf("the service refuses the key (FLEETLAKE_API_KEY or api.key_file): %w", err)
	case ctx.Err() != nil:
		return ctx.Err()
	case job.Floor > 0:
		return fmt.Errorf("%w: it must stay above %d credits (budget.floor). Try again when the service reports it: %w",
			ErrNoBalance, job.Floor, err)
	case uncapped(job):
		return fmt.Errorf("%w: no cap is set, so that the balance alone would bound what the job spends. Set "+
			"budget.per_run, per_day or per_month in the configuration, or --budget, or try again when the service "+
			"reports the balance: %w", ErrNoBalance, err)
	}
	return nil
}

// ping requests the balance once.
func (p *Pipeline) ping(ctx context.Context) (int, error) {
	credits, _, err := extract.Ping(ctx, p.Service)
	return credits, err
}

// Pauses between two requests for a balance that must be known.
const (
	balanceFirst = time.Second
	balanceMost  = 2 * time.Minute
)

// awaitBalance returns a call for the balance. For a job that needs it, the call repeats its request while the
// service is away, as a harvest does: until the patience or the deadline of the run is over.
func (p *Pipeline) awaitBalance(job plan.Job, started time.Time) func(context.Context) (int, error) {
	if !needsBalance(job) {
		return p.ping
	}
	within := cmp.Or(p.Service.Patience, extract.DefaultPatience)
	if job.Deadline > 0 {
		within = min(within, job.Deadline-p.Now().Sub(started))
	}
	within = max(within, balanceFirst) // what earlier runs left may have taken longer to publish: it is requested once in any case
	return func(ctx context.Context) (int, error) {
		ctx, cancel := context.WithTimeout(ctx, within)
		defer cancel()
		for delay := balanceFirst; ; delay = min(2*delay, balanceMost) {
			credits, err := p.ping(ctx)
			var refused *extract.Error
			if err == nil || errors.As(err, &refused) && (refused.Outcome == extract.OutcomeUnauthorized ||
				refused.Outcome == extract.OutcomeBlocked) {
				return credits, err
			}
			if delay == balanceFirst {
				p.Log.Warn("the balance cannot be read, and must be known for a floor (budget.floor) or without a "+
					"cap: it is requested again", "within", within, "error", err)
			}
			if extract.Pause(ctx, delay, nil) != nil {
				return 0, err
			}
		}
	}
}
