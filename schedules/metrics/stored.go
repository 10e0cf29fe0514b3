package metrics

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/schedules/exports"
	"github.com/fleetlake/fleetlake/schedules/published"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sys/unix"
)

// readRuns is how many of the newest runs are read to find each job's last.
const readRuns = 400

//go:embed sql/requests.sql
var requestsSQL string

// Descriptions of the metrics of published runs.
var (
	readable    = describe("warehouse_readable", "Whether there is a published warehouse that can be read.")
	capSpent    = describe("cap_spent_credits", "Credits that count towards a cap now: of a job's night, of the day or of the month.", "job", "period")
	capLeft     = describe("cap_left_credits", "Credits that a cap leaves to the next run.", "job", "period")
	diskFree    = describe("data_free_bytes", "Disk space that is left to the data directory.")
	writable    = describe("data_writable", "Whether the file system of the data directory takes writes; 0 if it is mounted read-only.")
	failedSlots = describe("failed_slots", "Slots of the job since its last published run that were missed, or whose run failed.", "job")
	heldBack    = describe("held_back_runs", "Runs that are paid for and held back until a person accepts their issues.")
	requests    = describe("requests_total", "Requests of all published runs.", "operation", "outcome")
	credits     = describe("credits_total", "Credits of all published runs, requests of unknown outcome included.", "operation")
	balance     = describe("balance_credits", "Credits left, as the service last reported.")
	finishedAt  = describe("last_run_timestamp_seconds", "When the job's last published run ended.", "job")
	duration    = describe("last_run_duration_seconds", "How long the job's last published run took.", "job")
	state       = describe("last_run_state", "The state of the job's last published run, as 0 or 1.", "job", "state")
	runCredits  = describe("last_run_credits", "Credits that the job's last published run spent.", "job")
	planned     = describe("last_run_planned_credits", "The most that the plan of the job's last published run could cost; 0 is no bound.", "job")
	runRequests = describe("last_run_requests", "Requests of the job's last published run.", "job", "operation")
	runRows     = describe("last_run_rows", "Rows that the job's last published run wrote.", "job", "table")
	issues      = describe("last_run_issues", "Values that the job's last published run did not accept as they came.", "job", "dataset", "field", "reason")
	coverage    = describe("last_run_partitions", "Partitions of the job's last published run by what it proved to have seen.", "job", "state")
	successAt   = describe("last_success_timestamp_seconds", "When the job's last published run that was done ended.", "job")
	exportAt    = describe("export_last_success_timestamp_seconds", "When the last export that succeeded ended.")
	exportBytes = describe("export_last_success_bytes", "Bytes that the last export that succeeded uploaded.")
	exportFails = describe("export_failures", "Exports in a row that have failed; 0 after one that succeeded.")
	successAge  = describe("last_success_age_seconds", "How long ago the job's last published run that was done ended.", "job")
)

var descriptions []*prometheus.Desc

func describe(name, help string, labels ...string) *prometheus.Desc {
	d := prometheus.NewDesc("fleetlake_"+name, help, labels, nil)
	descriptions = append(descriptions, d)
	return d
}

// states have a sample each, 0 or 1, so that an alert can match one that never occurred.
var states = []string{report.StateDone, report.StatePartial, report.StateInterrupted, report.StateKilled, "failed"}

// stored collects the metrics of the published warehouse and the data directory.
type stored struct {
	PublishedConfig
	readings published.Cache[struct{}, reading] // of the published file
}

// reading is the result of reading one published file.
type reading struct {
	totals []total
	jobs   []job
	left   *int
}

type total struct {
	operation, outcome string
	requests, credits  float64
}

// job is a job's newest run, and its newest that was done.
type job struct {
	warehouse.Run
	report  report.Report
	success time.Time
}

func newStored(c PublishedConfig) *stored {
	return &stored{PublishedConfig: c, readings: published.Cache[struct{}, reading]{Dir: c.Dir, Read: read}}
}

