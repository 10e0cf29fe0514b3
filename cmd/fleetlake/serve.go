package main

import (
	"context"
	"fmt"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/spf13/cobra"
)

func (a *app) serveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Run the jobs at their times until stopped",
		Long: `Run each job of the configuration at its cron times. What is due is decided from the runs in the
journal: a slot that passed while fleetlake was down is made up for once, or given up, as the
job's "missed" says. SIGTERM stops new requests, keeps the answers in the air, publishes, and ends.`,
		Example: "  fleetlake serve",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := a.config()
			if err != nil {
				return err
			}
			return a.serve(cmd.Context(), config)
		},
	}
}

func (a *app) serve(ctx context.Context, config Config) error {
	p, err := a.pipeline(config)
	if err != nil {
		return err
	}
	var table []schedules.Spec
	for _, j := range config.Jobs {
		table = append(table, j.Spec)
		schedule, err := schedules.Parse(j.Spec.Cron, j.Spec.Location)
		if err != nil {
			return fmt.Errorf("job %s: %w", j.Job.Name, err)
		}
		for _, at := range schedule.Upcoming(time.Now(), 5) {
			fmt.Fprintf(a.stdout, "%s: next at %s\n", j.Job.Name, at.Format(time.RFC3339))
		}
	}
	runner := schedules.Runner{
		Now: time.Now,
		Log: p.Log,
		Run: func(ctx context.Context, slot schedules.Slot) error {
			job, _, err := config.job(slot.Job)
			if err != nil {
				return err
			}
			unlock, err := lock(config.DataDir, "serve: "+job.Name)
			if err != nil {
				return err
			}
			defer unlock()
			r, err := p.Run(ctx, job, slot.Date)
			if err != nil {
				return err
			}
			p.Log.Info("run published", "run", r.Run, "job", r.Job, "state", r.State, "requests", r.Requests(), "credits", r.Credits.Spent,
				"took", r.Finished.Sub(r.Started).Round(time.Second).String(), "reason", r.Reason)
			return nil
		},
		Stored: func(job string) ([]schedules.Stored, error) {
			nights, err := pipeline.Nights(config.DataDir, job, 10)
			var stored []schedules.Stored
			for _, n := range nights {
				stored = append(stored, schedules.Stored{Date: n.Date, Started: n.Started, State: n.State})
			}
			return stored, err
		},
	}
	return runner.Serve(ctx, table)
}
