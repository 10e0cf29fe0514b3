package transform

import (
	"cmp"
	"slices"
)

// States returns the number of partitions by their state of coverage.
func (b *Batch) States() map[string]int {
	states := map[string]int{}
	for _, row := range b.coverageRows() {
		states[row.state]++
	}
	return states
}

// Planned returns the number of partitions that the plans requested, those of the run and of the
// earlier runs that it resumes.
func (b *Batch) Planned() int {
	n := 0
	for _, row := range b.coverageRows() {
		if row.state != skipped || row.reason == notAsked {
			n++
		}
	}
	return n
}

// IssueCount is how often a value was refused for one reason.
type IssueCount struct {
	Dataset string
	Field   string
	Reason  string
	Count   int
}

// Issues counts the issues by dataset, field and reason, the most frequent first.
func (b *Batch) Issues() []IssueCount {
	counts := map[IssueCount]int{}
	for _, i := range b.issues {
		counts[IssueCount{Dataset: i.dataset, Field: i.field, Reason: string(i.reason)}]++
	}
	var all []IssueCount
	for c, n := range counts {
		c.Count = n
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b IssueCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Field, b.Field),
			cmp.Compare(a.Reason, b.Reason))
	})
	return all
}
