package pipeline_test

import (
	"bytes"
	"math"
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
	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// TestAForecastOfRealNightsComesTrue runs three nights, forecasts two more, runs them too, and compares:
// what is known, how old it is, and what it cost. The forecast is kept, and the next one scores it.
func TestAForecastOfRealNightsComesTrue(t *testing.T) {
	t.Parallel()
	limits, none := map[string]int{}, map[string]int{}
	for _, o := range api.Operations {
		limits[o.Name], none[o.Name] = 1_000_000, -1
	}
	sim, err := simulator.New(simulator.Config{Vessels: 300, Seed: 8, Start: pipelinetest.Start, Key: "k", Limits: none})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(sim)
	defer server.Close()
	job := plan.Job{Name: "nightly", Location: time.UTC, Budget: 1400, List: plan.List{By: "country", MaxAge: 20 * time.Hour},
		Sweep: plan.Sweep{Statuses: []string{"moored"}, Zones: []string{"china-coast", "north-sea"}}, Lookup: plan.Lookup{Want: []string{"particulars"}, MaxAge: 48 * time.Hour, MaxRequests: 70}}
	dir := t.TempDir()
	at := func(day int) time.Time { return pipelinetest.Start.AddDate(0, 0, day).Add(2 * time.Hour) }
	p := pipeline.Pipeline{Dir: dir, Service: extract.Service{BaseURL: server.URL + simulator.BasePath, Key: "k", Limits: limits, MaxInFlight: 4}}
	const made, last = 2, 4
	spent := 0
	var promised forecast.Forecast
	scenario := forecast.Scenario{Job: job, Limits: limits, Nights: []time.Time{at(made + 1), at(made + 2)}}
	for day := range last + 1 {
		sim.SetDay(day)
		offset := time.Since(at(day))
		p.Now = func() time.Time { return time.Now().Add(-offset) }
		p.Service.Now = p.Now
		r, err := p.Run(t.Context(), job, at(day).Format(time.DateOnly))
		if err != nil {
			t.Fatal(err)
		}
		if day < made {
			continue
		}
		s, err := p.ForecastState(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		all, err := forecast.Run(t.Context(), s, []forecast.Scenario{scenario})
		if err != nil {
			t.Fatal(err)
		}
		shown := all[0].Nights[0]
		if day == made {
			promised = all[0]
			if err := pipeline.KeepForecast(dir, forecast.Keep(s, scenario, promised)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		spent += r.Credits.Spent
		if day == last {
			compare(t, promised, shown, spent)
			break
		}
		records, _, err := pipeline.ReadForecasts(dir)
		if err != nil {
			t.Fatal(err)
		}
		scores := forecast.Scores(s, scenario, shown, records)
		if len(scores) != 1 || scores[0].Spent != spent || scores[0].Datasets[0].Shown.Known != shown.Datasets[0].Known || scores[0].Datasets[0].Expected.Median <= 0 {
			t.Errorf("after a night that cost %d credits: %+v", spent, scores)
		}
	}
}

// compare compares what a forecast expects of its last night with what this night shows.
func compare(t *testing.T, promised forecast.Forecast, shown forecast.Night, spent int) {
	t.Helper()
	credits := 0
	for _, n := range promised.Nights[1:] {
		credits += n.Credits
	}
	if math.Abs(float64(credits-spent)) > .15*float64(spent) {
		t.Errorf("%d credits were expected, and %d spent", credits, spent)
	}
	want, got := promised.Last().Datasets[0], shown.Datasets[0]
	if got.Known < .5 || math.Abs(want.Known-got.Known) > .05 || math.Abs(want.Median-got.Median) > max(.15*got.Median, .05) {
		t.Errorf("%+v was expected, and it is %+v", want, got)
	}
	if off := math.Abs(float64(promised.Last().Vessels - shown.Vessels)); off > .03*float64(shown.Vessels) {
		t.Errorf("%d ships were expected, and %d are listed", promised.Last().Vessels, shown.Vessels)
	}
	t.Logf("credits %d, spent %d; %+v, shown %+v", credits, spent, want, got)
}

// TestKeptForecasts keeps forecasts from several processes at once, after a line that a crash cut off.
func TestKeptForecasts(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "forecasts.ndjson")
	if err := os.WriteFile(path, []byte(`{"made":"2026-11-20T02:0`), 0o644); err != nil {
		t.Fatal(err)
	}
	record := func(run string) forecast.Record {
		return forecast.Record{Run: run, Job: "nightly", Settings: "s", Nights: []forecast.RecordNight{{Spent: 1}}}
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := pipeline.KeepForecast(dir, record(string(rune('a'+i%10)))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	records, damaged, err := pipeline.ReadForecasts(dir)
	if err != nil || len(records) != 10 || damaged != 1 {
		t.Errorf("%d records, %d damaged lines, %v", len(records), damaged, err)
	}
	before, _ := os.ReadFile(path)
	if err := pipeline.KeepForecast(dir, record("a")); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("a forecast is kept twice")
	}
	if none, damaged, err := pipeline.ReadForecasts(t.TempDir()); none != nil || damaged != 0 || err != nil {
		t.Errorf("%v, %v", none, err)
	}
}

// TestNothingIsPublished forecasts an empty directory by the priors, and creates nothing in it.
func TestNothingIsPublished(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	p := pipeline.Pipeline{Dir: dir, Now: func() time.Time { return pipelinetest.Start }}
	s, err := p.ForecastState(t.Context(), plan.Job{})
	if err != nil || s.Run != "" || len(s.Priors) == 0 || s.Unlisted == 0 || !s.Now.Equal(pipelinetest.Start) {
		t.Errorf("%v, %v", s.Priors, err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the directory exists: %v", err)
	}
}
