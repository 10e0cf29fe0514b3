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
)

// States of a run, as its journal ends.
const (
	StateDone        = "done"        // everything planned was asked
	StatePartial     = "partial"     // something planned was left out
	StateInterrupted = "interrupted" // cancelled, and can be resumed
	StateKilled      = "killed"      // the process died; a later one wrote the end
)

// resumeState is what the journal knows of one job's snapshot date that a new run goes on from:
// the runs since the last one that was done.
type resumeState struct {
	runs     []string                   // their ids, oldest first
	answered map[string]plan.PastAnswer // what was asked and answered, by request key
	lookups  int                        // vessels that they asked for
	covers   string                     // the kind of partition that their list pages through; empty where no plan tells
	spent    int                        // by them; by those since, where the cap was granted anew
	last     PastRun                    // the newest of them
	done     string                     // the newest run that was done, if none came after it
}

// readNightBut reads the segments of a job's night. It leaves some runs out.
func readNightBut(root, job, date string, out map[string]bool) (resumeState, error) {
	n := resumeState{answered: map[string]plan.PastAnswer{}}
	paths, err := journal.Segments(filepath.Join(root, date))
	if err != nil {
		return n, err
	}
	for _, path := range paths {
		if out[journal.RunOf(path)] {
			continue
		}
		if err := n.add(path, job); err != nil {
			return n, err
		}
	}
	return n, nil
}

// add takes one segment in, if it is the job's.
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
			spent[e.N] = e.Credits // what it shows not to have been billed, below 0
		case journal.KindAnswer:
			spent[e.Intent] = e.Credits
			n.learn(e)
		case journal.KindEnd:
			end = *e.End
		}
	}
	if lost && end.State == StateDone {
		end.State = StatePartial // what was lost is asked again
	}
	n.close(end, spent)
	return nil
}

// covers is the kind of partition that the list of a plan pages through.
func covers(planned journal.Plan) string {
	for _, p := range planned.Partitions {
		if p.Operation == api.ByType.Name && !p.Check && p.Skipped == "" {
			return p.Kind
		}
	}
	return ""
}

// learn takes in what needs not be asked again: answers, and lookups of vessels that the
// service does not know. That it refuses a search tells nothing of the vessels in it.
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
		t.Entry = e // its vessels are looked at again
	} else {
		n.lookups++
	}
	n.answered[api.Key(e.Operation, e.Parameters)] = t
}

// close ends a run of the night. After one that was done everything may be asked anew.
func (n *resumeState) close(end journal.End, spent map[int]int) {
	if end.State == StateDone {
		*n = resumeState{answered: map[string]plan.PastAnswer{}, done: n.last.Run}
		return
	}
	n.done, n.last.State, n.last.Stop = "", end.State, Stop(end.Stop)
	for _, credits := range spent {
		n.spent += credits
	}
}

// since is when the first of the runs started; zero if there is none.
func (n resumeState) since() time.Time {
	if len(n.runs) == 0 {
		return time.Time{}
	}
	return startOf(n.runs[0])
}

// recentSends calls f for each request that any run sent in the last minutes, so that a new
// process keeps the limits that the old one used up.
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

// PastRun is one run of a job, as its journal tells.
type PastRun struct {
	Run     string
	Date    string // the snapshot date
	Started time.Time
	State   string // empty while it has no end
	Stop    Stop
	Reason  string
}

// PastRuns returns the newest runs of a job, at most so many, oldest first.
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
			n.State, n.Stop, n.Reason = end.State, Stop(end.Stop), end.Reason
		}
		nights = append(nights, n)
	}
	slices.Reverse(nights)
	return nights, nil
}

// startOf reads the start of a run from its id; zero if the id is not ours.
func startOf(run string) time.Time {
	stamp, _, _ := strings.Cut(run, "-")
	at, _ := time.Parse(runStamp, stamp)
	return at
}
