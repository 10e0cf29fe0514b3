package report

import (
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/google/go-cmp/cmp"
)

var start = time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)

// entries are the parts of segments. Each entry of a segment has the number of its place.
var (
	planned = journal.Entry{Kind: journal.KindPlan, At: start, Plan: &journal.Plan{Run: "r", Job: "nightly", Date: "2026-11-20", Credits: journal.Price{Most: 90}}}
	intent  = journal.Entry{Kind: journal.KindIntent, At: start.Add(time.Minute), Operation: "by-type", Credits: 10}
	done    = journal.Entry{Kind: journal.KindEnd, At: start.Add(time.Hour), End: &journal.End{State: StateDone}}
)

// answer answers the intent of a number.
func answer(n int, outcome string, charge journal.Charge) journal.Entry {
	return journal.Entry{Kind: journal.KindAnswer, At: start.Add(2 * time.Minute), Intent: n, Operation: "by-type", Credits: 10, Outcome: outcome, Charge: charge}
}

func balanced(body string) journal.Entry {
	e := journal.Entry{Kind: journal.KindBalance, At: start.Add(3 * time.Minute), Operation: "credits", Outcome: "ok", Status: 200}
	e.SetBody([]byte(body))
	return e
}

func reportOf(entries ...journal.Entry) Report {
	s := NewSummary()
	for x, err := range journal.Pair(func(yield func(journal.Entry, error) bool) {
		for n, e := range entries {
			if e.N = n; !yield(e, nil) {
				return
			}
		}
	}) {
		if err == nil {
			s.Add(x)
		}
	}
	s.Report() // a report can be asked for twice
	return s.Report()
}

func TestSummary(t *testing.T) {
	number := func(n int) *int { return &n }
	ended := func(change func(r *Report)) Report {
		r := Report{Run: "r", Job: "nightly", Date: "2026-11-20", Started: start, Finished: start.Add(time.Hour), State: StateDone, Credits: Credits{Planned: 90}}
		change(&r)
		return r
	}
	lane := func(requests, answers, limited int) []Lane {
		return []Lane{{Operation: "by-type", Requests: requests, Answers: answers, Limited: limited, Credits: 10 * requests}}
	}
	for name, c := range map[string]struct {
		entries []journal.Entry
		want    Report
	}{
		"no request": {[]journal.Entry{planned, done}, ended(func(*Report) {})},
		"an answer, an empty one and a 429": {
			[]journal.Entry{planned, intent, answer(1, "ok", journal.ChargePriced), intent, answer(3, "empty", journal.ChargePriced), intent, answer(5, "limited", journal.ChargePriced), done},
			ended(func(r *Report) { r.Lanes, r.Credits.Spent = lane(3, 2, 1), 30 })},
		"an answer that may not have been billed": {
			[]journal.Entry{planned, intent, answer(1, "unavailable", journal.ChargeUnknown), done},
			ended(func(r *Report) { r.Lanes, r.Credits.Spent, r.Credits.Unknown = lane(1, 0, 0), 10, 10 })},
		"a request without an answer counts as spent": {
			[]journal.Entry{planned, intent, done},
			ended(func(r *Report) { r.Lanes, r.Credits.Spent, r.Credits.Unknown = lane(1, 0, 0), 10, 10 })},
		"the plan was spent, which the stored report leaves to the journal": {
			[]journal.Entry{planned, {Kind: journal.KindEnd, At: done.At, End: &journal.End{State: StatePartial, Stop: "budget", Reason: "why", PlanSpent: true}}},
			ended(func(r *Report) { r.State, r.Stop, r.Reason, r.PlanSpent = StatePartial, StopBudget, "why", true })},
		"an acceptance after the end changes nothing": {
			[]journal.Entry{planned, done, {Kind: journal.KindAccept, At: start.Add(9 * time.Hour)}}, ended(func(*Report) {})},
		"a run that lost entries is not done": {
			[]journal.Entry{planned, {Kind: journal.KindAnswer, At: start, Operation: journal.OperationLost, Credits: 10, Charge: journal.ChargeUnknown, Lost: &journal.Lost{Entries: 3}}, done},
			ended(func(r *Report) {
				r.State, r.Lost = StatePartial, 3
				r.Reason = "a part of its journal was damaged and is lost; run the job again: it requests what is missing"
				r.Lanes, r.Credits.Spent, r.Credits.Unknown = []Lane{{Operation: journal.OperationLost, Requests: 1, Credits: 10}}, 10, 10
			})},
		"balances before the first request and after the last": {
			[]journal.Entry{planned, balanced(`{"detail": {"credits": 500}}`), intent, answer(2, "ok", journal.ChargePriced), balanced(`{"detail": {"credits": 490}}`), done},
			ended(func(r *Report) {
				r.Lanes = append(lane(1, 1, 0), Lane{Operation: "credits", Requests: 2, Answers: 2})
				r.Credits.Spent, r.Credits.Before, r.Credits.After = 10, number(500), number(490)
			})},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, reportOf(c.entries...)); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnanswered(t *testing.T) {
	answered := []Lane{{Operation: "by-type", Answers: 1}}
	balanceOnly := []Lane{{Operation: "credits", Answers: 2}}
	for name, c := range map[string]struct {
		r    Report
		want bool
	}{
		"nobody answered":                       {Report{State: StatePartial, Stop: StopService}, true},
		"nobody answered before the deadline":   {Report{State: StatePartial, Stop: StopDeadline}, true},
		"only the balance was answered":         {Report{State: StatePartial, Lanes: balanceOnly}, true},
		"one search was answered":               {Report{State: StatePartial, Stop: StopService, Lanes: answered}, false},
		"nothing was asked, for lack of credit": {Report{State: StatePartial, Stop: StopCredits}, false},
		"all was covered already":               {Report{State: StateDone}, false},
		"a person stopped it":                   {Report{State: StateInterrupted, Stop: StopSignal}, false},
	} {
		if got := c.r.Unanswered(); got != c.want {
			t.Errorf("%s: unanswered is %v", name, got)
		}
	}
}

func TestCovered(t *testing.T) {
	for want, r := range map[float64]Report{
		100: {},
		75:  {Partitions: 4, Coverage: map[string]int{"complete": 3, "partial": 1}},
		0:   {Partitions: 4, Coverage: map[string]int{"suspect": 4}},
	} {
		if got := r.Covered(); got != want {
			t.Errorf("%+v: %v %% are covered, want %v", r, got, want)
		}
	}
}
