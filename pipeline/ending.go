package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

// limit returns what limits the credits of the run: a cap, or the most of its own plan.
func (h *harvest) limit() credits.Cause {
	if h.work.decided.Allowance.Limit.Allows(h.work.recorded.Budget + 1) {
		return credits.MostOfPlan
	}
	return h.work.decided.Allowance.Why
}

// limitWords names the limit of the credits.
func (h *harvest) limitWords() string {
	if h.limit() == credits.MostOfPlan {
		return fmt.Sprintf("%s (%d credits)", credits.MostOfPlan, h.work.recorded.Budget)
	}
	return string(h.limit())
}

// lacksCredits is the reason why searches lack credits, as a sentence.
func (h *harvest) lacksCredits() string {
	if h.limit() == credits.MostOfPlan {
		return h.limitWords()
	}
	return h.limit().Reason()
}

// end returns how the harvest ended. A run makes as many lookups and checks as fit: only a missing
// part of the list or the sweep, or a service that failed, makes it partial.
func (h *harvest) end() journal.End {
	n, searches := h.night(), []string{plan.PartitionsOfList, plan.StatusSearches}
	work := n.Work()
	e := journal.End{State: report.StateDone, News: h.news, Work: work, LeftOut: report.LeftLines(work)}
	lacking, late := n.First(searches, report.CauseCredits), n.First(searches, report.CauseTime)
	other := n.First(searches, report.CauseDoubt, report.CauseService, report.CauseEnd)
	whole := lacking+late+other == ""
	switch {
	case h.broken != nil:
		e.State, e.Stop, e.Reason = report.StateInterrupted, string(h.stop), h.broken.Error()
	case h.stop == report.StopSignal:
		e.State, e.Stop, e.Reason = report.StateInterrupted, string(h.stop), h.reason
	case whole && (h.stop == report.StopNone || h.stop == report.StopBudget || h.stop == report.StopDeadline):
		// only lookups ended early
	case gravity[h.stop] > gravity[report.StopBudget], h.stop != report.StopNone && h.stop != report.StopBudget && lacking == "":
		e.State, e.Stop, e.Reason = report.StatePartial, string(h.stop), h.reason
	case lacking != "":
		h.endAtLimit(&e, lacking)
	case h.stop == report.StopBudget && other != "" && !h.spending.pays(api.ByType): // what the last balance gave back included
		h.endAtLimit(&e, fmt.Sprintf("%s, and a retry costs more than %s leaves", other, h.limitWords()))
	case other != "" && h.failed != "":
		e.State, e.Stop, e.Reason = report.StatePartial, string(report.StopService), h.failed
	case other != "" && h.large != "":
		e.State, e.Stop, e.Reason = report.StatePartial, string(report.StopTooLarge), h.large
	case late != "":
		e.State, e.Stop, e.Reason = report.StatePartial, string(report.StopDeadline), late
	default:
		e.State, e.Reason = report.StatePartial, other
	}
	return e
}

// endAtLimit records that the limit of the credits is why searches were not made.
func (h *harvest) endAtLimit(e *journal.End, reason string) {
	stop := report.StopBudget
	if h.limit() == credits.BalanceFloor {
		stop = report.StopCredits
	}
	e.State, e.Stop, e.Reason = report.StatePartial, string(stop), reason+"; "+h.limit().Advice()
	e.PlanSpent = h.limit() == credits.MostOfPlan
}

// stopOf returns why an error ends a lane or the run, and that as a reason. One answer of the service may say
// that the credits do not reach or that the operation is blocked: the client has found out which.
func stopOf(err error) (report.Stop, string) {
	var e *extract.Error
	switch errors.As(err, &e); {
	case errors.Is(err, extract.ErrBudget):
		return report.StopBudget, err.Error()
	case e == nil:
	case e.Outcome == extract.OutcomeUnauthorized:
		return report.StopKey, err.Error()
	case e.Outcome == extract.OutcomeNoCredits:
		return report.StopCredits, "the balance does not pay for " + err.Error()
	case e.Outcome == extract.OutcomeBlocked:
		return report.StopBlocked, e.Operation + " is blocked for this key: " + err.Error()
	}
	return report.StopService, err.Error()
}

// interrupted records who cancelled: the caller, or the deadline. It adds an outage of the service at
// that time, which is why answers are missing.
func (h *harvest) interrupted(caller, limited context.Context) {
	away := ""
	if outage := h.client.Unanswered(); outage != nil {
		away = outage.Error()
	}
	switch {
	case caller.Err() != nil:
		h.stopped(report.StopSignal, away)
	case errors.Is(context.Cause(limited), errDeadline):
		reason := fmt.Sprintf("the deadline of %v is over", h.work.job.Deadline)
		if away != "" {
			reason += "; " + away
		}
		h.stopped(report.StopDeadline, reason)
	}
}
