package pipeline

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

// heldBackNight returns a derive.HeldBackError if a job's night is done by a run that is held back: another
// run would pay for it a second time.
func (p *Pipeline) heldBackNight(job, date string) error {
	all, err := derive.ReadHeldBack(p.Dir)
	if err != nil {
		return err
	}
	for _, h := range all {
		if h.Job == job && h.Date == date && h.State == report.StateDone {
			return &derive.HeldBackError{Runs: []derive.HeldBackRun{h}}
		}
	}
	return nil
}

// numbersHeldBack returns the numbers that held back runs have looked up. The warehouse does not
// have these lookups yet, and a new run must not pay for them again.
func (p *Pipeline) numbersHeldBack() (map[string]bool, error) {
	numbers := map[string]bool{}
	heldBack, err := derive.ReadHeldBack(p.Dir)
	if err != nil {
		return nil, err
	}
	for _, h := range heldBack {
		for e, err := range journal.Read(journal.Path(p.segments(), h.Date, h.Run)) {
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
