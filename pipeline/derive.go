package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse"
	"go.opentelemetry.io/otel/attribute"
)

// Recover publishes what earlier runs paid for and did not publish, and returns their reports. It
// appends an end to the segment of a run that a crash left without one. Runs that were rolled back
// stay out, and a run that is held back keeps no other from being published. The caller holds the
// lock.
func (p *Pipeline) Recover(ctx context.Context) (reports []Report, err error) {
	p.fill()
	ctx, span := phase(ctx, "recover")
	defer end(span, &err)
	if err := p.settleRebuild(); err != nil {
		return nil, err
	}
	if err := load.Clean(p.Dir); err != nil {
		return nil, err
	}
	warnings, err := warehouse.Restore(ctx, p.Dir)
	p.warn(warnings)
	if err != nil {
		return nil, err
	}
	known, err := p.heal(ctx)
	if err != nil {
		return nil, err
	}
	paths, err := journal.Segments(p.journal())
	if err != nil {
		return nil, err
	}
	out, err := warehouse.RolledBack(p.Dir, known)
	if err != nil {
		return nil, err
	}
	var open []string
	for _, path := range paths {
		if run := journal.RunOf(path); known[run] || out[run] {
			continue
		}
		ended, err := p.finish(path)
		if err != nil {
			return nil, err
		}
		if ended {
			open = append(open, path)
		}
	}
	if len(open) == 0 {
		return nil, p.noteHeldBack(nil, known)
	}
	p.Log.Info("publishing what earlier runs paid for", "runs", len(open))
	reports, err = p.derive(ctx, open...)
	if heldBack := (*HeldBackError)(nil); errors.As(err, &heldBack) {
		for _, h := range heldBack.Runs {
			p.Log.Error("a run is held back, and the others are published", "held", h.Run, "date", h.Date, "reason", h.Reason, "do", "`fleetlake run JOB --accept-issues` publishes it")
		}
		err = nil
	}
	return reports, err
}

// warn logs warnings about the published file.
func (p *Pipeline) warn(warnings []string) {
	for _, words := range warnings {
		p.Log.Warn(words)
	}
}

// published returns the runs that are in the published warehouse; nil if there is none.
func (p *Pipeline) published(ctx context.Context) (map[string]bool, error) {
	w, err := warehouse.Open(ctx, warehouse.Path(p.Dir), warehouse.Options{MemoryMiB: warehouse.DefaultMemoryMiB, Threads: 1})
	if errors.Is(err, warehouse.ErrNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	runs, err := w.Published(ctx)
	return runs, errors.Join(err, w.Close())
}

// finish appends the end to a segment that a crash left without one, and reports whether there is a
// run to publish. It removes a segment without a plan, which is empty.
func (p *Pipeline) finish(path string) (bool, error) {
	planned, end, err := journal.Bounds(path)
	switch {
	case err != nil:
		return false, withAdvice(err)
	case planned == nil:
		p.Log.Warn("removing an empty journal segment", "file", path)
		return false, os.Remove(path)
	case end != nil:
		return true, nil
	}
	s, cut, err := journal.Reopen(path)
	if err != nil {
		return false, withAdvice(err)
	}
	p.Log.Info("a run was killed", "killed", planned.Run, "torn_bytes", cut)
	_, err = s.Append(journal.Entry{Kind: journal.KindEnd, At: p.Now().UTC(), End: &journal.End{State: StateKilled, Reason: "the process died"}})
	return true, errors.Join(err, s.Close())
}

// withAdvice adds what to do about a damaged segment to its error.
func withAdvice(err error) error {
	if !errors.Is(err, journal.ErrDamaged) {
		return err
	}
	return fmt.Errorf("%w; put a good copy in its place, or let `fleetlake verify --salvage` recover its undamaged entries", err)
}

// derive is the second half of every run: from segments to the published warehouse. It sends no
// request and spends nothing. It returns the reports of the runs that it published, and a
// HeldBackError if it held runs back, which keep no other from being published.
func (p *Pipeline) derive(ctx context.Context, paths ...string) (reports []Report, err error) {
	// Rows and pages are most of the memory of a run: an early collection frees it for DuckDB.
	defer debug.SetGCPercent(debug.SetGCPercent(40))
	paths, err = p.withHeldBack(paths)
	if err != nil {
		return nil, err
	}
	var heldBack []HeldBackRun
	for _, nights := range chunks(byNight(paths)) {
		var runs []writtenRun
		for _, path := range nights {
			b, err := p.write(ctx, path)
			if err != nil {
				return nil, fmt.Errorf("derive %s: %w", journal.RunOf(path), withAdvice(err))
			}
			runs = append(runs, b)
		}
		debug.FreeOSMemory()
		there, out, err := p.publish(ctx, runs)
		if err != nil {
			return nil, err
		}
		heldBack = append(heldBack, out...)
		for _, b := range there {
			reports = append(reports, b.report)
		}
	}
	if err := p.noteHeldBack(heldBack, reportsOf(reports)); err != nil {
		return nil, err
	}
	if len(heldBack) > 0 {
		err = &HeldBackError{heldBack}
	}
	return reports, err
}

// byNight sorts segments into the nights of their runs, the oldest first.
func byNight(paths []string) (nights [][]string) {
	paths = slices.Clone(paths)
	dateOf := func(path string) string { return filepath.Base(filepath.Dir(path)) }
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(strings.Compare(dateOf(a), dateOf(b)), strings.Compare(a, b))
	})
	for _, path := range paths {
		last := len(nights) - 1
		if last >= 0 && dateOf(nights[last][0]) == dateOf(path) {
			nights[last] = append(nights[last], path)
		} else {
			nights = append(nights, []string{path})
		}
	}
	return nights
}

