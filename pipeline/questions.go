package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/warehouse"
)

// readQuestions reads what the questions of a job are about, and when each was last answered.
func readQuestions(ctx context.Context, f *plan.Inputs, w *warehouse.Warehouse, job plan.Job) error {
	f.Vessels, f.NoVessels, f.Asked = make([][]string, len(job.Asks)), make([]string, len(job.Asks)), map[string]time.Time{}
	var operations []string
	for i, ask := range job.Asks {
		if ask.Watch {
			f.Vessels[i] = job.Lookup.Watch
		}
		if w == nil {
			continue // nothing is published: no statement has an answer
		}
		operations = append(operations, ask.Operation.Name)
		if ask.Query == "" {
			continue
		}
		ids, err := w.VesselsOf(ctx, ask.Query)
		if err != nil { // the rest of the night is not to blame
			f.NoVessels[i] = fmt.Sprintf("its statement fails: %v", err)
		}
		for _, id := range ids {
			if number := plan.NumberOfVessel(id); number != "" {
				f.Vessels[i] = append(f.Vessels[i], number)
			}
		}
	}
	bulk := job.Lookup.Bulk
	if bulk != nil && w != nil {
		operations = append(operations, bulk.Name)
	}
	if len(operations) == 0 {
		return nil
	}
	asked, err := w.Asked(ctx, operations)
	if err != nil {
		return err
	}
	if bulk != nil {
		if f.Bulk, err = w.Bulk(ctx, bulk.Name, f.Now); err != nil {
			return err
		}
	}
	for _, a := range asked {
		f.NoteAsked(a.Operation, a.Parameters, a.At)
	}
	return nil
}

// lanesOfQuestions returns a lane for each operation that the plan asks questions by, and sets their credits aside.
func (h *harvest) lanesOfQuestions() (lanes []lane) {
	queues := map[string]*queue{}
	for _, q := range h.work.decided.Questions {
		o := q.Operation.Operation
		if queues[o.Name] == nil {
			queues[o.Name] = newQueue()
			queues[o.Name].answered = h.listing.answered
			lanes = append(lanes, lane{operation: o, queue: queues[o.Name],
				read: func(api.Request, extract.Answer) {}, ended: func() { h.spending.ended(o) }})
		}
		queues[o.Name].push(false, q.Requests...)
		h.spending.setAside(o, (len(q.Requests)-q.Carried)*o.Credits)
	}
	return lanes
}

// addQuestions adds the questions of a plan to the view of the night.
func (h *harvest) addQuestions(n *report.Night) {
	queued, seen := map[string]int{}, map[string]bool{}
	for _, l := range h.lanes {
		if l.operation.Raw {
			queued[l.operation.Name] = l.queue.left()
		}
	}
	for _, q := range h.work.decided.Questions {
		o := q.Operation.Operation
		n.Add(q.What(), q.Carried, report.CarriedOver)
		for _, l := range h.work.decided.LeftOut {
			if l.What == q.What() && !seen[o.Name] {
				n.Add(q.What(), l.Count, report.Fate{State: report.LeftOut, Cause: report.CauseCredits, Why: l.Why.Reason()})
			}
		}
		if !seen[o.Name] {
			n.Add(q.What(), h.requests.answered[o], report.Answered)
			n.Add(q.What(), h.requests.unread[o], tooLarge)
			n.Add(q.What(), h.requests.failed[o]-h.requests.unread[o], h.unanswered(o))
			n.Add(q.What(), queued[o.Name], h.whyEnded(o))
		}
		seen[o.Name] = true
	}
}

// recordRaw returns the operations of a plan's questions as the journal keeps them: what a later reader needs to make
// the same rows and views of the answers, whatever the configuration is by then.
func recordRaw(questions []plan.Questions) (all []journal.RawOperation) {
	seen := map[string]bool{}
	for _, q := range questions {
		if o := q.Operation; !seen[o.Name] {
			seen[o.Name] = true
			raw := journal.RawOperation{Name: o.Name, Vessel: o.VesselParameter(), Rows: o.Rows}
			for _, c := range o.Columns {
				raw.Columns = append(raw.Columns, journal.RawColumn(c))
			}
			all = append(all, raw)
		}
	}
	return all
}
