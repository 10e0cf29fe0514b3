package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// HeldBackRun is a run that is paid for and not published, because suddenly many of its values are
// refused. Each start tries to publish it again; `run --accept-issues` publishes it as it is.
type HeldBackRun struct {
	Run    string `json:"run"`
	Job    string `json:"job"`
	Date   string `json:"date"`
	State  string `json:"state"`
	Reason string `json:"reason"`
}

// String names the run, why it is held back, and the command that publishes it. For a run that is
// done, that command pays for nothing.
func (h HeldBackRun) String() string {
	return fmt.Sprintf("run %s of %s for %s is paid for and held back: %s; `fleetlake run %s --accept-issues --date %s` publishes it as it is",
		h.Run, h.Job, h.Date, h.Reason, h.Job, h.Date)
}

// HeldBackError reports the runs that are held back. It wraps load.ErrIssues.
type HeldBackError struct{ Runs []HeldBackRun }

// Error names each run with its reason, and what to do.
func (e *HeldBackError) Error() string {
	var lines []string
	for _, h := range e.Runs {
		lines = append(lines, fmt.Sprintf("run %s of %s: %s", h.Run, h.Date, h.Reason))
	}
	return fmt.Sprintf("%s: %v", strings.Join(lines, "; "), load.ErrIssues)
}

// Unwrap returns load.ErrIssues.
func (e *HeldBackError) Unwrap() error { return load.ErrIssues }

func heldBackPath(dir string) string { return filepath.Join(dir, "held_back.json") }

// ReadHeldBack returns the runs of a data directory that are held back, the oldest first.
func ReadHeldBack(dir string) ([]HeldBackRun, error) {
	b, err := os.ReadFile(heldBackPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the list of held back runs: %w", err)
	}
	var heldBack []HeldBackRun
	if err := json.Unmarshal(b, &heldBack); err != nil {
		return nil, fmt.Errorf("read %s: %w; it can be deleted: the next run writes it again", heldBackPath(dir), err)
	}
	return heldBack, nil
}

