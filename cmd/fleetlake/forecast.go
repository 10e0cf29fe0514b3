package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/spf13/cobra"
)

func (a *app) forecastCommand() *cobra.Command {
	var asJSON bool
	var goal string
	nights := 90
	ask := budgets{}
	c := &cobra.Command{
		Use:   "forecast [JOB]",
		Short: "Print what a budget buys: how much will be known, how fresh, for how many credits; spends nothing",
		Long: `Simulate the coming nights of a job with the rules that plan each night, from what is stored now: how
many of the listed ships will have each dataset, how old it will be, the share that is expected to be
true, and the credits and minutes of a night. No request is sent, and no key is needed. Without a history
the forecast begins with priors, and prints each with its source.

--per-month and --per-run compare other budgets, each value as a line of the table. For another change, make a
copy of the configuration and name it by --config. --target finds the least budget a month, spread evenly over the
nights, that keeps a goal on the last nights (30, or a third of a short forecast): a dataset, a measure
(known, true, median, p90 or worst), a comparison, and a share or an age.

The forecast of the job as it is configured is kept in forecasts.ndjson of the data directory. Later
forecasts say how near it was.`,
		Example: `  fleetlake forecast nightly
  fleetlake forecast nightly --per-month 30000,60000,120000
  fleetlake forecast nightly --config other.yaml
  fleetlake forecast nightly --target "particulars p90 <= 30d"`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.config()
			if err != nil {
				return err
			}
			base, state, err := a.forecastBase(cmd.Context(), cfg, args, nights)
			if err != nil {
				return err
			}
			v := console.Forecast{Job: base.Job.Name, Made: state.Now, Run: state.Run, Days: nights, Priors: console.NotNil(state.Priors)}
			if goal != "" {
				err = a.forecastTarget(cmd.Context(), &v, state, base, ask, goal)
			} else {
				err = a.forecastScenarios(cmd.Context(), &v, cfg.DataDir, state, base, ask)
			}
			if err != nil {
				return err
			}
			if asJSON {
				return console.WriteJSON(a.stdout, v)
			}
			return console.WriteForecast(a.stdout, v)
		},
	}
	ask.flags(c)
	c.Flags().Var(&numberFlag{&nights, 1, 3650}, "nights", "how many nights to simulate (default 90)")
	c.Flags().StringVar(&goal, "target", "", `find the least budget a month that keeps a goal, such as "particulars p90 <= 30d" or "engine known >= 95%"`)
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON, with every night")
	return c
}

// forecastBase returns the job as it is configured, as a scenario, and what its forecast begins with.
func (a *app) forecastBase(ctx context.Context, cfg config.Config, args []string, nights int) (base forecast.Scenario, s forecast.State, err error) {
	job, err := jobOf(cfg, args)
	if err != nil {
		return base, s, fmt.Errorf("%w; %w", err, errUsage)
	}
	p := &pipeline.Pipeline{Dir: cfg.DataDir}
	if s, err = p.ForecastState(ctx, job); err != nil {
		return base, s, err
	}
	base, err = asConfigured(cfg, job.Name, s, nights, time.Now())
	return base, s, err
}

// asConfigured is the scenario of a job's configuration over the slots of its schedule within some days.
func asConfigured(cfg config.Config, name string, s forecast.State, days int, now time.Time) (forecast.Scenario, error) {
	job, spec, err := cfg.Job(name)
	if err != nil {
		return forecast.Scenario{}, err
	}
	schedule, err := schedules.Parse(spec.Cron, spec.Location)
	if err != nil {
		return forecast.Scenario{}, err
	}
	if s.Now.After(now) {
		now = s.Now
	}
	slots := schedule.Slots(now, now.Add(time.Duration(days)*oneDay))
	if len(slots) == 0 {
		return forecast.Scenario{}, fmt.Errorf("--nights %d: the schedule %q of %s has no slot in this time; %w", days, spec.Cron, name, errUsage)
	}
	return forecast.Scenario{Name: "as configured", Job: job, Limits: cfg.Limits, Nights: slots}, nil
}

// forecastScenarios forecasts the configuration and its alternatives, and keeps the first.
func (a *app) forecastScenarios(ctx context.Context, v *console.Forecast, dir string, s forecast.State, base forecast.Scenario, ask budgets) error {
	scenarios, err := ask.scenarios(base)
	if err != nil {
		return err
	}
	if v.Forecasts, err = forecast.Run(ctx, s, scenarios); err != nil {
		return err
	}
	v.Describe(scenarios)
	if s.Run == "" {
		return nil
	}
	records, damaged, err := pipeline.ReadForecasts(dir)
	if err != nil {
		return err
	}
	if damaged > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("%d lines of forecasts.ndjson are damaged, and are left out", damaged))
	}
	v.Scores = forecast.Scores(s, base, v.Forecasts[0].Nights[0], records)
	if err := pipeline.KeepForecast(dir, forecast.Keep(s, base, v.Forecasts[0])); err != nil {
		v.Notes = append(v.Notes, fmt.Sprintf("this forecast is not kept for comparison: %v", err))
	}
	return nil
}

// forecastTarget finds the least budget for a goal.
func (a *app) forecastTarget(ctx context.Context, v *console.Forecast, s forecast.State, base forecast.Scenario, ask budgets, goal string) error {
	target, err := forecast.ParseTarget(goal)
	if err != nil {
		return fmt.Errorf("--target:\n%w\n%w", err, errUsage)
	}
	if len(ask.perMonth)+len(ask.perRun) > 0 {
		return fmt.Errorf("--target finds the budget: leave out --per-month and --per-run; %w", errUsage)
	}
	if err := target.Fits(base.Job.Lookup); err != nil {
		return fmt.Errorf("--target: %w; %w", err, errUsage)
	}
	least, err := forecast.LeastBudget(ctx, s, base, target)
	if err != nil && !errors.Is(err, forecast.ErrOutOfReach) {
		return err
	}
	v.Targets = append(v.Targets, console.TargetAnswer{Scenario: base.Name, Target: target.String(), Kept: err == nil,
		PerMonth: least.PerMonth, PerRun: least.PerRun, MaxAge: fmt.Sprintf("%.0fh", least.MaxAge.Hours()),
		Own: least.MaxAge == base.Job.Lookup.MaxAge, Nights: least.Nights})
	base.Name, base.Job.Budget, base.Job.PerDay, base.Job.PerMonth = wording.Count(least.PerRun)+" a night", least.PerRun, 0, 0
	v.Forecasts = append(v.Forecasts, least.Forecast)
	v.Describe([]forecast.Scenario{base})
	return nil
}
