package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/schedules/daemon"
	"github.com/spf13/cobra"
)

// shutdownTimeout is how long a process that ends waits for notifications and open pages.
const shutdownTimeout = 3 * time.Second

func (a *app) serveCommand() *cobra.Command {
	var noJobs bool
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the jobs on schedule until stopped, with a status page",
		Long: `Run each job of the configuration at its cron times, and serve the status page. The runs in the
journal decide what is due: a slot that passed while fleetlake was down is made up for once, or
given up, according to "missed" of the job. Slots without a good run are recorded
with their reasons in slots.ndjson of the data directory.

SIGTERM stops new requests, waits for the answers in flight, publishes, and ends; the next start
resumes. A second SIGTERM ends at once, and loses no answer that had arrived. SIGHUP reads the configuration
again: one line of the log says what needs a restart.

With export.target in the configuration, what is published is exported after each run, while the
next one may run already. A failed export leaves the night published; it is on the page, in the
metrics and in export.json, recipients are notified, and the next run or start makes up for it.

The published warehouse is offered under the address of the page, so that any DuckDB attaches it:

  ATTACH 'http://127.0.0.1:8080/warehouse/fleet.duckdb' AS fleet (READ_ONLY);

On a page that needs the token, first (the scope keeps the token from other hosts):

  CREATE SECRET (TYPE http, SCOPE 'http://fleet.example:8080', BEARER_TOKEN 'the token');

/warehouse/current.json says which version is the newest, and lists the others that are kept:
fleet-<run>.duckdb. When another night is published, DuckDB ends a query on the replaced file with an
error about the ETag and never mixes two nights: DETACH and ATTACH again, or attach fleet-<run>.duckdb.

serve.listen and flight.listen are HOST:PORT, or unix: and a path for a socket of the service's user and group:

  curl --unix-socket /run/fleetlake/page.sock http://localhost/healthz

With flight.listen in the configuration, clients of Arrow Flight SQL (ADBC, JDBC) query the published
warehouse, each query in a process of its own within the limits of the configuration.

Page, warehouse and Flight SQL are served by a second process, which serve starts, ends above 600 MB, and
starts again when it ended. Nothing that happens to it ends a run, an export or a notification.

With --no-jobs nothing runs, nothing is exported, nobody is notified, and no key is needed: page, warehouse
and Flight SQL of data that is there already. So it is without a configuration and an address of the service, too.

With OTEL_EXPORTER_OTLP_ENDPOINT set, each run is sent there as an OpenTelemetry trace (OTLP
over HTTP).`,
		Example: `  fleetlake serve
  fleetlake serve --no-jobs --data fleetlake-demo`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.logs = true
			cfg, err := a.config()
			if err == nil && !noJobs && onlyData(cfg) {
				a.say("no service is configured: the data in " + cfg.DataDir + " are served, and nothing runs, as with --no-jobs")
				noJobs = true
			}
			if err == nil && noJobs {
				cfg, err = withoutJobs(cfg)
			}
			if err != nil {
				return err
			}
			return a.serve(cmd.Context(), cfg, func() (config.Config, error) {
				c, err := a.configAsIs()
				if err == nil && noJobs {
					return withoutJobs(c)
				}
				return c, err
			})
		},
	}
	c.Flags().BoolVar(&a.mustExist, "data-exists", false, "refuse a data directory that no run has used: its volume may not be mounted")
	c.Flags().BoolVar(&noJobs, "no-jobs", false, "serve the data that is there, and run, export and notify nothing; needs no key")
	return c
}

// onlyData reports whether there is data to serve and nothing else to do: no configuration, and no address of a service.
func onlyData(c config.Config) bool {
	return c.File == "" && c.BaseURL == "" && requireLake(c.DataDir) == nil
}

