package simulation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

// process runs a job as a process does. In a night that is published later it does all but publish: it
// ends what was killed, plans on what is published, collects, writes the lake files and makes the report. A
// run that does not end by itself is stopped after a day.
func (w *world) process(ctx context.Context, job plan.Job) (report.Report, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 24*time.Hour, errors.New("the run did not end by itself"))
	defer cancel()
	if !w.later {
		return w.p.Run(ctx, job, "")
	}
	c, err := w.collect(ctx, job, w.today())
	if err != nil || w.service.isDead() {
		return report.Report{}, err
	}
	if c.Segment == "" {
		return report.Report{Run: c.Last}, nil
	}
	written, err := w.deriver().Write(c.Segment)
	w.must(err)
	w.checkReport(written.Report)
	return written.Report, nil
}

// checkReport compares the report of a run with its segment: what it spent, and how many searches it covers.
func (w *world) checkReport(r report.Report) {
	segments := w.publishedSegments()
	s := segments[r.Run]
	if s == nil {
		w.fail("history", "%s has a report and no segment", r.Run)
		return
	}
	if spent := s.spent(time.Time{}); r.Credits.Spent != spent.credits || r.Credits.Unknown != spent.unknown {
		w.fail("money", "%s: the journal counts %+v credits, its report %d, of which %d are unknown", r.Run, spent, r.Credits.Spent, r.Credits.Unknown)
	}
	if complete := coverageOf(s, segments).completed(); r.Coverage["complete"] != len(complete) {
		w.fail("coverage", "%s: the answers to %d searches are complete, by its report %d: %v", r.Run, len(complete), r.Coverage["complete"], complete)
	}
}

// move continues with a new machine that has the journal of the last nights, and nothing else. What was
// published, and the older answers, are lost: the service bills no less, and the program knows no more of it.
func (w *world) move(nights int) {
	w.closeFile()
	var dates []string
	for _, path := range w.segments() {
		dates = append(dates, filepath.Base(filepath.Dir(path)))
	}
	slices.Sort(dates)
	dates = slices.Compact(dates)
	dates = dates[max(0, len(dates)-nights):]
	w.moves++
	to, journal := fmt.Sprint(w.root, "/moved-", w.moves), newReading()
	for _, path := range w.segments() {
		if !slices.Contains(dates, filepath.Base(filepath.Dir(path))) {
			continue
		}
		w.must(place(path, to))
		if s := w.journal[filepath.Base(path)]; s != nil {
			journal[filepath.Base(path)] = s
		}
	}
	w.must(os.RemoveAll(w.p.Dir))
	w.p.Dir, w.journal = to, journal
	clear(w.out)
	w.money.forget()
}
