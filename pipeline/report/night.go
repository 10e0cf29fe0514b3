package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fleetlake/fleetlake/extract/journal"
)

// Night is the one view of what a night asked, what became of it, and why. Every search and lookup is in it once:
// answered by an earlier run of the night, answered by this one, or left for one reason. What people read of a run is
// printed from it.
type Night struct{ kinds []kindOfWork }

// kindOfWork is the searches of one kind, or the lookups.
type kindOfWork struct {
	work   Work
	causes []Cause // of work.Left, in its order
}

// Work is a line of the view, as the journal keeps it.
type Work = journal.Work

// Fate is what became of a search or a lookup.
type Fate struct {
	State string // one of the states of journal.Left, or of those that have their answer
	Cause Cause
	Why   string // as a clause; "" for what has its answer
}

// The fates of what has its answer.
var (
	CarriedOver = Fate{State: "carried over"} // an earlier run of the night has it
	Answered    = Fate{State: "answered"}     // this run has it
)

// States of what has no answer, or none that counts.
const (
	LeftOut    = "left out"     // no request was sent
	CutShort   = "cut short"    // its first pages were answered
	Suspect    = "suspect"      // its answers contradict each other
	Unanswered = "not answered" // a request was sent
)

// Cause is what kept a search or a lookup from its answer, by what a person can do about it.
type Cause int

// The causes, in the order in which they are reported.
const (
	NoCause      Cause = iota
	CauseCredits       // the limit of the run's credits
	CauseTime          // the lane has no time before the deadline
	CauseDoubt         // the answers contradict each other
	CauseService       // the service did not answer, or refuses
	CauseEnd           // the run was ended: by request, by its deadline, by its own side
)

// Add counts so many searches or lookups of a kind that have the same fate.
func (n *Night) Add(what string, count int, f Fate) {
	if count <= 0 {
		return
	}
	i := slices.IndexFunc(n.kinds, func(k kindOfWork) bool { return k.work.What == what })
	if i < 0 {
		i, n.kinds = len(n.kinds), append(n.kinds, kindOfWork{work: Work{What: what}})
	}
	n.kinds[i].add(count, f)
}

func (k *kindOfWork) add(count int, f Fate) {
	w := &k.work
	w.Asked += count
	switch f {
	case CarriedOver:
		w.Carried += count
		return
	case Answered:
		w.Answered += count
		return
	}
	i := slices.IndexFunc(w.Left, func(l journal.Left) bool { return l.State == f.State && l.Why == f.Why })
	if i >= 0 {
		w.Left[i].Count += count
		return
	}
	i, _ = slices.BinarySearchFunc(k.causes, f.Cause, func(other, c Cause) int { return cmp.Or(cmp.Compare(other, c), -1) })
	w.Left = slices.Insert(w.Left, i, journal.Left{Count: count, State: f.State, Why: f.Why})
	k.causes = slices.Insert(k.causes, i, f.Cause)
}

// Work returns the view as the journal keeps it, in the order in which the kinds were added.
func (n *Night) Work() (all []Work) {
	for _, k := range n.kinds {
		all = append(all, k.work)
	}
	return all
}

// First returns the first line about work of some kinds that was left for one of some causes; "" if there is none.
func (n *Night) First(kinds []string, causes ...Cause) string {
	for _, k := range n.kinds {
		for i, cause := range k.causes {
			if slices.Contains(kinds, k.work.What) && slices.Contains(causes, cause) {
				return leftLine(k.work, k.work.Left[i])
			}
		}
	}
	return ""
}

// LeftLines is what is left of the work of a night, one line for each kind and reason.
func LeftLines(all []Work) (lines []string) {
	for _, w := range all {
		for _, l := range w.Left {
			lines = append(lines, leftLine(w, l))
		}
	}
	return lines
}

// leftLine is one line of a report.
func leftLine(w Work, l journal.Left) string {
	verb := "are"
	if l.State == Unanswered {
		verb = "were"
	}
	return fmt.Sprintf("%d of %d %s %s %s: %s", l.Count, w.Asked, w.What, verb, l.State, l.Why)
}
