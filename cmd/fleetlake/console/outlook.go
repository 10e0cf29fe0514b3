package console

import (
	"fmt"
	"strings"

	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/wording"
)

// OutlookWords says in one line what the caps of a job bring to a data directory that knows no vessel yet,
// what a complete first night costs, and where the figures come from.
func OutlookWords(job plan.Job, o forecast.Outlook) string {
	words := []string{}
	if first := firstNightWords(o.Tonight); first != "" {
		words = append(words, first+" on the first night")
	}
	if o.Tonight.OfParts+o.Tonight.OfSweeps > 0 {
		words = append(words, listedWords(o))
	}
	if o.Dataset != "" {
		words = append(words, fmt.Sprintf("%s of %s known after %s", roughly(o.Known), o.Dataset, wording.Counted(o.Nights, "night")))
	}
	line := capWords(job) + ": " + orNone(strings.Join(words, ", "))
	switch {
	case o.Tonight.OfParts+o.Tonight.OfSweeps == 0:
	case o.InTime:
		line += fmt.Sprintf("; a complete first night costs about %s", wording.Count(o.Complete))
	default:
		line += fmt.Sprintf("; its deadline (%s) is too short for a complete first night", wording.Brief(job.Deadline))
	}
	return line + fmt.Sprintf(" (assumed: %s; see `fleetlake forecast`)", wording.Counted(o.Vessels, "vessel"))
}

// firstNightWords counts the searches of the first night.
func firstNightWords(c forecast.Covered) string {
	var words []string
	for _, part := range []struct {
		made, of int
		noun     string
	}{{c.Sweeps, c.OfSweeps, "status searches"}, {c.Partitions, c.OfParts, partitionNouns[c.Kind]}} {
		switch {
		case part.of == 0:
		case part.made == part.of:
			words = append(words, fmt.Sprintf("all %s %s", wording.Count(part.of), part.noun))
		default:
			words = append(words, fmt.Sprintf("%s of %s %s", wording.Count(part.made), wording.Count(part.of), part.noun))
		}
	}
	return strings.Join(words, " and ")
}

// partitionNouns are the partitions of a list by their kind.
var partitionNouns = map[string]string{"type": "types", "country": "countries", "type+country": "pairs of type and country"}

// listedWords says when every vessel is listed.
func listedWords(o forecast.Outlook) string {
	if o.ListedBy > 0 {
		return fmt.Sprintf("all vessels listed by night %s", wording.Count(o.ListedBy))
	}
	return fmt.Sprintf("%s of the vessels listed after %s", roughly(o.Listed), wording.Counted(o.Nights, "night"))
}

// capWords names the caps of a job.
func capWords(job plan.Job) string {
	var caps []string
	for _, c := range []struct {
		credits int
		of      string
	}{{job.Budget, "a night"}, {job.PerDay, "a day"}, {job.PerMonth, "a month"}} {
		if c.credits > 0 {
			caps = append(caps, wording.Count(c.credits)+" credits "+c.of)
		}
	}
	if len(caps) == 0 {
		return "without a cap"
	}
	return "at " + strings.Join(caps, ", ")
}

// roughly prints a share in whole per cent; only all is 100 %.
func roughly(share float64) string {
	n := int(100*share + .5)
	if n == 100 && share < 1 {
		n = 99
	}
	return fmt.Sprintf("%d %%", n)
}
