package warehouse

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// inOrder puts the steps of a night into their order, which follows from what they declare:
//
//   - the numbers of the folders come first;
//   - in a folder, what makes a table comes before what reads it, and a step after those that its `after` names;
//   - a step reads a table of the warehouse as it was before the changes of its folder, but for those that it comes
//     after by these rules.
//
// It returns an error for a cycle, for two steps that change one table in an order that nothing gives, for
// a table that is made twice or later, and for one that a night may lack although a step reads it.
func inOrder(steps []step) ([]step, error) {
	var sorted []step
	for _, folder := range foldersOf(steps) {
		in := slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return s.folder != folder })
		g, err := newFolderGraph(in)
		if err == nil {
			in, err = g.sorted()
		}
		if err != nil {
			return nil, err
		}
		sorted = append(sorted, in...)
	}
	return sorted, errors.Join(madeBefore(sorted), thereWhenRead(sorted))
}

func foldersOf(steps []step) (folders []string) {
	for _, s := range steps {
		folders = append(folders, s.folder)
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// folderGraph has the steps of a folder, and for each which of them come before it: directly, or by any way.
type folderGraph struct {
	steps  []step
	before [][]bool
}

func newFolderGraph(steps []step) (folderGraph, error) {
	slices.SortFunc(steps, func(a, b step) int { return strings.Compare(a.name(), b.name()) })
	g := folderGraph{steps, make([][]bool, len(steps))}
	for i := range steps {
		g.before[i] = make([]bool, len(steps))
	}
	for i, s := range steps {
		for j, other := range steps {
			if i != j && other.makes != "" && slices.Contains(s.reads, other.makes) {
				g.add(j, i)
			}
		}
		for _, file := range s.after {
			if !g.addAfter(i, file) {
				return g, fmt.Errorf("%s: it comes after %s, which its folder does not have", s.name(), file)
			}
		}
	}
	g.readEarlier()
	return g, g.undecided()
}

// add says that step j comes before step i, and all before j with it.
func (g folderGraph) add(j, i int) {
	if g.before[i][j] {
		return
	}
	for later := range g.steps {
		if later != i && !g.before[later][i] {
			continue
		}
		g.before[later][j] = true
		for earlier, is := range g.before[j] {
			g.before[later][earlier] = g.before[later][earlier] || is
		}
	}
}

// addAfter lets a step come after a file: after that of the same dataset, or else after all of that name.
func (g folderGraph) addAfter(i int, file string) (found bool) {
	named := func(j int) bool { return g.steps[j].file == file && j != i }
	for j := range g.steps {
		if named(j) && g.steps[j].of == g.steps[i].of {
			g.add(j, i)
			return true
		}
	}
	for j := range g.steps {
		if named(j) {
			g.add(j, i)
			found = true
		}
	}
	return found
}

// readEarlier lets what only reads a table come before what writes it, unless it comes after that already.
func (g folderGraph) readEarlier() {
	for i, reader := range g.steps {
		for j, writer := range g.steps {
			for _, table := range writer.writes() {
				onlyReads := slices.Contains(reader.touched(), table) && !slices.Contains(reader.writes(), table)
				if onlyReads && i != j && !g.before[i][j] {
					g.add(i, j)
				}
			}
		}
	}
}

// touched are the tables that the step reads, also to find out whether it is needed.
func (s step) touched() []string {
	touched := slices.Clone(s.reads)
	for _, need := range slices.Concat(s.needs...) {
		touched = append(touched, tableOf(need))
	}
	return touched
}

// undecided returns an error for two steps that write one table without an order. Rows that both only add need none.
func (g folderGraph) undecided() error {
	for i, a := range g.steps {
		for j, b := range g.steps[:i] {
			for _, table := range a.writes() {
				onlyAdd := !slices.Contains(slices.Concat(a.changes, b.changes, a.reads, b.reads), table)
				if slices.Contains(b.writes(), table) && !onlyAdd && !g.before[i][j] && !g.before[j][i] {
					return fmt.Errorf("%s and %s both change %s: write `-- after:` into the one that comes later",
						b.name(), a.name(), table)
				}
			}
		}
	}
	return nil
}

// sorted returns the steps in an order that the graph allows: of those that could be next, the first of the alphabet.
func (g folderGraph) sorted() (sorted []step, err error) {
	done := make([]bool, len(g.steps))
	for len(sorted) < len(g.steps) {
		next := slices.IndexFunc(g.steps, func(s step) bool { return g.ready(s, done) })
		if next < 0 {
			return nil, g.cycle(done)
		}
		done[next] = true
		sorted = append(sorted, g.steps[next])
	}
	return sorted, nil
}

// ready reports whether a step is not done, and all that come before it are.
func (g folderGraph) ready(s step, done []bool) bool {
	i := slices.IndexFunc(g.steps, func(other step) bool { return other.name() == s.name() })
	for j, comesBefore := range g.before[i] {
		if comesBefore && !done[j] {
			return false
		}
	}
	return !done[i]
}

// cycle is the error of steps that come before themselves.
func (g folderGraph) cycle(done []bool) error {
	var names []string
	for i, s := range g.steps {
		if !done[i] && g.before[i][i] {
			names = append(names, s.name())
		}
	}
	return fmt.Errorf("a cycle: each of %s waits for another of them, by what they make and read and by `-- after:`",
		strings.Join(names, ", "))
}

// madeBefore checks that each table has one maker, and that none is read before it is made.
func madeBefore(sorted []step) error {
	maker := map[string]step{}
	for _, s := range sorted {
		if other, twice := maker[s.makes]; s.makes != "" && twice {
			return fmt.Errorf("%s and %s both make %s", other.name(), s.name(), s.makes)
		}
		maker[s.makes] = s
	}
	made := map[string]bool{}
	for _, s := range sorted {
		for _, table := range s.touched() {
			if m, isMade := maker[table]; isMade && !made[table] {
				return fmt.Errorf("%s reads %s, which %s makes later", s.name(), table, m.name())
			}
		}
		for _, table := range s.writes() {
			if m, isMade := maker[table]; isMade {
				return fmt.Errorf("%s changes %s, which %s makes: make another table of it", s.name(), table, m.name())
			}
		}
		made[s.makes] = true
	}
	return nil
}
