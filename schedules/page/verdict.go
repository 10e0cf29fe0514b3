package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/page/shown"
)

// stale is the age at which a nightly warehouse has missed a night.
const stale = 26 * time.Hour

// Verdict is the first line of the page.
type Verdict struct {
	Level   string // good, warn or bad
	Title   string
	Lines   []string // why, and what to do
	Overdue bool     // a newer night was due, and is missing
}

// verdictOf is the verdict on a night: the state that the run reports first, then what its coverage
// proves.
func verdictOf(n Night) Verdict {
	v := Verdict{Level: "good", Title: "Ran, and is complete"}
	unseen := n.Asked() - n.Complete()
	switch n.State {
	case report.StateDone:
		if n.Coverage["failed"]+n.Coverage["suspect"] > 0 {
			v = Verdict{Level: "warn", Title: "Ran, with doubts"}
		} else if unseen > 0 {
			v = Verdict{Level: "warn", Title: "Ran, not complete"}
		}
	case report.StatePartial:
		v = Verdict{Level: "warn", Title: "Ran in part"}
	case report.StateInterrupted:
		v = Verdict{Level: "warn", Title: "Was interrupted"}
	case report.StateKilled:
		v = Verdict{Level: "bad", Title: "Was killed"}
	default:
		v = Verdict{Level: "bad", Title: "Failed"}
	}
	if len(n.Repeats) > 0 {
		last := n.Repeats[len(n.Repeats)-1]
		v = Verdict{Level: "warn", Title: v.Title + ", and a repeat did not succeed", Lines: []string{
			fmt.Sprintf("The night stands as it was before. Its run of %s is %s%s.", shown.Moment(last.Started), last.State, because(last.Reason))}}
	}
	if n.Stop == report.StopKey || n.Stop == report.StopCredits || n.Stop == report.StopBlocked {
		v.Level = "bad"
	}
	if why, then := wording.StopReason(n.Stop); why != "" {
		v.Lines = append(v.Lines, strings.TrimSpace(shown.Sentence(why)+" "+shown.Sentence(then)))
	}
	if n.Reason != "" {
		v.Lines = append(v.Lines, n.Reason)
	}
	if n.State == report.StateKilled {
		v.Lines = append(v.Lines, "The process died. What it had paid for is published; the next run of the night resumes there.")
	}
	if unseen > 0 {
		v.Lines = append(v.Lines, fmt.Sprintf("%s of %s partitions were not seen whole, so nothing in them counts as gone.", wording.Count(unseen), wording.Count(n.Asked())))
	}
	return v
}

// because appends a reason, if there is one.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + shown.TrimDot(reason)
}

// verdictNow is the verdict on the newest night as of now: a good night is no longer good when it is
// too old, or when a later slot had no run.
func verdictNow(n Night, now time.Time, slots []SlotView) Verdict {
	v := verdictOf(n)
	var later []string
	for _, s := range slots {
		if s.State != "next" && s.At.After(n.Started) && !s.At.After(now) {
			later = append(later, fmt.Sprintf("%s of %s %s: %s.", s.Job, s.Date, didNot[s.State], shown.TrimDot(s.Reason)))
		}
	}
	was := fmt.Sprintf("The last night that was published, %s, %s.", n.Date, shown.Lower(v.Title))
	if age := now.Sub(n.Finished); age > stale {
		v = Verdict{"bad", "Nothing published for " + shown.Ago(age), append(append(later, was), v.Lines...), true}
	} else if len(later) > 0 {
		v = Verdict{v.Level, "A later run did not succeed", append(append(later, was), v.Lines...), true}
		if v.Level == "good" {
			v.Level = "warn"
		}
	}
	return v
}

// with puts the troubles of the data directory before the verdict.
func (v Verdict) with(troubles []Trouble) Verdict {
	if len(troubles) == 0 {
		return v
	}
	var lines []string
	for _, t := range troubles {
		lines = append(lines, t.Words)
	}
	switch v.Level {
	case "good":
		v = Verdict{"warn", troubles[0].Title, append([]string{"The last night: " + shown.Lower(v.Title) + "."}, v.Lines...), v.Overdue}
	case "none":
		v = Verdict{Level: "warn", Title: troubles[0].Title}
	}
	v.Lines = append(lines, v.Lines...)
	return v
}

// didNot is the state of a slot in words.
var didNot = map[string]string{"missed": "was missed", "failed": "failed"}
