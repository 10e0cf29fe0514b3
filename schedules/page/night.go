package page

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/warehouse"
)

const (
	maxNights  = 30  // in the charts
	maxRuns    = 12  // in the table of runs
	maxVessels = 5   // of each kind of change
	maxGaps    = 12  // partitions that are not complete
	readRuns   = 400 // a month of nights that came in many runs
)

// NightReport is what a published warehouse says of one night. It is read once and never changed,
// so that any number of pages can be rendered from it.
type NightReport struct {
	Night        Night  // the latest, or the one that was asked for
	Before       *Night // the night before it of the same job
	Earlier      Beside // the pages of the nights before and after it
	Later        Beside
	Jobs         []Night
	Days         []Day // oldest first, dates without a run included
	Runs         []Run // newest first
	Changes      []Change
	Listed       int // vessels and things on the list that night
	ListedBefore int // on the night before; 0 if there was none
	Fleet        *Fleet
	World        *World
	Gaps         Gaps
	Lanes        []Lane
	Balance      *int // the latest that is known
}

// Night is one job's snapshot date, with all of its runs.
type Night struct {
	Job, Date         string
	Runs              []string // oldest first
	Started, Finished time.Time
	Worked            time.Duration // of all runs together
	State             string        // of the last run, like the fields below that are not sums
	Stop              report.Stop
	Reason            string
	Requests          int // sums of all runs, like the next two
	Spent, Unknown    int
	Planned           int // by the plans of the runs that did not resume another; 0 if one had no bound
	Unbounded         bool
	Begun             int // runs that did not resume one that was cut off
	Balance           *int
	Coverage          map[string]int // partitions by state
	Rows              map[string]int // sums of all runs, like the next two
	Lanes             map[string]report.Lane
	Issues            map[Kind]int
	Repeats           []Repeated    // later runs of a night that was done, which did not succeed: the night stands
	Work              []report.Work // what the night asked, up to the end of the last run; none of runs of earlier versions
	LeftOut, News     []string
}

// Repeated is a later run of a night that was done before.
type Repeated struct {
	Run, State, Reason string
	Started            time.Time
}

// Kind is the group in which issues are counted.
type Kind struct{ Dataset, Field, Reason string }

// Run is a line of the table of runs.
type Run struct {
	ID, Job, Date, State string
	Started              time.Time
	Took                 time.Duration
	Requests, Spent      int
}

// Beside is the night before or after another one of its job; without a run there is none.
type Beside struct{ Date, Run string }

// ID names the last run of the night.
func (n Night) ID() string { return n.Runs[len(n.Runs)-1] }

// leftOut is the state of a planned partition that was not requested: credits or time ran out, or the
// run ended before. The warehouse counts it as skipped.
const leftOut = "left out"

// nights groups runs, the newest first, by job and date. The night whose last run is the
// newest comes first. left counts the partitions that each run left out.
func nights(runs []warehouse.Run, left map[string]int) ([]Night, error) {
	var all []Night
	place := map[[2]string]int{}
	for _, r := range slices.Backward(runs) {
		key := [2]string{r.Job, r.Date}
		i, known := place[key]
		if !known {
			i, place[key] = len(all), len(all)
			all = append(all, Night{Job: r.Job, Date: r.Date, Started: r.Started,
				Rows: map[string]int{}, Lanes: map[string]report.Lane{}, Issues: map[Kind]int{}})
		}
		if err := all[i].add(r, left[r.ID]); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b Night) int { return strings.Compare(b.ID(), a.ID()) })
	return all, nil
}

