package pipeline

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/repair"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/pipeline/spans"
	"github.com/fleetlake/fleetlake/warehouse"
	"go.opentelemetry.io/otel/attribute"
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

	// AcceptIssues also publishes runs that load.ErrIssues would hold back.
	AcceptIssues bool

	// Again repeats a night that is done, and pays for it again. Without it, a run of such a night
	// spends nothing. A night that ended at its cap is resumed with a new cap. A night that was
	// interrupted is resumed with or without it.
	Again bool
	// MarkID is the id that the data directory had when this process began; see CheckMark. With
	// MustExist the directory must have any id. Without both, a directory that has none gets one.
	MarkID    string
	MustExist bool
}

var errDeadline = errors.New("deadline of the run is over")

// ErrUnpublished reports that a run has paid for answers that could not be published.
var ErrUnpublished = errors.New("what was paid for is kept, and could not be published; the next start publishes it")

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
		return report.Report{Run: id}, err
	}
	return r, nil
}

// run is Run under the id that its log has on each line.
func (p *Pipeline) run(ctx context.Context, job plan.Job, date, id string, started time.Time) (done report.Report, err error) {
	ctx, span := p.Tracer.Start(ctx, "run", trace.WithAttributes(attribute.String("fleetlake.job", job.Name), attribute.String("fleetlake.snapshot_date", date)))
	defer endRun(span, &done, &err)
	if err := p.marked(); err != nil {
		return report.Report{}, err
	}
	recovered, err := p.Recover(ctx)
	if err != nil {
		return report.Report{}, err
	}
	for _, r := range recovered {
		if r.Job == job.Name && r.Date == date && r.State == report.StateDone {
			return r, nil // all of the night was paid for, and is published now
		}
	}
	if err := p.heldBackNight(job.Name, date); err != nil {
		return report.Report{}, err
	}
	before, err := p.night(ctx, job.Name, date)
	if err != nil {
		return report.Report{}, err
	}
	if run, note := p.ended(job, before); run != "" {
		return p.stored(ctx, run, note)
	}
	w, segment, err := p.plan(ctx, job, date, id, before, started)
	if err != nil {
		return report.Report{}, err
	}
	if err := p.fetch(ctx, w, segment); err != nil {
		return report.Report{}, err // the next start resumes here
	}
	reports, err := p.derive(context.WithoutCancel(ctx), segment.Path())
	if err != nil && !errors.Is(err, load.ErrIssues) { // a run that is held back waits for a person
		err = fmt.Errorf("%w: %w", ErrUnpublished, err)
	}
	if err != nil {
		return report.Report{}, err
	}
	r := reports[len(reports)-1]
	r.Wall = p.Now().Sub(started).Seconds()
	return r, nil
}

// ended returns the last run of a night and a note for its report, if there is nothing left to
// request for the night; "" otherwise.
func (p *Pipeline) ended(job plan.Job, before resumeState) (run, note string) {
	switch {
	case p.Again:
	case before.done != "":
		return before.done, "this night is done: no request was sent and nothing was spent; --again repeats it and pays for it again"
	case before.last.State == report.StatePartial && before.last.Stop == report.StopBudget && job.Budget > 0 && job.Budget-before.spent < api.ByType.Credits:
		return before.last.Run, fmt.Sprintf("this night has spent %d credits of its cap (budget.per_run) of %d: no request was sent; raise the cap, or resume with a new one by --again", before.spent, job.Budget)
	}
	return "", ""
}

// stored returns the report of a run as it was published, with a note.
func (p *Pipeline) stored(ctx context.Context, run, note string) (r report.Report, err error) {
	w, err := warehouse.Open(ctx, warehouse.Path(p.Dir), warehouse.Options{MemoryMiB: warehouse.DefaultMemoryMiB, Threads: 1})
	if err != nil {
		return r, err
	}
	row, err := w.Run(ctx, run)
	if err := errors.Join(err, w.Close()); err != nil {
		return r, err
	}
	if err := json.Unmarshal([]byte(row.Report), &r); err != nil {
		return r, fmt.Errorf("read the report of %s: %w", run, err)
	}
	r.Note = note
	return r, nil
}

// renewCap sets what the night has spent to 0 if a person resumes it after its end (Again), and
// reports whether it did.
func (p *Pipeline) renewCap(before resumeState) (resumeState, bool) {
	renewed := p.Again && before.last.State == report.StatePartial
	if renewed {
		before.spent = 0
	}
	return before, renewed
}

