package console

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/pipeline/wording"
)

// maxLines is how many lines of a long list the report of a run has.
const maxLines = 6

// coverageStates is the order in which reports name the states of partitions.
var coverageStates = []string{"complete", "partial", "suspect", "failed", "skipped"}

// WriteReport writes the report of a run for people. Its errors are those of the writer.
func WriteReport(w io.Writer, r report.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s for %s: %s, harvest in %s%s (run %s)\n", r.Job, r.Date, r.State, wording.Brief(r.Finished.Sub(r.Started)), wallWords(r), r.Run)
	if r.Note != "" {
		ReportLine(&b, "note", r.Note)
	}
	if len(r.Continues) > 0 {
		ReportLine(&b, "continues", strings.Join(r.Continues, ", "))
	}
	if r.Stop != report.StopNone {
		ReportLine(&b, "stopped", wording.WithReason(stopWords(r.Stop), r.Reason))
	} else if r.Reason != "" {
		ReportLine(&b, "reason", r.Reason)
	}
	reportLanes(&b, r.Lanes)
	reportWork(&b, r)
	ReportLine(&b, "credits", creditWords(r.Credits))
	ReportLine(&b, "covered", orNone(coverageWords(r.Coverage)))
	ReportLine(&b, "rows", orNone(rowWords(r.Rows)))
	reportList(&b, "issues", issueWords(r.Issues))
	reportList(&b, "left out", r.LeftOut)
	reportList(&b, "news", r.News)
	_, err := io.WriteString(w, b.String())
	return err
}

// stopWords say why a run ended early, and what to do.
func stopWords(stop report.Stop) string {
	why, then := wording.StopReason(stop)
	if then != "" {
		why += "; " + then
	}
	return cmp.Or(why, string(stop)) // a later program may have stopped for what this one does not know
}

// wallWords is the wall-clock time of a run that has just ended; empty for a stored run.
func wallWords(r report.Report) string {
	if r.Wall == 0 {
		return ""
	}
	return ", " + wording.Brief(time.Duration(r.Wall*float64(time.Second))) + " in all"
}

// ReportLine writes one fact under its name.
func ReportLine(b *strings.Builder, name, words string) {
	fmt.Fprintf(b, "  %-9s %s\n", name, wording.Printable(words))
}

// reportList writes a line for each item, the name before the first, and counts the items left out.
func reportList(b *strings.Builder, name string, items []string) {
	for i, item := range items {
		if i == maxLines && len(items) > maxLines+1 {
			ReportLine(b, "", fmt.Sprintf("and %s more", wording.Count(len(items)-i)))
			return
		}
		ReportLine(b, name, item)
		name = ""
	}
}

// reportLanes writes the work of each operation that had any.
func reportLanes(b *strings.Builder, lanes []report.Lane) {
	header := false
	for _, l := range lanes {
		if l.Requests == 0 {
			continue
		}
		if !header {
			fmt.Fprintf(b, "  %-12s %9s %9s %9s %9s\n", "operation", "requests", "answers", "limited", "credits")
			header = true
		}
		fmt.Fprintf(b, "  %-12s", l.Operation)
		for _, n := range []int{l.Requests, l.Answers, l.Limited, l.Credits} {
			fmt.Fprintf(b, " %9s", wording.Count(n))
		}
		b.WriteByte('\n')
	}
	if !header {
		ReportLine(b, "requests", "none")
	}
}

// reportWork writes what the night asked and what became of it, up to the end of the run.
func reportWork(b *strings.Builder, r report.Report) {
	if len(r.Work) > 0 {
		fmt.Fprintf(b, "  %-42s %9s %9s %9s %9s\n", "of the night", "asked", "earlier", "answered", "left")
	}
	for _, w := range r.Work {
		fmt.Fprintf(b, "  %-42s", wording.Printable(w.What))
		for _, n := range []int{w.Asked, w.Carried, w.Answered, w.Missing()} {
			fmt.Fprintf(b, " %9s", wording.Count(n))
		}
		b.WriteByte('\n')
	}
}

func orNone(words string) string { return cmp.Or(words, "none") }

// creditWords is what was planned and spent, and how the balance changed.
func creditWords(c report.Credits) string {
	words := wording.Count(c.Spent) + " spent, without a cap"
	if c.Planned > 0 || c.Spent == 0 {
		words = fmt.Sprintf("%s spent of at most %s planned", wording.Count(c.Spent), wording.Count(c.Planned))
	}
	if c.Unknown > 0 {
		words += fmt.Sprintf(", %s of them perhaps not billed", wording.Count(c.Unknown))
	}
	switch {
	case c.Before != nil && c.After != nil:
		words += fmt.Sprintf("; balance %s, before %s", wording.Count(*c.After), wording.Count(*c.Before))
	case c.After != nil:
		words += fmt.Sprintf("; balance %s", wording.Count(*c.After))
	case c.Before != nil:
		words += fmt.Sprintf("; balance before %s", wording.Count(*c.Before))
	}
	return words
}

// coverageWords counts the partitions by state, the best first.
func coverageWords(coverage map[string]int) string {
	states := slices.Clone(coverageStates)
	for _, state := range slices.Sorted(maps.Keys(coverage)) {
		if !slices.Contains(states, state) {
			states = append(states, state)
		}
	}
	return countWords(coverage, states)
}

// rowWords counts the rows by table, the most first.
func rowWords(rows map[string]int) string {
	tables := slices.Sorted(maps.Keys(rows))
	slices.SortStableFunc(tables, func(a, b string) int { return rows[b] - rows[a] })
	return countWords(rows, tables)
}

// countWords writes "12 complete, 3 partial" and leaves out zeros.
func countWords(counts map[string]int, names []string) string {
	var words []string
	for _, name := range names {
		if counts[name] != 0 {
			words = append(words, wording.Count(counts[name])+" "+name)
		}
	}
	return strings.Join(words, ", ")
}

// issueWords names the kinds of issues, the most frequent first.
func issueWords(issues []report.Issue) []string {
	issues = slices.Clone(issues)
	slices.SortStableFunc(issues, func(a, b report.Issue) int { return b.Count - a.Count })
	var words []string
	for _, i := range issues {
		words = append(words, fmt.Sprintf("%s × %s: %s", wording.Count(i.Count), strings.TrimSuffix(i.Dataset+"."+i.Field, "."), i.Reason))
	}
	return words
}
