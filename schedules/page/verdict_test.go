package page

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/google/go-cmp/cmp"
)

func TestVerdict(t *testing.T) {
	finished := morning.Add(-5 * time.Hour)
	good := Night{Job: "nightly", Date: "2026-11-22", Runs: []string{"r"}, Started: finished.Add(-time.Hour), Finished: finished, State: "done", Coverage: map[string]int{"complete": 9, "skipped": 3}}
	with := func(change func(*Night)) Night {
		n := good
		change(&n)
		return n
	}
	failed := []SlotView{{Job: "nightly", Date: "2026-11-22", At: morning.Add(-time.Hour), State: "failed", Reason: "disk full."}}
	for what, test := range map[string]struct {
		night  Night
		slots  []SlotView
		now    time.Time
		level  string
		title  string
		inLine string
	}{
		"a good night":                        {good, slots(), morning, "good", "Ran, and is complete", ""},
		"a suspect partition":                 {with(func(n *Night) { n.Coverage = map[string]int{"complete": 8, "suspect": 1} }), nil, morning, "warn", "Ran, with doubts", "1 of 9 partitions"},
		"a partial partition":                 {with(func(n *Night) { n.Coverage = map[string]int{"complete": 8, "partial": 1} }), nil, morning, "warn", "Ran, not complete", "1 of 9"},
		"the deadline":                        {with(func(n *Night) { n.State, n.Stop = "partial", report.StopDeadline }), nil, morning, "warn", "Ran in part", "deadline"},
		"the balance is gone":                 {with(func(n *Night) { n.State, n.Stop = "partial", report.StopCredits }), nil, morning, "bad", "Ran in part", "Buy credits"},
		"an operation is blocked":             {with(func(n *Night) { n.State, n.Stop = "partial", report.StopBlocked }), nil, morning, "bad", "Ran in part", "may not use one of the operations, whatever the balance is. Ask the operator"},
		"stopped by request":                  {with(func(n *Night) { n.State, n.Stop = "interrupted", report.StopSignal }), nil, morning, "warn", "Was interrupted", "by request"},
		"killed":                              {with(func(n *Night) { n.State = "killed" }), nil, morning, "bad", "Was killed", "The process died"},
		"a state that is not known":           {with(func(n *Night) { n.State = "odd" }), nil, morning, "bad", "Failed", ""},
		"a good night that is too old":        {good, nil, morning.Add(50 * time.Hour), "bad", "Nothing published for 2 days", "2026-11-22, ran, and is complete"},
		"26 hours are just in time":           {good, nil, finished.Add(stale), "good", "Ran, and is complete", ""},
		"a slot that failed since":            {good, failed, morning, "warn", "A later run did not succeed", "failed: disk full."},
		"a slot that failed after half a one": {with(func(n *Night) { n.State, n.Stop = "partial", report.StopCredits }), failed, morning, "bad", "A later run did not succeed", "The last night that was published, 2026-11-22, ran in part."},
		"a slot that failed before is no new": {good, []SlotView{{State: "missed", At: finished.Add(-2 * time.Hour)}}, morning, "good", "Ran, and is complete", ""},
	} {
		got := verdictNow(test.night, test.now, test.slots)
		if got.Level != test.level || got.Title != test.title || !strings.Contains(strings.Join(got.Lines, "\n"), test.inLine) {
			t.Errorf("%s: %+v", what, got)
		}
	}
}

// run is a row of runs with its report.
func run(id, job, date, state string, spent int, report string) warehouse.Run {
	at, _ := time.Parse("20060102T150405", id[:15])
	return warehouse.Run{ID: id, Job: job, Date: date, Started: at, Finished: at.Add(time.Minute), State: state, CreditsSpent: spent, CreditsPlanned: 50, Requests: 3, Report: report}
}