// Describe implements prometheus.Collector.
func (s *stored) Describe(out chan<- *prometheus.Desc) {
	for _, d := range descriptions {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (s *stored) Collect(out chan<- prometheus.Metric) {
	now := s.Now()
	r, err := s.readings.Get(context.Background(), struct{}{}, now) // a collector has no context
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	gauge(readable, truth(err == nil))
	if held, err := derive.ReadHeldBack(s.Dir); err == nil {
		gauge(heldBack, float64(len(held)))
	}
	s.collectCaps(gauge)
	s.collectDisk(gauge)
	if e, err := exports.ReadState(s.Dir); err == nil && e != (exports.State{}) {
		failures := 0
		if e.Failing() {
			failures = e.Failure.Times
		}
		gauge(exportFails, float64(failures))
		if e.Success != nil {
			gauge(exportAt, seconds(e.Success.At))
			gauge(exportBytes, float64(e.Success.Bytes))
		}
	}
	spent := map[string]float64{}
	for _, t := range r.totals {
		out <- prometheus.MustNewConstMetric(requests, prometheus.CounterValue, t.requests, t.operation, t.outcome)
		spent[t.operation] += t.credits
	}
	for operation, n := range spent {
		out <- prometheus.MustNewConstMetric(credits, prometheus.CounterValue, n, operation)
	}
	if r.left != nil {
		gauge(balance, float64(*r.left))
	}
	for _, j := range r.jobs {
		j.collect(gauge, now)
	}
	s.collectSlots(gauge, r.jobs)
}

// collectDisk collects whether the next night has room.
func (s *stored) collectDisk(gauge func(*prometheus.Desc, float64, ...string)) {
	var disk unix.Statfs_t
	if err := unix.Statfs(s.Dir, &disk); err != nil {
		return // the samples are missing, which an alert can tell
	}
	gauge(diskFree, float64(disk.Bavail)*float64(disk.Bsize))
	gauge(writable, truth(!errors.Is(datadir.CheckWritable(s.Dir), unix.EROFS)))
}

// collectSlots collects how many slots of each job had no good run since the last published one. A job that never
// published a run has those of all times.
func (s *stored) collectSlots(gauge func(*prometheus.Desc, float64, ...string), jobs []job) {
	records, err := schedules.ReadSlotLog(s.Dir, readRuns)
	if err != nil {
		return
	}
	finished, counts := map[string]time.Time{}, map[string]int{}
	for _, j := range jobs {
		finished[j.Job], counts[j.Job] = j.Finished, 0
	}
	for _, r := range records {
		if r.At.After(finished[r.Job]) {
			counts[r.Job]++
		}
	}
	for name, n := range counts {
		gauge(failedSlots, float64(n), name)
	}
}

// collectCaps collects how much of each cap is used.
func (s *stored) collectCaps(gauge func(*prometheus.Desc, float64, ...string)) {
	if s.Spending == nil {
		return
	}
	spending, err := s.Spending()
	if err != nil {
		return // the samples are missing, which an alert can tell
	}
	for _, c := range spending.Caps {
		period := "day"
		switch {
		case c.Job != "":
			period = "night"
		case len(c.Of) == len("2006-01"):
			period = "month"
		}
		gauge(capSpent, float64(c.Spent), c.Job, period)
		gauge(capLeft, float64(c.Left), c.Job, period)
	}
}

func (j job) collect(gauge func(*prometheus.Desc, float64, ...string), now time.Time) {
	gauge(finishedAt, seconds(j.Finished), j.Job)
	gauge(duration, j.Finished.Sub(j.Started).Seconds(), j.Job)
	for _, s := range states {
		gauge(state, truth(s == j.State), j.Job, s)
	}
	gauge(runCredits, float64(j.CreditsSpent), j.Job)
	gauge(planned, float64(j.CreditsPlanned), j.Job)
	for _, l := range j.report.Lanes {
		gauge(runRequests, float64(l.Requests), j.Job, l.Operation)
	}
	for table, n := range j.report.Rows {
		gauge(runRows, float64(n), j.Job, table)
	}
	for _, i := range j.report.Issues {
		gauge(issues, float64(i.Count), j.Job, i.Dataset, i.Field, i.Reason)
	}
	for s, n := range j.report.Coverage {
		gauge(coverage, float64(n), j.Job, s)
	}
	if !j.success.IsZero() {
		gauge(successAt, seconds(j.success), j.Job)
		gauge(successAge, now.Sub(j.success).Seconds(), j.Job)
	}
}

// read reads what the metrics need of a file.
func read(ctx context.Context, w *warehouse.Warehouse, _ struct{}, _ time.Time) (r reading, err error) {
	if r.totals, err = totals(ctx, w); err == nil {
		r.jobs, r.left, err = jobs(ctx, w)
	}
	if err != nil {
		return reading{}, err
	}
	return r, nil
}

func totals(ctx context.Context, w *warehouse.Warehouse) ([]total, error) {
	rows, err := w.Query(ctx, requestsSQL)
	if err != nil {
		return nil, fmt.Errorf("read requests: %w", err)
	}
	var all []total
	for row, err := range rows.All() {
		if err != nil {
			return nil, errors.Join(fmt.Errorf("read requests: %w", err), rows.Close())
		}
		operation, _ := row[0].(string)
		outcome, _ := row[1].(string)
		n, _ := row[2].(int64)
		cost, _ := row[3].(int64)
		all = append(all, total{operation, outcome, float64(n), float64(cost)})
	}
	return all, rows.Close()
}

// jobs finds each job's newest runs, and the balance that the service reported last.
func jobs(ctx context.Context, w *warehouse.Warehouse) (all []job, left *int, err error) {
	runs, err := w.Runs(ctx, readRuns)
	if err != nil {
		return nil, nil, err
	}
	place := map[string]int{}
	for _, r := range runs { // the newest first
		if left == nil {
			if left = r.BalanceAfter; left == nil {
				left = r.BalanceBefore
			}
		}
		i, known := place[r.Job]
		if !known {
			i, place[r.Job] = len(all), len(all)
			j := job{Run: r}
			if err := json.Unmarshal([]byte(r.Report), &j.report); err != nil {
				return nil, nil, fmt.Errorf("read the report of %s: %w", r.ID, err)
			}
			all = append(all, j)
		}
		if r.State == report.StateDone && all[i].success.IsZero() {
			all[i].success = r.Finished
		}
	}
	return all, left, nil
}

func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }
