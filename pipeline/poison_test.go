package pipeline

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/ledger"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

// pageOf returns an answer with so many vessels, numbered from a start, that reports a total.
func pageOf(t *testing.T, total, from, rows int) extract.Answer {
	t.Helper()
	var items []string
	for i := range rows {
		items = append(items, fmt.Sprintf(`{"mmsi": "%d", "name": "V%d"}`, 200_000_000+from+i, i))
	}
	e := journal.Entry{Kind: journal.KindAnswer, Operation: "by-type", Status: 200, Outcome: extract.OutcomeOK}
	e.SetBody([]byte(fmt.Sprintf(`{"total": %d, "items": [%s]}`, total, strings.Join(items, ","))))
	return extract.Answer{Entry: e, Contents: api.Contents{Rows: rows, Total: total}}
}

// TestPagingBelievesNoImpossibleTotal plays services with impossible totals and pages: their
// partitions end, and no run pays for pages up to the cap.
func TestPagingBelievesNoImpossibleTotal(t *testing.T) {
	for name, c := range map[string]struct {
		expected int
		total    func(page int) int
		from     func(page int) int
		most     int // pages asked
	}{
		"more vessels than the world has":        {-1, func(int) int { return 2_000_000_000 }, func(p int) int { return 100 * p }, 1},
		"less than none":                         {-1, func(int) int { return -5 }, func(p int) int { return 100 * p }, 1},
		"far beyond what the partition last had": {50, func(int) int { return 1_000_000 }, func(p int) int { return 100 * p }, 1},
		"the same page again and again":          {-1, func(int) int { return 1_000_000 }, func(int) int { return 0 }, 16},
		"a total that grows with each page":      {-1, func(p int) int { return 100*p + 100 }, func(p int) int { return 100 * p }, 5},
	} {
		t.Run(name, func(t *testing.T) {
			l := newListing(plan.Plan{Cover: []plan.Partition{{Country: "Malta", Expected: c.expected}}}, true)
			s, _ := testSpending(l, credits.AtMost(1_000_000_000))
			asked := 0
			for {
				r, ok := l.queue.pop(t.Context())
				if !ok {
					break
				}
				asked++
				s.listed(l.answer(r, pageOf(t, c.total(asked), c.from(asked), 100)))
				if n := l.queue.left(); n > l.ahead {
					t.Fatalf("%d pages are queued", n)
				}
				l.queue.close()
				s.requestEnded()
			}
			if asked > c.most {
				t.Errorf("%d pages were asked for, want at most %d", asked, c.most)
			}
			if fate := fateOfFirst(s); fate.State != report.Suspect {
				t.Errorf("the partition is not suspect: %+v", fate)
			}
			if whole := (api.Operation{Name: "all", Credits: 1_000_000_000}); !s.pays(whole) {
				t.Error("credits are kept for what is not asked")
			}
		})
	}
}

// TestAPartitionWhosePagesContradictTheirTotalIsSuspect plays pages with more or fewer vessels than
// their totals imply. Every page is requested, and the partition does not count as covered.
func TestAPartitionWhosePagesContradictTheirTotalIsSuspect(t *testing.T) {
	for name, c := range map[string]struct {
		totals, rows []int // by page
		odd          int
	}{
		"half its vessels":             {[]int{120, 120}, []int{50, 10}, 1},
		"a last page that is short":    {[]int{120, 120}, []int{100, 19}, 1},
		"a last page that is too long": {[]int{120, 120}, []int{100, 21}, 1},
		"more than the total":          {[]int{1}, []int{100}, 1},
		"a total below zero":           {[]int{-2}, []int{100}, 1},
		"as many as it says":           {[]int{120, 120}, []int{100, 20}, 0},
		"a vessel left meanwhile":      {[]int{120, 119}, []int{100, 19}, 0},
		"no total":                     {[]int{-1, -1}, []int{100, 20}, 1},
		"none":                         {[]int{0}, []int{0}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			l := newListing(plan.Plan{Cover: []plan.Partition{{Country: "Malta", Expected: -1, Pages: 2}}}, true)
			s, _ := testSpending(l, credits.AtMost(1000))
			asked := 0
			for ; asked < len(c.totals); asked++ {
				r, ok := l.queue.pop(t.Context())
				if !ok {
					break
				}
				s.listed(l.answer(r, pageOf(t, c.totals[asked], 100*asked, c.rows[asked])))
				l.queue.close()
				s.requestEnded()
			}
			fate := fateOfFirst(s)
			if suspect := fate.State == report.Suspect; asked != len(c.totals) || suspect != (c.odd == 1) || l.cover[0].complete() == suspect {
				t.Errorf("%d pages were asked for, %+v", asked, fate)
			}
		})
	}
}

