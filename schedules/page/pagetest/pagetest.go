// Package pagetest makes the data directory that the tests of the page and of its parts read.
package pagetest

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Key is that of the service, which no page may show.
const Key = "planted-key-7c1d"

// Morning is the time at which the tests request pages: after the third night.
var Morning = time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)

// Nightly is the job of the tests.
var Nightly = plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "country"},
	Sweep:  plan.Sweep{Statuses: []string{"moored", "at-anchor", "aground"}, Zones: api.Zones},
	Lookup: plan.Lookup{Want: []string{"particulars", "management"}, MaxRequests: 400}}

// Harvested harvests three nights of a simulated fleet once for all tests, and gives each test a copy.
func Harvested(t testing.TB) string {
	t.Helper()
	source, err := threeNights()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, part := range []string{"warehouse", "journal"} {
		if err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(source, part))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var threeNights = sync.OnceValues(func() (string, error) {
	dir, err := pipelinetest.Directory("fleetlake-page-")
	if err != nil {
		return "", err
	}
	limits := map[string]int{}
	for _, o := range api.Operations {
		limits[o.Name] = -1
	}
	first := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	sim, err := simulator.New(simulator.Config{Vessels: 1500, Seed: 3, Start: first, Key: Key, Credits: 1_000_000, Limits: limits,
		Rates: simulator.Rates{Sold: .1}})
	if err != nil {
		return "", err
	}
	server := httptest.NewServer(sim)
	defer server.Close()
	fast := map[string]int{}
	for name := range limits {
		fast[name] = 1_000_000
	}
	for day := range 3 {
		sim.SetDay(day)
		offset := time.Since(first.AddDate(0, 0, day).Add(2 * time.Hour))
		now := func() time.Time { return time.Now().Add(-offset) }
		p := &pipeline.Pipeline{Dir: dir, Now: now, Service: extract.Service{BaseURL: server.URL + simulator.BasePath, Key: Key, Limits: fast, MaxInFlight: 8, Now: now}}
		if _, err := p.Run(context.Background(), Nightly, ""); err != nil {
			return "", err
		}
	}
	return dir, nil
})

// Texts queries the warehouse itself.
func Texts(t testing.TB, dir, sql string) []string {
	t.Helper()
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var all []string
	rows, err := w.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		for i := range row {
			all = append(all, shown.Record(row).Text(i))
		}
	}
	return all
}

// Numbers queries the warehouse itself.
func Numbers(t testing.TB, dir, sql string) []int {
	t.Helper()
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	rows, err := w.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []int
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		for i := range row {
			all = append(all, shown.Record(row).Number(i))
		}
	}
	return all
}
