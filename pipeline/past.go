package pipeline

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

// PastRun is one run of a job, as its segment records it. Date is YYYY-MM-DD, Started is UTC.
type PastRun struct {
	Run     string
	Date    string // the snapshot date
	Started time.Time
	State   string // "" while the segment has no end
	Stop    report.Stop
	Reason  string

	PlanSpent bool // it spent the most of its own plan, and no cap stopped it
}

// PastRuns returns the newest runs of a job, at most so many, the oldest first. It reads the first and the last entry
// of segments only.
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
			n.State, n.Stop, n.Reason, n.PlanSpent = end.State, report.Stop(end.Stop), end.Reason, end.PlanSpent
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