// chunk is how many nights one publish loads. More nights cost memory, which is written out at the
// end only; each publish copies the whole file.
const chunk = 30

// chunks joins the segments of nights that are published together.
func chunks(nights [][]string) (some [][]string) {
	for night := range slices.Chunk(nights, chunk) {
		some = append(some, slices.Concat(night...))
	}
	return some
}

// writtenRun is a run whose lake files are written.
type writtenRun struct {
	path     string
	report   Report
	manifest load.Manifest
}

// write turns a segment into lake files, and reports progress and a span.
func (p *Pipeline) write(ctx context.Context, path string) (b writtenRun, err error) {
	p.Progress(Progress{At: p.Now(), Phase: "derive"})
	_, span := phase(ctx, "transform", attribute.String("fleetlake.run", journal.RunOf(path)))
	defer end(span, &err)
	return p.transform(path)
}

// publish loads written runs into a new warehouse file, and replaces the published one with it.
func (p *Pipeline) publish(ctx context.Context, runs []writtenRun) (there []writtenRun, heldBack []HeldBackRun, err error) {
	p.Progress(Progress{At: p.Now(), Phase: "publish"})
	ctx, span := phase(ctx, "publish", attribute.Int("fleetlake.runs", len(runs)))
	defer end(span, &err)
	if err := checkLockFile(p.Dir); err != nil {
		return nil, nil, err
	}
	err = p.healing(ctx, func() error {
		there, heldBack, err = p.publishOrHoldBack(ctx, p.Dir, runs, false)
		return err
	})
	return there, heldBack, err
}

// transform turns a segment into lake files.
func (p *Pipeline) transform(path string) (writtenRun, error) {
	batch, sum := transform.NewBatch(), newSummary()
	for x, err := range journal.Exchanges(path) {
		if err != nil {
			return writtenRun{}, err
		}
		if x.Kind == journal.KindPlan {
			if err := p.earlier(batch, *x.Plan); err != nil {
				return writtenRun{}, err
			}
		}
		batch.Add(x)
		sum.add(x)
	}
	r := sum.finish()
	r.Coverage, r.Partitions, r.Rows = batch.States(), batch.Planned(), map[string]int{}
	for _, t := range transform.Tables {
		r.Rows[t.Name] = batch.Rows(t)
	}
	for _, c := range batch.Issues() {
		r.Issues = append(r.Issues, IssueReport(c))
	}
	run, err := row(r)
	if err != nil {
		return writtenRun{}, err
	}
	m, err := load.Write(p.Dir, run, batch)
	m.Accepted = sum.accepted
	return writtenRun{path, r, m}, err
}

// earlier adds to a batch what the runs that this one resumes have covered.
func (p *Pipeline) earlier(batch *transform.Batch, planned journal.Plan) error {
	for _, run := range planned.Continues {
		for e, err := range journal.Read(journal.Path(p.journal(), planned.Date, run)) {
			if err != nil {
				return fmt.Errorf("read %s, which the run resumes: %w", run, err)
			}
			batch.AddEarlier(e)
		}
	}
	return nil
}

// row is the run as the warehouse stores it.
func row(r Report) (warehouse.Run, error) {
	text, err := json.Marshal(r)
	return warehouse.Run{ID: r.Run, Job: r.Job, Date: r.Date, Started: r.Started, Finished: r.Finished,
		State: r.State, Stop: string(r.Stop), Reason: r.Reason, Requests: r.Requests(),
		CreditsPlanned: r.Credits.Planned, CreditsSpent: r.Credits.Spent, CreditsUnknown: r.Credits.Unknown,
		BalanceBefore: r.Credits.Before, BalanceAfter: r.Credits.After,
		Continues: strings.Join(r.Continues, ","), Report: string(text)}, err
}
