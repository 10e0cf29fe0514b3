package console

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/warehouse/history"
)

// explainMovements writes where a vessel was, the latest first.
func explainMovements(b *strings.Builder, v history.Vessel) {
	if p := v.Positions; p.Latest == nil {
		explainLine(b, "positions", "none")
	} else {
		explainLine(b, "positions", fmt.Sprintf("%s since %s, last reported %s", wording.Count(p.Count), minute(p.Since), minute(p.LastSeen)))
		explainLine(b, "", fmt.Sprintf("%s: %s, from %s", minute(p.Latest.At), positionWords(*p.Latest), evidenceWords(p.Latest.Evidence)))
	}
	name := "episodes"
	for i, e := range v.Episodes {
		if i == maxEpisodes {
			explainLine(b, "", fmt.Sprintf("and %s earlier ones", wording.Count(len(v.Episodes)-i)))
			break
		}
		where := strings.Join(given("", e.Status, "in ", e.Zone, "", e.Laden, "as ", e.VesselType), " ")
		explainLine(b, name, fmt.Sprintf("%s, %d %s, %s to %s", where, e.Nights, wording.Plural(e.Nights, "night"), minute(e.FirstSeen), minute(e.LastSeen)))
		name = ""
	}
}

func positionWords(p history.Position) string {
	words := []string{decimalWords(p.Latitude) + " " + decimalWords(p.Longitude)}
	if p.SpeedKn != nil {
		words = append(words, decimalWords(*p.SpeedKn)+" kn")
	}
	if p.CourseDeg != nil {
		words = append(words, "course "+decimalWords(*p.CourseDeg)+"°")
	}
	return strings.Join(append(words, given("", p.Status, "to ", p.Destination)...), ", ")
}

// decimalWords formats a number with all its digits and no more.
func decimalWords(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// lookupDatasets are the datasets of each lookup's answer.
var lookupDatasets = map[string]string{
	"info": "particulars, engine, management, position", "location": "position", "particulars": "particulars",
}

func explainLookups(b *strings.Builder, v history.Vessel) {
	if len(v.Lookups) == 0 {
		explainLine(b, "looked up", "never")
	}
	name := "looked up"
	for _, l := range v.Lookups {
		words := fmt.Sprintf("%s (%s): %d %s for %s credits, last requested %s: %s", l.Operation, lookupDatasets[l.Operation],
			l.Requests, wording.Plural(l.Requests, "time"), wording.Count(l.Credits), minute(l.Asked), l.Outcome)
		if l.Answered != nil && l.Outcome != "ok" {
			words += ", last answered " + minute(l.Answered)
		}
		if l.Refused != nil {
			words += ", last refused " + minute(l.Refused)
		}
		explainLine(b, name, words)
		name = ""
	}
}

// explainIssues writes the open issues, and counts those that did not recur.
func explainIssues(b *strings.Builder, issues []history.Issue) {
	name, gone := "issues", 0
	for _, i := range issues {
		if !i.Open {
			gone++
			continue
		}
		what := i.Dataset
		if i.Field != "" {
			what += "." + i.Field
		}
		explainLine(b, name, fmt.Sprintf("%s %q: %s, %d %s since %s, from %s", what, i.RawValue, i.Reason, i.Nights, wording.Plural(i.Nights, "night"), i.First, evidenceWords(i.Evidence)))
		name = ""
	}
	if gone > 0 {
		explainLine(b, name, fmt.Sprintf("%d that did not recur", gone))
	}
}

// explainScores writes the score of the vessel in each job's plan for tonight.
func explainScores(b *strings.Builder, scores []VesselScore) {
	for _, s := range scores {
		explainLine(b, "tonight", fmt.Sprintf("%s: score %s; %s", s.Job, Decimals(s.Total), s.When))
		for _, l := range s.Lines {
			explainLine(b, "", fmt.Sprintf("  %s %s × %s: %s", l.Term, Decimals(l.Value), Decimals(l.Weight), l.Why))
		}
	}
}