// add adds the next run of the night. A night that is done stands when a repeat of it does not succeed; left is how many partitions it left out. It returns an error
// if the stored report of the run is not JSON.
func (n *Night) add(r warehouse.Run, left int) error {
	var stored report.Report
	if r.Report != "" {
		if err := json.Unmarshal([]byte(r.Report), &stored); err != nil {
			return fmt.Errorf("read the report of %s: %w", r.ID, err)
		}
	}
	if n.State != report.StateInterrupted && n.State != report.StateKilled { // the next run resumes these, with what they had left to spend
		n.Begun++
		n.Planned, n.Unbounded = n.Planned+r.CreditsPlanned, n.Unbounded || r.CreditsPlanned == 0
	}
	if n.Unbounded {
		n.Planned = 0
	}
	n.Runs = append(n.Runs, r.ID)
	stands := n.State == report.StateDone && r.State != report.StateDone
	if stands {
		n.Repeats = append(n.Repeats, Repeated{r.ID, r.State, r.Reason, r.Started})
	} else {
		n.Finished, n.State, n.Stop, n.Reason, n.Repeats = r.Finished, r.State, report.Stop(r.Stop), r.Reason, nil
		n.Coverage, n.Work, n.LeftOut = stored.Coverage, stored.Work, stored.LeftOut
		if left > 0 && n.Coverage["skipped"] >= left {
			n.Coverage["skipped"] -= left
			n.Coverage[leftOut] = left
		}
	}
	n.Worked += r.Finished.Sub(r.Started)
	n.Requests += r.Requests
	n.Spent += r.CreditsSpent
	n.Unknown += r.CreditsUnknown
	n.News = append(n.News, stored.News...)
	if b := cmp.Or(r.BalanceAfter, r.BalanceBefore); b != nil {
		n.Balance = b
	}
	for table, rows := range stored.Rows {
		n.Rows[table] += rows
	}
	for _, l := range stored.Lanes {
		sum := n.Lanes[l.Operation]
		n.Lanes[l.Operation] = report.Lane{Operation: l.Operation, Requests: sum.Requests + l.Requests,
			Answers: sum.Answers + l.Answers, Limited: sum.Limited + l.Limited, Credits: sum.Credits + l.Credits}
	}
	for _, i := range stored.Issues {
		n.Issues[Kind{i.Dataset, i.Field, i.Reason}] += i.Count
	}
	return nil
}

// Asked is the number of partitions that the night requested or left out; Complete is the number of
// those that it proved to have seen whole.
func (n Night) Asked() int {
	asked := 0
	for state, count := range n.Coverage {
		if state != "skipped" {
			asked += count
		}
	}
	return asked
}

// Complete counts the partitions that were seen whole.
func (n Night) Complete() int { return n.Coverage["complete"] }

// Tables lists the lake tables that the night wrote, in a fixed order.
func (n Night) Tables() []string { return slices.Sorted(maps.Keys(n.Rows)) }

// nightReport reads the report of the newest night, or of the night of run id; nil without runs. Its
// errors are warehouse.ErrNoRun for an unknown id, and those of the statements.
func nightReport(ctx context.Context, w *warehouse.Warehouse, id string, now time.Time) (*NightReport, error) {
	runs, err := w.Runs(ctx, readRuns)
	if err != nil {
		return nil, err
	}
	past := id != "" && !slices.ContainsFunc(runs, func(r warehouse.Run) bool { return r.ID == id })
	if past {
		if _, err := w.Run(ctx, id); err != nil {
			return nil, err
		}
		if runs, err = w.RunsUpTo(ctx, id, readRuns); err != nil {
			return nil, err
		}
	}
	left, err := leftOuts(ctx, w)
	if err != nil {
		return nil, err
	}
	all, err := nights(runs, left)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	at := 0
	if id != "" {
		at = slices.IndexFunc(all, func(n Night) bool { return slices.Contains(n.Runs, id) })
	}
	report := &NightReport{Night: all[at], Days: days(all[at:]), Jobs: lastOfJobs(all), Balance: balance(all[at:])}
	for _, n := range all[at+1:] {
		if n.Job == report.Night.Job && n.Date < report.Night.Date {
			report.Before = &n
			break
		}
	}
	report.Runs = latestRuns(runs, report.Night.ID())
	return report, report.read(ctx, w, at == 0 && !past, now)
}

// lastOfJobs picks the newest night of each job.
func lastOfJobs(all []Night) []Night {
	var last []Night
	for _, n := range all {
		if !slices.ContainsFunc(last, func(l Night) bool { return l.Job == n.Job }) {
			last = append(last, n)
		}
	}
	return last
}

// balance is the newest that the service reported to a run.
func balance(all []Night) *int {
	for _, n := range all {
		if n.Balance != nil {
			return n.Balance
		}
	}
	return nil
}

// latestRuns makes the table of runs: the newest up to and including one.
func latestRuns(runs []warehouse.Run, upTo string) []Run {
	var few []Run
	for _, r := range runs {
		if r.ID <= upTo && len(few) < maxRuns {
			few = append(few, Run{r.ID, r.Job, r.Date, r.State, r.Started, r.Finished.Sub(r.Started), r.Requests, r.CreditsSpent})
		}
	}
	return few
}