// noteHeldBack adds runs to the list of those that are held back, and removes the published ones.
func (p *Pipeline) noteHeldBack(more []HeldBackRun, published map[string]bool) error {
	before, err := ReadHeldBack(p.Dir)
	if err != nil {
		return err
	}
	all := map[string]HeldBackRun{}
	for _, h := range append(before, more...) {
		if !published[h.Run] {
			all[h.Run] = h
		}
	}
	var heldBack []HeldBackRun
	for _, h := range all {
		heldBack = append(heldBack, h)
	}
	slices.SortFunc(heldBack, func(a, b HeldBackRun) int { return strings.Compare(a.Run, b.Run) })
	if len(heldBack) == 0 {
		if err := os.Remove(heldBackPath(p.Dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("note what is held back: %w", err)
		}
		return nil
	}
	b, err := json.MarshalIndent(heldBack, "", "  ")
	if err == nil {
		err = durable.WriteFile(heldBackPath(p.Dir), append(b, '\n'), 0o640)
	}
	if err != nil {
		return fmt.Errorf("note what is held back: %w", err)
	}
	return nil
}

func reportsOf(reports []Report) map[string]bool {
	runs := map[string]bool{}
	for _, r := range reports {
		runs[r.Run] = true
	}
	return runs
}

// withHeldBack adds to some segments those of held back runs that their runs resume: their coverage
// counts pages of these runs, and is true only together with the rows of those pages.
func (p *Pipeline) withHeldBack(paths []string) ([]string, error) {
	heldBack, err := ReadHeldBack(p.Dir)
	if err != nil || len(heldBack) == 0 {
		return paths, err
	}
	all := slices.Clone(paths)
	for _, path := range paths {
		planned, _, err := journal.Bounds(path)
		if err != nil || planned == nil {
			return nil, errors.Join(err, fmt.Errorf("%s has no plan", path))
		}
		for _, h := range heldBack {
			from := journal.Path(p.journal(), h.Date, h.Run)
			if slices.Contains(planned.Continues, h.Run) && !slices.Contains(all, from) {
				all = append(all, from)
			}
		}
	}
	return all, nil
}

// publishOrHoldBack publishes runs, except those with too many issues and those that resume them.
// With AcceptIssues it publishes all, and records in the journal which of them a person accepted; a
// trial records nothing.
func (p *Pipeline) publishOrHoldBack(ctx context.Context, dir string, runs []writtenRun, trial bool) (there []writtenRun, heldBack []HeldBackRun, err error) {
	there = slices.Clone(runs)
	for len(there) > 0 {
		var written []load.Manifest
		for _, b := range there {
			written = append(written, b.manifest)
		}
		err := load.Publish(ctx, dir, load.Options{Warn: func(words string) { p.Log.Warn(words) }}, written...)
		issues := (*load.IssuesError)(nil)
		if !errors.As(err, &issues) {
			return there, heldBack, err
		}
		i := slices.IndexFunc(there, func(b writtenRun) bool { return b.report.Run == issues.Run })
		if i < 0 {
			return nil, nil, err
		}
		if p.AcceptIssues {
			if !trial {
				if err := journal.Accept(there[i].path, p.Now().UTC()); err != nil {
					return nil, nil, err
				}
			}
			there[i].manifest.Accepted = true
			continue
		}
		out := there[i]
		there = slices.Delete(there, i, i+1)
		if there, heldBack, err = holdBack(dir, out, issues.Reason, there, heldBack); err != nil {
			return nil, nil, err
		}
	}
	return there, heldBack, nil
}

// holdBack moves a run, and those that resume it, from there to heldBack.
func holdBack(dir string, out writtenRun, reason string, there []writtenRun, heldBack []HeldBackRun) ([]writtenRun, []HeldBackRun, error) {
	r := out.report
	heldBack = append(heldBack, HeldBackRun{Run: r.Run, Job: r.Job, Date: r.Date, State: r.State, Reason: reason})
	if err := load.Drop(dir, out.manifest); err != nil {
		return nil, nil, err
	}
	for {
		i := slices.IndexFunc(there, func(b writtenRun) bool { return slices.Contains(b.report.Continues, r.Run) })
		if i < 0 {
			return there, heldBack, nil
		}
		next := there[i]
		there = slices.Delete(there, i, i+1)
		var err error
		if there, heldBack, err = holdBack(dir, next, "it resumes run "+r.Run+", which is held back", there, heldBack); err != nil {
			return nil, nil, err
		}
	}
}

// heldBackNight returns a HeldBackError if a job's night is done by a run that is held back: another
// run would pay for it a second time.
func (p *Pipeline) heldBackNight(job, date string) error {
	all, err := ReadHeldBack(p.Dir)
	if err != nil {
		return err
	}
	for _, h := range all {
		if h.Job == job && h.Date == date && h.State == StateDone {
			return &HeldBackError{[]HeldBackRun{h}}
		}
	}
	return nil
}

// numbersHeldBack returns the numbers that held back runs have looked up. The warehouse does not
// have these lookups yet, and a new run must not pay for them again.
func (p *Pipeline) numbersHeldBack() (map[string]bool, error) {
	numbers := map[string]bool{}
	heldBack, err := ReadHeldBack(p.Dir)
	if err != nil {
		return nil, err
	}
	for _, h := range heldBack {
		for e, err := range journal.Read(journal.Path(p.journal(), h.Date, h.Run)) {
			if errors.Is(err, fs.ErrNotExist) {
				break
			}
			if err != nil {
				return nil, err
			}
			if _, number, ok := strings.Cut(e.Parameters, "="); ok && e.OK() && e.Operation != api.ByType.Name && e.Operation != api.ByStatus.Name {
				numbers[number] = true
			}
		}
	}
	return numbers, nil
}
