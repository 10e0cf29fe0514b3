package transform

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// States of coverage: how much of a partition the answers have.
const (
	complete = "complete" // all of it, and its total did not change meanwhile
	partial  = "partial"  // some pages are missing
	failed   = "failed"   // requests were sent, and no answer is usable
	suspect  = "suspect"  // the answers contradict each other, or what is known of the partition
	skipped  = "skipped"  // no request was sent
)

// Reasons of a planned partition for which no request was sent. The warehouse leaves what is not accepted out of what
// a complete list must cover.
const (
	notAsked    = "not asked"
	notAccepted = "no longer accepted"
)

// coverage collects, for each partition, what the answers of a night prove.
type coverage map[partitionKey]*partition

// partitionKey names a partition without regard to case.
type partitionKey struct{ operation, kind, value string }

// partition is a unit of coverage with its pages.
type partition struct {
	operation, kind, value string
	expected               int // vessels at the last complete coverage; -1 where unknown
	skipped                string
	world                  int  // vessels of the same search in the whole world at the last complete coverage; 0 where unknown
	check                  bool // only its total was requested, to compare with byOthers
	byOthers               int  // vessels of it that the searches of other partitions listed
	pages                  map[int]observation
}

// observation is one answer to the request for a page.
type observation struct {
	contents api.Contents
	page     Page
	usable   bool
	outcome  string
	at       time.Time
}

// plan adds the partitions that a run planned. The current run's plan has precedence over those of
// earlier runs.
func (c coverage) plan(p *journal.Plan, own bool) {
	for _, planned := range p.Partitions {
		named := api.Partition{Kind: planned.Kind, Value: planned.Value}.Canonical()
		known := c.at(planned.Operation, named.Kind, named.Value)
		if own || known.expected < 0 && known.skipped == "" {
			known.value, known.expected, known.world = planned.Value, planned.Expected, planned.World
			known.skipped, known.check = planned.Skipped, planned.Check
		}
	}
}

// at returns a partition, and adds it if it is new.
func (c coverage) at(operation, kind, value string) *partition {
	k := partitionKey{operation, kind, strings.ToLower(value)}
	if c[k] == nil {
		c[k] = &partition{operation: operation, kind: kind, value: value, expected: -1, pages: map[int]observation{}}
	}
	return c[k]
}

// observe adds an answer, or the lack of one. Of several answers for a page, a usable one has
// precedence over others, and then the latest.
func (c coverage) observe(operation, parameters string, o observation) {
	wanted, page, ok := api.PartitionOf(operation, parameters)
	if !ok || o.outcome == "probe" {
		return
	}
	p := c.at(operation, wanted.Kind, wanted.Value)
	old, answered := p.pages[page]
	if !answered || o.betterThan(old) {
		p.pages[page] = o
	}
}

// betterThan reports whether an observation of a page replaces the one before.
func (o observation) betterThan(old observation) bool {
	if o.usable != old.usable {
		return o.usable
	}
	return cmp.Or(o.at.Compare(old.at), cmp.Compare(o.outcome, old.outcome),
		cmp.Compare(o.page.Fingerprint, old.page.Fingerprint)) > 0
}

// coverageRow is a row of the coverage table. A negative number is null.
type coverageRow struct {
	operation, kind, value string
	pages, expected        int
	received               int
	state, reason          string
}

// countListed counts a listed vessel for the check of its type or its country, if there is one.
func (c coverage) countListed(kind, value string) {
	if p := c[partitionKey{api.ByType.Name, kind, strings.ToLower(strings.TrimSpace(value))}]; p != nil && p.check {
		p.byOthers++
	}
}

// mayEmpty returns how many vessels can all have left a partition of an operation since it was last covered. A few
// ships end a stay in a zone, or leave a small register, from one night to the next; more do not.
func mayEmpty(operation string) int {
	if o, _ := api.OperationNamed(operation); o.Has("sighting") {
		return 9
	}
	return 3
}

// emptied is the reason of a partition without vessels, of an operation that returned none for most partitions
// that had some.
const emptied = "silent zero, as most partitions that had vessels"

