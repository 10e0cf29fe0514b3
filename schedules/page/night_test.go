package page

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/warehouse"
)

// TestPlanOfANightIsThatOfAllItsRuns has nights of many runs: a run that was cut off shares its
// plan with the run that resumes it; every other run has a separate plan.
func TestPlanOfANightIsThatOfAllItsRuns(t *testing.T) {
	unbounded := run("20261120T040000", "nightly", "2026-11-20", "done", 1, "")
	unbounded.CreditsPlanned = 0
	first, second := run("20261120T020000", "nightly", "2026-11-20", "done", 40, ""), run("20261120T030000", "nightly", "2026-11-20", "done", 30, "")
	cut, part := run("20261120T020000", "nightly", "2026-11-20", "interrupted", 40, ""), run("20261120T020000", "nightly", "2026-11-20", "partial", 40, "")
	for what, test := range map[string]struct {
		runs           []warehouse.Run // the newest first
		planned, begun int
		answer, detail string
	}{
		"one":                     {[]warehouse.Run{first}, 50, 1, "40", "credits of at most 50 planned"},
		"a second one by hand":    {[]warehouse.Run{second, first}, 100, 2, "70", "credits of at most 100 planned"},
		"resumed":                 {[]warehouse.Run{second, cut}, 50, 1, "70", "credits of at most 50 planned"},
		"again after one in part": {[]warehouse.Run{second, part}, 100, 2, "70", "credits of at most 100 planned"},
		"one without a bound":     {[]warehouse.Run{unbounded, first}, 0, 2, "41", "credits of a cap of 120"},
	} {
		all, err := nights(test.runs, nil)
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %d nights, %v", what, len(all), err)
		}
		n := all[0]
		tile := costTile(n, 60)
		if n.Planned != test.planned || n.Begun != test.begun || tile.Answer != test.answer || tile.Detail != test.detail {
			t.Errorf("%s: %+v, %+v", what, n, tile)
		}
	}
}

// TestMeters draws the caps that are set, with the job's name where there are several jobs.
func TestMeters(t *testing.T) {
	night, day, month := pipeline.CapUse{Job: "nightly", Of: "2026-11-20", Spent: 450, Cap: 500, Left: 50}, pipeline.CapUse{Of: "2026-11-20", Spent: 1200, Cap: 1000}, pipeline.CapUse{Of: "2026-11", Spent: 20, Cap: 30_000, Left: 29_980}
	positions := pipeline.CapUse{Job: "positions", Of: "2026-11-20", Cap: 500, Left: 500}
	for want, caps := range map[string][]pipeline.CapUse{
		"": nil,
		"Night of 2026-11-20: 450 of 500, 50 left (warn); ":                                                                                    {night},
		"nightly, night of 2026-11-20: 450 of 500, 50 left (warn); positions, night of 2026-11-20: 0 of 500, 500 left (good); ":                {night, positions},
		"Night of 2026-11-20: 450 of 500, 50 left (warn); Today: 1,200 of 1,000, 0 left (bad); This month: 20 of 30,000, 29,980 left (good); ": {night, day, month},
	} {
		var got strings.Builder
		for _, m := range meters(pipeline.Spending{Caps: caps}) {
			fmt.Fprintf(&got, "%s: %s (%s); ", m.Name, m.Words, m.Level)
		}
		if got.String() != want {
			t.Errorf("the meters are\n%s\nwant\n%s", got.String(), want)
		}
	}
}

// TestWhatWasLeftOutIsNotComplete has partitions that were not requested for want of credits.
func TestWhatWasLeftOutIsNotComplete(t *testing.T) {
	all, err := nights([]warehouse.Run{run("20261120T020000", "nightly", "2026-11-20", "partial", 40, `{"coverage":{"complete":5,"skipped":9}}`)}, map[string]int{"20261120T020000": 7})
	if err != nil {
		t.Fatal(err)
	}
	n := all[0]
	if tile := completeTile(n); n.Asked() != 12 || tile.Answer != "41 %" || tile.Detail != "5 of 12 partitions, 2 not needed" || tile.Level != "warn" {
		t.Errorf("%+v", tile)
	}
	if v := verdictOf(n); !strings.Contains(strings.Join(v.Lines, "\n"), "7 of 12 partitions were not seen whole") {
		t.Errorf("%+v", v)
	}
	classes := ""
	for _, b := range stack(days(all)).Bars {
		classes += b.Class + ","
	}
	if classes != "complete,skipped,left out," {
		t.Errorf("the chart has %s", classes)
	}
}

func TestSlotsThatWereMadeUpFor(t *testing.T) {
	at := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	past := []SlotView{{Job: "nightly", Date: "2026-11-20", At: at, State: "failed"}, {Job: "nightly", Date: "2026-11-19", At: at.AddDate(0, 0, -1), State: "missed"}, {Job: "other", Date: "2026-11-20", At: at, State: "failed"}}
	madeUp(past, []Run{
		{Job: "nightly", Date: "2026-11-20", State: "done", Started: at.Add(9 * time.Hour)},
		{Job: "nightly", Date: "2026-11-20", State: "done", Started: at.Add(5 * time.Hour)},
		{Job: "nightly", Date: "2026-11-20", State: "partial", Started: at.Add(3 * time.Hour)},
		{Job: "nightly", Date: "2026-11-20", State: "done", Started: at.Add(-time.Hour)},
	})
	if past[0].MadeUpBy != "the run of Fri 20 Nov, 07:00 was done" || past[1].MadeUpBy != "" || past[2].MadeUpBy != "" {
		t.Errorf("%+v", past)
	}
}

// TestASearchWithoutVesselsIsListed has a worldwide search that found no vessel.
func TestASearchWithoutVesselsIsListed(t *testing.T) {
	w := layOut([]cell{{"aground", "", "2026-11-22", 0, true}, {"moored", "north-sea", "2026-11-22", 3, true}})
	if all := w.Worldwide(); len(all) != 1 || all[0].Value != "aground" || all[0].Gaps || len(w.Statuses) != 2 {
		t.Errorf("%+v", w.Statuses)
	}
	if all := layOut([]cell{{"moored", "north-sea", "2026-11-22", 3, true}}).Worldwide(); len(all) != 0 {
		t.Errorf("a search that was not made is listed: %+v", all)
	}
}
