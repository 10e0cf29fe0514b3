package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/schedules/exports"
	"github.com/fleetlake/fleetlake/schedules/health"
	"github.com/fleetlake/fleetlake/schedules/metrics"
	"github.com/fleetlake/fleetlake/schedules/notify"
	"github.com/fleetlake/fleetlake/schedules/notify/tell"
)

// stopTimeout is how long a process that ends waits for notifications.
const stopTimeout = 3 * time.Second

// stopExportTimeout is how long a process that ends waits for an export to end. One that takes longer
// is cut off, and the next one completes it.
const stopExportTimeout = 15 * time.Second

// Config is what a daemon runs, and whom it tells. Its caller has read the configuration.
type Config struct {
	Settings
	Pipeline   *pipeline.Pipeline  // what it observes and marks
	Recipients notify.Config       // of which it sets directory, log and the count of what is lost
	Getenv     func(string) string // the service manager's variables
	Version    string

	// NeedsPerson reports whether another try of a run that ended with this error is useless, besides the reasons
	// that the daemon knows.
	NeedsPerson func(error) bool

	Flush func() // delivers the trace of a run that has ended; nil is none

	// NetworkBytes is the memory of the network process; nil without one.
	NetworkBytes func() int
}

// Settings are what Reload replaces.
type Settings struct {
	Jobs    []Job          // in the order of the configuration
	MaxAge  time.Duration  // the age of the newest published run above which recipients are notified
	Watched []string       // the vessels of the watch lists, by IMO number or MMSI
	Export  *exports.Phase // nothing is exported if its settings have no target
	Health  health.Setup
}

// Job is a job with its caps, and when it runs.
type Job struct {
	plan.Job
	Spec schedules.Spec
}

// Server runs jobs on schedule until it is stopped.
type Server struct {
	config       Config
	pipeline     *pipeline.Pipeline
	runner       *schedules.Runner
	slots        *schedules.SlotLog
	notifier     *notify.Notifier
	metrics      *metrics.Metrics
	systemd      systemd
	log          *slog.Logger
	began        time.Time
	beaten       atomic.Pointer[time.Time] // the last turn of the scheduler
	said         string                    // the last status that systemd was told; used by the scheduler only
	stop         sync.Once
	ending       atomic.Bool
	nights       cachedCheck               // whether the last nights succeeded
	markID       atomic.Pointer[string]    // of the data directory; nil while no run has used it
	pricing      chan struct{}             // an element while a run is priced for the page
	exportWake   chan struct{}             // to look whether an export is due
	exporting    atomic.Pointer[time.Time] // since when; nil without one under way
	notifiedSlot slotKey                   // of the last partial run that was notified; used by the scheduler only

	mu       sync.Mutex // of the settings in config, of what a reload changes of the pipeline, and of progress
	progress pipeline.Progress
}

// New creates the parts of a daemon. Only the notifier runs until Serve; Close ends it.
func New(c Config) (*Server, error) {
	p := c.Pipeline
	s := &Server{config: c, pipeline: p, systemd: systemdOf(c.Getenv), log: p.Log, began: time.Now(),
		exportWake: make(chan struct{}, 1), pricing: make(chan struct{}, 1)}
	var err error
	if s.slots, err = schedules.OpenSlotLog(p.Dir); err != nil {
		return nil, err
	}
	if s.metrics, err = metrics.New(metrics.Config{Version: c.Version, NetworkBytes: c.NetworkBytes}); err != nil {
		return nil, err
	}
	to := c.Recipients
	to.Dir, to.Log, to.Lost = p.Dir, s.log, s.metrics.Undelivered
	if s.notifier, err = notify.New(to); err != nil {
		return nil, err
	}
	if err := s.openMark(); err != nil {
		return nil, err
	}
	p.Progress = s.observe
	s.runner = &schedules.Runner{Run: s.Run, Stored: s.Stored, Now: time.Now, Log: s.log, Slots: s.slots,
		Recorded: s.Recorded, Pulse: s.pulse(), Beat: s.beat}
	return s, nil
}

// Serve runs the jobs until ctx ends, and then waits for the run that is under way.
func (s *Server) Serve(ctx context.Context) error {
	stopExports := s.startExports(ctx)
	defer stopExports()
	stopWatching := s.watchSilence(ctx)
	defer stopWatching()
	defer context.AfterFunc(ctx, s.stopping)()
	s.ready()
	s.teller().Published(ctx) // by a process that was killed
	err := s.runner.Serve(ctx, s.settings().table())
	s.stopping() // if nothing ran, this comes before the call that ctx starts
	return err
}

// Close sends what is left to the recipients, for as long as a process that ends may take.
func (s *Server) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	s.notifier.Close(ctx)
}

// job returns a job by its name. It returns an error for an unknown name.
func (s *Server) job(name string) (plan.Job, error) {
	for _, j := range s.settings().Jobs {
		if j.Name == name {
			return j.Job, nil
		}
	}
	return plan.Job{}, fmt.Errorf("unknown job %q", name)
}

// teller tells the recipients.
func (s *Server) teller() tell.Teller {
	return tell.Teller{To: s.notifier, Dir: s.pipeline.Dir, Watched: s.settings().Watched, Log: s.log}
}

// Run runs a job for a slot, and reports its end.
func (s *Server) Run(ctx context.Context, slot schedules.Slot) error {
	job, err := s.job(slot.Job)
	if err != nil {
		return err
	}
	if err := s.checkMark(); err != nil {
		return err
	}
	unlock, err := datadir.LockFor(s.pipeline.Dir, "serve: "+job.Name)
	if errors.Is(err, datadir.ErrLocked) {
		words, _ := datadir.Holder(s.pipeline.Dir)
		return fmt.Errorf("%w: %s writes into the data directory", schedules.ErrNotYet, words)
	}
	if err != nil {
		return s.failed(ctx, err, triesEnd(slot, job, time.Now()))
	}
	defer s.wakeExports()
	if s.config.Flush != nil {
		defer s.config.Flush()
	}
	defer s.nights.forget()
	defer s.metrics.Idle()
	defer func() {
		if err := unlock(); err != nil {
			s.log.Error("data directory not unlocked", "error", err)
		}
	}()
	if err := s.storeMark(); err != nil {
		return s.failed(ctx, err, triesEnd(slot, job, time.Now()))
	}
	if slot.Publish {
		return s.publish(ctx, job, slot)
	}
	return s.harvest(ctx, job, slot)
}

// Recorded is called for each slot that did not run, or whose run failed. When the tries of a slot
// end, recipients who were notified of its first run are not notified again.
func (s *Server) Recorded(r schedules.Record) {
	if r.State != schedules.RecordFailed {
		return
	}
	s.metrics.Failed(r.Job)
	if r.Tries == 0 || s.notifiedSlot != (slotKey{r.Job, r.Slot.UTC()}) {
		s.notifier.Send(notify.OfFailure(r.Job, r.Date, r.At, s.withoutPaths(r.Reason)))
	}
}

// observe stores the progress of the run under way.
func (s *Server) observe(p pipeline.Progress) {
	s.metrics.Observe(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress = p
}

func (s *Server) withoutPaths(words string) string { return datadir.WithoutPath(s.pipeline.Dir, words) }
