package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/schedules"
)

// TestForecastsOfThePage asks for a forecast until it is there, and stops in the middle of another.
func TestForecastsOfThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("publishes nights")
	}
	c := Config{Dir: pipelinetest.TwoNights(t), Jobs: []plan.Job{{Name: "nightly", Location: time.UTC, List: plan.List{By: "country"}}}}
	c.Scenario = func(name string, s forecast.State, days int, now time.Time) (forecast.Scenario, error) {
		schedule, err := schedules.Parse("0 2 * * *", time.UTC)
		if err != nil {
			return forecast.Scenario{}, err
		}
		return forecast.Scenario{Name: "as configured", Job: c.Jobs[0], Nights: schedule.Slots(now, now.AddDate(0, 0, days))}, nil
	}
	f := newForecasts(c)
	if early, err := f.of("nightly"); early != nil || err != nil {
		t.Errorf("%v, %v before it is computed", early, err)
	}
	f.working.Wait()
	got, err := f.of("nightly")
	if err != nil || got == nil || !got.Known || len(got.Curve.Points) < 5 || len(got.Configured.Nights) != pageNights+1 {
		t.Fatalf("%d nights: %v", pageNights, err)
	}
	if again, err := f.of("nightly"); again != got || err != nil {
		t.Errorf("it is computed again for the same file: %v", err)
	}
	if none, err := f.of("weekly"); none != nil || err != nil {
		t.Errorf("%v, %v", none, err)
	}
	f.working.Wait()
	if _, err := f.of("weekly"); err == nil {
		t.Error("a job that is not configured has a forecast")
	}
	stopped := newForecasts(c)
	stopped.of("nightly")
	stopped.stop()
	if kept, err := os.ReadFile(filepath.Join(c.Dir, "forecasts.ndjson")); err != nil || strings.Count(string(kept), "\n") != 1 {
		t.Errorf("%s, %v", kept, err)
	}
}
