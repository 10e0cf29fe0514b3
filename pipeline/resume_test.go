package pipeline

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// summaryOf returns the report of a segment.
func summaryOf(t *testing.T, path string) report.Report {
	t.Helper()
	sum := report.NewSummary()
	for x, err := range journal.Exchanges(path) {
		must(t, err)
		sum.Add(x)
	}
	return sum.Report()
}

func TestNoRunResumesOneThatWasRolledBack(t *testing.T) {
	p := copyOfTwoNights(t)
	for range 3 { // all runs of the last night
		_, err := derive.Rollback(t.Context(), p.deriver())
		must(t, err)
	}
	n, err := p.runsOfNight(publishedRuns(t, p), "nightly", "2026-11-21")
	must(t, err)
	if len(n.runs) > 0 || len(n.answered) > 0 || n.done != "" {
		t.Errorf("resumes %v with %d answers; done by %q", n.runs, len(n.answered), n.done)
	}
	sum := 0
	paths, err := journal.Segments(p.segments())
	must(t, err)
	for _, path := range paths[1:] {
		sum += summaryOf(t, path).Credits.Spent
	}
	account, err := p.account(true)
	must(t, err)
	tonight := weekStart.AddDate(0, 0, 1)
	want := credits.Spent{Night: sum, Day: sum, Month: sum + summaryOf(t, paths[0]).Credits.Spent}
	if got := account.Spent("nightly", "2026-11-21", false, tonight); got != want || sum == 0 {
		t.Errorf("the runs that were rolled back count as %+v, want %+v", got, want)
	}
	if got := account.Spent("nightly", "2026-11-22", false, tonight.AddDate(0, 0, 1)); got.Night+got.Day != 0 {
		t.Errorf("%+v counts towards the caps of the day after, want nothing", got)
	}
	if account.Renewable("nightly", "2026-11-21", n.newest()) {
		t.Error("the cap of a night that was rolled back may begin anew")
	}
}

// TestANightThatLostAnAnswerIsNotDone resumes nights whose segments were salvaged: one lost its plan,
// and the other an answer.
func TestANightThatLostAnAnswerIsNotDone(t *testing.T) {
	p := copyOfTwoNights(t)
	paths, err := journal.Segments(p.segments())
	must(t, err)
	lacking := map[string]float64{paths[0]: 0.001, paths[3]: 0.5}
	for path, at := range lacking {
		date := filepath.Base(filepath.Dir(path))
		if n, err := readNight(p.segments(), "nightly", date, nil); err != nil || n.done == "" {
			t.Errorf("before the damage the night of %s is not done: %v", date, err)
		}
		b, err := os.ReadFile(path)
		must(t, err)
		clear(b[int(at*float64(len(b)-1)):][:64]) // one bit may be one of a frame's head that means nothing
		must(t, os.WriteFile(path, b, 0o644))
	}
	must(t, os.RemoveAll(filepath.Join(p.Dir, "lake", "_manifests"))) // which would name the lost plan's job
	_, err = derive.Salvage(t.Context(), p.deriver(), "test")
	must(t, err)
	for path := range lacking {
		date := filepath.Base(filepath.Dir(path))
		if n, err := readNight(p.segments(), "nightly", date, nil); err != nil || n.done != "" {
			t.Errorf("the night of %s is done by %s: %v", date, n.done, err)
		}
	}
}

