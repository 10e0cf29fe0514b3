package warehouse_test

import (
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/news"
	"github.com/google/go-cmp/cmp"
)

var newsStart = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// ocean returns a data directory, and what harvests a night of a simulated fleet into it in which vessels go
// dark.
func ocean(t *testing.T) (dir string, night func(day int, statuses []string)) {
	t.Helper()
	limits, fast := map[string]int{}, map[string]int{}
	for _, o := range api.Operations {
		limits[o.Name], fast[o.Name] = -1, 1_000_000
	}
	sim, err := simulator.New(simulator.Config{Vessels: 300, Seed: 5, Start: newsStart, Key: "k", Limits: limits, Anomalies: simulator.Anomalies{GoneDark: .05}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(sim)
	t.Cleanup(server.Close)
	dir = t.TempDir()
	return dir, func(day int, statuses []string) {
		t.Helper()
		sim.SetDay(day)
		offset := time.Since(newsStart.AddDate(0, 0, day).Add(2 * time.Hour))
		now := func() time.Time { return time.Now().Add(-offset) }
		p := pipeline.Pipeline{Dir: dir, Now: now, Service: extract.Service{BaseURL: server.URL + simulator.BasePath, Key: "k", Limits: fast, MaxInFlight: 8, Now: now}}
		if _, err := p.Run(t.Context(), plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "country"}, Sweep: plan.Sweep{Statuses: statuses, Zones: api.Zones}}, ""); err != nil {
			t.Fatal(err)
		}
	}
}

// dark is the news of vessels that went dark in the published file, by vessel.
func dark(t *testing.T, dir string) map[string]string {
	t.Helper()
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	all, err := news.Between(t.Context(), w, "2026-11-20", "2026-12-31", nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, i := range all {
		if i.Kind == "gone dark" {
			if found[i.VesselID] != "" {
				t.Errorf("two news of one disappearance: %v", i)
			}
			found[i.VesselID] = fmt.Sprint(i.Night, " last seen ", i.Now)
		}
	}
	return found
}

// TestAVesselThatGoesDarkIsNewsOnce harvests nights that search everywhere, and one that does not: the second
// night everywhere without a vessel is the news, and later nights do not move it.
func TestAVesselThatGoesDarkIsNewsOnce(t *testing.T) {
	dir, night := ocean(t)
	var everywhere []string
	for _, s := range api.Statuses {
		everywhere = append(everywhere, s.Name)
	}
	night(0, everywhere)
	night(1, everywhere)
	if n := len(dark(t, dir)); n != 0 {
		t.Errorf("%d vessels are gone dark after one night without them", n)
	}
	night(2, everywhere)
	second := dark(t, dir)
	if len(second) == 0 {
		t.Fatal("no vessel is gone dark")
	}
	for id, words := range second {
		if words != "2026-11-22 last seen 2026-11-20" {
			t.Errorf("%s: %s", id, words)
		}
	}
	night(3, []string{"moored"})
	if diff := cmp.Diff(second, dark(t, dir)); diff != "" {
		t.Errorf("a night that did not search everywhere changed the news:\n%s", diff)
	}
	night(4, everywhere)
	third := dark(t, dir)
	fresh := 0
	for id, words := range third {
		switch was := second[id]; {
		case was == "" && words == "2026-11-24 last seen 2026-11-21":
			fresh++
		case was != words:
			t.Errorf("%s: %s, was %s", id, words, was)
		}
	}
	if fresh == 0 {
		t.Error("nobody went dark on the second night")
	}
}
