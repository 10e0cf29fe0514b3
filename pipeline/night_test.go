package pipeline

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/transform"
	"github.com/google/go-cmp/cmp"
)

// TestReportCoverageAndTheNextPlanAgree plays random nights with stops, caps and answers that fail, and resumes each.
// After every run it compares what the report says is answered, carried over and left with the coverage that the
// answers prove, and with what the next plan asks.
//
// It plays 40 nights, and 400 with FLEETLAKE_LONG; FLEETLAKE_NIGHTS sets how many.
func TestReportCoverageAndTheNextPlanAgree(t *testing.T) {
	t.Parallel()
	nights := number("FLEETLAKE_NIGHTS", long(40, 400))
	const groups = 4
	var stopped, carried, done atomic.Int64
	t.Run("nights", func(t *testing.T) {
		for g := range groups {
			t.Run(fmt.Sprint(g), func(t *testing.T) {
				t.Parallel()
				for seed := g; seed < nights; seed += groups {
					synctest.Test(t, func(t *testing.T) {
						s := randomFixture(t, uint64(seed)+1000)
						for _, end := range s.stoppedNight() {
							stopped.Add(int64(countIf(end.State == report.StateInterrupted)))
							done.Add(int64(countIf(end.State == report.StateDone)))
							for _, w := range end.Work {
								carried.Add(int64(w.Carried))
							}
						}
					})
					if t.Failed() {
						t.Fatalf("seed %d", seed)
					}
				}
			})
		}
	})
	t.Logf("%d runs stopped, %d done, %d answers carried over", stopped.Load(), done.Load(), carried.Load())
	if min(stopped.Load(), done.Load(), carried.Load()) < 5 {
		t.Error("the nights are too alike to test anything")
	}
}

func countIf(is bool) int {
	if is {
		return 1
	}
	return 0
}

// stoppedNight runs a night until it is done, or a few times, and returns how its runs ended.
func (s *fixture) stoppedNight() (ends []journal.End) {
	s.t.Helper()
	date := time.Now().UTC().Format(time.DateOnly)
	must(s.t, s.sim.SetFaults(s.someFaults()))
	if s.random.IntN(3) == 0 {
		s.job.Budget = 100 + s.random.IntN(900)
	}
	for range 4 {
		ctx, cancel := context.WithCancel(context.Background())
		if s.random.IntN(4) > 0 {
			time.AfterFunc(time.Duration(s.random.Int64N(int64(100*time.Millisecond)<<s.random.IntN(6))), cancel)
		}
		planned, _, ended := s.runUntil(ctx, date, 0)
		cancel()
		time.Sleep(time.Second) // run ids begin with the start of the run
		if !ended {
			s.t.Fatal("the run has no end")
		}
		end := s.lastEnd(date)
		ends = append(ends, end)
		s.compareWithCoverage(planned, end)
		if end.State == report.StateDone {
			return ends
		}
		s.compareWithPlan(date, end)
		s.load()
	}
	return ends
}

// searched is how many searches have their answers, and how many have not.
type searched struct{ Complete, Suspect, Left int }

// searchedOf returns the searches of one kind as the end of a run counts them.
func searchedOf(end journal.End, what string) (n searched) {
	for _, w := range end.Work {
		if w.What != what {
			continue
		}
		n.Complete = w.Carried + w.Answered
		for _, l := range w.Left {
			if l.State == report.Suspect {
				n.Suspect += l.Count
			} else {
				n.Left += l.Count
			}
		}
	}
	return n
}

// compareWithCoverage compares the end of a run with the states of the partitions that transform finds in its answers
// and those of the runs before.
func (s *fixture) compareWithCoverage(planned journal.Plan, end journal.End) {
	s.t.Helper()
	for what, operation := range map[string]api.Operation{plan.PartitionsOfList: api.ByType, plan.StatusSearches: api.ByStatus} {
		batch, kind := transform.NewBatch(), covers(planned) // what is of another kind is a check
		if what == plan.StatusSearches {
			kind = api.KindStatus
		}
		of := func(e *journal.Entry) bool {
			if e.Kind == journal.KindPlan {
				searches := *e.Plan
				searches.Partitions = slices.DeleteFunc(slices.Clone(searches.Partitions), func(p journal.Partition) bool { return p.Kind != kind })
				e.Plan = &searches
				return true
			}
			p, _, _ := api.PartitionOf(e.Operation, e.Parameters)
			return e.Operation == operation.Name && p.Kind == kind
		}
		for _, run := range planned.Continues {
			for e, err := range journal.Read(journal.Path(s.p.segments(), planned.Date, run)) {
				if must(s.t, err); of(&e) {
					batch.AddEarlier(e)
				}
			}
		}
		for x, err := range journal.Exchanges(journal.Path(s.p.segments(), planned.Date, planned.Run)) {
			if must(s.t, err); of(&x.Entry) {
				batch.Add(x)
			}
		}
		states := batch.States()
		proved := searched{states["complete"], states["suspect"], states["partial"] + states["failed"] + states["skipped"]}
		if said := searchedOf(end, what); said != proved {
			s.t.Errorf("%s %s: the run says %+v, and coverage has %+v: %+v", planned.Run, what, said, proved, end.Work)
		}
	}
}

// compareWithPlan compares the end of a run with a plan of the rest of its night without caps.
func (s *fixture) compareWithPlan(date string, end journal.End) {
	s.t.Helper()
	before, err := readNight(s.p.segments(), s.job.Name, date, nil)
	must(s.t, err)
	f := plan.Inputs{Now: time.Now(), Since: before.since(), Tonight: before.answered, Covers: before.covers, LookedUp: before.lookups}
	for _, total := range s.totals {
		f.Totals = append(f.Totals, total)
	}
	job := s.job
	job.Budget = 0
	next := plan.Decide(job, f, s.p.Service.PerMinute)
	list, sweeps := 0, 0
	for _, p := range next.Cover {
		list += countIf(p.Unpaid > 0)
	}
	for _, w := range next.Sweeps {
		sweeps += countIf(w.Unpaid > 0)
	}
	if diff := cmp.Diff([]int{searchedOf(end, plan.PartitionsOfList).Left, searchedOf(end, plan.StatusSearches).Left}, []int{list, sweeps}); diff != "" {
		s.t.Errorf("%s: partitions and status searches that are left, and that the next plan asks (-left +asked):\n%s%+v", filepath.Base(date), diff, end.Work)
	}
}
