package metrics

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

const plantedKey = "planted-key-7c1d"

var night = time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)

// harvest publishes a night of a small simulated fleet and returns its report.
func harvest(t *testing.T, dir string) report.Report {
	t.Helper()
	limits := map[string]int{}
	for _, o := range api.Operations {
		limits[o.Name] = -1
	}
	sim, err := simulator.New(simulator.Config{Vessels: 300, Seed: 3, Start: night.Truncate(24 * time.Hour), Key: plantedKey, Credits: 1_000_000, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(sim)
	defer server.Close()
	for name := range limits {
		limits[name] = 1_000_000
	}
	offset := time.Since(night)
	now := func() time.Time { return time.Now().Add(-offset) }
	p := &pipeline.Pipeline{Dir: dir, Now: now, Service: extract.Service{BaseURL: server.URL + simulator.BasePath, Key: plantedKey, Limits: limits, MaxInFlight: 8, Now: now}}
	r, err := p.Run(t.Context(), plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "country"},
		Sweep: plan.Sweep{Statuses: []string{"moored", "aground"}, Zones: []string{"north-sea", "china-coast"}}}, "2026-11-20")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// both are the metrics of the two processes.
type both struct {
	*Metrics
	published *Published
}

func newMetrics(t *testing.T, dir string) both {
	t.Helper()
	m, err := New(Config{Version: "v1.2.3", NetworkBytes: func() int { return 77 << 20 }})
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPublished(PublishedConfig{Dir: dir, Now: func() time.Time { return night.Add(10 * time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	return both{m, p}
}

func (b both) text(context.Context) (string, error) { return b.Text() }

// progress is a run under way.
var progress = pipeline.Progress{Phase: "harvest", Credits: 120, Cap: 5000, Lanes: []pipeline.LaneProgress{
	{Operation: "by-type", Done: 12, Left: 30, PerMinute: 48.5, Credits: 120, Remaining: 36 * time.Second}}}

// scrape is the answer to a monitor.
func scrape(t *testing.T, m both) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.published.Handler(m.text).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("scrape: %d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func TestMetricsPassTheLinter(t *testing.T) {
	dir := t.TempDir()
	r := harvest(t, dir)
	m := newMetrics(t, dir)
	m.Observe(progress)
	m.Finished(r)
	m.Observe(progress)
	problems, err := testutil.GatherAndLint(prometheus.Gatherers{m.own, m.published.own})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	if n, err := testutil.GatherAndCount(prometheus.Gatherers{m.own, m.published.own}); err != nil || n < 40 {
		t.Errorf("only %d metrics were there to lint: %v", n, err)
	}
}

func TestScrapeHasTheStoredRuns(t *testing.T) {
	dir := t.TempDir()
	r := harvest(t, dir)
	text := scrape(t, newMetrics(t, dir))
	for _, want := range []string{
		"fleetlake_warehouse_readable 1",
		"fleetlake_last_run_state{job=\"nightly\",state=\"done\"} 1",
		"fleetlake_last_run_state{job=\"nightly\",state=\"failed\"} 0",
		"fleetlake_last_run_credits{job=\"nightly\"} " + number(r.Credits.Spent),
		"fleetlake_balance_credits " + number(*r.Credits.After),
		"fleetlake_last_run_partitions{job=\"nightly\",state=\"complete\"} " + number(r.Coverage["complete"]),
		"fleetlake_last_run_rows{job=\"nightly\",table=\"listings\"} " + number(r.Rows["listings"]),
		"fleetlake_requests_total{operation=\"by-status\",outcome=\"ok\"} ",
		"fleetlake_last_success_age_seconds{job=\"nightly\"} 3599",
		"fleetlake_build_info{go_version=\"go1.",
		"fleetlake_run_in_progress 0",
		"fleetlake_held_back_runs 0",
		"fleetlake_data_writable 1",
		"fleetlake_failed_slots{job=\"nightly\"} 0",
		"go_goroutines ",
		"process_start_time_seconds ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, plantedKey) || strings.Contains(text, dir) {
		t.Error("the key or a path is in the metrics")
	}
	waiting := `[{"run": "1", "job": "nightly"}, {"run": "2", "job": "nightly"}]`
	if err := os.WriteFile(filepath.Join(dir, "held_back.json"), []byte(waiting), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := scrape(t, newMetrics(t, dir)); !strings.Contains(text, "fleetlake_held_back_runs 2") {
		t.Errorf("two runs are held back:\n%s", text)
	}
}

// TestSlotsWithoutAGoodRun counts those after the last published run, and those of a job that never published one.
func TestSlotsWithoutAGoodRun(t *testing.T) {
	dir := t.TempDir()
	r := harvest(t, dir)
	log, err := schedules.OpenSlotLog(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, record := range []schedules.Record{
		{Job: "nightly", State: schedules.RecordFailed, At: r.Finished.Add(-time.Minute)}, // made good by the run
		{Job: "nightly", State: schedules.RecordFailed, At: r.Finished.Add(time.Hour)},
		{Job: "nightly", State: schedules.RecordMissed, At: r.Finished.Add(2 * time.Hour)},
		{Job: "positions", State: schedules.RecordFailed, At: r.Finished.Add(-time.Hour)},
		{Job: "weekly", State: schedules.RecordWaiting, At: r.Finished},
	} {
		record.Slot = night.Add(time.Duration(i) * time.Hour)
		if _, err := log.Write(record); err != nil {
			t.Fatal(err)
		}
	}
	text := scrape(t, newMetrics(t, dir))
	for _, want := range []string{`fleetlake_failed_slots{job="nightly"} 2`, `fleetlake_failed_slots{job="positions"} 1`} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, `job="weekly"`) {
		t.Error("a slot that waits counts")
	}
}

func number(n int) string {
	return strconv.Itoa(n)
}

func TestProgressIsExposedUntilTheRunEnds(t *testing.T) {
	m := newMetrics(t, t.TempDir())
	m.Observe(progress)
	running := scrape(t, m)
	for _, want := range []string{"fleetlake_run_in_progress 1", "fleetlake_run_credits 120", "fleetlake_run_cap_credits 5000",
		`fleetlake_run_lane_left{operation="by-type"} 30`, `fleetlake_run_lane_rate_per_minute{operation="by-type"} 48.5`,
		`fleetlake_run_lane_remaining_seconds{operation="by-type"} 36`, `fleetlake_run_phase{phase="harvest"} 1`, `fleetlake_run_phase{phase="publish"} 0`} {
		if !strings.Contains(running, want+"\n") {
			t.Errorf("no %q in\n%s", want, running)
		}
	}
	m.Failed("nightly")
	ended := scrape(t, m)
	for _, want := range []string{"fleetlake_run_in_progress 0", `fleetlake_runs_finished_total{job="nightly",state="failed"} 1`, "fleetlake_warehouse_readable 0"} {
		if !strings.Contains(ended, want+"\n") {
			t.Errorf("no %q in\n%s", want, ended)
		}
	}
	if strings.Contains(ended, "fleetlake_run_lane_left{") {
		t.Error("the lanes of a run that ended are still exposed")
	}
}

func TestNewFileIsReadAndADamagedOneIsNotBelieved(t *testing.T) {
	dir := t.TempDir()
	m := newMetrics(t, dir)
	if text := scrape(t, m); !strings.Contains(text, "fleetlake_warehouse_readable 0\n") {
		t.Fatalf("before the first run: %s", text)
	}
	harvest(t, dir)
	if text := scrape(t, m); !strings.Contains(text, "fleetlake_last_run_credits{") {
		t.Fatalf("a new file is not read: %s", text)
	}
	path := warehouse.Path(dir)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	text := scrape(t, m)
	if !strings.Contains(text, "fleetlake_warehouse_readable 0\n") || strings.Contains(text, "fleetlake_last_run_credits{") {
		t.Errorf("old numbers are exposed for a damaged file: %s", text)
	}
}

// TestUndeliveredNotificationsAreCounted so that an alert can ask for them.
func TestUndeliveredNotificationsAreCounted(t *testing.T) {
	m := newMetrics(t, t.TempDir())
	m.Undelivered()
	if text := scrape(t, m); !strings.Contains(text, "fleetlake_notifications_undelivered_total 1\n") {
		t.Errorf("not counted:\n%s", text)
	}
}

// TestTheNetworkProcessIsCounted by its restarts and its memory.
func TestTheNetworkProcessIsCounted(t *testing.T) {
	m := newMetrics(t, t.TempDir())
	m.NetworkRestarted()
	text := scrape(t, m)
	for _, want := range []string{"fleetlake_network_restarts_total 1\n", "fleetlake_network_resident_memory_bytes 8.0740352e+07\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestNoMetricsWithoutAScheduler, so that a monitor notices; and no more than two scrapes at a time.
func TestNoMetricsWithoutAScheduler(t *testing.T) {
	m := newMetrics(t, t.TempDir())
	asked, release := make(chan struct{}), make(chan struct{})
	h := m.published.Handler(func(context.Context) (string, error) {
		asked <- struct{}{}
		<-release
		return "", errors.New("the scheduler does not answer")
	})
	ended := make(chan *httptest.ResponseRecorder, 2)
	for range 2 {
		go func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
			ended <- w
		}()
		<-asked
	}
	third := httptest.NewRecorder()
	h.ServeHTTP(third, httptest.NewRequest("GET", "/metrics", nil))
	close(release)
	for _, w := range []*httptest.ResponseRecorder{third, <-ended, <-ended} {
		if w.Code != 503 || strings.Contains(w.Body.String(), "fleetlake_") {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
	}
}
