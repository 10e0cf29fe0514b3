package notify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/report"
)

// Kind is what an event is about.
type Kind string

// The kinds of events, the gravest first.
const (
	Stale           Kind = "stale"            // nothing was published for too long
	Failed          Kind = "failed"           // a run ended with an error, or the service refused the key or blocks an operation for it
	Credits         Kind = "credits"          // the service says that the credits are used up
	ExportFailed    Kind = "export_failed"    // what is published was not exported
	Drifting        Kind = "drifting"         // the balance fell by another amount than we counted
	Partial         Kind = "partial"          // something planned was left out
	Watched         Kind = "watched"          // there is news of vessels on the watch list
	ExportRecovered Kind = "export_recovered" // an export succeeded after others had failed
)

// Kinds lists all kinds, the gravest first.
var Kinds = []Kind{Stale, Failed, Credits, ExportFailed, Drifting, Partial, Watched, ExportRecovered}

// Event is one notification. It contains no key, no bodies and no address.
type Event struct {
	ID    string    `json:"id"`
	Kinds []Kind    `json:"kinds"` // the gravest first
	At    time.Time `json:"at"`
	Job   string    `json:"job,omitempty"`
	Date  string    `json:"date,omitempty"` // the snapshot date
	Run   string    `json:"run,omitempty"`
	State string    `json:"state,omitempty"`
	Title string    `json:"title"`
	Lines []string  `json:"lines,omitempty"`
}

// Text is the event for people.
func (e Event) Text() string {
	return strings.Join(append([]string{"fleetlake: " + e.Title}, e.Lines...), "\n")
}

// Limits of an event: lines of a list, and bytes of a text that others wrote.
const (
	maxLines = 5
	maxNews  = 20
	maxWords = 300
)

// OfReport makes the event of a run that published; false if there is nothing to report.
func OfReport(r report.Report) (Event, bool) {
	e := Event{ID: r.Run, At: r.Finished.UTC(), Job: r.Job, Date: r.Date, Run: r.Run, State: r.State}
	drift := Drift(r.Credits)
	for kind, is := range map[Kind]bool{
		Failed:   r.Stop == report.StopKey || r.Stop == report.StopBlocked,
		Credits:  r.Stop == report.StopCredits,
		Drifting: drift != 0,
		Partial:  r.State == report.StatePartial,
	} {
		if is {
			e.Kinds = append(e.Kinds, kind)
		}
	}
	if len(e.Kinds) == 0 {
		return e, false
	}
	slices.SortFunc(e.Kinds, func(a, b Kind) int { return slices.Index(Kinds, a) - slices.Index(Kinds, b) })
	e.Title = fmt.Sprintf("%s for %s %s", r.Job, r.Date, cmp.Or(stopTitles[r.Stop], titles[e.Kinds[0]]))
	if r.Reason != "" {
		e.Lines = append(e.Lines, "reason: "+shortened(r.Reason))
	}
	e.Lines = append(e.Lines, fmt.Sprintf("%d requests, %d credits spent of at most %d planned", r.Requests(), r.Credits.Spent, r.Credits.Planned))
	switch {
	case drift > 0:
		e.Lines = append(e.Lines, fmt.Sprintf("the balance fell by %d credits more than we counted", drift))
	case drift < 0:
		e.Lines = append(e.Lines, fmt.Sprintf("the balance fell by %d credits less than we counted", -drift))
	}
	for i, line := range r.LeftOut {
		if i == maxLines {
			e.Lines = append(e.Lines, fmt.Sprintf("left out: %d more", len(r.LeftOut)-i))
			break
		}
		e.Lines = append(e.Lines, "left out: "+shortened(line))
	}
	e.Lines = append(e.Lines, "run "+r.Run)
	return e, true
}

// stopTitles are the titles of runs that need a person, by why they stopped.
var stopTitles = map[report.Stop]string{
	report.StopKey:     "failed: the service refuses the key",
	report.StopBlocked: "failed in part: an operation is blocked for the key, whatever the balance is",
	report.StopCredits: "stopped: the credits are used up, or down to the floor",
}

