package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/spf13/cobra"
)

// whatIf are the flags that ask what would be under another configuration. Each value of a flag is an
// alternative.
type whatIf struct {
	perMonth, perRun, limits, want, watch, sweep []string
}

func (w *whatIf) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringSliceVar(&w.perMonth, "per-month", nil, "what if so many credits could be spent a month, spread evenly over its nights (several: 20000,40000)")
	f.StringSliceVar(&w.perRun, "per-run", nil, "what if so many credits could be spent a night; 0 is no cap (several: 2000,5000)")
	f.StringArrayVar(&w.limits, "limits", nil, "what if the service allowed so many requests a minute, such as info=50 or info=50,particulars=100")
	f.StringArrayVar(&w.want, "want", nil, "what if these datasets were looked up, such as particulars,engine; none makes no lookups")
	f.StringArrayVar(&w.watch, "watch", nil, "what if the vessels of this file were on the watch list: an IMO number or MMSI on each line")
	f.StringArrayVar(&w.sweep, "sweep", nil, "what if the status searches were made every=2d, every=auto, or none")
}

// mostScenarios is how many scenarios are compared at once.
const mostScenarios = 12

// change is one value of a flag: what it changes in a scenario.
type change struct {
	words string
	apply func(*forecast.Scenario)
}

// scenarios returns the scenario of the configuration and one for each combination of the alternatives.
func (w whatIf) scenarios(base forecast.Scenario) ([]forecast.Scenario, error) {
	all := []forecast.Scenario{base}
	changes, err := w.changes()
	if err != nil {
		return nil, err
	}
	asked := false
	for _, alternatives := range changes {
		if len(alternatives) == 0 {
			continue
		}
		var next []forecast.Scenario
		for _, s := range all {
			for _, c := range alternatives {
				with := s
				with.Name = c.words
				if asked {
					with.Name = s.Name + ", " + c.words
				}
				c.apply(&with)
				next = append(next, with)
			}
		}
		all, asked = next, true
		if len(all) >= mostScenarios {
			return nil, fmt.Errorf("the flags make %d combinations, expected at most %d; %w", len(all), mostScenarios-1, errUsage)
		}
	}
	if asked {
		all = append([]forecast.Scenario{base}, all...)
	}
	return all, nil
}

// changes reads the values of each flag. The budget of a month comes after that of a run, which it keeps if
// both are given.
func (w whatIf) changes() (all [][]change, err error) {
	credits := config.Number(0, math.MaxInt)
	for _, flag := range []struct {
		name   string
		values []string
		read   func(string) (change, error)
	}{
		{"want", w.want, wantChange}, {"watch", w.watch, watchChange}, {"sweep", w.sweep, sweepChange}, {"limits", w.limits, limitsChange},
		{"per-run", w.perRun, func(s string) (change, error) {
			n, err := credits(s)
			words := wording.Count(n) + " a night"
			if n == 0 {
				words = "no cap of the night"
			}
			return change{words, func(c *forecast.Scenario) { c.Job.Budget = n }}, err
		}},
		{"per-month", w.perMonth, func(s string) (change, error) {
			n, err := config.Number(1, math.MaxInt)(s)
			return change{wording.Count(n) + " a month", func(c *forecast.Scenario) {
				perRun := c.Job.Budget
				if c.Job = forecast.Spread(c.Job, n, c.Nights); len(w.perRun) > 0 {
					c.Job.Budget = perRun
				}
			}}, err
		}},
	} {
		var alternatives []change
		for _, value := range flag.values {
			c, err := flag.read(strings.TrimSpace(value))
			if err != nil {
				return nil, fmt.Errorf("--%s: %w; %w", flag.name, err, errUsage)
			}
			alternatives = append(alternatives, c)
		}
		all = append(all, alternatives)
	}
	return all, nil
}

func wantChange(value string) (change, error) {
	var want []string
	for _, word := range strings.Split(value, ",") {
		word = strings.TrimSpace(word)
		switch {
		case value == "none":
		case !slices.Contains(plan.Datasets, word):
			return change{}, fmt.Errorf("%q, expected one of: %s, or none%s", word, strings.Join(plan.Datasets, ", "), config.DidYouMean(word, plan.Datasets))
		case !slices.Contains(want, word):
			want = append(want, word)
		}
	}
	return change{"want " + value, func(c *forecast.Scenario) { c.Job.Lookup.Want = want }}, nil
}

func sweepChange(value string) (change, error) {
	if value == "none" {
		return change{"no status searches", func(c *forecast.Scenario) { c.Job.Sweep.Statuses = nil }}, nil
	}
	text, ok := strings.CutPrefix(value, "every=")
	if !ok {
		return change{}, fmt.Errorf("%q, expected every= and a duration or auto, such as every=2d, or none", value)
	}
	if text == "auto" {
		return change{"status searches when worth it", func(c *forecast.Scenario) { c.Job.Sweep.Every, c.Job.Sweep.Auto = 0, true }}, nil
	}
	every, err := config.Duration(0)(text)
	return change{"status searches every " + text, func(c *forecast.Scenario) { c.Job.Sweep.Every, c.Job.Sweep.Auto = every, false }}, err
}

func limitsChange(value string) (change, error) {
	limits := map[string]int{}
	for _, one := range strings.Split(value, ",") {
		name, number, ok := strings.Cut(strings.TrimSpace(one), "=")
		if _, known := api.OperationNamed(name); !ok || !known {
			return change{}, fmt.Errorf("%q, expected an operation and its requests a minute, such as info=50; the operations are %s", one, strings.Join(operationNames(), ", "))
		}
		n, err := config.Number(1, math.MaxInt32)(number)
		if err != nil {
			return change{}, fmt.Errorf("%s: %w", name, err)
		}
		limits[name] = n
	}
	return change{"limits " + value, func(c *forecast.Scenario) {
		with := map[string]int{}
		for name, n := range c.Limits {
			with[name] = n
		}
		for name, n := range limits {
			with[name] = n
		}
		c.Limits = with
	}}, nil
}

func operationNames() (names []string) {
	for _, o := range api.Operations {
		names = append(names, o.Name)
	}
	return names
}

// mostWatched bounds the file of a watch list.
const mostWatched = 1_000_000

// watchChange reads a file with a number on each line; # begins a comment.
func watchChange(path string) (change, error) {
	f, err := os.Open(path)
	if err != nil {
		return change{}, err
	}
	defer f.Close()
	var watch []string
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if _, err := strconv.ParseUint(text, 10, 32); err != nil || len(text) != 7 && len(text) != 9 {
			return change{}, fmt.Errorf("%s:%d: %q, expected an IMO number of 7 digits or an MMSI of 9", path, n, text)
		}
		if watch = append(watch, text); len(watch) > mostWatched {
			return change{}, fmt.Errorf("%s: more than %s numbers", path, wording.Count(mostWatched))
		}
	}
	if err := lines.Err(); err != nil {
		return change{}, fmt.Errorf("read %s: %w", path, err)
	}
	return change{"watch " + wording.Counted(len(watch), "vessel"), func(c *forecast.Scenario) { c.Job.Lookup.Watch = watch }}, nil
}

// oneDay is the length of a night of a forecast.
const oneDay = 24 * time.Hour
