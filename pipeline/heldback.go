package pipeline

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// heldBackNight returns a derive.HeldBackError if a job's night is done by a run that is held back: another
// run of the same round would pay for it a second time.
func (p *Pipeline) heldBackNight(job, date string) error {
	if p.NewRound {
		return nil
	}
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

// heldBackLookups are the lookups of runs that are held back: when each number was answered last, by operation.
type heldBackLookups map[string]map[string]time.Time

// answersHeldBack reads the lookups of the runs that are held back, and notes their questions as asked. The warehouse
// does not have them yet, and a new run must not pay for them again before they are due again.
func (p *Pipeline) answersHeldBack(f *plan.Inputs) (heldBackLookups, error) {
	lookups := heldBackLookups{}
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
			if !e.OK() {
				continue
			}
			_, number, _ := strings.Cut(e.Parameters, "=")
			switch {
			case api.IsLookup(e.Operation):
				lookups.add(number, e.Operation, e.At)
			case api.Named(e.Operation).Raw:
				f.NoteAsked(e.Operation, e.Parameters, e.At)
			}
			if e.Operation == api.BulkLocation {
				for _, number := range plan.NumbersIn(e.Parameters) {
					lookups.add(number, plan.PositionAlone.Name, e.At)
				}
			}
		}
	}
	return lookups, nil
}

func (l heldBackLookups) add(number, operation string, at time.Time) {
	if l[number] == nil {
		l[number] = map[string]time.Time{}
	}
	if at.After(l[number][operation]) {
		l[number][operation] = at
	}
}

// addHeldBack counts the lookups of held back runs as what is known of their vessels: a position is due again hours
// later, and particulars with the next month. Until then their numbers are excluded, also from lookups of vessels
// that are listed as changed, or that no published list has.
func (p *Pipeline) addHeldBack(f *plan.Inputs, job plan.Job) error {
	lookups, err := p.answersHeldBack(f)
	if err != nil || len(lookups) == 0 {
		return err
	}
	if f.Refused == nil {
		f.Refused = map[string]bool{}
	}
	watched := map[string]bool{}
	for i := range f.Targets {
		t := &f.Targets[i]
		number := t.Number()
		for operation, at := range lookups[number] {
			seen(t, operation, at)
			watched[number] = t.MMSI != "" && slices.Contains(job.Lookup.Watch, t.MMSI)
		}
	}
	for number, answered := range lookups {
		age := job.Lookup.MaxAge
		if watched[number] || slices.Contains(job.Lookup.Watch, number) {
			age = job.Lookup.WatchAge()
		}
		for _, at := range answered {
			if f.Now.Sub(at) < age {
				f.Refused[number] = true
			}
		}
	}
	return nil
}

// seen notes that a lookup has answered with the datasets of a vessel.
func seen(t *inputs.Target, operation string, answered time.Time) {
	o, _ := api.OperationNamed(operation)
	for _, dataset := range o.Datasets() {
		at := t.Seen(dataset)
		*at = latest(*at, answered)
	}
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
