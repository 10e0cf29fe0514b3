package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/schedules"
)

// forecast decodes what `fleetlake forecast --json` prints.
func (w *world) forecast(args ...string) (f console.Forecast) {
	w.t.Helper()
	o := w.must(exitDone, append([]string{"forecast", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(o.stdout), &f); err != nil {
		w.t.Fatalf("%v in %s", err, o.stdout)
	}
	return f
}

// TestForecast asks what budgets would bring after one night, without a request, and looks for the kept forecast before and after a rebuild.
func TestForecast(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 200, Seed: 4})
	w.configure(1_000_000, "    list: {by: country}\n    sweep: {statuses: [moored], zones: [china-coast]}\n    lookup: {want: [particulars], max_age: 48h, max_requests: 50}\n")
	w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
	requests := len(w.sim.Log())

	f := w.forecast("--nights", "6", "--per-month", "3000,60000", "--per-run", "0")
	var names []string
	for _, s := range f.Scenarios {
		names = append(names, s.Name)
		if len(s.Nights) != 7 || s.CreditsPerNight <= 0 {
			t.Errorf("%s: %d nights, %f credits a night", s.Name, len(s.Nights), s.CreditsPerNight)
		}
	}
	want := []string{"as configured", "no cap of the night", "3,000 a month", "60,000 a month"}
	if strings.Join(names, "|") != strings.Join(want, "|") {
		t.Errorf("scenarios %q, want %q", names, want)
	}
	if c, poor := f.Scenarios[0], f.Scenarios[2]; poor.CreditsPerNight > 500 || c.CreditsPerNight < 2*poor.CreditsPerNight || c.Nights[0].Datasets[0].Known <= 0 || c.Nights[0].Datasets[0].Known >= .9 || c.Nights[6].Datasets[0].Known < .9 {
		t.Errorf("%+v, with little %+v", c, poor)
	}
	if len(f.Scores) != 0 || f.Run == "" || len(f.Priors) == 0 {
		t.Errorf("run %q, scores %v, priors %v after one night", f.Run, f.Scores, f.Priors)
	}
	text := w.must(exitDone, "forecast", "nightly", "--nights", "6", "--target", "particulars known >= 60%").stdout
	for _, want := range []string{"particulars known >= 60% takes ", " credits a month: budget.per_run ", " a night ", "prior     arrivals and departures: "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	kept := filepath.Join(w.dir, "fleetlake-data", "forecasts.ndjson")
	before, err := os.ReadFile(kept)
	if err != nil || strings.Count(string(before), "\n") != 1 {
		t.Errorf("%s, %v", before, err)
	}
	w.must(exitDone, "rebuild")
	w.must(exitDone, "verify")
	if after, err := os.ReadFile(kept); err != nil || string(after) != string(before) {
		t.Errorf("after a rebuild: %s, %v", after, err)
	}
	w.recorded(schedules.RecordFailed, "it rained")
	slots := filepath.Join(w.dir, "fleetlake-data", schedules.SlotLogName)
	for path, words := range map[string][2]string{kept: {`"nightly"`, `"nightlx"`}, slots: {"rained", "dained"}} {
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, bytes.Replace(text, []byte(words[0]), []byte(words[1]), 1), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		if out := w.must(exitUnexpected, "verify").stdout; !strings.Contains(out, filepath.Base(path)+": lines that are not as they were written: 1") {
			t.Errorf("%s is damaged:\n%s", path, out)
		}
	}
	if sent := len(w.sim.Log()) - requests; sent != 0 {
		t.Errorf("%d requests were sent", sent)
	}
}

// TestForecastWithoutAHistory begins with the priors, needs no key, and creates no directory.
func TestForecastWithoutAHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 1})
	w.env = append(w.env, "FLEETLAKE_API_KEY=", "FLEETLAKE_BASE_URL=")
	text := w.must(exitDone, "forecast", "--nights", "2").stdout
	for _, want := range []string{"no history: it begins with the priors below", "prior     vessels: 109000 (UNCTADstat", "│ as configured │"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if _, err := os.Stat(filepath.Join(w.dir, "fleetlake-data")); !os.IsNotExist(err) {
		t.Errorf("the data directory exists: %v", err)
	}
}

// TestForecastRefuses lists mistakes, and what the error says.
func TestForecastRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 1})
	w.write("fleetlake.yaml", "jobs: {rare: {schedule: '0 2 29 2 *'}, nightly: {}}\n")
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"an unknown job":          {[]string{"weekly"}, `unknown job "weekly"`},
		"no job named":            {nil, "no JOB named"},
		"a schedule without slot": {[]string{"rare", "--nights", "3"}, "has no slot in this time"},
		"no night":                {[]string{"nightly", "--nights", "0"}, "a whole number from 1 to 3650"},
		"a budget of words":       {[]string{"nightly", "--per-month", "much"}, "--per-month: "},
		"a flag that is gone":     {[]string{"nightly", "--want", "engine"}, "this flag is gone, use a copy of the configuration with that change, and --config COPY"},
		"too many":                {[]string{"nightly", "--per-run", "1,2,3,4,5,6,7,8,9,10,11,12"}, "12 budgets, expected at most 11"},
		"a target with a typo":    {[]string{"nightly", "--target", "particulars p9 <= 30d"}, "\nparticulars p9 <= 30d\n            ^ expected a measure"},
		"a target and a budget":   {[]string{"nightly", "--target", "particulars p90 <= 30d", "--per-run", "5"}, "leave out --per-month and --per-run"},
		"a target not looked up":  {[]string{"nightly", "--target", "engine p90 <= 30d"}, "lookup.want asks for engine"},
	} {
		o := w.must(exitUsage, append([]string{"forecast"}, c.args...)...)
		if !strings.Contains(o.stderr, c.want) || o.stdout != "" {
			t.Errorf("%s: no %q in %s%s", name, c.want, o.stderr, o.stdout)
		}
	}
}
