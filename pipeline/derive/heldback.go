package derive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	return fmt.Sprintf("run %s of %s for %s is paid for and held back: %s; `fleetlake run %s --accept-issues --date "+
		"%s` publishes it as it is",
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

// ReadHeldBack returns the runs of a data directory that are held back, the oldest first; nil if there are none. A
// list that is damaged is an error, which says that it can be deleted.
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

// UpdateHeldBack adds runs to the list of those that are held back, in place of their earlier rows, and removes the
// runs whose ids are published. A list without runs has no file.
func UpdateHeldBack(dir string, more []HeldBackRun, published map[string]bool) error {
	before, err := ReadHeldBack(dir)
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
		for _, path := range []string{heldBackPath(dir), heldBackPath(dir) + durable.Part} { // a crash may have left the second
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("note what is held back: %w", err)
			}
		}
		return nil
	}
	b, err := json.MarshalIndent(heldBack, "", "  ")
	if err == nil {
		err = durable.WriteFile(heldBackPath(dir), append(b, '\n'), 0o640)
	}
	if err != nil {
		return fmt.Errorf("note what is held back: %w", err)
	}
	return nil
}

// withHeldBack adds to some segments those of held back runs that their runs resume: their coverage
// counts pages of these runs, and is true only together with the rows of those pages.
func (d Deriver) withHeldBack(paths []string) ([]string, error) {
	heldBack, err := ReadHeldBack(d.Dir)
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
			from := journal.Path(d.Journal, h.Date, h.Run)
			if slices.Contains(planned.Continues, h.Run) && !slices.Contains(all, from) {
				all = append(all, from)
			}
		}
	}
	return all, nil
}
