package console

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/warehouse/history"
)

// maxEpisodes is how many of a vessel's stays in a status and zone are printed.
const maxEpisodes = 8

// WriteExplanation writes the history of a vessel for people. Its errors are those of the writer.
func WriteExplanation(w io.Writer, e Explanation) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", e.VesselID, Printable(cmp.Or(e.Name, "(name unknown)")))
	explainLine(&b, "numbers", strings.Join(given("IMO ", e.IMO, "MMSI ", e.MMSI), ", "))
	for _, a := range e.Aliases {
		explainLine(&b, "known as", fmt.Sprintf("%s until %s: %s", a.ID, minute(a.Since), a.Reason)+ended(a.Until))
	}
	if len(e.Others) > 0 {
		explainLine(&b, "see also", strings.Join(e.Others, ", ")+", which had the number before, or report it with another")
	}
	explainStays(&b, e.Stays)
	for _, d := range e.Datasets {
		explainVersions(&b, d)
	}
	explainMovements(&b, e.Vessel)
	explainLookups(&b, e.Vessel)
	for _, c := range e.Conflicts {
		explainLine(&b, "conflict", fmt.Sprintf("%s.%s %q: %s, %s to %s", c.Dataset, c.Field, c.RawValue, c.Reason, c.First, cmp.Or(c.Last, c.First)))
	}
	explainIssues(&b, e.Issues)
	explainScores(&b, e.Scores)
	_, err := io.WriteString(w, b.String())
	return err
}

// explainLine writes one fact under its name.
func explainLine(b *strings.Builder, name, words string) {
	fmt.Fprintf(b, "  %-12s  %s\n", name, Printable(words))
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

// minute is a moment to the minute, in UTC.
func minute(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

func ended(until *time.Time) string {
	if until == nil {
		return ""
	}
	return ", a separate vessel again since " + minute(until)
}

func explainStays(b *strings.Builder, stays []history.Stay) {
	if len(stays) == 0 {
		explainLine(b, "listed", "never")
	}
	name := "listed"
	for _, s := range stays {
		words := fmt.Sprintf("since %s, last seen %s", s.From, s.Last)
		if s.To != "" {
			words = fmt.Sprintf("%s to %s", s.From, s.To)
			if s.Absent != "" {
				words += ", gone by " + s.Absent
			}
		}
		explainLine(b, name, words)
		name = ""
	}
}

// explainVersions writes the first version of a dataset in full, and the changes of the others.
func explainVersions(b *strings.Builder, d history.Dataset) {
	if len(d.Versions) == 0 {
		explainLine(b, d.Name, "never seen")
		return
	}
	explainLine(b, d.Name, fmt.Sprintf("%d %s, last seen %s", len(d.Versions), wording.Plural(len(d.Versions), "version"), minute(d.Seen)))
	for i, v := range d.Versions {
		span := minute(v.From) + " to now"
		if v.To != nil {
			span = minute(v.From) + " to " + minute(v.To)
		}
		explainLine(b, "", span+", from "+evidenceWords(v.Evidence))
		var words []string
		if i == 0 {
			for _, c := range d.Columns {
				if value, ok := v.Values[c]; ok {
					words = append(words, fmt.Sprintf("%s %v", c, valueWords(value)))
				}
			}
		}
		for _, c := range v.Changed {
			words = append(words, fmt.Sprintf("%s %s → %s", c.Column, valueWords(c.Old), valueWords(c.New)))
		}
		for _, line := range wrapped(words, 100) {
			explainLine(b, "", "  "+line)
		}
	}
}

// valueWords formats a value; whole numbers without an exponent.
func valueWords(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case float64:
		return decimalWords(v)
	}
	return fmt.Sprint(v)
}

// wrapped joins words with commas into lines of about a width.
func wrapped(words []string, width int) []string {
	var lines []string
	for _, w := range words {
		last := len(lines) - 1
		if last < 0 || len(lines[last])+2+len(w) > width {
			lines = append(lines, w)
			continue
		}
		lines[last] += ", " + w
	}
	return lines
}

// evidenceWords names an answer: the request, its run, and the entry in the journal.
func evidenceWords(e history.Evidence) string {
	if e.Run == "" {
		return "an unknown answer"
	}
	asked := strings.TrimSpace(e.Operation + " " + e.Parameters)
	return strings.TrimSpace(fmt.Sprintf("%s (run %s, entry %d)", asked, e.Run, e.Entry))
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