// titles are those of other runs, by their gravest kind.
var titles = map[Kind]string{
	Drifting: "was billed another amount than we counted",
	Partial:  "is partial",
}

// Drift is by how many credits more than counted the balance fell during a run; less than 0
// if it fell by less. Requests of unknown outcome may explain a difference.
func Drift(c report.Credits) int {
	if c.Before == nil || c.After == nil {
		return 0
	}
	fell := *c.Before - *c.After
	return fell - min(max(fell, c.Spent-c.Unknown), c.Spent)
}

// OfFailure makes the event of a run that ended with an error or a panic.
func OfFailure(job, date string, at time.Time, reason string) Event {
	return Event{
		ID: fmt.Sprintf("%s-%s-%d", job, date, at.Unix()), Kinds: []Kind{Failed}, At: at.UTC(), Job: job, Date: date, State: "failed",
		Title: fmt.Sprintf("%s for %s failed", job, date), Lines: []string{"reason: " + shortened(reason)},
	}
}

// OfSilence makes the event of a warehouse into which nothing was published for longer than most;
// latest is the end of the newest run, zero if there is none.
func OfSilence(now, latest time.Time, most time.Duration) Event {
	e := Event{ID: fmt.Sprintf("stale-%d", latest.Unix()), Kinds: []Kind{Stale}, At: now.UTC(), Title: "nothing was ever published"}
	if !latest.IsZero() {
		e.Title = fmt.Sprintf("nothing was published for %v", now.Sub(latest).Round(time.Minute))
		e.Lines = []string{fmt.Sprintf("the newest run ended at %s; expected one within %v", latest.UTC().Format(time.RFC3339), most)}
	}
	return e
}

// ExportResult is what the events of an export say.
type ExportResult struct {
	At     time.Time
	First  time.Time // the first failure of the series
	Times  int       // the failures of the series
	Reason string    // of the last failure
	Run    string    // the latest that is exported; empty after a failure
}

// OfExportFailure makes the event of an export that failed.
func OfExportFailure(r ExportResult) Event {
	e := Event{ID: fmt.Sprintf("export-failed-%d", r.At.Unix()), Kinds: []Kind{ExportFailed}, At: r.At.UTC(), State: "export_failed",
		Title: "the export failed", Lines: []string{"reason: " + shortened(r.Reason)}}
	if r.Times > 1 {
		e.Title = fmt.Sprintf("the export has failed %d times since %s", r.Times, r.First.UTC().Format(time.RFC3339))
	}
	e.Lines = append(e.Lines, "the night stays published; the next run exports it")
	return e
}

// OfExportRecovery makes the event of an export that succeeded after others had failed.
func OfExportRecovery(r ExportResult) Event {
	return Event{ID: fmt.Sprintf("export-recovered-%d", r.At.Unix()), Kinds: []Kind{ExportRecovered}, At: r.At.UTC(), Run: r.Run, State: "export_recovered",
		Title: "the export works again", Lines: []string{fmt.Sprintf("it had failed since %s", r.First.UTC().Format(time.RFC3339)), "run " + r.Run}}
}

// NewsID is the id of the event of a run's news of watched vessels; that of its end is the run.
func NewsID(r report.Report) string { return r.Run + "-watched" }

// OfNews makes the event of a run whose night has news of watched vessels, a line each; false without news.
func OfNews(r report.Report, news []string) (Event, bool) {
	e := Event{ID: NewsID(r), Kinds: []Kind{Watched}, At: r.Finished.UTC(), Job: r.Job, Date: r.Date, Run: r.Run, State: r.State,
		Title: fmt.Sprintf("news of watched vessels for %s: %d", r.Date, len(news))}
	for i, line := range news {
		if i == maxNews {
			e.Lines = append(e.Lines, fmt.Sprintf("and %d more: see /watch.atom on the status page", len(news)-i))
			break
		}
		e.Lines = append(e.Lines, shortened(line))
	}
	return e, len(news) > 0
}

// shortened is a text of others as one line, cut to maxWords bytes.
func shortened(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= maxWords {
		return s
	}
	return strings.ToValidUTF8(s[:maxWords], "") + "…"
}
