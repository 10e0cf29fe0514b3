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

// missed describes the searches that were not made, and why.
type missed struct {
	lines   []string // for the report
	credits string   // the first line about searches that lacked credits; "" if there is none
	time    string   // the first line about searches that lacked time
	other   string   // the first line about searches that the service did not answer, or not plausibly
}

// add appends a line about count of all searches, unless count is 0, and sets of to the first such
// line.
func (m *missed) add(of *string, count, all int, format string, args ...any) {
	if count == 0 {
		return
	}
	line := fmt.Sprintf("%d of %d ", count, all) + fmt.Sprintf(format, args...)
	if m.lines = append(m.lines, line); *of == "" {
		*of = line
	}
}

// missed counts the searches that were not made, by kind and reason.
func (h *harvest) missed() (m missed) {
	open, never, late := h.listing.leftOut(), h.spending.work.dropped, map[string]int{}
	for _, l := range h.work.decided.LeftOut {
		if l.Why == plan.NoTime {
			late[l.What] += l.Count
		}
	}
	unasked := h.spending.work.unasked
	partitions := h.listing.begun() + never[plan.PartitionsOfList] + unasked[plan.PartitionsOfList] + late[plan.PartitionsOfList]
	sweeps := h.spending.work.sweeps + never[plan.StatusSearches] + unasked[plan.StatusSearches] + late[plan.StatusSearches]
	m.add(&m.credits, never[plan.PartitionsOfList], partitions, "%s are left out: %s", plan.PartitionsOfList, h.lacksCredits())
	m.add(&m.credits, never[plan.StatusSearches], sweeps, "%s are left out: %s", plan.StatusSearches, h.lacksCredits())
	m.add(&m.credits, open.short, partitions, "%s are cut short: %s", plan.PartitionsOfList, h.lacksCredits())
	m.add(&m.time, late[plan.PartitionsOfList], partitions, "%s are left out: %s", plan.PartitionsOfList, plan.NoTime)
	m.add(&m.time, late[plan.StatusSearches], sweeps, "%s are left out: %s", plan.StatusSearches, plan.NoTime)
	m.add(&m.other, open.odd, partitions, "%s are suspect: their totals and pages contradict each other", plan.PartitionsOfList)
	m.add(&m.other, open.lost+unasked[plan.PartitionsOfList], partitions, "%s were not listed to their last page", plan.PartitionsOfList)
	m.add(&m.other, h.spending.work.sweeps-h.swept+unasked[plan.StatusSearches], sweeps, "%s were not answered", plan.StatusSearches)
	return m
}

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
	m := h.missed()
	e := journal.End{State: report.StateDone, News: h.news, LeftOut: append(m.lines, h.extras()...)}
	whole := m.credits+m.time+m.other == ""
	switch {
	case h.broken != nil:
		e.State, e.Stop, e.Reason = report.StateInterrupted, string(h.stop), h.broken.Error()
	case h.stop == report.StopSignal:
		e.State, e.Stop, e.Reason = report.StateInterrupted, string(h.stop), h.reason
	case whole && (h.stop == report.StopNone || h.stop == report.StopBudget || h.stop == report.StopDeadline):
		// only lookups ended early
	case gravity[h.stop] > gravity[report.StopBudget], h.stop != report.StopNone && h.stop != report.StopBudget && m.credits == "":
		e.State, e.Stop, e.Reason = report.StatePartial, string(h.stop), h.reason
	case m.credits != "":
		h.endAtLimit(&e, m.credits)
	case h.stop == report.StopBudget && m.other != "" && !h.spending.pays(api.ByType): // what the last balance gave back included
		h.endAtLimit(&e, fmt.Sprintf("%s, and a retry costs more than %s leaves", m.other, h.limitWords()))
	case m.other != "" && h.failed != "":
		e.State, e.Stop, e.Reason = report.StatePartial, string(report.StopService), h.failed
	case m.time != "":
		e.State, e.Stop, e.Reason = report.StatePartial, string(report.StopDeadline), m.time
	default:
		e.State, e.Reason = report.StatePartial, m.other
	}
	return e
}

// extras returns a line for the checks and one for the lookups that were not made. They do not make a run partial.
func (h *harvest) extras() (lines []string) {
	for _, l := range h.work.decided.LeftOut {
		if l.What == plan.ListChecks {
			lines = append(lines, l.String())
		}
	}
	checks := plan.LeftOut{What: plan.ListChecks, Count: h.listing.leftOut().checks, Of: len(h.work.decided.Checks), Why: "they were not made for lack of an answer, of credits or of time"}
	positions := plan.LeftOut{What: plan.PositionsLeft, Count: h.positions.left(), Of: len(h.work.decided.Positions), Why: "there is no room tonight"}
	for _, l := range h.work.decided.LeftOut {
		if l.What == plan.PositionsLeft {
			positions.Count, positions.Of, positions.Why = positions.Count+l.Count, l.Of, l.Why
		}
	}
	for _, left := range append([]plan.LeftOut{checks, positions}, h.lookups.leftOut()...) {
		if left.Count > 0 {
			lines = append(lines, left.String())
		}
	}
	return lines
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
		away = "; " + outage.Error()
	}
	switch {
	case caller.Err() != nil:
		h.stopped(report.StopSignal, "stopped by request"+away)
	case errors.Is(context.Cause(limited), errDeadline):
		h.stopped(report.StopDeadline, fmt.Sprintf("the deadline of %v is over", h.work.job.Deadline)+away)
	}
}
