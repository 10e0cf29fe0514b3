package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/spf13/cobra"
)

func (a *app) runCommand() *cobra.Command {
	options := runOptions{}
	var date string
	var asJSON bool
	c := &cobra.Command{
		Use:   "run [JOB]",
		Short: "Run a job now, or go on with a run that was cut off",
		Long: `Run a job now: list, sweep and look up within the rate limits and the credit cap, then publish
the warehouse. A run of the same job and snapshot date that was cut off is gone on with: what
was answered is not asked again. Without JOB, the only job of the configuration is run.`,
		Example: `  fleetlake run nightly
  fleetlake run nightly --budget 500 --deadline 30m
  fleetlake run nightly --date 2026-11-20 --json`,
		Args: cobra.MaximumNArgs(1),
	}
	options.flags(c)
	c.Flags().StringVar(&date, "date", "", "snapshot date that the run stands for, YYYY-MM-DD (default: today in the job's time zone)")
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	c.Flags().BoolVar(&a.acceptIssues, "accept-issues", false, "publish also if suddenly many values are refused")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		config, err := a.config()
		if err != nil {
			return err
		}
		job, err := config.chosen(args)
		if err != nil {
			return fmt.Errorf("%w; %w", err, errUsage)
		}
		options.apply(&job)
		if date != "" {
			if _, err := time.Parse(time.DateOnly, date); err != nil {
				return fmt.Errorf("--date %q: want YYYY-MM-DD; %w", date, errUsage)
			}
		}
		return a.runJob(cmd.Context(), config, job, date, asJSON)
	}
	return c
}

// chosen returns the job that is named, or the only one.
func (c Config) chosen(args []string) (pipeline.Job, error) {
	name := ""
	switch {
	case len(args) == 1:
		name = args[0]
	case len(c.Jobs) == 1:
		name = c.Jobs[0].Job.Name
	default:
		return pipeline.Job{}, fmt.Errorf("which job? the configuration has: %v", c.jobNames())
	}
	job, _, err := c.job(name)
	return job, err
}

// runJob runs a job once, shows how far it is, and prints the report.
func (a *app) runJob(ctx context.Context, config Config, job pipeline.Job, date string, asJSON bool) error {
	p, err := a.pipeline(config)
	if err != nil {
		return err
	}
	unlock, err := lock(config.DataDir, "run "+job.Name)
	if err != nil {
		return err
	}
	report, stop := newProgress(a.stderr, a.terminal())
	p.Progress = report
	r, err := p.Run(ctx, job, date)
	stop()
	if err := errors.Join(err, unlock()); err != nil {
		return err
	}
	a.code = codeOf(r)
	return printReport(a.stdout, r, asJSON)
}

func printReport(w io.Writer, r pipeline.Report, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	return renderReport(w, r)
}
