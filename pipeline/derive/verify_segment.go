package derive

import (
	"fmt"
	"iter"
	"path/filepath"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

// segment is what Verify needs of a segment of the journal, and what is wrong with it.
type segment struct {
	entries   int
	ended     bool
	continues []string
	lanes     []report.Lane
	lost      int // entries that were damaged and could not be salvaged
	wrong     []string
}

// readSegment reads every entry of a segment, and checks their order.
func readSegment(path string) segment {
	s := segment{}
	name := filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))
	wrong := func(format string, args ...any) { s.wrong = append(s.wrong, name+": "+fmt.Sprintf(format, args...)) }
	sum := report.NewSummary()
	gone := map[int]bool{} // the numbers of entries that were lost
	for x, err := range journal.Pair(s.inOrder(path, gone, wrong)) {
		if err != nil {
			s.wrong = append(s.wrong, err.Error())
			continue // with the intents whose answers cannot be read
		}
		lost := x.Request == nil && gone[x.Intent]
		if x.Kind == journal.KindAnswer && !lost && !asksFor(x.Request, x.Entry) {
			wrong("entry %d answers entry %d, which did not ask for that", x.N, x.Intent)
		}
		sum.Add(x)
	}
	s.lanes = sum.Report().Lanes
	return s
}

// inOrder yields the entries of a segment as they are in the file, checks the order of their kinds, and
// adds to gone the numbers of those that were lost.
func (s *segment) inOrder(path string, gone map[int]bool, wrong func(string, ...any)) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		for e, err := range journal.Read(path) {
			if err == nil {
				s.check(path, e, wrong)
			}
			if e.Lost != nil {
				s.lost += e.Lost.Entries
				for n := range e.Lost.Entries {
					gone[e.N+n] = true
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// check checks that an entry can follow those before it.
func (s *segment) check(path string, e journal.Entry, wrong func(string, ...any)) {
	switch {
	case e.N == 0 && e.Plan == nil:
		wrong("it does not begin with a plan")
	case e.N > 0 && e.Plan != nil:
		wrong("entry %d is another plan", e.N)
	case e.Plan != nil && (e.Plan.Run != journal.RunOf(path) || e.Plan.Date != filepath.Base(filepath.Dir(path))):
		wrong("it is the segment of run %s of %s", e.Plan.Run, e.Plan.Date)
	case s.ended && e.Kind != journal.KindAccept:
		wrong("entry %d comes after the end", e.N)
	}
	if e.Plan != nil {
		s.continues = e.Plan.Continues
	}
	s.ended = s.ended || e.End != nil
	s.entries++
}

// asksFor reports whether an intent, nil if there is none, is that of an answer.
func asksFor(intent *journal.Entry, answer journal.Entry) bool {
	return intent != nil && intent.Operation == answer.Operation && intent.Parameters == answer.Parameters
}
