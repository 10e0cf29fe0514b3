package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/repair"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/warehouse"
)

// jobMinCoverage stands for the min_coverage of each job.
const jobMinCoverage = -1

// trouble is something that a person should look at, and its exit code.
type trouble struct {
	code  int
	words string
	title string // only for troubles of the data directory
}

// troublesOf lists what is wrong, the gravest first: the disk, what was paid for and is not
// published, and how the newest run of each job ended. An empty job is all jobs of the configuration.
// It sends no request, so whether the key works is known from the last run.
func troublesOf(ctx context.Context, c config.Config, job string, minCoverage int) ([]trouble, error) {
	var all []trouble
	if _, err := free(c.DataDir); err != nil {
		all = append(all, trouble{code: exitDisk, words: err.Error()})
	}
	// Whoever asks may read only, which says nothing of the service's user; a read-only file system stops everybody.
	if err := datadir.CheckWritable(c.DataDir); errors.Is(err, syscall.EROFS) {
		all = append(all, trouble{code: exitDisk, words: err.Error()})
	}
	data, err := dataTroubles(ctx, c.DataDir, job)
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
	runs, err := newestRuns(ctx, warehouse.Path(c.DataDir))
	if err != nil {
		return nil, err
	}
	writer, err := writer(c.DataDir)
	if err != nil {
		return nil, err
	}
	for _, name := range c.JobNames() {
		if job != "" && job != name {
			continue
		}
		latest, ok := runs[name]
		if w, waits := waiting[name]; waits && writer == "" && (!ok || w.run > latest.ID) {
			all = append(all, trouble{code: exitUnexpected, words: w.words})
		}
		if ok {
			all = append(all, endOf(c, latest, minCoverage)...)
		}
		if slot, ok := failed[name]; ok && slot.At.After(latest.Finished) {
			all = append(all, trouble{code: exitUnexpected, words: fmt.Sprintf("the slot of %s at %s %s: %s", name, slot.Slot.UTC().Format(time.RFC3339), slotStateWords[slot.State], withoutPaths(c, slot.Reason))})
		}
	}
	return all, nil
}

// endOf is what is wrong with the newest run of a job.
func endOf(c config.Config, run warehouse.Run, minCoverage int) []trouble {
	var r report.Report
	if err := json.Unmarshal([]byte(run.Report), &r); err != nil {
		return []trouble{{code: exitUnexpected, words: fmt.Sprintf("the report of %s cannot be read: %v", run.ID, err)}}
	}
	lenient, least := minCoverage != jobMinCoverage, minCoverage
	if !lenient {
		least = c.MinCoverage(r.Job)
	}
	code := codeOf(r, least)
	if code == exitDone || lenient && slices.Contains([]int{exitPartial, exitCredits}, code) && r.Covered() >= float64(least) {
		return nil
	}
	words := fmt.Sprintf("the newest run, %s of %s, is %s: it covered %.0f %% of %d partitions", r.Run, r.Job, r.State, r.Covered(), r.Partitions)
	return []trouble{{code: code, words: console.WithReason(words, r.Reason)}}
}

// slotStateWords is the state of a slot in words.
var slotStateWords = map[string]string{schedules.RecordMissed: "was missed", schedules.RecordFailed: "failed"}

// failedSlots returns, for each job, its newest slot without a good run.
func failedSlots(c config.Config, job string) (map[string]schedules.Record, error) {
	records, err := schedules.ReadSlotLog(c.DataDir, maxMissed)
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
// reported by dataTroubles.
func unpublishedRuns(c config.Config, job string) (map[string]waitingRun, error) {
	waiting := map[string]waitingRun{}
	heldBack, err := derive.ReadHeldBack(c.DataDir)
	if err != nil {
		return nil, err
	}
	for _, name := range c.JobNames() {
		if job != "" && job != name {
			continue
		}
		nights, err := pipeline.PastRuns(c.DataDir, name, 1)
		if err != nil {
			return nil, err
		}
		if len(nights) == 0 || slices.ContainsFunc(heldBack, func(h derive.HeldBackRun) bool { return h.Run == nights[0].Run }) {
			continue
		}
		n := nights[0]
		waiting[name] = waitingRun{n.Run, fmt.Sprintf("the newest run, %s of %s, is not published; its answers are kept, and the next run publishes them", n.Run, name), n.Started}
	}
	records, err := schedules.ReadSlotLog(c.DataDir, maxMissed)
	for _, r := range slices.Backward(records) {
		if w, ok := waiting[r.Job]; ok && r.State == schedules.RecordFailed && r.At.After(w.since) {
			w.words = fmt.Sprintf("the newest run, %s of %s, is not published: %s", w.run, r.Job, withoutPaths(c, r.Reason))
			waiting[r.Job] = w
		}
	}
	return waiting, err
}

// dataTroubles lists what is wrong with a data directory, whatever the newest runs were: runs that
// are held back until a person decides, and published files that are missing. An empty job is any.
func dataTroubles(ctx context.Context, dir, job string) ([]trouble, error) {
	heldBack, err := derive.ReadHeldBack(dir)
	if err != nil {
		return nil, err
	}
	var all []trouble
	for _, h := range heldBack {
		if job == "" || h.Job == job {
			all = append(all, trouble{code: exitUnexpected, words: h.String(), title: "A run is held back"})
		}
	}
	lacking, err := repair.Lacking(ctx, dir)
	if err == nil && len(lacking) > 0 {
		all = append(all, trouble{code: exitUnexpected, words: lackingWords(lacking), title: "Published files are missing"})
	}
	return all, err
}

// lackingWords names the published files that are missing, and how to restore them.
func lackingWords(lacking []string) string {
	words := lacking[0]
	if more := len(lacking) - 1; more > 0 {
		words += fmt.Sprintf(" (and %d more)", more)
	}
	return words + "; the next run restores it from the journal before its first request, or `fleetlake rebuild` does at once"
}

// newestRuns returns the newest published run of each job.
func newestRuns(ctx context.Context, path string) (map[string]warehouse.Run, error) {
	runs, err := publishedRuns(ctx, path)
	newest := map[string]warehouse.Run{}
	for _, r := range slices.Backward(runs) {
		newest[r.Job] = r
	}
	return newest, err
}

// publishedRuns returns the newest published runs, the newest first; none if nothing is published.
func publishedRuns(ctx context.Context, path string) ([]warehouse.Run, error) {
	w, err := warehouse.Open(ctx, path, warehouse.Options{MemoryMiB: warehouse.DefaultMemoryMiB, Threads: 1})
	if errors.Is(err, warehouse.ErrNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	runs, err := w.Runs(ctx, checkedRuns)
	return runs, errors.Join(err, w.Close())
}
