package warehouse

import (
	"fmt"
	"slices"
)

// thereWhenRead checks that a night which skips a step skips what reads its table, too, unless the step says which
// columns an empty table has instead. A view that is read on such a night is made all the same.
func thereWhenRead(sorted []step) error {
	n := newSkips(sorted)
	for i, s := range sorted {
		if s.makes == "" || s.columns != nil || s.isView() {
			continue
		}
		for j := i + 1; j < len(sorted); j++ {
			if n.readsWithout(j, i) {
				return fmt.Errorf("%s may run on a night that skips %s: write `-- columns:` of %s, "+
					"or into the former what both need", sorted[j].name(), s.name(), s.makes)
			}
		}
	}
	return nil
}

// skips answers which steps are skipped together.
type skips struct {
	steps []step
	maker map[string]int
}

func newSkips(sorted []step) skips {
	n := skips{sorted, map[string]int{}}
	for i, s := range sorted {
		if s.makes != "" {
			n.maker[s.makes] = i
		}
	}
	return n
}

// readsWithout reports whether step j may read what step i makes on a night that skips step i.
func (n skips) readsWithout(j, i int) bool {
	reads := slices.Contains(n.steps[j].reads, n.steps[i].makes)
	return reads && (!n.skippedWith(j, i) || n.steps[j].isView() && n.alwaysMade(j))
}

// alwaysMade reports whether a view is made even on a night without rows for it.
func (n skips) alwaysMade(i int) bool {
	for j := i + 1; j < len(n.steps); j++ {
		if n.readsWithout(j, i) {
			return true
		}
	}
	return false
}

// skippedWith reports whether step j is skipped whenever step i is, which comes before it.
func (n skips) skippedWith(j, i int) bool {
	for _, needed := range n.steps[i].needs {
		if !slices.ContainsFunc(n.steps[j].needs, func(own []string) bool { return n.implies(own, needed, i, j) }) {
			return false
		}
	}
	return true
}

// implies reports whether a row in any table of a list means that another list has one, too, between steps i and j.
func (n skips) implies(own, needed []string, i, j int) bool {
	for _, need := range own {
		if slices.Contains(needed, need) && !n.writtenBetween(tableOf(need), i, j) {
			continue
		}
		m, isMade := n.maker[tableOf(need)]
		follows := func(its []string) bool { return n.implies(its, needed, min(i, m), j) }
		if !isMade || !slices.ContainsFunc(n.steps[m].needs, follows) {
			return false
		}
	}
	return true
}

// writtenBetween reports whether a step from i to j writes a table, so that a need can begin to be met.
func (n skips) writtenBetween(table string, i, j int) bool {
	return slices.ContainsFunc(n.steps[i:j], func(s step) bool { return slices.Contains(s.writes(), table) })
}
