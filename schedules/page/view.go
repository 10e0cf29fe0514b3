package page

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/page/lists"
	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/schedules/page/vessel"
)

// view is the data of a template.
type view struct {
	*NightReport        // nil before the first night
	Kind         string // status, run, file, live, vessel, search, list, series, ask, forecast or note
	Title        string
	Version      string
	Now          time.Time
	Verdict      Verdict
	Nav          []navItem
	Tiles        []Tile
	Days         []Day
	Charts       []Chart
	RowCharts    []Chart
	Issues       []Issue
	Live         Live
	Newer        bool // a newer night than that of the page is published
	Next, Past   []SlotView
	Startable    []startable // jobs that can be run now
	Repeat       *repeat     // a run that a person must confirm; nil is none
	CanStop      bool
	Attach       string // how DuckDB reads the warehouse from here; empty if it is not offered
	Export       string // what to say of the export; may be empty
	Form         string
	Meters       []Meter
	Spending     *pipeline.Spending // nil if it is not known
	Vessel       *vessel.View
	Search       *SearchView
	List         *lists.View
	Series       *SeriesPage
	Ask          *AskView
	Forecast     *ForecastPage
	Company      *CompanyView
	Lists        []lists.Group
	First        []firstRun // what will happen, before the first night
	Refresh      int        // seconds after which the page asks for itself again; 0 is never
	CanAsk       bool       // there is a form for statements
	CanScore     bool       // the page can say when a vessel is looked up next
	Lasts        int        // nights that the balance pays for at the usual cost; 0 is unknown
	Style        any        // the stylesheet inside the single file
	Policy       string
}

// startable is a job that can be run now, and what that would cost in words; empty if it is not known.
type startable struct{ Job, Price string }

// repeat is a night that has ended, and what it would cost a second time, in words.
type repeat struct{ Job, Price string }

// Tile answers one question about the night.
type Tile struct {
	Question, Answer, Detail string
	Level                    string  // good, warn, bad or nothing
	Percent                  float64 // of a meter; below 0 is none
}

// Meter is what was spent of a cap.
type Meter struct {
	Name, Words string
	Percent     float64
	Level       string
}

// Issue is a line of the table of issues.
type Issue struct {
	Kind
	Count, Before int
	Percent       float64
	Known         bool   // there is a night before to compare with
	List          string // the address of its rows
}

// NightLabel is the label of the night on the status page.
func (v view) NightLabel() string {
	if v.Verdict.Overdue {
		return "Last published night"
	}
	return "Last night"
}

// Linked is the parts of the fleet with their addresses, which a file does not have.
func (v view) Linked(parts []Share) []Share {
	if !v.Is("file") {
		return parts
	}
	parts = slices.Clone(parts)
	for i := range parts {
		parts[i].List = ""
	}
	return parts
}

// ofNight fills in what every page about a night has.
func (v *view) ofNight(report *NightReport, line []Day, perRun int) {
	v.NightReport, v.Days = report, line
	v.Charts, v.RowCharts = charts(line, perRun), rowCharts(line)
	v.Tiles = []Tile{ranTile(report.Night, v.Now), completeTile(report.Night), costTile(report.Night, perRun), tookTile(report), changedTile(report)}
	v.Issues = issues(report.Night, report.Before)
}

func ranTile(n Night, now time.Time) Tile {
	t := Tile{Question: "Ran?", Answer: n.State, Level: "good", Percent: -1}
	switch n.State {
	case report.StateDone:
		t.Answer = "Yes"
	case report.StatePartial, report.StateInterrupted:
		t.Level = "warn"
	default:
		t.Level = "bad"
	}
	t.Detail = fmt.Sprintf("%s–%s UTC, %s", shown.Clock(n.Started), shown.Clock(n.Finished), shown.Since(n.Finished, now))
	if len(n.Runs) > 1 {
		t.Detail += fmt.Sprintf(", in %d runs", len(n.Runs))
	}
	return t
}

func completeTile(n Night) Tile {
	t := Tile{Question: "Complete?", Answer: "Nothing requested", Percent: -1}
	if asked := n.Asked(); asked > 0 {
		t.Percent = bar(n.Complete(), asked)
		t.Answer = fmt.Sprintf("%d %%", int(t.Percent)) // rounded down: 100 % is all
		t.Detail = fmt.Sprintf("%s of %s partitions", wording.Count(n.Complete()), wording.Count(asked))
		t.Level = "good"
		if n.Complete() < asked {
			t.Level = "warn"
		}
	}
	if skipped := n.Coverage["skipped"]; skipped > 0 {
		t.Detail = strings.TrimPrefix(t.Detail+", "+wording.Count(skipped)+" not needed", ", ")
	}
	return t
}

func costTile(n Night, perRun int) Tile {
	t := Tile{Question: "Cost?", Answer: wording.Count(n.Spent), Detail: "credits", Percent: -1}
	switch {
	case n.Planned > 0:
		t.Percent = bar(n.Spent, n.Planned)
		t.Detail = fmt.Sprintf("credits of at most %s planned", wording.Count(n.Planned))
		if n.Spent > n.Planned {
			t.Level = "warn"
		}
	case perRun > 0:
		t.Percent = bar(n.Spent, perRun*n.Begun)
		t.Detail = fmt.Sprintf("credits of a cap of %s", wording.Count(perRun*n.Begun))
	default:
		t.Detail += ", no cap"
	}
	if n.Unknown > 0 {
		t.Detail += fmt.Sprintf("; %s perhaps not billed", wording.Count(n.Unknown))
	}
	return t
}

