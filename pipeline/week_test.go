package pipeline

import (
	"context"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
)

// weekStart is the first night of the simulated week.
var weekStart = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// weekRuns are the nights of the week, and after how many requests each of its runs is killed;
// 0 is a run that comes to its end.
var weekRuns = [][]int{{0}, {40, 0}, {0}, {60, 25, 0}, {0}, {90, 0}}

// week harvests a simulated week with killed and resumed runs into a data directory, once for
// all tests of the package.
var week = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "fleetlake-week")
	if err != nil {
		return "", err
	}
	h := &weekService{kill: make(chan struct{}, 1)}
	limits := map[string]int{}
	for _, o := range api.Operations {
		limits[o.Name] = -1
	}
	rates := simulator.Rates{Built: 0.01, Scrapped: 0.01, Unlisted: 0.02, Renamed: 0.02, Reflagged: 0.02, Identified: 0.3, Corrected: 0.05, Sold: 0.03, Moved: 0.3}
	if h.sim, err = simulator.New(simulator.Config{Seed: 4, Vessels: 400, Start: weekStart, Key: "k", Limits: limits, Rates: rates}); err != nil {
		return "", err
	}
	server := httptest.NewServer(h)
	defer server.Close()
	for name := range limits {
		limits[name] = 1_000_000
	}
	h.p = Pipeline{Dir: dir, Service: extract.Service{BaseURL: server.URL + simulator.BasePath, Key: "k", Limits: limits, MaxInFlight: 4}}
	h.job = plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "country"},
		Sweep:  plan.Sweep{Statuses: []string{"moored", "aground"}, Zones: []string{"china-coast", "north-sea"}},
		Lookup: plan.Lookup{Want: plan.Datasets, MaxAge: 72 * time.Hour, MaxRequests: 60}}
	for day, kills := range weekRuns {
		h.sim.SetDay(day)
		for i, after := range kills {
			if err := h.night(weekStart.AddDate(0, 0, day).Add(time.Duration(2+i)*time.Hour), after); err != nil {
				return "", err
			}
		}
	}
	return dir, nil
})

// weekService is the simulated service of the week. It can end a run after so many requests.
type weekService struct {
	sim  *simulator.Simulator
	p    Pipeline
	job  plan.Job
	left atomic.Int64
	kill chan struct{}
}

func (h *weekService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.left.Add(-1) == 0 {
		h.kill <- struct{}{}
	}
	h.sim.ServeHTTP(w, r)
}

// night runs the job once, by a clock that began at a moment.
func (h *weekService) night(at time.Time, after int) error {
	offset := time.Since(at)
	p := h.p
	p.Service.Now = func() time.Time { return time.Now().Add(-offset) }
	p.Now = p.Service.Now
	date := at.Format(time.DateOnly)
	if after == 0 {
		_, err := p.Run(context.Background(), h.job, date)
		return err
	}
	return h.killed(&p, date, after)
}

// killed runs the first half of a run until nothing reaches its journal any more, as after a
// SIGKILL.
func (h *weekService) killed(p *Pipeline, date string, after int) error {
	p.fill()
	ctx, now := context.Background(), p.Now().UTC()
	if _, err := p.Recover(ctx); err != nil {
		return err
	}
	before, err := p.night(ctx, h.job.Name, date)
	if err != nil {
		return err
	}
	f, err := p.inputs(ctx, h.job, before, now, p.ping)
	if err != nil {
		return err
	}
	w := work{job: h.job, decided: plan.Decide(h.job, f, p.Service.PerMinute), targets: f.Targets, refused: f.Refused, before: before, started: now}
	w.recorded = w.record(runID(now), date, "test")
	segment, err := journal.Create(p.journal(), journal.Entry{Kind: journal.KindPlan, At: now, Plan: &w.recorded})
	if err != nil {
		return err
	}
	h.left.Store(int64(after))
	done := make(chan struct{})
	go func() {
		<-h.kill
		segment.Close()
		close(done)
	}()
	p.harvest(ctx, w, segment)
	<-done
	return nil
}

// copyOfWeek returns a copy of the data directory of the week, which a test may change.
func copyOfWeek(t *testing.T) *Pipeline {
	t.Helper()
	from, err := week()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "data")
	must(t, os.CopyFS(dir, os.DirFS(from)))
	versions, err := filepath.Glob(filepath.Join(dir, "warehouse", "versions", "*.duckdb"))
	must(t, err)
	slices.Sort(versions)
	must(t, os.Remove(warehouse.Path(dir))) // it is a link to the latest version
	must(t, os.Link(versions[len(versions)-1], warehouse.Path(dir)))
	for i, path := range versions { // a copy has lost when each was built
		at := weekStart.Add(time.Duration(i) * time.Hour)
		must(t, os.Chtimes(path, at, at))
	}
	return &Pipeline{Dir: dir, Now: func() time.Time { return weekStart.AddDate(0, 1, 0) }}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// hashes returns the hashes of the published tables.
func hashes(t *testing.T, dir string) map[string]string {
	t.Helper()
	all, err := warehouse.Hashes(t.Context(), warehouse.Path(dir), t.TempDir())
	must(t, err)
	byTable := map[string]string{}
	for _, h := range all {
		byTable[h.Table] = h.Hash
	}
	return byTable
}

// tree returns every file below a directory, by name, with its size.
func tree(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	files := map[string]int64{}
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		files[path] = info.Size()
		return err
	}))
	return files
}
