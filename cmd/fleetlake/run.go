package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/schedules/notify"
	"github.com/fleetlake/fleetlake/schedules/notify/tell"
	"github.com/spf13/cobra"
)

func (a *app) runCommand() *cobra.Command {
	options := runOptions{}
	var asJSON bool
	c := &cobra.Command{
		Use:   "run [JOB]",
		Short: "Run a job now, or resume a run that was cut off",
		Long: `Run a job now: list, sweep and look up vessels within the rate limits and the credit cap, then
publish the warehouse. If a run of the same job and snapshot date was cut off, this run resumes it: requests
that were answered are not repeated, and budget.per_run is the cap of all runs of the night together.
A night that is done, or has reached its cap, sends no request and spends nothing. With --again, a
night that is done is paid for again, and one at its cap resumes with a new cap; if the run before
could not be published, the next one publishes it and asks nothing, so that who repeats a command does
not pay twice. With --new-round it asks then, too, as each slot of "serve" does: another scheduler that
runs a job several times a day uses that. Without JOB, the only job of the configuration runs.

At the end, what is published is exported to export.target of the configuration, if there is one and
it does not have it yet. If that fails, the night stays published, the exit code is 10 instead of 0
or 3, and the next run exports it.

The recipients under "notify" in the configuration are notified of failures, as by "serve". What one
has not got when the run ends, the next run, or "serve", sends. With
OTEL_EXPORTER_OTLP_ENDPOINT set, the run is sent there as an OpenTelemetry trace (OTLP over HTTP).`,
		Example: `  fleetlake run nightly
  fleetlake run nightly --budget 500 --deadline 30m
  fleetlake run nightly --date 2026-11-20 --json`,
		Args: cobra.MaximumNArgs(1),
	}
	options.flags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	c.Flags().BoolVar(&a.acceptIssues, "accept-issues", false, "publish even if suddenly many values are refused")
	c.Flags().BoolVar(&a.mustExist, "data-exists", false, "refuse a data directory that no run has used: its volume may not be mounted")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		a.logs = true
		cfg, job, err := a.jobFor(args, &options)
		if err != nil {
			return err
		}
		return a.runJob(cmd.Context(), cfg, job, options, asJSON)
	}
	return c
}

// jobFor reads the configuration and returns the job of a command line, with the options of its flags.
func (a *app) jobFor(args []string, options *runOptions) (config.Config, plan.Job, error) {
	cfg, err := a.config()
	if err != nil {
		return config.Config{}, plan.Job{}, err
	}
	job, err := jobOf(cfg, args)
	if err != nil {
		return config.Config{}, plan.Job{}, fmt.Errorf("%w; %w", err, errUsage)
	}
	err = options.apply(&job, cfg.DataDir, time.Now())
	return cfg, job, err
}

// jobOf returns the job that is named, or the only one.
func jobOf(c config.Config, args []string) (plan.Job, error) {
	name := ""
	switch {
	case len(args) == 1:
		name = args[0]
	case len(c.Jobs) == 1:
		name = c.Jobs[0].Job.Name
	default:
		return plan.Job{}, fmt.Errorf("no JOB named, and the configuration has several: %v", c.JobNames())
	}
	job, _, err := c.Job(name)
	return job, err
}

// notifyTimeout is how long a run waits, after its report is printed, for notifications to be
// delivered: two tries. Without a notification it does not wait; what is left the next process sends.
const notifyTimeout = 10 * time.Second

// runJob runs a job once, prints its progress, and then its report.
func (a *app) runJob(ctx context.Context, cfg config.Config, job plan.Job, o runOptions, asJSON bool) error {
	p, err := a.pipeline(cfg, 0)
	if err != nil {
		return err
	}
	warnOfOthers(cfg, p.Log)
	recipients, stopNotifier, err := newNotifier(cfg, p.Log)
	if err != nil {
		return err
	}
	defer stopNotifier()
	teller, phase := tellerOf(cfg, recipients, p.Log), exportPhase(cfg, p.Log)
	unlock, err := datadir.LockFor(cfg.DataDir, "run "+job.Name)
	if err != nil {
		return err
	}
	sent := newTraces(a.getenv, p.Log)
	defer sent.close(shutdownTimeout)
	p.Tracer = sent.tracer()
	var stop func()
	p.Progress, stop = a.progress(p.Log)
	p.Again, p.NewRound = o.again || o.newRound, o.newRound
	teller.Published(ctx) // what a killed process did not tell; the first of all begins the outbox
	r, err := withNotifier(recipients, cfg, job, o.date, func() (report.Report, error) { return p.Run(ctx, job, o.date) })
	stop()
	teller.Published(context.WithoutCancel(ctx))
	if err := errors.Join(err, unlock()); err != nil {
		a.runID = r.Run
		return errors.Join(err, a.exportAfterRun(ctx, phase, teller, true)) // of earlier runs
	}
	a.code = codeOf(r, cfg.MinCoverage(job.Name))
	return errors.Join(printReport(a.stdout, r, asJSON), a.exportAfterRun(ctx, phase, teller, asJSON))
}

// tellerOf tells the recipients of the configuration.
func tellerOf(c config.Config, n *notify.Notifier, log *slog.Logger) tell.Teller {
	return tell.Teller{To: n, Dir: c.DataDir, Watched: c.Watched(), Log: log}
}

// newNotifier starts a notifier for the recipients of the configuration; there may be none.
func newNotifier(c config.Config, log *slog.Logger) (n *notify.Notifier, stop func(), err error) {
	to, err := c.Notify.Recipients()
	if err != nil {
		return nil, nil, &config.Error{Problems: []string{err.Error()}}
	}
	to.Log, to.Dir = log, c.DataDir
	if n, err = notify.New(to); err != nil {
		return nil, nil, err
	}
	return n, func() {
		ctx, cancel := context.WithTimeout(context.Background(), notifyTimeout)
		defer cancel()
		n.Close(ctx)
	}, nil
}

// withNotifier runs a job and notifies the recipients if it fails, as serve would. A stop by a person sends
// nothing.
func withNotifier(n *notify.Notifier, cfg config.Config, job plan.Job, date string, run func() (report.Report, error)) (report.Report, error) {
	reason := "it panicked; the log has the stack"
	defer func() {
		if reason == "" {
			return
		}
		if date == "" {
			date = time.Now().In(job.Location).Format(time.DateOnly)
		}
		n.Send(notify.OfFailure(job.Name, date, time.Now(), datadir.WithoutPath(cfg.DataDir, reason)))
	}()
	r, err := run()
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		reason = ""
	default:
		reason = err.Error()
	}
	return r, err
}

func printReport(w io.Writer, r report.Report, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	return console.WriteReport(w, r)
}
