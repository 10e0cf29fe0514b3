package health

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/warehouse"
)

// newestSlots is how many of the newest slots without a good run are looked at.
const newestSlots = 10

// Problems lists what is wrong, the gravest first: the disk, what was paid for and is not
// published, and how the newest run of each job ended. An empty job is all jobs; JobMinCoverage stands for the
// minimum of each job. It sends no request, so whether the key works is known from the last run.
func (c Setup) Problems(ctx context.Context, job string, minCoverage int) ([]Problem, error) {
	var all []Problem
	if _, err := Free(c.Dir); err != nil {
		all = append(all, Problem{Kind: Disk, Words: err.Error()})
	}
	// Whoever asks may read only, which says nothing of the service's user; a read-only file system stops everybody.
	if err := datadir.CheckWritable(c.Dir); errors.Is(err, syscall.EROFS) {
		all = append(all, Problem{Kind: Disk, Words: err.Error()})
	}
	data, err := DataProblems(ctx, c.Dir, job)
	if err != nil {
		return nil, err
	}
	all = append(all, data...)
	waiting, err := unpublishedRuns(c, job)
	if err != nil {
		return nil, err
	}
	failed, err := failedSlots(c, job)
	if err != nil {
		return nil, err
	}
	runs, err := newestRuns(ctx, warehouse.Path(c.Dir))
	if err != nil {
		return nil, err
	}
	writer, err := datadir.Holder(c.Dir)
	if err != nil {
		return nil, err
	}
	for name := range c.jobs(job) {
		latest, ok := runs[name]
		if w, waits := waiting[name]; waits && writer == "" && (!ok || w.run > latest.ID) {
			all = append(all, Problem{Kind: Unexpected, Words: w.words})
		}
		if ok {
			all = append(all, endOf(c, latest, minCoverage)...)
		}
		if slot, ok := failed[name]; ok && slot.At.After(latest.Finished) {
			all = append(all, Problem{Kind: Unexpected, Words: fmt.Sprintf("the slot of %s at %s %s: %s", name, slot.Slot.UTC().Format(time.RFC3339), slotStateWords[slot.State], datadir.WithoutPath(c.Dir, slot.Reason))})
		}
	}
	return all, nil
}

// endOf is what is wrong with the newest run of a job.
func endOf(c Setup, run warehouse.Run, minCoverage int) []Problem {
	var r report.Report
	if err := json.Unmarshal([]byte(run.Report), &r); err != nil {
		return []Problem{{Kind: Unexpected, Words: fmt.Sprintf("the report of %s cannot be read: %v", run.ID, err)}}
	}
	lenient, least := minCoverage != JobMinCoverage, minCoverage
	if !lenient {
		least = c.minCoverage(r.Job)
	}
	end := EndOf(r, least)
	if end == Done || lenient && (end == Partial || end == Credits) && r.Covered() >= float64(least) {
		return nil
	}
	words := fmt.Sprintf("the newest run, %s of %s, is %s: it covered %.0f %% of %d partitions", r.Run, r.Job, r.State, r.Covered(), r.Partitions)
	return []Problem{{Kind: end, Words: wording.WithReason(words, r.Reason)}}
}

// slotStateWords is the state of a slot in words.
var slotStateWords = map[string]string{schedules.RecordMissed: "was missed", schedules.RecordFailed: "failed"}

// failedSlots returns, for each job, its newest slot without a good run.
func failedSlots(c Setup, job string) (map[string]schedules.Record, error) {
	records, err := schedules.ReadSlotLog(c.Dir, newestSlots)
	failed := map[string]schedules.Record{}
	for _, r := range slices.Backward(records) {
		if job == "" || r.Job == job {
			failed[r.Job] = r
		}
	}
	return failed, err
}

// waitingRun is a run of a job that may wait to be published, and when it started.
type waitingRun struct {
	run, words string
	since      time.Time
}

// unpublishedRuns finds, for each job, its newest run, and the failure that the slot log has of it.
// The caller checks whether the run was published. A run that is held back waits for a person, and is
// reported by DataProblems.
func unpublishedRuns(c Setup, job string) (map[string]waitingRun, error) {
	waiting := map[string]waitingRun{}
	heldBack, err := derive.ReadHeldBack(c.Dir)
	if err != nil {
		return nil, err
	}
	for name := range c.jobs(job) {
		nights, err := pipeline.PastRuns(c.Dir, name, 1)
		if err != nil {
			return nil, err
		}
		if len(nights) == 0 || slices.ContainsFunc(heldBack, func(h derive.HeldBackRun) bool { return h.Run == nights[0].Run }) {
			continue
		}
		n := nights[0]
		waiting[name] = waitingRun{n.Run, fmt.Sprintf("the newest run, %s of %s, is not published; its answers are kept, and the next run publishes them", n.Run, name), n.Started}
	}
	records, err := schedules.ReadSlotLog(c.Dir, newestSlots)
	for _, r := range slices.Backward(records) {
		if w, ok := waiting[r.Job]; ok && r.State == schedules.RecordFailed && r.At.After(w.since) {
			w.words = fmt.Sprintf("the newest run, %s of %s, is not published: %s", w.run, r.Job, datadir.WithoutPath(c.Dir, r.Reason))
			waiting[r.Job] = w
		}
	}
	return waiting, err
}

// DataProblems lists what is wrong with a data directory, whatever the newest runs were: runs that
// are held back until a person decides, and published files that are missing. An empty job is any.
func DataProblems(ctx context.Context, dir, job string) ([]Problem, error) {
	heldBack, err := derive.ReadHeldBack(dir)
	if err != nil {
		return nil, err
	}
	var all []Problem
	for _, h := range heldBack {
		if job == "" || h.Job == job {
			all = append(all, Problem{Kind: Unexpected, Words: h.String(), Title: "A run is held back"})
		}
	}
	lacking, err := derive.Lacking(ctx, dir)
	if err == nil && len(lacking) > 0 {
		all = append(all, Problem{Kind: Unexpected, Words: LackingWords(lacking), Title: "Published files are missing"})
	}
	return all, err
}

// LackingWords names the published files that are missing, and how to restore them.
func LackingWords(lacking []string) string {
	words := lacking[0]
	if more := len(lacking) - 1; more > 0 {
		words += fmt.Sprintf(" (and %d more)", more)
	}
	return words + "; the next run restores it from the journal before its first request, or `fleetlake rebuild` does at once"
}
