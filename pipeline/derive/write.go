package derive

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Written is a run whose lake files are written, and that can be published. Its report has the
// rows, the coverage and the issues of these files.
type Written struct {
	Report   report.Report
	path     string // of its segment
	manifest load.Manifest
}

// Write turns the segment at a path into lake files, and reports its run. It returns
// journal.ErrDamaged, with what to do about it, if the segment or one of a run that it resumes
// cannot be read, and the errors of load.Write. Each names the run.
func (d Deriver) Write(path string) (w Written, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("derive %s: %w", journal.RunOf(path), withAdvice(err))
		}
	}()
	d = d.withDefaults()
	batch, sum := transform.NewBatch(), report.NewSummary()
	var raw []warehouse.RawOperation
	for x, err := range ahead(journal.Exchanges(path)) {
		if err != nil {
			return Written{}, err
		}
		if x.Kind == journal.KindPlan {
			if err := d.addEarlier(batch, *x.Plan); err != nil {
				return Written{}, err
			}
			raw = rawOperations(x.Plan.Raw)
		}
		batch.Add(x)
		sum.Add(x)
	}
	r := sum.Report()
	r.Coverage, r.Partitions, r.Rows = batch.States(), batch.Planned(), map[string]int{}
	for _, t := range transform.Tables {
		r.Rows[t.Name] = batch.Rows(t)
	}
	for _, c := range batch.Issues() {
		r.Issues = append(r.Issues, report.Issue(c))
	}
	run, err := row(r)
	if err != nil {
		return Written{}, err
	}
	run.Raw = raw
	m, err := load.Write(d.Dir, run, batch)
	m.Accepted = sum.Accepted()
	return Written{Report: r, path: path, manifest: m}, err
}

// rawOperations are the definitions of a plan for the warehouse, which makes a view of each.
func rawOperations(all []journal.RawOperation) (defined []warehouse.RawOperation) {
	for _, o := range all {
		d := warehouse.RawOperation{Name: o.Name, Rows: o.Rows}
		for _, c := range o.Columns {
			d.Columns = append(d.Columns, warehouse.RawColumn(c))
		}
		defined = append(defined, d)
	}
	return defined
}

// addEarlier adds to a batch what the runs that this one resumes have covered.
func (d Deriver) addEarlier(batch *transform.Batch, planned journal.Plan) error {
	for _, run := range planned.Continues {
		for e, err := range journal.Read(journal.Path(d.Journal, planned.Date, run)) {
			if err != nil {
				return fmt.Errorf("read %s, which the run resumes: %w", run, err)
			}
			batch.AddEarlier(e)
		}
	}
	return nil
}

// row is the run as the warehouse stores it.
func row(r report.Report) (warehouse.Run, error) {
	text, err := json.Marshal(r)
	return warehouse.Run{ID: r.Run, Job: r.Job, Date: r.Date, Started: r.Started, Finished: r.Finished,
		State: r.State, Stop: string(r.Stop), Reason: r.Reason, Requests: r.Requests(),
		CreditsPlanned: r.Credits.Planned, CreditsSpent: r.Credits.Spent, CreditsUnknown: r.Credits.Unknown,
		BalanceBefore: r.Credits.Before, BalanceAfter: r.Credits.After,
		Continues: strings.Join(r.Continues, ","), Report: string(text)}, err
}