// TestANightThatIsHeldBackIsPaidFor: its credits count towards the caps, and nothing of it is
// requested again but by a later slot of the night, when it is due again.
func TestANightThatIsHeldBackIsPaidFor(t *testing.T) {
	p := copyOfTwoNights(t)
	run, date, at := "20261210T020000.000Z-0000", "2026-12-10", weekStart.AddDate(0, 0, 20)
	s, err := journal.Create(p.segments(), journal.Entry{Kind: journal.KindPlan, At: at, Plan: &journal.Plan{Run: run, Job: "nightly", Date: date}})
	must(t, err)
	asked := [][2]string{{"port-calls", "imo_or_mmsi=9218301"}, {api.BulkLocation, "imo_or_mmsi=9218302%2C9218303"}}
	for len(asked) < 6 {
		asked = append(asked, [2]string{"particulars", "imo=9218301"})
	}
	for _, a := range asked {
		intent, err := s.Append(journal.Entry{Kind: journal.KindIntent, At: at, Operation: a[0], Parameters: a[1], Credits: 10})
		must(t, err)
		_, err = s.Append(journal.Entry{Kind: journal.KindAnswer, At: at, Intent: intent.N, Operation: intent.Operation, Parameters: intent.Parameters, Credits: 10, Outcome: "ok", Sent: at})
		must(t, err)
	}
	_, err = s.Append(journal.Entry{Kind: journal.KindEnd, At: at, End: &journal.End{State: report.StateDone}})
	must(t, err)
	must(t, s.Close())
	must(t, derive.UpdateHeldBack(p.Dir, []derive.HeldBackRun{{Run: run, Job: "nightly", Date: date, State: report.StateDone}}, nil))
	if err := p.heldBackNight("nightly", date); !errors.Is(err, load.ErrIssues) {
		t.Errorf("a night that is paid for would be paid for again: %v", err)
	}
	account, err := p.account(true)
	must(t, err)
	if got, want := account.Spent("nightly", date, false, at), (credits.Spent{Night: 60, Day: 60, Month: 60}); got != want {
		t.Errorf("%+v counts towards the caps, want %+v", got, want)
	}
	p.NewRound = true
	if err := p.heldBackNight("nightly", date); err != nil {
		t.Errorf("a later slot of the night does not run: %v", err)
	}
	monthly := plan.Job{Lookup: plan.Lookup{Want: []string{"particulars"}, MaxAge: 30 * 24 * time.Hour}}
	for name, c := range map[string]struct {
		job   plan.Lookup
		after time.Duration
		want  bool // that her number is left out
	}{
		"a day later":                         {monthly.Lookup, 24 * time.Hour, true},
		"when her particulars are due again":  {monthly.Lookup, 30 * 24 * time.Hour, false},
		"watched, the hour after":             {plan.Lookup{Want: monthly.Lookup.Want, MaxAge: monthly.Lookup.MaxAge, Watch: []string{"9218301"}}, time.Hour, true},
		"watched, by her MMSI, the day after": {plan.Lookup{Want: monthly.Lookup.Want, MaxAge: monthly.Lookup.MaxAge, Watch: []string{"235762000"}}, 24 * time.Hour, false},
	} {
		f := plan.Inputs{Now: at.Add(c.after), Targets: []inputs.Target{{IMO: 9218301, MMSI: "235762000"}, {IMO: 9218302}}}
		if err := p.addHeldBack(&f, plan.Job{Lookup: c.job}); err != nil || f.Refused["9218301"] != c.want {
			t.Errorf("%s: left out %v, %v", name, f.Refused, err)
		}
		if known := f.Targets[0]; !known.ParticularsAt.Equal(at) || !known.PositionAt.IsZero() || !f.Targets[1].ParticularsAt.IsZero() {
			t.Errorf("%s: known of her %+v", name, known)
		}
		if !f.Targets[1].PositionAt.Equal(at) {
			t.Errorf("%s: the position that a bulk search bought is bought again: %+v", name, f.Targets[1])
		}
		for _, question := range []string{"port-calls imo_or_mmsi=9218301", api.Key(api.BulkLocation, "9218303")} {
			if !f.Asked[question].Equal(at) {
				t.Errorf("%s: %q is asked again: %v", name, question, f.Asked)
			}
		}
	}
}

// TestANewRoundResumesNoRunThatIsHeldBack has a night that ended at its cap and is held back. Its next round would be
// held back with it; who repeats the command resumes it.
func TestANewRoundResumesNoRunThatIsHeldBack(t *testing.T) {
	p := copyOfTwoNights(t)
	run, date, at := "20261210T020000.000Z-0000", "2026-12-10", weekStart.AddDate(0, 0, 20)
	planned := &journal.Plan{Run: run, Job: "nightly", Date: date}
	s, err := journal.Create(p.segments(), journal.Entry{Kind: journal.KindPlan, At: at, Plan: planned})
	must(t, err)
	end := journal.End{State: report.StatePartial, Stop: string(report.StopBudget)}
	_, err = s.Append(journal.Entry{Kind: journal.KindEnd, At: at, End: &end})
	must(t, err)
	must(t, s.Close())
	for name, c := range map[string]struct {
		heldBack, newRound bool
		want               []string
	}{
		"a new round, of one that is held back":     {true, true, nil},
		"a new round, of one that is not held back": {false, true, []string{run}},
		"a command that is repeated":                {true, false, []string{run}},
	} {
		heldBack := []derive.HeldBackRun{{Run: run, Job: "nightly", Date: date, State: report.StatePartial}}
		must(t, derive.UpdateHeldBack(p.Dir, heldBack, map[string]bool{run: !c.heldBack}))
		p.NewRound = c.newRound
		n, err := p.runsOfNight(publishedRuns(t, p), "nightly", date)
		if err != nil || !slices.Equal(n.runs, c.want) {
			t.Errorf("%s: resumes %v, %v; want %v", name, n.runs, err, c.want)
		}
	}
}

// publishedRuns returns the published runs of a pipeline's data directory.
func publishedRuns(t *testing.T, p *Pipeline) map[string]bool {
	t.Helper()
	runs, err := warehouse.PublishedRuns(t.Context(), p.Dir)
	must(t, err)
	return runs
}
