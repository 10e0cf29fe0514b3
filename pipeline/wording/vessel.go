package wording

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/history"
)

// maxEpisodes is how many of a vessel's stays in a status and zone are printed.
const maxEpisodes = 8

// Line is one fact about a vessel, in words. A line without a name continues the one before.
type Line struct{ Name, Words string }

// lines collects them.
type lines []Line

// add adds a fact under its name.
func (l *lines) add(name, words string) { *l = append(*l, Line{name, words}) }

// VesselLines writes everything that is known of a vessel: its numbers, stays and versions, where it was,
// how it was looked up, what contradicts it, and its scores for tonight. The texts are as the service
// wrote them: who shows them makes them harmless.
func VesselLines(e Explanation) []Line {
	var l lines
	l.add("numbers", strings.Join(given("IMO ", e.IMO, "MMSI ", e.MMSI), ", "))
	for _, a := range e.Aliases {
		l.add("known as", fmt.Sprintf("%s until %s: %s", a.ID, Minute(a.Since), a.Reason)+ended(a.Until))
	}
	if len(e.Others) > 0 {
		l.add("see also", strings.Join(e.Others, ", ")+", which had the number before, or report it with another")
	}
	l.stays(e.Stays)
	for _, d := range e.Datasets {
		l.versions(d)
	}
	l.movements(e.Vessel)
	l.lookups(e.Vessel)
	for _, c := range e.Conflicts {
		l.add("conflict", fmt.Sprintf("%s.%s %q: %s, %s to %s", c.Dataset, c.Field, c.RawValue, c.Reason, c.First,
			cmp.Or(c.Last, c.First)))
	}
	l.issues(e.Issues)
	l.scores(e.Scores)
	return l
}

// given joins labels with their values and leaves out those without one.
func given(pairs ...string) []string {
	var words []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			words = append(words, pairs[i]+pairs[i+1])
		}
	}
	return words
}

// Minute is a moment to the minute, in UTC.
func Minute(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

func ended(until *time.Time) string {
	if until == nil {
		return ""
	}
	return ", a separate vessel again since " + Minute(until)
}

func (l *lines) stays(stays []history.Stay) {
	if len(stays) == 0 {
		l.add("listed", "never")
	}
	name := "listed"
	for _, s := range stays {
		words := fmt.Sprintf("since %s, last seen %s", s.From, s.Last)
		if s.Missing != "" {
			words += fmt.Sprintf(", missing since %s, which another list or a lookup must confirm", s.Missing)
		}
		if s.To != "" {
			words = fmt.Sprintf("%s to %s", s.From, s.To)
			switch {
			case s.Absent == "" && s.Proof != "":
				words += ", and not gone: " + s.Proof
			case s.Absent != "":
				words += fmt.Sprintf(", gone by %s (%s, proved on %s)", s.Missing, s.Proof, s.Absent)
			}
		}
		l.add(name, words)
		name = ""
	}
}

// maxVoyages is how many versions of the voyage are printed, the newest ones: a ship that is looked up every night has
// hundreds. explain --json and the table voyages have all.
const maxVoyages = 8

// versions writes the first version of a dataset in full, and the changes of the others.
func (l *lines) versions(d history.Dataset) {
	if len(d.Versions) == 0 {
		l.add(d.Name, "never seen")
		return
	}
	l.add(d.Name, fmt.Sprintf("%d %s, last seen %s", len(d.Versions), Plural(len(d.Versions), "version"), Minute(d.Seen)))
	first := 0
	if d.Name == "voyages" {
		first = max(0, len(d.Versions)-maxVoyages)
	}
	if first > 0 {
		l.add("", fmt.Sprintf("after %s earlier ones", Count(first)))
	}
	for i, v := range d.Versions[first:] {
		span := Minute(v.From) + " to now"
		if v.To != nil {
			span = Minute(v.From) + " to " + Minute(v.To)
		}
		l.add("", span+", from "+evidenceWords(v.Evidence))
		var words []string
		if i == 0 {
			for _, c := range d.Columns {
				if value, ok := v.Values[c]; ok {
					words = append(words, fmt.Sprintf("%s %v", c, Value(value)))
				}
			}
		}
		for _, c := range v.Changed {
			words = append(words, fmt.Sprintf("%s %s → %s", c.Column, Value(c.Old), Value(c.New)))
		}
		for _, line := range wrapped(words, 100) {
			l.add("", "  "+line)
		}
	}
}

// Value writes a value of a column; whole numbers without an exponent, and nothing as nothing.
func Value(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case float64:
		return decimal(v)
	}
	return fmt.Sprint(v)
}

// wrapped joins words with commas into lines of about a width.
func wrapped(words []string, width int) []string {
	var full []string
	for _, w := range words {
		last := len(full) - 1
		if last < 0 || len(full[last])+2+len(w) > width {
			full = append(full, w)
			continue
		}
		full[last] += ", " + w
	}
	return full
}

// evidenceWords names an answer: the request, what it cost, its run, and the entry in the journal.
func evidenceWords(e history.Evidence) string {
	if e.Run == "" {
		return "an unknown answer"
	}
	words := strings.TrimSpace(fmt.Sprintf("%s %s", e.Operation, e.Parameters))
	if e.Credits != nil {
		words += " for " + Counted(*e.Credits, "credit")
	}
	return strings.TrimSpace(fmt.Sprintf("%s (run %s, entry %d)", words, e.Run, e.Entry))
}

// ScoreLine is one term of the score of a lookup of a vessel tonight.
type ScoreLine struct {
	Term   string  `json:"term"`
	Value  float64 `json:"value"`
	Weight float64 `json:"weight"`
	Why    string  `json:"why"`
}

// VesselScore is the score of a vessel in a job's plan for tonight.
type VesselScore struct {
	Job   string      `json:"job"`
	Lines []ScoreLine `json:"terms"`
	Total float64     `json:"total"`
	When  string      `json:"when"` // when it will be looked up, or why not
}

// Explanation is the history of a vessel, and its scores for tonight.
type Explanation struct {
	history.Vessel
	Scores []VesselScore `json:"tonight,omitempty"`
}