func TestNightOfManyRunsIsOne(t *testing.T) {
	left := map[string]int{"20261121T030000": 1, "20261121T020000": 3}
	all, err := nights([]warehouse.Run{
		run("20261121T030000", "nightly", "2026-11-21", "done", 7, `{"rows":{"listings":5},"coverage":{"complete":4,"skipped":3},"work":[{"what":"lookups","asked":5,"carried":1,"answered":3}],"lanes":[{"operation":"info","requests":2,"credits":7}],"issues":[{"dataset":"d","field":"f","reason":"r","count":1}]}`),
		run("20261121T020000", "nightly", "2026-11-21", "killed", 3, `{"rows":{"listings":1},"coverage":{"partial":4},"work":[{"what":"lookups","asked":4,"answered":1}],"lanes":[{"operation":"info","requests":1,"credits":3}],"issues":[{"dataset":"d","field":"f","reason":"r","count":2}]}`),
		run("20261120T050000", "lookups", "2026-11-21", "partial", 1, ""),
		run("20261119T020000", "nightly", "2026-11-19", "done", 9, ""),
	}, left)
	if err != nil || len(all) != 3 {
		t.Fatalf("%d nights, %v", len(all), err)
	}
	got := all[0]
	want := Night{Job: "nightly", Date: "2026-11-21", Runs: []string{"20261121T020000", "20261121T030000"}, Started: got.Started, Finished: got.Finished, Worked: 2 * time.Minute,
		State: "done", Requests: 6, Spent: 10, Planned: 50, Begun: 1, Coverage: map[string]int{"complete": 4, "skipped": 2, leftOut: 1}, Rows: map[string]int{"listings": 6},
		Lanes: map[string]report.Lane{"info": {Operation: "info", Requests: 3, Credits: 10}}, Issues: map[Kind]int{{"d", "f", "r"}: 3}, Work: []report.Work{{What: "lookups", Asked: 5, Carried: 1, Answered: 3}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	line := days(all)
	if len(line) != 3 || line[1].Nights != 0 || line[2].State != "partial" || line[2].Spent != 11 || line[2].Nights != 2 || line[2].Planned != 100 {
		t.Errorf("days: %+v", line)
	}
	if longer := upToYesterday(line, morning.AddDate(0, 0, 4), []SlotView{{Date: "2026-11-23", State: "missed"}, {Date: "2026-11-21", State: "failed"}, {Date: "2026-11-25", State: "next"}}); len(longer) != 7 || longer[6].Date != "2026-11-25" || longer[6].Nights != 0 || longer[6].State != "" || longer[4].State != "missed" || longer[2].State != "partial" {
		t.Errorf("an outage is missing: %+v", longer)
	}
	if far := upToYesterday(line, morning.AddDate(1, 0, 0), nil); len(far) != maxNights || far[0].Nights == 0 {
		t.Errorf("after a year: %d days, the first %+v", len(far), far[0])
	}
	if _, err := nights([]warehouse.Run{run("20261121T030000", "n", "2026-11-21", "done", 1, "{")}, nil); err == nil {
		t.Error("a damaged report is accepted")
	}
}

func TestChartsAreTrueToScale(t *testing.T) {
	line := []Day{{Date: "2026-11-20", Nights: 1, State: "done", Spent: 50}, {Date: "2026-11-21"}, {Date: "2026-11-22", Nights: 1, State: "partial", Spent: 100}}
	c := bars("x", "X", line, 80, func(d Day) int { return d.Spent }, wording.Count)
	if len(c.Bars) != 3 || c.Bars[0].Height != 50 || c.Bars[0].Y != 50 || c.Bars[2].Height != 100 || c.Bars[1].Class != "absent" || c.Bars[2].Class != "partial" || math.Abs(c.Line-20) > 1e-9 {
		t.Errorf("%+v", c)
	}
	if c.Value != "100" || c.Top != "100" || !strings.Contains(c.Description, "No run on 21 Nov.") {
		t.Errorf("words: %q %q %q", c.Value, c.Top, c.Description)
	}
	s := stack([]Day{{Date: "2026-11-20", Nights: 1, Coverage: map[string]int{"complete": 6, "skipped": 2, "failed": 2}}})
	sum := 0.0
	for _, b := range s.Bars {
		sum += b.Height
	}
	if len(s.Bars) != 3 || s.Bars[0].Height != 60 || s.Bars[0].Class != "complete" || sum != 100 || s.Value != "6 of 8 complete" {
		t.Errorf("coverage: %+v", s)
	}
	for n, want := range map[int]int{0: 1, 1: 1, 5: 5, 7: 8, 11: 12, 100: 100, 101: 120, 19954: 20000, 999_999: 1_000_000} {
		if got := ceiling(n); got != want {
			t.Errorf("ceiling(%d) = %d, want %d", n, got, want)
		}
	}
}

func TestMapPlacesEveryZoneOnce(t *testing.T) {
	w := layOut([]cell{{"moored", "north-sea", "2026-11-22", 100, true}, {"moored", "azov-sea", "2026-11-22", 1, true}, {"fishing", "north-sea", "2026-11-20", 300, false},
		{"aground", "", "2026-11-22", 5, true}, {"sleeping", "atlantis", "2026-11-22", 2, true}})
	seen := map[[2]int]string{}
	for _, z := range w.Zones {
		if other := seen[[2]int{z.Column, z.Row}]; other != "" {
			t.Errorf("%s is on the same tile as %s", z.Value, other)
		}
		seen[[2]int{z.Column, z.Row}] = z.Value
	}
	north := w.Zones[indexOf(w, "north-sea")]
	if north.Total != 400 || north.Level != levels || !north.Gaps || north.SeenOn != "2026-11-20" || len(north.Parts) != 2 || north.Parts[0].Value != "moored" || north.Parts[0].Share != 25 || north.Parts[1].From != 25 {
		t.Errorf("north-sea: %+v", north)
	}
	if azov := w.Zones[indexOf(w, "azov-sea")]; azov.Level != 1 || azov.Parts[0].Level != 1 {
		t.Errorf("azov-sea: %+v", azov)
	}
	if last := w.Zones[len(w.Zones)-1]; last.Value != "atlantis" || last.Region != "Elsewhere" || w.Total != 408 {
		t.Errorf("a zone that the table does not know: %+v", last)
	}
}

func indexOf(w *World, zone string) int {
	for i, z := range w.Zones {
		if z.Value == zone {
			return i
		}
	}
	return -1
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		shown.Ago(47 * time.Hour):                          "47 hours",
		shown.Ago(49 * time.Hour):                          "2 days",
		shown.Ago(time.Second):                             "less than a minute",
		shown.Since(morning.Add(90*time.Minute), morning):  "in 90 minutes",
		shown.Difference(3, 5):                             "2 fewer than before",
		shown.LongDay("soon"):                              "soon",
		shown.Sanitize("open /a/b/c.db: full", "/x"):       "open …/c.db: full",
		shown.Sanitize(`open C:\data\x.db now`, "/x"):      "open …/x.db now",
		shown.Sanitize(`a regular expression "\\\"`, "/x"): `a regular expression "…"`,
		shown.Sanitize("GET /get-vessel-info 400", "/x"):   "GET /get-vessel-info 400",
		shown.Sanitize("https://a.example/b/c", "/x"):      "https://a.example/b/c",
		shown.Sanitize("moored/north-sea", "/x"):           "moored/north-sea",
		shown.Sanitize("a\u202eb\x1b[0m\nc", "/x"):         "ab[0m c",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func FuzzWithoutPaths(f *testing.F) {
	f.Add("open /srv/data/lock: disk full")
	f.Add("(/a/b) '/c/d' \"/e/f/g\" \\\\host\\share")
	f.Fuzz(func(t *testing.T, text string) {
		if got := shown.Sanitize("read /srv/secret-place/file: "+text, "/data"); strings.Contains(got, "secret-place") && !strings.Contains(text, "secret-place") {
			t.Errorf("%q", got)
		}
	})
}

// TestTroublesPrecedeTheVerdict has a run that is held back and published files that are gone.
func TestTroublesPrecedeTheVerdict(t *testing.T) {
	troubles := []Trouble{{"A run is held back", "run 1 is held back"}, {"Published files are gone", "a file is gone"}}
	for name, c := range map[string]struct {
		before Verdict
		want   Verdict
	}{
		"after a good night": {Verdict{Level: "good", Title: "Ran, and is complete"},
			Verdict{"warn", "A run is held back", []string{"run 1 is held back", "a file is gone", "The last night: ran, and is complete."}, false}},
		"after a bad one": {Verdict{Level: "bad", Title: "Failed", Lines: []string{"why"}},
			Verdict{"bad", "Failed", []string{"run 1 is held back", "a file is gone", "why"}, false}},
		"before the first": {Verdict{Level: "none", Title: "No night yet", Lines: []string{"no run yet"}},
			Verdict{"warn", "A run is held back", []string{"run 1 is held back", "a file is gone"}, false}},
	} {
		if diff := cmp.Diff(c.want, c.before.with(troubles)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.before, c.before.with(nil)); diff != "" {
			t.Errorf("%s, and nothing wrong (-want +got):\n%s", name, diff)
		}
	}
	page := open(t, Config{Dir: harvested(t), Schedule: schedule, Troubles: func() []Trouble { return troubles }}).get("/")
	for _, want := range []string{"A run is held back", "run 1 is held back", "a file is gone"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q on the page", want)
		}
	}
}

// TestASilentSchedulerIsAskedOnce for each page, however much of the page it would fill: each question waits.
func TestASilentSchedulerIsAskedOnce(t *testing.T) {
	asked := 0
	c := open(t, Config{Dir: harvested(t), RunNow: func(string, bool) error { return nil },
		Schedule: func() (Schedule, error) { asked++; return Schedule{}, errors.New("no answer") }})
	if text := c.get("/"); !strings.Contains(text, "The scheduler does not answer") || asked != 1 {
		t.Errorf("asked %d times; the page has\n%s", asked, text)
	}
	if c.get("/live"); asked != 2 {
		t.Errorf("asked %d times for the page and the frame", asked)
	}
}