// TestNightKeepsNoRefusalOfASearch reads a night in which the service refused a search and a lookup:
// the search is sent again, and the lookup of the unknown vessel is not, nor one whose answer was too large.
func TestNightKeepsNoRefusalOfASearch(t *testing.T) {
	n := resumeState{answered: map[string]plan.PastAnswer{}}
	for _, outcome := range []string{extract.OutcomeNotFound, extract.OutcomeRejected, extract.OutcomeTooLarge} {
		n.learn(journal.Entry{Operation: "by-type", Parameters: "country=Malta&page=1", Outcome: outcome, Status: 404})
		n.learn(journal.Entry{Operation: "by-status", Parameters: "navigational_status=moored", Outcome: outcome, Status: 404})
		n.learn(journal.Entry{Operation: "particulars", Parameters: "imo_or_mmsi=" + outcome, Outcome: outcome, Status: 404})
	}
	n.learn(journal.Entry{Operation: "particulars", Parameters: "imo_or_mmsi=1", Outcome: extract.OutcomeUnreadable, Status: 200})
	if len(n.answered) != 3 || n.lookups != 3 {
		t.Errorf("the night keeps %v", n.answered)
	}
}

// TestCapIsOfTheNight adds up the credits of all runs of a night, however they ended, until a person
// begins the cap anew.
func TestCapIsOfTheNight(t *testing.T) {
	type run struct {
		state   string
		stop    report.Stop
		spent   int
		renewed bool
	}
	job := plan.Job{Name: "nightly", Budget: 100}
	for name, c := range map[string]struct {
		runs  []run
		spent int
		over  bool
	}{
		"killed twice":                      {[]run{{report.StateKilled, "", 30, false}, {"", "", 40, false}}, 70, false},
		"partial, and killed":               {[]run{{report.StatePartial, report.StopService, 30, false}, {report.StateKilled, "", 40, false}}, 70, false},
		"at its cap":                        {[]run{{report.StatePartial, report.StopBudget, 95, false}}, 95, true},
		"at its cap over two processes":     {[]run{{report.StateKilled, "", 50, false}, {report.StatePartial, report.StopBudget, 45, false}}, 95, true},
		"at its cap with enough for a page": {[]run{{report.StatePartial, report.StopBudget, 90, false}}, 90, false},
		"renewed, and interrupted":          {[]run{{report.StatePartial, report.StopBudget, 95, false}, {report.StateKilled, "", 20, true}}, 20, false},
		"done":                              {[]run{{report.StatePartial, report.StopService, 95, false}, {report.StateDone, "", 5, false}}, 100, true},
		"a new round after one that was done, interrupted": {[]run{{report.StateDone, "", 95, false}, {report.StateKilled, "", 5, true}}, 5, false},
	} {
		t.Run(name, func(t *testing.T) {
			at := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
			root := t.TempDir()
			for i, r := range c.runs {
				id := runID(at.Add(time.Duration(i) * time.Minute))
				s, err := journal.Create(root, journal.Entry{Kind: journal.KindPlan, At: at, Plan: &journal.Plan{Run: id, Job: "nightly", Date: "2026-11-20", Anew: r.renewed}})
				must(t, err)
				_, err = s.Append(journal.Entry{Kind: journal.KindIntent, At: at, Operation: "info", Credits: r.spent})
				must(t, err)
				if r.state != "" {
					_, err = s.Append(journal.Entry{Kind: journal.KindEnd, At: at, End: &journal.End{State: r.state, Stop: string(r.stop)}})
					must(t, err)
				}
				must(t, s.Close())
			}
			n, err := readNight(root, "nightly", "2026-11-20", nil)
			must(t, err)
			account, err := ledger.Read(root)
			must(t, err)
			spent := account.Spent("nightly", "2026-11-20", false, at)
			if spent.Night != c.spent {
				t.Errorf("the night has spent %d, want %d", spent.Night, c.spent)
			}
			if run, _ := (&Pipeline{}).ended(job, n, spent); (run != "") != c.over {
				t.Errorf("ended with run %q, want ended: %v", run, c.over)
			}
			if run, _ := (&Pipeline{Again: true}).ended(job, n, spent); run != "" {
				t.Error("--again sends nothing")
			}
		})
	}
}

// TestDoneNightIsNotBoughtAgain runs a night that is done: without a service, and with the
// report of the run that did it.
func TestDoneNightIsNotBoughtAgain(t *testing.T) {
	p := copyOfTwoNights(t) // it has no service
	r, err := p.Run(context.Background(), plan.Job{Name: "nightly", Location: time.UTC}, weekStart.AddDate(0, 0, 1).Format(time.DateOnly))
	must(t, err)
	if r.State != report.StateDone || r.Note == "" || r.Credits.Spent == 0 || r.Wall != 0 {
		t.Errorf("%+v", r)
	}
	before, err := journal.Segments(p.segments())
	must(t, err)
	if want := 4; len(before) != want {
		t.Errorf("the journal has %d runs, want the %d of the two nights", len(before), want)
	}
}
