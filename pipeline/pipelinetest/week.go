package pipelinetest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Start is the first night of the simulated week.
var Start = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// weekNight is a night with runs.
type weekNight struct {
	day   int
	kills []int // for each run after how many requests it is killed; 0 is a run that comes to its end
}

// nights are the nights of the week that have runs: four, because each publish takes the tests of two
// packages a second and more.
var nights = []weekNight{{0, []int{0}}, {1, []int{60, 25, 0}}, {4, []int{0}}, {5, []int{90, 0}}}

// Week returns a copy of the data directory of a simulated week, which a test may change. It has 7
// runs of the job nightly in 4 nights, some of them killed and resumed, each published as a version of
// its own.
func Week(t testing.TB) (dir string) {
	t.Helper()
	from, err := week()
	return copyOf(t, from, err)
}

// TwoNights returns a copy of the data directory as it was after the second night of the week: 4 runs, of which
// two were killed. What makes each night anew takes half the time of the week.
func TwoNights(t testing.TB) (dir string) {
	t.Helper()
	from, err := twoNights()
	return copyOf(t, from, err)
}

func copyOf(t testing.TB, from string, err error) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data")
	if err == nil {
		err = copyData(dir, from)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// copyData copies a data directory. The published file of the copy is a link to its latest version
// again, and the versions are as old as they are in the other.
func copyData(dir, from string) error {
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		return err
	}
	versions, err := filepath.Glob(filepath.Join(dir, "warehouse", "versions", "*.duckdb"))
	if err != nil {
		return err
	}
	slices.Sort(versions)
	for i, path := range versions {
		at := Start.Add(time.Duration(i) * time.Hour)
		if err := os.Chtimes(path, at, at); err != nil {
			return err
		}
	}
	if err := os.Remove(warehouse.Path(dir)); err != nil {
		return err
	}
	return os.Link(versions[len(versions)-1], warehouse.Path(dir))
}

// twoNights harvests the first two nights of the week into a data directory, and week the others into a copy of
// that: each once for all tests of a package.
var (
	twoNights = sync.OnceValues(func() (string, error) {
		dir, err := Directory("fleetlake-week-")
		if err != nil {
			return "", err
		}
		return dir, harvest(dir, nights[:2])
	})
	week = sync.OnceValues(func() (string, error) {
		from, err := twoNights()
		if err != nil {
			return "", err
		}
		dir, err := Directory("fleetlake-week-")
		if err == nil {
			err = copyData(dir, from)
		}
		if err != nil {
			return "", err
		}
		return dir, harvest(dir, nights[2:])
	})
)

// harvest harvests and publishes nights.
func harvest(dir string, nights []weekNight) (err error) {
	s := &service{}
	limits := map[string]int{}
	for _, o := range api.Operations {
		limits[o.Name] = -1
	}
	rates := simulator.Rates{Built: 0.01, Scrapped: 0.01, Unlisted: 0.02, Renamed: 0.02, Reflagged: 0.02,
		Identified: 0.3, Corrected: 0.05, Sold: 0.03, Moved: 0.3}
	if s.sim, err = simulator.New(simulator.Config{Seed: 4, Vessels: 400, Start: Start, Key: "k", Limits: limits,
		Rates: rates}); err != nil {
		return err
	}
	server := httptest.NewServer(s)
	defer server.Close()
	for name := range limits {
		limits[name] = 1_000_000
	}
	p := pipeline.Pipeline{Dir: dir, Service: extract.Service{BaseURL: server.URL + simulator.BasePath, Key: "k",
		Limits: limits, MaxInFlight: 4}}
	for _, n := range nights {
		s.sim.SetDay(n.day)
		for i, after := range n.kills {
			if err := s.night(p, Start.AddDate(0, 0, n.day).Add(time.Duration(2+i)*time.Hour), after); err != nil {
				return err
			}
		}
	}
	return nil
}

// job is what the week runs each night.
var job = plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "country"},
	Sweep:  plan.Sweep{Statuses: []string{"moored", "aground"}, Zones: []string{"china-coast", "north-sea"}},
	Lookup: plan.Lookup{Want: plan.Datasets, MaxAge: 72 * time.Hour, MaxRequests: 90}}

// service is the simulated service of the week. It calls kill before it answers the last of so many
// requests.
type service struct {
	sim  *simulator.Simulator
	left atomic.Int64
	kill func()
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.left.Add(-1) == 0 {
		s.kill()
	}
	s.sim.ServeHTTP(w, r)
}

// night runs the job once, by a clock that began at a moment.
func (s *service) night(p pipeline.Pipeline, at time.Time, after int) error {
	offset := time.Since(at)
	p.Service.Now = func() time.Time { return time.Now().Add(-offset) }
	p.Now = p.Service.Now
	date := at.Format(time.DateOnly)
	if after == 0 {
		_, err := p.Run(context.Background(), job, date)
		return err
	}
	return s.killed(p, date, after)
}

// killed leaves what a run leaves that is killed after so many requests. The run works in a copy of
// the data directory; its segment, as it is at the last of these requests, is all that remains of it.
func (s *service) killed(p pipeline.Pipeline, date string, after int) error {
	if _, err := p.Recover(context.Background()); err != nil {
		return err
	}
	dir := p.Dir
	p.Dir = filepath.Join(dir+"-killed", date)
	defer os.RemoveAll(dir + "-killed")
	if err := copyData(p.Dir, dir); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var kept error
	s.kill = func() {
		kept = keepLastSegment(dir, p.Dir, date)
		cancel()
	}
	s.left.Store(int64(after))
	p.Progress = func(now pipeline.Progress) {
		if now.Phase == "derive" {
			runtime.Goexit() // nothing of the run is published
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Run(ctx, job, date)
	}()
	<-done
	return kept
}

// keepLastSegment copies the newest segment of a night to another data directory.
func keepLastSegment(to, from, date string) error {
	paths, err := journal.Segments(filepath.Join(from, "journal", date))
	if err != nil {
		return err
	}
	path := paths[len(paths)-1]
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	copied := journal.Path(filepath.Join(to, "journal"), date, journal.RunOf(path))
	if err := os.MkdirAll(filepath.Dir(copied), 0o755); err != nil {
		return err
	}
	return os.WriteFile(copied, b, 0o644)
}