// plan decides which requests a run sends, and creates its segment with that plan.
func (p *Pipeline) plan(ctx context.Context, job plan.Job, date, id string, before resumeState, started time.Time) (w work, segment *journal.Segment, err error) {
	ctx, span := spans.Start(ctx, "plan")
	defer spans.End(span, &err)
	before, renewed := p.renewCap(before)
	var f plan.Inputs
	err = repair.Retry(ctx, p.deriver(), func() (err error) {
		f, err = p.inputs(ctx, job, before, started, p.awaitBalance(job, started))
		return err
	})
	if err != nil {
		return w, nil, err
	}
	w = work{job: job, decided: plan.Decide(job, f, p.Service.PerMinute), targets: f.Targets, refused: f.Refused, before: before, started: started}
	w.recorded = w.record(id, date, p.Version)
	w.recorded.Anew = renewed
	segment, err = journal.Create(p.segments(), journal.Entry{Kind: journal.KindPlan, At: started, Plan: &w.recorded})
	return w, segment, err
}

// fetch sends the requests of the plan, and appends the end to the segment.
func (p *Pipeline) fetch(ctx context.Context, w work, segment *journal.Segment) (err error) {
	ctx, span := spans.Start(ctx, "harvest")
	defer spans.End(span, &err)
	last, broken := p.harvest(ctx, w, segment)
	_, err = segment.Append(journal.Entry{Kind: journal.KindEnd, At: p.Now().UTC(), End: &last})
	return errors.Join(broken, err, segment.Close())
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

// deriver returns what derives the segments of this data directory.
func (p *Pipeline) deriver() derive.Deriver {
	return derive.Deriver{Dir: p.Dir, Now: p.Now, Log: p.Log, AcceptIssues: p.AcceptIssues,
		Phase: func(phase string) { p.Progress(Progress{At: p.Now(), Phase: phase}) }}
}

// Recover publishes what earlier runs paid for and did not publish, and returns their reports. It is
// repair.Recover, and has its errors. The caller holds the lock.
func (p *Pipeline) Recover(ctx context.Context) ([]report.Report, error) {
	p.fill()
	return repair.Recover(ctx, p.deriver())
}

// derive publishes the runs of segments. If that finds the published file damaged, it publishes its
// runs again first.
func (p *Pipeline) derive(ctx context.Context, paths ...string) (reports []report.Report, err error) {
	d := p.deriver()
	err = repair.Retry(ctx, d, func() (err error) {
		reports, err = d.Derive(ctx, paths...)
		return err
	})
	return reports, err
}

// work is everything that a harvest needs to know of its run.
type work struct {
	job      plan.Job
	decided  plan.Plan          // the requests to send; harvest.probe adapts it to the accepted lists
	recorded journal.Plan       // the decided plan as the first entry of the segment
	targets  []warehouse.Target // the known vessels
	refused  map[string]bool    // numbers that are not looked up
	before   resumeState        // the runs that this one resumes
	started  time.Time
}

// record returns the decided plan as the first entry of the run's segment.
func (w work) record(run, date, version string) journal.Plan {
	total := w.decided.Total()
	planned := journal.Plan{Run: run, Job: w.job.Name, Date: date, Continues: w.before.runs, Budget: total.Most,
		Credits: total, Lookups: len(w.decided.Lookups), Version: version, Partitions: w.decided.Skipped}
	for _, part := range w.decided.Cover {
		planned.Partitions = append(planned.Partitions, part.Entry())
	}
	for _, part := range w.decided.Checks {
		e := part.Entry()
		e.Check = true
		planned.Partitions = append(planned.Partitions, e)
	}
	for _, s := range w.decided.Sweeps {
		planned.Partitions = append(planned.Partitions, s.Entry())
	}
	return planned
}

// budget limits the run to the most of its plan.
func (w work) budget() *extract.Budget {
	if _, limited := w.decided.Allowance.Limit.Get(); limited && w.recorded.Budget == 0 {
		return extract.NewBudget(1, 1) // there is a cap, and nothing left under it
	}
	return extract.NewBudget(w.recorded.Budget, 0)
}

// unfiltered reports whether the job lists every type and country.
func (w work) unfiltered() bool { return len(w.job.List.Types)+len(w.job.List.Countries) == 0 }

// runStamp is the start of a run in its id.
const runStamp = "20060102T150405.000Z"

// runID returns an id that sorts by time. Its random end keeps the ids of two processes apart.
func runID(now time.Time) string {
	var b [2]byte
	rand.Read(b[:])
	return now.UTC().Format(runStamp) + "-" + hex.EncodeToString(b[:])
}
