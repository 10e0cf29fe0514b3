package main

import (
	"fmt"
	"math"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/spf13/cobra"
)

// budgets are the flags that ask what other budgets would bring. Each value is a scenario.
type budgets struct{ perMonth, perRun []string }

func (b *budgets) flags(c *cobra.Command) {
	c.Flags().StringSliceVar(&b.perMonth, "per-month", nil, "what if so many credits could be spent a month, spread evenly over its nights (several: 20000,40000)")
	c.Flags().StringSliceVar(&b.perRun, "per-run", nil, "what if so many credits could be spent a night; 0 is no cap (several: 2000,5000)")
	goneFlags(c, "a copy of the configuration with that change, and --config COPY", "limits", "want", "watch", "sweep")
}

// mostScenarios is how many scenarios are compared at once.
const mostScenarios = 12

// scenarios returns the scenario of the configuration, and one for each other budget.
func (b budgets) scenarios(base forecast.Scenario) ([]forecast.Scenario, error) {
	all := []forecast.Scenario{base}
	for _, value := range b.perRun {
		n, err := config.Number(0, math.MaxInt)(value)
		if err != nil {
			return nil, fmt.Errorf("--per-run: %w; %w", err, errUsage)
		}
		with := base
		with.Name, with.Job.Budget = wording.Count(n)+" a night", n
		if n == 0 {
			with.Name = "no cap of the night"
		}
		all = append(all, with)
	}
	for _, value := range b.perMonth {
		n, err := config.Number(1, math.MaxInt)(value)
		if err != nil {
			return nil, fmt.Errorf("--per-month: %w; %w", err, errUsage)
		}
		with := base
		with.Name, with.Job = wording.Count(n)+" a month", forecast.Spread(base.Job, n, base.Nights)
		all = append(all, with)
	}
	if len(all) > mostScenarios {
		return nil, fmt.Errorf("%d budgets, expected at most %d; %w", len(all)-1, mostScenarios-1, errUsage)
	}
	return all, nil
}

// oneDay is the length of a night of a forecast.
const oneDay = 24 * time.Hour
