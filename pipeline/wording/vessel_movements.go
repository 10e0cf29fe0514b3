package wording

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/warehouse/history"
)

// movements writes where a vessel was, the latest first.
func (l *lines) movements(v history.Vessel) {
	if p := v.Positions; p.Latest == nil {
		l.add("positions", "none")
	} else {
		l.add("positions", fmt.Sprintf("%s since %s, last reported %s", Count(p.Count), Minute(p.Since), Minute(p.LastSeen)))
		l.add("", fmt.Sprintf("%s: %s, from %s", PositionTime(p.Latest.At, p.Latest.SeenAt), positionWords(*p.Latest), evidenceWords(p.Latest.Evidence)))
	}
	name := "episodes"
	for i, e := range v.Episodes {
		if i == maxEpisodes {
			l.add("", fmt.Sprintf("and %s earlier ones", Count(len(v.Episodes)-i)))
			break
		}
		where := strings.Join(given("", e.Status, "in ", e.Zone, "", e.Laden, "as ", e.VesselType), " ")
		l.add(name, fmt.Sprintf("%s, %d %s, %s to %s", where, e.Nights, Plural(e.Nights, "night"), Minute(e.FirstSeen),
			Minute(e.LastSeen)))
		name = ""
	}
}

// PositionTime says when a position was observed, or that only its answer has a time.
func PositionTime(at, seen *time.Time) string {
	if at == nil {
		return "no time given, answered " + Minute(seen)
	}
	return Minute(at)
}

func positionWords(p history.Position) string {
	words := []string{decimal(p.Latitude) + " " + decimal(p.Longitude)}
	if p.SpeedKn != nil {
		words = append(words, decimal(*p.SpeedKn)+" kn")
	}
	if p.CourseDeg != nil {
		words = append(words, "course "+decimal(*p.CourseDeg)+"°")
	}
	return strings.Join(append(words, given("", p.Status, "to ", p.Destination)...), ", ")
}

// decimal formats a number with all its digits and no more.
func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func (l *lines) lookups(v history.Vessel) {
	if len(v.Lookups) == 0 {
		l.add("looked up", "never")
	}
	name := "looked up"
	for _, q := range v.Lookups {
		what := "kept whole"
		if o := api.Named(q.Operation); !o.Raw {
			what = strings.Join(o.Datasets(), ", ")
		}
		words := fmt.Sprintf("%s (%s): %d %s for %s credits, last requested %s: %s", q.Operation, what,
			q.Requests, Plural(q.Requests, "time"), Count(q.Credits), Minute(q.Asked), q.Outcome)
		if q.Answered != nil && q.Outcome != "ok" {
			words += ", last answered " + Minute(q.Answered)
		}
		if q.Refused != nil {
			words += ", last refused " + Minute(q.Refused)
		}
		l.add(name, words)
		name = ""
	}
}

// issues writes the open issues, and counts those that did not recur.
func (l *lines) issues(issues []history.Issue) {
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
		l.add(name, fmt.Sprintf("%s %q: %s, %d %s since %s, from %s", what, i.RawValue, i.Reason, i.Nights,
			Plural(i.Nights, "night"), i.First, evidenceWords(i.Evidence)))
		name = ""
	}
	if gone > 0 {
		l.add(name, fmt.Sprintf("%d that did not recur", gone))
	}
}

// scores writes the score of the vessel in each job's plan for tonight.
func (l *lines) scores(scores []VesselScore) {
	for _, s := range scores {
		l.add("tonight", fmt.Sprintf("%s: score %s; %s", s.Job, Decimals(s.Total), s.When))
		for _, t := range s.Lines {
			l.add("", fmt.Sprintf("  %s %s × %s: %s", t.Term, Decimals(t.Value), Decimals(t.Weight), t.Why))
		}
	}
}