func tookTile(report *NightReport) Tile {
	t := Tile{Question: "Took?", Answer: wording.Duration(report.Night.Worked), Percent: -1}
	t.Detail = wording.Counted(report.Night.Requests, "request")
	if typical := usual(report.Days, func(d Day) int { return int(d.Worked.Milliseconds()) }); typical > 0 {
		t.Detail += ", usually " + wording.Duration(time.Duration(typical)*time.Millisecond)
	}
	return t
}

func changedTile(report *NightReport) Tile {
	t := Tile{Question: "Changed?", Percent: -1}
	if report.Before == nil {
		t.Answer, t.Detail = "First night", wording.Counted(report.Listed, "vessel")+" listed"
		return t
	}
	total := 0
	for _, c := range report.Changes {
		total += c.Total
	}
	t.Answer = wording.Count(total)
	t.Detail = fmt.Sprintf("%s listed, %s", wording.Count(report.Listed), shown.Difference(report.Listed, report.ListedBefore))
	return t
}

// issues counts the issues of a night by kind, the most frequent first, beside the night before.
func issues(n Night, before *Night) []Issue {
	var all []Issue
	longest := 1
	for kind, count := range n.Issues {
		i := Issue{Kind: kind, Count: count, Known: before != nil, List: "/list/issues?" + url.Values{"snapshot_date": {n.Date}, "dataset": {kind.Dataset}, "field": {kind.Field}, "reason": {kind.Reason}}.Encode()}
		if before != nil {
			i.Before = before.Issues[kind]
		}
		longest = max(longest, count)
		all = append(all, i)
	}
	for i := range all {
		all[i].Percent = bar(all[i].Count, longest)
	}
	slices.SortFunc(all, func(a, b Issue) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Dataset, b.Dataset), strings.Compare(a.Field, b.Field), strings.Compare(a.Reason, b.Reason))
	})
	return all
}

// meters compares what was spent with the caps that are set: what a meter leaves is what the next run may spend.
func meters(spending pipeline.Spending) []Meter {
	var all []Meter
	for _, c := range spending.Caps {
		name := "Night of " + c.Of
		switch {
		case c.Job != "" && len(spending.Caps) > 0 && hasOtherJob(spending.Caps, c.Job):
			name = c.Job + ", night of " + c.Of
		case c.Job == "" && len(c.Of) == len("2006-01"):
			name = "This month"
		case c.Job == "":
			name = "Today"
		}
		share := bar(c.Spent, c.Cap)
		all = append(all, Meter{name, fmt.Sprintf("%s of %s, %s left", wording.Count(c.Spent), wording.Count(c.Cap), wording.Count(c.Left)), share, alarm(share)})
	}
	return all
}

// hasOtherJob reports whether a cap is that of the night of another job.
func hasOtherJob(caps []pipeline.CapUse, job string) bool {
	return slices.ContainsFunc(caps, func(c pipeline.CapUse) bool { return c.Job != "" && c.Job != job })
}

// alarm is the level of a cap of which a percentage is used.
func alarm(percent float64) string {
	switch {
	case percent >= 100:
		return "bad"
	case percent >= 85:
		return "warn"
	}
	return "good"
}

// lasts is how many nights the balance above the floor pays for at the usual cost of a night.
func lasts(report *NightReport, floor int) int {
	cost := usual(append(slices.Clone(report.Days), Day{}), func(d Day) int { return d.Spent })
	if report.Balance == nil || cost == 0 {
		return 0
	}
	return max(0, *report.Balance-floor) / cost
}

// LiveShare is the finished part of the known work, in per cent.
func (v view) LiveShare() float64 {
	done, left := 0, 0
	for _, l := range v.Live.Progress.Lanes {
		done, left = done+l.Done, left+l.Left
	}
	return bar(done, done+left)
}

// LiveEnd is when the last lane will be empty, as far as is known; zero if nothing is left.
func (v view) LiveEnd() time.Time {
	var longest time.Duration
	for _, l := range v.Live.Progress.Lanes {
		longest = max(longest, l.Remaining)
	}
	if longest == 0 {
		return time.Time{}
	}
	return v.Now.Add(longest)
}

// LaneShare is the finished part of a lane's known work, in per cent.
func (view) LaneShare(l pipeline.LaneProgress) float64 { return bar(l.Done, l.Done+l.Left) }

// Tables lists the lake tables that any of the nights wrote.
func (v view) Tables() []string {
	var all []string
	for _, table := range factTables {
		if slices.ContainsFunc(v.Days, func(d Day) bool { return d.Rows[table] > 0 }) {
			all = append(all, table)
		}
	}
	return all
}

// Regions groups the zones of the map.
func (v view) Regions() []Region {
	var all []Region
	for _, z := range v.World.Zones {
		r := place(&all, func(r Region) bool { return r.Name == z.Region }, Region{Name: z.Region})
		r.Zones = append(r.Zones, z)
	}
	return all
}

// Region is a part of the world.
type Region struct {
	Name  string
	Zones []Zone
}
