package forecast

import (
	"errors"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/pipeline/plan"
)

func TestParseTarget(t *testing.T) {
	for text, want := range map[string]Target{
		"particulars p90 <= 30d":      {"particulars", "p90", "<=", 30},
		"particulars p90<=30d":        {"particulars", "p90", "<=", 30},
		"  engine  known >=  95 %  ":  {},
		"engine known >= 95%":         {"engine", "known", ">=", .95},
		"management true > 0.9":       {"management", "true", ">", .9},
		"position median < 12h":       {"position", "median", "<", .5},
		"particulars worst <= 61.5d":  {"particulars", "worst", "<=", 61.5},
		"particulars known >= 100%":   {"particulars", "known", ">=", 1},
		"particulars median <= 1e2d ": {"particulars", "median", "<=", 100},
	} {
		got, err := ParseTarget(text)
		if want == (Target{}) {
			if err == nil {
				t.Errorf("%q is %v", text, got)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
		if again, err := ParseTarget(got.String()); err != nil || again != got {
			t.Errorf("%q prints as %q", text, got)
		}
	}
}

// TestParseTargetPointsAtTheMistake compares the line with the caret.
func TestParseTargetPointsAtTheMistake(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "^ expected a dataset: particulars",
		"hull p90 <= 30d":              "^ expected a dataset: particulars",
		"particulars":                  "           ^ expected a measure: known",
		"particulars p9 <= 30d":        "            ^ expected a measure: known",
		"particulars p90 =< 30d":       "                ^ expected a comparison: <=",
		"particulars p90 30d":          "                ^ expected a comparison: <=",
		"particulars p90 <= ":          "                   ^ expected an age",
		"particulars p90 <= 30":        "                   ^ expected an age",
		"particulars p90 <= 95%":       "                   ^ expected an age",
		"particulars p90 <= NaNd":      "                   ^ expected an age",
		"particulars p90 <= Infd":      "                   ^ expected an age",
		"particulars p90 <= -1d":       "                   ^ expected an age",
		"particulars known >= 30d":     "                     ^ expected a share",
		"particulars known >= 101%":    "                     ^ expected a share",
		"particulars known >= NaN":     "                     ^ expected a share",
		"particulars p90 <= 30d or so": "                   ^ expected an age",
		"börse p90 <= 30d":             "^ expected a dataset",
	} {
		_, err := ParseTarget(text)
		var bad *TargetError
		if !errors.As(err, &bad) || !strings.HasPrefix(bad.Error(), text+"\n"+want) {
			t.Errorf("%q: got\n%v\nwant the caret at\n%s", text, err, want)
		}
	}
}

func FuzzParseTarget(f *testing.F) {
	f.Add("particulars p90 <= 30d")
	f.Add("engine known>=95%")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseTarget(text)
		if err != nil {
			_ = err.Error() // a caret that is beside the text panics
			return
		}
		if again, err := ParseTarget(got.String()); err != nil || again.Measure != got.Measure {
			t.Errorf("%q is %v, which prints as %q: %v", text, got, got, err)
		}
	})
}

func TestKept(t *testing.T) {
	night := Night{Datasets: []Measure{{Dataset: "engine", Known: .95, Median: 10, P90: 30, Worst: 50}, {Dataset: "position"}}}
	for text, want := range map[string]bool{
		"engine known >= 95%":     true,
		"engine known > 95%":      false,
		"engine p90 <= 30d":       true,
		"engine p90 < 30d":        false,
		"engine median >= 10d":    true,
		"engine worst <= 49d":     false,
		"position p90 <= 30d":     false, // nothing is known, so that nothing is fresh
		"position known <= 0%":    true,
		"particulars known >= 0%": false, // the job does not look them up
	} {
		target, err := ParseTarget(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := target.Kept(night); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestLeastBudget finds the least budget for a small fleet, and looks at both sides of it.
func TestLeastBudget(t *testing.T) {
	s, job := large(200)
	job.Sweep.Statuses = nil
	c := Scenario{Job: job, Nights: following(start, 36)}
	target, err := ParseTarget("particulars p90 <= 20d")
	if err != nil {
		t.Fatal(err)
	}
	least, err := LeastBudget(t.Context(), s, c, target)
	if err != nil || least.PerMonth != 30*least.PerRun || !target.Kept(least.Forecast.Last()) {
		t.Fatalf("%d a month, %d a night, %v, %v", least.PerMonth, least.PerRun, least.Forecast.Last(), err)
	}
	kept := func(perRun int) bool {
		with := c
		with.Job.Budget, with.Job.Lookup.MaxAge = perRun, least.MaxAge
		f, err := Run(t.Context(), s, []Scenario{with})
		if err != nil {
			t.Fatal(err)
		}
		return target.keptBy(f[0], 25)
	}
	if !kept(least.PerRun) || kept(least.PerRun*96/100) {
		t.Errorf("%d a night keeps it: %v, 4 %% less: %v", least.PerRun, kept(least.PerRun), kept(least.PerRun*96/100))
	}
}

// TestNoBudgetIsEnough asks for more than the limits of the service allow.
func TestNoBudgetIsEnough(t *testing.T) {
	s, job := large(1000)
	job.Sweep.Statuses, job.Deadline, job.Lookup.Want = nil, 6*60*1e9, []string{"management"} // 88 lookups a night
	target, _ := ParseTarget("management worst <= 10d")
	least, err := LeastBudget(t.Context(), s, Scenario{Job: job, Nights: following(start, 30)}, target)
	if !errors.Is(err, ErrOutOfReach) || len(least.Forecast.Nights) != 31 {
		t.Errorf("%d a night, %v", least.PerRun, err)
	}
	if err := target.Fits(plan.Lookup{Want: []string{"particulars"}}); err == nil || !strings.Contains(err.Error(), "lookup.want asks for management") {
		t.Errorf("a job without it: %v", err)
	}
}
