package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

// resumeState is the part of a job's night that a new run resumes, as the journal records it: the
// runs since the last one that was done.
type resumeState struct {
	runs     []string                   // their ids, oldest first
	answered map[string]plan.PastAnswer // their answers, by request key
	lookups  int                        // vessels that they looked up
	covers   string                     // kind of the partitions that they list by; "" if none of their plans lists
	spent    int                        // their credits, or those since the cap was last renewed
	last     PastRun                    // the newest run
	done     string                     // the last run, if it was done
}

// readNight reads the segments of a job's night, except those of some runs.
func readNight(root, job, date string, except map[string]bool) (resumeState, error) {
	n := resumeState{answered: map[string]plan.PastAnswer{}}
	paths, err := journal.Segments(filepath.Join(root, date))
	if err != nil {
		return n, err
	}
	for _, path := range paths {
		if except[journal.RunOf(path)] {
			continue
		}
		if err := n.add(path, job); err != nil {
			return n, err
		}
	}
	return n, nil
}

// add reads one segment, if it is the job's.
func (n *resumeState) add(path, job string) error {
	spent := map[int]int{} // credits by intent
	var end journal.End
	lost := false
	for e, err := range journal.Read(path) {
		if err != nil {
			return err
		}
		lost = lost || e.Lost != nil
		switch e.Kind {
		case journal.KindPlan:
			if e.Plan.Job != job {
				return nil
			}
			n.runs = append(n.runs, e.Plan.Run)
			n.last = PastRun{Run: e.Plan.Run, Date: e.Plan.Date, Started: startOf(e.Plan.Run)}
			if e.Plan.Anew {
				n.spent = 0
			}
			n.covers = cmp.Or(n.covers, covers(*e.Plan))
		case journal.KindIntent:
			spent[e.N] = e.Credits
		case journal.KindBalance:
			spent[e.N] = e.Credits // below 0: credits that were counted and turned out not to be billed
		case journal.KindAnswer:
			spent[e.Intent] = e.Credits
			n.learn(e)
		case journal.KindEnd:
			end = *e.End
		}
	}
	if lost && end.State == report.StateDone {
		end.State = report.StatePartial // the lost answers are requested again
	}
	n.close(end, spent)
	return nil
}

// covers returns the kind of the partitions that a plan lists by; "" if it lists none.
func covers(planned journal.Plan) string {
	for _, p := range planned.Partitions {
		if p.Operation == api.ByType.Name && !p.Check && p.Skipped == "" {
			return p.Kind
		}
	}
	return ""
}

// learn records a request that need not be sent again: one with data, or a lookup of a vessel that
// the service does not know. A refused search says nothing about its vessels and is sent again.
func (n *resumeState) learn(e journal.Entry) {
	search := e.Operation == api.ByType.Name || e.Operation == api.ByStatus.Name
	if !e.OK() && (search || e.Outcome != extract.OutcomeNotFound && e.Outcome != extract.OutcomeRejected) {
		return
	}
	t := plan.PastAnswer{Total: -1}
	if e.OK() {
		if a, err := extract.ReadAnswer(e); err == nil {
			t.Rows, t.Total = a.Rows, a.Total
		}
	}
	if search {
		t.Entry = e // a new run reads its vessels again
	} else {
		n.lookups++
	}
	n.answered[api.Key(e.Operation, e.Parameters)] = t
}

// close records the end of a run. After a run that was done there is nothing to resume.
func (n *resumeState) close(end journal.End, spent map[int]int) {
	if end.State == report.StateDone {
		*n = resumeState{answered: map[string]plan.PastAnswer{}, done: n.last.Run}
		return
	}
	n.done, n.last.State, n.last.Stop = "", end.State, report.Stop(end.Stop)
	for _, credits := range spent {
		n.spent += credits
	}
}

// since returns when the first of the runs started; zero if there is none.
func (n resumeState) since() time.Time {
	if len(n.runs) == 0 {
		return time.Time{}
	}
	return startOf(n.runs[0])
}

// recentSends calls f for each request that any run sent in the last minutes, so that a new process
// counts the requests of the old one towards the rate limits.
func recentSends(root string, now time.Time, f func(journal.Entry)) error {
	paths, err := journal.Segments(root)
	if err != nil {
		return err
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("look for recent requests: %w", err)
		}
		if now.Sub(info.ModTime()) > 5*time.Minute {
			continue
		}
		unanswered := map[int]journal.Entry{}
		for e, err := range journal.Read(path) {
			if err != nil && !errors.Is(err, journal.ErrDamaged) {
				return err
			}
			switch e.Kind {
			case journal.KindIntent:
				unanswered[e.N] = e
			case journal.KindAnswer, journal.KindBalance:
				delete(unanswered, e.Intent)
				f(e)
			}
		}
		for _, e := range unanswered {
			f(e)
		}
	}
	return nil
}

// PastRun is one run of a job, as its segment records it.
type PastRun struct {
	Run     string
	Date    string // the snapshot date
	Started time.Time
	State   string // "" while the segment has no end
	Stop    report.Stop
	Reason  string
}

// PastRuns returns the newest runs of a job, at most so many, the oldest first.
func PastRuns(dir, job string, most int) ([]PastRun, error) {
	paths, err := journal.Segments(filepath.Join(dir, "journal"))
	if err != nil {
		return nil, err
	}
	var nights []PastRun
	for _, path := range slices.Backward(paths) {
		if len(nights) == most {
			break
		}
		planned, end, err := journal.Bounds(path)
		if err != nil {
			return nil, err
		}
		if planned == nil || planned.Job != job {
			continue
		}
		n := PastRun{Run: planned.Run, Date: planned.Date, Started: startOf(planned.Run)}
		if end != nil {
			n.State, n.Stop, n.Reason = end.State, report.Stop(end.Stop), end.Reason
		}
		nights = append(nights, n)
	}
	slices.Reverse(nights)
	return nights, nil
}

// startOf returns the start of a run by its id; zero if the id has another format.
func startOf(run string) time.Time {
	stamp, _, _ := strings.Cut(run, "-")
	at, _ := time.Parse(runStamp, stamp)
	return at
}
