package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/schedules/metrics"
	"github.com/fleetlake/fleetlake/schedules/notify"
)

// lastWords is how long a process that ends waits for notifications and open pages.
const lastWords = 3 * time.Second

func (a *app) serveCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the jobs at their times until stopped, and show how they do",
		Long: `Run each job of the configuration at its cron times, and serve the status page. What is due is
decided from the runs in the journal: a slot that passed while fleetlake was down is made up
for once, or given up, as the job's "missed" and "max_lateness" say. Slots without a good run
are kept with their reasons in slots.ndjson of the data directory.

SIGTERM stops new requests, keeps the answers in the air, publishes, and ends; the next start
goes on from there. A second one ends at once, and loses no answer that had arrived.

With OTEL_EXPORTER_OTLP_ENDPOINT set, each run is sent there as an OpenTelemetry trace (OTLP
over HTTP).`,
		Example: "  fleetlake serve",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.logs = true
			cfg, err := a.config()
			if err != nil {
				return err
			}
			return a.serve(cmd.Context(), cfg)
		},
	}
	c.Flags().BoolVar(&a.mustExist, "data-exists", false, "refuse a data directory that no run has used, as that of a volume that is not mounted")
	return c
}

// server is what runs while fleetlake serves.
type server struct {
	config   config.Config
	pipeline *pipeline.Pipeline
	runner   *schedules.Runner
	slots    *schedules.SlotLog
	notifier *notify.Notifier
	traces   *traces // nil without a collector
	metrics  *metrics.Metrics
	systemd  systemd
	log      *slog.Logger
	began    time.Time
	beaten   atomic.Pointer[time.Time] // the last turn of the scheduler
	stop     sync.Once
	ending   atomic.Bool
	nights   remembered             // whether they are well
	markID   atomic.Pointer[string] // of the data directory; nil while no run has used it
	told     slotKey                // the slot whose partial run was told of last; the scheduler's own

	mu       sync.Mutex
	progress pipeline.Progress
}

func (a *app) serve(ctx context.Context, cfg config.Config) error {
	s, err := a.server(cfg)
	if err != nil {
		return err
	}
	table, err := a.timetable(cfg)
	if err != nil {
		return err
	}
	closePage, err := s.openPage()
	if err != nil {
		s.closeNotifier()
		return err
	}
	defer closePage()
	defer s.closeNotifier()
	defer s.traces.close(flushTimeout)
	stopWatching := s.watchSilence(ctx)
	defer stopWatching()
	defer context.AfterFunc(ctx, s.stopping)()
	s.ready()
	err = s.runner.Serve(ctx, table)
	s.stopping() // where nothing ran, this is sooner than what ctx starts
	return err
}

// server puts the parts together; nothing runs yet but the notifier.
func (a *app) server(cfg config.Config) (*server, error) {
	p, err := a.pipeline(cfg)
	if err != nil {
		return nil, err
	}
	to, err := cfg.Notify.Recipients()
	if err != nil {
		return nil, &config.Error{Problems: []string{err.Error()}}
	}
	s := &server{config: cfg, pipeline: p, systemd: systemdOf(a.getenv), log: p.Log, began: time.Now()}
	if s.slots, err = schedules.OpenSlotLog(cfg.DataDir); err != nil {
		return nil, err
	}
	if s.metrics, err = metrics.New(metrics.Config{Dir: cfg.DataDir, Version: version()}); err != nil {
		return nil, err
	}
	to.Log, to.Lost = s.log, s.metrics.Undelivered
	if s.notifier, err = notify.New(to); err != nil {
		return nil, err
	}
	if err := s.begin(); err != nil {
		return nil, err
	}
	p.Progress = s.observe
	s.traces = newTraces(a.getenv, s.log)
	p.Tracer = s.traces.tracer()
	s.runner = &schedules.Runner{Run: s.run, Stored: s.stored, Now: time.Now, Log: s.log, Slots: s.slots, Recorded: s.hear, Pulse: s.pulse(), Beat: s.beat}
	return s, nil
}

// timetable says when each job runs next.
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

// run runs a job for a slot, and tells of it.
func (s *server) run(ctx context.Context, slot schedules.Slot) error {
	job, _, err := s.config.Job(slot.Job)
	if err != nil {
		return err
	}
	if err := s.marked(); err != nil {
		return err
	}
	unlock, err := lock(s.config.DataDir, "serve: "+job.Name)
	if errors.Is(err, pipeline.ErrLocked) {
		words, _ := writer(s.config.DataDir)
		return fmt.Errorf("%w: %s writes into the data directory", schedules.ErrNotYet, words)
	}
	if err != nil {
		return failed(ctx, err, until(slot, job, time.Now()))
	}
	defer s.traces.flush()
	defer s.nights.forget()
	defer s.metrics.Idle()
	defer func() {
		if err := unlock(); err != nil {
			s.log.Error("data directory not unlocked", "error", err)
		}
	}()
	if err := s.remember(); err != nil {
		return failed(ctx, err, until(slot, job, time.Now()))
	}
	if slot.Publish {
		return s.publish(ctx, job, slot)
	}
	return s.harvest(ctx, job, slot)
}

// hear hears of each slot that did not run, or whose run failed. That the tries of a slot have
// ended is no news to whom its first run was told of.
func (s *server) hear(r schedules.Record) {
	if r.State != schedules.RecordFailed {
		return
	}
	s.metrics.Failed(r.Job)
	if r.Tries == 0 || s.told != (slotKey{r.Job, r.Slot.UTC()}) {
		s.notifier.Send(notify.OfFailure(r.Job, r.Date, r.At, s.withoutPaths(r.Reason)))
	}
}

func (s *server) closeNotifier() {
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	s.notifier.Close(ctx)
}

// observe takes in how far the run under way is.
func (s *server) observe(p pipeline.Progress) {
	s.metrics.Observe(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress = p
}

func (s *server) withoutPaths(words string) string { return withoutPaths(s.config, words) }
