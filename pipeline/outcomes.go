package pipeline

import (
	"context"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/pipeline/credits"
)

// watchBalance reads the balance when the service answers after requests of unknown outcome, one reading at a time, so
// that credits that are bought meanwhile show as a rise. It is free, and no lane waits for it. While the service does
// not answer, it would take the place of the request that finds out whether it is back.
func (h *harvest) watchBalance(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.spending.answers:
			h.client.Balance(ctx)
		}
	}
}

// settleOutcomes waits for a quiet balance whenever something waits that only credits of unknown outcome can pay for:
// until the balance proves something, and in all no longer than the patience with the service or the run lasts.
func (h *harvest) settleOutcomes(ctx context.Context, now func() time.Time, patience time.Duration) {
	for ctx.Err() == nil {
		needs, at, provable, changed := h.spending.needsOutcomes()
		if !needs {
			select {
			case <-ctx.Done():
			case <-changed:
			}
			continue
		}
		wait := at.Sub(now())
		deadline, limited := ctx.Deadline()
		switch {
		case !provable, wait > patience, limited && time.Now().Add(wait).After(deadline):
			h.spending.event((*credits.Arbiter).NoOutcome)
		case wait > 0:
			began := time.Now()
			extract.Pause(ctx, wait, changed)
			patience -= time.Since(began)
		default:
			patience -= h.readQuiet(ctx, now(), patience)
		}
	}
}

// readQuiet reads the balance, again and again while the service is away, and gives up the credits of which it does
// not tell. It returns how long that took.
func (h *harvest) readQuiet(ctx context.Context, asked time.Time, patience time.Duration) time.Duration {
	began := time.Now()
	for delay := balanceFirst; ctx.Err() == nil; delay = min(2*delay, balanceMost) {
		if _, err := h.client.Balance(ctx); err == nil || extract.Judge(err) != extract.Wait || time.Since(began)+delay > patience {
			break
		}
		extract.Pause(ctx, delay, nil)
	}
	if needs, at, _, _ := h.spending.needsOutcomes(); needs && !at.After(asked) {
		h.spending.event((*credits.Arbiter).NoOutcome)
	}
	return time.Since(began)
}

// clock returns the clock that the entries of the service are dated by.
func clock(s extract.Service) func() time.Time {
	if s.Now == nil {
		return time.Now
	}
	return s.Now
}
