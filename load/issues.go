package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse"
)

// ErrIssues says that a run has so many more issues than those before it that a rule of ours or
// the service is at fault. The run is not published, and nothing of it is lost.
var ErrIssues = errors.New("suddenly so many values are refused that the run is held back, until the rule is fixed or you accept them (`fleetlake run JOB --accept-issues`); the paid answers are in the journal, and each start tries again")

// IssuesError names the run that ErrIssues is about.
type IssuesError struct {
	Run    string
	Reason string // what was refused, how often, and how often at most that was expected
}

// Error names the run and what was refused, and says what to do.
func (e *IssuesError) Error() string {
	return fmt.Sprintf("run %s: %s: %v", e.Run, e.Reason, ErrIssues)
}

// Unwrap returns ErrIssues.
func (e *IssuesError) Unwrap() error { return ErrIssues }

// Issues of a kind stop a publish if their share of a dataset's rows exceeds that of each of the
// issueRuns runs before by at least issueJump, or is at least twice issueJump if no earlier run has
// enough rows. A share of fewer than issueRows rows does not count.
const (
	issueRuns = 7
	issueRows = 500
	issueJump = 0.25
)

// neverHold are reasons that hold no run back. They are of single optional values that services fill in carelessly,
// and a data directory in which most rows always had them must not be held back when it is rebuilt.
var neverHold = []string{string(transform.NotALocode), string(transform.NoValues), string(transform.Zero)}

// issueKind is the field that an issue is about, and its reason.
type issueKind struct{ dataset, field, reason string }

func (k issueKind) String() string {
	if k.field == "" {
		return fmt.Sprintf("%s: %s", k.dataset, k.reason)
	}
	return fmt.Sprintf("%s.%s: %s", k.dataset, k.field, k.reason)
}

// tally counts the rows of one run by dataset, and its issues by kind.
type tally struct {
	rows   map[string]int64
	issues map[issueKind]int64
}

// share returns the share of a dataset's rows with an issue of a kind.
func (t tally) share(k issueKind) float64 {
	if t.rows[k.dataset] == 0 {
		return 0
	}
	return float64(t.issues[k]) / float64(t.rows[k.dataset])
}

// issues compares the issues of a run with those of its job's earlier runs. It returns an
// IssuesError if there are too many.
func (p *publication) issues(ctx context.Context, w *warehouse.Warehouse, m Manifest) error {
	before, err := w.RunsBefore(ctx, m.Run.ID, issueRuns)
	if err != nil {
		return err
	}
	counts, err := w.IssueCounts(ctx, append(before, m.Run.ID))
	if err != nil {
		return err
	}
	tonight := tallyOf(m, counts)
	var earlier []tally
	for _, run := range before {
		known, err := p.manifest(run)
		if err != nil {
			return err
		}
		earlier = append(earlier, tallyOf(known, counts))
	}
	var kinds []issueKind
	for kind := range tonight.issues {
		if !slices.Contains(neverHold, kind.reason) && tonight.rows[kind.dataset] >= issueRows && tonight.share(kind) >= greatestShare(earlier, kind)+issueJump {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	slices.SortFunc(kinds, func(a, b issueKind) int {
		return cmp.Or(-cmp.Compare(tonight.share(a), tonight.share(b)), cmp.Compare(a.String(), b.String()))
	})
	worst := kinds[0]
	return &IssuesError{m.Run.ID, fmt.Sprintf("%s in %d of %d rows (%.0f %%), at most %.0f %% was to be expected after the %d runs before (and %d more kinds of issues)", worst,
		tonight.issues[worst], tonight.rows[worst.dataset], 100*tonight.share(worst), 100*greatestShare(earlier, worst), len(earlier), len(kinds)-1)}
}

// greatestShare returns the greatest share among the runs with enough rows; issueJump if there is
// none.
func greatestShare(earlier []tally, k issueKind) float64 {
	greatest, known := 0.0, false
	for _, t := range earlier {
		if t.rows[k.dataset] >= issueRows {
			greatest, known = max(greatest, t.share(k)), true
		}
	}
	if !known {
		return issueJump
	}
	return greatest
}

// tallyOf counts the rows and issues of a run. A record that was refused as a whole has no row in
// the lake, but counts as one.
func tallyOf(m Manifest, counts []warehouse.IssueCount) tally {
	t := tally{rows: map[string]int64{}, issues: map[issueKind]int64{}}
	for dataset, table := range transform.LakeTables {
		f, _ := m.file(table)
		t.rows[dataset] = f.Rows
	}
	for _, c := range counts {
		if c.Run != m.Run.ID {
			continue
		}
		t.issues[issueKind{c.Dataset, c.Field, c.Reason}] += c.Count
		if c.Field == "" {
			t.rows[c.Dataset] += c.Count
		}
	}
	return t
}

// manifest returns the manifest of a run of this publication, or of a published run.
func (p *publication) manifest(run string) (Manifest, error) {
	for _, m := range p.written {
		if m.Run.ID == run {
			return m, nil
		}
	}
	return readManifest(filepath.Join(manifests(p.dir), run+".json"))
}
