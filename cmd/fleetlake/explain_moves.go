package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fleetlake/fleetlake/warehouse"
)

// storyMoves tells where a vessel was, the latest first.
func storyMoves(b *strings.Builder, s warehouse.Story) {
	if p := s.Positions; p.Latest == nil {
		storyLine(b, "positions", "none")
	} else {
		storyLine(b, "positions", fmt.Sprintf("%s since %s, last told %s", thousands(p.Count), minute(p.Since), minute(p.LastSeen)))
		storyLine(b, "", fmt.Sprintf("%s: %s, from %s", minute(p.Latest.At), positionWords(*p.Latest), evidenceWords(p.Latest.Evidence)))
	}
	name := "episodes"
	for i, e := range s.Episodes {
		if i == shownEpisodes {
			storyLine(b, "", fmt.Sprintf("and %s earlier ones", thousands(len(s.Episodes)-i)))
			break
		}
		where := strings.Join(given("", e.Status, "in ", e.Zone, "", e.Laden, "as ", e.VesselType), " ")
		storyLine(b, name, fmt.Sprintf("%s, %d %s, %s to %s", where, e.Nights, plural(e.Nights, "night"), minute(e.FirstSeen), minute(e.LastSeen)))
		name = ""
	}
}

func positionWords(p warehouse.StoryPosition) string {
	words := []string{decimalWords(p.Latitude) + " " + decimalWords(p.Longitude)}
	if p.SpeedKn != nil {
		words = append(words, decimalWords(*p.SpeedKn)+" kn")
	}
	if p.CourseDeg != nil {
		words = append(words, "course "+decimalWords(*p.CourseDeg)+"°")
	}
	return strings.Join(append(words, given("", p.Status, "to ", p.Destination)...), ", ")
}

// decimalWords writes a number with all its digits and no more.
func decimalWords(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// lookupDatasets is what an answer of each lookup tells.
var lookupDatasets = map[string]string{
	"info": "particulars, engine, management, position", "location": "position", "particulars": "particulars",
}

func storyLookups(b *strings.Builder, s warehouse.Story) {
	if len(s.Lookups) == 0 {
		storyLine(b, "looked up", "never")
	}
	name := "looked up"
	for _, l := range s.Lookups {
		words := fmt.Sprintf("%s (%s): %d %s for %s credits, last asked %s: %s", l.Operation, lookupDatasets[l.Operation],
			l.Requests, plural(l.Requests, "time"), thousands(l.Credits), minute(l.Asked), l.Outcome)
		if l.Answered != nil && l.Outcome != "ok" {
			words += ", last answered " + minute(l.Answered)
		}
		if l.Refused != nil {
			words += ", last refused " + minute(l.Refused)
		}
		storyLine(b, name, words)
		name = ""
	}
}

// storyIssues tells the open issues, and counts those that went away.
func storyIssues(b *strings.Builder, issues []warehouse.StoryIssue) {
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
		storyLine(b, name, fmt.Sprintf("%s %q: %s, %d %s since %s, from %s", what, i.RawValue, i.Reason, i.Nights, plural(i.Nights, "night"), i.First, evidenceWords(i.Evidence)))
		name = ""
	}
	if gone > 0 {
		storyLine(b, name, fmt.Sprintf("%d that did not come again", gone))
	}
}

// storyScores tells what each job thinks of the vessel tonight.
func storyScores(b *strings.Builder, scores []vesselScore) {
	for _, s := range scores {
		storyLine(b, "tonight", fmt.Sprintf("%s: score %s; %s", s.Job, decimals(s.Total), s.When))
		for _, l := range s.Lines {
			storyLine(b, "", fmt.Sprintf("  %s %s × %s: %s", l.Term, decimals(l.Value), decimals(l.Weight), l.Why))
		}
	}
}
