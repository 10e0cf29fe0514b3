package pipeline

import (
	"fmt"

	"github.com/fleetlake/fleetlake/extract/journal"
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
	for _, l := range h.leftOut {
		if l.Why == noTime {
			late[l.What] += l.Count
		}
	}
	unasked := h.grants.unasked
	partitions := h.listing.begun() + never[partitionsOfList] + unasked[partitionsOfList] + late[partitionsOfList]
	sweeps := h.asked + never[statusSearches] + unasked[statusSearches] + late[statusSearches]
	m.add(&m.credits, never[partitionsOfList], partitions, "%s are left out: %s", partitionsOfList, reasonFor(h.bound()))
	m.add(&m.credits, never[statusSearches], sweeps, "%s are left out: %s", statusSearches, reasonFor(h.bound()))
	m.add(&m.credits, open.short, partitions, "%s are cut short: %s", partitionsOfList, reasonFor(h.bound()))
	m.add(&m.time, late[partitionsOfList], partitions, "%s are left out: %s", partitionsOfList, noTime)
	m.add(&m.time, late[statusSearches], sweeps, "%s are left out: %s", statusSearches, noTime)
	m.add(&m.other, open.odd, partitions, "%s are suspect: what the service says of them cannot be", partitionsOfList)
	m.add(&m.other, open.lost+unasked[partitionsOfList], partitions, "%s were not seen to their end", partitionsOfList)
	m.add(&m.other, h.asked-h.swept+unasked[statusSearches], sweeps, "%s were not answered", statusSearches)
	return m
}

// bound is what the run may not spend more than: its cap, or the most of its plan.
func (h *harvest) bound() string {
	if h.plan.Budget < h.allowance.credits || !h.allowance.limited {
		return fmt.Sprintf("the most that the plan named (%d credits)", h.plan.Budget)
	}
	return h.allowance.why
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
	case h.stop == StopBudget && m.other != "":
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
	for _, l := range h.leftOut {
		if l.What == listChecks {
			lines = append(lines, l.String())
		}
	}
	checks := LeftOut{listChecks, h.listing.leftOut().checks, len(h.checks), "they were not made for lack of an answer, of credits or of time"}
	for _, left := range append([]LeftOut{checks}, h.lookups.leftOut()...) {
		if left.Count > 0 {
			lines = append(lines, left.String())
		}
	}
	return lines
}

// stopFor is the reason to stop that belongs to what a run may not spend more than.
func stopFor(bound string) Stop {
	if bound == balanceFloor {
		return StopCredits
	}
	return StopBudget
}

// adviceFor says how a run can go on that may spend no more.
func adviceFor(bound string) string {
	switch bound {
	case capOfNight:
		return "raise it, or run it with --again to go on with a new one"
	case capOfDay:
		return "raise it, or run it again tomorrow (UTC)"
	case capOfMonth:
		return "raise it, or run it again next month (UTC)"
	case balanceFloor:
		return "buy credits, or lower the floor"
	}
	return "run it again: it plans anew by the totals that are known now"
}
