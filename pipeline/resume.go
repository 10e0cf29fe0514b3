package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Recover publishes what earlier runs paid for and did not publish, and returns their reports. It is
// derive.Recover, and has its errors. The caller holds the lock.
func (p *Pipeline) Recover(ctx context.Context) ([]report.Report, error) {
	p.fill()
	return derive.Recover(ctx, p.deriver())
}

// ended returns the last run of a night and a note for its report, if there is nothing left to
// request for the night; "" otherwise.
func (p *Pipeline) ended(job plan.Job, before resumeState, spent credits.Spent) (run, note string) {
	switch {
	case p.Again:
	case before.done != "":
		return before.done, "this night is done: no request was sent and nothing was spent; --again repeats it and " +
			"pays for it again"
	case before.last.State == report.StatePartial && before.last.Stop == report.StopBudget && job.Budget > 0 &&
		job.Budget-spent.Night < api.ByType.Credits:
		return before.last.Run, fmt.Sprintf("this night has spent %d credits of its cap (budget.per_run) of %d: no "+
			"request was sent; raise the cap, or resume with a new one by --again", spent.Night, job.Budget)
	}
	return "", ""
}

// stored returns the report of the last run of a night as it was published, with a note.
func stored(ctx context.Context, known *warehouse.Published, c Collected) (r report.Report, err error) {
	if known.File == nil {
		return r, fmt.Errorf("read the report of %s: %w", c.Last, warehouse.ErrNone)
	}
	row, err := known.File.Run(ctx, c.Last)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal([]byte(row.Report), &r); err != nil {
		return r, fmt.Errorf("read the report of %s: %w", c.Last, err)
	}
	r.Note, r.PlanSpent = c.Note, c.PlanSpent
	return r, nil
}

// resume publishes what earlier runs paid for, and opens the published file. It returns the report of the night
// instead if all of it was paid for, and is published now.
func (p *Pipeline) resume(ctx context.Context, job plan.Job, date string) (*warehouse.Published, report.Report, error) {
	known, recovered, err := derive.Open(ctx, p.deriver())
	if err != nil {
		return nil, report.Report{}, err
	}
	for _, r := range recovered {
		if !p.NewRound && r.Job == job.Name && r.Date == date && r.State == report.StateDone {
			return nil, r, known.Close()
		}
	}
	return known, report.Report{}, nil
}

// night returns the runs of a job's night that a new run resumes, and what all runs spent. Its error is a
// derive.HeldBackError if the night waits for a person.
func (p *Pipeline) night(published map[string]bool, job plan.Job, date string) (before resumeState,
	account *credits.Account, err error) {
	if err := p.heldBackNight(job.Name, date); err != nil {
		return before, nil, err
	}
	if before, err = p.runsOfNight(published, job.Name, date); err == nil {
		account, err = p.account(true)
	}
	return before, account, err
}

// runsOfNight reads the runs of a job's night that a new run resumes. It leaves out runs that were rolled
// back: their rows are not in the warehouse, and coverage that counted their pages would wrongly prove
// vessels gone. A new round leaves out runs that are held back, too: it would be held back with them.
func (p *Pipeline) runsOfNight(published map[string]bool, job, date string) (resumeState, error) {
	out, err := warehouse.RolledBack(p.Dir, published)
	if err != nil {
		return resumeState{}, err
	}
	if p.NewRound {
		heldBack, err := derive.ReadHeldBack(p.Dir)
		if err != nil {
			return resumeState{}, err
		}
		for _, h := range heldBack {
			out[h.Run] = true
		}
	}
	return readNight(p.segments(), job, date, out)
}

// resumeState is the part of a job's night that a new run resumes, as the journal records it: the
// runs since the last one that was done.
type resumeState struct {
	runs     []string                   // their ids, oldest first
	answered map[string]plan.PastAnswer // their answers, by request key
	lookups  int                        // vessels that they looked up
	covers   string                     // kind of the partitions that they list by; "" if none of their plans lists
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
	lost := false
	var end journal.End
	for x, err := range journal.Exchanges(path) {
		if err != nil {
			return err
		}
		lost = lost || x.Lost != nil
		switch x.Kind {
		case journal.KindPlan:
			if x.Plan.Job != job {
				return nil
			}
			n.runs = append(n.runs, x.Plan.Run)
			n.last = PastRun{Run: x.Plan.Run, Date: x.Plan.Date, Started: startOf(x.Plan.Run)}
			n.covers = cmp.Or(n.covers, covers(*x.Plan))
		case journal.KindAnswer:
			n.learn(x.Entry)
		case journal.KindEnd:
			end = *x.End
		}
	}
	if lost && end.State == report.StateDone {
		end.State = report.StatePartial // the lost answers are requested again
	}
	n.close(end)
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

// learn records a request that need not be sent again: one with data, or a lookup or a question that
// the service has no answer to, or whose answer is too large. A search without an answer says nothing about
// its vessels and is sent again.
func (n *resumeState) learn(e journal.Entry) {
	o, _ := api.OperationNamed(e.Operation)
	search := o.IsSearch()
	final := []string{extract.OutcomeNotFound, extract.OutcomeRejected, extract.OutcomeTooLarge}
	if !e.OK() && (search || !slices.Contains(final, e.Outcome)) {
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
	} else if o.IsLookup() {
		n.lookups++
	}
	n.answered[api.Key(e.Operation, e.Parameters)] = t
}

// close records the end of a run. After a run that was done there is nothing to resume.
func (n *resumeState) close(end journal.End) {
	if end.State == report.StateDone {
		*n = resumeState{answered: map[string]plan.PastAnswer{}, done: n.last.Run}
		return
	}
	n.done, n.last.State, n.last.Stop, n.last.PlanSpent = "", end.State, report.Stop(end.Stop), end.PlanSpent
}

// since returns when the first of the runs started; zero if there is none.
func (n resumeState) since() time.Time {
	if len(n.runs) == 0 {
		return time.Time{}
	}
	return startOf(n.runs[0])
}

// newest returns the newest run of the night whose rows are not rolled back; "" if there is none.
func (n resumeState) newest() string { return cmp.Or(n.done, n.last.Run) }
