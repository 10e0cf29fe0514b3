package transform

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// How much of a partition was seen.
const (
	complete = "complete" // all of it, and nothing moved meanwhile
	partial  = "partial"  // some pages are missing
	failed   = "failed"   // asked, and nothing came that can be used
	suspect  = "suspect"  // something does not add up
	skipped  = "skipped"  // not asked
)

// notAsked is the reason of a partition that was planned and that no request was sent for.
const notAsked = "not asked"

// coverage follows what the answers of a night prove to have seen of each partition.
type coverage map[partitionKey]*partition

// partitionKey names a partition without regard to case.
type partitionKey struct{ operation, kind, value string }

// partition is a unit of coverage with its pages.
type partition struct {
	operation, kind, value string
	expected               int // vessels at the last complete coverage; -1 where unknown
	skipped                string
	check                  bool // only its total was wanted, to compare with what the cover showed
	byCover                int  // vessels of it that the cover showed
	pages                  map[int]observation
}

// observation is the best answer to a page.
type observation struct {
	pageFacts
	usable  bool
	outcome string
	at      time.Time
}

// plan enters what a run planned. The run's own plan goes before those of earlier runs.
func (c coverage) plan(p *journal.Plan, own bool) {
	for _, planned := range p.Partitions {
		known := c.at(planned.Operation, planned.Kind, canonical(planned.Kind, planned.Value))
		if own || known.expected < 0 && known.skipped == "" {
			known.value, known.expected, known.skipped, known.check = planned.Value, planned.Expected, planned.Skipped, planned.Check
		}
	}
}

// at returns a partition, known or not.
func (c coverage) at(operation, kind, value string) *partition {
	k := partitionKey{operation, kind, strings.ToLower(value)}
	if c[k] == nil {
		c[k] = &partition{operation: operation, kind: kind, value: value, expected: -1, pages: map[int]observation{}}
	}
	return c[k]
}

// see enters an answer, or that none came. A page may be asked again: what can be used goes
// before what cannot, and the later before the earlier.
func (c coverage) see(operation, parameters string, o observation) {
	asks, page, ok := api.PartitionOf(operation, parameters)
	if !ok || o.outcome == "probe" {
		return
	}
	p := c.at(operation, asks.Kind, asks.Value)
	old, asked := p.pages[page]
	if !asked || o.after(old) {
		p.pages[page] = o
	}
}

func (o observation) after(old observation) bool {
	if o.usable != old.usable {
		return o.usable
	}
	return cmp.Or(o.at.Compare(old.at), cmp.Compare(o.outcome, old.outcome), cmp.Compare(o.print, old.print)) > 0
}

// canonical puts the filters of a planned status search in the order of api.PartitionOf.
func canonical(kind, value string) string {
	name, filters, found := strings.Cut(strings.TrimSpace(value), "?")
	q, err := url.ParseQuery(filters)
	if kind != api.KindStatus || !found || err != nil {
		return strings.TrimSpace(value)
	}
	return name + "?" + q.Encode()
}

// coverageRow is a row of the coverage table. A negative number is null.
type coverageRow struct {
	operation, kind, value string
	pages, expected        int
	received               int
	state, reason          string
}

// show counts a vessel of the cover for the check of its type and of its country.
func (c coverage) show(kind, value string) {
	if p := c[partitionKey{api.ByType.Name, kind, strings.ToLower(strings.TrimSpace(value))}]; p != nil && p.check {
		p.byCover++
	}
}

// mayEmpty is how many vessels may all have left a partition since it was last covered. A few
// ships end a stay in a zone, or leave a small register, from one night to the next; more do not.
func (p *partition) mayEmpty() int {
	if p.kind == api.KindStatus {
		return 9
	}
	return 3
}

// MostVessels is more vessels than the world has: a total beyond it is none.
const MostVessels = 2_000_000

// Plausible reports whether a partition can hold so many vessels, of which it held so many
// when it was last covered; -1 where that is unknown. A total that no fleet could have grown to
// is not believed: nothing is asked for by it, and what it is told of is suspect.
func Plausible(total, expected int) bool {
	if expected < 0 {
		return total <= MostVessels
	}
	return total <= min(MostVessels, 20_000+10*expected)
}

// PlausibleGrowth reports whether the total of a partition can move from one number to another
// while its pages are read. A service that promises more with each page would be paged for ever.
func PlausibleGrowth(first, total int) bool { return total-first <= max(200, first/10) }

// table judges every partition, in the order of the lake file.
func (c coverage) table() []coverageRow {
	rows := make([]coverageRow, 0, len(c))
	for _, p := range c {
		rows = append(rows, p.coverage())
	}
	slices.SortFunc(rows, func(a, b coverageRow) int {
		return cmp.Or(cmp.Compare(a.operation, b.operation), cmp.Compare(a.kind, b.kind), cmp.Compare(a.value, b.value))
	})
	return rows
}

// coverage says what was seen of a partition.
func (p *partition) coverage() coverageRow {
	row := coverageRow{operation: p.operation, kind: p.kind, value: p.value, expected: p.expected}
	s := p.sum()
	row.pages, row.received = s.pages, s.rows
	if s.total > 0 {
		row.expected = s.total
	}
	if s.odd == "" && !Plausible(s.total, p.expected) {
		s.odd = fmt.Sprintf("%d vessels, and %d when it was last covered", s.total, p.expected)
	}
	switch {
	case len(p.pages) == 0 && p.skipped != "":
		row.state, row.reason = skipped, p.skipped
	case len(p.pages) == 0:
		row.state, row.reason = skipped, notAsked
	case s.pages == 0:
		row.state, row.reason = failed, s.unusable
	case s.rows == 0 && p.expected > p.mayEmpty():
		row.state, row.reason = suspect, "silent zero"
	case s.odd != "":
		row.state, row.reason = suspect, s.odd
	case p.check && s.total == p.byCover && s.total > 0:
		row.state, row.expected, row.received = complete, s.total, p.byCover
		row.reason = "the cover showed as many"
	case s.pages < s.needed:
		row.state, row.reason = partial, fmt.Sprintf("%d of %d pages", s.pages, s.needed)
	case p.kind != api.KindStatus && s.rows != s.total:
		row.state, row.reason = suspect, fmt.Sprintf("%d of %d vessels", s.rows, s.total)
	default:
		row.state = complete
		if p.kind != api.KindStatus {
			row.expected = s.total
		}
	}
	return row
}
