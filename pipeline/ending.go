package pipeline

import (
	"fmt"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// missed is work of the searches that was not done, in words and in number.
type missed struct {
	lines   []string
	credits string // the first line that tells of credits; empty if none does
	time    string // of time
	other   string // of the service
}

func (m *missed) add(of *string, count, all int, format string, args ...any) {
	if count == 0 {
		return
	}
	line := fmt.Sprintf("%d of %d ", count, all) + fmt.Sprintf(format, args...)
	if m.lines = append(m.lines, line); *of == "" {
		*of = line
	}
}

// missed says which searches were not done, and why.
func (h *harvest) missed() (m missed) {
	open, never, late := h.listing.leftOut(), h.grants.leftOut(), map[string]int{}
	for _, l := range h.LeftOut {
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
	m.add(&m.other, open.odd, partitions, "%s are suspect: what the service says of them cannot be", plan.PartitionsOfList)
	m.add(&m.other, open.lost+unasked[plan.PartitionsOfList], partitions, "%s were not seen to their end", plan.PartitionsOfList)
	m.add(&m.other, h.asked-h.swept+unasked[plan.StatusSearches], sweeps, "%s were not answered", plan.StatusSearches)
	return m
}

// mostOfPlan names what a run was held to beside its caps.
const mostOfPlan = "the most that the plan named"

// PlanSpent reports whether a run ended for its credits only because its own plan named no more, as
// when answers failed and may have been billed: the next run plans anew, under the same caps.
func PlanSpent(stop Stop, reason string) bool {
	return stop == StopBudget && strings.Contains(reason, mostOfPlan)
}

// bound is what the run may not spend more than: its cap, or the most of its plan.
func (h *harvest) bound() string {
	if h.plan.Budget < h.Allowance.Credits || !h.Allowance.Limited {
		return fmt.Sprintf(mostOfPlan+" (%d credits)", h.plan.Budget)
	}
	return h.Allowance.Why
}

// end says how the harvest ended. Lookups and checks are as many as fit: only what is missing
// of the list and the sweep, or a service that failed, makes a run partial.
func (h *harvest) end() journal.End {
	m := h.missed()
	e := journal.End{State: StateDone, News: h.news, LeftOut: append(m.lines, h.extras()...)}
	whole := m.credits+m.time+m.other == ""
	switch {
	case h.broken != nil:
		e.State, e.Stop, e.Reason = StateInterrupted, string(h.stop), h.broken.Error()
	case h.stop == StopSignal:
		e.State, e.Stop, e.Reason = StateInterrupted, string(h.stop), h.reason
	case whole && (h.stop == StopNone || h.stop == StopBudget || h.stop == StopDeadline):
		// what ended early were lookups only
	case gravity[h.stop] > gravity[StopBudget], h.stop != StopNone && h.stop != StopBudget && m.credits == "":
		e.State, e.Stop, e.Reason = StatePartial, string(h.stop), h.reason
	case m.credits != "":
		e.State, e.Stop, e.Reason = StatePartial, string(stopFor(h.bound())), m.credits+"; "+adviceFor(h.bound())
	case h.stop == StopBudget && m.other != "" && h.budget.Free() < api.ByType.Credits: // what the last balance gave back included
		e.State, e.Stop = StatePartial, string(stopFor(h.bound()))
		e.Reason = fmt.Sprintf("%s, and to ask again costs more than %s leaves; %s", m.other, h.bound(), adviceFor(h.bound()))
	case m.other != "" && h.failed != "":
		e.State, e.Stop, e.Reason = StatePartial, string(StopService), h.failed
	case m.time != "":
		e.State, e.Stop, e.Reason = StatePartial, string(StopDeadline), m.time
	default:
		e.State, e.Reason = StatePartial, m.other
	}
	return e
}

// extras names the checks and lookups that were not made. No run is partial for them.
func (h *harvest) extras() (lines []string) {
	for _, l := range h.LeftOut {
		if l.What == plan.ListChecks {
			lines = append(lines, l.String())
		}
	}
	checks := plan.LeftOut{What: plan.ListChecks, Count: h.listing.leftOut().checks, Of: len(h.Checks), Why: "they were not made for lack of an answer, of credits or of time"}
	for _, left := range append([]plan.LeftOut{checks}, h.lookups.leftOut()...) {
		if left.Count > 0 {
			lines = append(lines, left.String())
		}
	}
	return lines
}

// stopFor is the reason to stop that belongs to what a run may not spend more than.
func stopFor(bound string) Stop {
	if bound == plan.BalanceFloor {
		return StopCredits
	}
	return StopBudget
}

// adviceFor says how a run can go on that may spend no more.
func adviceFor(bound string) string {
	switch bound {
	case plan.CapOfNight:
		return "raise it, or run it with --again to go on with a new one"
	case plan.CapOfDay:
		return "raise it, or run it again tomorrow (UTC)"
	case plan.CapOfMonth:
		return "raise it, or run it again next month (UTC)"
	case plan.BalanceFloor:
		return "buy credits, or lower the floor"
	}
	return "run it again: it plans anew by the totals that are known now"
}
