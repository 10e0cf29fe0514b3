package repair

import (
	"fmt"
	"path/filepath"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

// segment is what Verify needs of a segment of the journal, and what is wrong with it.
type segment struct {
	entries   int
	ended     bool
	continues []string
	lanes     []report.LaneReport
	lost      int // entries that were damaged and could not be salvaged
	wrong     []string
}

// readSegment reads every entry of a segment, and checks their order.
func readSegment(path string) segment {
	s := segment{}
	name := filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))
	wrong := func(format string, args ...any) { s.wrong = append(s.wrong, name+": "+fmt.Sprintf(format, args...)) }
	sum := report.NewSummary()
	waiting := map[int]journal.Entry{} // intents without an answer
	gone := map[int]bool{}             // the numbers of entries that were lost
	for e, err := range journal.Read(path) {
		if err != nil {
			s.wrong = append(s.wrong, err.Error())
			break
		}
		switch {
		case e.N == 0 && e.Plan == nil:
			wrong("it does not begin with a plan")
		case e.N > 0 && e.Plan != nil:
			wrong("entry %d is another plan", e.N)
		case e.Plan != nil && (e.Plan.Run != journal.RunOf(path) || e.Plan.Date != filepath.Base(filepath.Dir(path))):
			wrong("it is the segment of run %s of %s", e.Plan.Run, e.Plan.Date)
		case s.ended && e.Kind != journal.KindAccept:
			wrong("entry %d comes after the end", e.N)
		case e.Kind == journal.KindIntent:
			waiting[e.N] = e
		case e.Kind == journal.KindAnswer:
			asked, ok := waiting[e.Intent]
			if !ok && gone[e.Intent] {
				break // its intent was lost
			}
			if !ok || asked.Operation != e.Operation || asked.Parameters != e.Parameters {
				wrong("entry %d answers entry %d, which did not ask for that", e.N, e.Intent)
			}
			delete(waiting, e.Intent)
		}
		if e.Lost != nil {
			s.lost += e.Lost.Entries
			for n := range e.Lost.Entries {
				gone[e.N+n] = true
			}
		}
		if e.Plan != nil {
			s.continues = e.Plan.Continues
		}
		s.ended = s.ended || e.End != nil
		s.entries++
		sum.Add(e)
	}
	s.lanes = sum.Report().Lanes
	return s
}
