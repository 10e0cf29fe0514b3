package pipeline

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
)

// TestAStartOpensThePublishedFileOnce removes the published file when recovery has opened it: what
// follows reads the same file, and would find none if it opened it again.
func TestAStartOpensThePublishedFileOnce(t *testing.T) {
	p := copyOfTwoNights(t)
	p.fill()
	known, _, err := derive.Open(t.Context(), p.deriver())
	must(t, err)
	must(t, os.Remove(warehouse.Path(p.Dir)))

	done := weekStart.AddDate(0, 0, 1).Format(time.DateOnly)
	before, err := p.runsOfNight(known.Runs, "nightly", done)
	must(t, err)
	if r, err := stored(t.Context(), known, Collected{Last: before.done, Note: "a note"}); err != nil || r.Run != before.done || r.Note != "a note" {
		t.Errorf("the stored report is of run %q, want %q: %v", r.Run, before.done, err)
	}
	job := plan.Job{Name: "nightly", Location: time.UTC, Lookup: plan.Lookup{Want: []string{"particulars"}}}
	now := weekStart.AddDate(0, 0, 2)
	balance := func(context.Context) (int, error) { return 5000, nil }
	f, err := p.inputs(t.Context(), known, job, resumeState{}, credits.Spent{Month: 7}, now, balance)
	must(t, err)
	if len(f.Totals) == 0 || len(f.Targets) == 0 || f.Spent.Month != 7 {
		t.Errorf("the plan knows %d totals, %d vessels and %d credits of the month, want those of the published file", len(f.Totals), len(f.Targets), f.Spent.Month)
	}
	must(t, known.Close())
}
