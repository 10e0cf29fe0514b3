package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/schedules/metrics"
	"github.com/fleetlake/fleetlake/schedules/network"
	"github.com/fleetlake/fleetlake/schedules/notify"
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
given up, according to "missed" and "max_lateness" of the job. Slots without a good run are recorded
with their reasons in slots.ndjson of the data directory.

SIGTERM stops new requests, waits for the answers in flight, publishes, and ends; the next start
resumes. A second SIGTERM ends at once, and loses no answer that had arrived.

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
and Flight SQL of data that is there already.

With OTEL_EXPORTER_OTLP_ENDPOINT set, each run is sent there as an OpenTelemetry trace (OTLP
over HTTP).`,
		Example: `  fleetlake serve
  fleetlake serve --no-jobs --data fleetlake-demo`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.logs = true
			cfg, err := a.config()
			if err == nil && noJobs {
				cfg, err = withoutJobs(cfg)
			}
			if err != nil {
				return err
			}
			return a.serve(cmd.Context(), cfg)
		},
	}
	c.Flags().BoolVar(&a.mustExist, "data-exists", false, "refuse a data directory that no run has used: its volume may not be mounted")
	c.Flags().BoolVar(&noJobs, "no-jobs", false, "serve the data that is there, and run, export and notify nothing; needs no key")
	return c
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

// server is the state of `fleetlake serve`.
type server struct {
	config       config.Config
	pipeline     *pipeline.Pipeline
	runner       *schedules.Runner
	slots        *schedules.SlotLog
	notifier     *notify.Notifier
	network      atomic.Pointer[network.Keeper] // serves page and Flight SQL; nil without either
	traces       *traces                        // nil without a collector
	metrics      *metrics.Metrics
	systemd      systemd
	log          *slog.Logger
	began        time.Time
	beaten       atomic.Pointer[time.Time] // the last turn of the scheduler
	stop         sync.Once
	ending       atomic.Bool
	nights       cachedCheck               // whether the last nights succeeded
	markID       atomic.Pointer[string]    // of the data directory; nil while no run has used it
	pricing      chan struct{}             // an element while a run is priced for the page
	exportWake   chan struct{}             // to look whether an export is due
	exporting    atomic.Pointer[time.Time] // since when; nil without one under way
	notifiedSlot slotKey                   // of the last partial run that was notified; used by the scheduler only

	mu       sync.Mutex
	progress pipeline.Progress
}

func (a *app) serve(ctx context.Context, cfg config.Config) error {
	if err := datadir.CheckWritable(cfg.DataDir); err != nil && len(cfg.Jobs) > 0 {
		return err
	}
	s, err := a.server(cfg)
	if err != nil {
		return err
	}
	table, err := a.timetable(cfg)
	if err != nil {
		return err
	}
	closeNetwork, err := s.openNetwork(a.getenv, a.verbose)
	if err != nil {
		s.closeNotifier()
		return err
	}
	defer closeNetwork()
	defer s.closeNotifier()
	defer s.traces.close(flushTimeout)
	stopExports := s.startExports(ctx)
	defer stopExports()
	stopWatching := s.watchSilence(ctx)
	defer stopWatching()
	defer context.AfterFunc(ctx, s.stopping)()
	s.ready()
	notifyOfPublished(ctx, s.notifier, cfg, s.log) // by a process that was killed
	err = s.runner.Serve(ctx, table)
	s.stopping() // if nothing ran, this comes before the call that ctx starts
	return err
}

// server creates the parts of `fleetlake serve`. Only the notifier runs yet.
func (a *app) server(cfg config.Config) (*server, error) {
	if len(cfg.Jobs) > 0 {
		if err := cfg.RequireService(); err != nil {
			return nil, err
		}
	}
	p := a.pipelineOf(cfg, networkMiB(cfg))
	warnOfOthers(cfg, p.Log)
	to, err := cfg.Notify.Recipients()
	if err != nil {
		return nil, &config.Error{Problems: []string{err.Error()}}
	}
	s := &server{config: cfg, pipeline: p, systemd: systemdOf(a.getenv), log: p.Log, began: time.Now(), exportWake: make(chan struct{}, 1), pricing: make(chan struct{}, 1)}
	if s.slots, err = schedules.OpenSlotLog(cfg.DataDir); err != nil {
		return nil, err
	}
	if s.metrics, err = metrics.New(metrics.Config{Version: version(), NetworkBytes: s.networkBytes}); err != nil {
		return nil, err
	}
	to.Dir, to.Log, to.Lost = cfg.DataDir, s.log, s.metrics.Undelivered
	if s.notifier, err = notify.New(to); err != nil {
		return nil, err
	}
	if err := s.openMark(); err != nil {
		return nil, err
	}
	p.Progress = s.observe
	s.traces = newTraces(a.getenv, s.log)
	p.Tracer = s.traces.tracer()
	s.runner = &schedules.Runner{Run: s.run, Stored: s.stored, Now: time.Now, Log: s.log, Slots: s.slots, Recorded: s.recorded, Pulse: s.pulse(), Beat: s.beat}
	return s, nil
}

// timetable returns the cron table, and prints when each job runs next.
func (a *app) timetable(cfg config.Config) ([]schedules.Spec, error) {
	var table []schedules.Spec
	for _, j := range cfg.Jobs {
		table = append(table, j.Spec)
		schedule, err := schedules.Parse(j.Spec.Cron, j.Spec.Location)
		if err != nil {
			return nil, fmt.Errorf("job %s: %w", j.Job.Name, err)
		}
		for _, at := range schedule.Upcoming(time.Now(), 5) {
			fmt.Fprintf(a.stdout, "%s: next at %s\n", j.Job.Name, at.Format(time.RFC3339))
		}
	}
	return table, nil
}

// run runs a job for a slot, and reports its end.
func (s *server) run(ctx context.Context, slot schedules.Slot) error {
	job, _, err := s.config.Job(slot.Job)
	if err != nil {
		return err
	}
	if err := s.checkMark(); err != nil {
		return err
	}
	unlock, err := lock(s.config.DataDir, "serve: "+job.Name)
	if errors.Is(err, datadir.ErrLocked) {
		words, _ := writer(s.config.DataDir)
		return fmt.Errorf("%w: %s writes into the data directory", schedules.ErrNotYet, words)
	}
	if err != nil {
		return failed(ctx, err, triesEnd(slot, job, time.Now()))
	}
	defer s.wakeExports()
	defer s.traces.flush()
	defer s.nights.forget()
	defer s.metrics.Idle()
	defer func() {
		if err := unlock(); err != nil {
			s.log.Error("data directory not unlocked", "error", err)
		}
	}()
	if err := s.storeMark(); err != nil {
		return failed(ctx, err, triesEnd(slot, job, time.Now()))
	}
	if slot.Publish {
		return s.publish(ctx, job, slot)
	}
	return s.harvest(ctx, job, slot)
}

// recorded is called for each slot that did not run, or whose run failed. When the tries of a slot
// end, recipients who were notified of its first run are not notified again.
func (s *server) recorded(r schedules.Record) {
	if r.State != schedules.RecordFailed {
		return
	}
	s.metrics.Failed(r.Job)
	if r.Tries == 0 || s.notifiedSlot != (slotKey{r.Job, r.Slot.UTC()}) {
		s.notifier.Send(notify.OfFailure(r.Job, r.Date, r.At, s.withoutPaths(r.Reason)))
	}
}

func (s *server) closeNotifier() {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	s.notifier.Close(ctx)
}

// observe stores the progress of the run under way.
func (s *server) observe(p pipeline.Progress) {
	s.metrics.Observe(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress = p
}

func (s *server) withoutPaths(words string) string { return withoutPaths(s.config, words) }
