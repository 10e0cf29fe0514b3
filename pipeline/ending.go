package pipeline

import (
	"fmt"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
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
	open, never, late := h.listing.leftOut(), h.grants.leftOut(), map[string]int{}
	for _, l := range h.work.decided.LeftOut {
		if l.Why == plan.NoTime {
			late[l.What] += l.Count
		}
	}
	unasked := h.grants.unasked
	partitions := h.listing.begun() + never[plan.PartitionsOfList] + unasked[plan.PartitionsOfList] + late[plan.PartitionsOfList]
	sweeps := h.asked + never[plan.StatusSearches] + unasked[plan.StatusSearches] + late[plan.StatusSearches]
	m.add(&m.credits, never[plan.PartitionsOfList], partitions, "%s are left out: %s", plan.PartitionsOfList, plan.ReasonFor(h.bound()))
	m.add(&m.credits, never[plan.StatusSearches], sweeps, "%s are left out: %s", plan.StatusSearches, plan.ReasonFor(h.bound()))
	m.add(&m.credits, open.short, partitions, "%s are cut short: %s", plan.PartitionsOfList, plan.ReasonFor(h.bound()))
	m.add(&m.time, late[plan.PartitionsOfList], partitions, "%s are left out: %s", plan.PartitionsOfList, plan.NoTime)
	m.add(&m.time, late[plan.StatusSearches], sweeps, "%s are left out: %s", plan.StatusSearches, plan.NoTime)
	m.add(&m.other, open.odd, partitions, "%s are suspect: their totals and pages contradict each other", plan.PartitionsOfList)
	m.add(&m.other, open.lost+unasked[plan.PartitionsOfList], partitions, "%s were not listed to their last page", plan.PartitionsOfList)
	m.add(&m.other, h.asked-h.swept+unasked[plan.StatusSearches], sweeps, "%s were not answered", plan.StatusSearches)
	return m
}

// mostOfPlan names the limit of a run that is its own price.
const mostOfPlan = "the most that the plan named"

// PlanSpent reports whether a run ended because it had spent the most of its own plan and not at a
// cap, as when answers failed and may have been billed. The next run makes a new plan under the same
// caps.
func PlanSpent(stop report.Stop, reason string) bool {
	return stop == report.StopBudget && strings.Contains(reason, mostOfPlan)
}

// bound names the limit of what the run may spend: a cap, or the most of its plan.
func (h *harvest) bound() string {
	if h.work.decided.Allowance.Limit.Allows(h.work.recorded.Budget + 1) {
		return fmt.Sprintf(mostOfPlan+" (%d credits)", h.work.recorded.Budget)
	}
	return h.work.decided.Allowance.Why
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
		e.State, e.Stop, e.Reason = report.StatePartial, string(stopFor(h.bound())), m.credits+"; "+adviceFor(h.bound())
	case h.stop == report.StopBudget && m.other != "" && h.budget.Free() < api.ByType.Credits: // what the last balance gave back included
		e.State, e.Stop = report.StatePartial, string(stopFor(h.bound()))
		e.Reason = fmt.Sprintf("%s, and a retry costs more than %s leaves; %s", m.other, h.bound(), adviceFor(h.bound()))
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
	for _, left := range append([]plan.LeftOut{checks}, h.lookups.leftOut()...) {
		if left.Count > 0 {
			lines = append(lines, left.String())
		}
	}
	return lines
}

// stopFor returns the reason to stop at a limit that bound names.
func stopFor(bound string) report.Stop {
	if bound == plan.BalanceFloor {
		return report.StopCredits
	}
	return report.StopBudget
}

// adviceFor returns what a person can do when a run has reached the limit that bound names.
func adviceFor(bound string) string {
	switch bound {
	case plan.CapOfNight:
		return "raise it, or run the job with --again to resume with a new cap"
	case plan.CapOfDay:
		return "raise it, or run the job again tomorrow (UTC)"
	case plan.CapOfMonth:
		return "raise it, or run the job again next month (UTC)"
	case plan.BalanceFloor:
		return "buy credits, or lower the floor"
	}
	return "run the job again: its new plan uses the totals that are known now"
}