// silent returns the operations whose empty answers prove nothing: more of their partitions have lost all vessels
// since they were last covered than have any now. A fleet does not move like that, but a service that is out of order
// answers like that.
func (c coverage) silent() map[string]bool {
	lost, left, have := map[string]int{}, map[string]int{}, map[string]int{} // partitions, their vessels, partitions
	for _, p := range c {
		switch rows, answered := p.received(); {
		case rows > 0:
			have[p.operation]++
		case answered && p.expected > 0:
			lost[p.operation]++
			left[p.operation] += p.expected
		}
	}
	silent := map[string]bool{}
	for operation, n := range lost {
		silent[operation] = n > max(1, have[operation]) && left[operation] > mayEmpty(operation)
	}
	return silent
}

// Plausible reports whether a partition can have so many vessels, if expected is their number when
// it was last covered; -1 where that is unknown. Where a total is more than any fleet could have
// grown to, no pages are requested by it, and the partition is suspect.
func Plausible(total, expected int) bool {
	if expected < 0 {
		return total <= api.MostVessels
	}
	return total <= min(api.MostVessels, 20_000+10*expected)
}

// PlausibleGrowth reports whether the total of a partition can change from first to total while
// its pages are read. Without this bound, a service whose total grows with each page would be
// paged without end.
func PlausibleGrowth(first, total int) bool { return total-first <= max(200, first/10) }

// table returns the row of every partition, in the order of the lake file. The service accepts the values of some no
// more.
func (c coverage) table(withdrawn map[partitionKey]bool) []coverageRow {
	rows, silent, ignored := make([]coverageRow, 0, len(c)), c.silent(), c.ignoredZones()
	for k, p := range c {
		row := p.coverage(silent[p.operation])
		if row.state == skipped && withdrawn[k] {
			row.reason = notAccepted
		}
		if ignored[k] {
			row.state, row.reason = suspect, zoneIgnored
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b coverageRow) int {
		return cmp.Or(cmp.Compare(a.operation, b.operation), cmp.Compare(a.kind, b.kind), cmp.Compare(a.value, b.value))
	})
	return rows
}

// coverage returns the row of the partition. The first state that applies decides, so that a
// contradiction is reported before missing pages, which may follow from it. The operation may be silent.
func (p *partition) coverage(silent bool) coverageRow {
	row := coverageRow{operation: p.operation, kind: p.kind, value: p.value, expected: p.expected}
	v := p.judge()
	row.pages, row.received = v.Pages, v.Rows
	if v.Total > 0 {
		row.expected = v.Total
	}
	switch {
	case len(p.pages) == 0 && p.skipped != "":
		row.state, row.reason = skipped, p.skipped
	case len(p.pages) == 0:
		row.state, row.reason = skipped, notAsked
	case v.Pages == 0:
		row.state, row.reason = failed, p.unusable()
	case v.Rows == 0 && silent:
		row.state, row.reason = failed, emptied
	case v.Rows == 0 && p.expected > mayEmpty(p.operation):
		row.state, row.reason = suspect, "silent zero"
	case v.Moved != "":
		row.state, row.reason = suspect, v.Moved
	case v.Contradiction != "":
		row.state, row.reason = suspect, v.Contradiction
	case p.check && v.Total == p.byOthers && v.Total > 0:
		row.state, row.expected, row.received = complete, v.Total, p.byOthers
		row.reason = "the cover showed as many"
	case !v.Whole():
		row.state, row.reason = partial, fmt.Sprintf("%d of %d pages", v.Pages, v.Needed)
	default:
		row.state = complete
		if p.kind != api.KindStatus {
			row.expected = v.Total
		}
	}
	return row
}

// judge returns what the usable pages of the partition prove.
func (p *partition) judge() Verdict {
	var pages Pages
	for n, o := range p.pages {
		if o.usable {
			pages.Add(n, o.contents, o.page)
		}
	}
	return pages.Judge(p.kind, p.expected)
}

// received returns how many vessels are on the usable pages of a partition, and whether there is such a page.
func (p *partition) received() (rows int, answered bool) {
	for _, o := range p.pages {
		if o.usable {
			rows, answered = rows+o.contents.Rows, true
		}
	}
	return rows, answered
}

// unusable returns the outcome of the first page that cannot be used.
func (p *partition) unusable() string {
	for _, n := range slices.Sorted(maps.Keys(p.pages)) {
		if o := p.pages[n]; !o.usable {
			return o.outcome
		}
	}
	return ""
}