// withoutJobs is a configuration that serves the data that is there, and does nothing else. Its errors say that there
// is no data, or nothing to serve it under.
func withoutJobs(c config.Config) (config.Config, error) {
	if c.Serve.Listen == "" && c.Flight.Listen == "" {
		return c, fmt.Errorf("--no-jobs serves page and Flight SQL, and neither serve.listen nor flight.listen has an address: %w", errUsage)
	}
	c.Jobs, c.Export, c.Notify = nil, config.Export{}, config.Notify{MaxAge: c.Notify.MaxAge}
	c.Serve.ListenGiven = c.Serve.Listen != "" // an address in use leaves nothing else to do
	return c, requireLake(c.DataDir)
}

// serve runs the daemon until ctx ends. A SIGHUP has it take over what load returns then.
func (a *app) serve(ctx context.Context, cfg config.Config, load func() (config.Config, error)) error {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	if err := datadir.CheckWritable(cfg.DataDir); err != nil && len(cfg.Jobs) > 0 {
		return err
	}
	var network atomic.Pointer[keptNetwork]
	c, sent, err := a.daemonConfig(cfg, network.Load)
	if err != nil {
		return err
	}
	d, err := daemon.New(c)
	if err != nil {
		return err
	}
	err = a.printTimetable(cfg)
	var kept *keptNetwork
	if err == nil {
		kept, err = a.startNetwork(cfg, d)
	}
	if err != nil {
		d.Close()
		return err
	}
	if kept != nil {
		network.Store(kept)
		defer kept.Stop()
	}
	defer d.Close() // what is left is sent while page and Flight SQL are still there
	defer sent.close(flushTimeout)
	defer a.reloadOn(hangups, &reloader{daemon: d, network: kept, inUse: cfg, told: c.Recipients, load: load})()
	return d.Serve(ctx)
}

// daemonConfig is what a daemon runs by the configuration, and the delivery of its traces.
func (a *app) daemonConfig(cfg config.Config, network func() *keptNetwork) (c daemon.Config, sent *traces, err error) {
	settings, err := settingsOf(cfg, a.log())
	if err != nil {
		return c, nil, err
	}
	p := a.pipelineOf(cfg, networkMiB(cfg))
	warnOfOthers(cfg, p.Log)
	to, err := cfg.Notify.Recipients()
	if err != nil {
		return c, nil, &config.Error{Problems: []string{err.Error()}}
	}
	sent = newTraces(a.getenv, p.Log)
	p.Tracer = sent.tracer()
	return daemon.Config{Settings: settings, Pipeline: p, Recipients: to, Getenv: a.getenv, Version: version(), Flush: sent.flush,
		NeedsPerson: func(err error) bool { return exitCode(err) == exitUsage },
		NetworkBytes: func() int {
			if kept := network(); kept != nil {
				return kept.Bytes()
			}
			return 0
		}}, sent, nil
}

// settingsOf is the part of a configuration that a daemon can take over while it runs.
func settingsOf(cfg config.Config, log *slog.Logger) (s daemon.Settings, err error) {
	if len(cfg.Jobs) > 0 {
		if err := cfg.RequireService(); err != nil {
			return s, err
		}
	}
	s = daemon.Settings{MaxAge: cfg.Notify.MaxAge, Watched: cfg.Watched(), Export: exportPhase(cfg, log), Health: healthOf(cfg)}
	for _, j := range cfg.Jobs {
		job, spec, err := cfg.Job(j.Job.Name)
		if err != nil {
			return s, err
		}
		s.Jobs = append(s.Jobs, daemon.Job{Job: job, Spec: spec})
	}
	return s, nil
}

// printTimetable prints when each job runs next.
func (a *app) printTimetable(cfg config.Config) error {
	for _, j := range cfg.Jobs {
		schedule, err := schedules.Parse(j.Spec.Cron, j.Spec.Location)
		if err != nil {
			return fmt.Errorf("job %s: %w", j.Job.Name, err)
		}
		for _, at := range schedule.Upcoming(time.Now(), 5) {
			fmt.Fprintf(a.stdout, "%s: next at %s\n", j.Job.Name, at.Format(time.RFC3339))
		}
	}
	return nil
}
