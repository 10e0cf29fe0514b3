package pipeline

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/warehouse"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Pipeline runs jobs against one service into one data directory.
type Pipeline struct {
	Dir      string
	Service  extract.Service
	Now      func() time.Time // nil is time.Now
	Log      *slog.Logger     // nil discards
	Progress func(Progress)   // called a few times a second; may be nil
	Version  string           // of the program, for the journal
	Tracer   trace.Tracer     // records a span of each run, phase, lane and request; nil records nothing

	Room []slog.Attr // what a run may take of the machine, which its log begins with; may be empty

	// SettleAfter is how long after the last request the service may still bill, and its balance may be old; 0 is
	// credits.DefaultSettleAfter.
	SettleAfter time.Duration

	// AcceptIssues also publishes runs that load.ErrIssues would hold back.
	AcceptIssues bool

	// Again repeats a night that is done, and pays for it again. Without it, a run of such a night
	// spends nothing. A night that ended at its cap is resumed with a new cap. A night that was
	// interrupted is resumed with or without it.
	Again bool
	// NewRound says, with Again, that the schedule begins a new round of the night: the run asks also if the round
	// before it was published only now, or is held back. Without it, such a night is not repeated, since it was not
	// done before: a person who repeats a command that could not publish does not pay twice.
	NewRound bool
	// MarkID is the id that the data directory had when this process began; see CheckMark. With
	// MustExist the directory must have any id. Without both, a directory that has none gets one.
	MarkID    string
	MustExist bool
}

// Run runs a job for a snapshot date, YYYY-MM-DD; an empty date is today in the job's time
// zone. It first publishes what earlier runs paid for and did not publish. It resumes a night that
// was interrupted. For a night that is done, or at its cap, it sends nothing and returns the report
// of the last run, with a note. The caller holds the lock. After an error other than ErrUnpublished
// requests are left to send: the next start resumes the run. The report of a run that ended with an
// error has only its id, which is on each line of its log.
//
// Cancelling ctx stops new requests; Run waits for the answers in flight, and publishes what was
// paid for.
func (p *Pipeline) Run(ctx context.Context, job plan.Job, date string) (report.Report, error) {
	p.fill()
	started := p.Now().UTC()
	if date == "" {
		date = started.In(job.Location).Format(time.DateOnly)
	}
	own, id := *p, runID(started)
	own.Log = p.Log.With("run", id)
	own.Progress = func(now Progress) {
		now.Run = id
		p.Progress(now)
	}
	r, err := own.run(ctx, job, date, id, started)
	if err != nil {
		if gone := datadir.Gone(p.Dir); gone != nil { // whatever failed for it, this is the cause
			err = gone
		}
		return report.Report{Run: id}, err
	}
	return r, nil
}

// run is Run under the id that its log has on each line.
func (p *Pipeline) run(ctx context.Context, job plan.Job, date, id string, started time.Time) (r report.Report, err error) {
	if len(p.Room) > 0 {
		p.Log.LogAttrs(ctx, slog.LevelInfo, "memory and threads", p.Room...)
	}
	ctx, span := p.Tracer.Start(ctx, "run", trace.WithAttributes(attribute.String("fleetlake.job", job.Name),
		attribute.String("fleetlake.snapshot_date", date)))
	defer endRun(span, &r, &err)
	if err := p.marked(); err != nil {
		return report.Report{}, err
	}
	known, done, err := p.resume(ctx, job, date)
	if err != nil || done.Run != "" {
		return done, err
	}
	defer known.Close() // plan has closed it before the first request
	c, err := p.Collect(ctx, known, job, date, id, started)
	if err != nil {
		return report.Report{}, err // the next start resumes here
	}
	if c.Segment == "" {
		return stored(ctx, known, c)
	}
	done, err = p.publish(context.WithoutCancel(ctx), c.Segment)
	done.Wall = p.Now().Sub(started).Seconds()
	return done, err
}

// Collected is what a run left in the journal.
type Collected struct {
	Segment string // the path of its segment; "" if there was nothing left to request for the night

	// Without a segment: the last run of the night, a note for its report, and whether it spent the most
	// of its own plan.
	Last, Note string
	PlanSpent  bool
}

// Collect is the part of Run that spends credits. It plans a run with an id for a snapshot date on what is published,
// sends its requests, and ends its segment. It publishes nothing: neither what earlier runs left, nor its own
// answers. known is closed, unless there was nothing left to request. The caller holds the lock, and has ended the
// segments of killed runs (derive.EndSegments).
func (p *Pipeline) Collect(ctx context.Context, known *warehouse.Published, job plan.Job, date, id string,
	started time.Time) (c Collected, err error) {
	p.fill()
	before, account, err := p.night(known.Runs, job, date)
	if err != nil {
		return c, err
	}
	if c.Last, c.Note = p.ended(job, before, account.Spent(job.Name, date, false, started)); c.Last != "" {
		c.PlanSpent = c.Last == before.last.Run && before.last.PlanSpent
		return c, nil
	}
	w, segment, err := p.plan(ctx, known, job, date, id, before, account, started)
	if err != nil {
		return c, err
	}
	c.Segment = segment.Path()
	return c, p.harvest(ctx, w, segment)
}

// marked checks the mark of the data directory, or marks a new directory.
func (p *Pipeline) marked() error {
	if p.MarkID != "" || p.MustExist {
		return datadir.CheckMark(p.Dir, p.MarkID)
	}
	_, err := datadir.Mark(p.Dir, p.Now())
	return err
}

// fill sets the fields that may be nil to their defaults.
func (p *Pipeline) fill() {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	if p.Progress == nil {
		p.Progress = func(Progress) {}
	}
	if p.Tracer == nil {
		p.Tracer = noop.NewTracerProvider().Tracer("")
	}
}

// segments is the directory of the journal.
func (p *Pipeline) segments() string { return filepath.Join(p.Dir, "journal") }

// runStamp is the start of a run in its id.
const runStamp = "20060102T150405.000Z"

// runID returns an id that sorts by time. Its random end keeps the ids of two processes apart.
func runID(now time.Time) string {
	var b [2]byte
	rand.Read(b[:])
	return now.UTC().Format(runStamp) + "-" + hex.EncodeToString(b[:])
}

// endRun is deferred, and ends the span of a run. A run that has neither a report nor an error
// panicked.
func endRun(span trace.Span, r *report.Report, err *error) {
	switch {
	case !span.IsRecording():
	case *err != nil:
		span.SetStatus(codes.Error, derive.ErrorClass(*err))
	case r.Run == "":
		span.SetStatus(codes.Error, "panic")
	default:
		span.SetAttributes(attribute.String("fleetlake.run", r.Run), attribute.String("fleetlake.state", r.State),
			attribute.String("fleetlake.stop", string(r.Stop)), attribute.Int("fleetlake.requests", r.Requests()),
			attribute.Int("fleetlake.credits.spent", r.Credits.Spent),
			attribute.Int("fleetlake.credits.planned", r.Credits.Planned))
	}
	span.End()
}
